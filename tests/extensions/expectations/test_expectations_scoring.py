"""Expectations against results: counted by hand, and by slow twins."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom

from learnability.evidence.differences import Difference
from learnability.extensions.expectations.agreement import HeldPair, summarise
from learnability.extensions.expectations.expecting import ExpectedPair, PairName
from learnability.extensions.expectations.fitting import Measurements, fit_model
from learnability.extensions.expectations.model import (
    Expectation,
    ExpectationModel,
    Expectations,
    StoredFit,
    as_floats,
)
from learnability.extensions.expectations.properties import NAMES, Properties
from learnability.extensions.expectations.scoring import (
    Judged,
    explained_share,
    mean_over_families,
    over_families,
)
from learnability.extensions.expectations.section import agreement_section, expectations_section
from learnability.statistics.inference import Side


def judged() -> Judged:
    return Judged(
        expected=np.array([1.0, -1.0, 0.5, 2.0]),
        variances=np.array([1.0, 0.25, 4.0, 1.0]),
        measured=np.array([2.0, 0.5, 0.4, -1.0]),
        errors=np.array([0.5, 0.5, 1.0, 0.5]),
        clear=np.array([True, False, False, True]),
        families=["A", "A", "B", "C"],
    )


def test_each_pair_is_scored_as_its_definition_says() -> None:
    found = judged()
    assert found.hits().tolist() == [1, 0, 1, 0]
    for row in range(4):
        deviation = (found.variances[row] + found.errors[row] ** 2) ** 0.5
        probability = 1 - NormalDist(found.expected[row], deviation).cdf(0)
        ahead = found.measured[row] > 0
        assert found.brier()[row] == pytest.approx((probability - ahead) ** 2)
        distance = abs(found.measured[row] - found.expected[row])
        assert bool(found.covered()[row]) == (distance < 1.96 * deviation)
        assert found.excess()[row] == pytest.approx(distance**2 - found.errors[row] ** 2)
    assert found.covered().tolist() == [1, 0, 1, 0]
    nearer = replace(found, measured=np.array([1.0, 0.3, 0.4, -0.1]))
    assert nearer.covered().tolist() == [1, 1, 1, 1]  # the second and the last by the error of measuring


def test_the_explained_share_is_of_the_error_beyond_noise() -> None:
    found = judged()
    other = found.expect(np.zeros(4), found.variances)
    importance = np.array([1.0, 2.0, 1.0, 0.5])
    error = sum(importance * ((found.measured - found.expected) ** 2 - found.errors**2))
    of_other = sum(importance * (found.measured**2 - found.errors**2))
    share = explained_share(found, other, importance)
    assert share.value == pytest.approx(1 - error / of_other)
    assert share.low is not None
    assert share.low <= share.value
    perfect = found.expect(found.measured, found.variances)
    noiseless = replace(perfect, errors=np.full(4, 1e-9))
    whole = explained_share(noiseless, replace(noiseless, expected=np.zeros(4)), importance)
    assert (whole.value, whole.low, whole.high) == pytest.approx((1, 1, 1))


def test_families_are_drawn_whole() -> None:
    """Where all pairs of a family are alike, the interval is that of families; pairs alone would be surer."""
    families = [f"family {number // 10}" for number in range(60)]
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], 10)
    whole = mean_over_families(values, families)
    of_pairs = mean_over_families(values, [str(number) for number in range(60)])
    assert whole.value == of_pairs.value == 0.5
    assert whole.high is not None
    assert whole.low is not None
    assert of_pairs.high is not None
    assert of_pairs.low is not None
    assert whole.high - whole.low > 2 * (of_pairs.high - of_pairs.low)
    assert (whole.low, whole.high) == pytest.approx(binom.ppf((0.025, 0.975), 6, 0.5) / 6)


def test_a_family_is_drawn_with_all_its_pairs() -> None:
    """Each has the mean 2/3, so every sample has it."""
    found = mean_over_families(np.tile([0.0, 1.0, 1.0], 4), [name for name in "ABCD" for _ in range(3)])
    assert (found.low, found.high) == pytest.approx((2 / 3, 2 / 3))


def test_two_families_give_no_interval() -> None:
    found = over_families(["A", "B"], lambda rows: float(len(rows)))
    assert (found.value, found.low, found.high) == (2.0, None, None)


def held(
    expected: float, measured: float, *, clear: bool = False, number: int = 0, **changes: bool
) -> HeldPair:
    name = PairName(f"UD_{number}", "2.16", "case", "")
    expectations = Expectations(Expectation(expected, 1.0), Expectation(1.0, 1.0))
    pair = ExpectedPair(name, f"family {number}", changes.get("is_fitted", False), None, expectations)
    better = (Side.FIRST if measured > 0 else Side.SECOND) if clear else Side.NONE
    difference = Difference(80.0, 80.0 - measured, measured, error=0.5, p_value=0.5, better=better)
    return HeldPair(pair, expectations, difference)


def test_an_agreement_counts_pairs_and_clear_ones_beside_the_mean_alone() -> None:
    found = summarise([held(1, 2, clear=True), held(-1, -2, clear=True, number=1), held(1, -0.1, number=2)])
    assert (found.pairs, found.clear, found.treebanks) == (3, 2, 3)
    assert (found.hits.value, found.hits_alone.value) == pytest.approx((2 / 3, 1 / 3))
    assert found.clear_hits is not None
    assert found.clear_hits_alone is not None
    assert (found.clear_hits.value, found.clear_hits_alone.value) == (1.0, 0.5)
    assert found.brier.value < found.brier_alone.value
    assert found.explained.value > 0


def test_treebanks_that_the_model_knows_do_not_count() -> None:
    section = agreement_section([held(1, 2), held(1, -2, is_fitted=True, number=1)])
    assert section.sentences[0].startswith("The expected side is ahead in 100 % of 1 result ")
    assert section.sentences[-1] == "Left out: 1 treebank that the model was fitted to."
    assert [row[0] for row in section.tables[0].rows] == ["all", "case"]
    nothing = agreement_section([held(1, -2, is_fitted=True), held(1, 1, is_fitted=True, number=1)])
    assert nothing.sentences[-1].startswith("No result is left")
    assert nothing.tables == ()


def test_a_single_treebank_has_a_line_for_each_construction() -> None:
    agreeing, other = held(1, 2.0, clear=True), held(1, -2)
    expected = "case: the trees alone let us expect UD +1.0 (−1.0 to 3.0) (probability 84 %). The result, "
    lines = (
        f"{expected}UD +2.0, favours the same side. It is within the range that we expected.",
        f"{expected}alt. +2.0, favours the other side, but not clearly. It is outside the range that we "
        "expected.",
    )
    assert agreement_section([agreeing, other]).sentences == lines
    assert agreement_section([agreeing, other], ["punct"]).sentences[2:] == (
        "The model does not know punct.",
    )
    first, *_ = agreement_section([held(1, 2, is_fitted=True)]).sentences
    assert first.startswith("The model was fitted to results of this treebank")


@pytest.mark.parametrize(("measured", "is_covered"), [(3.18, True), (3.20, False), (-1.18, True)])
def test_the_range_of_a_result_allows_for_its_error(measured: float, is_covered: bool) -> None:
    """1.96 standard deviations of sqrt(1 + 0.5^2) around 1."""
    assert held(1, measured).is_covered is is_covered


def test_the_summary_counts_sides_and_sure_ones(made_model: ExpectationModel) -> None:
    pairs = [held(2, 1).pair, held(0.5, 1, number=1).pair, held(-2, 1, number=2).pair]
    section = expectations_section(pairs, made_model)
    (row,) = section.tables[0].rows
    assert list(map(str, row)) == ["case", "3", "2", "1", "1", "1", "UD +0.2", "yes"]
    details = expectations_section(pairs, made_model, details=True)
    assert [len(table.rows) for table in details.tables] == [1, 3]


def test_a_stored_model_expects_as_before_it_was_stored(made_model: ExpectationModel) -> None:
    properties = Properties(50, *np.linspace(-1, 1, len(NAMES)).tolist())
    again = ExpectationModel.from_bytes(made_model.as_bytes())
    for before, after in zip(made_model.constructions, again.constructions, strict=True):
        for family in ("family 3", "unknown"):
            assert after.expect(properties, family) == before.expect(properties, family)
            fitted = before.by_properties.restore()
            mean, variance = fitted.predict(as_floats(properties), family)
            assert before.expect(properties, family).by_properties == Expectation(mean, variance)


def test_a_stored_fit_predicts_as_the_fit_up_to_rounding() -> None:
    random = np.random.default_rng(5)
    families = [f"family {number % 6}" for number in range(18)]
    of_family = random.normal(size=6)[np.arange(18) % 6]
    measured = Measurements(of_family, np.full(18, 0.1), random.normal(size=(18, 3)), families)
    fit = fit_model(measured)
    assert fit.variances.families > 2 * fit.variances.treebanks
    for family in ("family 3", "unknown"):
        point = np.array([0.3, -1.0, 2.0])
        again = StoredFit.of(fit).restore().predict(point, family)
        assert again == pytest.approx(fit.predict(point, family), rel=1e-2, abs=1e-3)


def test_an_expectation_is_a_normal_distribution() -> None:
    found = Expectation(1.0, 4.0)
    assert found.probability == pytest.approx(NormalDist(1, 2).cdf(1 + 1))
    assert found.interval == pytest.approx((1 - 1.959964 * 2, 1 + 1.959964 * 2))
    assert (found.side, Expectation(-0.1, 1.0).side) == (Side.FIRST, Side.SECOND)

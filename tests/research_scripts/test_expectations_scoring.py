"""Expectations against results: counted by hand, and by slow twins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from learnability.errors import InputError
from learnability.evidence.score_differences import Difference
from learnability.statistics.inference import Side
from research.decides.expecting import (
    ExpectedPair,
    PairName,
    hold_against,
    read_expectations,
    write_expectations,
)
from research.decides.fitting import Measurements, fit_mean, fit_model
from research.decides.model import (
    ConstructionModel,
    Expectation,
    ExpectationModel,
    Expectations,
    StoredFit,
    as_floats,
)
from research.decides.properties import NAMES, Properties
from research.decides.scoring import Judged, explained_share, mean_over_families


def construction_model(construction: str, mean: float, seed: int) -> ConstructionModel:
    random = np.random.default_rng(seed)
    properties = random.normal(size=(20, len(NAMES)))
    differences = mean + 0.3 * random.normal(size=20) + 0.5 * properties[:, 1]
    families = [f"family {number % 10}" for number in range(20)]
    measured = Measurements(differences, np.full(20, 0.2), properties, families)
    return ConstructionModel(
        construction=construction,
        treebanks=20,
        families=10,
        explained=0.5,
        explained_low=0.2 if mean > 0 else -0.2,
        explained_high=0.7,
        by_properties=StoredFit.of(fit_model(measured)),
        alone=StoredFit.of(fit_mean(measured)),
    )


@pytest.fixture(scope="session")
def made_model() -> ExpectationModel:
    return ExpectationModel(
        date="2026-01-02",
        release="2.16",
        command="python fit",
        parser="arc-eager",
        properties=list(NAMES),
        treebanks=["UD_Known"],
        constructions=[construction_model("case", 1.5, 1), construction_model("det", -1.5, 2)],
    )


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


def held(expected: float, measured: float, *, number: int, is_fitted: bool = False) -> Any:
    name = PairName(f"UD_{number}", "2.16", "case", "")
    expectations = Expectations(Expectation(expected, 1.0), Expectation(1.0, 1.0))
    pair = ExpectedPair(name, f"family {number}", is_fitted, expectations)
    return pair, Difference(80.0, 80.0 - measured, measured, error=0.5, p_value=0.5, better=Side.NONE)


def test_treebanks_that_the_model_knows_do_not_count() -> None:
    pairs = [held(1, 2, number=0), held(-1, 3, number=1), held(1, -2, number=2, is_fitted=True)]
    found = hold_against([pair for pair, _ in pairs], {pair.name: measured for pair, measured in pairs})
    assert list(found) == ["case"]
    assert found["case"]["properties"].hits().tolist() == [1, 0]
    assert found["case"]["mean"].hits().tolist() == [1, 1]
    assert found["case"]["properties"].measured.tolist() == [2, 3]
    assert found["case"]["properties"].families == ["family 0", "family 1"]


def test_expectations_are_read_as_they_were_written(tmp_path: Path) -> None:
    few = ExpectedPair(PairName("UD_9", "2.16", "cop", "content"), "family 9", False, None)
    pairs = [held(1.25, 2, number=0)[0], held(-1, 3, number=1, is_fitted=True)[0], few]
    path = tmp_path / "expectations.csv"
    write_expectations(path, pairs)
    assert read_expectations(path) == pairs
    assert path.read_text().splitlines()[1] == "UD_0,2.16,case,,family 0,,0.89435,1.25,1,1,1"
    path.write_text(path.read_text().replace("expected_error", "error"))
    with pytest.raises(InputError, match="other columns"):
        read_expectations(path)


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

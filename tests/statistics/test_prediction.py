"""Predictions against the same calculations done slowly: sums over a grid of differences, draws, and rows."""

from __future__ import annotations

from dataclasses import replace
from math import exp, sqrt

import numpy as np
import pytest

from learnability.statistics.prediction import (
    Belief,
    Constants,
    Measured,
    OtherParser,
    Trial,
    after_trials,
    find_prior,
    in_other_languages,
)
from learnability.studies.predict.study import ROUNDS
from learnability.transforms.registry import PAPER
from research.predictions.sooner import measured_before

CONSTANTS = Constants({1 / 8: 0.5, 1 / 4: 0.8}, {1 / 8: 2.0, 1 / 4: 1.0}, 1.5, 0.7, OtherParser(0.8, 0.4))
KNOWN = tuple(
    Measured(language, "case", difference, 0.4, changed)
    for language, difference, changed in (
        ("Greek", 1.0, 0.25), ("Irish", 2.0, 0.16), ("Tamil", 0.5, 0.09), ("Czech", -3.0, 0.3),
    )
)  # fmt: skip


def density(x: float, mean: float, variance: float) -> float:
    return exp(-((x - mean) ** 2) / (2 * variance)) / sqrt(variance)


def test_evidence_adds_up_as_bayes_has_it() -> None:
    before, changed = Belief(0.7, 1.3), 0.2
    trials = [Trial(1 / 8, 9.0, 0.3), Trial(1 / 4, 2.0, 0.5), Trial(1 / 4, 1.0, 0.7)]
    after = after_trials(before, trials, changed, CONSTANTS)
    grid = np.linspace(-15, 15, 20001)
    noise = 1.5 * (0.5**2 + 0.7**2) / 2 / 2
    # slope * the mean of the larger trials is an estimate of the difference; the smaller trial is not used
    weights = [density(x, 0.7, 1.3) * density(x, 0.8 * 1.5, 0.64 * noise + 1.0 * changed) for x in grid]
    mean = float(np.average(grid, weights=weights))
    assert after.mean == pytest.approx(mean, abs=1e-6)
    assert after.variance == pytest.approx(float(np.average((grid - mean) ** 2, weights=weights)), abs=1e-6)


def test_a_larger_share_takes_the_place_of_the_smaller() -> None:
    small, large = Trial(1 / 8, -4.0, 0.3), Trial(1 / 4, 2.0, 0.5)
    both = after_trials(Belief(0, 1), [small, large], 0.1, CONSTANTS)
    assert both == after_trials(Belief(0, 1), [large], 0.1, CONSTANTS)
    assert both != after_trials(Belief(0, 1), [small], 0.1, CONSTANTS)


def test_the_probability_is_that_of_measuring_a_difference_above_zero() -> None:
    belief = Belief(0.4, 0.5)
    rng = np.random.default_rng(3)
    true = rng.normal(belief.mean, sqrt(belief.variance), 400_000)
    assert belief.probability(0.6) == pytest.approx(
        (true + rng.normal(0, 0.6, 400_000) > 0).mean(), abs=0.004
    )
    assert belief.probability(0.6) < belief.probability(0.1)


def test_another_parser_is_less_certain() -> None:
    belief = Belief(2.0, 0.25)
    other = belief.of_another_parser(CONSTANTS)
    rng = np.random.default_rng(4)
    drawn = 0.8 * rng.normal(2.0, 0.5, 400_000) + rng.normal(0, 0.4, 400_000)
    assert (other.mean, other.variance) == pytest.approx((drawn.mean(), drawn.var()), abs=0.005)
    assert other.probability(0.5) < belief.probability(0.5)


def test_the_own_language_says_nothing() -> None:
    changed = [replace(one, difference=-50.0) if one.language == "Greek" else one for one in KNOWN]
    assert find_prior("case", "Greek", 0.2, KNOWN) == find_prior("case", "Greek", 0.2, changed)
    assert find_prior("case", "Irish", 0.2, KNOWN) != find_prior("case", "Irish", 0.2, changed)


def test_what_other_languages_say_grows_with_the_root_of_the_changed_share() -> None:
    one, four = (find_prior("case", "Greek", changed, KNOWN) for changed in (0.05, 0.2))
    assert four.mean == pytest.approx(2 * one.mean)
    assert four.variance == pytest.approx(4 * one.variance)
    # with the same difference everywhere, and no error, it is that difference
    same = [replace(own, difference=3 * sqrt(own.changed), error=1e-6) for own in KNOWN]
    assert find_prior("case", "Greek", 0.09, same).mean == pytest.approx(0.9)


@pytest.mark.parametrize("transform", ["det", "scheme:all", "case:lemma=of"])
def test_what_was_not_measured_may_go_either_way(transform: str) -> None:
    belief = find_prior(transform, "Greek", 0.1, KNOWN)
    squares = [own.difference**2 / own.changed for own in KNOWN if own.language != "Greek"]
    assert (belief.mean, belief.variance) == (0, pytest.approx(0.1 * sum(squares) / 3))


def test_two_languages_are_not_enough() -> None:
    assert find_prior("case", "Greek", 0.1, KNOWN).mean != 0
    assert find_prior("case", "Greek", 0.1, KNOWN[:3]).mean == 0


def test_the_data_that_come_with_the_package() -> None:
    known, constants = measured_before(), Constants.load_shipped()
    assert {one.transform for one in known} == set(PAPER)
    assert len({one.language for one in known}) == 38
    assert all(one.error > 0 and 0 < one.changed < 1 and abs(one.difference) < 10 for one in known)
    assert set(constants.slope) == set(constants.deviation) == {share for share, _ in ROUNDS}
    assert all(0 < value < 2 for value in constants.slope.values())


def test_what_is_pooled_beforehand_is_what_pooling_gives() -> None:
    """Each language with a fifth of the transformations, and each transformation without a language."""
    known = measured_before()
    languages = sorted({result.language for result in known})
    for number, transform in enumerate(("", *sorted({result.transform for result in known}))):
        for language in ("", *languages[number % 5 :: 5]):
            expected = find_prior(transform, language, 0.25, known)
            found = in_other_languages(transform, language, 0.25)
            assert found.mean == pytest.approx(expected.mean, rel=1e-9)
            assert found.variance == pytest.approx(expected.variance, rel=1e-9)
    assert in_other_languages("case", "Klingon", 0.1) == in_other_languages("case", "", 0.1)
    assert in_other_languages("no-such-rule", "Irish", 0.1) == in_other_languages("", "Irish", 0.1)
    assert in_other_languages("case", "Irish", 0.1) != in_other_languages("case", "", 0.1)

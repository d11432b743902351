"""Predictions against the same calculations done slowly: sums over a grid of differences, draws, and rows."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest

from learnability.statistics.prediction import (
    Belief,
    Constants,
    OtherParser,
    Trial,
    in_other_languages,
    predict_run,
)
from learnability.transforms.registry import PAPER
from research.predictions.elsewhere import find_prior, measured_before

CONSTANTS = Constants(0.8, 1.0, 1.5, 0.7, OtherParser(0.8, 0.4))


def density(x: float, mean: float, variance: float) -> float:
    return exp(-((x - mean) ** 2) / (2 * variance)) / sqrt(variance)


def test_evidence_adds_up_as_bayes_has_it() -> None:
    changed = 0.2
    after = predict_run([Trial(2.0, 0.5), Trial(1.0, 0.7)], changed, CONSTANTS)
    grid = np.linspace(-15, 15, 20001)
    noise = 1.5 * (0.5**2 + 0.7**2) / 2 / 2
    before = changed * np.mean([one.difference**2 / one.changed for one in measured_before()])
    weights = [density(x, 0, before) * density(x, 0.8 * 1.5, 0.64 * noise + 1.0 * changed) for x in grid]
    mean = float(np.average(grid, weights=weights))
    assert after.mean == pytest.approx(mean, abs=1e-6)
    assert after.variance == pytest.approx(float(np.average((grid - mean) ** 2, weights=weights)), abs=1e-6)


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


def test_the_data_that_come_with_the_package() -> None:
    known, constants = measured_before(), Constants.load_shipped()
    assert {one.transform for one in known} == set(PAPER)
    assert len({one.language for one in known}) == 38
    assert all(one.error > 0 and 0 < one.changed < 1 and abs(one.difference) < 10 for one in known)
    assert 0 < constants.slope < 2


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

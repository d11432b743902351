"""Random-effects means against their formulas, solved by bisection."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from learnability.errors import InputError
from learnability.statistics.meta_analysis import (
    FEWEST_FOR_PREDICTION,
    false_discovery_rates,
    p_of_groups,
    random_effects,
    shrunken,
)


def twin(y: list[float], s: list[float]) -> tuple[float, float, float]:
    """Mean, its standard error and tau: Paule and Mandel's equation by bisection, in plain Python."""

    def at(tau2: float) -> tuple[float, float, float]:
        weights = [1 / (error**2 + tau2) for error in s]
        mean = sum(w * value for w, value in zip(weights, y, strict=True)) / sum(weights)
        q = sum(w * (value - mean) ** 2 for w, value in zip(weights, y, strict=True))
        return mean, sqrt(1 / sum(weights)), q

    low, high = 0.0, 1e4
    if at(0.0)[2] > len(y) - 1:
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if at(middle)[2] > len(y) - 1 else (low, middle)
    return (*at(low)[:2], sqrt(low))


@pytest.mark.parametrize("seed", range(30))
def test_against_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 30))
    errors = list(10 ** rng.uniform(-1.5, 0.5, count))
    values = list(rng.normal(0.5, 10 ** rng.uniform(-2, 0.5), count) + errors * rng.normal(size=count))
    found, (mean, error, tau) = random_effects(values, errors), twin(values, errors)
    assert found.mean == pytest.approx(mean, abs=1e-4)
    assert found.error == pytest.approx(error, rel=1e-4)
    assert found.tau == pytest.approx(tau, abs=1e-3)
    t = stats.t(count - 1)
    assert (found.low, found.high) == pytest.approx(
        (found.mean - t.ppf(0.975) * found.error, found.mean + t.ppf(0.975) * found.error)
    )
    assert found.p_value == pytest.approx(2 * t.sf(abs(found.mean) / found.error))
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
    assert found.p_equal == pytest.approx(min(1, 2 * t.sf((0.5 - abs(found.mean)) / found.error)))
    weights = [1 / one**2 for one in errors]
    q = sum(w * (v - np.average(values, weights=weights)) ** 2 for w, v in zip(weights, values, strict=True))
    assert found.i2 == pytest.approx(max(0, 1 - (count - 1) / q))
    assert found.p_homogeneous == pytest.approx(stats.chi2.sf(q, count - 1))
    if count >= FEWEST_FOR_PREDICTION:
        half = stats.t(count - 2).ppf(0.975) * sqrt(found.tau**2 + found.error**2)
        assert (found.expected_low, found.expected_high) == pytest.approx(
            (found.mean - half, found.mean + half)
        )
    else:
        assert found.expected_low is found.expected_high is None


def test_few_treebanks_say_nothing_about_another_one() -> None:
    """With three treebanks that differ by 3 points, the prediction interval would be 43 points wide."""
    values, errors = [-1.0, 0.5, 2.0, 1.0, 0.0], [0.3] * 5
    for count in (2, 3, 4):
        found = random_effects(values[:count], errors[:count])
        assert found.expected_low is found.expected_high is None
    found = random_effects(values, errors)
    assert found.expected_low is not None
    assert found.expected_high is not None
    assert found.expected_high - found.expected_low < 10


def test_equal_values_have_no_spread_and_the_interval_of_their_errors() -> None:
    found = random_effects([1.2, 1.2, 1.2], [0.3, 0.3, 0.3])
    assert (found.mean, found.tau, found.i2, found.p_homogeneous) == (pytest.approx(1.2), 0, 0, 1)
    assert found.high - found.mean == pytest.approx(stats.t(2).ppf(0.975) * 0.3 / sqrt(3))


def test_groups_against_an_analysis_of_variance() -> None:
    """With equal errors all weights are equal."""
    groups = {"a": [1.0, 2.0, 1.5], "b": [4.0, 3.0], "c": [0.5]}
    values = [value for own in groups.values() for value in own]
    names = [name for name, own in groups.items() for _ in own]
    expected = stats.f_oneway(*groups.values()).pvalue
    assert p_of_groups(values, [0.4] * 6, names) == pytest.approx(expected)
    weighed = p_of_groups(values, [0.1, 0.4, 2, 0.4, 0.4, 0.4], names)
    assert weighed is not None
    assert weighed != pytest.approx(expected)


@pytest.mark.parametrize("names", ["aaa", "abc"])
def test_no_p_for_one_group_or_for_none_of_several(names: str) -> None:
    assert p_of_groups([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], list(names)) is None
    assert p_of_groups([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], list("aab")) is None


@pytest.mark.parametrize(
    ("values", "errors"),
    [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, 2.0], [1.0, 0.0]), ([1.0, np.nan], [1, 1])],
)
def test_what_cannot_be_averaged(values: list[float], errors: list[float]) -> None:
    with pytest.raises(InputError, match=r"pass two or more of each|is not finite"):
        random_effects(values, errors)


@pytest.mark.slow
def test_estimates_given_all_are_those_of_a_fine_grid() -> None:
    """The posterior of a treebank's difference, by brute force over mean and tau."""
    values, errors = [2.0, -1.0, 0.5, 4.0], [0.5, 1.0, 2.0, 0.8]
    tau, mean = np.meshgrid(np.linspace(1e-4, 60, 3000), np.linspace(-40, 40, 1601), indexing="ij")
    density = np.ones_like(tau)
    for value, error in zip(values, errors, strict=True):
        density *= stats.norm.pdf(value, mean, np.sqrt(tau**2 + error**2))
    density /= density.sum()
    for i, estimate in enumerate(shrunken(values, errors)):
        own = tau**2 / (tau**2 + errors[i] ** 2)
        center, spread = own * values[i] + (1 - own) * mean, np.sqrt(own) * errors[i]

        def below(value: float, center: Any = center, spread: Any = spread) -> float:
            return float((density * stats.norm.cdf(value, center, spread)).sum())

        assert estimate.delta == pytest.approx((density * center).sum(), abs=0.02)
        assert (density * stats.norm.cdf(estimate.low, center, spread)).sum() == pytest.approx(
            0.025, abs=2e-3
        )
        assert (density * stats.norm.cdf(estimate.high, center, spread)).sum() == pytest.approx(
            0.975, abs=2e-3
        )


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.0, 0.5, 2.0])
def test_intervals_given_all_cover_as_often_as_they_say(tau: float) -> None:
    generator = np.random.default_rng(5)
    covered, trials, count = 0, 150, 10
    squares_before = squares_after = 0.0
    for _ in range(trials):
        errors = 0.6 * np.exp(0.4 * generator.normal(size=count))
        truth = 0.5 + tau * generator.normal(size=count)
        measured = truth + errors * generator.normal(size=count)
        found = shrunken(measured.tolist(), errors.tolist())
        covered += sum(each.low <= true <= each.high for each, true in zip(found, truth, strict=True))
        squares_before += float(np.square(measured - truth).sum())
        squares_after += float(np.square([each.delta for each in found] - truth).sum())
    assert 0.93 <= covered / (trials * count) <= (1.0 if tau < 0.5 else 0.97)
    assert squares_after < squares_before


def test_a_mean_is_borrowed_from_others_where_little_was_measured() -> None:
    *_, little = shrunken([1.0, 1.1, 0.9, 5.0], [0.1, 0.1, 0.1, 4.0])
    assert 0.8 < little.delta < 2.0
    much, *_ = shrunken([5.0, 1.0, 1.1, 0.9], [0.1, 4.0, 4.0, 4.0])
    assert much.delta == pytest.approx(5.0, abs=0.1)
    with pytest.raises(InputError, match="three treebanks or more"):
        shrunken([1.0, 2.0], [0.1, 0.1])


def test_false_discovery_rates_are_those_of_the_definition() -> None:
    p_values = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.9]
    ranked = [p * len(p_values) / rank for rank, p in enumerate(p_values, start=1)]
    expected = [min(ranked[i:]) for i in range(len(ranked))]
    assert false_discovery_rates(p_values) == pytest.approx(expected)
    assert false_discovery_rates(p_values[::-1]) == pytest.approx(expected[::-1])
    assert false_discovery_rates([]) == []
    with pytest.raises(InputError, match="outside"):
        false_discovery_rates([1.2])

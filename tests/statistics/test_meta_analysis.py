"""Random-effects means against their formulas, solved by bisection."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from learnability.errors import InputError
from learnability.statistics.meta_analysis import p_of_groups, random_effects


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
    if count > 2:
        half = stats.t(count - 2).ppf(0.975) * sqrt(found.tau**2 + found.error**2)
        assert (found.expected_low, found.expected_high) == pytest.approx(
            (found.mean - half, found.mean + half)
        )
    else:
        assert found.expected_low is found.expected_high is None


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
    with pytest.raises(InputError, match=r"give two or more of each|is not finite"):
        random_effects(values, errors)

"""Means over treebanks in languages, against matrices of covariances and equations solved by bisection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from learnability.errors import InputError
from learnability.statistics.meta_analysis import (
    FEWEST,
    RandomEffects,
    can_be_averaged,
    false_discovery_rates,
)
from learnability.treebanks.families import Origin
from research.predictions.elsewhere import difference_elsewhere

Matrix = NDArray[np.float64]


def alone(count: int) -> list[Origin]:
    """Return origins of treebanks with a language and a family of their own."""
    return [Origin(f"language {i}", f"family {i}") for i in range(count)]


def of_languages(names: Sequence[str]) -> list[Origin]:
    """Return origins of treebanks of these languages, each a family of its own."""
    return [Origin(name, name) for name in names]


def drawn(seed: int) -> tuple[list[float], list[float], list[Origin]]:
    """Return differences, errors and origins of some treebanks, with three levels for half of the seeds."""
    rng = np.random.default_rng(seed)
    families = [[1, 2, 4, 5, 8, 12][seed % 6]] * int(rng.integers(3, 25))
    origins = []
    for i, count in enumerate(families):
        family = f"family {i if i < count else rng.integers(count)}"
        origins += [Origin(f"language {i}", family)] * int(rng.integers(1, 5))
    effects = {name: rng.normal(0.0, 10 ** rng.uniform(-2, 0.5)) for origin in origins for name in origin}
    errors = [float(10 ** rng.uniform(-1.5, 0.3)) for _ in origins]
    spread = 10 ** rng.uniform(-2, 0.3)
    values = [
        float(sum(effects[name] for name in origin) + spread * rng.normal() + error * rng.normal())
        for origin, error in zip(origins, errors, strict=True)
    ]
    return values, errors, origins


def bisected(falls: Callable[[float], float]) -> float:
    """Return where a falling function is 0; 0 if it is below at 0 already."""
    low, high = 0.0, 1e4
    if falls(low) <= 0:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) > 0 else (low, middle)
    return low


def groups_of(units: list[str], group_of: dict[str, str]) -> list[list[int]]:
    """Return the numbers of the units of each group."""
    names = list(dict.fromkeys(group_of[unit] for unit in units))
    return [[i for i, unit in enumerate(units) if group_of[unit] == name] for name in names]


def pooled(
    groups: list[list[int]], values: list[float], variances: list[float], between: float
) -> list[tuple[float, float, float]]:
    """Return the mean of each group, its variance, and the weighted squared deviations from it."""
    of_groups = []
    for group in groups:
        weights = [1 / (variances[i] + between) for i in group]
        mean = sum(w * values[i] for w, i in zip(weights, group, strict=True)) / sum(weights)
        squares = sum(w * (values[i] - mean) ** 2 for w, i in zip(weights, group, strict=True))
        of_groups.append((mean, 1 / sum(weights), squares))
    return of_groups


def twin(y: list[float], s: list[float], origins: list[Origin]) -> tuple[float, float, dict[str, float]]:
    """Return the mean, its standard error and the variances of the levels, in plain Python."""
    units = [f"treebank {i}" for i in range(len(y))]
    languages = list(dict.fromkeys(origin.language for origin in origins))
    family_of = {origin.language: origin.family for origin in origins}
    families = list(dict.fromkeys(family_of.values()))
    chain = []
    if len(languages) > 1:
        of_treebanks = {unit: origin.language for unit, origin in zip(units, origins, strict=True)}
        chain.append(("treebanks", groups_of(units, of_treebanks)))
        chain.append(
            (
                "languages",
                groups_of(languages, family_of) if len(families) >= 5 else [[*range(len(languages))]],
            )
        )
        if len(families) >= 5:
            chain.append(("families", [list(range(len(families)))]))
    else:
        chain.append(("treebanks", [list(range(len(y)))]))
    values, variances, found = list(y), [error**2 for error in s], {}
    for name, groups in chain:
        rest = len(values) - len(groups)

        def too_much(
            between: float, groups: Any = groups, level: Any = (values, variances), rest: int = rest
        ) -> float:
            return sum(squares for *_, squares in pooled(groups, level[0], level[1], between)) - rest

        found[name] = bisected(too_much) if rest else 0.0
        of_level = pooled(groups, values, variances, found[name])
        values, variances = [mean for mean, _, _ in of_level], [variance for _, variance, _ in of_level]
    return values[0], sqrt(variances[0]), found


def same(names: list[str]) -> Matrix:
    """Return 1 where two treebanks have the same name, else 0."""
    return np.array([[float(first == second) for second in names] for first in names])


def covariances(origins: list[Origin], variances: Mapping[str, float]) -> Matrix:
    """Return the covariances of the true differences."""
    found = variances.get("treebanks", 0.0) * np.eye(len(origins))
    found = found + variances.get("languages", 0.0) * same([origin.language for origin in origins])
    return found + variances.get("families", 0.0) * same([origin.family for origin in origins])


@pytest.mark.parametrize("seed", range(36))
def test_against_the_twin(seed: int) -> None:
    values, errors, origins = drawn(seed)
    found, (mean, error, variances) = (
        RandomEffects.combine(values, errors, origins),
        twin(values, errors, origins),
    )
    languages, families = ({origin[i] for origin in origins} for i in (0, 1))
    assert (found.treebanks, found.languages, found.families) == (len(values), len(languages), len(families))
    assert found.mean == pytest.approx(mean, abs=1e-6)
    assert found.error == pytest.approx(error, rel=1e-6)
    assert found.tau == pytest.approx(sqrt(sum(variances.values())), abs=1e-4)
    if len(values) > len(languages):
        assert found.tau_language == pytest.approx(sqrt(variances["treebanks"]), abs=1e-4)
    counted = families if 5 <= len(families) < len(languages) else languages
    if counted is families:
        assert found.tau_family == pytest.approx(sqrt(variances["families"]), abs=1e-4)
    else:
        assert found.tau_family is None
    inverse = np.linalg.inv(np.diag(np.square(errors)) + covariances(origins, variances))
    assert mean == pytest.approx((inverse @ values).sum() / inverse.sum(), abs=1e-6)
    assert error == pytest.approx(inverse.sum() ** -0.5, rel=1e-6)
    t = stats.t(len(counted) - 1)
    assert (found.low, found.high) == pytest.approx(
        (found.mean - t.ppf(0.975) * found.error, found.mean + t.ppf(0.975) * found.error)
    )
    assert found.p_value == pytest.approx(2 * t.sf(abs(found.mean) / found.error))
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
    weights = [1 / one**2 for one in errors]
    q = sum(w * (v - np.average(values, weights=weights)) ** 2 for w, v in zip(weights, values, strict=True))
    assert found.i2 == pytest.approx(max(0, 1 - (len(values) - 1) / q))
    assert found.p_homogeneous == pytest.approx(stats.chi2.sf(q, len(values) - 1))
    assert (found.expected_low is None) == (len(languages) < FEWEST)


@pytest.mark.parametrize("seed", range(10))
def test_languages_with_one_treebank_each_are_an_ordinary_meta_analysis(seed: int) -> None:
    from statsmodels.stats.meta_analysis import combine_effects

    values, errors, _ = drawn(seed)
    found = RandomEffects.combine(values, errors, alone(len(values)))
    combined = combine_effects(np.array(values), np.square(errors), method_re="iterated", use_t=True)
    assert found.mean == pytest.approx(float(combined.mean_effect_re), abs=1e-4)
    assert found.error == pytest.approx(float(combined.sd_eff_w_re), rel=1e-3)
    assert found.tau == pytest.approx(sqrt(float(combined.tau2)), abs=1e-3)
    assert found.p_homogeneous == pytest.approx(float(combined.test_homogeneity().pvalue))


def test_treebanks_of_one_language_are_what_counts_where_there_is_no_other() -> None:
    values, errors = [1.0, 2.0, 0.5, 1.5, 3.0], [0.3, 0.2, 0.4, 0.3, 0.5]
    latin = [Origin("Latin", "Italic")] * 5
    one, several = (RandomEffects.combine(values, errors, origins) for origins in (latin, alone(5)))
    assert one == replace(several, languages=1, families=1)


def test_few_languages_say_nothing_about_another_one() -> None:
    """With three languages that differ by 3 points, the prediction interval would be 43 points wide."""
    values, errors = [-1.0, 0.5, 2.0, 1.0, 0.0], [0.3] * 5
    for languages in ("aabcd", "abcab"):
        found = RandomEffects.combine(values, errors, of_languages(languages))
        assert not can_be_averaged(of_languages(languages))
        assert found.expected_low is found.expected_high is None
    found = RandomEffects.combine(values, errors, alone(5))
    assert found.expected_low is not None
    assert found.expected_high is not None
    assert found.expected_high - found.expected_low < 10


def test_equal_values_have_no_spread_and_the_interval_of_their_errors() -> None:
    found = RandomEffects.combine([1.2, 1.2, 1.2], [0.3, 0.3, 0.3], alone(3))
    assert found.mean == pytest.approx(1.2)
    assert (found.tau, found.i2, found.p_homogeneous) == (0, 0, 1)
    assert found.high - found.mean == pytest.approx(stats.t(2).ppf(0.975) * 0.3 / sqrt(3))


@pytest.mark.parametrize(
    ("values", "errors", "languages"),
    [
        ([1.0], [1.0], ["a"]),
        ([1.0, 2.0], [1.0], ["a", "b"]),
        ([1.0, 2.0], [1.0, 1.0], ["a"]),
        ([1.0, 2.0], [1.0, 0.0], ["a", "b"]),
        ([1.0, np.nan], [1, 1], ["a", "b"]),
    ],
)
def test_what_cannot_be_averaged(values: list[float], errors: list[float], languages: list[str]) -> None:
    with pytest.raises(InputError, match=r"pass two or more of each|is not finite"):
        RandomEffects.combine(values, errors, of_languages(languages))


def posterior_twin(
    values: list[float], errors: list[float], origins: list[Origin], names: list[str]
) -> tuple[Matrix, Matrix, Matrix]:
    """Return what follows by matrices of covariances from many variances, and how probable these are.

    These are the density, and the centre and spread of a treebank in a further family; `names`: the levels
    that can be told apart.
    """
    ones, taus = np.ones(len(values)), np.linspace(1e-3, 1, 100) ** 2 * 60
    steps = range(12)
    shares: list[tuple[float, ...]] = [(1.0,)]
    if len(names) == 2:
        shares = [((i + 1 / 2) / 12, (11 - i + 1 / 2) / 12) for i in steps]
    elif len(names) == 3:
        thirds = [(i, j, 11 - i - j) for i in steps for j in steps if i + j < 12]
        shares = [((i + 1 / 3) / 12, (j + 1 / 3) / 12, (k + 1 / 3) / 12) for i, j, k in thirds]
    fits, expected, reach = [], [], []
    for tau in taus:
        for share in shares:
            true = covariances(origins, dict(zip(names, tau**2 * np.array(share), strict=True)))
            covariance = np.diag(np.square(errors)) + true
            inverse = np.linalg.inv(covariance)
            precision = ones @ inverse @ ones
            mean = ones @ inverse @ values / precision
            rest = np.array(values) - mean
            fits.append(-0.5 * (np.linalg.slogdet(covariance)[1] + np.log(precision) + rest @ inverse @ rest))
            expected.append(mean)
            reach.append(sqrt(tau**2 + 1 / precision))
    density = np.exp(np.array(fits) - max(fits)) * np.repeat(np.gradient(taus), len(shares))
    return density / density.sum(), np.array(expected), np.array(reach)


@pytest.mark.parametrize(
    ("languages", "families", "names"),
    [
        ("abcdefg", "ABCDEFG", ["languages"]),
        ("abcdefg", "AAAABBB", ["languages"]),
        ("aabbcde", "ABCDE", ["treebanks", "languages"]),
        ("aaaaaaa", "A", ["treebanks"]),
        ("abcdefg", "AABBCDE", ["languages", "families"]),
        ("aabcdef", "AABCDE", ["treebanks", "languages", "families"]),
    ],
)
def test_predictions_are_those_of_a_fine_grid(languages: str, families: str, names: list[str]) -> None:
    values, errors = [2.0, -1.0, 0.5, 4.0, 1.0, 0.0, 2.5], [0.5, 1.0, 2.0, 0.8, 0.3, 0.6, 0.4]
    family_of = dict(zip(dict.fromkeys(languages), families, strict=True))
    origins = [Origin(language, family_of[language]) for language in languages]
    density, expected, reach = posterior_twin(values, errors, origins, names)

    def below(value: float, center: Any, spread: Any) -> float:
        return float((density * stats.norm.cdf(value, center, spread)).sum())

    found = RandomEffects.combine(values, errors, origins)
    assert found.expected_low is not None
    assert found.expected_high is not None
    assert below(found.expected_low, expected, reach) == pytest.approx(0.025, abs=3e-3)
    assert below(found.expected_high, expected, reach) == pytest.approx(0.975, abs=3e-3)
    mean, deviation = difference_elsewhere(values, errors, origins)
    assert mean == pytest.approx(density @ expected, abs=0.02)
    low, high = (bisected(lambda v, p=p: p - below(v - 50, expected, reach)) - 50 for p in (0.1587, 0.8413))
    assert deviation == pytest.approx((high - low) / 2, rel=0.03)


def test_false_discovery_rates_are_those_of_the_definition() -> None:
    p_values = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.9]
    ranked = [p * len(p_values) / rank for rank, p in enumerate(p_values, start=1)]
    expected = [min(ranked[i:]) for i in range(len(ranked))]
    assert false_discovery_rates(p_values) == pytest.approx(expected)
    assert false_discovery_rates(p_values[::-1]) == pytest.approx(expected[::-1])
    assert false_discovery_rates([]) == []
    with pytest.raises(InputError, match="outside"):
        false_discovery_rates([1.2])

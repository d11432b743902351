"""One model of seeds and sentences: against its definition, by hand, and on data whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats
from support.clusters import text_variance_of_twin

from learnability.errors import InputError
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import interval, side, winner
from learnability.statistics.significance import compare
from learnability.statistics.spread import (
    MODEL_DEGREES,
    RESIDUAL_SHARE,
    SEED_DEGREES,
    SEED_RATIO,
    UNSURE_DEGREES,
    scale_seed_ratio,
)

Counts = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Right tokens of (a) and (b), [seeds, sentences], and all tokens, [sentences]."""


@dataclass(frozen=True)
class Terms:
    """What the docstring of `statistics.significance` defines, by loops: z, then the two terms."""

    delta: float
    sentences: float  # S times the first term
    seeds: float
    error: float
    degrees: float

    @classmethod
    def of(
        cls, a: NDArray[np.int64], b: NDArray[np.int64], total: NDArray[np.int64], ratio: float = SEED_RATIO
    ) -> Terms:
        k, s = a.shape
        prior = SEED_DEGREES if ratio == SEED_RATIO else UNSURE_DEGREES
        delta = 100 / k * sum(float(a[i, j] - b[i, j]) for i in range(k) for j in range(s)) / total.sum()
        mean = fmean(total.tolist())
        z = [[(100 * float(a[i, j] - b[i, j]) - delta * total[j]) / mean for j in range(s)] for i in range(k)]
        of_sentence = [fmean(z[i][j] for i in range(k)) for j in range(s)]
        of_seed = [fmean(row) for row in z]
        first, sentence_degrees = text_variance_of_twin(
            [fmean(float(a[i, j] - b[i, j]) for i in range(k)) for j in range(s)], total.tolist()
        )
        sentences = s * first
        if k == 1:
            seed = ratio * RESIDUAL_SHARE * variance(of_sentence) / s
        else:
            squares = [
                (z[i][j] - of_sentence[j] - of_seed[i] + fmean(of_seed)) ** 2
                for i in range(k)
                for j in range(s)
            ]
            residual = sum(squares) / ((k - 1) * (s - 1))
            measured = variance(of_seed) - residual / s
            known = ratio * residual / s
            seed = max(0.0, (prior * known + (k - 1) * measured) / (prior + k - 1))
        second = seed / k
        deviation = first / sqrt(sentence_degrees) + second / sqrt(prior + k - 1)
        degrees = ((first + second) / deviation) ** 2 if first + second >= 1e-18 else sentence_degrees
        if first == inf:  # all tokens are in one cluster
            degrees = 1.0
        error = max(sqrt(max(0.0, first + second)), 100 / float(total.sum()))  # at least one head
        return cls(delta, sentences, second, error, degrees)


def crossed(
    chance: np.random.Generator,
    seeds: int,
    sentences: int,
    *,
    mean: float = 0.0,
    of_seed: float = 0.0,
    of_sentence: float = 0.0,
    residual: float = 1.0,
) -> Counts:
    """Counts in sentences of 50 to 70 tokens, their differences with these standard deviations, in tokens."""
    total = chance.integers(50, 71, sentences)
    effects = (
        mean
        + of_seed * chance.standard_normal((seeds, 1))
        + of_sentence * chance.standard_normal(sentences)
        + residual * chance.standard_normal((seeds, sentences))
    )
    b = np.full((seeds, sentences), 25)
    return b + np.rint(effects).astype(np.int64), b, total


@some.composite
def counts(draw: some.DrawFn) -> Counts:
    """Of one to ten seeds, two to thirty sentences; the parsers differ little or much."""
    seeds, sentences = draw(some.integers(1, 10)), draw(some.integers(2, 30))
    chance = np.random.default_rng(draw(some.integers(0, 2**32)))
    total = chance.integers(draw(some.integers(0, 1)), draw(some.integers(2, 40)), sentences)
    total[0] += 1
    p_a, p_b = draw(some.sampled_from([(0.8, 0.8), (0.8, 0.79), (0.85, 0.8), (0.2, 0.9), (1, 1), (1, 0)]))
    spread = draw(some.sampled_from([0, 0.01, 0.1])) * chance.standard_normal((2, seeds, 1))
    a, b = (chance.binomial(total, np.clip(p + s, 0, 1)) for p, s in zip((p_a, p_b), spread, strict=True))
    shape = (seeds, sentences)
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape), total


def test_compare_by_hand() -> None:
    """Of 10 tokens each: z = 20, 0, -10 and 0, 0, -10, the means of sentences 10, 0, -10, of seeds ±10/3."""
    a, b, total = [[8, 6, 5], [6, 6, 5]], [[5, 5, 5], [5, 5, 5]], [10, 10, 10]
    compared = compare(a, b, total)
    assert (compared.seeds, compared.sentences) == (2, 3)
    assert compared.score_a == pytest.approx(60)
    assert compared.score_b == pytest.approx(50)
    assert compared.delta == pytest.approx(10)
    # var(sentence) + var(residual) / 2 = 100; the residuals are ±(20/3, -10/3, -10/3), so that
    # var(residual) / 3 = 200/9, and as much is the variance of the seeds' means: var(seed) is 0 by this run,
    # and with what is known from elsewhere (degrees * ratio * 200/9 + 1 * 0) / (degrees + 1)
    own, seeds = 100 / 3, SEED_DEGREES * SEED_RATIO * 200 / 9 / (SEED_DEGREES + 1) / 2
    degrees = ((own + seeds) / (own / sqrt(2) + seeds / sqrt(SEED_DEGREES + 1))) ** 2
    t = stats.t(degrees)
    half = t.ppf(0.975) * sqrt(own + seeds)
    assert (compared.low, compared.high) == pytest.approx((10 - half, 10 + half))
    assert compared.p_value == pytest.approx(2 * t.sf(10 / sqrt(own + seeds)))
    assert compared.p_equal == pytest.approx(t.cdf(9.5 / sqrt(own + seeds)))
    assert compared.winner == "base"


@given(counts(), some.sampled_from([SEED_RATIO, 1.0, 0.1]))
def test_everything_follows_the_definition(data: Counts, ratio: float) -> None:
    found, terms = compare(*data, seed_ratio=ratio), Terms.of(*data, ratio)
    assert found.delta == pytest.approx(terms.delta, abs=1e-9)
    assert found.score_a - found.score_b == pytest.approx(found.delta, abs=1e-9)
    t = stats.t(terms.degrees)
    half = t.ppf(0.975) * terms.error
    assert (found.low, found.high) == pytest.approx((terms.delta - half, terms.delta + half), abs=1e-6)
    assert found.p_value == pytest.approx(2 * t.sf(abs(terms.delta) / terms.error), rel=1e-6, abs=1e-12)
    # two one-sided tests: of a difference of -0.5 or less, and of 0.5 or more
    below, above = ((terms.delta + 0.5) / terms.error, (terms.delta - 0.5) / terms.error)
    assert found.p_equal == pytest.approx(max(t.sf(below), t.cdf(above)), rel=1e-6, abs=1e-12)


@given(counts())
def test_an_interval_excludes_0_exactly_where_p_is_below_its_level(data: Counts) -> None:
    a, b, total = data
    found = compare(a, b, total)
    assert (found.low > 0 or found.high < 0) == (found.p_value < 0.05)
    assert found.low <= found.delta <= found.high
    assert 0 <= found.p_value <= 1
    assert 0 <= found.p_equal <= 1
    low, high = interval(found.delta, found.error, found.degrees, 0.5)  # 90 %
    assert (low > -0.5 and high < 0.5) == (found.p_equal < 0.05)
    mirrored = compare(b, a, total)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert mirrored.p_value == pytest.approx(found.p_value, abs=1e-9)
    assert {found.winner, mirrored.winner} in ({"base", "alternative"}, {"none"})


SIMULATIONS = 1000


@pytest.mark.parametrize("seeds", [1, 2, 3, 5, 10])
def test_calibration_with_random_seeds_and_sentences(seeds: int) -> None:
    """False alarms where nothing differs, and coverage where (a) is a point ahead; seeds as measured."""
    chance = np.random.default_rng(seeds)
    size, of_sentence, residual = 120, 1.0, 1.5
    spread = {"of_sentence": of_sentence, "residual": residual, "of_seed": sqrt(SEED_RATIO / size) * residual}
    alarms = [compare(*crossed(chance, seeds, size, **spread)).p_value < 0.05 for _ in range(SIMULATIONS)]
    assert 0.03 <= fmean(alarms) <= 0.065
    ahead = [compare(*crossed(chance, seeds, size, mean=0.6, **spread)) for _ in range(SIMULATIONS)]
    assert 0.935 <= fmean(one.low <= 1 <= one.high for one in ahead) <= (0.99 if seeds == 1 else 0.975)


def test_equivalence_is_claimed_in_few_cases_where_the_difference_is_half_a_point() -> None:
    chance = np.random.default_rng(11)
    found = [
        compare(*crossed(chance, 3, 400, mean=0.3, of_seed=sqrt(SEED_RATIO / 400)))
        for _ in range(SIMULATIONS)
    ]
    assert 0.02 <= fmean(one.p_equal < 0.05 for one in found) <= 0.06
    same = [compare(*crossed(chance, 3, 400)) for _ in range(100)]
    assert fmean(one.p_equal < 0.05 for one in same) > 0.9
    assert all(side(one.winner, None, one.p_equal) == "equal" for one in same if one.p_equal < 0.05)


def test_weighted_means_of_several_tests() -> None:
    """Of the same counts three times it is as of one; else it is that of their means, by the definition."""
    chance = np.random.default_rng(2)
    a, b, total = crossed(chance, 3, 40)
    one, thrice = compare(a, b, total), compare([a] * 3, [b] * 3, total, [0.5, 0.25, 0.25])
    assert (thrice.score_a, thrice.delta, thrice.low, thrice.high, thrice.p_value) == pytest.approx(
        (one.score_a, one.delta, one.low, one.high, one.p_value)
    )
    other = crossed(chance, 3, 40, mean=4)[0]
    found, terms = compare([a, other], [b, b], total, [0.9, 0.1]), Terms.of(0.9 * a + 0.1 * other, b, total)
    assert found.delta == pytest.approx(terms.delta)
    assert found.high - found.delta == pytest.approx(stats.t(terms.degrees).ppf(0.975) * terms.error)
    with pytest.raises(InputError, match="do not fit"):
        compare([a, other], [b, b], total, [1.0])


def test_one_sentence_tells_nothing() -> None:
    found = compare([[9], [8]], [[1], [2]], [10])
    assert (found.delta, found.winner) == (pytest.approx(70), "base")
    assert (found.low, found.high, found.p_value) == (-inf, inf, 1)
    assert found.p_equal == 0.5


@pytest.mark.parametrize("seeds", [1, 3])
def test_no_differences_at_all(seeds: int) -> None:
    right = [[5, 3, 0]] * seeds
    found = compare(right, right, [6, 6, 6])
    one_head = 100 / 18
    assert (found.delta, found.p_value) == (0, 1)
    half = stats.t(2).ppf(0.975) * one_head
    assert (found.low, found.high) == pytest.approx((-half, half))
    assert found.p_equal == pytest.approx(stats.t(2).sf(0.5 / one_head))
    assert found.winner == "none"
    assert compare([5] * 9_000, [5] * 9_000, [6] * 9_000).p_equal < 1e-9


def test_holm_by_hand() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert holm([0.5, 0.6, 0.001]) == pytest.approx([1, 1, 0.003])
    assert holm([0.02, 0.02]) == [0.04, 0.04]
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([0.0, 1.0]) == [0, 1]
    assert holm([None, None]) == [None, None]
    assert holm([]) == []
    with pytest.raises(InputError, match=r"p value 1\.5 of test 2"):
        holm([0.1, 1.5])


def test_winner_and_side() -> None:
    assert [winner(d) for d in (0.3, -0.001, 0.0, None)] == ["base", "alternative", "none", "none"]
    assert side("base", 0.049, 0.9) == "base"
    assert side("alternative", 0.049, 0.9) == "alternative"
    assert side("base", 0.05, 0.049) == side("none", None, 0.049) == "equal"
    assert side("base", 0.05, 0.05) == side("none", None, 0.06) == side("base", None, None) == "none"
    assert side("base", 0.2, 0.9) == "none"
    # shown, and shown to be small: the side is ahead, by less than half a point
    assert side("alternative", 0.01, 0.01) == "alternative"


@pytest.mark.parametrize(
    ("a", "b", "total", "message"),
    [
        ([[1, 2]], [[1, 2], [1, 2]], [3, 3], "do not fit"),
        ([1, 2], [1, 2], [3], "do not fit"),
        ([1, 4], [1, 2], [3, 3], "more correct heads than tokens"),
        ([1, 2], [1, 4], [3, 3], "more correct heads than tokens"),
        ([1, -1], [1, 2], [3, 3], "fewer than 0"),
        ([1, 2], [1, -1], [3, 3], "fewer than 0"),
        ([0.5, 1], [1, 2], [3, 3], "whole numbers"),
        ([0], [0], [0], "no tokens"),
        (np.zeros((0, 2), int), np.zeros((0, 2), int), [3, 3], "pass test sentences and seeds"),
        ([[[1, 2]]], [[[1, 2]]], [3, 3], "do not fit"),
    ],
)
def test_impossible_counts_are_refused(a: list, b: list, total: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(a, b, total)


@given(some.lists(some.one_of(some.none(), some.floats(1e-300, 1)), max_size=12))
def test_factors_of_holm_give_its_adjusted_p_values(p_values: list[float | None]) -> None:
    factors = holm_factors(p_values)
    tests = sum(p is not None for p in p_values)
    for p, factor, adjusted in zip(p_values, factors, holm(p_values), strict=True):
        assert (p is None) == (factor is None) == (adjusted is None)
        if p is not None and factor is not None:
            assert 1 - 1e-9 <= factor <= tests + 1e-9
            assert min(1.0, factor * p) == pytest.approx(adjusted)


def test_the_smallest_p_is_multiplied_by_all_tests_and_the_largest_is_not_cut() -> None:
    assert holm_factors([0.9, 0.001, None, 0.8]) == [pytest.approx(1.6 / 0.9), 3.0, None, 2.0]
    assert holm_factors([0.0, 1.0]) == [2.0, 1.0]


def slow_error_with_folds(
    right_a: NDArray[np.int64], right_b: NDArray[np.int64], total: list[int], folds: list[int]
) -> tuple[float, float]:
    """The standard error from the model and from the folds, and its degrees of freedom, step by step."""
    alone = compare(right_a, right_b, total, folds=folds)
    model = alone.error**2
    seeds, sentences, numbers = len(right_a), len(total), sorted(set(folds))
    delta = sum(map(sum, right_a)) - sum(map(sum, right_b))
    per_token = delta / (seeds * sum(total))
    between = 0.0
    for number in numbers:
        share = 0.0
        for s in range(sentences):
            if folds[s] == number:
                mean = sum(right_a[k][s] - right_b[k][s] for k in range(seeds)) / seeds
                share += 100 * (mean - per_token * total[s]) / (sum(total) / sentences) / sentences
        between += share**2
    between *= len(numbers) / (len(numbers) - 1)
    degrees = len(numbers) - 1
    share = MODEL_DEGREES / (MODEL_DEGREES + degrees)
    of_model, of_folds = share * model, (1 - share) * between
    deviation = of_model * np.sqrt(2 / alone.degrees) + of_folds * np.sqrt(2 / degrees)  # as if they were one
    return float(np.sqrt(of_model + of_folds)), float(2 * (of_model + of_folds) ** 2 / deviation**2)


def test_the_variance_between_folds_is_averaged_with_the_model() -> None:
    draw = np.random.default_rng(5)
    for sizes in ([20, 20, 20], [5, 30, 11, 9]):
        folds = np.repeat(np.arange(len(sizes)), sizes)
        total = draw.integers(3, 30, len(folds))
        a, b = (draw.binomial(total, 0.8, (3, len(folds))) for _ in range(2))
        found = compare(a, b, total, folds=folds, between_folds=True)
        slow = slow_error_with_folds(a, b, total.tolist(), folds.tolist())
        assert (found.error, found.degrees) == pytest.approx(slow)
        assert found.delta == compare(a, b, total, folds=folds).delta
    alone = compare(a, b, total)
    assert compare(a, b, total, between_folds=True) == alone  # not cross-validated


def test_effects_of_training_sets_on_folds_raise_few_alarms() -> None:
    draw = np.random.default_rng(6)
    folds, total = np.repeat(np.arange(5), 240), np.full(1200, 20)
    alarms = {True: 0, False: 0}
    for _ in range(400):
        chance = 0.8 + 0.01 * draw.standard_normal((2, 5))  # of each training set, on all seeds alike
        a, b = (draw.binomial(total, chance[side][folds], (3, 1200)) for side in range(2))
        for between in alarms:
            alarms[between] += compare(a, b, total, folds=folds, between_folds=between).p_value < 0.05
    assert alarms[False] > 40
    assert alarms[True] < 0.8 * alarms[False]


def test_training_noise_counts_for_more_where_little_was_learned_from() -> None:
    """Twenty sentences to learn from, two hundred times as many to be tested on."""
    assert scale_seed_ratio(SEED_RATIO, 300, 1000) == pytest.approx(SEED_RATIO)
    assert scale_seed_ratio(SEED_RATIO, 5000, 1000) == pytest.approx(5)
    assert scale_seed_ratio(0, 5000, 1000) == 0
    assert scale_seed_ratio(SEED_RATIO, 5000, 0) == SEED_RATIO
    draw = np.random.default_rng(8)
    total, share = np.full(400, 20), 15.0
    residual = 20 * 0.8 * 0.2 * 2 / 20**2  # of a sentence, by both parsers
    alarms = {"scaled": 0, "usual": 0}
    for _ in range(300):
        chance = 0.8 + draw.normal(0, np.sqrt(share * residual / 400 / 2), (2, 1, 1))
        a, b = (draw.binomial(total, chance[side], (1, 400)) for side in range(2))
        ratios = {"scaled": scale_seed_ratio(SEED_RATIO, share, 1), "usual": SEED_RATIO}
        for name, ratio in ratios.items():
            alarms[name] += compare(a, b, total, seed_ratio=ratio).p_value < 0.05
    assert alarms["usual"] > 100
    assert alarms["scaled"] <= 24

from __future__ import annotations

from itertools import product
from math import ceil, sqrt

import numpy as np
import pytest

from learnability.errors import InputError
from learnability.metrics import compare, holm, sentences_needed, significance
from learnability.metrics.significance import better, bootstrap_interval, permutation_p, winner


def results(
    sentences: int, seeds: int, p_a: float, p_b: float, seed: int, spread: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts of two parsers; `spread`: how far the seeds of each scatter around their accuracy."""
    chance = np.random.default_rng(seed)
    total = chance.integers(3, 40, sentences)
    a = chance.binomial(total, np.clip(p_a + spread * chance.standard_normal((seeds, 1)), 0, 1))
    b = chance.binomial(total, np.clip(p_b + spread * chance.standard_normal((seeds, 1)), 0, 1))
    return np.broadcast_to(a, (seeds, sentences)), np.broadcast_to(b, (seeds, sentences)), total


def test_compare_by_hand() -> None:
    a, b, total = [[3, 2], [3, 4]], [[3, 1], [2, 2]], [4, 6]
    comparison = compare(a, b, total)
    assert comparison.score_a == pytest.approx(100 * (5 + 7) / 20)
    assert comparison.score_b == pytest.approx(100 * (4 + 4) / 20)
    assert comparison.delta == pytest.approx(20)
    assert (comparison.seeds, comparison.sentences, comparison.includes_seed_variance) == (2, 2, False)
    assert comparison.winner == "original"
    assert compare(b, a, total).delta == -comparison.delta
    assert compare(b, a, total).winner == "transformed"


def test_interval_equals_scipy_up_to_chance() -> None:
    from scipy import stats

    a, b, total = results(300, 1, 0.82, 0.80, seed=3)
    ours = bootstrap_interval(a, b, total, seed=1, resamples=20_000)

    def delta(x: np.ndarray, y: np.ndarray, t: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(100 * (x - y).sum(axis=axis) / t.sum(axis=axis))

    theirs = stats.bootstrap(
        (a[0], b[0], total), delta, paired=True, method="percentile", n_resamples=20_000, rng=2
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.06)


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_interval_equals_resampling_one_by_one_up_to_chance(seeds: int) -> None:
    a, b, total = results(80, seeds, 0.8, 0.78, seed=4, spread=0.03)
    chance = np.random.default_rng(9)
    deltas = []
    for _ in range(8000):
        drawn = chance.integers(0, len(total), len(total))
        runs = chance.integers(0, seeds, seeds) if seeds >= 3 else np.arange(seeds)
        difference = (a - b)[np.ix_(runs, drawn)].sum() / seeds
        deltas.append(100 * difference / total[drawn].sum())
    ours = bootstrap_interval(a, b, total, resamples=8000)
    assert ours == pytest.approx(np.quantile(deltas, [0.025, 0.975]), abs=0.2)


def test_seed_variance_widens_the_interval_from_three_seeds_on() -> None:
    a, b, total = results(500, 4, 0.8, 0.8, seed=5, spread=0.05)
    low, high = bootstrap_interval(a, b, total)
    summed_low, summed_high = bootstrap_interval(a[:2], b[:2], total)
    assert high - low > 2 * (summed_high - summed_low)
    assert compare(a, b, total).includes_seed_variance


def test_working_in_small_portions_changes_nothing_but_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    data = results(60, 5, 0.8, 0.78, seed=5, spread=0.05)
    whole = compare(*data, resamples=2000)
    monkeypatch.setattr(significance, "_CELLS", 1)
    portions = compare(*data, resamples=2000)
    assert (portions.low, portions.high) == pytest.approx((whole.low, whole.high), abs=0.8)
    assert portions.p_value == pytest.approx(whole.p_value, abs=0.05)


def test_interval_covers_the_truth_in_about_95_percent() -> None:
    covered = 0
    for seed in range(300):
        low, high = bootstrap_interval(*results(120, 1, 0.8, 0.78, seed=seed), seed=seed, resamples=599)
        covered += low <= 2.0 <= high
    assert 0.90 <= covered / 300 <= 0.985


def test_confidence_sets_the_width() -> None:
    a, b, total = results(200, 1, 0.8, 0.78, seed=6)
    wide, narrow = (bootstrap_interval(a, b, total, confidence=c) for c in (0.95, 0.5))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def exact_p(a: np.ndarray, b: np.ndarray) -> float:
    difference = (a - b).sum(axis=0)
    flips = [abs(np.dot(signs, difference)) for signs in product((1, -1), repeat=len(difference))]
    return float(np.mean(np.array(flips) >= abs(difference.sum())))


@pytest.mark.parametrize(("seeds", "seed"), [(1, 1), (1, 2), (2, 3), (3, 4)])
def test_p_value_equals_the_exact_one_up_to_chance(seeds: int, seed: int) -> None:
    a, b, total = results(11, seeds, 0.8, 0.7, seed=seed)
    expected = exact_p(a, b)
    m = 40_000
    assert permutation_p(a, b, total, resamples=m) == pytest.approx(expected, abs=5 * sqrt(0.25 / m))


def test_p_value_counts_ties_and_is_never_zero() -> None:
    # One sentence differs: every flip gives the same absolute difference.
    assert permutation_p([5, 3], [4, 3], [6, 6]) == 1
    assert permutation_p([5, 3], [5, 3], [6, 6]) == 1
    n = 200
    assert permutation_p([9] * n, [1] * n, [9] * n, resamples=999) == 1 / 1000


def test_p_value_is_calibrated_where_nothing_differs() -> None:
    p = [permutation_p(*results(100, 1, 0.8, 0.8, seed=s), seed=s, resamples=499) for s in range(600)]
    assert 0.025 <= np.mean(np.array(p) <= 0.05) <= 0.08
    assert 0.42 <= np.mean(np.array(p) <= 0.5) <= 0.58


def test_the_same_seed_gives_the_same_result() -> None:
    data = results(150, 3, 0.8, 0.79, seed=7, spread=0.01)
    assert compare(*data, seed=1) == compare(*data, seed=1)
    first, second = compare(*data, seed=1), compare(*data, seed=2)
    assert (first.low, first.p_value) != (second.low, second.p_value)
    assert first.low == pytest.approx(second.low, abs=0.2)


def test_holm_by_hand() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert holm([0.5, 0.6, 0.001]) == pytest.approx([1, 1, 0.003])
    assert holm([0.02, 0.02]) == [0.04, 0.04]
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([None, None]) == [None, None]
    assert holm([]) == []
    with pytest.raises(InputError, match=r"p value 1\.5 of test 2"):
        holm([0.1, 1.5])


def test_winner_and_better() -> None:
    assert [winner(d) for d in (0.3, -0.001, 0.0, None)] == ["original", "transformed", "none", "none"]
    assert better("original", 0.1, 0.5) == "original"
    assert better("transformed", -0.5, -0.1) == "transformed"
    assert better("original", -0.1, 0.5) == better("original", 0.0, 0.5) == "none"
    assert better("transformed", -0.5, 0.0) == better("original", None, None) == "none"


@pytest.mark.parametrize(("sentences", "side"), [(1, "none"), (5, "none"), (6, "original")])
def test_so_few_sentences_that_no_permutation_tells_make_no_side_better(sentences: int, side: str) -> None:
    found = compare([[9] * sentences], [[5] * sentences], [10] * sentences)
    assert (found.winner, found.better) == ("original", side)
    assert found.low > 0
    assert (found.p_value < 0.05) == (side == "original")


def test_sentences_needed_by_hand() -> None:
    # Sentences of 20 tokens, differences +1 and -1 in turn: sd 100/20 = 5 points (times n / (n - 1)).
    n = 1000
    total = np.full(n, 20)
    a, b = np.tile([11, 10], n // 2), np.tile([10, 11], n // 2)
    expected = ((1.959964 + 0.841621) * 5 * sqrt(n / (n - 1)) / 0.5) ** 2  # 785.7
    assert sentences_needed(a, b, total) == ceil(expected)
    assert sentences_needed(a, b, total, effect=1) == pytest.approx(expected / 4, abs=1)
    assert sentences_needed(a, b, total, power=0.9) > sentences_needed(a, b, total)  # type: ignore[operator]
    assert sentences_needed([a, a, a], [b, b, b], total) == sentences_needed(a, b, total)
    assert sentences_needed(a[:1], b[:1], total[:1]) is None
    assert sentences_needed(a, a, total) is None
    # A difference in proportion to the tokens varies with no sentence: nothing to estimate from.
    assert sentences_needed([2, 4, 9], [1, 2, 6], [10, 20, 30]) is None
    with pytest.raises(InputError, match="effect=0"):
        sentences_needed(a, b, total, effect=0)


def test_that_many_sentences_do_show_the_difference() -> None:
    a, b, total = results(2000, 1, 0.82, 0.80, seed=8)
    needed = sentences_needed(a, b, total, effect=2.0)
    assert needed is not None
    found = [
        permutation_p(*results(needed, 1, 0.82, 0.80, seed=s), resamples=499) <= 0.05 for s in range(300)
    ]
    assert 0.70 <= np.mean(found) <= 0.90


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
    ],
)
def test_impossible_counts_are_refused(a: list, b: list, total: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(a, b, total)


def test_impossible_options_are_refused() -> None:
    with pytest.raises(InputError, match=r"confidence=1\.5"):
        bootstrap_interval([1], [1], [2], confidence=1.5)
    with pytest.raises(InputError, match="resamples=0"):
        permutation_p([1], [1], [2], resamples=0)

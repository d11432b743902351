"""How sure a difference is: intervals, p values, Holm's correction, winners, and test sizes.

Everything starts from per-sentence counts of correct heads of two settings on the same sentences:
correct_a[K, S] and correct_b[K, S] over K seeds and S sentences (seed k of a is paired with seed k of
b), and total[S], the tokens. The statistic is the difference of the micro-averaged scores

    delta = 100 / K * sum over seeds and sentences of (correct_a - correct_b) / sum of total,

in percentage points. Differences are whole numbers, so equal statistics compare as equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnability.errors import InputError

Winner = Literal["original", "transformed", "none"]

SEEDS_NEEDED = 3
"""From this many seeds on the interval includes the variance between seeds."""

_CELLS = 100_000  # random numbers at a time: they stay in the processor's cache

FEWEST = 6
"""Test sentences below which nothing is called better: the smallest p of a paired permutation test is
2 / 2^n, above 0.05 for n < 6, while an interval over resamples of so few may well exclude 0."""


@dataclass(frozen=True)
class Comparison:
    """Setting a (original) against setting b (transformed).

    Attributes:
        score_a, score_b: micro-averaged scores in percent, means over seeds.
        delta: score_a - score_b, in points; positive: a is better.
        low, high: the 95 % bootstrap interval of delta.
        p_value: of the paired permutation test, two-sided.
        winner: the sign of delta: original, transformed or none.
        better: the winner if the interval excludes 0, else none; none with fewer than `FEWEST` sentences.
        includes_seed_variance: whether the interval covers the variance between seeds.
        sentences_needed: see `sentences_needed`; None where it cannot be told.
    """

    score_a: float
    score_b: float
    delta: float
    low: float
    high: float
    p_value: float
    winner: Winner
    better: Winner
    seeds: int
    sentences: int
    includes_seed_variance: bool
    sentences_needed: int | None


def compare(
    correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike, *, seed: int = 0, resamples: int = 9999
) -> Comparison:
    """Everything about the difference between two settings (docs/rules.md, Scores and uncertainty).

    The same input gives the same result. Raises InputError if the counts do not fit or there is no token.
    """
    a, b, tokens = _checked(correct_a, correct_b, total)
    low, high = bootstrap_interval(a, b, tokens, seed=seed, resamples=resamples)
    runs = len(a) * int(tokens.sum())
    delta = 100.0 * int((a - b).sum()) / runs
    won = winner(delta)
    return Comparison(
        score_a=100.0 * int(a.sum()) / runs,
        score_b=100.0 * int(b.sum()) / runs,
        delta=delta,
        low=low,
        high=high,
        p_value=permutation_p(a, b, tokens, seed=seed, resamples=resamples),
        winner=won,
        better=better(won, low, high) if len(tokens) >= FEWEST else "none",
        seeds=len(a),
        sentences=len(tokens),
        includes_seed_variance=len(a) >= SEEDS_NEEDED,
        sentences_needed=sentences_needed(a, b, tokens),
    )


def bootstrap_interval(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    total: ArrayLike,
    *,
    seed: int = 0,
    resamples: int = 9999,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The percentile interval of delta, by the paired bootstrap over test sentences.

    Each resample draws S sentences with replacement, the same for a and b; with at least 3 seeds it
    also draws K seeds, crossed with the sentences. K seeds drawn from K show (K - 1) / K of the variance
    between seeds: with 3 seeds the interval is still somewhat narrow.
    (Efron & Tibshirani 1993; for scores over sentences, Koehn 2004.)
    """
    a, b, tokens = _checked(correct_a, correct_b, total)
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence}: give a number between 0 and 1")
    portions = _portions(resamples, len(tokens))
    difference = a - b
    k, n = difference.shape
    draws = np.random.default_rng(seed)
    if k < SEEDS_NEEDED:
        difference = difference.sum(axis=0, keepdims=True)
        weights = np.full((resamples, 1), 1.0 / k)
    else:
        weights = draws.multinomial(k, np.full(k, 1.0 / k), size=resamples) / k
    columns = np.vstack([difference, tokens]).T.astype(np.float64)
    deltas = []
    for first, size in portions:
        drawn = draws.integers(0, n, size=(size, n), dtype=np.int32)
        drawn += np.arange(0, size * n, n, dtype=np.int32)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        sums = times.astype(np.float64) @ columns
        gained = (sums[:, :-1] * weights[first : first + size]).sum(axis=1)
        # A resample of sentences without tokens has no score; it says nothing against delta = 0.
        deltas.append(np.divide(100.0 * gained, sums[:, -1], out=np.zeros(size), where=sums[:, -1] > 0))
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(deltas), [tail, 1 - tail])
    return float(low), float(high)


def permutation_p(
    correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike, *, seed: int = 0, resamples: int = 9999
) -> float:
    """The two-sided p value of the paired permutation test over sentences.

    In each of m resamples every sentence's results (of all seeds together) change sides with
    probability 1/2; b resamples give an absolute difference at least as large as the observed one;
    p = (b + 1) / (m + 1) (Phipson & Smyth 2010), so p is never 0.
    """
    a, b, _ = _checked(correct_a, correct_b, total)
    difference = (a - b).sum(axis=0)
    difference = difference[difference != 0]
    n = len(difference)
    portions = _portions(resamples, n)
    if n == 0:
        return 1.0
    # Below 2**24 float32 is exact for whole numbers, and twice as fast.
    exact = np.float32 if int(np.abs(difference).sum()) < 1 << 24 else np.float64
    values = difference.astype(exact)
    observed = abs(int(difference.sum()))
    draws = np.random.default_rng(seed)
    as_large = 0
    for _, size in portions:
        coins = np.frombuffer(draws.bytes(size * ((n + 7) // 8)), np.uint8).reshape(size, -1)
        bits = np.unpackbits(coins, axis=1)
        kept = bits[:, :n].astype(exact) @ values
        as_large += int((np.abs(2 * kept - int(difference.sum())) >= observed).sum())
    return (as_large + 1) / (resamples + 1)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) adjusted p values, in the order given; None (not tested) stays None."""
    tested = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(tested):
        if not 0 <= p <= 1:
            raise InputError(f"p value {p} of test {i + 1} is outside 0..1")
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[i] = largest
    return adjusted


def winner(delta: float | None) -> Winner:
    """Who wins by the sign of delta = original - transformed; none if it is 0 or was not computed."""
    if delta is None or not delta:
        return "none"
    return "original" if delta > 0 else "transformed"


def better(won: Winner, low: float | None, high: float | None) -> Winner:
    """The winner if the interval [low, high] of delta excludes 0, else (or without interval) none."""
    if low is None or high is None or low <= 0 <= high:
        return "none"
    return won


def sentences_needed(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    total: ArrayLike,
    *,
    effect: float = 0.5,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int | None:
    """How many test sentences would show a difference of `effect` points with the given power.

    n = ((z(1 - alpha / 2) + z(power)) * sd / effect)**2, rounded up: the normal approximation of a
    two-sided paired test, where sd is the standard deviation over these sentences of the
    linearised contribution 100 * (d_s - delta t_s) / mean(t) to the ratio delta (d: difference of correct
    heads, mean over seeds; t: tokens). It assumes more sentences of the same kind and leaves the
    variance between seeds out. None if it cannot be told: fewer than 2 sentences, or no variance.
    Raises InputError for an effect that is not positive, or power or alpha outside (0, 1).
    """
    a, b, tokens = _checked(correct_a, correct_b, total)
    if effect <= 0 or not 0 < power < 1 or not 0 < alpha < 1:
        raise InputError(f"effect={effect}, power={power}, alpha={alpha}: give effect > 0, others in (0, 1)")
    if len(tokens) < 2:
        return None
    difference = (a - b).mean(axis=0)
    ratio = difference.sum() / tokens.sum()
    deviation = float(np.std(100.0 * (difference - ratio * tokens) / tokens.mean(), ddof=1))
    if deviation < 1e-9:
        return None
    z = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    return ceil((z * deviation / effect) ** 2)


def _portions(resamples: int, sentences: int) -> list[tuple[int, int]]:
    """The resamples a portion at a time: the number of the first, and how many."""
    if resamples < 1:
        raise InputError(f"resamples={resamples}: give at least 1")
    size = max(1, _CELLS // max(1, sentences))
    return [(first, min(size, resamples - first)) for first in range(0, resamples, size)]


def _checked(
    correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The counts as int64[K, S], int64[K, S] and int64[S]; one seed may be given as a vector [S]."""
    a, b = np.atleast_2d(np.asarray(correct_a)), np.atleast_2d(np.asarray(correct_b))
    tokens = np.asarray(total)
    if a.shape != b.shape or tokens.ndim != 1 or a.ndim != 2 or a.shape[1] != len(tokens):
        raise InputError(
            f"counts of shapes {a.shape}, {b.shape} and {tokens.shape} do not fit: "
            "give correct[seeds, sentences] twice and total[sentences]"
        )
    if not all(np.issubdtype(values.dtype, np.integer) for values in (a, b, tokens)):
        raise InputError("counts must be whole numbers: give correct heads and tokens per sentence")
    if tokens.sum() == 0 or len(a) == 0:
        raise InputError("no tokens to compare: the test part or the seeds are empty")
    if (np.minimum(a, b) < 0).any() or (np.maximum(a, b) > tokens).any():
        raise InputError("a sentence has more correct heads than tokens, or fewer than 0: check the counts")
    return a.astype(np.int64), b.astype(np.int64), tokens.astype(np.int64)

"""How sure a difference is: one model for interval, p value, equivalence and the size of test set needed.

Everything starts from per-sentence counts of correct heads of two settings on the same sentences:
correct_a[K, S] and correct_b[K, S] over K seeds and S sentences (seed k of a is paired with seed k of
b), and total[S], the tokens. The statistic is the difference of the micro-averaged scores

    delta = 100 / K * sum over seeds and sentences of (correct_a - correct_b) / sum of total,

in percentage points. Both the seeds and the sentences are samples: others would give another difference.
In the model the contribution of seed k and sentence s to delta (linearised, because delta is a ratio:
100 * (d_ks - delta t_s) / mean(t)) is

    z_ks = seed_k + sentence_s + residual_ks,

each with mean 0 and a separate variance, so that

    variance of delta = (var(sentence) + var(residual) / K) / S + var(seed) / K.

The first term is the variance of the sentences' means over the seeds, divided by S; it contains the residual
once. var(seed) is the variance of the seeds' means over the sentences minus that residual. Few seeds estimate
it badly, and one seed not at all. So it is averaged with a value measured on other treebanks (`SEED_RATIO`),
which counts for `SEED_DEGREES` degrees of freedom. Interval and p value are those of Student's t with the
degrees of freedom of the two terms together (Satterthwaite 1946). So an interval excludes 0 exactly where p
is below its level. No standard error is below that of one head, 100 / sum of total: parses that are equal in
a few sentences may still differ in others. (Crossed random effects: Searle, Casella & McCulloch 1992, ch. 4;
variances shared between experiments: Smyth 2004.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnability.errors import InputError


class Side(StrEnum):
    """What a difference shows: UD (setting a) or the alternative (setting b) is ahead, both equal, or none.

    `UD` stands for the annotation of setting (a), also where that is another scheme.
    """

    UD = "ud"
    ALTERNATIVE = "alternative"
    EQUAL = "equal"
    NONE = "none"


ALPHA = 0.05
"""The level of p values; intervals have the confidence 1 - ALPHA."""

EFFECT = 0.5
"""The smallest difference that matters, in points: the bound of `equal` and of `sentences_needed`."""

SEED_RATIO, SEED_DEGREES = 0.3, 6
"""The prior value of var(seed), as a ratio to var(residual) / S, and the degrees of freedom that it counts
for. It was measured on eight treebanks, where it is -0.1 to 0.4 (docs/measurements/calibration.md)."""


@dataclass(frozen=True)
class Comparison:
    """Setting a (UD) against setting b (the alternative).

    Attributes:
        score_a, score_b: micro-averaged scores in percent, means over seeds.
        delta: score_a - score_b, in points; positive: a is better.
        error, degrees: the standard error of delta, infinite with a single sentence, and its degrees of
            freedom.
        low, high: the 95 % interval of delta.
        p_value: of delta = 0, two-sided; below 0.05 exactly where the interval excludes 0.
        p_equal: of a difference of `EFFECT` points or more, by two one-sided tests (Schuirmann 1987) at half
            the level each: below 0.05 exactly where the interval lies within `EFFECT` on both sides of 0.
        winner: the sign of delta: UD, the alternative or none.
        sentences_needed: test sentences that would show `EFFECT` points in 80 % of the cases, with as many
            seeds; None where no number of sentences would, or it is unknown.
        seeds: the number of seeds.
        sentences: the number of test sentences.
    """

    score_a: float
    score_b: float
    delta: float
    error: float
    degrees: float
    low: float
    high: float
    p_value: float
    p_equal: float
    winner: Side
    seeds: int
    sentences: int
    sentences_needed: int | None


def compare(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    total: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    seed_ratio: float = SEED_RATIO,
    comparisons: int = 1,
) -> Comparison:
    """Compare two settings: difference, interval and p values (docs/rules.md, Scores and uncertainty).

    Args:
        correct_a: int[seeds, sentences] (for one seed also int[sentences]), right tokens of setting a.
        correct_b: the same of setting b.
        total: int[sentences], all tokens.
        weights: float[tests], with sum 1, if the scores are weighted means of several tests of the same
            sentences; the counts are then int[tests, seeds, sentences].
        seed_ratio: replaces `SEED_RATIO` for parsers with another measured value.
        comparisons: interval and p values hold for this many comparisons together (Bonferroni).

    Returns:
        The difference in points, its interval and p values.

    Raises:
        InputError: the shapes or values of the counts do not fit, or there is no token.
    """
    a, b, tokens = _checked(correct_a, correct_b, total, None if weights is None else np.asarray(weights))
    runs = len(a) * int(tokens.sum())
    delta = 100.0 * float((a - b).sum()) / runs
    spread = _Spread.of(a - b, tokens, seed_ratio)
    tested = Tested.of(delta, max(spread.error, 100.0 / int(tokens.sum())), spread.degrees, comparisons)
    return Comparison(
        score_a=100.0 * float(a.sum()) / runs,
        score_b=100.0 * float(b.sum()) / runs,
        delta=delta,
        **vars(tested),
        winner=winner(delta),
        seeds=len(a),
        sentences=len(tokens),
        sentences_needed=spread.sentences_needed(),
    )


@dataclass(frozen=True)
class Tested:
    """Interval and p values of a difference, as in :class:`Comparison`."""

    error: float
    degrees: float
    low: float
    high: float
    p_value: float
    p_equal: float

    @classmethod
    def of(cls, delta: float, error: float, degrees: float, comparisons: int = 1) -> Tested:
        """Return the interval and the p values by Student's t.

        Args:
            delta: the difference.
            error: its standard error, above 0.
            degrees: the degrees of freedom.
            comparisons: the interval and the p values hold for this many comparisons together (Bonferroni).
        """
        from scipy.special import stdtr  # as scipy.stats.t does, whose checks take 300 times as long

        low, high = interval(delta, error, degrees, comparisons)
        return cls(
            error=error,
            degrees=degrees,
            low=low,
            high=high,
            p_value=min(1.0, comparisons * 2 * float(stdtr(degrees, -abs(delta) / error))),
            p_equal=min(1.0, comparisons * 2 * float(stdtr(degrees, (abs(delta) - EFFECT) / error))),
        )


def interval(delta: float, error: float, degrees: float, comparisons: float = 1) -> tuple[float, float]:
    """Return the interval of a difference that holds for several comparisons together (Bonferroni).

    Args:
        delta: the difference, in points.
        error: its standard error.
        degrees: the degrees of freedom of the error (Student's t).
        comparisons: 1 or more; not a whole number where p values are held to such a level (`holm_factors`).
    """
    from scipy.special import stdtrit

    half = float(stdtrit(degrees, 1 - ALPHA / 2 / comparisons)) * error
    return delta - half, delta + half


def answering_interval(
    delta: float, error: float, degrees: float, factor: float, shown: Side
) -> tuple[float, float]:
    """Return the interval from which `shown` follows: what to print beside a difference.

    It excludes 0 exactly where `shown` names a side, because it has the level to which Holm's procedure holds
    the p value: 1 - ALPHA / `factor` (:func:`holm_factors`). Where `shown` is `equal`, it is the interval of
    the two one-sided tests, which lies within `EFFECT` on both sides of 0 and contains 0 (Hsu, Hwang, Liu &
    Ruberg 1994).
    """
    if shown is not Side.EQUAL:
        return interval(delta, error, degrees, factor)
    low, high = interval(delta, error, degrees)
    return min(0.0, low), max(0.0, high)


@dataclass(frozen=True)
class _Spread:
    """The two terms of the variance of delta, in squared points.

    Attributes:
        sentences: var(sentence) + var(residual) / K, of one sentence; infinite with a single sentence.
        seeds: var(seed) / K.
        seeds_degrees: the degrees of freedom of `seeds`.
    """

    size: int
    sentences: float
    seeds: float
    seeds_degrees: int

    @classmethod
    def of(cls, difference: NDArray[np.float64], tokens: NDArray[np.int64], ratio: float) -> _Spread:
        """Estimate the terms from differences of right tokens, float64[K, S]."""
        k, s = difference.shape
        degrees = SEED_DEGREES + k - 1
        if s < 2:
            return cls(s, inf, 0.0, degrees)
        per_token = difference.sum() / (k * tokens.sum())
        z = 100.0 * (difference - per_token * tokens) / tokens.mean()
        by_sentence, by_seed = z.mean(axis=0), z.mean(axis=1)
        sentences = float(by_sentence.var(ddof=1))
        if k == 1:  # sentence and residual cannot be told apart
            seed = ratio * sentences / s
        else:
            residual = float(((z - by_sentence - by_seed[:, None]) ** 2).sum()) / ((k - 1) * (s - 1)) / s
            excess = float(by_seed.var(ddof=1)) - residual
            seed = (SEED_DEGREES * ratio * residual + (k - 1) * excess) / degrees
        return cls(s, sentences, max(0.0, seed) / k, degrees)

    @property
    def error(self) -> float:
        """Return the standard error of delta, in points."""
        return sqrt(self.sentences / self.size + self.seeds)

    @property
    def degrees(self) -> float:
        """Return the degrees of freedom of the variance of delta (Satterthwaite)."""
        of_sentences = self.sentences / self.size
        if of_sentences == inf:
            return 1.0
        if of_sentences + self.seeds < 1e-18:  # 0 up to rounding errors
            return self.size - 1
        total = of_sentences + self.seeds
        return total**2 / (of_sentences**2 / (self.size - 1) + self.seeds**2 / self.seeds_degrees)

    def sentences_needed(self) -> int | None:
        """Return :attr:`Comparison.sentences_needed`.

        It is the n at which (z(1 - alpha / 2) + z(power)) standard errors equal `EFFECT`.
        """
        from scipy.special import ndtri

        wanted = (EFFECT / float(ndtri(1 - ALPHA / 2) + ndtri(0.8))) ** 2 - self.seeds
        return ceil(self.sentences / wanted) if 1e-9 < self.sentences < inf and wanted > 0 else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's (1979) adjusted p values, in the same order; None (not tested) stays None.

    Raises:
        InputError: a value is outside 0..1.
    """
    return [None if adjusted is None else min(1.0, adjusted) for adjusted in _times_tests(p_values)]


def holm_factors(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the factor by which Holm's procedure multiplies each p value, between 1 and the number of tests.

    An interval of the level 1 - ALPHA / factor excludes 0 exactly where the adjusted p is below ALPHA.
    Adjusted p values end at 1. The factors ignore that end; otherwise the interval of a large p would be too
    short.

    Raises:
        InputError: a value is outside 0..1.
    """
    remaining = len([p for p in p_values if p is not None])
    factors: list[float | None] = []
    for p, adjusted in zip(p_values, _times_tests(p_values), strict=True):
        if p is None or adjusted is None:
            factors.append(None)
        else:
            factors.append(adjusted / p if p else float(remaining))
    return factors


def _times_tests(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p values without their end at 1."""
    tested = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(tested):
        if not 0 <= p <= 1:
            raise InputError(f"p value {p} of test {i + 1} is outside 0..1")
        largest = max(largest, (len(tested) - rank) * p)
        adjusted[i] = largest
    return adjusted


def winner(delta: float | None) -> Side:
    """Return the side that is ahead by the sign of delta = UD - alternative.

    It is none if the difference is 0 or was not computed.
    """
    if delta is None or not delta:
        return Side.NONE
    return Side.UD if delta > 0 else Side.ALTERNATIVE


def side(won: Side, p_value: float | None, p_equal: float | None) -> Side:
    """Return what a difference shows: its winner, `equal` (under `EFFECT` points), or none.

    Args:
        won: the sign of the difference.
        p_value: p of no difference, corrected if there are several comparisons.
        p_equal: p of a difference of `EFFECT` points or more.
    """
    if p_value is not None and p_value < ALPHA:
        return won
    return Side.EQUAL if p_equal is not None and p_equal < ALPHA else Side.NONE


def _checked(
    correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the counts (their weighted means) as float64[K, S] twice, and int64[S]."""
    a, b = np.atleast_2d(np.asarray(correct_a)), np.atleast_2d(np.asarray(correct_b))
    tokens = np.asarray(total)
    tests = () if weights is None else weights.shape
    if a.shape != b.shape or a.shape != (*tests, a.shape[-2], *tokens.shape):
        raise InputError(
            f"counts of shapes {a.shape}, {b.shape} and {tokens.shape} do not fit: "
            "give correct[seeds, sentences] twice and total[sentences]"
        )
    if not all(np.issubdtype(values.dtype, np.integer) for values in (a, b, tokens)):
        raise InputError("counts must be whole numbers: give correct heads and tokens per sentence")
    if tokens.sum() == 0 or a.size == 0:
        raise InputError("no tokens to compare: there are no test sentences, or no seeds")
    if (np.minimum(a, b) < 0).any() or (np.maximum(a, b) > tokens).any():
        raise InputError("a sentence has more correct heads than tokens, or fewer than 0: check the counts")
    if weights is not None:
        a, b = np.tensordot(weights, a, 1), np.tensordot(weights, b, 1)
    return a.astype(np.float64), b.astype(np.float64), tokens.astype(np.int64)

"""Tell how certain a difference is: one model for interval, p value, equivalence and required test size.

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

Neighbouring sentences are alike. So the first term is estimated from sums over clusters of sentences
(`statistics.clusters`) of their means over the seeds; it contains the residual once. With clusters of one
sentence it is the variance of these means, divided by S. var(seed) is the variance of the seeds' means over
the sentences minus that residual. Few seeds estimate it badly, and one seed not at all. So it is averaged
with a value measured on other treebanks (`SEED_RATIO`), which counts for `SEED_DEGREES` degrees of freedom.
Interval and p value are those of Student's t with the degrees of freedom of the two terms together
(Satterthwaite 1946). So an interval excludes 0 exactly where p is below its level. No standard error is below
that of one head, 100 / sum of total: parses that are equal in a few sentences may still differ in others.
(Crossed random effects: Searle, Casella & McCulloch 1992, ch. 4;
variances shared between experiments: Smyth 2004.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, inf, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnability.errors import InputError
from learnability.statistics.boundaries import Look
from learnability.statistics.clusters import ClusterVariance, find_clusters


class Side(StrEnum):
    """Name what a difference shows: the first or the second of two systems ahead, equal, or none.

    Where two annotations are compared, the base is the first and the alternative the second.
    """

    FIRST = "base"
    SECOND = "alternative"
    EQUAL = "equal"
    NONE = "none"


ALPHA = 0.05
"""The level of p values; intervals have the confidence 1 - ALPHA."""

EFFECT = 0.5
"""The smallest difference that matters, in points: the bound of `equal` and of `sentences_needed`."""

SEED_RATIO, SEED_DEGREES = 0.3, 6
"""The prior value of var(seed), as a ratio to var(residual) / S, and the degrees of freedom that it counts
for. It was measured on eight treebanks, where it is -0.1 to 0.4 (research/calibration)."""


MODEL_DEGREES = 6
"""The degrees of freedom of the model where it is averaged with the variance between folds."""


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
        p_equal: of a difference of `EFFECT` points or more, by two one-sided tests (Schuirmann 1987): below
            0.05 exactly where the 90 % interval lies within `EFFECT` on both sides of 0.
        testing: how often the difference was looked at; interval and p values follow from it.
        winner: the sign of delta: UD, the alternative or none.
        sentences_needed: test sentences that would show `EFFECT` points in 80 % of the cases, with as many
            seeds; None if no number of sentences would, or it is unknown.
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
    testing: Testing
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
    folds: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    beside: Sequence[ArrayLike] = (),
    between_folds: bool = False,
    testing: Callable[[Spread], Testing] | None = None,
    counted: tuple[ArrayLike, ArrayLike] | None = None,
) -> Comparison:
    """Compare two settings: difference, interval and p values (docs/rules.md, Scores and uncertainty).

    Args:
        correct_a: int[seeds, sentences] (for one seed also int[sentences]), right tokens of setting a.
        correct_b: the same of setting b.
        total: int[sentences], all tokens.
        weights: float[tests], if the scores are weighted sums of several tests of the same sentences (with
            sum 1: means); the counts are then int[tests, seeds, sentences].
        seed_ratio: replaces `SEED_RATIO` for parsers with another measured value.
        comparisons: interval and p values hold for this many comparisons together (Bonferroni).
        folds: int[sentences], the fold in which each sentence was tested, if the treebank is cross-validated.
        documents: int[sentences], the document of each sentence; sentences are in the order of the text. By
            default no document is known.
        beside: int[seeds, sentences] each, right tokens of further settings on the folds of a cross-validated
            treebank; var(seed) is measured in them, too.
        between_folds: also measure the variance between folds, whose training sets differ
            (:func:`error_with_folds`).
        testing: returns how often the difference was looked at; default: once.
        counted: int[seeds, sentences] of setting a and of setting b, what each sentence counts where that is
            not `total`. The score of a seed is then the ratio of the sums of right and counted tokens.

    Returns:
        The difference in points, its interval and p values.

    Raises:
        InputError: the shapes or values of the counts do not fit, or there is no token.
    """
    if counted is not None:
        tokens = np.asarray(total, np.int64)
        a, b = (as_of_tokens(*each, tokens) for each in zip((correct_a, correct_b), counted, strict=True))
    else:
        a, b, tokens = _check_counts(
            correct_a, correct_b, total, None if weights is None else np.asarray(weights)
        )
    runs = len(a) * int(tokens.sum())
    delta = 100.0 * float((a - b).sum()) / runs
    fold = None if folds is None else np.asarray(folds, np.int64)
    noise = TrainingNoise(seed_ratio)
    if fold is not None:
        noise = noise.update_noise([np.asarray(correct, np.float64) for correct in beside], tokens, fold)
    document = np.zeros(len(tokens), np.int64) if documents is None else np.asarray(documents, np.int64)
    spread = Spread.of(a - b, tokens, noise, fold, document)
    used = ONE_LOOK if testing is None else testing(spread)
    error, degrees = spread.error, spread.degrees
    if between_folds and fold is not None:
        error, degrees = error_with_folds(spread, a - b, tokens, fold)
    error = max(error, 100.0 / int(tokens.sum()))
    tested = Tested.of(delta, error, degrees, comparisons, used)
    return Comparison(
        score_a=100.0 * float(a.sum()) / runs,
        score_b=100.0 * float(b.sum()) / runs,
        delta=delta,
        **vars(tested),
        testing=used,
        winner=winner(delta),
        seeds=len(a),
        sentences=len(tokens),
        sentences_needed=spread.sentences_needed(),
    )


class Testing(Protocol):
    """Test a difference by one look, or by several (`statistics.sequential`)."""

    def p_value(self, tail: float) -> float:
        """Return the two-sided p value of a one-sided one."""

    def quantile(self, level: float) -> float:
        """Return the probability whose quantile, in standard errors, is half of the interval at a level."""

    def conditional_ratio(self, statistic: float, level: float) -> float:
        """Return the conditional estimate of a difference that is clear at a level, as a share of it.

        See :class:`~learnability.statistics.boundaries.Look`. `statistic`: the difference in standard errors.
        """


class _OneLook:
    """A single test."""

    def p_value(self, tail: float) -> float:
        """Return the two-sided p value of a one-sided one."""
        return min(1.0, 2 * tail)

    def quantile(self, level: float) -> float:
        """Return the probability whose quantile, in standard errors, is half of the interval at a level."""
        return 1 - level / 2

    def conditional_ratio(self, statistic: float, level: float) -> float:
        """Return the conditional estimate of a difference that is clear at a level, as a share of it."""
        from scipy.special import ndtri

        alone = Look(float(ndtri(self.quantile(level))), np.zeros(1), 1.0, np.ones(1))
        return alone.conditional_ratio(statistic)


ONE_LOOK = _OneLook()
"""The test of a difference that is looked at once."""


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
    def of(
        cls, delta: float, error: float, degrees: float, comparisons: int = 1, testing: Testing = ONE_LOOK
    ) -> Tested:
        """Return the interval and the p values by Student's t.

        Args:
            delta: the difference.
            error: its standard error, above 0.
            degrees: the degrees of freedom.
            comparisons: the interval and the p values hold for this many comparisons together (Bonferroni).
            testing: how often the difference was looked at.
        """
        from scipy.special import stdtr  # as scipy.stats.t does, whose checks take 300 times as long

        low, high = interval(delta, error, degrees, comparisons, testing)
        no_difference = float(stdtr(degrees, -abs(delta) / error))
        an_effect = float(stdtr(degrees, (abs(delta) - EFFECT) / error))
        return cls(
            error=error,
            degrees=degrees,
            low=low,
            high=high,
            p_value=min(1.0, comparisons * testing.p_value(no_difference)),
            p_equal=min(1.0, comparisons * max(an_effect, testing.p_value(an_effect) / 2)),
        )


def interval(
    delta: float, error: float, degrees: float, comparisons: float = 1, testing: Testing = ONE_LOOK
) -> tuple[float, float]:
    """Return the interval of a difference that holds for several comparisons together (Bonferroni).

    Args:
        delta: the difference, in points.
        error: its standard error.
        degrees: the degrees of freedom of the error (Student's t).
        comparisons: not a whole number where p values are held to such a level (`holm_factors`); below 1 for
            a lower confidence.
        testing: how often the difference was looked at.
    """
    from scipy.special import stdtrit

    half = float(stdtrit(degrees, testing.quantile(ALPHA / comparisons))) * error
    return delta - half, delta + half


def answering_interval(
    delta: float,
    error: float,
    degrees: float,
    factor: float,
    shown: Side,
    testing: Testing = ONE_LOOK,
) -> tuple[float, float]:
    """Return the interval from which `shown` follows: what to print beside a difference.

    It excludes 0 exactly where `shown` names a side, because it has the level to which Holm's procedure holds
    the p value: 1 - ALPHA / `factor` (:func:`holm_factors`). Where `shown` is `equal`, `factor` is that of
    `p_equal`, and the interval is that of the two one-sided tests, which lies within `EFFECT` on both sides
    of 0 and contains 0 (Hsu, Hwang, Liu & Ruberg 1994).
    """
    if shown is not Side.EQUAL:
        return interval(delta, error, degrees, factor, testing)
    low, high = interval(delta, error, degrees, factor / 2, testing)
    return min(0.0, low), max(0.0, high)


def conditional_estimate(
    delta: float, error: float, degrees: float, factor: float, testing: Testing = ONE_LOOK
) -> float:
    """Return what a difference that is clear is estimated to be, given that it is clear.

    Where a test finds few of the differences that exist, those that it finds are too large on average. In at
    least half of the cases the true difference is larger than the estimate (research/neighbours).

    Args:
        delta: the difference, in points.
        error: its standard error.
        degrees: the degrees of freedom of the error (Student's t).
        factor: it is tested at the level ALPHA / `factor`.
        testing: how often the difference was looked at.
    """
    from scipy.special import ndtri, stdtr

    statistic = -float(ndtri(stdtr(degrees, -abs(delta) / error)))
    return delta * testing.conditional_ratio(statistic, ALPHA / factor)


@dataclass(frozen=True)
class TrainingNoise:
    """Hold what is known of var(seed) before looking at a difference.

    Attributes:
        ratio: var(seed) as a ratio to var(residual) / S.
        degrees: the degrees of freedom that this counts for.
    """

    ratio: float = SEED_RATIO
    degrees: int = SEED_DEGREES

    def update_noise(
        self,
        trainings: Sequence[NDArray[np.float64]],
        tokens: NDArray[np.int64],
        folds: NDArray[np.int64],
    ) -> TrainingNoise:
        """Return what is known after some trainings of other annotations on the same folds.

        Parsers of one treebank have about the same ratio in every annotation, and it differs between
        treebanks (research/settling). So the estimates are averaged by their degrees of freedom.

        Args:
            trainings: float64[seeds, S] per annotation, its right tokens.
            tokens: int64[S], all tokens.
            folds: int64[S], the fold in which a sentence was tested.
        """
        excess, residual, degrees = 0.0, 0.0, 0
        for right in trainings:
            spread = Spread.of(right, tokens, self, folds)
            if spread.between:  # several seeds and folds
                measured = spread.seed_degrees - self.degrees
                excess += measured * (spread.between - spread.residual / spread.size)
                residual += measured * spread.residual / spread.size
                degrees += measured
        if not residual:
            return self
        together = self.degrees + degrees
        ratio = (self.degrees * self.ratio + degrees * excess / residual) / together
        return TrainingNoise(max(0.0, ratio), together)


@dataclass(frozen=True)
class Spread:
    """Hold the parts of the variance of delta, in squared points.

    Attributes:
        size: S, the sentences.
        tested: K, the seeds that it was estimated from.
        sentences: S times the variance of delta that is due to the choice of sentences with K seeds; of
            sentences that are not alike it is var(sentence) + var(residual) / K. Infinite with a single one.
        sentence_degrees: its degrees of freedom.
        residual: var(residual), of one sentence and seed; 0 with one seed, where it cannot be told apart.
        seed: var(seed), of one seed.
        seed_degrees: the degrees of freedom of `seed`.
        between: of one seed, the variance of delta between the seeds of a cross-validated treebank, from
            which the residual is subtracted to estimate `seed`; 0 if the treebank is not cross-validated.
    """

    size: int
    tested: int
    sentences: float
    sentence_degrees: float
    residual: float
    seed: float
    seed_degrees: int
    between: float = 0.0

    @classmethod
    def of(
        cls,
        difference: NDArray[np.float64],
        tokens: NDArray[np.int64],
        noise: TrainingNoise | None = None,
        folds: NDArray[np.int64] | None = None,
        documents: NDArray[np.int64] | None = None,
    ) -> Spread:
        """Return the parts as estimated.

        Args:
            difference: float64[K, S], right tokens of (a) less those of (b).
            tokens: int64[S], all tokens.
            noise: what is known of var(seed) without the difference; default: from other treebanks.
            folds: int64[S], the fold in which a sentence was tested, from 0. Each fold has trainings of its
                own, so the effect of a seed is another in each.
            documents: int64[S], the document of a sentence; default: none is known.
        """
        noise = noise or TrainingNoise()
        k, s = difference.shape
        fold = np.zeros(s, np.int64) if folds is None else folds
        if 2 * len(np.unique(fold)) > s:  # folds of single sentences tell nothing of seeds
            fold = np.zeros(s, np.int64)
        fold = np.unique(fold, return_inverse=True)[1]
        count = int(fold.max(initial=0)) + 1
        degrees = noise.degrees + count * (k - 1)
        if s < 2:
            return cls(s, k, inf, 1.0, 0.0, 0.0, degrees)
        per_token = difference.sum() / (k * tokens.sum())
        z = 100.0 * (difference - per_token * tokens) / tokens.mean()
        by_sentence = z.mean(axis=0)
        text = np.zeros(s, np.int64) if documents is None else documents
        of_clusters = ClusterVariance.of(100.0 * difference.mean(axis=0), tokens, find_clusters(text, folds))
        sentences, sentence_degrees = s * of_clusters.variance, of_clusters.degrees
        if k == 1:
            seed = max(0.0, noise.ratio * float(by_sentence.var(ddof=1)) / s)
            return cls(s, k, sentences, sentence_degrees, 0.0, seed, degrees)
        sizes = np.bincount(fold, minlength=count)
        by_seed = np.array([np.bincount(fold, row, minlength=count) for row in z]) / sizes  # [K, folds]
        means = by_seed.mean(axis=0)
        rest = z - by_sentence - (by_seed - means)[:, fold]
        residual = float((rest**2).sum()) / ((k - 1) * (s - count))
        between = float(((sizes / s) ** 2 * by_seed.var(axis=0, ddof=1)).sum())
        excess = between - residual / s
        known = noise.degrees * noise.ratio * residual / s
        seed = (known + count * (k - 1) * excess) / degrees
        seed = max(0.0, seed)
        return cls(s, k, sentences, sentence_degrees, residual, seed, degrees, between if count > 1 else 0.0)

    def of_sentences(self, seeds: int | None = None) -> float:
        """Return the part of the variance that more sentences would lower, with `seeds` seeds.

        It falls with the number of seeds, also where the residual was estimated as larger than the whole.
        """
        if seeds is None or seeds == self.tested:
            return self.sentences / self.size
        sentence = max(0.0, self.sentences - self.residual / self.tested)
        residual = (self.sentences - sentence) * self.tested
        return (sentence + residual / seeds) / self.size

    @property
    def of_training(self) -> float:
        """Return the part of the variance of delta that more seeds would lower, as it is now.

        That is var(seed) / K + var(residual) / (K S).
        """
        return self.seed / self.tested + min(self.residual / self.tested, self.sentences) / self.size

    def variance(self, seeds: int | None = None) -> float:
        """Return the variance of delta with `seeds` seeds (default: those that were tested)."""
        return self.of_sentences(seeds) + self.seed / (seeds or self.tested)

    @property
    def error(self) -> float:
        """Return the standard error of delta, in points."""
        return sqrt(self.variance())

    @property
    def degrees(self) -> float:
        """Return the degrees of freedom of the variance of delta (Satterthwaite).

        The seeds' part is a difference of two variances, so it is less certain than its size tells. That
        counts at the low levels of repeated looks (research/settling); at 0.05 it does not
        (research/calibration).
        """
        of_sentences, of_seeds = self.of_sentences(), self.seed / self.tested
        if of_sentences == inf:
            return 1.0
        if of_sentences + of_seeds < 1e-18:  # 0 up to rounding errors
            return self.sentence_degrees
        uncertain = of_seeds
        if self.between:
            measured = (self.seed_degrees - SEED_DEGREES) / self.seed_degrees
            uncertain = max(of_seeds, sqrt(measured) * self.between / self.tested)
        parts = of_sentences**2 / self.sentence_degrees + uncertain**2 / self.seed_degrees
        together = (of_sentences + of_seeds) ** 2 / parts
        return max(together, min(self.sentence_degrees, self.seed_degrees))

    def sentences_needed(self) -> int | None:
        """Return the n at which z(1 - alpha / 2) + z(power) standard errors are `EFFECT`."""
        from scipy.special import ndtri

        quantiles = float(ndtri(1 - ALPHA / 2) + ndtri(0.8))
        wanted = (EFFECT / quantiles) ** 2 - self.seed / self.tested
        return ceil(self.sentences / wanted) if 1e-9 < self.sentences < inf and wanted > 0 else None


def error_with_folds(
    spread: Spread, difference: NDArray[np.float64], tokens: NDArray[np.int64], folds: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the standard error of delta and its degrees of freedom, also from the differences of the folds.

    A small change of the training set has another effect in each fold, on all seeds alike. The model takes
    the sentences of a fold as independent, so it misses that. The variance between F folds has it, and F - 1
    degrees of freedom. Both variances are averaged by their degrees of freedom, of which the model has
    `MODEL_DEGREES` here (research/history). Both come from the same sentences, so their errors
    add up: the degrees of freedom lie between those of both.

    Args:
        spread: the model.
        difference: float64[K, S], right tokens of (a) less those of (b).
        tokens: int64[S], all tokens.
        folds: int64[S], the fold in which a sentence was tested.
    """
    _, fold, sizes = np.unique(folds, return_inverse=True, return_counts=True)
    count, s = len(sizes), len(tokens)
    if not 1 < count <= s / 2:  # folds of single sentences tell nothing
        return spread.error, spread.degrees
    per_token = difference.sum() / (len(difference) * tokens.sum())
    z = 100.0 * (difference.mean(axis=0) - per_token * tokens) / tokens.mean()
    sums = np.bincount(fold, z, minlength=count)  # the shares of the folds in delta, less their expectation
    of_folds = float((sums**2).sum()) / s**2 * count / (count - 1)
    together = MODEL_DEGREES + count - 1
    of_model = MODEL_DEGREES * spread.variance() / together
    of_folds *= (count - 1) / together
    if of_model + of_folds < 1e-18:  # 0 up to rounding errors
        return spread.error, spread.degrees
    uncertain = of_model / sqrt(spread.degrees) + of_folds / sqrt(count - 1)
    return sqrt(of_model + of_folds), ((of_model + of_folds) / uncertain) ** 2


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
            raise InputError(f"the p value {p} of test {i + 1} is outside 0..1; use values from 0 to 1")
        largest = max(largest, (len(tested) - rank) * p)
        adjusted[i] = largest
    return adjusted


def winner(delta: float | None) -> Side:
    """Return the side that is ahead by the sign of delta = UD - alternative.

    It is none if the difference is 0 or was not computed.
    """
    if delta is None or not delta:
        return Side.NONE
    return Side.FIRST if delta > 0 else Side.SECOND


def side(won: Side, p_value: float | None, p_equal: float | None) -> Side:
    """Return what a difference shows: its winner, `equal` (under `EFFECT` points), or none.

    Args:
        won: the sign of the difference.
        p_value: p of no difference, corrected if there are several comparisons.
        p_equal: p of a difference of `EFFECT` points or more, corrected in the same way.
    """
    if p_value is not None and p_value < ALPHA:
        return won
    return Side.EQUAL if p_equal is not None and p_equal < ALPHA else Side.NONE


def as_of_tokens(right: ArrayLike, counted: ArrayLike, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return counts out of the tokens of each sentence that have the ratio of other counts, linearised.

    A ratio of sums varies with both of its sums, which its linear approximation at the estimate allows for
    (Särndal, Swensson & Wretman 1992, section 5.6). Its sum over sentences is exact.

    Args:
        right: int[seeds, sentences], the right tokens.
        counted: int[seeds, sentences], those that count.
        tokens: int64[sentences], all tokens.

    Returns:
        float64[seeds, sentences]; the sum over the sentences of a seed, by that of the tokens, is its score.

    Raises:
        InputError: the shapes or values of the counts do not fit, or nothing counts.
    """
    a, out_of = np.atleast_2d(np.asarray(right)), np.atleast_2d(np.asarray(counted))
    if a.shape != out_of.shape or a.shape[1:] != tokens.shape or (a < 0).any() or (a > out_of).any():
        raise InputError(
            "there are more right tokens than counted ones, or for other sentences; check the counts"
        )
    sums = out_of.sum(axis=1, keepdims=True)
    if not a.size or not sums.all():
        raise InputError("there are no tokens to compare; pass test sentences and seeds")
    score = a.sum(axis=1, keepdims=True) / sums
    linearised: NDArray[np.float64] = score * tokens + tokens.sum() / sums * (a - score * out_of)
    return linearised


def _check_counts(
    correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the counts (their weighted means) as float64[K, S] twice, and int64[S]."""
    a, b = np.atleast_2d(np.asarray(correct_a)), np.atleast_2d(np.asarray(correct_b))
    tokens = np.asarray(total)
    tests = () if weights is None else weights.shape
    if a.shape != b.shape or a.shape != (*tests, a.shape[-2], *tokens.shape):
        raise InputError(
            f"counts of shapes {a.shape}, {b.shape} and {tokens.shape} do not fit; "
            "pass correct[seeds, sentences] twice and total[sentences]"
        )
    if not all(np.issubdtype(values.dtype, np.integer) for values in (a, b, tokens)):
        raise InputError(
            "`correct_a`, `correct_b` and `total` must be whole numbers; pass the correct heads and tokens "
            "of each sentence"
        )
    if tokens.sum() == 0 or a.size == 0:
        raise InputError("there are no tokens to compare; pass test sentences and seeds")
    if (np.minimum(a, b) < 0).any() or (np.maximum(a, b) > tokens).any():
        raise InputError("a sentence has more correct heads than tokens, or fewer than 0; check the counts")
    if weights is not None:
        a, b = np.tensordot(weights, a, 1), np.tensordot(weights, b, 1)
    return a.astype(np.float64), b.astype(np.float64), tokens.astype(np.int64)

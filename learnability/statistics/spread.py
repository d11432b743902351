"""Estimate the parts of the variance of a difference: what is due to sentences, to seeds, and to folds.

`statistics.significance` defines the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from learnability.statistics.text_variance import TextNoise, TextVariance, degrees_of_sum

Floats = NDArray[np.float64]

SEED_RATIO, SEED_DEGREES = 0.5, 20
"""The prior value of var(seed), as a ratio to var(residual) / S, and the degrees of freedom that it counts
for. In 26 treebanks of release 2.16 it is 0.55 on average, and differs between them no more than by chance
(research/text_noise)."""

UNSURE_DEGREES = 6
"""The degrees of freedom of another prior value: of a parser for which it was measured on few treebanks or
none, or where parsers are tested on much more than they learned from."""

RESIDUAL_SHARE = 0.75
"""The part of the variance of a sentence by one training that another training would change: var(residual) by
var(sentence) + var(residual). One training cannot tell it; in the 26 treebanks it is 0.57 to 0.87."""

USUAL_TEST_SHARE = 0.5
"""Tokens that a training is tested on, for each that it learned from, up to which `SEED_RATIO` holds:
var(residual) / S falls with the test set, and var(seed) with the training set (research/calibration)."""


def scale_seed_ratio(ratio: float, tested: float, trained: float) -> float:
    """Return the prior value of var(seed), as a ratio to var(residual) / S, for a training set of this size.

    Where parsers are tested on much more than they learned from, their training is most of the noise.
    """
    if not trained:
        return ratio
    return ratio * max(1.0, tested / (USUAL_TEST_SHARE * trained))


MODEL_DEGREES = 6
"""The degrees of freedom of the model where it is averaged with the variance between folds."""


@dataclass(frozen=True)
class TrainingScatter:
    """Hold how the trainings of one treebank scatter.

    Attributes:
        residual: var(residual), of one sentence and seed; 0 with one seed, where it cannot be told apart.
        between: the variance of delta between the seeds, of one seed.
        degrees: the degrees of freedom of `between`.
    """

    residual: float
    between: float
    degrees: int
    folds: int

    @classmethod
    def of(
        cls, difference: Floats, tokens: NDArray[np.int64], folds: NDArray[np.int64] | None
    ) -> TrainingScatter:
        """Return how they scatter; arguments as :meth:`Spread.of`."""
        k, s = difference.shape
        fold = np.zeros(s, np.int64) if folds is None else folds
        if 2 * len(np.unique(fold)) > s:  # folds of single sentences tell nothing of seeds
            fold = np.zeros(s, np.int64)
        fold = np.unique(fold, return_inverse=True)[1]
        sizes = np.bincount(fold)
        count = len(sizes)
        if k == 1 or s < 2:
            return cls(0.0, 0.0, count * (k - 1), count)
        z = _contributions(difference, tokens)
        by_seed = np.array([np.bincount(fold, row, minlength=count) for row in z]) / sizes  # [K, folds]
        rest = z - z.mean(axis=0) - (by_seed - by_seed.mean(axis=0))[:, fold]
        residual = float((rest**2).sum()) / ((k - 1) * (s - count))
        between = float(((sizes / s) ** 2 * by_seed.var(axis=0, ddof=1)).sum())
        return cls(residual, between, count * (k - 1), count)


@dataclass(frozen=True)
class TrainingNoise:
    """Hold what is known of var(seed) before looking at a difference.

    Attributes:
        ratio: var(seed) as a ratio to var(residual) / S.
        degrees: the degrees of freedom that this counts for.
        elsewhere: those of them that other treebanks have told.
    """

    ratio: float
    degrees: int
    elsewhere: int

    @classmethod
    def known_elsewhere(cls, ratio: float = SEED_RATIO) -> TrainingNoise:
        """Return what other treebanks say."""
        degrees = SEED_DEGREES if ratio == SEED_RATIO else UNSURE_DEGREES
        return cls(ratio, degrees, degrees)

    def after(
        self, trainings: Sequence[Floats], tokens: NDArray[np.int64], folds: NDArray[np.int64] | None
    ) -> TrainingNoise:
        """Return what is known after some trainings of other annotations on the same sentences.

        Parsers of one treebank have about the same ratio in every annotation (research/settling), so the
        estimates are averaged by their degrees of freedom. `trainings`: float64[seeds, S], right tokens; the
        other arguments are those of :meth:`Spread.of`.
        """
        excess, residual, degrees = 0.0, 0.0, 0
        for right in trainings:
            scatter = TrainingScatter.of(right, tokens, folds)
            if scatter.residual:  # several seeds
                excess += scatter.degrees * (scatter.between - scatter.residual / len(tokens))
                residual += scatter.degrees * scatter.residual / len(tokens)
                degrees += scatter.degrees
        if not residual:
            return self
        together = self.degrees + degrees
        ratio = (self.degrees * self.ratio + degrees * excess / residual) / together
        return replace(self, ratio=max(0.0, ratio), degrees=together)


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
        elsewhere: the part of `seed_degrees` that other treebanks have told.
    """

    size: int
    tested: int
    sentences: float
    sentence_degrees: float
    residual: float
    seed: float
    seed_degrees: int
    between: float = 0.0
    elsewhere: int = SEED_DEGREES

    @classmethod
    def of(
        cls,
        difference: Floats,
        tokens: NDArray[np.int64],
        noise: TrainingNoise | None = None,
        folds: NDArray[np.int64] | None = None,
        documents: NDArray[np.int64] | None = None,
        text_noise: TextNoise | None = None,
    ) -> Spread:
        """Return the parts as estimated.

        Args:
            difference: float64[K, S], right tokens of (a) less those of (b).
            tokens: int64[S], all tokens.
            noise: what is known of var(seed) without the difference; default: from other treebanks.
            folds: int64[S], the fold in which a sentence was tested, from 0. Each fold has trainings of its
                own, so the effect of a seed is another in each.
            documents: int64[S], the document of a sentence; default: none is known.
            text_noise: what is known of the text without the difference; default: nothing.
        """
        noise = noise or TrainingNoise.known_elsewhere()
        k, s = difference.shape
        scatter = TrainingScatter.of(difference, tokens, folds)
        degrees = noise.degrees + scatter.degrees
        if s < 2:
            return cls(s, k, inf, 1.0, 0.0, 0.0, degrees, elsewhere=noise.elsewhere)
        text = np.zeros(s, np.int64) if documents is None else documents
        of_text = TextVariance.of(100.0 * difference.mean(axis=0), tokens, text, folds)
        if text_noise is not None:
            of_text = text_noise.moderate(of_text)
        sentences, sentence_degrees = s * of_text.variance, of_text.degrees
        if k == 1:
            of_sentences = _contributions(difference, tokens)[0].var(ddof=1)
            seed = max(0.0, noise.ratio * RESIDUAL_SHARE * float(of_sentences) / s)
            return cls(s, k, sentences, sentence_degrees, 0.0, seed, degrees, elsewhere=noise.elsewhere)
        residual = scatter.residual
        excess = scatter.between - residual / s
        known = noise.degrees * noise.ratio * residual / s
        seed = max(0.0, (known + scatter.degrees * excess) / degrees)
        between = scatter.between if scatter.folds > 1 else 0.0
        return cls(s, k, sentences, sentence_degrees, residual, seed, degrees, between, noise.elsewhere)

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
        """Return the degrees of freedom of the variance of delta.

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
            measured = (self.seed_degrees - self.elsewhere) / self.seed_degrees
            uncertain = max(of_seeds, sqrt(measured) * self.between / self.tested)
        deviations = of_sentences / sqrt(self.sentence_degrees), uncertain / sqrt(self.seed_degrees)
        together = float(degrees_of_sum(of_sentences + of_seeds, *deviations))
        return max(together, min(self.sentence_degrees, self.seed_degrees))


def error_with_folds(
    spread: Spread, difference: Floats, tokens: NDArray[np.int64], folds: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the standard error of delta and its degrees of freedom, also from the differences of the folds.

    A small change of the training set has another effect in each fold, on all seeds alike. The model takes
    the sentences of a fold as independent, so it misses that. The variance between F folds has it, and F - 1
    degrees of freedom. Both variances are averaged by their degrees of freedom, of which the model has
    `MODEL_DEGREES` here (research/history). Both come from the same sentences, so their errors add up. The
    arguments are those of :meth:`Spread.of`.
    """
    _, fold, sizes = np.unique(folds, return_inverse=True, return_counts=True)
    count, s = len(sizes), len(tokens)
    if not 1 < count <= s / 2:  # folds of single sentences tell nothing
        return spread.error, spread.degrees
    z = _contributions(difference, tokens).mean(axis=0)
    sums = np.bincount(fold, z, minlength=count)  # the shares of the folds in delta, less their expectation
    of_folds = float((sums**2).sum()) / s**2 * count / (count - 1)
    together = MODEL_DEGREES + count - 1
    of_model = MODEL_DEGREES * spread.variance() / together
    of_folds *= (count - 1) / together
    if of_model + of_folds < 1e-18:  # 0 up to rounding errors
        return spread.error, spread.degrees
    deviations = of_model / sqrt(spread.degrees), of_folds / sqrt(count - 1)
    return sqrt(of_model + of_folds), float(degrees_of_sum(of_model + of_folds, *deviations))


def _contributions(difference: Floats, tokens: NDArray[np.int64]) -> Floats:
    """Return float64[K, S], what each seed and sentence contributes to delta, less its expectation."""
    per_token = difference.sum() / (len(difference) * tokens.sum())
    contributions: Floats = 100.0 * (difference - per_token * tokens) / tokens.mean()
    return contributions

"""Estimate the variance of a score of a text whose neighbouring sentences are alike.

Sentences of a document share topic, author and construction, so their errors are not independent, and a
variance that takes them as independent is too small.

Where enough documents are marked, the variance follows from sums over clusters, which have what
the sentences of a cluster share (Liang & Zeger 1986): documents, of which long ones are cut into blocks of
neighbours.

Else it follows from waves: how much the contributions of the sentences rise and fall along the text in slow
cosines. What neighbours share is the same in a slow wave as in the sum of all, and it need not be known where
a document begins (Müller 2007; Lazarus, Lewis, Stock & Watson 2018). With as many false alarms, this sees
more differences than blocks of neighbours, or products of neighbours with weights (research/neighbours).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 30
"""Sentences of a block of neighbours, if that makes neither too few nor too many blocks."""

FEWEST_BLOCKS, MOST_BLOCKS = 5, 20
"""Blocks of neighbours that all sentences are cut into at least and at most, if they are of one document."""


def find_clusters(documents: NDArray[np.int64], folds: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return int64[S], the cluster of each sentence, from 0.

    Neighbours of the same document and fold are a cluster. Those that are longer than a block are cut into
    blocks, so that one document does not make up most of the variance. A fold has at least two clusters.

    Args:
        documents: int64[S], the document of each sentence.
        folds: int64[S], the fold in which each sentence was tested; None: they are tested together.
    """
    count = len(documents)
    if not count:
        return np.zeros(0, np.int64)
    blocks = min(max(count // BLOCK, FEWEST_BLOCKS), MOST_BLOCKS)
    fold = np.zeros(count, np.int64) if folds is None else folds
    starts = find_starts(documents, folds)
    lengths = np.diff(np.append(starts, count))
    _, fold_of_start, starts_of_fold = np.unique(fold[starts], return_inverse=True, return_counts=True)
    fewest = np.where(starts_of_fold[fold_of_start] == 1, 2, 1)
    pieces = np.minimum(lengths, np.maximum(np.rint(lengths * blocks / count).astype(np.int64), fewest))
    place = np.arange(count) - np.repeat(starts, lengths)
    block = place * np.repeat(pieces, lengths) // np.repeat(lengths, lengths)
    clusters: NDArray[np.int64] = block + np.repeat(np.cumsum(pieces) - pieces, lengths)
    return clusters


def find_starts(documents: NDArray[np.int64], folds: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return where a document or a fold begins, as numbers of sentences; arguments as `find_clusters`."""
    changes = np.diff(documents) != 0
    if folds is not None:
        changes |= np.diff(folds) != 0
    return np.append(0, np.flatnonzero(changes) + 1)


SENTENCES_OF_WAVE = 50
"""Sentences for each wave. With more waves, the fastest ones are too fast for documents of 30 sentences."""

FEWEST_WAVES, MOST_WAVES = 4, 20
"""Waves at least and at most. More would hardly lower the quantile of Student's t."""


ENOUGH_SENTENCES = 150
"""Sentences from which on the fewest waves are slow enough for documents of 30 sentences."""


def count_waves(sentences: int) -> int:
    """Return how many waves the variance of a text with this many sentences follows from."""
    return min(max(sentences // SENTENCES_OF_WAVE, FEWEST_WAVES), MOST_WAVES)


def degrees_of_sum(total: float | Floats, *deviations: float | Floats) -> Floats:
    """Return the degrees of freedom of a sum of variances (`total`, above 0), float64[...].

    The deviations of the parts are added, as if all errors were the same. If the parts were independent,
    squares would be added (Satterthwaite 1946). But a part that is too small by chance would then seem
    certain, and with few degrees of freedom false alarms are up to twice as many (research/neighbours). A
    deviation is a part by the root of its degrees of freedom.
    """
    degrees: Floats = np.square(np.asarray(total) / sum(deviations))
    return degrees


@dataclass(frozen=True)
class Waves:
    """Hold slow cosines along a text: the j-th of them has j half waves from its first to its last token.

    Attributes:
        heights: float64[S, waves], of each sentence in each wave. The mean over all tokens is 0, that of the
            square 1.
        degrees: the degrees of freedom of the variance, if that of a sentence is proportional to its tokens.
    """

    heights: Floats
    degrees: float

    @classmethod
    def of(cls, sizes: NDArray[np.int64], count: int) -> Waves:
        """Return the waves of a text, as many as `count` if there are enough sentences.

        The mean square of several sums has fewer degrees of freedom than sums where a few sentences have most
        of the tokens, because the sums are then correlated (Satterthwaite). Of equal sentences, each wave
        counts for one. `sizes`: int64[S], the tokens of each sentence, in the order of the text; two at least
        above 0.
        """
        total = sizes.sum()
        count = min(count, int((sizes > 0).sum()) - 1)
        middle = (np.cumsum(sizes) - sizes / 2) / total
        cosines = np.cos(np.pi * np.outer(middle, np.arange(1, count + 1)))
        centered = cosines - sizes @ cosines / total
        heights = centered / np.sqrt(sizes @ np.square(centered) / total)
        correlations = heights.T @ (sizes[:, None] * heights) / total
        return cls(heights, float(count**2 / np.square(correlations).sum()))

    def variance(self, contributions: Floats) -> Floats:
        """Return the variance of the sum of contributions, float64[..., S], whose sum is 0."""
        variance: Floats = np.square(contributions @ self.heights).mean(axis=-1)
        return variance


@lru_cache(maxsize=8)  # all constructions and scores of a treebank have the same
def _waves_of(sizes: bytes, count: int) -> Waves:
    return Waves.of(np.frombuffer(sizes, np.int64), count)


@dataclass(frozen=True)
class TextVariance:
    """Hold the variance of a ratio of sums that is due to the choice of the text.

    Attributes:
        variance: of the ratio; infinite with a single sentence or cluster.
        degrees: its degrees of freedom (Student's t).
        of_independent: what the variance is if sentences are independent.
        independent_degrees: the degrees of freedom of that, by the fourth moments of the sentences: few where
            a few sentences make up most of it.
    """

    variance: float
    degrees: float
    of_independent: float = inf
    independent_degrees: float = 1.0

    @classmethod
    def of(
        cls,
        values: Floats,
        sizes: NDArray[np.int64],
        documents: NDArray[np.int64],
        folds: NDArray[np.int64] | None = None,
    ) -> TextVariance:
        """Return the variance of sum(values) / sum(sizes).

        It follows from documents if there are more of them than waves, and two for each fold on average.
        `values`: float64[S], in the order of the text. The arrays below are int64[S]. `sizes`: at least one
        above 0. `documents`: all the same where none is marked. `folds`: where sentences were not tested
        together.
        """
        count = count_waves(len(sizes))
        tested = 1 if folds is None else len(np.unique(folds))
        if len(find_starts(documents, folds)) >= max(count + 1, 2 * tested):
            found = cls.from_clusters(values, sizes, find_clusters(documents, folds))
        else:
            found = cls.from_waves(values, sizes, count)
        return replace(found, **_of_independent(values, sizes))

    @property
    def ratio(self) -> float:
        """Return the variance as a multiple of that of independent sentences; nan if that is 0 or unknown."""
        return self.variance / self.of_independent if 0 < self.of_independent < inf else nan

    @classmethod
    def from_waves(cls, values: Floats, sizes: NDArray[np.int64], count: int) -> TextVariance:
        """Return the variance of sum(values) / sum(sizes) from slow waves along the text."""
        if (sizes > 0).sum() < 2:
            return cls(inf, 1.0)
        total = sizes.sum()
        waves = _waves_of(sizes.tobytes(), count)
        return cls(float(waves.variance((values - values.sum() / total * sizes) / total)), waves.degrees)

    @classmethod
    def from_clusters(
        cls, values: Floats, sizes: NDArray[np.int64], clusters: NDArray[np.int64]
    ) -> TextVariance:
        """Return the variance of sum(values) / sum(sizes) from sums over clusters (int64[S], from 0).

        The sums over clusters, less their expectation, are squared and added. Each is divided by what the
        ratio itself takes away from it, so that the variance is right on average where the variance of a sum
        is proportional to its size (CR2: Bell & McCaffrey 2002). Few or unequal clusters tell it less surely:
        `degrees` has the first two moments under the same assumption (Satterthwaite; Bell & McCaffrey 2002).
        With clusters of equal size these are the usual variance and the number of clusters less 1.
        """
        of_values, of_sizes = np.bincount(clusters, values), np.bincount(clusters, sizes)
        of_values, of_sizes = of_values[of_sizes > 0], of_sizes[of_sizes > 0]
        if len(of_sizes) < 2:
            return cls(inf, 1.0)
        total = of_sizes.sum()
        rest = (of_values - values.sum() / total * of_sizes) / total
        share = of_sizes / total
        weights = 1 / (1 - share)
        products = share * weights * share
        squares = (share**2).sum() + products.sum() ** 2 - (products**2).sum()
        return cls(float(weights @ rest**2), float(1 / squares))


@dataclass(frozen=True)
class TextPrior:
    """Hold what other treebanks say of the variance of a text.

    Attributes:
        ratio: the variance as a multiple of that of independent sentences.
        treebank_degrees: the degrees of freedom that this counts for in a treebank.
        construction_degrees: those that the treebank's own ratio counts for in one of its constructions.
    """

    ratio: float
    treebank_degrees: float
    construction_degrees: float


PRIOR_OF_TEST_SET = TextPrior(1.2, 40.0, 75.0)
"""Of a test set that is parsed by the same parsers (research/text_noise)."""

PRIOR_OF_FOLDS = TextPrior(1.3, 50.0, 30.0)
"""Of all sentences of a treebank: each fold has parsers of its own, which adds a part that a construction has
for itself."""

ALIKE = 0.1
"""The correlation of two estimates of a treebank's ratio, from two constructions on the same sentences."""


@dataclass(frozen=True)
class TextNoise:
    """Hold what is known of how much a text varies before looking at a difference.

    Few waves tell a variance badly, but its ratio to that of independent sentences differs little between
    treebanks, and less between the constructions of one. So it is moderated: averaged with what other
    treebanks and constructions say, by degrees of freedom (Smyth 2004; research/text_noise).

    Attributes:
        ratio: the variance as a multiple of that of independent sentences.
        degrees: the degrees of freedom that this counts for.
    """

    ratio: float
    degrees: float

    @classmethod
    def after(cls, others: Iterable[TextVariance], prior: TextPrior = PRIOR_OF_TEST_SET) -> TextNoise:
        """Return what is known after other differences on the same text, those of its other constructions."""
        known = [other for other in others if isfinite(other.ratio)]
        degrees = [1 / (1 / other.degrees + 1 / prior.construction_degrees) for other in known]
        overlap = 1 + (len(known) - 1) * ALIKE
        measured = sum(other.ratio * count for other, count in zip(known, degrees, strict=True)) / overlap
        of_treebank = prior.treebank_degrees + sum(degrees) / overlap
        ratio = (prior.treebank_degrees * prior.ratio + measured) / of_treebank
        return cls(ratio, 1 / (1 / of_treebank + 1 / prior.construction_degrees))

    def moderate(self, found: TextVariance) -> TextVariance:
        """Return the variance averaged with what is known, and its degrees of freedom.

        What is known is a ratio, so that part is no surer than the variance of independent sentences.
        """
        if not isfinite(found.ratio):
            return found
        together = self.degrees + found.degrees
        ratio = (self.degrees * self.ratio + found.degrees * found.ratio) / together
        borrowed = self.degrees * self.ratio / (together * ratio)
        degrees = 1 / (1 / together + borrowed**2 / found.independent_degrees)
        return replace(found, variance=ratio * found.of_independent, degrees=degrees)


def _of_independent(values: Floats, sizes: NDArray[np.int64]) -> dict[str, float]:
    there = sizes > 0
    count, total = int(there.sum()), sizes.sum()
    if count < 2:
        return {}
    squares = np.square((values - values.sum() / total * sizes)[there] / total)
    sum_of_squares = float(squares.sum())
    scatter = float(np.square(squares - squares.mean()).sum())
    degrees = 2 * sum_of_squares**2 / scatter if scatter > 0 else inf
    return {
        "of_independent": sum_of_squares * count / (count - 1),
        "independent_degrees": min(degrees, count - 1.0),
    }

"""Group sentences into clusters, because neighbouring sentences are alike.

Sentences of a document share topic, author and construction, so their errors are not independent. A variance
that is estimated from sums over clusters has what the sentences of a cluster share (Liang & Zeger 1986). A
cluster is a document, or a block of neighbours where no document is marked.

More than `MOST_BLOCKS` blocks would hardly lower the quantile of Student's t. Longer blocks have more of what
sentences share where a document does not begin with a block (research/neighbours).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

BLOCK = 30
"""Sentences of a block of neighbours, if that makes neither too few nor too many blocks."""

FEWEST_BLOCKS, MOST_BLOCKS = 5, 20
"""Blocks of neighbours that all sentences are cut into at least and at most."""


def find_clusters(documents: NDArray[np.int64], folds: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return int64[S], the cluster of each sentence, from 0.

    Neighbours of the same document and fold are a cluster. Those that are longer than a block are cut into
    blocks, so that one document does not make up most of the variance. A fold has at least two clusters.

    Args:
        documents: int64[S], the document of each sentence; all the same where none is marked.
        folds: int64[S], the fold in which each sentence was tested; None: they are tested together.
    """
    count = len(documents)
    if not count:
        return np.zeros(0, np.int64)
    blocks = min(max(count // BLOCK, FEWEST_BLOCKS), MOST_BLOCKS)
    fold = np.zeros(count, np.int64) if folds is None else folds
    starts = [0, *(np.flatnonzero(np.diff(documents) | np.diff(fold)) + 1), count]
    pieces_of_fold: dict[int, int] = {}
    for start in starts[:-1]:
        pieces_of_fold[int(fold[start])] = pieces_of_fold.get(int(fold[start]), 0) + 1
    clusters = np.zeros(count, np.int64)
    found = 0
    for start, end in pairwise(starts):
        length = int(end - start)
        fewest = 2 if pieces_of_fold[int(fold[start])] == 1 else 1
        pieces = min(length, max(round(length * blocks / count), fewest))
        clusters[start:end] = found + np.arange(length) * pieces // length
        found += pieces
    return clusters


@dataclass(frozen=True)
class ClusterVariance:
    """Hold the variance of a ratio of sums that is due to the choice of clusters.

    Attributes:
        variance: of the ratio; infinite with a single cluster.
        degrees: its degrees of freedom (Student's t).
    """

    variance: float
    degrees: float

    @classmethod
    def of(
        cls, values: NDArray[np.float64], sizes: NDArray[np.int64], clusters: NDArray[np.int64]
    ) -> ClusterVariance:
        """Return the variance of sum(values) / sum(sizes).

        The sums over clusters, less their expectation, are squared and added. Each is divided by what the
        ratio itself takes away from it, so that the variance is right on average where the variance of a sum
        is proportional to its size (CR2: Bell & McCaffrey 2002). Few or unequal clusters tell it less surely:
        `degrees` has the first two moments under the same assumption (Satterthwaite; Bell & McCaffrey 2002).
        With clusters of equal size these are the usual variance and the number of clusters less 1.

        Args:
            values: float64[S].
            sizes: int64[S], at least one above 0.
            clusters: int64[S], from 0.
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

"""Group sentences into clusters: documents, of which long ones are cut into blocks of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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

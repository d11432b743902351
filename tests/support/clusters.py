"""Clusters of sentences and the variance of a ratio, by loops and matrices: twins of statistics.clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnability.statistics.clusters import BLOCK, FEWEST_BLOCKS, MOST_BLOCKS


def clusters_of_twin(documents: Sequence[int], folds: Sequence[int] | None = None) -> list[int]:
    """The cluster of each sentence: runs of equal document and fold, long ones in equal blocks."""
    count = len(documents)
    keys = list(zip(documents, folds if folds is not None else [0] * count, strict=True))
    runs: list[list[int]] = []
    for i, key in enumerate(keys):
        if i and keys[i - 1] == key:
            runs[-1].append(i)
        else:
            runs.append([i])
    blocks = min(max(count // BLOCK, FEWEST_BLOCKS), MOST_BLOCKS)
    clusters, found = [0] * count, 0
    for run in runs:
        alone_in_fold = sum(keys[other[0]][1] == keys[run[0]][1] for other in runs) == 1
        pieces = max(round(len(run) * blocks / count), 2 if alone_in_fold else 1)
        pieces = min(pieces, len(run))
        for place, sentence in enumerate(run):
            clusters[sentence] = found + place * pieces // len(run)
        found += pieces
    return clusters


def variance_of_twin(
    values: Sequence[float], sizes: Sequence[int], clusters: Sequence[int]
) -> tuple[float, float]:
    """The variance of 100 * sum(values) / sum(sizes), and its degrees of freedom, from matrices.

    The estimate is a quadratic form of the sums over clusters. If these are independent with variances in
    proportion to their sizes, its mean is the trace of a matrix and its variance twice that of the square.
    """
    names = sorted(set(clusters))
    of = {name: [i for i, cluster in enumerate(clusters) if cluster == name] for name in names}
    sums = np.array([sum(values[i] for i in of[name]) for name in names])
    tokens = np.array([float(sum(sizes[i] for i in of[name])) for name in names])
    sums, tokens = sums[tokens > 0], tokens[tokens > 0]
    if len(tokens) < 2:
        return float("inf"), 1.0
    share = tokens / tokens.sum()
    residuals = np.eye(len(tokens)) - np.outer(share, np.ones(len(tokens)))
    rest = residuals @ sums
    # what is left of the variance of each sum where all variances are proportional to sizes
    left = np.diag(residuals @ np.diag(tokens) @ residuals.T) / tokens
    form = residuals.T @ np.diag(1 / left) @ residuals / tokens.sum() ** 2 * 100**2
    variance = float(sums @ form @ sums)
    assert np.isclose(variance, float((rest**2 / left).sum()) / tokens.sum() ** 2 * 100**2)
    under = form @ np.diag(tokens)
    return variance, float(np.trace(under) ** 2 / np.trace(under @ under))

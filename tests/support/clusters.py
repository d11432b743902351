"""Clusters, waves and the variance of a ratio, by loops: twins of statistics.text_variance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, inf, pi, sqrt

import numpy as np

from learnability.statistics.text_variance import (
    BLOCK,
    FEWEST_BLOCKS,
    FEWEST_WAVES,
    MOST_BLOCKS,
    MOST_WAVES,
    SENTENCES_OF_WAVE,
)


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


def waves_of_twin(sizes: Sequence[int], count: int) -> list[list[float]]:
    """The heights of sentences in each wave: cosines at the middle of their tokens, standardised."""
    total = sum(sizes)
    count = min(count, sum(size > 0 for size in sizes) - 1)
    waves = []
    for wave in range(1, count + 1):
        heights = [cos(pi * wave * (sum(sizes[:i]) + sizes[i] / 2) / total) for i in range(len(sizes))]
        mean = sum(size * height for size, height in zip(sizes, heights, strict=True)) / total
        square = sum(size * (height - mean) ** 2 for size, height in zip(sizes, heights, strict=True)) / total
        waves.append([(height - mean) / sqrt(square) for height in heights])
    return waves


def wave_variance_of_twin(values: Sequence[float], sizes: Sequence[int], count: int) -> tuple[float, float]:
    """The variance of 100 * sum(values) / sum(sizes), and its degrees of freedom, from sums over waves.

    If sentences are independent with variances in proportion to their sizes, the mean square of the sums has
    the variance 2 * sum of squared covariances / waves².
    """
    if sum(size > 0 for size in sizes) < 2:
        return inf, 1.0
    total = sum(sizes)
    rest = [100 * (v - sum(values) / total * t) / total for v, t in zip(values, sizes, strict=True)]
    waves = waves_of_twin(sizes, count)
    sums = [sum(height * r for height, r in zip(wave, rest, strict=True)) for wave in waves]
    squared_covariances = sum(
        sum(a * b * t for a, b, t in zip(wave, other, sizes, strict=True)) ** 2 / total**2
        for wave in waves
        for other in waves
    )
    return sum(each**2 for each in sums) / len(sums), len(sums) ** 2 / squared_covariances


def text_variance_of_twin(
    values: Sequence[float],
    sizes: Sequence[int],
    documents: Sequence[int] | None = None,
    folds: Sequence[int] | None = None,
) -> tuple[float, float]:
    """The variance that `compare` takes: from documents where they are enough, else from waves."""
    count = max(FEWEST_WAVES, min(MOST_WAVES, len(sizes) // SENTENCES_OF_WAVE))
    document, fold = documents or [0] * len(sizes), folds or [0] * len(sizes)
    keys = list(zip(document, fold, strict=True))
    runs = 1 + sum(key != following for key, following in pairwise(keys))
    if runs > count and runs >= 2 * len(set(fold)):
        return variance_of_twin(values, sizes, clusters_of_twin(document, folds))
    return wave_variance_of_twin(values, sizes, count)

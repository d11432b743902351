"""Clusters of sentences: against loops, by hand, and in simulations whose truth is known."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.clusters import clusters_of_twin, variance_of_twin

from learnability.statistics.clusters import ClusterVariance, find_clusters
from learnability.statistics.significance import compare


def runs(draw: some.DrawFn, count: int, most: int) -> list[int]:
    """Numbers that never fall."""
    steps = draw(some.lists(some.integers(0, 1), min_size=count, max_size=count))
    return [min(most, number) for number in np.cumsum(steps).tolist()]


@some.composite
def texts(draw: some.DrawFn) -> tuple[list[int], list[int]]:
    """The document and the fold of each sentence; documents may go on in the next fold."""
    count = draw(some.integers(1, 90))
    return runs(draw, count, draw(some.integers(0, 40))), runs(draw, count, draw(some.integers(0, 9)))


@given(texts())
def test_clusters_are_those_of_the_twin(text: tuple[list[int], list[int]]) -> None:
    documents, folds = map(np.array, text)
    assert find_clusters(documents, folds).tolist() == clusters_of_twin(*text)
    assert find_clusters(documents).tolist() == clusters_of_twin(text[0])


def test_clusters_by_hand() -> None:
    def sizes(documents: list[int], folds: list[int] | None = None) -> list[int]:
        fold = None if folds is None else np.array(folds)
        return np.bincount(find_clusters(np.array(documents), fold)).tolist()

    assert sizes([0] * 300) == [30] * 10
    assert sizes([0] * 3000) == [150] * 20
    assert sizes([0] * 50) == [10] * 5
    assert sizes([0] * 4) == [1] * 4
    short, longer, *blocks = sizes([0] * 10 + [1] * 15 + [2] * 275)
    assert (short, longer, len(blocks), sorted(set(blocks))) == (10, 15, 9, [30, 31])
    assert sizes([0] * 90, [0] * 30 + [1] * 30 + [2] * 30) == [15] * 6
    assert sizes(list(range(40))) == [1] * 40
    assert sizes([]) == []


@given(texts(), some.integers(0, 2**32))
def test_the_variance_is_that_of_the_twin(text: tuple[list[int], list[int]], seed: int) -> None:
    chance = np.random.default_rng(seed)
    clusters = find_clusters(*map(np.array, text))
    sizes = chance.integers(0, 30, len(clusters))
    sizes[0] += 1
    values = np.clip(np.round(chance.normal(size=len(clusters)) * 3), -sizes, sizes)
    found = ClusterVariance.of(100 * values, sizes, clusters)
    variance, degrees = variance_of_twin(values.tolist(), sizes.tolist(), clusters.tolist())
    assert found.variance == pytest.approx(variance, abs=1e-12)
    assert found.degrees == pytest.approx(degrees)


def test_equal_clusters_have_the_variance_of_their_means() -> None:
    values = np.array([1.0, 2.0, 6.0, 3.0, 0.0, 0.0])
    found = ClusterVariance.of(values, np.full(6, 10), np.array([0, 0, 1, 1, 2, 2]))
    sums = np.array([3.0, 9.0, 0.0]) / 20
    assert found.variance == pytest.approx(sums.var(ddof=1) / 3)
    assert found.degrees == pytest.approx(2)


def test_one_cluster_tells_nothing() -> None:
    assert ClusterVariance.of(np.ones(3), np.full(3, 5), np.zeros(3, np.int64)) == ClusterVariance(inf, 1.0)


def test_a_large_cluster_leaves_few_degrees_of_freedom() -> None:
    even = ClusterVariance.of(np.arange(20.0), np.full(20, 10), np.arange(20))
    uneven = ClusterVariance.of(np.arange(20.0), np.array([*[10] * 19, 1000]), np.arange(20))
    assert even.degrees == pytest.approx(19)
    assert uneven.degrees < 3


SIMULATIONS = 800


@pytest.mark.parametrize(("sentences", "shared"), [(450, 0.0), (450, 0.1), (1500, 0.1), (150, 0.1)])
def test_documents_that_share_a_tenth_raise_few_alarms(sentences: int, shared: float) -> None:
    """Documents of 30 sentences, and nobody is better; sentences alone would raise a third of alarms."""
    chance = np.random.default_rng(sentences)
    document = np.arange(sentences) // 30
    alarms = {"document": 0, "sentence": 0}
    for _ in range(SIMULATIONS):
        total = chance.integers(10, 30, sentences)
        of_document = chance.normal(size=sentences)[document] * np.sqrt(shared)
        effect = 3 * (of_document + chance.normal(size=sentences) * np.sqrt(1 - shared))
        a, b = 5 + np.clip(np.rint(effect), 0, 5).astype(int), 5 + np.clip(np.rint(-effect), 0, 5).astype(int)
        for cluster, documents in (("document", document), ("sentence", np.arange(sentences))):
            found = compare(a, b, total, documents=documents, seed_ratio=0)
            alarms[cluster] += found.p_value < 0.05
    assert alarms["document"] / SIMULATIONS < 0.065 + 0.01
    if shared:
        assert alarms["sentence"] / SIMULATIONS > 0.2

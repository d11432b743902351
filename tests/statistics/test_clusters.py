"""Clusters and waves of sentences: against loops, by hand, and in simulations whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.clusters import clusters_of_twin, text_variance_of_twin, variance_of_twin, wave_variance_of_twin

from learnability.statistics.significance import compare
from learnability.statistics.text_variance import TextVariance, Waves, count_waves, find_clusters


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
    found = TextVariance.from_clusters(100 * values, sizes, clusters)
    variance, degrees = variance_of_twin(values.tolist(), sizes.tolist(), clusters.tolist())
    assert found.variance == pytest.approx(variance, abs=1e-12)
    assert found.degrees == pytest.approx(degrees)


@given(texts(), some.integers(0, 2**32), some.integers(1, 30))
def test_the_variance_from_waves_is_that_of_the_twin(
    text: tuple[list[int], list[int]], seed: int, count: int
) -> None:
    chance = np.random.default_rng(seed)
    sizes = chance.integers(0, 30, len(text[0]))
    sizes[0] += 1
    values = np.clip(np.round(chance.normal(size=len(sizes)) * 3), -sizes, sizes)
    found = TextVariance.from_waves(100 * values, sizes, count)
    variance, degrees = wave_variance_of_twin(values.tolist(), sizes.tolist(), count)
    assert found.variance == pytest.approx(variance, abs=1e-12)
    assert found.degrees == pytest.approx(degrees)


@given(texts(), some.integers(0, 2**32), some.booleans())
def test_documents_count_where_there_are_enough(
    text: tuple[list[int], list[int]], seed: int, crossed: bool
) -> None:
    chance = np.random.default_rng(seed)
    documents, folds = text
    sizes = chance.integers(1, 30, len(documents))
    values = np.clip(np.round(chance.normal(size=len(sizes)) * 3), -sizes, sizes)
    found = TextVariance.of(100 * values, sizes, np.array(documents), np.array(folds) if crossed else None)
    variance, degrees = text_variance_of_twin(
        values.tolist(), sizes.tolist(), documents, folds if crossed else None
    )
    assert found.variance == pytest.approx(variance, abs=1e-12)
    assert found.degrees == pytest.approx(degrees)


@pytest.mark.parametrize(
    ("sentences", "waves"), [(2, 1), (60, 4), (200, 4), (300, 6), (1000, 20), (5000, 20)]
)
def test_equal_sentences_have_a_degree_of_freedom_for_each_wave(sentences: int, waves: int) -> None:
    values = np.random.default_rng(2).normal(size=sentences)
    whole = np.zeros(sentences, np.int64)
    assert TextVariance.of(values, np.full(sentences, 7), whole).degrees == pytest.approx(waves)


@pytest.mark.parametrize("sentences", [150, 200, 450, 1000, 3000])
def test_waves_are_slow_enough_for_documents_of_30(sentences: int) -> None:
    """How much of what documents share is found in the waves, wherever the first of them begins."""
    sizes = np.full(sentences, 10)
    heights = Waves.of(sizes, count_waves(sentences)).heights
    found = []
    for start in range(30):
        document = (np.arange(sentences) + start) // 30
        of_documents = np.array(
            [heights[document == number].sum(axis=0) for number in range(document[-1] + 1)]
        )
        whole = np.square(np.bincount(document)).sum()
        found.append(float(np.square(of_documents).sum(axis=0).mean() / whole))
    assert np.mean(found) > 0.7


SIMULATIONS = 400


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(("sentences", "shared"), [(450, 0.0), (450, 0.1), (150, 0.1)])
def test_documents_that_share_a_tenth_raise_few_alarms(sentences: int, shared: float, marked: bool) -> None:
    """Documents of 30 sentences, and nobody is better; sentences alone would raise a third of alarms."""
    chance = np.random.default_rng(sentences)
    document = (np.arange(sentences) + 17) // 30
    counted_by = {"text": document if marked else np.zeros_like(document)}
    if shared and marked:  # the same numbers where documents are not marked
        counted_by["sentence"] = np.arange(sentences)
    alarms = dict.fromkeys(counted_by, 0)
    for _ in range(SIMULATIONS):
        total = chance.integers(10, 30, sentences)
        of_document = chance.normal(size=sentences)[document] * np.sqrt(shared)
        effect = 3 * (of_document + chance.normal(size=sentences) * np.sqrt(1 - shared))
        a, b = 5 + np.clip(np.rint(effect), 0, 5).astype(int), 5 + np.clip(np.rint(-effect), 0, 5).astype(int)
        for counted, documents in counted_by.items():
            found = compare(a, b, total, documents=documents, seed_ratio=0)
            alarms[counted] += found.p_value < 0.05
    assert alarms["text"] / SIMULATIONS < 0.065 + 0.025  # two standard errors more
    if "sentence" in alarms:
        assert alarms["sentence"] / SIMULATIONS > 0.2

"""Score parsers of each treebank on each treebank, with intervals, and what learning from both would gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.stats import t as student

from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    Parsed,
    ParserTask,
    TrainingSettings,
    common_size,
    sample_trees,
    train_and_parse,
)
from learnability.extensions.harmonise.words import Floats
from learnability.metrics.scores import ANSWERED
from learnability.running.processes import map_in_processes
from learnability.statistics.clusters import find_clusters
from learnability.treebanks.labels import universal

CONFIDENCE = 0.95

SCORE = ANSWERED[-1]
"""What the parsers are scored by: heads and relations."""


@dataclass(frozen=True)
class Estimate95:
    """Hold a score or a difference of scores in points, and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class MatrixCell:
    """Hold the score of the parsers of one treebank, or of two together, on a treebank.

    Attributes:
        tested: the number of the treebank whose sentences were parsed.
        learned: the numbers of the treebanks that parsers learned from.
        las: words with the right head and relation, in percent, averaged over seeds.
        gain: of two treebanks together, by how much they exceed the treebank alone; else None.
    """

    tested: int
    learned: tuple[int, ...]
    las: Estimate95
    gain: Estimate95 | None = None


def score_matrix(parses: CrossParses, together: CrossParses | None = None) -> list[MatrixCell]:
    """Return the scores of all parsers on all treebanks.

    Args:
        parses: of all treebanks.
        together: parses of each treebank by parsers that learned from it and from another one.
    """
    cells: list[MatrixCell] = []
    for tested, treebank in enumerate(parses.treebanks):
        alone = right_words(treebank, parses.parses[tested, tested])
        for source in range(len(parses.treebanks)):
            right = right_words(treebank, parses.parses[tested, source])
            cells.append(MatrixCell(tested, (source,), estimate_share(treebank, right)))
        for source in parses.others(tested) if together else ():
            assert together is not None
            right = right_words(treebank, together.parses[tested, source])
            gain = estimate_share(treebank, right - alone)
            cells.append(MatrixCell(tested, (tested, source), estimate_share(treebank, right), gain))
    return cells


def right_words(treebank: ComparedTreebank, parses: Sequence[Parsed]) -> Floats:
    """Return float64[sentences], the words with the right head and relation, averaged over parsers.

    Subtypes do not count, as in the official LAS.
    """
    counts = [
        [
            sum(
                head == parsed_head and universal(deprel) == universal(parsed_deprel)
                for head, deprel, parsed_head, parsed_deprel in zip(
                    tree.heads, tree.deprels, parse.heads, parse.deprels, strict=True
                )
            )
            for tree, parse in zip(treebank.trees, parsed, strict=True)
        ]
        for parsed in parses
    ]
    mean: Floats = np.mean(counts, axis=0)
    return mean


def estimate_share(treebank: ComparedTreebank, counts: Floats) -> Estimate95:
    """Return a sum of counts in percent of all words, with an interval by clusters of neighbours.

    Args:
        treebank: the sentences.
        counts: float64[sentences].
    """
    words = np.array([len(tree) for tree in treebank.trees], np.float64)
    clusters = find_clusters(treebank.documents)
    share = counts.sum() / words.sum()
    deviations = np.bincount(clusters, weights=counts - share * words)
    count = len(deviations)
    if count < 2:
        return Estimate95(100 * share, -np.inf, np.inf)
    error = np.sqrt(count / (count - 1) * (deviations**2).sum()) / words.sum()
    half = 100 * error * student.ppf((1 + CONFIDENCE) / 2, count - 1)
    return Estimate95(float(100 * share), float(100 * share - half), float(100 * share + half))


def parse_together(
    treebanks: Sequence[ComparedTreebank],
    settings: TrainingSettings,
    jobs: int = 1,
    *,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> CrossParses:
    """Return parses of treebanks by parsers of their other folds together with another treebank, by the first
    seed.

    Args:
        treebanks: those that take part.
        settings: of the trainings.
        jobs: the number of processes.
        pairs: the numbers of the treebanks that are parsed, and of those that are added; by default all.
    """
    size, seed = common_size(treebanks, settings), settings.seeds[0]
    pairs = list(permutations(range(len(treebanks)), 2)) if pairs is None else pairs
    tasks: list[ParserTask] = []
    for tested, source in pairs:
        other = sample_trees(treebanks[source].trees, size, seed)
        for places in treebanks[tested].fold_places(settings.folds):
            rest = sample_trees(treebanks[tested].without(places), size, seed)
            text = treebanks[tested].trees[places.start : places.stop]
            tasks.append(ParserTask([*rest, *other], [text], seed, settings))
    results = map_in_processes(train_and_parse, tasks, jobs)
    parses: dict[tuple[int, int], tuple[Parsed, ...]] = {}
    for pair in pairs:
        trees = [tree for _ in range(settings.folds) for tree in next(results)[0]]
        parses[pair] = (tuple(trees),)
    return CrossParses(tuple(treebanks), parses)

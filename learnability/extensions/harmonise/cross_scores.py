"""Score parsers of each treebank on each treebank, and what learning from both gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from learnability.extending import Score, Tree, find_clusters, universal
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    Floats,
    Parsed,
)

CONFIDENCE = 0.95

SCORE = Score.answered(labelled=True)[-1]
"""What the parsers are scored by: heads and relations."""


@dataclass(frozen=True)
class Estimate95:
    """Hold a score or a difference of scores in points, and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CrossScore:
    """Hold the score of the parsers of one treebank, or of two together, on a treebank.

    Attributes:
        las: words with the right head and relation, in percent, averaged over seeds.
        gain: of two treebanks together, above the first alone; else None.
    """

    tested: int
    learned: tuple[int, ...]
    las: Estimate95
    gain: Estimate95 | None = None


Together = Mapping[tuple[int, int], Floats]
"""The right words of each sentence of a treebank, float64[sentences], as parsers find them that learned from
it and from another one; by the numbers of both."""


def score_parsers(parses: CrossParses, together: Together) -> list[CrossScore]:
    """Return the scores of all parsers on all treebanks."""
    scores: list[CrossScore] = []
    noise = SeedVariance.of(parses)
    for tested, treebank in enumerate(parses.treebanks):
        at_home = parses.parses[tested, tested]
        alone = right_words(treebank, at_home)
        for source in range(len(parses.treebanks)):
            parsed = parses.parses[tested, source]
            of_one = noise.of_parts if source == tested else noise.of_whole
            las = estimate_share(treebank, right_words(treebank, parsed), of_one / len(parsed))
            scores.append(CrossScore(tested, (source,), las))
        for source in parses.others(tested) if together else ():
            right = together[tested, source]
            las = estimate_share(treebank, right, noise.of_parts)
            gain = estimate_share(treebank, right - alone, noise.of_parts * (1 + 1 / len(at_home)))
            scores.append(CrossScore(tested, (tested, source), las, gain))
    return scores


@dataclass(frozen=True)
class SeedVariance:
    """Hold how much LAS varies with the training: its variance in points², 0 if each parser was trained once.

    Attributes:
        of_whole: where one parser parses a whole treebank.
        of_parts: where a parser is trained for each part of it.
    """

    of_whole: float
    of_parts: float

    @classmethod
    def of(cls, parses: CrossParses) -> SeedVariance:
        """Return the variance between trainings with different seeds, averaged over pairs of treebanks."""
        variances: dict[bool, list[float]] = {True: [], False: []}
        for (tested, source), parsed in parses.parses.items():
            treebank = parses.treebanks[tested]
            words = sum(map(len, treebank.trees))
            scores = [100 * sum(count_right(treebank.trees, each)) / words for each in parsed]
            if len(scores) > 1:
                variances[tested == source].append(float(np.var(scores, ddof=1)))
        of_whole, of_parts = (
            float(np.mean(found)) if found else 0.0 for found in map(variances.get, (False, True))
        )
        return cls(of_whole, of_parts)


def count_right(trees: Sequence[Tree], parsed: Sequence[Tree]) -> list[int]:
    """Return for each sentence how many words of a parse have the right head and relation.

    Subtypes do not count, as in the official LAS.
    """
    return [
        sum(
            head == parsed_head and universal(deprel) == universal(parsed_deprel)
            for head, deprel, parsed_head, parsed_deprel in zip(
                tree.heads, tree.deprels, parse.heads, parse.deprels, strict=True
            )
        )
        for tree, parse in zip(trees, parsed, strict=True)
    ]


def right_words(treebank: ComparedTreebank, parses: Sequence[Parsed]) -> Floats:
    """Return float64[sentences], the words with the right head and relation, averaged over parsers."""
    mean: Floats = np.mean([count_right(treebank.trees, parsed) for parsed in parses], axis=0)
    return mean


def estimate_share(treebank: ComparedTreebank, counts: Floats, noise: float = 0.0) -> Estimate95:
    """Return a sum of counts in percent of all words, with an interval for other sentences, by clusters of
    neighbours, and for other trainings.

    Args:
        treebank: the sentences.
        counts: float64[sentences].
        noise: the variance of the share between trainings, in points².
    """
    words = np.array([len(tree) for tree in treebank.trees], np.float64)
    clusters = find_clusters(treebank.documents)
    share = counts.sum() / words.sum()
    deviations = np.bincount(clusters, weights=counts - share * words)
    count = len(deviations)
    if count < 2:
        return Estimate95(100 * share, -np.inf, np.inf)
    error = 100 * np.sqrt(count / (count - 1) * (deviations**2).sum()) / words.sum()
    half = np.sqrt(error**2 + noise) * student.ppf((1 + CONFIDENCE) / 2, count - 1)
    return Estimate95(float(100 * share), float(100 * share - half), float(100 * share + half))

"""Find the patterns in which two treebanks differ: what parsers of each make of the words of the other.

A parser of B that gives words of A another relation than A does may follow the convention of B, or not know
the texts of A. Two things tell these apart. The parsers of A itself find the annotation of A, so that it can
be learned. And parsers of A do the opposite in the texts of B: where one says `obl` for `nmod`, the other
says `nmod` for `obl`. Texts that a parser does not know have no such mirror.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from learnability.extending import PUNCT, Tree, find_clusters, place_of, universal
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses, Floats, Parsed
from learnability.extensions.harmonise.cross_scores import Estimate95, estimate_share

LEVEL = 0.025
"""The chance that any pattern of two treebanks is named although nothing differs."""

FEWEST_WORDS = 8.0
"""The fewest words of either treebank in which a convention shows."""

LEAST_SHARE = 0.02
"""The share of the words with a relation in which a convention shows, at least, in either treebank."""


class ArcChange(NamedTuple):
    """Say what parsers of one treebank make of words of another.

    Attributes:
        annotated: the relation of the words as annotated.
        other: the relation that they get.
        place: where the new head is, and where the old one is seen from it
            (`annotation_diffs.changes.place_of`), if only the head differs.
    """

    annotated: str
    other: str
    place: tuple[str, str] = ("", "")

    @property
    def mirrored(self) -> ArcChange:
        return ArcChange(self.other, self.annotated, (self.place[1], self.place[0]))

    @property
    def costs_points(self) -> bool:
        """Return whether it counts in LAS, which subtypes alone do not."""
        return self.annotated == self.other or universal(self.annotated) != universal(self.other)

    @property
    def has_opposite(self) -> bool:
        return self != self.mirrored


WordShares = dict[int, float]
"""The words for which a change was found, by their numbers, and the share of the parsers that found it."""


@dataclass(frozen=True)
class Excess:
    """How much more often parsers of another treebank find a change than those of the treebank itself.

    Attributes:
        words: the words by which they exceed them.
        net: these words, without as many that change in the opposite way: parsers that do not know a text
            take one relation for the other, and the other for the one.
        of: all words that are annotated like these.
        points: `words` in percent of all words of the treebank.
        p_value: that of no excess, by clusters of neighbouring sentences.
        examples: the numbers of words for which most of them find it and those of the treebank do not.
    """

    words: float
    net: float
    of: int
    points: Estimate95
    p_value: float
    examples: tuple[int, ...]

    @property
    def share(self) -> float:
        """Return the share of the words that are annotated so."""
        return self.net / self.of if self.of else 0.0

    @property
    def is_large(self) -> bool:
        return min(self.words, self.net) >= FEWEST_WORDS and self.share >= LEAST_SHARE


@dataclass(frozen=True)
class DifferingPattern:
    """Represent a pattern in which a treebank differs from another one, as the parsers of each say.

    Attributes:
        treebank: the number of the treebank.
        other: the number of the other one.
        change: what parsers of the other make of words of the treebank.
        here: how much they do so.
        there: how much parsers of the treebank do the opposite in the other.
        p_value: of the weaker side, corrected for all changes that are frequent enough to be named
            (Bonferroni). Parsers of both treebanks count alike in this, so that nothing is chosen by looking.
    """

    treebank: int
    other: int
    change: ArcChange
    here: Excess
    there: Excess
    p_value: float

    @property
    def mirrored(self) -> DifferingPattern:
        """Return the pattern as the other treebank differs from this one."""
        return DifferingPattern(
            self.other, self.treebank, self.change.mirrored, self.there, self.here, self.p_value
        )

    @property
    def is_convention(self) -> bool:
        return self.p_value < LEVEL and self.here.is_large and self.there.is_large


def arc_changes(tree: Tree, parse: Tree) -> dict[int, ArcChange]:
    """Return the words that a parse gives another head or relation, and what changes; no punctuation."""
    changes: dict[int, ArcChange] = {}
    columns = zip(tree.heads, parse.heads, tree.deprels, parse.deprels, strict=True)
    for word, (head, new_head, deprel, new_deprel) in enumerate(columns, start=1):
        if universal(deprel) in PUNCT:
            continue
        if deprel != new_deprel:
            changes[word] = ArcChange(deprel, new_deprel)
        elif head != new_head:
            place = place_of(tree, word, new_head), place_of(parse, word, head)
            changes[word] = ArcChange(deprel, deprel, place)
    return changes


def collect_changes(treebank: ComparedTreebank, parses: Sequence[Parsed]) -> dict[ArcChange, WordShares]:
    """Return the words of each change, averaged over the parsers."""
    shares: dict[ArcChange, WordShares] = defaultdict(dict)
    for parsed in parses:
        start = 0
        for tree, parse in zip(treebank.trees, parsed, strict=True):
            for word, change in arc_changes(tree, parse).items():
                words = shares[change]
                place = start + word - 1
                words[place] = words.get(place, 0.0) + 1 / len(parses)
            start += len(tree)
    return shares


@dataclass(frozen=True)
class _TargetWords:
    """Hold what is known of the words of a treebank.

    Attributes:
        treebank: the treebank.
        home: what its own parsers change.
        sentences: the number of the sentence of each word.
        clusters: the cluster of each sentence.
        totals: how many words have a relation.
    """

    treebank: ComparedTreebank
    home: Mapping[ArcChange, WordShares]
    sentences: Sequence[int]
    clusters: NDArray[np.int64]
    totals: Counter[str]

    @classmethod
    def of(cls, parses: CrossParses, number: int) -> _TargetWords:
        treebank = parses.treebanks[number]
        return cls(
            treebank,
            collect_changes(treebank, parses.parses[number, number]),
            [number for number, tree in enumerate(treebank.trees) for _ in tree.forms],
            find_clusters(treebank.documents),
            Counter(deprel for tree in treebank.trees for deprel in tree.deprels),
        )


@dataclass(frozen=True)
class _Direction:
    """Hold what parsers of one treebank change in another.

    Attributes:
        foreign: the words of each change.
        words: what is known of the words of the treebank.
    """

    foreign: Mapping[ArcChange, WordShares]
    words: _TargetWords

    def excess(self, change: ArcChange) -> Excess:
        foreign, home = self.foreign.get(change, {}), self.words.home.get(change, {})
        found = self._exceeding(change)
        net = found - self._exceeding(change.mirrored) if change.has_opposite else found
        examples = [word for word, share in foreign.items() if share > 0.5 and home.get(word, 0) < 0.5]
        return Excess(
            float(found.sum()),
            float(net.sum()),
            self.words.totals[change.annotated],
            estimate_share(self.words.treebank, found),
            p_of_mean(np.bincount(self.words.clusters, net).astype(np.float64)),
            tuple(sorted(examples)),
        )

    def is_frequent(self, change: ArcChange) -> bool:
        """Return whether parsers of both treebanks together find a change in enough words."""
        found = (self.foreign.get(change, {}), self.words.home.get(change, {}))
        return sum(sum(words.values()) for words in found) >= FEWEST_WORDS

    def _exceeding(self, change: ArcChange) -> Floats:
        """Return float64[sentences], by how many words foreign parsers exceed those of the treebank."""
        sums = np.zeros(len(self.words.clusters))
        for words, sign in ((self.foreign.get(change, {}), 1), (self.words.home.get(change, {}), -1)):
            for word, share in words.items():
                sums[self.words.sentences[word]] += sign * share
        return sums


def p_of_mean(values: Floats) -> float:
    """Return the p value of a mean that is not above zero, by a t test."""
    if len(values) < 2:
        return 1.0
    error = values.std(ddof=1) / np.sqrt(len(values))
    if not error:
        return 1.0 if values.mean() <= 0 else 0.0
    return float(student.sf(values.mean() / error, len(values) - 1))


def find_patterns(parses: CrossParses) -> list[DifferingPattern]:
    """Return the patterns of each pair of treebanks, as the first of the two differs from the second.

    Those of which no side is large are left out.

    Args:
        parses: of all treebanks.
    """
    words = [_TargetWords.of(parses, number) for number in range(len(parses.treebanks))]

    def direction(target: int, source: int) -> _Direction:
        foreign = collect_changes(parses.treebanks[target], parses.parses[target, source])
        return _Direction(foreign, words[target])

    patterns: list[DifferingPattern] = []
    for pair in combinations(range(len(parses.treebanks)), 2):
        first, second = direction(*pair), direction(*pair[::-1])
        changes = dict.fromkeys([*first.foreign, *(change.mirrored for change in second.foreign)])
        frequent = [(first.is_frequent(each), second.is_frequent(each.mirrored)) for each in changes]
        tests = frequent.count((True, True))
        for change, sides in zip(changes, frequent, strict=True):
            if not any(sides):
                continue
            here, there = first.excess(change), second.excess(change.mirrored)
            if here.is_large or there.is_large:
                p_value = min(1.0, tests * max(here.p_value, there.p_value))
                patterns.append(DifferingPattern(*pair, change, here, there, p_value))
    return patterns

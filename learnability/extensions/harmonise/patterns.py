"""Find the patterns in which two treebanks differ: what parsers of each make of the words of the other.

A parser of B that gives words of A another relation than A does may follow the convention of B, or not know
the texts of A. Two things tell these apart. The parsers of A itself find the annotation of A, so that it can
be learned. And parsers of A do the opposite in the texts of B: where one says `obl` for `nmod`, the other
says `nmod` for `obl`. Texts that a parser does not know have no such mirror.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from learnability.extending import PUNCT, Tree, find_clusters, place_of, universal
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses, Floats
from learnability.extensions.harmonise.matrix import Estimate95, estimate_share

LEVEL = 0.025
"""The chance that any pattern of two treebanks is named although nothing differs: of trees, and of tags."""

FEWEST_WORDS = 8.0
"""The fewest words of either treebank in which a convention shows."""

LEAST_SHARE = 0.02
"""The share of the words with a relation in which a convention shows, at least, in either treebank."""

ARC, TAG = "arc", "tag"
"""What a pattern is about."""


class ArcChange(NamedTuple):
    """Say what parsers of one treebank make of words of another.

    Attributes:
        about: `arc` or `tag`.
        annotated: the relation of the words as annotated; of tags, the tag.
        other: the relation, or the tag, that they get.
        place: where the new head is, and where the old one is seen from it
            (`annotation_diffs.changes.place_of`), if only the head differs.
    """

    about: str
    annotated: str
    other: str
    place: tuple[str, str] = ("", "")

    @property
    def mirrored(self) -> ArcChange:
        return ArcChange(self.about, self.other, self.annotated, (self.place[1], self.place[0]))

    @property
    def costs_points(self) -> bool:
        """Return whether it counts in LAS, which subtypes alone do not, or in the accuracy of tags."""
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
        p_value: that of no excess, by clusters of neighbouring sentences.
        examples: the numbers of words for which most of them find it and those of the treebank do not.
    """

    words: float
    net: float
    of: int
    p_value: float
    examples: tuple[int, ...] = ()

    @property
    def share(self) -> float:
        """Return the share of the words that are annotated so."""
        return self.net / self.of if self.of else 0.0


NO_EXCESS = Excess(0.0, 0.0, 0, 1.0)


@dataclass(frozen=True)
class DifferingPattern:
    """Represent a pattern in which two treebanks differ, as the parsers of each say.

    Attributes:
        change: what parsers of the second make of words of the first.
        first: by how much, in the first treebank.
        second: the mirrored excess, in the second.
        first_points, second_points: the words of each excess, in percent of all words of the treebank.
        p_value: of the weaker side, corrected for all changes that are frequent enough to be named
            (Bonferroni). Parsers of both treebanks count alike in this, so that nothing is chosen by looking.
    """

    change: ArcChange
    first: Excess
    second: Excess
    first_points: Estimate95
    second_points: Estimate95
    p_value: float = 1.0

    @property
    def cost(self) -> float:
        """Return its points on average of both treebanks; 0 where only subtypes differ."""
        points = self.first_points, self.second_points
        return sum(max(0.0, each.value) for each in points) / 2 if self.change.costs_points else 0.0

    @property
    def is_convention(self) -> bool:
        """Return whether both sides show it clearly, each against the other."""
        return self.p_value < LEVEL and all(map(is_large, (self.first, self.second)))


def is_large(excess: Excess) -> bool:
    return min(excess.words, excess.net) >= FEWEST_WORDS and excess.share >= LEAST_SHARE


@dataclass(frozen=True)
class PairPatterns:
    """Hold the patterns of two treebanks.

    Attributes:
        first, second: the numbers of the treebanks.
        patterns: those that cost most first.
    """

    first: int
    second: int
    patterns: Sequence[DifferingPattern]

    @property
    def conventions(self) -> list[DifferingPattern]:
        """Return the patterns of which both sides are clear."""
        return [pattern for pattern in self.patterns if pattern.is_convention]


FindChanges = Callable[[Tree, Tree], Mapping[int, ArcChange]]
"""Returns what a parse changes in a tree, by the number of the word (from 1)."""


def arc_changes(tree: Tree, parse: Tree) -> dict[int, ArcChange]:
    """Return the words that a parse gives another head or relation, and what changes; no punctuation."""
    changes: dict[int, ArcChange] = {}
    columns = zip(tree.heads, parse.heads, tree.deprels, parse.deprels, strict=True)
    for word, (head, new_head, deprel, new_deprel) in enumerate(columns, start=1):
        if universal(deprel) in PUNCT:
            continue
        if deprel != new_deprel:
            changes[word] = ArcChange(ARC, deprel, new_deprel)
        elif head != new_head:
            place = place_of(tree, word, new_head), place_of(parse, word, head)
            changes[word] = ArcChange(ARC, deprel, deprel, place)
    return changes


def tag_changes(tree: Tree, tagged: Tree) -> dict[int, ArcChange]:
    """Return the words that a tagger gives another tag, and what changes."""
    pairs = enumerate(zip(tree.upos, tagged.upos, strict=True), start=1)
    return {word: ArcChange(TAG, old, new) for word, (old, new) in pairs if old != new}


def collect_changes(
    treebank: ComparedTreebank, parses: Sequence[Sequence[Tree]], find_changes: FindChanges
) -> dict[ArcChange, WordShares]:
    """Return the words of each change, averaged over the parsers.

    Args:
        treebank: whose trees are annotated.
        parses: of each parser.
        find_changes: what a parse changes.
    """
    shares: dict[ArcChange, WordShares] = defaultdict(dict)
    for parsed in parses:
        start = 0
        for tree, parse in zip(treebank.trees, parsed, strict=True):
            for word, change in find_changes(tree, parse).items():
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
        sentences: the number of the sentence of each word.
        clusters: the cluster of each sentence.
        totals: how many words have a relation (of tags: a tag).
    """

    treebank: ComparedTreebank
    sentences: Sequence[int]
    clusters: NDArray[np.int64]
    totals: Counter[str]

    @classmethod
    def of(cls, treebank: ComparedTreebank, about: str) -> _TargetWords:
        sentences = [number for number, tree in enumerate(treebank.trees) for _ in tree.forms]
        return cls(treebank, sentences, find_clusters(treebank.documents), _count_words(treebank, about))


@dataclass(frozen=True)
class _Direction:
    """What parsers of one treebank make of another, and what the parsers of that treebank itself make of it.

    Attributes:
        foreign, home: the words of each change.
        words: what is known of the words of the treebank.
    """

    foreign: Mapping[ArcChange, WordShares]
    home: Mapping[ArcChange, WordShares]
    words: _TargetWords

    def excess(self, change: ArcChange) -> Excess:
        foreign, home = self.foreign.get(change, {}), self.home.get(change, {})
        if not foreign:
            return NO_EXCESS
        found = self._exceeding(change)
        net = found - self._exceeding(change.mirrored) if change.has_opposite else found
        examples = [word for word, share in foreign.items() if share > 0.5 and home.get(word, 0) < 0.5]
        return Excess(
            float(found.sum()),
            float(net.sum()),
            self.words.totals[change.annotated],
            p_of_mean(np.bincount(self.words.clusters, net).astype(np.float64)),
            tuple(sorted(examples)),
        )

    def is_frequent(self, change: ArcChange) -> bool:
        """Return whether parsers of both treebanks together find a change in enough words."""
        found = (self.foreign.get(change, {}), self.home.get(change, {}))
        return sum(sum(words.values()) for words in found) >= FEWEST_WORDS

    def _exceeding(self, change: ArcChange) -> Floats:
        """Return float64[sentences], by how many words foreign parsers exceed those of the treebank."""
        sums = np.zeros(len(self.words.clusters))
        for words, sign in ((self.foreign.get(change, {}), 1), (self.home.get(change, {}), -1)):
            for word, share in words.items():
                sums[self.words.sentences[word]] += sign * share
        return sums

    def points(self, change: ArcChange) -> Estimate95:
        return estimate_share(self.words.treebank, self._exceeding(change))


def p_of_mean(values: Floats) -> float:
    """Return the p value of a mean that is not above zero, by a t test."""
    if len(values) < 2:
        return 1.0
    error = values.std(ddof=1) / np.sqrt(len(values))
    if not error:
        return 1.0 if values.mean() <= 0 else 0.0
    return float(student.sf(values.mean() / error, len(values) - 1))


def find_patterns(parses: CrossParses, *, about: str = ARC) -> list[PairPatterns]:
    """Return the patterns of each pair of treebanks, those that cost most first.

    Args:
        parses: of all treebanks; of tags, the sentences as taggers tagged them.
        about: what patterns are about, `arc` or `tag`.
    """
    find_changes = arc_changes if about == ARC else tag_changes
    collect = partial(collect_changes, find_changes=find_changes)
    home = [
        collect(treebank, parses.parses[number, number]) for number, treebank in enumerate(parses.treebanks)
    ]
    words = [_TargetWords.of(treebank, about) for treebank in parses.treebanks]

    def direction(target: int, source: int) -> _Direction:
        foreign = collect(parses.treebanks[target], parses.parses[target, source])
        return _Direction(foreign, home[target], words[target])

    return [
        PairPatterns(first, second, _patterns_of(direction(first, second), direction(second, first)))
        for first, second in combinations(range(len(parses.treebanks)), 2)
    ]


def _count_words(treebank: ComparedTreebank, about: str) -> Counter[str]:
    """Return how many words have each relation, or each tag."""
    counts = Counter[str]()
    for tree in treebank.trees:
        counts.update(tree.deprels if about == ARC else tree.upos)
    return counts


def _patterns_of(first: _Direction, second: _Direction) -> list[DifferingPattern]:
    """Return the patterns of two treebanks; those of which no side is large are left out."""
    changes = dict.fromkeys([*first.foreign, *(change.mirrored for change in second.foreign)])
    found: list[DifferingPattern] = []
    tests = 0
    for change in changes:
        tests += first.is_frequent(change) and second.is_frequent(change.mirrored)
        sides = first.excess(change), second.excess(change.mirrored)
        if not any(map(is_large, sides)):
            continue
        points = first.points(change), second.points(change.mirrored)
        found.append(DifferingPattern(change, *sides, *points))
    return [_corrected(pattern, tests) for pattern in sorted(found, key=_order)]


def _order(pattern: DifferingPattern) -> tuple[float, float, ArcChange]:
    """Return a key that puts first what costs most, and then what concerns most words."""
    words = pattern.first.words + pattern.second.words
    return -round(pattern.cost, 9), -round(words, 6), pattern.change


def _corrected(pattern: DifferingPattern, tests: int) -> DifferingPattern:
    """Return a pattern with the p value of its weaker side, corrected for the number of tests."""
    weaker = max(pattern.first.p_value, pattern.second.p_value)
    return replace(pattern, p_value=min(1.0, tests * weaker))

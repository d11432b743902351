"""Hold what parsers of its own other folds, and parsers of each other treebank, say of a treebank.

All parsers learn from equally many words, so that they differ in what they learned from alone. Every training
with another seed sees another sample of its treebank, if that is larger.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from random import Random

import numpy as np
from numpy.typing import NDArray

from learnability.extending import (
    CopyOrder,
    InputError,
    Sentence,
    Tree,
    Version,
    count_noun,
    is_specified,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TrainingSettings:
    """Hold what determines the trainings.

    Attributes:
        folds: the folds of a treebank, each parsed by parsers of the others.
        seeds: the seed of each training of a kind, which also chooses the sentences.
    """

    words: int = 25_000
    folds: int = 5
    seeds: tuple[int, ...] = (1, 2, 3)
    iterations: int = 10
    system: str = "arc-eager"


@dataclass(frozen=True)
class ComparedTreebank:
    """Represent a treebank that takes part."""

    version: Version

    @property
    def name(self) -> str:
        return self.version.name

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        return tuple(sentence.tree for sentence in self.version.sentences)

    @cached_property
    def documents(self) -> NDArray[np.int64]:
        """Return int64[sentences], the number of the document of each."""
        return np.cumsum([sentence.starts_document for sentence in self.version.sentences], dtype=np.int64)


@dataclass(frozen=True)
class DividedTreebanks:
    """Divide treebanks into parts of neighbouring sentences, so that no parser parses what it learned from.

    Copies of a sentence are in one part of each treebank. A sentence with a copy in another treebank is
    parsed there by the parser that has not learned from this part.

    Attributes:
        groups: by treebank, the group of each sentence; those of all treebanks together.
        parts: by treebank, the number of the part of each sentence.
        near: how many sentences have near copies that may be in another part, in words; empty if none has.
    """

    treebanks: tuple[ComparedTreebank, ...]
    groups: tuple[tuple[int, ...], ...]
    parts: tuple[tuple[int, ...], ...]
    near: str

    @classmethod
    def of(cls, treebanks: Sequence[ComparedTreebank], count: int) -> DividedTreebanks:
        """Return treebanks divided into this number of parts each."""
        order = CopyOrder.of_trees(tree for each in treebanks for tree in each.trees)
        numbers = iter(order.groups)
        groups = tuple(tuple(islice(numbers, len(treebank.trees))) for treebank in treebanks)
        parts = tuple(_number_parts(each, count) for each in groups)
        return cls(tuple(treebanks), groups, parts, order.near)

    def places(self, treebank: int, part: int) -> list[int]:
        return [place for place, number in enumerate(self.parts[treebank]) if number == part]

    def without(self, treebank: int, part: int) -> list[Tree]:
        """Return the trees of all other parts."""
        pairs = zip(self.treebanks[treebank].trees, self.parts[treebank], strict=True)
        return [tree for tree, number in pairs if number != part]

    def parts_of_copies(self, tested: int, source: int) -> list[int | None]:
        """Return for each sentence of a treebank in which part of another its copies are; None: in none."""
        part = dict(zip(self.groups[source], self.parts[source], strict=True))
        return [part.get(group) for group in self.groups[tested]]

    def tested(self, tested: int, source: int, part: int | None) -> list[int]:
        """Return the places of the sentences that a parser of another treebank parses.

        Args:
            tested: the number of the treebank.
            source: that of the one that the parser learned from.
            part: what it did not learn from; None: it learned from all, and parses what has no copy there.
        """
        return [place for place, of in enumerate(self.parts_of_copies(tested, source)) if of == part]

    def trainings(self, source: int) -> Iterator[tuple[list[Tree], dict[int, list[int]]]]:
        """Yield what each parser of a treebank may learn from: all of it, then all but each part.

        Each with the places of the sentences that it parses, by the number of their treebank. Together they
        parse every sentence once.
        """
        for part in (None, *range(max(self.parts[source]) + 1)):
            places = {} if part is None else {source: self.places(source, part)}
            for number in range(len(self.treebanks)):
                if number != source:
                    places[number] = self.tested(number, source, part)
            trees = self.treebanks[source].trees if part is None else self.without(source, part)
            yield list(trees), places

    def shared(self, first: int, second: int) -> list[Sentence]:
        """Return the sentences of a treebank that have a copy in another one."""
        pairs = zip(self.treebanks[first].version.sentences, self.parts_of_copies(first, second), strict=True)
        return [sentence for sentence, part in pairs if part is not None]


def _number_parts(groups: Sequence[int], count: int) -> tuple[int, ...]:
    """Return the part of each sentence: neighbours, but copies where the first of them is."""
    first: dict[int, int] = {}
    for place, group in enumerate(groups):
        first.setdefault(group, place)
    gathered = CopyOrder.of_groups([first[group] for group in groups])
    ends = [gathered.nearest_start(number * len(groups) // count) for number in range(1, count + 1)]
    parts = [0] * len(groups)
    for at, place in enumerate(gathered.order):
        parts[place] = bisect_right(ends, at)
    return tuple(parts)


Parsed = tuple[Tree, ...]
"""Parses of the sentences of a treebank, in order."""


@dataclass(frozen=True)
class CrossParses:
    """Hold what parsers say of the sentences of each treebank.

    `parses`: by the numbers of a treebank and of the one that its parsers learned from, those of each seed.
    """

    treebanks: tuple[ComparedTreebank, ...]
    parses: Mapping[tuple[int, int], tuple[Parsed, ...]]

    def others(self, treebank: int) -> list[int]:
        return [number for number in range(len(self.treebanks)) if number != treebank]


SeenTags = Mapping[int, str]
"""The tags that parsers of another treebank see in place of those annotated, by the number of the word.

Where one treebank lacks a tag of another, a parser that reads it, or misses it, errs in the tree as well.
Such words get the tag that a tagger of the parser's treebank gives them, so that what parsers find is about
trees. All other tags stay: what a tagger errs in costs more than it saves.
"""


def see_tags(tagged: CrossParses, source: int, lacking: Sequence[Collection[str]]) -> dict[int, SeenTags]:
    """Return the tags that parsers of a treebank see in each of the others, by its number.

    Args:
        tagged: the sentences as taggers of all treebanks tag them.
        source: the number of the treebank that parsers learn from.
        lacking: for each treebank, the tags that it has and the others lack, or the reverse.
    """
    seen: dict[int, SeenTags] = {}
    for target in tagged.others(source):
        (others,) = tagged.parses[target, source]
        unknown = {*lacking[target], *lacking[source]}
        seen[target] = dict(_unknown_tags(tagged.treebanks[target].trees, others, unknown))
    return seen


def _unknown_tags(
    trees: Sequence[Tree], others: Sequence[Tree], unknown: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Yield the words with another tag, if it or the annotated one is unknown, with this tag."""
    start = 0
    for tree, other in zip(trees, others, strict=True):
        for word, (old, new) in enumerate(zip(tree.upos, other.upos, strict=True), start=start):
            if old != new and (old in unknown or new in unknown):
                yield word, new
        start += len(tree)


def with_seen_tags(trees: Sequence[Tree], seen: SeenTags) -> list[Tree]:
    """Return the trees of a treebank with the tags that parsers see."""
    changed: list[Tree] = []
    start = 0
    for tree in trees:
        tags = [seen.get(start + place, tag) for place, tag in enumerate(tree.upos)]
        changed.append(replace(tree, upos=tuple(tags)))
        start += len(tree)
    return changed


def sample_trees(trees: Sequence[Tree], words: int, seed: int) -> list[Tree]:
    """Return sentences that are chosen at random, together at most that many words, but at least one."""
    chosen = list(trees)
    Random(seed).shuffle(chosen)
    total = 0
    for count, tree in enumerate(chosen):
        total += len(tree)
        if total > words and count:
            return chosen[:count]
    return chosen


def common_size(divided: DividedTreebanks, settings: TrainingSettings) -> int:
    """Return from how many words every parser learns: what the smallest treebank has without a fold."""
    rest = [
        sum(map(len, divided.without(number, part)))
        for number in range(len(divided.treebanks))
        for part in range(settings.folds)
    ]
    return min(settings.words, *rest)


LEAST_WORDS = 500
"""From how many words a parser learns, at least."""


def check_treebanks(treebanks: Sequence[ComparedTreebank], settings: TrainingSettings) -> None:
    """Refuse treebanks that cannot be compared.

    Raises:
        InputError: there are fewer than two, or one is too small, or has no tags or trees.
    """
    if len(treebanks) < 2:
        raise InputError("two treebanks are compared; name a second one")
    for treebank in treebanks:
        has_tags = any(is_specified(tag) for tree in treebank.trees for tag in tree.upos)
        if not has_tags or not all(any(map(is_specified, tree.deprels)) for tree in treebank.trees):
            raise InputError(f"{treebank.name} lacks tags or relations; choose an annotated treebank")
        words = sum(map(len, treebank.trees))
        if words * (settings.folds - 1) // settings.folds < LEAST_WORDS or len(treebank.trees) < 2 * (
            settings.folds
        ):
            raise InputError(
                f"{treebank.name} has only {count_noun(words, 'word')}; parsers need {LEAST_WORDS} to learn "
                "from, so choose a larger treebank"
            )

"""Count and train what one step needs, from one version of a treebank to the next.

A step has five stages, so that its parts add up:

    ALL_EARLIER   the trees and tags of the earlier version; also its deleted sentences are trained on
    EARLIER       the same without the deleted sentences
    LATER_TREES   the trees of the later version, with the tags of the earlier one
    LATER         the trees and tags of the later version
    ALL_LATER     the same; also its new sentences are trained on

All of them are tested on the sentences that both versions have, each on its own trees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import ne

import msgspec

from learnability.extending import (
    ComparisonCell,
    Fold,
    Group,
    Sentence,
    Sets,
    TrainingResult,
    Tree,
    Version,
    changelog,
    compare_versions,
)
from learnability.extensions.history.versions import LaterVersion, SentenceCounts, VersionedTreebank

Pair = tuple[Sentence, Sentence]
"""A sentence in the earlier and in the later version."""


class Stage(StrEnum):
    """A stage of a step; the module says what is trained on."""

    ALL_EARLIER = "all-earlier"
    EARLIER = "earlier"
    LATER_TREES = "later-trees"
    LATER = "later"
    ALL_LATER = "all-later"


class StepFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a step on a fold before anything is trained.

    Attributes:
        digests: per stage, the SHA-256 of all that decides its training and test: stages with the same digest
            are the same.
        words: how many are tested.
        heads, relations, tags: how many of them have another head; the same head and another relation; other
            tags, as far as parsers read these.
        differences: the largest groups of words that differ, in every column, as `diff` makes them; of the
            whole treebank, in the first fold only.
        changelog: the paragraph of `diff` on the sentences of both versions; of the first fold only.
        left_out: the sent_id of each sentence that has other words or tokens; of the first fold only.
    """

    earlier: str
    later: str
    digests: dict[str, str]
    sentences: SentenceCounts
    words: int
    heads: int
    relations: int
    tags: int
    differences: list[Group] = msgspec.field(default_factory=list)
    changelog: str = ""
    left_out: list[str] = msgspec.field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class StepCell(ComparisonCell[StepFacts]):
    """Count what changes in a step."""

    SETTING = "step"
    RESULT = StepFacts
    COST = 0.2

    def compute(self, fold: Fold) -> StepFacts:
        """Count."""
        later = _later(fold)
        tested = list(zip(fold.treebank.test, later.test, strict=True))
        differences: list[Group] = []
        paragraph = ""
        if self.fold == 0:
            train, dev = (
                zip(here, there, strict=True)
                for here, there in ((fold.treebank.train, later.train), (fold.treebank.dev, later.dev))
            )
            pairs = [*train, *dev, *tested]
            if pairs:
                found = compare_versions(
                    Version.of_sentences((one for one, _ in pairs), fold.treebank.release),
                    Version.of_sentences((other for _, other in pairs), later.release),
                )
                differences = found.stored_groups
                paragraph = changelog(found).replace("\n", " ")
        return StepFacts(
            earlier=fold.treebank.release,
            later=later.release,
            digests={stage: _digest(fold, stage) for stage in Stage},
            sentences=later.counts,
            words=sum(len(sentence) for sentence, _ in tested),
            heads=sum(_other_heads(*pair) for pair in tested),
            relations=sum(_other_relations(*pair) for pair in tested),
            tags=sum(_other_tags(fold, *pair) for pair in tested),
            differences=differences,
            changelog=paragraph,
            left_out=list(later.reworded) if self.fold == 0 else [],
        )


@dataclass(frozen=True, kw_only=True)
class StageCell(ComparisonCell[TrainingResult]):
    """Train a stage of a step."""

    SETTING = "stage"
    RESULT = TrainingResult
    stage: Stage

    @property
    def subject(self) -> str:
        return str(self.stage)

    def compute(self, fold: Fold) -> TrainingResult:
        """Train and test."""
        sets = fold.make_once(LatestParts).of(self.stage)
        return self.train_and_score(fold, sets)


class LatestParts:
    """The trees of the latest stage of a fold, made ready for training: seeds follow each other."""

    def __init__(self, fold: Fold) -> None:
        self.fold = fold
        self._latest: tuple[Stage, Sets] | None = None

    def of(self, stage: Stage) -> Sets:
        """Return the trees that a stage trains and tests on."""
        if self._latest is None or self._latest[0] != stage:
            sets = sets_of(self.fold, stage)
            self._latest = stage, Sets(self.fold.make_ready(sets.train), sets.dev, sets.test)
        return self._latest[1]


def sets_of(fold: Fold, stage: Stage) -> Sets:
    """Return the trees of a stage on a fold of the earlier version, not lifted."""
    version = VERSIONS[stage]
    here, there = fold.treebank, _later(fold)
    extra: Sequence[Sentence] = ()
    if stage is Stage.ALL_EARLIER:
        extra = there.deleted
    elif stage is Stage.ALL_LATER:
        extra = there.new

    def trees(earlier: Sequence[Sentence], later: Sequence[Sentence]) -> tuple[Tree, ...]:
        return tuple(version(*pair) for pair in zip(earlier, later, strict=True))

    return Sets(
        (*trees(here.train, there.train), *(sentence.tree for sentence in extra)),
        trees(here.dev, there.dev),
        trees(here.test, there.test),
    )


def _earlier_tree(earlier: Sentence, later: Sentence) -> Tree:
    return earlier.tree


def _later_tree(earlier: Sentence, later: Sentence) -> Tree:
    return later.tree


def _later_tree_with_earlier_tags(earlier: Sentence, later: Sentence) -> Tree:
    return earlier.tree.with_heads(later.tree.heads, later.tree.deprels)


VERSIONS: dict[Stage, Callable[[Sentence, Sentence], Tree]] = {
    Stage.ALL_EARLIER: _earlier_tree,
    Stage.EARLIER: _earlier_tree,
    Stage.LATER_TREES: _later_tree_with_earlier_tags,
    Stage.LATER: _later_tree,
    Stage.ALL_LATER: _later_tree,
}
"""The tree of a sentence at each stage."""


def _later(fold: Fold) -> LaterVersion:
    assert isinstance(fold.treebank, VersionedTreebank)
    return fold.treebank.later


def _other_heads(earlier: Sentence, later: Sentence) -> int:
    return sum(map(ne, earlier.tree.heads, later.tree.heads))


def _other_relations(earlier: Sentence, later: Sentence) -> int:
    before, after = earlier.tree, later.tree
    columns = zip(before.heads, after.heads, before.deprels, after.deprels, strict=True)
    return sum(head == other and deprel != new for head, other, deprel, new in columns)


def _other_tags(fold: Fold, earlier: Sentence, later: Sentence) -> int:
    """Return how many words have other tags, of those that the parser reads."""
    columns = zip(fold.columns_read(earlier.tree), fold.columns_read(later.tree), strict=True)
    return len(
        {i for one, other in columns for i, pair in enumerate(zip(one, other, strict=True)) if ne(*pair)}
    )


def _digest(fold: Fold, stage: Stage) -> str:
    sets = sets_of(fold, stage)
    digest = hashlib.sha256(fold.test_words.tobytes())  # scores without punctuation are of the same words
    for part in (sets.train, sets.dev, sets.test):
        for line in _lines(fold, part):
            digest.update(line)
        digest.update(b"\0\0")
    return digest.hexdigest()


def _lines(fold: Fold, trees: tuple[Tree, ...]) -> Iterator[bytes]:
    labelled = fold.options.labels is not None
    for tree in trees:
        columns: list[Sequence[object]] = [tree.forms, tree.heads, *fold.columns_read(tree)]
        if labelled:
            columns.append(tree.deprels)
        yield "\0".join("\t".join(map(str, column)) for column in columns).encode() + b"\n"

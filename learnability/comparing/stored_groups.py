"""Store the groups of differences of `diff` in records, so that reports have them without the trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from learnability.differences.changes import DifferenceKind
from learnability.differences.comparison import AnnotationDiff, compare_versions
from learnability.differences.groups import Group, ValueCounts
from learnability.differences.version import version_of_sentences
from learnability.treebanks.sentence import Sentence, Tree

MOST_STORED = 40
"""How many groups of a comparison are stored, the largest ones."""


class StoredGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A group of differences without its sentences; see :class:`~learnability.differences.groups.Group`.

    Attributes:
        column, detail, tags, base, alternative, punctuation: the kind of the difference.
        words: how many words differ so.
        sentences: in how many sentences.
        base_value, alternative_value: the counts of the old and of the new value; empty if there are none.
        queries: for Grew-match.
    """

    column: str
    base: str
    alternative: str
    words: int
    sentences: int
    detail: str = ""
    tags: str = ""
    punctuation: bool = False
    base_value: tuple[int, ...] = ()
    alternative_value: tuple[int, ...] = ()
    queries: tuple[str, str] = ("", "")

    @classmethod
    def of(cls, group: Group) -> StoredGroup:
        """Return a group as it is stored."""
        return cls(
            **group.kind._asdict(),
            words=group.words,
            sentences=group.sentences,
            base_value=_numbers(group.base_value),
            alternative_value=_numbers(group.alternative_value),
            queries=group.queries,
        )

    @property
    def record(self) -> dict[str, Any]:
        """Return the group for JSON."""
        values: dict[str, Any] = msgspec.structs.asdict(self)
        return values

    @property
    def group(self) -> Group:
        """Return the group, without examples."""
        return Group(
            DifferenceKind(*(getattr(self, name) for name in DifferenceKind._fields)),
            self.words,
            self.sentences,
            ValueCounts(*self.base_value) if self.base_value else None,
            ValueCounts(*self.alternative_value) if self.alternative_value else None,
            self.queries,
            (),
        )


def _numbers(counts: ValueCounts | None) -> tuple[int, ...]:
    return (counts.base, counts.alternative, counts.of_base, counts.of_alternative) if counts else ()


def stored_groups(comparison: AnnotationDiff) -> list[StoredGroup]:
    """Return the largest groups of a comparison."""
    return [StoredGroup.of(group) for group in comparison.groups[:MOST_STORED]]


def compared_sentences(
    base: Iterable[Tree | Sentence], alternative: Iterable[Tree | Sentence], names: Sequence[str]
) -> AnnotationDiff:
    """Return what differs between two annotations of the same sentences.

    Args:
        base: the sentences in the one.
        alternative: in the other.
        names: what the two are called.
    """
    first, second = names
    return compare_versions(version_of_sentences(base, first), version_of_sentences(alternative, second))

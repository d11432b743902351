"""Define how records store a group of differences of `diff`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from learnability.support.values import JsonObject

if TYPE_CHECKING:
    from learnability.annotation_diffs.groups import Group, ValueCounts

MOST_STORED = 40
"""How many groups of a comparison are stored, the largest ones."""


class StoredGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A group of differences without its sentences; see :class:`~learnability.annotation_diffs.groups.Group`.

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
        return cls(
            **group.kind._asdict(),
            words=group.words,
            sentences=group.sentences,
            base_value=_numbers(group.base_value),
            alternative_value=_numbers(group.alternative_value),
            queries=group.queries,
        )

    @classmethod
    def largest(cls, groups: Sequence[Group]) -> list[StoredGroup]:
        return [cls.of(group) for group in groups[:MOST_STORED]]

    @property
    def record(self) -> JsonObject:
        """Return the group for JSON."""
        values: JsonObject = msgspec.structs.asdict(self)
        return values


def _numbers(counts: ValueCounts | None) -> tuple[int, ...]:
    return (counts.base, counts.alternative, counts.of_base, counts.of_alternative) if counts else ()

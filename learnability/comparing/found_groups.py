"""Find the groups of differences of `diff`, store them for records, and read them from there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from learnability.annotation_diffs.annotation_diff import AnnotationDiff, compare_versions
from learnability.annotation_diffs.changes import DifferenceKind
from learnability.annotation_diffs.groups import Group, ValueCounts
from learnability.annotation_diffs.version import version_of_sentences
from learnability.comparing.stored_groups import StoredGroup
from learnability.treebanks.sentence import Sentence, Tree


def group_of(stored: StoredGroup) -> Group:
    return Group(
        DifferenceKind(*(getattr(stored, name) for name in DifferenceKind._fields)),
        stored.words,
        stored.sentences,
        ValueCounts(*stored.base_value) if stored.base_value else None,
        ValueCounts(*stored.alternative_value) if stored.alternative_value else None,
        stored.queries,
        (),
    )


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

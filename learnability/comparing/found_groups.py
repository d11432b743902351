"""Find the groups of differences of `diff`, store them for records, and read them from there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from learnability.differences.comparison import AnnotationDiff, compare_versions
from learnability.differences.version import version_of_sentences
from learnability.treebanks.sentence import Sentence, Tree


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

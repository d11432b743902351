"""Variation nuclei: the same words, annotated in two ways.

A nucleus is the words from a dependent to its head, both included. Where the same words occur elsewhere with
another relation between their ends, or none, one of the annotations may be wrong, above all if the words on
either side are the same, too (Dickinson & Meurers 2003, 2005; for dependencies Boyd, Dickinson & Meurers
2008). Occurrences without an arc count only if all words between the ends are the same, as in Boyd et al.
(2008, section 3.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Tree

LONGEST = 7
"""Words of the longest nucleus that is compared: longer ones hardly recur."""

EDGE = ""
"""Stands for the word before the first and after the last one of a sentence."""

Counts = NDArray[np.int64]

Forms = tuple[Hashable, ...]
"""The forms of a sentence, as they are compared."""


class Variation(NamedTuple):
    """Count, for the arc of each word, the other occurrences of its nucleus.

    Words without a nucleus (the root word, and words far from their head) have zeros.

    Attributes:
        same: int64[words], with the same arc and relation.
        other: int64[words], with the arc in the other direction, or another relation.
        without: int64[words], with no arc between the ends.
        same_context, other_context, without_context: int64[words], those of them that also have the same
            word before and after.
    """

    same: Counts
    other: Counts
    without: Counts
    same_context: Counts
    other_context: Counts
    without_context: Counts


class _Occurrences:
    """The annotations of nuclei, with and without their context."""

    def __init__(self) -> None:
        self.total: Counter[tuple[object, ...]] = Counter()
        self.labelled: Counter[tuple[object, ...]] = Counter()
        self.without: Counter[tuple[object, ...]] = Counter()

    def add(self, key: tuple[object, ...], label: tuple[str, bool]) -> None:
        self.total[key] += 1
        self.labelled[key, label] += 1

    def others(self, key: tuple[object, ...], label: tuple[str, bool]) -> tuple[int, int, int]:
        """Return the other occurrences with the same arc, with another, and without an arc."""
        same = self.labelled[key, label]
        return same - 1, self.total[key] - same, self.without[key]


def variation(trees: Sequence[Tree]) -> Variation:
    """Return the variation of the nuclei of trees, all words one after the other.

    Forms are compared without their case; one that is withheld equals no other.

    Args:
        trees: a whole treebank.
    """
    anywhere, in_context = _Occurrences(), _Occurrences()
    nuclei: list[tuple[tuple[object, ...], tuple[object, ...], tuple[str, bool]] | None] = []
    compared = [tree.compared_forms() for tree in trees]
    for tree, forms in zip(trees, compared, strict=True):
        for word, (head, deprel) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
            first, last = min(word, head), max(word, head)
            if head == 0 or last - first >= LONGEST:
                nuclei.append(None)
                continue
            nucleus, context = _nucleus(forms, first, last)
            label = (deprel, word < head)
            nuclei.append((nucleus, context, label))
            anywhere.add(nucleus, label)
            in_context.add(context, label)
    _count_without(trees, compared, anywhere, in_context)
    counts = np.zeros((6, len(nuclei)), np.int64)
    for i, known in enumerate(nuclei):
        if known is None:
            continue
        nucleus, context, label = known
        counts[:3, i] = anywhere.others(nucleus, label)
        counts[3:, i] = in_context.others(context, label)
    return Variation(*counts)


def _nucleus(forms: Forms, first: int, last: int) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Return the words from `first` to `last` (from 1), and the same with the words on either side."""
    nucleus = forms[first - 1 : last]
    before = forms[first - 2] if first > 1 else EDGE
    after = forms[last] if last < len(forms) else EDGE
    return nucleus, (before, nucleus, after)


def _count_without(
    trees: Sequence[Tree], compared: Sequence[Forms], anywhere: _Occurrences, in_context: _Occurrences
) -> None:
    """Count where the words of nuclei occur with no arc between their ends."""
    ends = {(nucleus[0], nucleus[-1], len(nucleus)) for nucleus in anywhere.total}
    for tree, forms in zip(trees, compared, strict=True):
        heads = tree.heads
        for first in range(1, len(forms)):
            for last in range(first + 1, min(len(forms), first + LONGEST - 1) + 1):
                if (forms[first - 1], forms[last - 1], last - first + 1) not in ends:
                    continue
                if heads[first - 1] == last or heads[last - 1] == first:
                    continue
                nucleus, context = _nucleus(forms, first, last)
                if nucleus in anywhere.total:
                    anywhere.without[nucleus] += 1
                    in_context.without[context] += 1

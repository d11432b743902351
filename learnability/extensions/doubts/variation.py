"""Variation nuclei: the same words, annotated in two ways.

A nucleus is the words from a dependent to its head, both included. Where the same words occur elsewhere with
another relation between their ends, or none, one of the annotations may be wrong, above all if the words on
either side are the same, too (Dickinson & Meurers 2003, 2005; for dependencies Boyd, Dickinson & Meurers
2008). Occurrences without an arc count only if all words between the ends are the same, as in Boyd et al.
(2008, section 3.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.extensions.doubts.words import Codes, ColumnWords, Counted, Keys, hash_columns

LONGEST = 7
"""Words of the longest nucleus that is compared: longer ones hardly recur."""


class Nuclei(NamedTuple):
    """The nuclei of arcs, as numbers that are equal where the words are.

    Attributes:
        there: bool[arcs], which arcs have a nucleus; the numbers of the others say nothing.
        words: uint64[arcs].
        context: uint64[arcs], the same with the words on either side.
    """

    there: NDArray[np.bool_]
    words: Keys
    context: Keys


class Variation(NamedTuple):
    """How often the nucleus of each word occurs elsewhere; without a nucleus all are zeros.

    Attributes:
        same: int64[words], with the same arc and relation.
        other: int64[words], with the arc in the other direction, or another relation.
        without: int64[words], with no arc between the ends.
        same_context, other_context, without_context: int64[words], those of them that also have the same
            word before and after.
    """

    same: Codes
    other: Codes
    without: Codes
    same_context: Codes
    other_context: Codes
    without_context: Codes


def find_nuclei(words: ColumnWords, word: Codes, heads: Codes) -> Nuclei:
    """Return the nuclei of arcs; forms are compared without their case.

    Args:
        words: a whole treebank.
        word: int64[arcs], the indices of the dependents.
        heads: int64[arcs], the heads (0: the root).
    """
    position = words.flat.position[word]
    first, last = np.minimum(position, heads), np.maximum(position, heads)
    there = (heads > 0) & (last - first < LONGEST)
    start = words.flat.offsets[words.flat.sentence[word]]
    index, following = np.where(there, start + first - 1, 0), np.where(there, last - first, 0)
    return Nuclei(there, *_number_spans(words, index, following))


def _number_spans(words: ColumnWords, index: Codes, following: Codes) -> tuple[Keys, Keys]:
    """Return numbers for words and as many as follow them, without and with the words on either side."""
    single = hash_columns(words.form)
    spans = [single]
    for count in range(1, LONGEST):
        longer = np.zeros_like(single)
        longer[:-count] = hash_columns(spans[-1][:-count], single[count:])
        spans.append(longer)
    inner = np.stack(spans)[following, index]
    before, after = words.beside(words.form, -1)[index], words.beside(words.form, 1)[index + following]
    return inner, hash_columns(inner, before, after)


def variation(words: ColumnWords) -> Variation:
    """Return the variation of the nuclei of a whole treebank."""
    heads = np.array([head for tree in words.trees for head in tree.heads], np.int64)
    label = words.codes(lambda tree: tree.deprels), words.flat.position < heads
    nuclei = find_nuclei(words, np.arange(len(heads)), heads)
    sentence = words.flat.sentence
    near = [np.flatnonzero(sentence[:-step] == sentence[step:]) for step in range(1, LONGEST)]
    following = np.repeat(np.arange(1, LONGEST), list(map(len, near)))
    everywhere = _number_spans(words, np.concatenate(near), following)
    columns: list[Codes] = []
    for keys, every in zip(nuclei[1:], everywhere, strict=True):
        key = np.where(nuclei.there, keys, 0)
        labelled = hash_columns(key, *label)
        same = Counted(labelled).find(labelled)
        with_arc = Counted(key).find(key)
        found = same - 1, with_arc - same, Counted(every).find(key) - with_arc
        columns += [np.where(nuclei.there, column, 0) for column in found]
    return Variation(*columns)

"""Derivation complexity: the number of distinct substrings of the gold transition sequences.

The paper's Table 3 has this name, and its text defines derivation perplexity, which `measure` computes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnability.metrics.flat import IntArray
from learnability.treebanks.sentence import Tree

SHIFT, RIGHT, LEFT, REDUCE = range(4)


def derivation_complexity(trees: Sequence[Tree]) -> int:
    """Return the number of distinct substrings of the derivations of projective trees."""
    return count_substrings([derive(tree.heads) for tree in trees])


def derive(heads: Sequence[int]) -> list[int]:
    """Return the arc-eager transitions of a projective tree (Goldberg & Nivre 2012, Algorithm 1)."""
    gold, stack, front = (-1, *heads), [0], 1
    has_head: set[int] = set()
    taken: list[int] = []
    while front < len(gold):
        top = stack[-1]
        if top > 0 and gold[top] == front and top not in has_head:
            taken.append(LEFT)
            has_head.add(stack.pop())
        elif gold[front] == top:
            taken.append(RIGHT)
            has_head.add(front)
            stack.append(front)
            front += 1
        elif top in has_head and any(gold[k] == front or gold[front] == k for k in stack[:-1]):
            taken.append(REDUCE)
            stack.pop()
        else:
            taken.append(SHIFT)
            stack.append(front)
            front += 1
    return taken


def count_substrings(sequences: Sequence[Sequence[int]]) -> int:
    """Return the number of distinct non-empty substrings of the sequences (Gusfield 1997).

    A substring lies within one sequence; a substring of several sequences counts once.

    The count comes from the suffix array of all sequences, each closed by a distinct end symbol, by prefix
    doubling (O(n log n log l), l = longest repetition). Each suffix adds one
    substring for each symbol after the prefix that it shares with its predecessor in the array.

    Args:
        sequences: per sentence, its transitions as integers of any values.
    """
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    if lengths.sum() == 0:
        return 0
    levels = _rank_short(np.concatenate([np.asarray(s, np.int64) for s in sequences]), lengths)
    ranks, n = levels[-1], len(levels[-1])
    while int(ranks.max()) + 1 < n:
        # Beyond the last end symbol any value will do, because end symbols are distinct.
        _, ranks = np.unique(ranks * n + _ahead(ranks, 1 << (len(levels) - 1)), return_inverse=True)
        levels.append(ranks)
    suffixes = np.empty(n, dtype=np.int64)
    suffixes[ranks] = np.arange(n, dtype=np.int64)
    a, b = suffixes[:-1].copy(), suffixes[1:].copy()
    substrings = int((lengths * (lengths + 1) // 2).sum())
    # Two suffixes differ at an end symbol at the latest, so no common prefix reaches into the next sequence.
    for k in range(len(levels) - 2, -1, -1):  # levels[k] tells suffixes apart by their first 2**k symbols
        step = (levels[k][a] == levels[k][b]).astype(np.int64) << k
        substrings -= int(step.sum())
        a += step
        b += step
    return substrings


LARGEST = 1 << 62
"""Numbers that tell suffixes apart stay below this."""


def _rank_short(symbols: IntArray, lengths: IntArray) -> list[IntArray]:
    """Return numbers that order suffixes by their first 1, 2, 4, ... symbols, while these fit into one.

    Args:
        symbols: int64[symbols], those of all sequences.
        lengths: int64[sequences].

    Returns:
        int64[symbols + sequences] each, with an end symbol after each sequence, that ranks above all others
        and is unlike any other end symbol. The numbers of the last are ranks from 0.
    """
    kinds, coded = np.unique(symbols, return_inverse=True)
    ends = np.cumsum(lengths) + np.arange(len(lengths))
    code = np.insert(coded, np.cumsum(lengths), len(kinds))
    until_end = np.repeat(ends, lengths + 1) - np.arange(len(code))
    sequence = np.repeat(np.arange(1, len(lengths) + 1), lengths + 1)
    levels: list[IntArray] = []
    width, size = 1, len(kinds) + 1
    while True:
        # of equal beginnings that hold an end symbol, those of earlier sequences come first
        levels.append(code * (len(lengths) + 1) + np.where(until_end < width, sequence, 0))
        if size * size * (len(lengths) + 1) >= LARGEST:
            break
        code = code * size + np.where(until_end >= width, _ahead(code, width), 0)
        width, size = 2 * width, size * size
    levels[-1] = np.unique(levels[-1], return_inverse=True)[1]
    return levels


def _ahead(values: IntArray, step: int) -> IntArray:
    """Return the values that stand `step` places later, 0 beyond the last."""
    shifted = np.zeros_like(values)
    shifted[: max(len(values) - step, 0)] = values[step:]
    return shifted

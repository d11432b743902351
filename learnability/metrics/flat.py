"""Hold whole corpora as flat integer arrays, which make the measures fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.treebanks.sentence import Tree

IntArray = NDArray[np.signedinteger[Any]]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FlatTrees:
    """Hold the heads of many sentences, one after the other.

    Attributes:
        heads: int64[N], for every token its head's number within the sentence (1..n), 0 = root.
        offsets: int64[S + 1]; the tokens of sentence s are offsets[s] .. offsets[s + 1] - 1.
        sentence: int64[N], the sentence of each token.
        position: int64[N], the token's number within its sentence, from 1.
        parent: int64[N], the flat index of each token's head, -1 for root words.
    """

    heads: IntArray
    offsets: IntArray
    sentence: IntArray
    position: IntArray
    parent: IntArray

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> FlatTrees:
        """Return the flat form of the heads of trees.

        Raises:
            InputError: a head lies outside its sentence.
        """
        return flatten([tree.heads for tree in trees])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def tokens(self) -> int:
        return len(self.heads)

    def nonprojective_arcs(self) -> BoolArray:
        """Return bool[N], whether the arc into each token is non-projective (root arcs never are)."""
        crossing = np.zeros(self.tokens, dtype=np.bool_)
        for s in np.flatnonzero(~projective_sentences(self)):
            first = int(self.offsets[s])
            heads = self.heads[first : self.offsets[s + 1]].tolist()
            ancestors: list[set[int]] = []
            for token in range(1, len(heads) + 1):
                ancestors.append(set())
                while token:  # 0 is an ancestor of every token
                    token = heads[token - 1]
                    ancestors[-1].add(token)
            for token, head in enumerate(heads, 1):
                between = ancestors[min(token, head) : max(token, head) - 1]
                crossing[first + token - 1] = any(head not in above for above in between)
        return crossing


def flatten(heads: Sequence[Sequence[int]]) -> FlatTrees:
    """Return the flat form of head vectors (0: the root); InputError for a head outside its sentence."""
    lengths = np.array([len(sentence) for sentence in heads], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    flat = np.fromiter(chain.from_iterable(heads), np.int64, int(offsets[-1]))
    sentence = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    start = offsets[sentence]
    wrong = np.flatnonzero((flat < 0) | (flat > lengths[sentence]))
    if len(wrong):
        token, s = int(wrong[0]), int(sentence[wrong[0]])
        raise InputError(
            f"sentence {s + 1}, token {token - int(offsets[s]) + 1}: "
            f"head {flat[token]} is outside the sentence; correct the tree"
        )
    position = np.arange(len(flat), dtype=np.int64) - start + 1
    return FlatTrees(flat, offsets, sentence, position, np.where(flat > 0, start + flat - 1, -1))


def climb(
    trees: FlatTrees, start: IntArray, onwards: Callable[[IntArray], BoolArray]
) -> tuple[IntArray, IntArray]:
    """Follow heads upwards from several tokens at once, as long as `onwards` says for int64[K] indices.

    `start`: int64[K], flat indices; -1 is above the root. Returns the index at which each walk ends and its
    number of steps, int64[K] each.

    Raises:
        InputError: a walk never ends, because the heads form a cycle.
    """
    at, steps = start, np.zeros(len(start), dtype=np.int64)
    for _ in range(int(np.diff(trees.offsets).max(initial=0)) + 1):
        going = onwards(at)
        if not going.any():
            return at, steps
        steps += going
        at = np.where(going, trees.parent[at], at)
    s = int(trees.sentence[at[onwards(at)][0]])
    raise InputError(f"the heads of sentence {s + 1} form a cycle; correct the tree")


def depths(trees: FlatTrees) -> IntArray:
    """Return int64[N], the arcs between each token and its root word; InputError if heads form a cycle."""
    return climb(trees, trees.parent, lambda at: at >= 0)[1]


def spans(trees: FlatTrees) -> tuple[IntArray, IntArray, IntArray]:
    """Return first and last token (flat indices) and size of each subtree, int64[N] each."""
    depth = depths(trees)
    left = np.arange(trees.tokens, dtype=np.int64)
    right = left.copy()
    size = np.ones(trees.tokens, dtype=np.int64)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max(initial=0)) + 2))
    for level in range(len(bounds) - 2, 0, -1):
        tokens = by_depth[bounds[level] : bounds[level + 1]]
        heads = trees.parent[tokens]
        np.minimum.at(left, heads, left[tokens])
        np.maximum.at(right, heads, right[tokens])
        np.add.at(size, heads, size[tokens])
    return left, right, size


def projective_sentences(trees: FlatTrees) -> BoolArray:
    """Return bool[S], the sentences in which every subtree is an interval; InputError for a cycle."""
    left, right, size = spans(trees)
    gap = right - left + 1 != size
    whole: BoolArray = np.bincount(trees.sentence[gap], minlength=len(trees)) == 0
    return whole


def sentence_sums(values: NDArray[Any], offsets: IntArray) -> IntArray:
    """Return int64[S], the sum of values[N] in each sentence; 0 for empty sentences."""
    sums: IntArray = np.diff(np.concatenate(([0], np.cumsum(values, dtype=np.int64)))[offsets])
    return sums

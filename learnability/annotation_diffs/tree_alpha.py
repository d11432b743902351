"""Correct the agreement of trees for chance: the measure alpha_plain of Skjærholt (2014).

A. Skjærholt, *A chance-corrected measure of inter-annotator agreement for syntax*, ACL 2014: Krippendorff's
alpha with the tree edit distance as the distance of two annotations. Alpha over the numbers of heads means
nothing, because the numbers are no categories.

Definition, as the author's program ``syn-agreement`` computes it with ``--metric=plain``:

- A tree is ordered: the children of a word stand in the order of the sentence. The label of a word is its
  relation. An artificial root without a label heads the root words.
- The distance is the smallest number of insertions, deletions and relabellings of nodes (Zhang & Shasha
  1989).
- Alpha is 1 - D_o / D_e. D_o is the mean squared distance of the two trees of a sentence. D_e is the mean
  squared distance of all pairs of different annotations, of the same sentence or not.

He defines two others, and his program advises against them: alpha_diff, which subtracts the difference in
size, and alpha_norm, which divides by the sum of the sizes. They are not computed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from learnability.treebanks.sentence import Tree

MOST_SENTENCES = 200
"""The most sentences that D_o is measured on; of more, this many are drawn at random."""

MOST_PAIRS = 400
"""The most pairs of annotations that D_e is measured on; of more, this many are drawn at random."""

LONGEST = 60
"""The most words of a sentence that takes part: the time grows with the fourth power of the length."""

SEED = 1
"""Of the drawing: the same versions give the same value."""


@dataclass(frozen=True, slots=True)
class TreeAlpha:
    """Hold alpha_plain and what it was computed on.

    Attributes:
        alpha: from 1 (the same trees) through 0 (as by chance) below it; nan if every tree is the same.
        sentences: that the observed disagreement was measured on.
        pairs: of annotations that the expected disagreement was measured on.
        sampled: whether they were drawn, so that the value is an estimate.
        left_out: sentences of more than :data:`LONGEST` words.
    """

    alpha: float
    sentences: int
    pairs: int
    sampled: bool
    left_out: int


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Hold an ordered tree in postorder: labels, leftmost leaves, and the roots of subtrees to compare."""

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]
    keyroots: tuple[int, ...]


def tree_alpha(pairs: Sequence[tuple[Tree, Tree]]) -> TreeAlpha:
    """Return the agreement of two annotations of sentences.

    Args:
        pairs: each sentence in both annotations, with heads and relations.
    """
    short = [pair for pair in pairs if max(map(len, pair)) <= LONGEST]
    draw = Random(SEED)
    sampled = len(short) > MOST_SENTENCES
    chosen = draw.sample(short, MOST_SENTENCES) if sampled else short
    ordered = {tree: _order_tree(tree) for pair in chosen for tree in pair}
    annotations = [ordered[tree] for pair in chosen for tree in pair]
    observed = [_distance(ordered[first], ordered[second]) ** 2 for first, second in chosen]
    every = len(annotations) * (len(annotations) - 1) // 2
    drawn = range(every) if every <= MOST_PAIRS else sorted(draw.sample(range(every), MOST_PAIRS))
    expected = [_distance(annotations[i], annotations[j]) ** 2 for i, j in map(_pair_of_number, drawn)]
    alpha = math.nan
    if any(expected):
        alpha = 1 - (sum(observed) / len(observed)) / (sum(expected) / len(expected))
    return TreeAlpha(
        alpha, len(chosen), len(expected), sampled or every > MOST_PAIRS, len(pairs) - len(short)
    )


def _pair_of_number(number: int) -> tuple[int, int]:
    """Return the pair i < j with this number, in the order (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = (1 + math.isqrt(1 + 8 * number)) // 2
    return number - j * (j - 1) // 2, j


def _order_tree(tree: Tree) -> _Ordered:
    children: list[list[int]] = [[] for _ in range(len(tree) + 1)]
    for token, head in enumerate(tree.heads, start=1):
        children[head].append(token)
    labels: list[str] = []
    leftmost: list[int] = []
    stack = [(0, iter(children[0]), -1)]  # word, its children that are left, its leftmost leaf
    while stack:
        word, left, leaf = stack.pop()
        child = next(left, None)
        if child is not None:
            stack.append((word, left, leaf))
            stack.append((child, iter(children[child]), -1))
            continue
        own = leaf if leaf >= 0 else len(labels)
        labels.append(tree.deprels[word - 1] if word else "")
        leftmost.append(own)
        if stack:
            parent, others, first_leaf = stack.pop()
            stack.append((parent, others, first_leaf if first_leaf >= 0 else own))
    last_with = {leaf: node for node, leaf in enumerate(leftmost)}
    return _Ordered(tuple(labels), tuple(leftmost), tuple(sorted(last_with.values())))


def _distance(first: _Ordered, second: _Ordered) -> int:
    """Return the edit distance of two ordered trees (Zhang & Shasha 1989)."""
    if first == second:
        return 0
    of_subtrees = [[0] * len(second.labels) for _ in first.labels]
    for i in first.keyroots:
        for j in second.keyroots:
            _fill(first, second, i, j, of_subtrees)
    return of_subtrees[-1][-1]


def _fill(first: _Ordered, second: _Ordered, i: int, j: int, of_subtrees: list[list[int]]) -> None:
    """Put the distances of the subtrees at the left edges of i and j into the table."""
    start_i, start_j = first.leftmost[i], second.leftmost[j]
    columns = [
        (column, start_j + column - 1, second.leftmost[start_j + column - 1] - start_j)
        for column in range(1, j - start_j + 2)
    ]
    rows = [list(range(len(columns) + 1))]
    for node in range(start_i, i + 1):
        above = rows[-1]
        last = above[0] + 1
        row = [last]
        is_whole = first.leftmost[node] == start_i
        before = rows[first.leftmost[node] - start_i]
        label, table = first.labels[node], of_subtrees[node]
        for column, other, leaf in columns:
            changes_both = is_whole and not leaf
            if changes_both:
                changed = above[column - 1] + (label != second.labels[other])
            else:
                changed = before[leaf] + table[other]
            # min() would take most of the time
            last = last + 1 if last < above[column] else above[column] + 1
            if changed < last:
                last = changed
            if changes_both:
                table[other] = last
            row.append(last)
        rows.append(row)

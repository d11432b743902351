"""Find the tree with the highest sum of arc scores: projective (Eisner 1996), or any (Chu-Liu-Edmonds).

Both return trees with one root word, unless several are wanted. Scores are float32[n + 1, n + 1], by
dependent and head; 0 is the root. Among trees with the same score each decoder always finds the same tree
(docs/rules.md, Graph-based parsing).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.jit import Flags, Ints, Scores, njit

NONE = -1
"""Stands for no node and for no head."""


@bundle
class SpanSpace(NamedTuple):
    """Eisner's tables, by the head and the other end of a span: complete and incomplete spans.

    Attributes:
        open, closed: float32[n + 1, n + 1], the score of the best incomplete and complete span.
        closed_at: float32[n + 1, n + 1], the complete spans by the other end and the head.
        open_split: int32[n + 1, n + 1], the last word of the left part of an incomplete span.
        closed_split: int32[n + 1, n + 1], the word where an incomplete and a complete span join.
        waiting: int32[2n + 4, 2], complete spans still to be read off, by the head and the other end.
    """

    open: Scores
    closed: Scores
    closed_at: Scores
    open_split: Ints
    closed_split: Ints
    waiting: Ints


@bundle
class CycleSpace(NamedTuple):
    """Hold the working space of Chu-Liu-Edmonds; a node is a word, or a cycle numbered by one of its words.

    Attributes:
        score: float64[n + 1, n + 1], of the arcs between nodes, by dependent and head.
        head, dependent: int32[n + 1, n + 1], the words at the ends of each arc between nodes.
        alive: uint8[n + 1], 0 for a node that is part of another.
        best: int32[n + 1], the best head of each node.
        mark: int32[n + 1], the walk that met the node.
        cycle: int32[n + 1], the nodes of the cycle.
        node: int32[n + 1], the node of each word.
        member: int32[n + 1, n + 1], the node of each word in a cycle when it was contracted, else `NONE`.
        kept_head, kept_dependent: int32[n + 1, n + 1], the arc into each node of a cycle.
    """

    score: NDArray[np.float64]
    head: Ints
    dependent: Ints
    alive: Flags
    best: Ints
    mark: Ints
    cycle: Ints
    node: Ints
    member: Ints
    kept_head: Ints
    kept_dependent: Ints


def new_span_space(longest: int) -> SpanSpace:
    """Allocate scratch space for sentences of up to `longest` tokens."""
    scores = np.zeros((3, longest + 1, longest + 1), np.float32)
    splits = np.zeros((2, longest + 1, longest + 1), np.int32)
    return SpanSpace(
        scores[0], scores[1], scores[2], splits[0], splits[1], np.zeros((2 * longest + 4, 2), np.int32)
    )


def new_cycle_space(longest: int) -> CycleSpace:
    """Allocate scratch space for sentences of up to `longest` tokens."""
    words = longest + 1
    square, line = np.zeros((5, words, words), np.int32), np.zeros((4, words), np.int32)
    return CycleSpace(
        np.zeros((words, words)), square[0], square[1], np.zeros(words, np.uint8),
        line[0], line[1], line[2], line[3], square[2], square[3], square[4],
    )  # fmt: skip


@njit
def projective_tree(n: int, score: Scores, multiple_roots: bool, space: SpanSpace, heads: Ints) -> None:
    """Write the head of each word in the best projective tree to `heads` (int32[n + 1]), in O(n^3).

    Among equally good splits the leftmost wins. With a single root word, only words form spans; the root word
    is the word whose two spans and arc from the root score best, the first of equals.
    """
    closed, closed_at, opened = space.closed, space.closed_at, space.open
    first = 0 if multiple_roots else 1
    for i in range(first, n + 1):
        closed[i, i] = closed_at[i, i] = 0.0
    for width in range(1, n + 1 - first):
        for left in range(first, n + 1 - width):
            right = left + width
            best, split = closed[left, left] + closed[right, left + 1], left
            for q in range(left + 1, right):
                total = closed[left, q] + closed[right, q + 1]
                if total > best:
                    best, split = total, q
            opened[left, right] = best + score[right, left]
            opened[right, left] = best + score[left, right]
            space.open_split[left, right] = space.open_split[right, left] = split
            best, split = opened[left, left + 1] + closed_at[right, left + 1], left + 1
            for q in range(left + 2, right + 1):
                total = opened[left, q] + closed_at[right, q]
                if total > best:
                    best, split = total, q
            closed[left, right] = closed_at[right, left] = best
            space.closed_split[left, right] = split
            best, split = opened[right, left] + closed_at[left, left], left
            for q in range(left + 1, right):
                total = opened[right, q] + closed_at[left, q]
                if total > best:
                    best, split = total, q
            closed[right, left] = closed_at[left, right] = best
            space.closed_split[right, left] = split
    spans = space.waiting
    spans[0, 0], spans[0, 1], spans[1, 0], spans[1, 1] = 0, n, 0, 0
    if not multiple_roots:
        root, best = 1, closed[1, 1] + closed[1, n] + score[1, 0]
        for word in range(2, n + 1):
            total = closed[word, 1] + closed[word, n] + score[word, 0]
            if total > best:
                root, best = word, total
        heads[root] = 0
        spans[0, 0], spans[0, 1], spans[1, 0], spans[1, 1] = root, 1, root, n
    count = 2
    while count > 0:
        count -= 1
        head, end = spans[count, 0], spans[count, 1]
        if head == end:
            continue
        word = space.closed_split[head, end]
        heads[word] = head
        split = space.open_split[head, word]
        inner = split if head < word else split + 1  # where the head's part of the incomplete span ends
        outer = split + 1 if head < word else split
        spans[count, 0], spans[count, 1] = word, end
        spans[count + 1, 0], spans[count + 1, 1] = head, inner
        spans[count + 2, 0], spans[count + 2, 1] = word, outer
        count += 3


@njit
def any_tree(n: int, score: Scores, multiple_roots: bool, space: CycleSpace, heads: Ints) -> None:
    """Write the head of each word in the best tree to `heads` (int32[n + 1]), in O(n^2).

    Among equally good heads the first wins. For a single root word, every arc from the root costs more than
    all other arcs together could gain.
    """
    s, best = space.score, space.best
    bound = 1.0
    for d in range(1, n + 1):
        high = 0.0
        for h in range(n + 1):
            if h != d:
                high = max(high, abs(score[d, h]))
        bound += 2.0 * high
    for d in range(n + 1):
        space.node[d], space.alive[d], heads[d] = d, 1, NONE
        for h in range(n + 1):
            s[d, h] = score[d, h]
            space.head[d, h], space.dependent[d, h] = h, d
    if not multiple_roots:
        for d in range(1, n + 1):
            s[d, 0] -= bound
    for d in range(1, n + 1):
        choose_head(d, n, space)
    contracted = 0
    length = find_cycle(n, space)
    while length > 0:
        contract(contracted, length, n, space)
        contracted += 1
        length = find_cycle(n, space)
    for d in range(1, n + 1):
        if space.alive[d] == 1:
            heads[space.dependent[d, best[d]]] = space.head[d, best[d]]
    for c in range(contracted - 1, -1, -1):
        entered = NONE
        for word in range(1, n + 1):
            if space.member[c, word] != NONE and heads[word] != NONE:
                entered = space.member[c, word]
        for word in range(1, n + 1):
            # a node is numbered by one of its words, so each arc of the cycle is met once
            if space.member[c, word] == word and word != entered:
                heads[space.kept_dependent[c, word]] = space.kept_head[c, word]


@njit
def choose_head(node: int, n: int, space: CycleSpace) -> None:
    """Set the best head of a node."""
    best = NONE
    for h in range(n + 1):
        if space.alive[h] == 1 and h != node and (best < 0 or space.score[node, h] > space.score[node, best]):
            best = h
    space.best[node] = best


@njit
def find_cycle(n: int, space: CycleSpace) -> int:
    """Write the nodes of the leftmost cycle of best heads to `space.cycle`; return their number or 0."""
    mark = space.mark
    for i in range(n + 1):
        mark[i] = 0
    for start in range(1, n + 1):
        if space.alive[start] == 0 or mark[start] != 0:
            continue
        node = start
        while node != 0 and mark[node] == 0:
            mark[node] = start
            node = space.best[node]
        if node != 0 and mark[node] == start:
            length, last = 0, node
            while length == 0 or node != last:
                space.cycle[length] = node
                length += 1
                node = space.best[node]
            return length
    return 0


@njit
def contract(number: int, length: int, n: int, space: CycleSpace) -> None:
    """Replace the cycle by a single node.

    An arc into that node replaces one of the cycle's arcs; an arc out of it is the best arc out of any of its
    nodes.
    """
    s, best, alive, cycle = space.score, space.best, space.alive, space.cycle
    for word in range(n + 1):
        space.member[number, word] = NONE
    new = cycle[0]
    for k in range(length):
        node = cycle[k]
        new = min(new, node)
        alive[node] = 0
        space.kept_head[number, node] = space.head[node, best[node]]
        space.kept_dependent[number, node] = space.dependent[node, best[node]]
    for k in range(length):
        node = cycle[k]
        loss = s[node, best[node]]
        for h in range(n + 1):
            if alive[h] == 1:
                s[node, h] -= loss
        for word in range(1, n + 1):
            if space.node[word] == node:
                space.member[number, word] = node
    for word in range(1, n + 1):
        if space.member[number, word] != NONE:
            space.node[word] = new
    for other in range(n + 1):
        if alive[other] == 0:
            continue
        into, out = cycle[0], cycle[0]
        for k in range(1, length):
            if s[cycle[k], other] > s[into, other]:
                into = cycle[k]
            if s[other, cycle[k]] > s[other, out]:
                out = cycle[k]
        move_arc(into, other, new, other, space)
        move_arc(other, out, other, new, space)
        if other != 0 and alive[best[other]] == 0:  # its best head was in the cycle
            best[other] = new
    alive[new] = 1
    choose_head(new, n, space)


@njit
def move_arc(from_dependent: int, from_head: int, dependent: int, head: int, space: CycleSpace) -> None:
    """Copy the score and the words of one arc between nodes to another."""
    space.score[dependent, head] = space.score[from_dependent, from_head]
    space.head[dependent, head] = space.head[from_dependent, from_head]
    space.dependent[dependent, head] = space.dependent[from_dependent, from_head]

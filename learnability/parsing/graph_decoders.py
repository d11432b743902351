"""The tree with the highest sum of arc scores: projective (Eisner 1996), or any (Chu-Liu-Edmonds).

Both leave one root word, unless several are wanted. Scores are float32[n + 1, n + 1], by the dependent and
the head, 0 being the root. Of trees with the same score each decoder finds the same one every time
(docs/rules.md, Graph-based parsing).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.jit import Flags, Ints, Scores, njit

NONE = -1
"""No node, no head."""


class SpanSpace(NamedTuple):
    """Eisner's tables, by the head and the other end of a span: complete and incomplete ones.

    Attributes:
        open, closed: float32[n + 1, n + 1], the best incomplete and complete span.
        closed_at: float32[n + 1, n + 1], the complete ones by the other end and the head.
        open_split, closed_split: int32[n + 1, n + 1], the last word of the left part; the word at which the
            complete span is made of an incomplete and a complete one.
        waiting: int32[2n + 4, 2], complete spans still to be read off, by the head and the other end.
    """

    open: Scores
    closed: Scores
    closed_at: Scores
    open_split: Ints
    closed_split: Ints
    waiting: Ints


class CycleSpace(NamedTuple):
    """What Chu-Liu-Edmonds works on; nodes are words, or cycles that have the number of one of their words.

    Attributes:
        score: float64[n + 1, n + 1], of the arcs between nodes, by dependent and head.
        head, dependent: int32[n + 1, n + 1], the words at the ends of each of these arcs.
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
    """Scratch space for sentences of up to `longest` tokens."""
    scores = np.zeros((3, longest + 1, longest + 1), np.float32)
    splits = np.zeros((2, longest + 1, longest + 1), np.int32)
    return SpanSpace(
        scores[0], scores[1], scores[2], splits[0], splits[1], np.zeros((2 * longest + 4, 2), np.int32)
    )


def new_cycle_space(longest: int) -> CycleSpace:
    """Scratch space for sentences of up to `longest` tokens."""
    words = longest + 1
    square, line = np.zeros((5, words, words), np.int32), np.zeros((4, words), np.int32)
    return CycleSpace(
        np.zeros((words, words)), square[0], square[1], np.zeros(words, np.uint8),
        line[0], line[1], line[2], line[3], square[2], square[3], square[4],
    )  # fmt: skip


@njit
def projective_tree(n: int, score: Scores, multiple_roots: bool, space: SpanSpace, heads: Ints) -> None:
    """Write the head of each word in the best projective tree to `heads` (int32[n + 1]), in O(n^3).

    Of equally good splits the leftmost is taken. With one root word only words make spans, and the root word
    is the one whose two spans and arc from the root are best, the first of equals.
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
                own = closed[left, q] + closed[right, q + 1]
                if own > best:
                    best, split = own, q
            opened[left, right] = best + score[right, left]
            opened[right, left] = best + score[left, right]
            space.open_split[left, right] = space.open_split[right, left] = split
            best, split = opened[left, left + 1] + closed_at[right, left + 1], left + 1
            for q in range(left + 2, right + 1):
                own = opened[left, q] + closed_at[right, q]
                if own > best:
                    best, split = own, q
            closed[left, right] = closed_at[right, left] = best
            space.closed_split[left, right] = split
            best, split = opened[right, left] + closed_at[left, left], left
            for q in range(left + 1, right):
                own = opened[right, q] + closed_at[left, q]
                if own > best:
                    best, split = own, q
            closed[right, left] = closed_at[left, right] = best
            space.closed_split[right, left] = split
    spans = space.waiting
    spans[0, 0], spans[0, 1], spans[1, 0], spans[1, 1] = 0, n, 0, 0
    if not multiple_roots:
        root, best = 1, closed[1, 1] + closed[1, n] + score[1, 0]
        for word in range(2, n + 1):
            own = closed[word, 1] + closed[word, n] + score[word, 0]
            if own > best:
                root, best = word, own
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
        inner = split if head < word else split + 1  # how far the head's own part of the incomplete span goes
        outer = split + 1 if head < word else split
        spans[count, 0], spans[count, 1] = word, end
        spans[count + 1, 0], spans[count + 1, 1] = head, inner
        spans[count + 2, 0], spans[count + 2, 1] = word, outer
        count += 3


@njit
def any_tree(n: int, score: Scores, multiple_roots: bool, space: CycleSpace, heads: Ints) -> None:
    """Write the head of each word in the best tree to `heads` (int32[n + 1]), in O(n^2).

    Of equally good heads the first is taken. For one root word, every arc from the root costs more than all
    other arcs together could bring.
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
            # a node has the number of one of its words: each arc of the cycle is met once
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
    """Write the nodes of a cycle of best heads, the first from the left; their number, 0 without any."""
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
    """Make the cycle one node: an arc into it replaces one of its own, an arc out of it is its best one."""
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
    """Have one arc stand for another."""
    space.score[dependent, head] = space.score[from_dependent, from_head]
    space.head[dependent, head] = space.head[from_dependent, from_head]
    space.dependent[dependent, head] = space.dependent[from_dependent, from_head]

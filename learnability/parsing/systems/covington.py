"""Covington's non-projective system (Covington 2001; Nivre 2008) with its static and dynamic oracles.

A configuration is c = (lambda1|i, lambda2, j|B, A). Lambda1 is always the words 1..i, lambda2 the words
between the focus words i and j. So lambda1 is kept on the stack, i is its top, and j is the buffer's front.
The root is in none of the lists: words that stay without a head are attached to it (Gómez-Rodríguez &
Fernández-González 2015, footnote 1).

SHIFT
    Validity: the buffer is not empty.
    Action:   (lambda1, lambda2, j|B, A) => (lambda1 . lambda2|j, [], B, A)
    Cost:     gold arcs between j and the words of lambda1.
RIGHT
    Validity: lambda1 is not empty, j has no head, and i does not descend from j.
    Action:   (lambda1|i, lambda2, j|B, A) => (lambda1, i|lambda2, j|B, A + (i, j))
    Cost:     the gold arc of j if its head is not i; the gold arc (j, i).
LEFT
    Validity: lambda1 is not empty, i has no head, and j does not descend from i.
    Action:   (lambda1|i, lambda2, j|B, A) => (lambda1, i|lambda2, j|B, A + (j, i))
    Cost:     the gold arc of i if its head is not j; the gold arc (i, j).
NO-ARC
    Validity: lambda1 is not empty.
    Action:   (lambda1|i, lambda2, B, A) => (lambda1, i|lambda2, B, A)
    Cost:     the gold arc between i and j.

Costs count reachable arcs only, and add the change of the number of cycles. By Theorem 1 of the 2015 paper
the loss of c is |U| + the number of cycles of A + I: I is the set of gold arcs that are reachable
individually, U the set of the other gold arcs. Here an arc counts as reachable if its dependent has no head
yet and, unless it starts at the root, its two words can still become i and j. The paper also excludes arcs
that would close a cycle with A alone. That changes U by 1 and the number of cycles by 1, so the loss is the
same: every word has at most one head in A + I, so cycles share no word. Read literally, its Algorithm 1
applies the tests of position to arcs from the root as well, where they do not hold.

Since every word has one head, a transition changes only the cycles through i and j. Following the heads from
these two words finds them.
"""

from __future__ import annotations

from typing import NamedTuple

from learnability.parsing.configuration import (
    FRONT,
    SIZE,
    KernelConfiguration,
    N,
    absent,
    add_arc,
    clear,
    front,
    has_front,
    headless,
    top,
)
from learnability.parsing.jit import Ints, njit
from learnability.parsing.templates import COVINGTON, feature_sets
from learnability.parsing.transitions import LEFT, RIGHT, SHIFT, TransitionSystem

NO_ARC = 3


class Covington(NamedTuple):
    """Covington's system; its root is always first."""

    root_first: bool = True


@njit
def initial(system: Covington, c: KernelConfiguration, n: int) -> None:
    """Set c to ([], [], 1..n, {})."""
    clear(c, n, 0, 1, n)


@njit
def is_final(system: Covington, c: KernelConfiguration) -> bool:
    """Return whether c is terminal: (lambda1, lambda2, [], A)."""
    return not has_front(c)


@njit
def descends(c: KernelConfiguration, word: int, ancestor: int) -> bool:
    """Return whether there is a path of arcs in A from `ancestor` to `word`."""
    missing = absent(c)
    while word not in (ancestor, missing):
        word = c.head[word]
    return bool(word == ancestor)


@njit
def is_legal(system: Covington, c: KernelConfiguration, transition: int) -> bool:
    """Return whether the transition is valid in c (see Validity above)."""
    if transition == SHIFT:
        return bool(has_front(c))
    if c.at[SIZE] == 0:
        return False
    i, j = top(c), front(c)
    if transition == RIGHT:
        return bool(headless(c, j) and not descends(c, i, j))
    if transition == LEFT:
        return bool(headless(c, i) and not descends(c, j, i))
    return True


@njit
def apply(system: Covington, c: KernelConfiguration, transition: int, label: int) -> None:
    """Take the transition (see Action above)."""
    j = c.at[FRONT]
    if transition == SHIFT:
        c.stack[j - 1] = j
        c.at[SIZE] = j
        c.at[FRONT] = j + 1
        return
    if transition == RIGHT:
        add_arc(c, top(c), j, label)
    elif transition == LEFT:
        add_arc(c, j, top(c), label)
    c.at[SIZE] -= 1


@njit
def is_reachable(c: KernelConfiguration, head: int, dependent: int) -> bool:
    """Return whether the arc can still be added, disregarding cycles."""
    if not headless(c, dependent):
        return False
    if head == 0:
        return True
    i, j = c.at[SIZE], c.at[FRONT]
    right = max(head, dependent)
    return bool(right > j or (right == j and min(head, dependent) <= i))


@njit
def loses_arc(system: Covington, c: KernelConfiguration, transition: int, head: int, dependent: int) -> bool:
    """Return whether the transition makes a reachable arc of i or j unreachable, disregarding cycles.

    While the gold tree is reachable, the arcs lost are the whole cost: A is part of the tree, without cycles.
    """
    if not is_reachable(c, head, dependent):
        return False
    i, j = top(c), front(c)
    if transition == SHIFT:
        return bool(head != 0 and max(head, dependent) == j)
    if transition == RIGHT and dependent == j:
        return bool(head != i)
    if transition == LEFT and dependent == i:
        return bool(head != j)
    return bool((head == i and dependent == j) or (head == j and dependent == i))


@njit
def head_after(c: KernelConfiguration, gold: Ints, word: int, transition: int) -> int:
    """Return the head of a word in A + I after the transition (-1: before it); 0 for the root or no head."""
    i, j = top(c), front(c)
    if transition == RIGHT and word == j:
        return int(i)
    if transition == LEFT and word == i:
        return int(j)
    if not headless(c, word):
        return int(c.head[word])
    head = gold[word]
    if head <= 0 or not is_reachable(c, head, word):
        return 0
    if transition == SHIFT and max(head, word) == j:
        return 0
    if transition >= 0 and ((head == i and word == j) or (head == j and word == i)):
        return 0
    return int(head)


@njit
def cycle(c: KernelConfiguration, gold: Ints, start: int, other: int, transition: int) -> int:
    """Return 2 if a cycle of A + I contains both words, 1 if only `start`, else 0; see `head_after`."""
    kind, word = 1, start
    for _ in range(c.at[N]):
        word = head_after(c, gold, word, transition)
        if word == 0:
            return 0
        if word == start:
            return kind
        if word == other:
            kind = 2
    return 0  # the heads of `start` lead into a cycle that does not contain it


@njit
def cycles(c: KernelConfiguration, gold: Ints, transition: int) -> int:
    """Return the number of cycles of A + I that contain i or j, after the transition (-1: before it)."""
    i, j = top(c), front(c)
    of_i = cycle(c, gold, i, j, transition)
    if of_i == 2:
        return 1
    return int(of_i + min(cycle(c, gold, j, i, transition), 1))


@njit
def cycle_cost(system: Covington, c: KernelConfiguration, gold: Ints, transition: int) -> int:
    """Return the change of the number of cycles in A + I (Theorem 1)."""
    if c.at[SIZE] == 0:
        return 0  # only SHIFT is legal, and it loses nothing
    before = cycles(c, gold, -1)
    if before == 0 and transition not in (LEFT, RIGHT):
        return 0  # a transition that adds no arc adds no cycle
    return int(cycles(c, gold, transition)) - before


@njit
def static_transition(system: Covington, c: KernelConfiguration, gold: Ints) -> int:
    """Return the static oracle's transition (Nivre 2008).

    LEFT and RIGHT where the arc is gold, NO-ARC while lambda1 has more gold neighbours of j, else SHIFT.
    """
    i, j = c.at[SIZE], c.at[FRONT]
    if i > 0:
        if gold[i] == j:
            return LEFT
        if gold[j] == i:
            return RIGHT
        if 0 < gold[j] < i:
            return NO_ARC
        for k in range(1, i):
            if gold[k] == j:
                return NO_ARC
    return SHIFT


SYSTEM = TransitionSystem(
    name="covington",
    kernels=Covington(),
    transitions=("SHIFT", "RIGHT", "LEFT", "NO-ARC"),
    features=feature_sets(COVINGTON),
    projective=False,
)

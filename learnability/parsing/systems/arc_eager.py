"""The arc-eager system (Nivre 2003) with its static and dynamic oracles.

A configuration is c = (sigma|s, b|beta, A). The root comes last in the buffer (Goldberg & Nivre 2013, 2.2;
the default) or first on the stack (Goldberg & Nivre 2012, 2.1).

SHIFT
    Validity: the buffer is not empty and b is not ROOT.
    Action:   (sigma, b|beta, A) => (sigma|b, beta, A)
    Cost:     gold arcs (k, b), k on the stack, and (b, k), k on the stack without a head.
RIGHT
    Validity: the stack is not empty and b is not ROOT.
    Action:   (sigma|s, b|beta, A) => (sigma|s|b, beta, A + (s, b))
    Cost:     gold arcs (k, b), k other than s; (b, k), k on the stack without a head: s included.
LEFT
    Validity: the stack is not empty, s is not ROOT and has no head.
    Action:   (sigma|s, b|beta, A) => (sigma, b|beta, A + (b, s))
    Cost:     gold arcs (k, s), k in the buffer other than b; (s, k), k in the buffer: b included.
REDUCE
    Validity: the stack is not empty and s has a head.
    Action:   (sigma|s, beta, A) => (sigma, beta, A)
    Cost:     gold arcs (s, k), k in the buffer.

The two arcs marked "included" are missing from the costs as printed in both papers; exhaustive search
shows that they count (tests/parsing/test_oracles_exhaustive.py). Where the root comes first, words without a
head are attached to ROOT at the end. So SHIFT never loses (ROOT, b), and LEFT also loses (ROOT, s).
"""

from __future__ import annotations

from typing import NamedTuple

from learnability.parsing.configuration import (
    FRONT,
    ROOT,
    SIZE,
    KernelConfiguration,
    N,
    add_arc,
    clear,
    front,
    has_front,
    headless,
    pop,
    push,
    shift,
    top,
)
from learnability.parsing.jit import Ints, njit
from learnability.parsing.templates import ZHANG_NIVRE_2011, feature_sets
from learnability.parsing.transitions import LEFT, RIGHT, SHIFT, TransitionSystem

REDUCE = 3


class ArcEager(NamedTuple):
    """Define the arc-eager system with the root at either end."""

    root_first: bool


@njit
def initial(system: ArcEager, c: KernelConfiguration, n: int) -> None:
    """Set c to ([], 1..n ROOT, {}) with the root last, and to ([ROOT], 1..n, {}) with the root first."""
    root, last_front = (0, n) if system.root_first else (n + 1, n + 1)
    clear(c, n, root, 1, last_front)
    if system.root_first:
        push(c, root)


@njit
def is_final(system: ArcEager, c: KernelConfiguration) -> bool:
    """Return whether c is terminal.

    Root last: the stack is empty and only ROOT is in the buffer. Root first: the buffer is empty.
    """
    if c.at[ROOT] == 0:
        return not has_front(c)
    return bool(c.at[SIZE] == 0 and c.at[FRONT] == c.at[ROOT])


@njit
def is_legal(system: ArcEager, c: KernelConfiguration, transition: int) -> bool:
    """Return whether the transition is valid in c (see Validity above)."""
    b_is_word = c.at[FRONT] <= c.at[N]
    if transition == SHIFT:
        return bool(b_is_word)
    if c.at[SIZE] == 0:
        return False
    s = top(c)
    if transition == RIGHT:
        return bool(b_is_word)
    if transition == LEFT:
        return bool(has_front(c) and s != c.at[ROOT] and headless(c, s))
    return not headless(c, s)


@njit
def apply(system: ArcEager, c: KernelConfiguration, transition: int, label: int) -> None:
    if transition == SHIFT:
        shift(c)
    elif transition == RIGHT:
        add_arc(c, top(c), front(c), label)
        shift(c)
    elif transition == LEFT:
        add_arc(c, front(c), pop(c), label)
    else:
        pop(c)


@njit
def is_reachable(c: KernelConfiguration, head: int, dependent: int) -> bool:
    """Return whether the arc is in A or can still be added (Goldberg & Nivre 2013, 4.5)."""
    if c.head[dependent] == head:
        return True
    if not headless(c, dependent):
        return False
    b = c.at[FRONT]
    if head == 0 and c.at[ROOT] == 0:
        return True  # words without a head are attached to ROOT at the end
    if dependent >= b:
        return bool(head >= b or c.stacked[head] == 1)
    return bool(c.stacked[dependent] == 1 and head >= b)


@njit
def loses_arc(system: ArcEager, c: KernelConfiguration, transition: int, head: int, dependent: int) -> bool:
    """Return whether the transition makes a reachable arc of s or b unreachable."""
    if not is_reachable(c, head, dependent) or c.head[dependent] == head:
        return False
    b = c.at[FRONT]
    s = top(c)
    if transition == SHIFT:
        if dependent == b:
            return bool(c.stacked[head] == 1 and not (head == 0 and c.at[ROOT] == 0))
        return bool(head == b and dependent < b)
    if transition == RIGHT:
        if dependent == b:
            return bool(head != s)
        return bool(head == b and dependent < b)
    if transition == LEFT and dependent == s:
        return bool(head != b)
    return bool(head == s)


@njit
def static_transition(system: ArcEager, c: KernelConfiguration, gold: Ints) -> int:
    """Return the static oracle's transition (Goldberg & Nivre 2012, Algorithm 1)."""
    b = c.at[FRONT]
    if c.at[SIZE] == 0:
        return SHIFT
    s = top(c)
    if gold[s] == b and headless(c, s) and s != c.at[ROOT]:
        return LEFT
    if b <= c.at[N] and gold[b] == s:
        return RIGHT
    if not headless(c, s):
        if b == c.at[ROOT]:
            return REDUCE
        for i in range(c.at[SIZE] - 1):  # REDUCE if a word below s has an arc with b
            k = c.stack[i]
            if gold[k] == b or gold[b] == k:
                return REDUCE
    return SHIFT


ROOT_LAST, ROOT_FIRST = (
    TransitionSystem(
        name=name,
        kernels=ArcEager(root_first),
        transitions=("SHIFT", "RIGHT", "LEFT", "REDUCE"),
        features=feature_sets(ZHANG_NIVRE_2011),
        variant=variant,
    )
    for name, root_first, variant in (
        ("arc-eager", False, "ROOT last."),
        ("arc-eager-root-first", True, "ROOT first."),
    )
)

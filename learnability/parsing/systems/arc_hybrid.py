"""The arc-hybrid system (Kuhlmann, Gómez-Rodríguez & Satta 2011) with its static and dynamic oracles.

A configuration is c = (sigma|s1|s0, b|beta, A); the root comes first in the buffer (Goldberg & Nivre 2013,
2.2). LEFT is that of arc-eager, RIGHT that of arc-standard.

SHIFT
    Validity: the buffer is not empty.
    Action:   (sigma, b|beta, A) => (sigma|b, beta, A)
    Cost:     gold arcs (h, b), h on the stack below s0, and (b, d), d on the stack.
RIGHT
    Validity: the stack has at least two elements.
    Action:   (sigma|s1|s0, beta, A) => (sigma|s1, beta, A + (s1, s0))
    Cost:     gold arcs (h, s0) and (s0, d), h and d in the buffer.
LEFT
    Validity: neither stack nor buffer is empty, s0 is not ROOT.
    Action:   (sigma|s0, b|beta, A) => (sigma, b|beta, A + (b, s0))
    Cost:     gold arcs (h, s0), h = s1 or in the buffer after b, and (s0, d), d in the buffer.

Costs as in Goldberg & Nivre 2013, 4.5.
"""

from __future__ import annotations

from typing import NamedTuple

from learnability.parsing.configuration import (
    FRONT,
    ROOT,
    SIZE,
    KernelConfiguration,
    absent,
    add_arc,
    front,
    has_front,
    headless,
    is_complete,
    pop,
    second,
    shift,
    top,
)
from learnability.parsing.jit import Ints, njit
from learnability.parsing.templates import ARC_HYBRID, WITH_S1, feature_sets
from learnability.parsing.transitions import LEFT, RIGHT, SHIFT, TransitionSystem


class ArcHybrid(NamedTuple):
    """Define the arc-hybrid system; its root is always first."""

    root_first: bool = True


@njit
def is_legal(system: ArcHybrid, c: KernelConfiguration, transition: int) -> bool:
    """Return whether the transition is valid in c (see Validity above)."""
    if transition == SHIFT:
        return bool(has_front(c))
    if transition == RIGHT:
        return bool(c.at[SIZE] >= 2)
    return bool(transition == LEFT and has_front(c) and c.at[SIZE] > 0 and top(c) != c.at[ROOT])


@njit
def apply(system: ArcHybrid, c: KernelConfiguration, transition: int, label: int) -> None:
    if transition == SHIFT:
        shift(c)
    elif transition == RIGHT:
        s0 = pop(c)
        add_arc(c, top(c), s0, label)
    else:
        add_arc(c, front(c), pop(c), label)


@njit
def arc(system: ArcHybrid, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Return the arc (s1, s0) for RIGHT, (b, s0) for LEFT."""
    if transition == RIGHT:
        return second(c), top(c)
    if transition == LEFT:
        return front(c), top(c)
    return absent(c), absent(c)


@njit
def is_reachable(c: KernelConfiguration, head: int, dependent: int) -> bool:
    """Return whether an arc of s0 or b can still be added (Goldberg & Nivre 2013, 4.5)."""
    if not headless(c, dependent):
        return False
    b = c.at[FRONT]
    if dependent >= b:
        return bool(head >= b or c.stacked[head] == 1)
    if head >= b:
        return bool(c.stacked[dependent] == 1)
    return bool(dependent == top(c) and head == second(c))


@njit
def loses_arc(system: ArcHybrid, c: KernelConfiguration, transition: int, head: int, dependent: int) -> bool:
    """Return whether the transition makes a reachable arc of s0 or b unreachable."""
    if not is_reachable(c, head, dependent):
        return False
    b = c.at[FRONT]
    s0 = top(c)
    if transition == SHIFT:
        if dependent == b:
            return bool(c.stacked[head] == 1 and head != s0)
        return bool(head == b and c.stacked[dependent] == 1)
    if transition == RIGHT:
        return bool((dependent == s0 and head >= b) or (head == s0 and dependent >= b))
    return bool((dependent == s0 and head != b) or head == s0)


@njit
def static_transition(system: ArcHybrid, c: KernelConfiguration, gold: Ints) -> int:
    """Return LEFT or RIGHT as soon as the arc is gold and its dependent complete, else SHIFT."""
    if c.at[SIZE] == 0 or top(c) == c.at[ROOT]:
        return SHIFT
    s0 = top(c)
    b = c.at[FRONT]
    if has_front(c) and gold[s0] == b:
        return LEFT
    return RIGHT if gold[s0] == second(c) and is_complete(c, gold, s0) else SHIFT


SYSTEM = TransitionSystem(
    name="arc-hybrid",
    kernels=ArcHybrid(),
    transitions=("SHIFT", "RIGHT", "LEFT"),
    features=feature_sets(ARC_HYBRID, WITH_S1),
)

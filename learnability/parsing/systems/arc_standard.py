"""The arc-standard system (Nivre 2004) with its static oracle.

A configuration is c = (sigma|s1|s0, b|beta, A); the root comes first in the buffer (Goldberg & Nivre 2013,
2.2).

SHIFT
    Validity: the buffer is not empty.
    Action:   (sigma, b|beta, A) => (sigma|b, beta, A)
RIGHT
    Validity: the stack has at least two elements.
    Action:   (sigma|s1|s0, beta, A) => (sigma|s1, beta, A + (s1, s0))
LEFT
    Validity: the stack has at least two elements, s1 is not ROOT.
    Action:   (sigma|s1|s0, beta, A) => (sigma|s0, beta, A + (s0, s1))

There is no cost: the system is not arc-decomposable (Goldberg & Nivre 2013, 4.3). With a, b, c on the stack
the arcs (c, b) and (b, a) are both reachable and form a projective tree, but no derivation has both. So the
cost of a transition differs from the number of arcs lost, which `loses_arc` tests for this system, too. The
regimes that need costs are refused.
"""

from __future__ import annotations

from typing import NamedTuple

from learnability.parsing.configuration import (
    FRONT,
    ROOT,
    SIZE,
    KernelConfiguration,
    add_arc,
    has_front,
    is_complete,
    pop,
    push,
    second,
    shift,
    top,
)
from learnability.parsing.jit import Ints, njit
from learnability.parsing.templates import ARC_STANDARD, WITH_S1, feature_sets
from learnability.parsing.transitions import LEFT, RIGHT, SHIFT, TransitionSystem


class ArcStandard(NamedTuple):
    """Define the arc-standard system; its root is always first."""

    root_first: bool = True


@njit
def is_legal(system: ArcStandard, c: KernelConfiguration, transition: int) -> bool:
    """Return whether the transition is valid in c (see Validity above)."""
    if transition == SHIFT:
        return bool(has_front(c))
    if transition == RIGHT:
        return bool(c.at[SIZE] >= 2)
    return bool(transition == LEFT and c.at[SIZE] >= 2 and second(c) != c.at[ROOT])


@njit
def apply(system: ArcStandard, c: KernelConfiguration, transition: int, label: int) -> None:
    if transition == SHIFT:
        shift(c)
    elif transition == RIGHT:
        s0 = pop(c)
        add_arc(c, top(c), s0, label)
    else:
        s0, s1 = pop(c), pop(c)
        push(c, s0)
        add_arc(c, s0, s1, label)


@njit
def words(system: ArcStandard, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Return s1, the word below the stack's top, and s0, the top."""
    return second(c), top(c)


@njit
def is_reachable(c: KernelConfiguration, head: int, dependent: int) -> bool:
    """Return whether the arc alone can still be added: both its words are on the stack or in the buffer."""
    b = c.at[FRONT]
    return bool((dependent >= b or c.stacked[dependent] == 1) and (head >= b or c.stacked[head] == 1))


@njit
def loses_arc(
    system: ArcStandard, c: KernelConfiguration, transition: int, head: int, dependent: int
) -> bool:
    """Return whether the transition makes an arc of s1 or s0 unreachable that was reachable alone."""
    if transition == SHIFT or not is_reachable(c, head, dependent):
        return False
    popped = top(c) if transition == RIGHT else second(c)
    kept = second(c) if transition == RIGHT else top(c)
    return bool(head == popped or (dependent == popped and head != kept))


@njit
def static_transition(system: ArcStandard, c: KernelConfiguration, gold: Ints) -> int:
    """Return LEFT or RIGHT as soon as the arc is gold and its dependent complete, else SHIFT."""
    if c.at[SIZE] < 2:
        return SHIFT
    s1, s0 = second(c), top(c)
    if s1 != c.at[ROOT] and gold[s1] == s0:
        return LEFT
    return RIGHT if gold[s0] == s1 and is_complete(c, gold, s0) else SHIFT


SYSTEM = TransitionSystem(
    name="arc-standard",
    kernels=ArcStandard(),
    transitions=("SHIFT", "RIGHT", "LEFT"),
    features=feature_sets(ARC_STANDARD, WITH_S1),
    unknown_costs="it is not arc-decomposable",
    regimes=("static",),
)

"""Dispatch: which transition system does what. Adding a system is one file and one line in each switch.

Kernels choose by an integer: functions passed as arguments or closures would not be cached on disk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import arc_eager
from learnability.parsing.configuration import FRONT, Configuration, N, top
from learnability.parsing.jit import njit

ARC_EAGER, ARC_EAGER_ROOT_FIRST, ARC_HYBRID, ARC_STANDARD, COVINGTON, EASY_FIRST = range(6)

SYSTEMS = {
    "arc-eager": ARC_EAGER,
    "arc-eager-root-first": ARC_EAGER_ROOT_FIRST,
}
"""The systems by their names on the command line."""

TRANSITIONS = 4
"""Number of transition types (classes of the perceptron): SHIFT, RIGHT, LEFT and REDUCE or NO-ARC."""

SHIFT, RIGHT, LEFT = 0, 1, 2
"""Numbers that mean the same in every system; the fourth is REDUCE (arc-eager) or NO-ARC (Covington)."""


def system_number(name: str) -> int:
    """The kernel's number of a system, by its name on the command line.

    Raises:
        InputError: no system of that name.
    """
    if name not in SYSTEMS:
        raise InputError(f"unknown transition system '{name}'; choose one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


@njit
def initial(system: int, c: Configuration, n: int) -> None:
    """Set c to the initial configuration for n tokens."""
    arc_eager.initial(c, n, system == ARC_EAGER_ROOT_FIRST)


@njit
def is_final(system: int, c: Configuration) -> bool:
    """Whether c is terminal."""
    return bool(arc_eager.is_final(c))


@njit
def is_legal(system: int, c: Configuration, transition: int) -> bool:
    """Whether the transition is valid in c."""
    return bool(arc_eager.is_legal(c, transition))


@njit
def legal(system: int, c: Configuration, out: NDArray[np.uint8]) -> int:
    """Write the mask of legal transitions to `out` (uint8[4]) and return their number."""
    count = 0
    for t in range(4):
        out[t] = is_legal(system, c, t)
        count += out[t]
    return count


@njit
def apply(system: int, c: Configuration, transition: int, label: int) -> None:
    """Take a legal transition; `label` is used where it adds an arc."""
    arc_eager.apply(c, transition, label)


@njit
def lost(system: int, c: Configuration, transition: int, head: int, dependent: int) -> bool:
    """Whether the transition makes the so far reachable arc unreachable."""
    return bool(arc_eager.lost(c, transition, head, dependent))


@njit
def static_transition(system: int, c: Configuration, gold: NDArray[np.int32]) -> int:
    """The transition of the system's static oracle; `gold`: int32[n + 3], head positions."""
    return int(arc_eager.static_transition(c, gold))


@njit
def left_word(system: int, c: Configuration) -> int:
    """The word whose arcs can be lost besides the right word's: the stack top s, or Covington's i."""
    return int(top(c))


@njit
def right_word(system: int, c: Configuration) -> int:
    """The front b of the buffer (Covington's j), or the absent position where the buffer is empty."""
    return int(min(c.at[FRONT], c.at[N] + 2))


@njit
def arc(system: int, c: Configuration, transition: int) -> tuple[int, int]:
    """Head and dependent of the arc the transition would add; (absent, absent) if it adds none."""
    s, b = top(c), c.at[FRONT]
    if transition == RIGHT:
        return s, b
    if transition == LEFT:
        return b, s
    return c.at[N] + 2, c.at[N] + 2


@njit
def root_position(system: int, n: int) -> int:
    """Where the artificial root stands in a sentence of n tokens."""
    if system == ARC_EAGER:
        return n + 1
    return 0

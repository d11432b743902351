"""Dispatch: which transition system does what.

A system is one file with the functions below and one line in `MODULES`. Kernels choose at compile time,
by the type of the `system` they are given: a training compiles the system it uses and no other, and a
choice costs nothing where it runs. (Functions passed as arguments or closures would not be cached on disk.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from difflib import get_close_matches
from types import ModuleType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import arc_eager, arc_hybrid, arc_standard, covington, easy_first
from learnability.parsing.arc_eager import ArcEager
from learnability.parsing.arc_hybrid import ArcHybrid
from learnability.parsing.arc_standard import ArcStandard
from learnability.parsing.configuration import Configuration
from learnability.parsing.covington import Covington
from learnability.parsing.easy_first import EasyFirst
from learnability.parsing.jit import OPTIONS, njit

System: TypeAlias = ArcEager | ArcHybrid | ArcStandard | Covington | EasyFirst

ARC_EAGER = ArcEager(root_first=False)
ARC_EAGER_ROOT_FIRST = ArcEager(root_first=True)
ARC_HYBRID = ArcHybrid(root_first=True)
ARC_STANDARD = ArcStandard(root_first=True)
EASY_FIRST = EasyFirst(root_first=True)
COVINGTON = Covington(root_first=True)

SYSTEMS: dict[str, System] = {
    "arc-eager": ARC_EAGER,
    "arc-eager-root-first": ARC_EAGER_ROOT_FIRST,
    "arc-hybrid": ARC_HYBRID,
    "arc-standard": ARC_STANDARD,
    "easy-first": EASY_FIRST,
    "covington": COVINGTON,
}
"""The systems by their names on the command line."""

MODULES: dict[type, ModuleType] = {
    ArcEager: arc_eager,
    ArcHybrid: arc_hybrid,
    ArcStandard: arc_standard,
    Covington: covington,
    EasyFirst: easy_first,
}
"""The file of each system; of easy-first, which has its own loop, only `lost` is called from here."""

TRANSITIONS = 4
"""Number of transition types (classes of the perceptron): SHIFT, RIGHT, LEFT and REDUCE or NO-ARC."""

SHIFT, RIGHT, LEFT = 0, 1, 2
"""Numbers that mean the same in every system; the fourth is REDUCE (arc-eager) or NO-ARC (Covington)."""


def system_number(name: str) -> System:
    """The system of that name on the command line, as the kernels take it.

    Raises:
        InputError: no system of that name.
    """
    if name not in SYSTEMS:
        near = get_close_matches(name, SYSTEMS, n=1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise InputError(f"unknown transition system '{name}'{hint}; choose one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def is_projective_system(name: str) -> bool:
    """Whether the system builds projective trees only, so that its training trees have to be projective.

    Raises:
        InputError: no system of that name.
    """
    return not isinstance(system_number(name), Covington)


P = ParamSpec("P")
R = TypeVar("R")


def _dispatched(declaration: Callable[P, R]) -> Callable[P, R]:
    """The function of this name in the system's file, chosen by the type of the first argument."""
    name = declaration.__name__

    @functools.wraps(declaration)
    def call(system: System, *arguments: Any) -> Any:
        return getattr(MODULES[type(system)], name)(system, *arguments)

    @overload(call, jit_options=OPTIONS, strict=False)
    def specialize(system: Any, *arguments: Any) -> Any:
        kernel = getattr(MODULES[system.instance_class], name)
        return getattr(kernel, "py_func", kernel)

    return cast(Callable[P, R], call)


@_dispatched
def initial(system: System, c: Configuration, n: int) -> None:
    """Set c to the initial configuration for n tokens."""


@_dispatched
def is_final(system: System, c: Configuration) -> bool:
    """Whether c is terminal."""
    raise NotImplementedError


@_dispatched
def is_legal(system: System, c: Configuration, transition: int) -> bool:
    """Whether the transition is valid in c."""
    raise NotImplementedError


@_dispatched
def apply(system: System, c: Configuration, transition: int, label: int) -> None:
    """Take a legal transition; `label` is used where it adds an arc."""


@_dispatched
def left_word(system: System, c: Configuration) -> int:
    """The left one of the two words whose arcs a transition may lose, or a position that is no word."""
    raise NotImplementedError


@_dispatched
def right_word(system: System, c: Configuration) -> int:
    """The right one of the two words whose arcs a transition may lose, or a position that is no word."""
    raise NotImplementedError


@_dispatched
def arc(system: System, c: Configuration, transition: int) -> tuple[int, int]:
    """Head and dependent of the arc the transition would add; (absent, absent) if it adds none."""
    raise NotImplementedError


@_dispatched
def lost(system: System, c: Configuration, transition: int, head: int, dependent: int) -> bool:
    """Whether the transition makes the so far reachable arc unreachable."""
    raise NotImplementedError


@_dispatched
def add_cycle_costs(
    system: System, c: Configuration, gold: NDArray[np.int32], mask: NDArray[np.uint8], out: NDArray[np.int32]
) -> None:
    """Add to out[t] what the legal transition t costs besides the arcs it loses: Covington's cycles."""


@_dispatched
def static_transition(system: System, c: Configuration, gold: NDArray[np.int32]) -> int:
    """The transition of the system's static oracle; `gold`: int32[n + 3], head positions."""
    raise NotImplementedError


@_dispatched
def most_transitions(system: System, n: int) -> int:
    """No derivation of a sentence of n tokens has more transitions."""
    raise NotImplementedError


@njit
def legal(system: System, c: Configuration, out: NDArray[np.uint8]) -> int:
    """Write the mask of legal transitions to `out` (uint8[4]) and return their number."""
    count = 0
    for t in range(4):
        out[t] = is_legal(system, c, t)
        count += out[t]
    return count


@njit
def root_position(system: System, n: int) -> int:
    """Where the artificial root stands in a sentence of n tokens."""
    return 0 if system.root_first else n + 1

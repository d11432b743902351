"""The transition systems: one file each, with the functions of `transitions`, and one line in `SYSTEMS`."""

from __future__ import annotations

from difflib import get_close_matches

from learnability.errors import InputError
from learnability.parsing.systems import arc_eager, arc_hybrid, arc_standard, covington, easy_first
from learnability.parsing.transitions import TransitionSystem

SYSTEMS: dict[str, TransitionSystem] = {
    system.name: system
    for system in (
        arc_eager.ROOT_LAST,
        arc_eager.ROOT_FIRST,
        arc_hybrid.SYSTEM,
        arc_standard.SYSTEM,
        easy_first.SYSTEM,
        covington.SYSTEM,
    )
}
"""The systems by their names on the command line."""


def system_named(name: str) -> TransitionSystem:
    """The system of that name on the command line, or an InputError that says which there are."""
    if name not in SYSTEMS:
        near = get_close_matches(name, SYSTEMS, n=1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise InputError(f"unknown transition system '{name}'{hint}; choose one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]

"""The transition systems: a module for each, with the functions of `transitions`, and a line in `SYSTEMS`."""

from __future__ import annotations

from learnability.errors import InputError, meant
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
    """Return the transition system with this name."""
    if name not in SYSTEMS:
        raise InputError(f"the transition system {name!r} is unknown; {meant(name, SYSTEMS)}")
    return SYSTEMS[name]

"""List all studies by name. A new study is a folder beside this file, and a line here."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from learnability.errors import InputError
from learnability.reports.content import Offer
from learnability.studies.declaration import Declaration

DECLARED_IN = (
    "learnability.studies.main",
    "learnability.studies.settle",
    "learnability.studies.predict",
    "learnability.studies.joint",
    "learnability.studies.search",
    "learnability.studies.curve",
    "learnability.studies.history",
    "learnability.studies.doubts",
    "learnability.papers.oracles",
)
"""Where studies are declared; by name, because those of papers build on what all studies are."""

STUDIES: dict[str, Declaration] = {
    declaration.name: declaration
    for declaration in (import_module(module).DECLARATION for module in DECLARED_IN)
}
"""The studies in the order in which help shows them."""


def offering() -> list[Declaration]:
    """Return the studies that go on with what a run leaves open."""
    return [declaration for declaration in STUDIES.values() if declaration.offer is not None]


def offers_beside(studies: Iterable[str]) -> dict[str, Offer]:
    """Return what other studies than these would do next about what a run leaves open, by their names."""
    beside = (declaration for name, declaration in STUDIES.items() if name not in studies)
    return {declaration.name: declaration.offer for declaration in beside if declaration.offer is not None}


def declared(name: str) -> Declaration:
    """Return the declaration of the study of this name; InputError if this version has none."""
    if name not in STUDIES:
        raise InputError(
            f"the study {name!r} is unknown; upgrade learnability, or choose one of {', '.join(STUDIES)}"
        )
    return STUDIES[name]

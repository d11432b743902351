"""All studies by name. A new study is a folder beside this file, and a line here."""

from __future__ import annotations

from learnability.errors import InputError
from learnability.papers import oracles
from learnability.studies import curve, joint, main, predict, search
from learnability.studies.declaration import Declaration

STUDIES: dict[str, Declaration] = {
    module.DECLARATION.name: module.DECLARATION for module in (main, predict, joint, search, curve, oracles)
}
"""The studies in the order in which help shows them."""


def declared(name: str) -> Declaration:
    """Return the declaration of the study of this name; InputError if this version has none."""
    if name not in STUDIES:
        raise InputError(f"study {name!r} is unknown to this version; there are {', '.join(STUDIES)}")
    return STUDIES[name]

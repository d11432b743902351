"""List the studies by name, also those of extensions. A new one of the core is a folder here, and a line."""

from __future__ import annotations

from functools import cache

from learnability.errors import InputError
from learnability.studies.declaration import Declaration
from learnability.support.plugins import import_object, with_brought

MODULES = ("learnability.studies.main", "learnability.studies.settle", "learnability.studies.predict")
"""The modules of the core that declare studies."""

STUDIES: dict[str, Declaration] = {
    declaration.name: declaration
    for declaration in (import_object(f"{module}:DECLARATION") for module in MODULES)
}
"""The studies of the core in the order in which help shows them."""


@cache
def known_studies() -> dict[str, Declaration]:
    """Return the studies of the core and then those of extensions, by name."""

    def as_declaration(loaded: object) -> Declaration | None:
        return loaded if isinstance(loaded, Declaration) else None

    return with_brought(STUDIES, lambda extension: extension.studies, as_declaration, "a Declaration")


def studies_with_command() -> dict[str, Declaration]:
    return {name: declaration for name, declaration in known_studies().items() if declaration.has_command}


def studies_of_run() -> list[Declaration]:
    return [declaration for declaration in known_studies().values() if declaration.run_option]


def find_declaration(name: str) -> Declaration:
    """Return the declaration of the study of this name; InputError if there is none."""
    known = known_studies()
    if name not in known:
        raise InputError(
            f"the study {name!r} is unknown; upgrade learnability, install its extension, or choose one of "
            f"{', '.join(known)}"
        )
    return known[name]

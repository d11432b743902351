"""Complete names of transformations, schemes, systems, treebanks and files in the shell.

To switch it on in bash, type ``eval "$(_LEARNABILITY_COMPLETE=bash_source learnability)"``, as for every
program made with click.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from click.shell_completion import CompletionItem

from learnability.support.terminal import visible
from learnability.treebanks.locate import list_treebanks


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete) and visible(name) == name]


def transforms(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return transformations, and after a colon their options and restrictions: ``cop:reattach=clause``."""
    from learnability.schemes.relabellings import built_in
    from learnability.transforms.registry import TRANSFORMATIONS
    from learnability.transforms.restriction import RESTRICTIONS, SIDES, UPOS

    name, colon, _ = incomplete.partition(":")
    if not colon or name not in TRANSFORMATIONS:
        return _beginning((*TRANSFORMATIONS, *built_in()), incomplete)
    values = {**TRANSFORMATIONS[name].options, **dict.fromkeys(RESTRICTIONS, ("",))}
    for negation in ("", "!"):
        values |= {f"upos{negation}": UPOS, f"head_upos{negation}": UPOS, f"side{negation}": SIDES}
    specs = [f"{name}:{key}={value}" for key, choices in values.items() for value in choices]
    return _beginning(specs, incomplete)


def schemes(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the schemes of the catalogue; if none fits, files."""
    from learnability.schemes import CATALOGUE

    return _beginning(CATALOGUE, incomplete) or files(context, parameter, incomplete)


def splits(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    return _beginning(("released", "dev", "cut"), incomplete)


def systems(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the transition systems."""
    from learnability.parsing.systems import SYSTEMS

    return _beginning(SYSTEMS, incomplete)


def parsers(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return parsers, and after a colon the values of their options; if none fits, files."""
    from learnability.parsers.registry import known_parsers

    kinds = known_parsers()
    name, colon, _ = incomplete.partition(":")
    if not colon or name not in kinds:
        return _beginning(kinds, incomplete) or files(context, parameter, incomplete)
    changes = [value for choices in kinds[name].options.values() for value in choices[1:]]  # no defaults
    return _beginning((f"{name}:{value}" for value in changes), incomplete)


def treebanks(context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the treebanks on the search path (with the --ud-home typed so far); if none fits, folders."""
    names = ["demo"]
    with suppress(ValueError, OSError):  # a missing folder (InputError) completes nothing
        names += [files.name for files in list_treebanks(context.params.get("ud_home"))]
    return _beginning(dict.fromkeys(names), incomplete) or [CompletionItem(incomplete, type="dir")]


def alternatives(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the schemes of the catalogue, and the treebanks on the search path; if none fits, files."""
    from learnability.schemes import CATALOGUE

    return _beginning(CATALOGUE, incomplete) + versions(context, parameter, incomplete)


def files(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def versions(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the treebanks on the search path; if none fits, files."""
    items = treebanks(context, parameter, incomplete)
    return files(context, parameter, incomplete) if items[0].type == "dir" else items

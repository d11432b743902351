"""What the shell completes: names of transformations, schemes, systems and treebanks, and files.

Switched on as with every program made with click, for bash by
``eval "$(_LEARNABILITY_COMPLETE=bash_source learnability)"``.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from click.shell_completion import CompletionItem

from learnability.support.terminal import visible
from learnability.treebanks.locate import list_treebanks


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Those that begin so; a shell prints them, so none with control characters."""
    return [CompletionItem(name) for name in names if name.startswith(incomplete) and visible(name) == name]


def transforms(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Transformations, and after a colon their options, ``cop:reattach=clause``, and restrictions,
    ``case:lemma=``."""
    from learnability.transforms.registry import TRANSFORMATIONS
    from learnability.transforms.restriction import RESTRICTIONS, SIDES, UPOS

    name, colon, _ = incomplete.partition(":")
    if not colon or name not in TRANSFORMATIONS:
        return _beginning(TRANSFORMATIONS, incomplete)
    values = {**TRANSFORMATIONS[name].options, **dict.fromkeys(RESTRICTIONS, ("",))}
    for negation in ("", "!"):
        values |= {f"upos{negation}": UPOS, f"side{negation}": SIDES}
    offered = (f"{name}:{key}={value}" for key, own in values.items() for value in own)
    return _beginning(offered, incomplete)


def schemes(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Schemes of the catalogue, and files."""
    from learnability.schemes import CATALOGUE

    return _beginning(CATALOGUE, incomplete) or files(context, parameter, incomplete)


def splits(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the names of the policies for splits; shares A:B:C are free."""
    return _beginning(("released", "dev", "cut"), incomplete)


def systems(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Transition systems."""
    from learnability.parsing.systems import SYSTEMS

    return _beginning(SYSTEMS, incomplete)


def judges(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Judges, after a colon the values of their options, and files."""
    from learnability.judges.registry import JUDGES

    name, colon, _ = incomplete.partition(":")
    if not colon or name not in JUDGES:
        return _beginning(JUDGES, incomplete) or files(context, parameter, incomplete)
    values = (value for own in JUDGES[name].options.values() for value in own[1:])
    return _beginning((f"{name}:{value}" for value in values), incomplete)


def treebanks(context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Treebanks on the search path (with the --ud-home given so far), and folders."""
    names = ["demo"]
    with suppress(ValueError, OSError):  # a folder that is not there (InputError) completes nothing
        names += [files.name for files in list_treebanks(context.params.get("ud_home"))]
    return _beginning(dict.fromkeys(names), incomplete) or [CompletionItem(incomplete, type="dir")]


def files(_context: Any, _parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Whatever files the shell finds."""
    return [CompletionItem(incomplete, type="file")]

"""Find extensions and the objects that other packages register under entry points, and word unknown names.

A package registers an :class:`Extension` under the entry point group ``learnability.extensions``. It says
where everything is that the extension brings; each of these is imported when it is needed::

    [project.entry-points."learnability.extensions"]
    doubts = "learnability.extensions.doubts:EXTENSION"
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar

from learnability.errors import InputError, meant
from learnability.support.headings import ListedCommand
from learnability.support.options import shorten_value

T = TypeVar("T")

GROUP = "learnability.extensions"
"""The entry point group of extensions."""


@dataclass(frozen=True, kw_only=True)
class Extension:
    """Declare what an extension brings, each as ``module:object``.

    Its module imports nothing that takes long: it is read for every command.

    Attributes:
        name: the name of its entry point.
        studies: a :class:`~learnability.studies.declaration.Declaration` each.
        commands: commands by name besides those that studies have; one with the name of a study of
            the extension takes the place of the command that the study would have.
    """

    name: str
    studies: tuple[str, ...] = ()
    commands: Mapping[str, ListedCommand] = field(default_factory=dict)


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed extensions by name.

    One whose module is missing, although its entry point is installed, is left out.
    """

    def as_extension(loaded: object) -> Extension | None:
        return loaded if isinstance(loaded, Extension) else None

    return tuple(with_registered({}, GROUP, as_extension, "an extension", without_missing=True).values())


def import_object(reference: str) -> Any:
    """Return the object at ``module:object``."""
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)


def with_brought(
    builtin: Mapping[str, T],
    brought: Callable[[Extension], Iterable[str]],
    of_kind: Callable[[object], T | None],
    kind: str,
) -> dict[str, T]:
    """Return the objects of the core by name, followed by those that extensions bring; InputError if one
    cannot be loaded, is of another kind, or has a name that exists already."""
    known = dict(builtin)
    for extension in extensions():
        for reference in brought(extension):
            where = f"{reference} of the extension {extension.name}"
            loaded = _load_object(where, partial(import_object, reference), of_kind, kind)
            _add(known, loaded, where)
    return known


def with_registered(
    builtin: Mapping[str, T],
    group: str,
    of_kind: Callable[[object], T | None],
    kind: str,
    *,
    without_missing: bool = False,
) -> dict[str, T]:
    """Return the package's built-in objects by name, followed by those that other packages register in a
    group.

    `of_kind` returns the object, which has its name in the attribute `name`, if it fits the group, otherwise
    None; `kind` is the kind with its article, for messages.

    Raises:
        InputError: an entry point cannot be loaded, is of another kind, differs in name from its object, or
            has a name that exists already.
    """
    from importlib.metadata import entry_points

    known = dict(builtin)
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        where = f"entry point {point.name} = {point.value} of {group}"
        if without_missing and not _exists(point.module):
            continue
        loaded = _load_object(where, point.load, of_kind, kind)
        name = getattr(loaded, "name", None)
        if name != point.name:
            raise InputError(
                f"{where}: the object is named {name!r}, the entry point {point.name!r}; use the same name "
                "for both"
            )
        _add(known, loaded, where)
    return known


def _exists(module: str) -> bool:
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        return error.name != module
    except Exception:  # a fault, which loading it reports
        return True
    return found.__file__ is not None  # a folder without source files is no module


def _load_object(
    where: str, load: Callable[[], object], of_kind: Callable[[object], T | None], kind: str
) -> T:
    try:
        loaded = of_kind(load())
    except Exception as error:  # the code of another package may raise anything: say which package
        problem = f"{type(error).__name__}: {error}"
        raise InputError(f"{where} cannot be loaded ({problem}); fix or uninstall the package") from None
    if loaded is None:
        raise InputError(f"{where} is not {kind}; fix or uninstall the package")
    return loaded


def _add(known: dict[str, T], loaded: T, where: str) -> None:
    name: str = getattr(loaded, "name")  # noqa: B009 (each kind of object has a name)
    if name in known:
        raise InputError(f"{where} has a name that exists already; rename or uninstall one of the two")
    known[name] = loaded


def nearest(wrong: str, known: Iterable[str], kind: str) -> str:
    """Return a message about an unknown name: the nearest known name if one is near, and all known names."""
    names = list(known)
    hint = meant(wrong, names)
    hint = f"; {hint}" if hint.endswith("?") else ""
    return f"there is no {kind} {shorten_value(wrong)}{hint} ({kind}s: {', '.join(names) or 'none'})"

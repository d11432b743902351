"""Find the objects that other packages register under an entry point group, and word unknown names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from learnability.errors import InputError, meant
from learnability.support.options import shortened

T = TypeVar("T")


def with_registered(
    builtin: Mapping[str, T], group: str, of_kind: Callable[[object], T | None], kind: str
) -> dict[str, T]:
    """Return the package's built-in objects by name, followed by those that other packages register.

    Args:
        builtin: the built-in objects by name.
        group: the entry point group.
        of_kind: returns the object if it fits the group, otherwise None. An object has its name in the
            attribute `name`.
        kind: the kind of object, for messages.

    Raises:
        InputError: an entry point cannot be loaded, is of another kind, differs in name from its object, or
            has a name that exists already.
    """
    from importlib.metadata import entry_points

    known = dict(builtin)
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        where = f"entry point {point.name} = {point.value} of {group}"
        try:
            loaded = of_kind(point.load())
        except Exception as error:  # the code of another package may raise anything: say which package
            problem = f"{type(error).__name__}: {error}"
            raise InputError(f"{where} cannot be loaded ({problem}); fix or uninstall the package") from None
        if loaded is None:
            raise InputError(f"{where} is not a {kind}; fix or uninstall the package")
        name = getattr(loaded, "name", None)
        if name != point.name:
            raise InputError(
                f"{where}: the object is named {name!r}, the entry point {point.name!r}; use the same name "
                "for both"
            )
        if name in known:
            raise InputError(f"{where} has a name that exists already; rename or uninstall one of the two")
        known[point.name] = loaded
    return known


def nearest(wrong: str, known: Iterable[str], kind: str) -> str:
    """Return a message about an unknown name: the nearest known name if one is near, and all known names."""
    names = list(known)
    hint = meant(wrong, names)
    hint = f"; {hint}" if hint.endswith("?") else ""
    return f"there is no {kind} {shortened(wrong)}{hint} ({kind}s: {', '.join(names) or 'none'})"

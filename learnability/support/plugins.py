"""What other packages register under an entry point group, and the words for a name that nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from learnability.errors import InputError, meant

T = TypeVar("T")


def with_registered(
    own: Mapping[str, T], group: str, of_kind: Callable[[object], T | None], kind: str
) -> dict[str, T]:
    """What the package itself has (`own`) by name, and then what the entry points of a group stand for.

    `of_kind`: the object if it is what the group is for, else None; `kind` says so in a message. An object
    has its name as the attribute `name`.

    Raises:
        InputError: an entry point that cannot be loaded, is of another kind, has another name than its
            object, or a name that is taken.
    """
    from importlib.metadata import entry_points

    known = dict(own)
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        where = f"entry point {point.name} = {point.value} of {group}"
        try:
            loaded = of_kind(point.load())
        except Exception as error:  # another package's code: whatever is wrong with it, say which one it is
            what = f"{type(error).__name__}: {error}"
            raise InputError(f"{where}: {what}; mend or uninstall the package") from None
        if loaded is None:
            raise InputError(f"{where}: no {kind}; mend or uninstall the package")
        name = getattr(loaded, "name", None)
        if name != point.name:
            raise InputError(f"{where}: it calls itself {name!r}; give both one name")
        if name in known:
            raise InputError(f"{where}: the name is taken; rename or uninstall one of the two")
        known[point.name] = loaded
    return known


def nearest(wrong: str, known: Iterable[str], what: str) -> str:
    """The tail of an error message: the nearest known name if one is near, and all of them."""
    names = list(known)
    hint = meant(wrong, names)
    hint = f"; {hint}" if hint.endswith("?") else ""
    return f"no {what} {wrong!r}{hint} ({what}s: {', '.join(names) or 'none'})"

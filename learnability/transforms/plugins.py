"""Transformations from other packages.

A package registers a subclass of :class:`~learnability.transforms.base.Rule` under the entry point
group ``learnability.transforms``; the entry point's name is the transformation's::

    [project.entry-points."learnability.transforms"]
    clf = "my_package.classifiers:Classifiers"

Nothing is loaded until a name is asked for that the package itself does not know.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from learnability.errors import InputError
from learnability.transforms.base import Rule

GROUP = "learnability.transforms"
"""The entry point group."""


@cache
def installed_transformations() -> dict[str, type[Rule]]:
    """The registered transformations by name, in alphabetical order.

    Raises:
        InputError: an entry point cannot be loaded, is no transformation, has another name than its entry
            point, or has a name of the package's own.
    """
    from learnability.transforms.registry import TRANSFORMATIONS

    found: dict[str, type[Rule]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        where = f"entry point {point.name} = {point.value} of {GROUP}"
        try:
            loaded = point.load()
        except Exception as error:  # another package's code: whatever is wrong with it, say which one it is
            what = f"{type(error).__name__}: {error}"
            raise InputError(f"{where}: {what}; mend or uninstall the package") from None
        if not (isinstance(loaded, type) and issubclass(loaded, Rule)):
            raise InputError(f"{where}: no subclass of Rule; mend or uninstall the package")
        if loaded.name != point.name:
            raise InputError(f"{where}: the transformation calls itself {loaded.name!r}; give both one name")
        if point.name in TRANSFORMATIONS or point.name in found:
            raise InputError(f"{where}: the name is taken; rename or uninstall one of the two")
        found[point.name] = loaded
    return found


def known_transformations() -> dict[str, type[Rule]]:
    """The package's own transformations by name, and then the registered ones."""
    from learnability.transforms.registry import TRANSFORMATIONS

    return {**TRANSFORMATIONS, **installed_transformations()}

"""The transformations by name, and how they are written on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from learnability.errors import InputError
from learnability.transforms.auxiliary import Auxiliary
from learnability.transforms.base import Rule
from learnability.transforms.case import Case
from learnability.transforms.cc import Cc
from learnability.transforms.cop import Cop
from learnability.transforms.det import Det
from learnability.transforms.mark import Mark
from learnability.transforms.mwe import Mwe
from learnability.transforms.name import Name
from learnability.treebanks.sentence import Conventions, Treebank

UNKNOWN = Conventions()
"""Those of a treebank of which nothing is known."""

TRANSFORMATIONS: dict[str, type[Rule]] = {
    rule.name: rule for rule in (Case, Cop, Cc, Det, Mark, Mwe, Name, Auxiliary)
}
"""Every transformation by its name."""

PAPER = ("case", "cop", "cc", "det", "mark", "mwe", "name")
"""The seven of Wisniewski, Lacroix & Yvon 2018, in their default variants the ones inferred for the paper."""


def nearest(wrong: str, known: Iterable[str], what: str) -> str:
    """The tail of an error message: the nearest known name if one is near, and all of them."""
    names = list(known)
    close = get_close_matches(wrong, names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"no {what} {wrong!r}{hint} ({what}s: {', '.join(names) or 'none'})"


def get_transformation(spec: str, of: Conventions | Treebank = UNKNOWN) -> Rule:
    """The transformation that `spec` names, for example ``cop:reattach=clause,passive=guess``.

    `of`: the treebank it is for, or its conventions.

    >>> get_transformation("cop:reattach=clause")
    <Cop cop:reattach=clause>

    Raises:
        InputError: an unknown name, option or value, with the nearest known one.
    """
    name, colon, rest = spec.strip().partition(":")
    rule = TRANSFORMATIONS.get(name)
    if rule is None:
        from learnability.transforms.plugins import known_transformations

        known = known_transformations()
        if name not in known:
            raise InputError(nearest(name, known, "transformation"))
        rule = known[name]
    options: dict[str, str] = {}
    for item in rest.split(",") if colon else ():
        option, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"transformation {spec!r}: write options as {name}:option=value, not {item!r}")
        if option not in rule.options:
            raise InputError(f"transformation {name}: {nearest(option, rule.options, 'option')}")
        if value not in rule.options[option]:
            raise InputError(
                f"transformation {name}: {nearest(value, rule.options[option], f'{option} value')}"
            )
        if option in options:
            raise InputError(f"transformation {spec!r}: option {option} is given twice")
        options[option] = value
    return rule(of.conventions if isinstance(of, Treebank) else of, **options)

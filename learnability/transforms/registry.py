"""List the transformations by name, also those of other packages, and read how users write them.

A package registers a subclass of :class:`~learnability.transforms.base.Rule` under the entry point group
``learnability.transforms``; the entry point's name is the transformation's::

    [project.entry-points."learnability.transforms"]
    clf = "my_package.classifiers:Classifiers"

Other packages are loaded only for a name that this package does not know.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product

from learnability.errors import InputError
from learnability.support.plugins import nearest, with_registered
from learnability.transforms.base import Rule
from learnability.transforms.constructions import (
    Auxiliary,
    Case,
    Cc,
    Conj,
    ConjunctSequence,
    Cop,
    Det,
    Foreign,
    Mark,
    Mwe,
    Name,
    Punct,
    Reparandum,
)
from learnability.transforms.escapes import split_escaped, unescape_value
from learnability.transforms.restricted_rules import mistake, restrict_rule
from learnability.transforms.restriction import CRITERIA, RESTRICTIONS, Restriction
from learnability.treebanks.sentence import Conventions, Treebank

UNKNOWN = Conventions()
"""The conventions of an unknown treebank."""

TRANSFORMATIONS: dict[str, type[Rule]] = {
    rule.name: rule
    for rule in (
        Case,
        Cop,
        Cc,
        Det,
        Mark,
        Mwe,
        Name,
        Auxiliary,
        Conj,
        Punct,
        ConjunctSequence,
        Foreign,
        Reparandum,
    )
}
"""Every transformation by its name."""

PAPER = ("case", "cop", "cc", "det", "mark", "mwe", "name")
"""The seven of Wisniewski, Lacroix & Yvon 2018; their default variants are those inferred from the paper."""

GROUP = "learnability.transforms"
"""The entry point group."""


@cache
def known_transformations() -> dict[str, type[Rule]]:
    """Return the transformations of this package by name, followed by the registered ones.

    Raises:
        InputError: an entry point is faulty.
    """
    return with_registered(TRANSFORMATIONS, GROUP, _as_rule, "a subclass of Rule")


def _as_rule(loaded: object) -> type[Rule] | None:
    return loaded if isinstance(loaded, type) and issubclass(loaded, Rule) else None


def get_transformation(spec: str, of: Conventions | Treebank = UNKNOWN) -> Rule:
    """Return the transformation that `spec` names.

    Args:
        spec: a name, with options after a colon, ``cc:head=first,style=moscow``, or with restrictions,
            ``case:lemma=of|to,side=left`` (:mod:`learnability.transforms.restriction`).
        of: the treebank to which it will be applied, or its conventions.

    Returns:
        The transformation, which :meth:`Transformation.apply` applies to trees.

    Raises:
        InputError: a name, option or value is unknown; the message gives the nearest known one.

    >>> get_transformation("cop:reattach=clause")
    <Cop cop:reattach=clause>
    """
    name, colon, rest = spec.strip().partition(":")
    rule = TRANSFORMATIONS.get(name) or known_transformations().get(name)
    if rule is None:
        raise InputError(nearest(name, known_transformations(), "construction"))
    whole = rule(of.conventions if isinstance(of, Treebank) else of)
    options: dict[str, str] = {}
    admitted: dict[str, list[str]] = {}
    for item in split_escaped(rest, ",") if colon else ():
        option, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not value:
            raise InputError(
                f"the construction {spec} has an option {item!r}; write options as {name}:option=value, and "
                r"\, for a comma in a value"
            )
        if option in options or option in admitted:
            raise InputError(f"the construction {spec!r} has the option {option} twice; write it once")
        problem = ""
        if option in RESTRICTIONS:
            admitted[option] = list(map(unescape_value, split_escaped(value, "|")))
            problems = (mistake(whole, option, choice) for choice in admitted[option])
            problem = next(filter(None, problems), "")
        elif option not in rule.options:
            problem = nearest(option, (*rule.options, *CRITERIA), "option")
        elif value not in rule.options[option]:
            problem = nearest(value, rule.options[option], f"{option} value")
        else:
            options[option] = value
        if problem:
            raise InputError(f"construction {name}: {problem}")
    return restrict_rule(rule(whole.conventions, **options), Restriction(**admitted))


def every_variant(names: Iterable[str] = PAPER) -> tuple[str, ...]:
    """Return transformations, by default those of the paper, with all values of their options, the defaults
    first."""
    specs: list[str] = []
    for name in names:
        options = known_transformations()[name].options
        settings = [[f"{option}={value}" for value in values] for option, values in options.items()]
        for chosen in product(*settings):
            spec = f"{name}:{','.join(chosen)}" if chosen else name
            specs.append(get_transformation(spec).spec)
    return tuple(specs)

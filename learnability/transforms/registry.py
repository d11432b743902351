"""The transformations by name, those of other packages too, and how they are written on the command line.

A package registers a subclass of :class:`~learnability.transforms.base.Rule` under the entry point
group ``learnability.transforms``; the entry point's name is the transformation's::

    [project.entry-points."learnability.transforms"]
    clf = "my_package.classifiers:Classifiers"

Nothing is loaded until a name is asked for that the package itself does not know.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from learnability.errors import InputError
from learnability.support.plugins import nearest, with_registered
from learnability.transforms.base import Rule
from learnability.transforms.constructions import Auxiliary, Case, Cc, Conj, Cop, Det, Mark, Mwe, Name, Punct
from learnability.transforms.restriction import CRITERIA, RESTRICTIONS, Restriction, mistake, restricted
from learnability.treebanks.sentence import Conventions, Treebank

UNKNOWN = Conventions()
"""Those of a treebank of which nothing is known."""

TRANSFORMATIONS: dict[str, type[Rule]] = {
    rule.name: rule for rule in (Case, Cop, Cc, Det, Mark, Mwe, Name, Auxiliary, Conj, Punct)
}
"""Every transformation by its name."""

PAPER = ("case", "cop", "cc", "det", "mark", "mwe", "name")
"""The seven of Wisniewski, Lacroix & Yvon 2018, in their default variants the ones inferred for the paper."""

GROUP = "learnability.transforms"
"""The entry point group."""


@cache
def known_transformations() -> dict[str, type[Rule]]:
    """The package's own transformations by name, and then the registered ones; an InputError for a faulty
    entry point."""
    return with_registered(TRANSFORMATIONS, GROUP, _as_rule, "subclass of Rule")


def _as_rule(loaded: object) -> type[Rule] | None:
    return loaded if isinstance(loaded, type) and issubclass(loaded, Rule) else None


def get_transformation(spec: str, of: Conventions | Treebank = UNKNOWN) -> Rule:
    """The transformation that `spec` names, for example ``cop:reattach=clause,passive=guess``, or
    ``case:lemma=of|to,side=left`` (:mod:`learnability.transforms.restriction`).

    `of`: the treebank it is for, or its conventions.

    >>> get_transformation("cop:reattach=clause")
    <Cop cop:reattach=clause>

    Raises:
        InputError: an unknown name, option or value, with the nearest known one.
    """
    name, colon, rest = spec.strip().partition(":")
    rule = TRANSFORMATIONS.get(name) or known_transformations().get(name)
    if rule is None:
        raise InputError(nearest(name, known_transformations(), "transformation"))
    whole = rule(of.conventions if isinstance(of, Treebank) else of)
    options: dict[str, str] = {}
    admitted: dict[str, list[str]] = {}
    for item in rest.split(",") if colon else ():
        option, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not value:
            raise InputError(f"transformation {spec!r}: write options as {name}:option=value, not {item!r}")
        if option in options or option in admitted:
            raise InputError(f"transformation {spec!r}: option {option} is given twice")
        problem = ""
        if option in RESTRICTIONS:
            admitted[option] = value.split("|")
            problem = next(filter(None, (mistake(whole, option, one) for one in admitted[option])), "")
        elif option not in rule.options:
            problem = nearest(option, (*rule.options, *CRITERIA), "option")
        elif value not in rule.options[option]:
            problem = nearest(value, rule.options[option], f"{option} value")
        else:
            options[option] = value
        if problem:
            raise InputError(f"transformation {name}: {problem}")
    return restricted(rule(whole.conventions, **options), Restriction(**admitted))


def every_variant() -> tuple[str, ...]:
    """The seven transformations of the paper with all values of their options, the defaults first."""
    kinds = known_transformations()
    return tuple(
        get_transformation(f"{name}:{','.join(values)}" if values else name).spec
        for name in PAPER
        for values in product(*([f"{o}={v}" for v in own] for o, own in kinds[name].options.items()))
    )

"""List the schemes that come with the package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from learnability.errors import InputError
from learnability.schemes.relabellings import built_in, description_of, is_relabelling, relabelling_named
from learnability.schemes.scheme import Scheme
from learnability.schemes.toml_file import read_scheme
from learnability.support.plugins import nearest
from learnability.support.toml_section import SUFFIX
from learnability.transforms.base import Rule
from learnability.transforms.constructions import Cc
from learnability.transforms.escapes import split_escaped
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import (
    PAPER,
    TRANSFORMATIONS,
    UNKNOWN,
    get_transformation,
    known_transformations,
)
from learnability.transforms.relabelling import COLUMNS, Relabelling
from learnability.treebanks.sentence import Conventions, Treebank

_SUD_HEADS = (*(f"{name}:reattach=sud" for name in ("case", "cop", "mark", "aux")), "reparandum")
"""The words that SUD makes heads."""

_SUD_CHAINS = ("mwe", "name", "foreign", "conjuncts")
"""The constructions of which SUD makes chains."""

CATALOGUE: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("ud", (), "Universal Dependencies, unchanged"),
        *(Scheme(name, (name,), kind.description) for name, kind in TRANSFORMATIONS.items()),
        *(Scheme(name, (), description_of(name), relabelling_named(name)) for name in built_in()),
        Scheme("all", PAPER, "the paper's seven constructions together"),
        Scheme(
            "function-heads",
            ("case", "cop", "mark", "aux"),
            "adpositions, copulas, clause markers and auxiliaries are heads; determiners are not",
        ),
        Scheme(
            "sud",
            (*_SUD_HEADS, *_SUD_CHAINS),
            "SUD as published: its heads and its relations",
            has_sud_relations=True,
        ),
        Scheme("prague", ("cc",), "the last coordinator heads a coordination"),
        Scheme("moscow", ("cc:style=moscow",), Cc.variants["style=moscow"]),
        Scheme("stanford", (), "the first conjunct heads a coordination, as in UD"),
        Scheme("verb-groups", ("aux",), "auxiliaries head their verb (de Lhoneux & Nivre 2016)"),
    )
}
"""The schemes by name. User-defined ones come from TOML files (`toml_file`)."""


def split_names(name: str) -> tuple[str, ...]:
    """Return what a name joins with ``+``, transformations and changes; a ``+`` in a restriction joins
    nothing."""
    names = "|".join(map(re.escape, (*known_transformations(), *COLUMNS, *built_in())))
    return tuple(split_escaped(name, "+", rf"(?:{names})(?::|$)"))


def spelled_scheme(name: str) -> str:
    """Return the canonical spelling of a name: transformations joined with ``+`` in order, no defaults."""
    parts = split_names(name)
    return find_scheme(name).name if len(parts) > 1 else name


def find_scheme(name: str) -> Scheme:
    """Return the scheme of this name.

    Args:
        name: a name of the catalogue, the path of a TOML file (ending in ``.toml``), or several
            transformations joined with ``+``.

    Returns:
        The scheme.

    Raises:
        InputError: there is no such scheme (the message gives the nearest one), or the file has a mistake.
    """
    if name.endswith(SUFFIX):
        return read_scheme(name)
    scheme = CATALOGUE.get(name)
    if scheme is None and len(parts := split_names(name)) > 1:
        return _join_specs(parts)
    if scheme is None:
        if name.partition(":")[0] in (*known_transformations(), *COLUMNS):
            raise InputError(
                f"{name} is a construction, not a scheme", [f"`transforms={name!r}`", "a scheme"]
            )
        raise InputError(nearest(name, CATALOGUE, "scheme"))
    return scheme


def is_scheme_name(name: str) -> bool:
    """Return whether a name is that of a scheme, a misspelt one, too, rather than of a treebank."""
    known = (*CATALOGUE, *known_transformations(), *COLUMNS)
    if name.endswith(SUFFIX) or name.partition(":")[0] in known or len(split_names(name)) > 1:
        return True
    return not Path(name).exists() and "@" not in name and bool(get_close_matches(name, CATALOGUE, n=1))


def _join_specs(specs: Sequence[str]) -> Scheme:
    labels = [spec for spec in specs if is_relabelling(spec)]
    rules = JointTransformation([get_transformation(spec) for spec in specs if spec not in labels])
    relabelling = sum(map(relabelling_named, labels), Relabelling())
    names = [*(rule.spec for rule in rules.rules), *(_canonical(spec) for spec in dict.fromkeys(labels))]
    return Scheme("+".join(names), tuple(rule.spec for rule in rules.rules), relabelling=relabelling)


def _canonical(spec: str) -> str:
    """Return how a change of labels is written: its name, or its values without repetitions."""
    return spec if spec in built_in() else relabelling_named(spec).specs[0]


def transformation_named(spec: str, of: Conventions | Treebank = UNKNOWN) -> Rule:
    """Return the transformation that `spec` names; InputError with other ways if it is a scheme, or
    several."""
    name = spec.partition(":")[0]
    if is_relabelling(spec) and len(split_names(spec)) == 1:
        raise InputError(f"{spec} changes tags or relations and moves no head; choose a construction")
    if (name in CATALOGUE or name.endswith(SUFFIX)) and name not in TRANSFORMATIONS:
        ways = [f"`alternative={spec!r}`", f"`transforms={f'scheme:{spec}'!r}`", "a construction"]
        raise InputError(f"{spec} is a scheme, not a construction", ways)
    if len(split_names(spec)) > 1:
        raise InputError(
            f"{spec} joins several constructions", [f"`alternative={spec!r}`", "one construction"]
        )
    return get_transformation(spec, of)


def get_scheme(name: str, of: Conventions | Treebank = UNKNOWN) -> JointTransformation:
    """Return the transformations of a scheme as a single transformation for a treebank.

    Args:
        name: as for :func:`find_scheme`.
        of: the treebank to which it will be applied, or its conventions.

    Returns:
        The joint transformation, named after the scheme.

    Raises:
        InputError: there is no such scheme, the file has a mistake, or the scheme changes tags or relations.

    >>> get_scheme("function-heads").spec
    'case+cop+mark+aux'
    """
    scheme = find_scheme(name)
    if scheme.relabelling:
        problem = "changes tags or relations, which a transformation does not"
        raise InputError(f"scheme {name} {problem}; write its trees with `learnability transform`")
    return scheme.transformation(of.conventions if isinstance(of, Treebank) else of)


_VERB = re.compile(r" (?:heads?|hangs|forms?|depends) ")
"""Where the subject of a description ends."""


def name_subject(name: str) -> str:
    """Return which words a construction is about, `determiners`, as a menu has it; empty for schemes."""
    base, _, options = name.partition(":")
    if base not in TRANSFORMATIONS:
        return ""
    plain, subject = (_VERB.split(describe_construction(spec))[0] for spec in (base, name))
    return f"{subject} ({options})" if options and subject == plain else subject


def describe_construction(name: str) -> str:
    """Return what a construction or scheme changes, as `learnability list` says it; empty if it is not
    known."""
    if name in CATALOGUE:
        return CATALOGUE[name].description
    return get_transformation(name).definition if name.partition(":")[0] in TRANSFORMATIONS else ""

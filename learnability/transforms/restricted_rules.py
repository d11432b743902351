"""Restrict rules to some of their places, and check what a restriction leaves."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from learnability.errors import InputError, meant
from learnability.support.nouns import count_noun
from learnability.transforms.restriction import (
    NO_DEPENDENT,
    OF_DEPENDENT,
    OF_WORDS,
    SIDES,
    UPOS,
    Restriction,
    criterion_of_word,
)
from learnability.treebanks.labels import UNIVERSAL, universal
from learnability.treebanks.sentence import Sentence, Tree, trees_of

if TYPE_CHECKING:
    from learnability.transforms.base import Rule, Transformation


def mistake(rule: Rule | None, name: str, value: str, not_in_ud: Collection[str] = ()) -> str:
    """Return what is wrong with a value of a restriction of the rule, and what to write; empty if correct."""
    if re.search(r"[\x00-\x1f\x7f]", value):  # it would break the comment that names the transformation
        return f"{value!r} contains control characters; remove tabs, line ends and the like"
    criterion = name.removesuffix("!")
    if criterion.startswith(OF_DEPENDENT) and value == NO_DEPENDENT:
        return ""
    is_of_place = criterion == criterion_of_word(criterion)
    is_listed = not {value, universal(value)}.isdisjoint(not_in_ud)
    match criterion_of_word(criterion):
        case "upos" if value not in UPOS and not is_listed:
            return f"there is no UPOS tag {value!r}; {meant(value, UPOS)}"
        case "side" if value not in SIDES:
            return f"there is no side {value!r}; {meant(value, SIDES)}"
        case "feats" if not re.fullmatch(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?(=[A-Z0-9][A-Za-z0-9]*)?", value):
            return f"there is no feature {value!r}; write Case=Gen, or Case for any value"
        case "misc" | "comment" if not re.fullmatch(r"[^=\s]([^=]*[^=\s])?(=\S(.*\S)?)?", value):
            name, example = (
                ("attribute", "LangID=DE") if criterion.endswith("misc") else ("comment", "genre=news")
            )
            return f"{value!r} is no {name}; write {example}, or {example.partition('=')[0]} for any value"
        case "language" if not re.fullmatch(r"[a-z]{2,3}", value):
            hint = 'write the code at the beginning of file names: "fr" for fr_gsd-ud-train.conllu'
            return f"there is no language code {value!r}; {hint}"
        case "deprel" if universal(value) not in UNIVERSAL and not is_listed:
            return f"there is no UD relation {value!r}; {meant(universal(value), sorted(UNIVERSAL))}"
        case "deprel" if rule and is_of_place and not rule.is_place_label(value):
            return f"no place is labelled {value!r}; choose from {rule.place_labels}"
    return ""


def restricted_to_unknown(restriction: Restriction | None) -> list[str]:
    """Return the tags and relations of a restriction that UD does not have."""
    unknown = []
    for name, values in restriction.wanted if restriction else ():
        if criterion_of_word(name.removesuffix("!")) in ("upos", "deprel"):
            unknown += [value for value in values if mistake(None, name, value)]
    return unknown


def restrict_rule(rule: Rule, restriction: Restriction) -> Rule:
    """Return `rule` with only those places that `restriction` admits; InputError if it consists of
    several."""
    if rule.rules != (rule,):
        raise InputError(f"{rule.name} consists of several constructions; restrict its parts")
    narrowed = copy.copy(rule)
    narrowed.restriction = restriction or None
    return narrowed


def find_unmatched(transformation: Transformation, trees: Iterable[Tree | Sentence]) -> list[str]:
    """Return the parts of a transformation that have no place in UD trees, as on the command line.

    Only restricted parts for this language count; if there is no place at all, all parts.
    """
    without_place = {
        rule.name: rule.spec
        for rule in transformation.rules
        if rule.restriction and rule.restriction.admits_language(rule.conventions.language)
    }
    any_place = False
    for tree in trees:
        if any_place and not without_place:
            break
        for place in transformation.places(tree):
            any_place = True
            without_place.pop(place.transform, None)
    return list(without_place.values()) if any_place else [rule.spec for rule in transformation.rules]


def advice(transformation: Transformation, trees: Sequence[Tree | Sentence]) -> list[str]:
    """Return a line for each rule whose form most constructions already have; it names the opposite rule."""
    lines = []
    for rule in transformation.rules:
        lines += unknown_attributes(rule.restriction, trees)
        if not rule.already:
            continue
        plans = [rule.plan(tree) for tree in trees]
        already = sum(plan.skipped[rule.already] for plan in plans)
        total = already + sum(len(plan.places) for plan in plans)
        if already > total / 2:
            lines.append(
                f"{rule.already} in {already} of {count_noun(total, 'place')}; {rule.instead} changes them"
            )
    return lines


MOST_KNOWN = 20
"""Names or values that a message lists."""

TITLES = {"misc": "word has {} in MISC", "comment": "sentence has a comment {}"}


def unknown_attributes(restriction: Restriction | None, trees: Sequence[Tree | Sentence]) -> list[str]:
    """Return which attributes in MISC, and which comments, of a restriction do not occur in any tree."""
    lines = []
    for name, values in restriction.wanted if restriction else ():
        criterion = criterion_of_word(name.removesuffix("!"))
        if criterion not in TITLES:
            continue
        known: set[str] = set()
        for tree in trees_of(trees):
            tokens = range(1, len(tree) + 1) if criterion == "misc" else (1,)
            known.update(*(OF_WORDS[criterion](tree, token) for token in tokens))
        for value in values:
            if value not in known:
                key, equals, _ = value.partition("=")
                of_key = sorted(each for each in known if each.startswith(f"{key}="))[:MOST_KNOWN]
                keys = sorted({each.partition("=")[0] for each in known} - {NO_DEPENDENT})[:MOST_KNOWN]
                alike = f"choose from {', '.join(of_key)}" if equals and of_key else meant(key, keys)
                lines.append(f"{name}={value}: no {TITLES[criterion].format(value)}; {alike}")
    return lines


UNSEEN: Mapping[str, tuple[str, ...]] = {
    "gold": (),
    "predicted": ("lemma", "feats"),
    "xpos": ("upos",),
    "none": ("upos",),
    "only": ("form", "lemma"),
}
"""The criteria that parses do not answer, by the option `tags`."""


def check_tags(transformation: Transformation, tags: str) -> None:
    """Raise InputError if a restriction is by a column that the parser does not see."""
    titles = {"upos": "UPOS tags", "form": "forms", "lemma": "lemmas", "feats": "features"}
    seen = "upos" if "form" in UNSEEN[tags] else "form"
    for rule in transformation.rules:
        names = {name.removesuffix("!") for name, _ in rule.restriction.wanted} if rule.restriction else set()
        for name in UNSEEN[tags]:
            if name in names:
                problem = f"depends on {titles[name]}, which parsers do not see with `tags={tags!r}`"
                raise InputError(f"{rule.spec} {problem}; restrict by {seen}, or use `tags='gold'`")


Cases = Iterable[tuple["Transformation", Sequence[Tree] | Sequence[Sentence]]]
"""Pairs of a transformation as it is for a treebank, and UD trees of that treebank."""


def without_places(cases: Cases) -> list[str]:
    """Return the parts without a place in any case, as on the command line; see :func:`find_unmatched`."""
    missing: list[str] | None = None
    for transformation, trees in cases:
        here = find_unmatched(transformation, trees)
        missing = here if missing is None else [spec for spec in missing if spec in here]
        if not missing:
            break
    return missing or []


NO_PLACE = "no place of {}"
"""What a note says of :func:`without_places`, where trees without a place are as good as others."""


def check_places(where: str, transformation: Transformation, trees: Sequence[Tree]) -> None:
    """Raise InputError unless UD trees have a place, and one of each restricted part."""
    if missing := without_places([(transformation, trees)]):
        hints = advice(transformation, trees) or [
            "choose other values or another treebank; `learnability transform --places` lists all places"
        ]
        raise InputError(f"{where} has no place for {', '.join(missing)}; {hints[0]}")

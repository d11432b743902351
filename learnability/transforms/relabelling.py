"""Change tags, features and relations: merge values, split them, or drop subtypes.

Words keep their heads. A change is written ``COLUMN:OLD=NEW``, for example ``upos:AUX=VERB`` or
``deprel:acl:relcl=acl``, and takes the restrictions of transformations: ``upos:ADP=ADP-left,side=left``.
In OLD, ``|`` separates values. A ``*`` in OLD stands for any text, which a ``*`` in NEW repeats:
``deprel:*:npmod=*:unmarked``. A name in braces in NEW gives every value its own tag:
``upos:PART=PART-{lemma}``. A ``_`` for OLD stands for no feature: ``feats:_=Poss=Yes,lemma=my`` adds one
to words that lack it.

All changes of a scheme look at the UD tree, so their order does not matter. A second application changes
nothing: what could make a difference (a cycle, a change of what another change reads) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import permutations
from typing import Any

from learnability.errors import InputError, meant
from learnability.support.plugins import nearest
from learnability.transforms.escapes import split_escaped, unescape_value
from learnability.transforms.restricted_rules import mistake, restricted_to_unknown
from learnability.transforms.restriction import (
    CRITERIA,
    IN_TREES,
    OF_DEPENDENT,
    OF_WORDS,
    RESTRICTIONS,
    UPOS,
    Restriction,
    criterion_of_word,
)
from learnability.treebanks.labels import ROOT_LABEL, UNIVERSAL, universal
from learnability.treebanks.sentence import Tree

COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels"}
"""The columns that can be changed, and their names in a tree."""

TAGS = ("upos", "xpos", "feats")
"""The columns of which a parser may read one."""

NOTHING = "_"
"""What takes the place of a feature that is dropped."""

MISSPELT = 0.7
"""How similar a new tag has to be to a tag of UD to count as misspelt (`difflib`)."""

_RESTRICTION = rf"(?:{'|'.join(CRITERIA)})!?="
"""How the restrictions of a change begin: a tag may have a comma, too."""

_FEATURE = re.compile(r"(.+)=(_|[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*)")
"""The old features of a change, and the new one."""

_FIELD = re.compile(r"\{([A-Za-z_]+)\}")


@dataclass(frozen=True, slots=True)
class ValueChange:
    """Represent a change of some values of one column.

    Attributes:
        column: a name of `COLUMNS`.
        old: the values that change; ``*`` stands for any text.
        new: what is written instead, with ``*`` for the text of the first ``*``, and criteria in braces.
        restriction: the words that change; None for all.
    """

    column: str
    old: tuple[str, ...]
    new: str
    restriction: Restriction | None = None

    @property
    def spec(self) -> str:
        """Return the change as on the command line."""
        restricted = f",{self.restriction}" if self.restriction else ""
        return f"{self.column}:{'|'.join(self.old)}={self.new}{restricted}"

    @property
    def adds(self) -> str:
        """Return the name of the feature that is added to words that lack it; empty if none is."""
        return self.new.partition("=")[0] if self.column == "feats" and NOTHING in self.old else ""

    @property
    def fields(self) -> list[str]:
        """Return the criteria whose values the new value contains."""
        return _FIELD.findall(self.new)

    @property
    def read(self) -> dict[str, tuple[str, ...] | None]:
        """Return the criteria that decide whether a word changes, with the values asked for (None: any)."""
        asked: dict[str, tuple[str, ...] | None] = {}
        for name, values in self.restriction.wanted if self.restriction else ():
            asked[name.removesuffix("!")] = values
        if any(name[0].isupper() for name in self.fields):
            asked["feats"] = None
        return asked

    def replacement(self, value: str) -> str | None:
        """Return what takes the place of a value, with braces; None if it does not change."""
        for old in self.old:
            if match := _pattern(old).fullmatch(value):
                return self.new.replace("*", match[1], 1) if "*" in old else self.new
        return None

    def value_of(self, tree: Tree, token: int, value: str, language: str) -> str | None:
        """Return the new value of a word; None if it does not change."""
        new = self.replacement(value)
        if new is None or (self.restriction and not self.restriction.admits(tree, token, language)):
            return None
        for name in self.fields:
            text = _value_of_word(tree, token, name)
            if not text:
                return None
            new = new.replace(f"{{{name}}}", re.sub(r"[\s|=]", "_", text))
        return new


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Changes of tags, features and relations that apply together; without changes, the identity.

    Raises:
        InputError: a second application could change more, or a change has a mistake.
    """

    changes: tuple[ValueChange, ...] = ()

    def __post_init__(self) -> None:
        for change in self.changes:
            if problem := _mistake(change):
                raise InputError(f"{change.spec}: {problem}")
        _check_order(self.changes)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __add__(self, other: Relabelling) -> Relabelling:
        return Relabelling(tuple(dict.fromkeys((*self.changes, *other.changes))))

    @property
    def specs(self) -> tuple[str, ...]:
        return tuple(change.spec for change in self.changes)

    @property
    def spec(self) -> str:
        return "+".join(self.specs)

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(change.column for change in self.changes)

    @property
    def reads_trees(self) -> bool:
        """Return whether heads or relations decide about tags, which then tell a parser of the gold tree."""
        of_trees = IN_TREES.keys() - OF_WORDS.keys()
        return any(
            change.column in TAGS and of_trees & {*change.read, *change.fields} for change in self.changes
        )

    def apply(self, tree: Tree, language: str = "") -> Tree:
        """Return the words with new tags, features and relations; InputError if a column or the language is
        missing."""
        changed: dict[str, Any] = {}
        for column in self.columns:
            values: tuple[str, ...] = getattr(tree, COLUMNS[column])
            new = tuple(
                self._new_value(column, tree, token, value, language)
                for token, value in enumerate(values, start=1)
            )
            if new != values:
                changed[COLUMNS[column]] = new
        return replace(tree, **changed) if changed else tree

    def _new_value(self, column: str, tree: Tree, token: int, value: str, language: str) -> str:
        if column == "deprel" and value == ROOT_LABEL:
            return value
        features = value.split("|") if column == "feats" else [value]
        new = [self._new_part(column, tree, token, part, language) for part in features]
        if column == "feats":
            new += self._added(tree, token, features, language)
        if column != "feats" or new == features:
            return "|".join(new)
        kept = {part for part in new if part != NOTHING}
        return "|".join(sorted(kept, key=str.lower)) or NOTHING

    def _added(self, tree: Tree, token: int, features: Sequence[str], language: str) -> list[str]:
        names = {feature.partition("=")[0] for feature in features}
        added: dict[str, str] = {}
        for change in self.changes:
            if change.adds and change.adds not in names and change.adds not in added:
                new = change.value_of(tree, token, NOTHING, language)
                if new is not None:
                    added[change.adds] = new
        return list(added.values())

    def _new_part(self, column: str, tree: Tree, token: int, value: str, language: str) -> str:
        for change in _applicable(self.changes, column, value):
            new = change.value_of(tree, token, value, language)
            if new is not None:
                return new
        return value


@lru_cache(maxsize=4096)
def _applicable(changes: tuple[ValueChange, ...], column: str, value: str) -> tuple[ValueChange, ...]:
    return tuple(c for c in changes if c.column == column and c.replacement(value) is not None)


def parsed_change(spec: str) -> ValueChange:
    """Return the change that is written ``COLUMN:OLD=NEW``, with restrictions after a comma."""
    column, _, rest = spec.strip().partition(":")
    if column not in COLUMNS:
        raise InputError(nearest(column, COLUMNS, "column"))
    change, *restrictions = split_escaped(rest, ",", _RESTRICTION)
    if column == "feats":
        match = _FEATURE.fullmatch(change)
        old, new = match.groups() if match else ("", "")
    else:
        old, _, new = change.rpartition("=")
    if not old or not new:
        example = "feats:Case=Gen=Case=Dat, or feats:Case=_" if column == "feats" else f"{column}:OLD=NEW"
        raise InputError(f"{spec} is not a change; write {example}")
    wanted: dict[str, list[str]] = {}
    for item in restrictions:
        name, _, values = item.partition("=")
        if name in wanted:
            raise InputError(f"{spec}: {name} occurs twice; write it once")
        wanted[name] = list(map(unescape_value, split_escaped(values, "|")))
    return value_change(column, old.split("|"), new, wanted)


def value_change(
    column: str, old: Collection[str], new: str, wanted: dict[str, list[str]], not_in_ud: Collection[str] = ()
) -> ValueChange:
    """Return a change with its restrictions; InputError if something does not exist or is misspelt."""
    for name, values in wanted.items():
        if name not in RESTRICTIONS:
            raise InputError(nearest(name, CRITERIA, "restriction"))
        for value in values:
            if problem := mistake(None, name, value, not_in_ud):
                raise InputError(f"{column}:{'|'.join(old)}={new}: {problem}")
    restriction = Restriction(**wanted)
    if column == "feats":  # a feature without a value is the feature with any value
        old = [value if "=" in value or value == NOTHING else f"{value}=*" for value in old]
    change = ValueChange(column, tuple(dict.fromkeys(old)), new, restriction if restriction else None)
    if problem := _mistake(change) or _misspelling(change, not_in_ud):
        raise InputError(f"{change.spec}: {problem}")
    return change


def problems_of(relabelling: Relabelling, trees: Sequence[Tree], language: str) -> dict[str, str]:
    """Return which changes have no effect on these trees, and why: by the change as on the command line.

    Another name for a value is none. A change of any text (``*``) may match no word if another has an effect.
    """
    changed = [relabelling.apply(tree, language) for tree in trees]
    problems: dict[ValueChange, str] = {}
    for column in sorted(relabelling.columns):
        name = COLUMNS[column]
        pairs = {
            pair
            for tree, other in zip(trees, changed, strict=True)
            for pair in zip(getattr(tree, name), getattr(other, name), strict=True)
        }
        is_renamed = len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
        for change in relabelling.changes:
            if change.column == column and (problem := _without_effect(change, pairs, is_renamed=is_renamed)):
                problems[change] = problem
    is_any_effective = len(problems) < len(relabelling.changes)
    return {
        change.spec: problem
        for change, problem in problems.items()
        if not (is_any_effective and all("*" in old for old in change.old))
    }


def _without_effect(change: ValueChange, pairs: Collection[tuple[str, str]], *, is_renamed: bool) -> str:
    """Return why a change has no effect; empty if it has one.

    `pairs`: old and new values of its column. `is_renamed`: whether all values stay apart.
    """
    known = {part for old, _ in pairs for part in (old.split("|") if change.column == "feats" else [old])}
    if change.adds and any(_has(new, change.adds) and not _has(old, change.adds) for old, new in pairs):
        return ""
    found = sorted(value for value in known if change.replacement(value))
    name = "the relation" if change.column == "deprel" else change.column.upper()
    if not found:
        return f"no word has {name} {' or '.join(change.old)}; choose from {_join_values(known)}"
    if not is_renamed:
        return ""
    if change.restriction or change.fields:
        words = f"words with {name} {', '.join(found)}"
        return f"the restriction changes all {words} in the same way, or none; choose another restriction"
    problem = f"the change only renames {', '.join(found)}, because no other word has {name} {change.new}"
    return f"{problem}; choose from {_join_values(known)}"


def _has(cell: str, name: str) -> bool:
    return any(feature.partition("=")[0] == name for feature in cell.split("|"))


def _join_values(values: Collection[str]) -> str:
    shown = sorted(set(values) - {NOTHING})
    return ", ".join(shown[:30]) + (", ..." if len(shown) > 30 else "")


@cache
def _pattern(old: str) -> re.Pattern[str]:
    """Return the expression for an old value: a ``*`` in the middle stands for no colon."""
    head, *rest = map(re.escape, old.split("*"))
    expression = head
    for number, text in enumerate(rest, start=1):
        any_text = ".+" if number == len(rest) and not text else "[^:]+"
        expression += f"({any_text}){text}"
    return re.compile(expression)


def _value_of_word(tree: Tree, token: int, name: str) -> str:
    """Return the value of a criterion, or of a feature, for a word; empty if it has none."""
    if not name[0].isupper():
        return next(iter(IN_TREES[name](tree, token)), "")
    for feature in tree.feats[token - 1].split("|") if tree.feats else ():
        key, _, value = feature.partition("=")
        if key == name:
            return value
    return ""


def _mistake(change: ValueChange) -> str:
    for value in (*change.old, change.new):
        if not value or re.search(r"[\s\x00-\x1f\x7f]", value):
            return f"{value!r} is not a value of a column; leave out spaces and control characters"
    if change.adds and len(change.old) > 1:
        return "_ stands for no feature; write a change of its own for the other values"
    if "|" in change.new:
        return f"{change.new!r} names several new values; write one"
    for name in change.fields:
        if name not in IN_TREES and not name[0].isupper():
            return f"there is no restriction {name!r}; {meant(name, IN_TREES)} (or a feature, such as Case)"
        if name == "feats":
            return "{feats} is every feature of a word; name one, for example {Case}"
        several = ("feats", "misc", "comment")
        if name.startswith(OF_DEPENDENT) or criterion_of_word(name) in several:
            return f"{{{name}}} has several values; name a criterion that has one"
    if "*" in change.new and not all("*" in old for old in change.old):
        return "* in the new value stands for the text of * in the old value; write it in both"
    if change.column == "deprel" and ROOT_LABEL in (*change.old, change.new):
        return "root marks the word with head 0; leave it as it is"
    again = [change.replacement(old.replace("*", "x")) for old in change.old]
    if all(new == old.replace("*", "x") for old, new in zip(change.old, again, strict=True)):
        return "the old and the new value are the same; write two different values"
    for new in again:
        if new is not None and change.replacement(new) not in (None, new):
            problem = f"the change is a cycle, because {new} would change again"
            return f"{problem}; choose a new value that is none of the old ones"
    return ""


def _misspelling(change: ValueChange, not_in_ud: Collection[str]) -> str:
    for value in (*change.old, change.new):
        if problem := _explain_unknown(change, value, not_in_ud):
            return f'{problem} If {value!r} is right, use a scheme file with not_in_ud = ["{value}"]'
    return ""


def _explain_unknown(change: ValueChange, value: str, not_in_ud: Collection[str]) -> str:
    """Return that a value of a change is unknown. New tags may be, unless they look like misspelt ones."""
    known: Sequence[str]
    if change.column == "deprel":
        name, kind, known = universal(value), "UD relation", sorted(UNIVERSAL)
    elif change.column == "upos":
        is_new = value == change.new
        name = re.split("[-:]", _FIELD.sub("", value).strip("-:"))[0] if is_new else value
        kind, known = "UPOS tag", UPOS
        if is_new and not get_close_matches(name, known, n=1, cutoff=MISSPELT):
            return ""
    else:
        return ""
    if not name or "*" in name or name in known or not {value, name}.isdisjoint(not_in_ud):
        return ""
    advice = meant(name, known)
    return f"there is no {kind} {name!r}; {advice}{'' if advice.endswith('?') else '.'}"


def names_not_in_ud(change: ValueChange) -> list[str]:
    """Return the tags and relations of a change that UD does not have, for a scheme file to list."""
    names = [value for value in (*change.old, change.new) if _explain_unknown(change, value, ())]
    return names + restricted_to_unknown(change.restriction)


def _check_order(changes: Sequence[ValueChange]) -> None:
    """Raise an InputError if the result depends on the order of changes, or on how often they are applied."""
    for first, second in permutations(changes, 2):
        if first.column == second.column and second.replacement(first.new) not in (None, first.new):
            problem = f"{second.spec} changes the new value of {first.spec} again"
            raise InputError(f"{problem}; write one change in place of both")
    for reader in changes:
        for name, values in reader.read.items():
            for writer in changes:
                if writer.column == criterion_of_word(name) and _decides(writer, values):
                    raise InputError(
                        f"{reader.spec} depends on {name}, which {writer.spec} changes; use another column"
                    )


def _decides(writer: ValueChange, asked: Collection[str] | None) -> bool:
    """Return whether a change can decide if a word has one of the values asked for (None: of any)."""
    if asked is None:
        return True

    def fits(value: str) -> bool:
        return not {value, universal(value), value.partition("=")[0]}.isdisjoint(asked)

    return any("*" in old or fits(old) != fits(writer.new) for old in writer.old) or bool(writer.fields)

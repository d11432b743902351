"""Read schemes of users: a TOML file that chooses, restricts and defines transformations.

::

    name = "de-and-a"                  # default: the name of the file
    description = "de and à head their phrase"
    language = "fr"                    # places in treebanks of this language only
    not_in_ud = ["mod"]                # tags and relations that are right although UD does not have them

    [[transform]]
    name = "case"                      # one of `learnability list transforms`
    lemma = ["de", "à"]                # restrictions: form, lemma, upos, feats, deprel, side, language
    "form!" = "par"                    # an excluded value

    [[transform]]
    name = "cop"
    reattach = "clause"                # options, as after --transform

    [[transform]]
    name = "classifier"                # a new transformation
    kind = "head-inversion"            # or "chain"
    labels = ["clf"]

Below ``[merge.COLUMN]`` and ``[split.COLUMN]`` stand changes of tags, features and relations
(:mod:`learnability.schemes.relabellings`).

Or a program that annotates anew, instead of transformations::

    command = ["python", "{folder}/mine.py"]   # reads CoNLL-U ({input}, else standard input), writes it
    columns = ["upos"]                         # what it may change; default: head and deprel
    time_limit = 3600                          # seconds for each file

Every mistake is one line ``FILE:LINE: what; the nearest name; what to do``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from learnability.errors import InputError, meant
from learnability.schemes.relabellings import KEYS as RELABELLING
from learnability.schemes.relabellings import relabelling_of
from learnability.schemes.scheme import Scheme
from learnability.support.programs import read_command, read_time_limit
from learnability.support.toml_section import SUFFIX, TomlSection, read_text
from learnability.transforms.base import Rule
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import known_transformations
from learnability.transforms.relabelling import ValueChange, names_not_in_ud
from learnability.transforms.restricted_rules import mistake, restrict_rule, restricted_to_unknown
from learnability.transforms.restriction import RESTRICTIONS, Restriction
from learnability.transforms.user_defined import KINDS, kind_of
from learnability.treebanks.annotator import CHANGEABLE, HEADS_AND_RELATIONS, Annotator
from learnability.treebanks.labels import UNIVERSAL, universal
from learnability.treebanks.sentence import Conventions

TOP = ("name", "description", "language", "not_in_ud", "transform", *RELABELLING)
COMMAND = ("name", "description", "command", "columns", "time_limit")
PLACEHOLDERS = ("input", "output", "folder")
DEFINITION = ("kind", "labels", "description")


@dataclass(frozen=True, slots=True)
class FileScheme(Scheme):
    """Represent a scheme read from a file; `rules` create its rules for a treebank with certain
    conventions."""

    rules: tuple[Callable[[Conventions], Rule], ...] = ()

    def transformation(self, conventions: Conventions) -> JointTransformation:
        return JointTransformation([rule(conventions) for rule in self.rules], self.name)


@dataclass(frozen=True, slots=True)
class CommandScheme(Scheme):
    """Represent a scheme whose trees come from a program, the `annotator`; it has no rules."""

    annotator: Annotator = field(kw_only=True)

    def transformation(self, conventions: Conventions) -> NoReturn:
        """Raise an InputError: there are no rules."""
        problem = "is a command, which writes trees but has no rules, as needed here"
        raise InputError(f"scheme {self.name} {problem}; write its trees with `learnability transform`")


def read_scheme(path: str | os.PathLike[str]) -> FileScheme | CommandScheme:
    return scheme_from_text(read_text(path, "scheme file"), str(path))


def scheme_from_text(text: str, path: str) -> FileScheme | CommandScheme:
    """Return the scheme that the content of a TOML file defines; InputError if it has a mistake."""
    top = _Section.top(path, text, "transform")
    known: tuple[str, ...] = TOP
    hint = " (options of a construction belong below [[transform]])"
    if is_command := "command" in top.values or "time_limit" in top.values:
        known, hint = COMMAND, " (a scheme has a command or constructions, not both)"
    for key in top.values:
        if key not in known:
            top.fail(f"the key {key!r} is unknown; {meant(key, known)}{hint}", key)
    file = Path(path).name
    name = top.name(top.text("name") or file.removesuffix(SUFFIX))
    description = top.text("description") or f"defined in {file}"
    if is_command:
        command = read_command(top, "command", "annotate", PLACEHOLDERS)
        columns = top.strings("columns") or HEADS_AND_RELATIONS
        top.check("no column", "columns", columns, CHANGEABLE)
        annotator = Annotator(name, command, Path(path).resolve().parent, read_time_limit(top), text, columns)
        return CommandScheme(name, (), description, annotator=annotator)
    language = top.restriction("language")
    tables = top.values.get("transform", [])
    if not isinstance(tables, list) or not all(isinstance(values, dict) for values in tables):
        top.fail("`transform` is not a list; write [[transform]] (two brackets)", "transform")
    not_in_ud = top.strings("not_in_ud")
    relabelling = relabelling_of(top, language, not_in_ud)
    if not (tables or relabelling):
        top.fail('the scheme has no construction; add [[transform]] and name = "case"', "transform")
    rules: dict[str, Callable[[Conventions], Rule]] = {}
    for number, values in enumerate(tables):
        section = replace(top, number=number, values=values)
        rule = _rule(section, language, not_in_ud)
        if (rule_name := section.text("name")) in rules:
            section.fail(f"{rule_name!r} occurs twice; join the two tables, or remove one", "name")
        rules[rule_name] = rule
    specs = tuple(rule(Conventions()).spec for rule in rules.values())
    return FileScheme(name, specs, description, relabelling, rules=tuple(rules.values()))


def scheme_text(
    name: str, description: str, rules: Iterable[Rule], changes: Iterable[ValueChange] = ()
) -> str:
    """Return the TOML file of a scheme of these rules, which :func:`scheme_from_text` reads back."""
    rules, changes = list(rules), list(changes)
    lines = [f"name = {_toml(name)}", f"description = {_toml(description)}"]
    if unknown := _names_not_in_ud(rules, changes):
        lines.append(f"not_in_ud = {_list(unknown)}")
    for rule in rules:
        lines += ["", "[[transform]]", f"name = {_toml(rule.name)}"]
        if kind := kind_of(rule):
            lines += [f"kind = {_toml(kind)}", f"labels = {_list(rule.labels)}"]
        lines += [f"{key} = {_toml(v)}" for key, v in rule.option.items() if v != rule.options[key][0]]
        lines += _restriction_lines(rule.restriction)
    for change in changes:
        lines += [
            "",
            f"[[merge.{change.column}]]",
            f"from = {_list(change.old)}",
            f"to = {_toml(change.new)}",
        ]
        lines += _restriction_lines(change.restriction)
    return "\n".join(lines) + "\n"


def _names_not_in_ud(rules: Iterable[Rule], changes: Iterable[ValueChange]) -> list[str]:
    names: list[str] = []
    for rule in rules:
        if kind_of(rule):
            names += [label for label in rule.labels if universal(label) not in UNIVERSAL]
        names += restricted_to_unknown(rule.restriction)
    for change in changes:
        names += names_not_in_ud(change)
    return list(dict.fromkeys(names))


def _restriction_lines(restriction: Restriction | None) -> list[str]:
    wanted = restriction.wanted if restriction else ()
    return [f"{_toml(key) if key.endswith('!') else key} = {_list(values)}" for key, values in wanted]


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_toml, values))}]"


def _toml(text: str) -> str:
    """Return a TOML string; it escapes the same characters in the same way as JSON."""
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Section(TomlSection):
    """The top level of a scheme file, or a ``[[transform]]``."""

    def restriction(
        self, key: str, rule: Rule | None = None, not_in_ud: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return the values of a restriction of the rule, or of the whole scheme if `rule` is None."""
        values = self.strings(key)
        for value in values:
            if wrong := mistake(rule, key, value, not_in_ud):
                self.fail(f"{rule.name}: {wrong}" if rule else wrong, key, value)
        return values

    def relations(self, key: str, owner: str, not_in_ud: Collection[str]) -> tuple[str, ...]:
        names = self.strings(key)
        for name in names:
            if universal(name) not in UNIVERSAL and {name, universal(name)}.isdisjoint(not_in_ud):
                hint = meant(universal(name), sorted(UNIVERSAL))
                own = f'or write not_in_ud = ["{name}"] at the top, if your treebank has it'
                self.fail(f"{owner} has {name!r}, which is not a UD relation; {hint}, {own}", key, name)
        return names


def _rule(
    section: _Section, language: tuple[str, ...], not_in_ud: Collection[str]
) -> Callable[[Conventions], Rule]:
    name, known = section.text("name"), known_transformations()
    defines = "kind" in section.values or "labels" in section.values
    make: Callable[..., Rule]
    if not name:
        section.fail(f"a construction has no name; add name = one of {', '.join(known)}")
    if defines:
        make = _definition(section, name, not_in_ud)
    elif name in known:
        make = known[name]
    else:
        hint = f"{meant(name, known)}; to define a new one, add kind and labels"
        section.fail(f"there is no construction {name!r}; {hint}", "name")
    rule = make(Conventions())
    allowed = ("name", *rule.options, *RESTRICTIONS, *(DEFINITION if defines else ()))
    for key in section.values:
        if key not in allowed:
            section.fail(f"{name} has no key {key!r}; {meant(key, allowed)}", key)
    options = {key: section.text(key) for key in rule.options if key in section.values}
    for key, value in options.items():
        section.check(f"{name}: no {key}", key, [value], rule.options[key])
    criteria = {
        key: section.restriction(key, rule, not_in_ud) for key in RESTRICTIONS if key in section.values
    }
    restriction = Restriction(**{"language": language, **criteria})
    if defines:
        options["description"] = section.text("description")
    return partial(_create, make, options, restriction)


def _create(
    make: Callable[..., Rule], options: Mapping[str, str], restriction: Restriction, conventions: Conventions
) -> Rule:
    return restrict_rule(make(conventions, **options), restriction)


def _definition(section: _Section, name: str, not_in_ud: Collection[str]) -> Callable[..., Rule]:
    if name in known_transformations():
        section.fail(f"{name!r} exists already; choose a new name, or remove kind and labels", "name")
    section.name(name)
    kind = section.text("kind")
    if kind not in KINDS:
        problem = f"there is no kind {kind!r}" if kind else f"{name} has no kind"
        section.fail(f"{problem}; {meant(kind, KINDS)}", "kind")
    labels = section.relations("labels", name, not_in_ud)
    if not labels:
        section.fail(f'{name} has no labels; add labels = ["clf"], the relations of its words', "labels")
    return partial(KINDS[kind], name, labels)

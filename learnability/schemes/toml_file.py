"""User-defined schemes: a TOML file that chooses, restricts and defines transformations.

::

    name = "de-and-a"                  # default: the name of the file
    description = "de and à head their phrase"
    language = "fr"                    # sites in treebanks of this language only

    [[transform]]
    name = "case"                      # one of `learnability list transforms`
    lemma = ["de", "à"]                # restrictions: form, lemma, upos, feats, deprel, side, language
    "form!" = "par"                    # and what is excluded by them

    [[transform]]
    name = "cop"
    reattach = "clause"                # options, as after --transform

    [[transform]]
    name = "classifier"                # a new transformation
    kind = "head-inversion"            # or "chain"
    labels = ["clf"]

Every mistake is one line ``FILE:LINE: what; the nearest name; what to do``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from learnability.errors import InputError, meant, reason_of
from learnability.schemes.scheme import Scheme
from learnability.transforms.base import Rule
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import known_transformations
from learnability.transforms.restriction import RESTRICTIONS, Restriction, mistake, restricted
from learnability.transforms.user_defined import KINDS
from learnability.treebanks.labels import UNIVERSAL, universal
from learnability.treebanks.sentence import Conventions

SUFFIX = ".toml"
"""A scheme whose name ends so is a file."""

MOST = 100_000
"""Characters of a scheme file: to find the line of a mistake takes the square of its length."""

TOP = ("name", "description", "language", "transform")
DEFINITION = ("kind", "labels", "description")


@dataclass(frozen=True, slots=True)
class FileScheme(Scheme):
    """A scheme read from a file; `rules` make its rules for a treebank with certain conventions."""

    rules: tuple[Callable[[Conventions], Rule], ...] = ()

    def transformation(self, conventions: Conventions) -> JointTransformation:
        """See :class:`Scheme`."""
        return JointTransformation([rule(conventions) for rule in self.rules], self.name)


def read_scheme(path: str | os.PathLike[str]) -> FileScheme:
    """The scheme that a TOML file defines."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        advice = "save the scheme file as UTF-8"
        raise InputError(f"{path}: not UTF-8 (byte {error.start + 1}); {advice}") from None
    except OSError as error:
        raise InputError(f"{path}: {reason_of(error)}; give the path of a scheme file") from None
    return scheme_from_text(text, str(path))


def scheme_from_text(text: str, path: str) -> FileScheme:
    """The scheme that the content of a TOML file defines; `path` is for messages, and names the scheme."""
    if len(text) > MOST:
        raise InputError(f"{path}: is longer than any scheme ({MOST:,} characters); give another file")
    try:
        top = _Section(path, text, None, tomllib.loads(text))
    except (ValueError, RecursionError) as error:  # of Python: digits by the thousand, brackets in brackets
        raise InputError(_syntax_error(path, text, str(error))) from None
    for key in top.values:
        if key not in TOP:
            hint = f"{meant(key, TOP)} (what concerns one goes below [[transform]])"
            top.fail(f"unknown key {key!r}; {hint}", key)
    file = Path(path).name
    name = top.name(top.text("name") or file.removesuffix(SUFFIX))
    language = top.restriction("language")
    given = top.values.get("transform", [])
    if not isinstance(given, list) or not all(isinstance(values, dict) for values in given):
        top.fail("no list of transformations; write [[transform]] (two brackets)", "transform")
    if not given:
        top.fail('no transformation; add [[transform]] and name = "case"', "transform")
    rules: dict[str, Callable[[Conventions], Rule]] = {}
    for number, values in enumerate(given):
        section = replace(top, number=number, values=values)
        rule = _rule(section, language)
        if (called := section.text("name")) in rules:
            section.fail(f"{called!r} is given twice; join the two tables, or drop one", "name")
        rules[called] = rule
    specs = tuple(rule(Conventions()).spec for rule in rules.values())
    return FileScheme(name, specs, top.text("description") or f"defined in {file}", tuple(rules.values()))


def _syntax_error(path: str, text: str, message: str) -> str:
    """tomllib's message with the place in front; at the end of the document, the last line."""
    place = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if place is None:  # not of tomllib, but of Python
        lengths = list(map(len, text.splitlines()))
        line = str(1 + lengths.index(max(lengths)))
        return f"{path}:{line}: no TOML: too many digits, or brackets in brackets; shorten the line"
    what = message[: place.start()]
    line = place[1] or str(max(1, len(text.splitlines())))
    return f'{path}:{line}: no TOML: {what[:1].lower()}{what[1:]}; write KEY = "value" or [[transform]]'


@dataclass(frozen=True, slots=True)
class _Section:
    """The top level of a scheme file (`number` None), or the ``[[transform]]`` of this number from 0."""

    path: str
    source: str
    number: int | None
    values: Mapping[str, Any]

    def fail(self, what: str, key: str = "", value: str | None = None) -> NoReturn:
        """Raise what is wrong with the key, or with a value of it."""
        raise InputError(f"{self.path}:{_line_of(self.source, self.number, key, value)}: {what}")

    def text(self, key: str) -> str:
        """A string, empty where there is none."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            self.fail(f'{key} is {_kind(value)}; write {key} = "..."', key)
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """A string or a list of strings that is not empty, as a tuple; () where there is none."""
        value = self.values.get(key)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
            self.fail(f'{key} is {_kind(value)}; write {key} = ["...", "..."]', key)
        if not values or not all(values):
            self.fail(f"{key} is empty and would admit nothing; name one, or drop the key", key)
        return tuple(dict.fromkeys(values))

    def check(self, no: str, key: str, values: Iterable[str], known: Iterable[str]) -> None:
        """Fail with `no`, the value and the nearest known one, where a value of the key is not `known`."""
        for value in values:
            if value not in known:
                self.fail(f"{no} {value!r}; {meant(value, known)}", key, value)

    def name(self, name: str) -> str:
        """`name`, if it can be one."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
            self.fail(f"the name {name!r} is no word of letters, digits, hyphens; choose another", "name")
        return name

    def restriction(self, key: str, rule: Rule | None = None) -> tuple[str, ...]:
        """The values of a restriction of the rule (of the whole scheme: None)."""
        values = self.strings(key)
        for value in values:
            if wrong := mistake(rule, key, value):
                self.fail(f"{rule.name}: {wrong}" if rule else wrong, key, value)
        return values

    def relations(self, key: str, owner: str) -> tuple[str, ...]:
        names = self.strings(key)
        for name in names:
            if universal(name) not in UNIVERSAL:
                hint = meant(universal(name), sorted(UNIVERSAL))
                self.fail(f"{owner}: no UD relation {name!r}; {hint}", key, name)
        return names


def _rule(section: _Section, language: tuple[str, ...]) -> Callable[[Conventions], Rule]:
    """What makes the rule of a ``[[transform]]`` table; `language`: of the scheme, for a table without."""
    name, known = section.text("name"), known_transformations()
    defines = "kind" in section.values or "labels" in section.values
    make: Callable[..., Rule]
    if not name:
        section.fail(f"a transformation without name; add name = one of {', '.join(known)}")
    if defines:
        make = _definition(section, name)
    elif name in known:
        make = known[name]
    else:
        hint = f"{meant(name, known)}; to define a new one, add kind and labels"
        section.fail(f"no transformation {name!r}; {hint}", "name")
    rule = make(Conventions())
    allowed = ("name", *rule.options, *RESTRICTIONS, *(DEFINITION if defines else ()))
    for key in section.values:
        if key not in allowed:
            section.fail(f"{name}: unknown key {key!r}; {meant(key, allowed)}", key)
    options = {key: section.text(key) for key in rule.options if key in section.values}
    for key, value in options.items():
        section.check(f"{name}: no {key}", key, [value], rule.options[key])
    given = {key: section.restriction(key, rule) for key in RESTRICTIONS if key in section.values}
    restriction = Restriction(**{"language": language, **given})
    if defines:
        options["description"] = section.text("description")
    return partial(_made, make, options, restriction)


def _made(
    make: Callable[..., Rule], options: Mapping[str, str], restriction: Restriction, conventions: Conventions
) -> Rule:
    return restricted(make(conventions, **options), restriction)


def _definition(section: _Section, name: str) -> Callable[..., Rule]:
    """What makes the rules of a new transformation, by its kind and labels."""
    if name in known_transformations():
        section.fail(f"{name!r} exists; choose a new name, or drop kind and labels", "name")
    section.name(name)
    kind = section.text("kind")
    if kind not in KINDS:
        what = f"no kind {kind!r}" if kind else "no kind"
        section.fail(f"{name}: {what}; {meant(kind, KINDS)}", "kind")
    labels = section.relations("labels", name)
    if not labels:
        section.fail(f'{name}: no labels; add labels = ["clf"], the relations of its words', "labels")
    return partial(KINDS[kind], name, labels)


def _kind(value: object) -> str:
    """What TOML calls the value."""
    if isinstance(value, list) and any(not isinstance(item, str) for item in value):
        return "a list of other things than strings"
    names = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), "a date")


def _line_of(text: str, table: int | None, key: str, value: str | None) -> int:
    """The line of a value of a key, else of the key, else of its table, else the first.

    `tomllib` tells no lines; but a statement ends with the first line up to which the text is TOML again.
    """
    spans: dict[tuple[int | None, str], tuple[int, int]] = {}  # by table (None: the top level) and key
    lines, begin = text.splitlines(), 1
    for end in range(1, len(lines) + 1):
        try:
            content = tomllib.loads("\n".join(lines[:end]))
        except (ValueError, RecursionError):
            continue
        for name in content:
            spans.setdefault((None, name), (begin, end))
        tables = given if isinstance(given := content.get("transform"), list) else []
        for number, values in enumerate(tables):
            for name in ("", *values) if isinstance(values, dict) else ():
                spans.setdefault((number, name), (begin, end))
        begin = end + 1
    places = ((table, key), (table, ""), (None, "transform"))
    first, last = next((spans[place] for place in places if place in spans), (1, 1))
    written = [lines[first - 1].partition("=")[2], *lines[first:last]] if lines else []
    return next((n for n, line in enumerate(written, start=first) if value and value in line), first)

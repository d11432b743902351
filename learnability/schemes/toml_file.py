"""User-defined schemes: a TOML file that chooses, restricts and defines transformations.

::

    name = "de-and-a"                  # default: the name of the file
    description = "de and à head their phrase"
    language = "fr"                    # sites in treebanks of this language only

    [[transform]]
    name = "case"                      # one of `learnability list transforms`
    lemma = ["de", "à"]                # restrictions: form, lemma, upos, deprel, side, language

    [[transform]]
    name = "cop"
    reattach = "clause"                # options, as after --transform

    [[transform]]
    name = "classifier"                # a new transformation
    kind = "head-inversion"            # or "chain"
    labels = ["clf"]

Every mistake is one line ``FILE:LINE: what; the nearest name; what to do``. (`tomllib` tells no lines of
keys; :class:`_Lines` finds them in the text.)
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from learnability.errors import InputError
from learnability.schemes.scheme import Scheme
from learnability.transforms import TRANSFORMATIONS, JointTransformation, Rule
from learnability.transforms.plugins import installed_transformations
from learnability.transforms.restriction import SIDES, Restriction, restricted
from learnability.transforms.user_defined import KINDS
from learnability.treebanks.labels import UNIVERSAL, universal
from learnability.treebanks.sentence import Conventions

SUFFIX = ".toml"
"""A scheme whose name ends so is a file."""

TOP = ("name", "description", "language", "transform")
RESTRICTIONS = tuple(field.name for field in fields(Restriction))
DEFINITION = ("kind", "labels", "description")

UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"),
    *("PUNCT", "SCONJ", "SYM", "VERB", "X", "_"),
)
"""The UPOS tags of both versions of UD."""

_NO_NAME = "is no word of letters, digits, hyphens; choose another"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Table:
    """One ``[[transform]]`` table, checked.

    Attributes:
        name: the transformation, known or defined here.
        options: the chosen values of its options.
        restriction: which sites it is applied to.
        kind, labels, description: the definition of a new transformation; `kind` is empty for a known one.
    """

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    restriction: Restriction = field(default_factory=Restriction)
    kind: str = ""
    labels: tuple[str, ...] = ()
    description: str = ""

    def transformation(self, conventions: Conventions) -> Rule:
        """The transformation for a treebank with these conventions."""
        made: Rule
        if self.kind:
            made = KINDS[self.kind](self.name, self.labels, conventions, self.description, **self.options)
        else:
            made = _known()[self.name](conventions, **self.options)
        return restricted(made, self.restriction)

    def __str__(self) -> str:
        """As the transformation's `spec`: ``case:lemma=de|à``."""
        return self.transformation(Conventions()).spec


@dataclass(frozen=True, slots=True)
class FileScheme(Scheme):
    """A scheme read from a file."""

    tables: tuple[Table, ...] = ()

    def transformation(self, conventions: Conventions) -> JointTransformation:
        """See :class:`Scheme`."""
        return JointTransformation([table.transformation(conventions) for table in self.tables], self.name)


def read_scheme(path: str | os.PathLike[str]) -> FileScheme:
    """The scheme that a TOML file defines.

    Raises:
        InputError: it cannot be read, or something in it is wrong; the message tells file and line.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"{path}: not UTF-8 (byte {error.start + 1})"
        raise InputError(f"{where}; save the scheme file as UTF-8") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{path}: {reason}; give the path of a scheme file") from None
    return scheme_from_text(text, str(path))


def scheme_from_text(text: str, path: str) -> FileScheme:
    """The scheme that the content of a TOML file defines; `path` is for messages, and names the scheme.

    Raises:
        InputError: something in it is wrong; the message tells file and line.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_syntax_error(path, text, str(error))) from None
    return _Reader(path, text, content).scheme()


def _syntax_error(path: str, text: str, message: str) -> str:
    """tomllib's message with the place in front; at the end of the document, the last line."""
    found = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if found is None:
        return f"{path}: no TOML: {message}; see https://toml.io"
    what = message[: found.start()]
    line = found[1] or str(max(1, len(text.splitlines())))
    return f'{path}:{line}: no TOML: {what[:1].lower()}{what[1:]}; write KEY = "value" or [[transform]]'


def _known() -> dict[str, type[Rule]]:
    return {**TRANSFORMATIONS, **installed_transformations()}


class _Lines:
    """The line numbers of keys: of the top level (table None) and of the n-th ``[[transform]]``."""

    _HEADER = re.compile(r"\s*\[+\s*(?P<name>[^\[\]]+?)\s*\]+\s*(?:#.*)?$")
    _KEY = re.compile(r"""\s*["']?(?P<key>[^"'=#\[\]{}]+?)["']?\s*=""")
    _STRING = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*|[\[\]{}]')

    def __init__(self, text: str) -> None:
        self.text = text.splitlines()
        self.keys: dict[tuple[int | None, str], int] = {}
        self.headers: list[int] = []
        table: int | None = None
        depth, fence = 0, ""
        for number, line in enumerate(self.text, start=1):
            if not depth and not fence:
                header = self._HEADER.match(line)
                if header:
                    table = len(self.headers)
                    self.headers.append(number)
                    self.keys.setdefault((None, header["name"]), number)
                    continue
                key = self._KEY.match(line)
                if key:
                    self.keys.setdefault((table, key["key"].strip()), number)
            depth, fence = self._state(line, depth, fence)

    def _state(self, line: str, depth: int, fence: str) -> tuple[int, str]:
        """Depth of open brackets and the open multi-line quotes after `line`."""
        at = 0
        if fence:
            end = line.find(fence)
            if end < 0:
                return depth, fence
            at = end + 3
        for token in self._STRING.finditer(line, at):
            if token[0] in ('"""', "'''"):
                rest = line.find(token[0], token.end())
                return (depth, token[0]) if rest < 0 else self._state(line[rest + 3 :], depth, "")
            depth += (token[0] in "[{") - (token[0] in "]}")
        return depth, ""

    def of(self, table: int | None, key: str = "", value: object = None) -> int:
        """The line of a value of a key, else of the key, else of its table, else the first."""
        line = self.keys.get((table, key))
        if line is None and table is not None and table < len(self.headers):
            line = self.headers[table]
        if line is None:
            return self.keys.get((None, "transform"), 1)
        if isinstance(value, str):
            if value in self.text[line - 1].partition("=")[2]:
                return line
            others = {*self.keys.values(), *self.headers}
            for number in range(line + 1, len(self.text) + 1):
                if number in others:
                    break
                if value in self.text[number - 1]:
                    return number
        return line


def _nearest(wrong: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(wrong, names, n=1) or get_close_matches(wrong.lower(), names, n=1)
    close = close or get_close_matches(wrong.upper(), names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


class _Reader:
    """Checks the content of one file."""

    def __init__(self, path: str, text: str, content: dict[str, Any]) -> None:
        self.path, self.content, self.lines = path, content, _Lines(text)

    def fail(self, what: str, table: int | None, key: str = "", value: object = None) -> NoReturn:
        raise InputError(f"{self.path}:{self.lines.of(table, key, value)}: {what}")

    def scheme(self) -> FileScheme:
        for key in self.content:
            if key not in TOP:
                hint = _nearest(key, TOP)
                self.fail(
                    f"unknown key {key!r}; {hint} (what concerns one goes below [[transform]])", None, key
                )
        name = self.text(None, self.content, "name") or Path(self.path).name.removesuffix(SUFFIX)
        if not _NAME.fullmatch(name):
            self.fail(f"the name {name!r} {_NO_NAME}", None, "name")
        language = self.strings(None, self.content, "language")
        self.check_languages(None, language)
        tables = self.content.get("transform", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.fail("no list of transformations; write [[transform]] (two brackets)", None, "transform")
        if not tables:
            self.fail('no transformation; add [[transform]] and name = "case"', None, "transform")
        rules: list[Table] = []
        for number, table in enumerate(tables):
            rule = self.rule(number, table, language)
            if any(other.name == rule.name for other in rules):
                self.fail(f"{rule.name!r} is given twice; join the two tables, or drop one", number, "name")
            rules.append(rule)
        description = self.text(None, self.content, "description") or f"defined in {Path(self.path).name}"
        return FileScheme(name, tuple(map(str, rules)), description, tuple(rules))

    def rule(self, number: int, table: dict[str, Any], language: tuple[str, ...]) -> Table:
        """One ``[[transform]]`` table."""
        name = self.text(number, table, "name")
        if not name:
            self.fail(f"a transformation without name; add name = one of {', '.join(_known())}", number)
        if "kind" in table or "labels" in table:
            kind, labels = self.definition(number, table, name)
            options = KINDS[kind].options
            matcher: Rule = KINDS[kind](name, labels, Conventions())
        else:
            known = _known()
            if name not in known:
                hint = f"{_nearest(name, known)}; to define a new one, add kind and labels"
                self.fail(f"no transformation {name!r}; {hint}", number, "name")
            kind, labels, options = "", (), known[name].options
            matcher = known[name](Conventions())
        allowed = ("name", *options, *RESTRICTIONS, *(DEFINITION if kind else ()))
        for key in table:
            if key not in allowed:
                self.fail(f"{name}: unknown key {key!r}; {_nearest(key, allowed)}", number, key)
        return Table(
            name=name,
            options=self.options(number, table, name, options),
            restriction=self.restriction(number, table, matcher, language),
            kind=kind,
            labels=labels,
            description=self.text(number, table, "description") if kind else "",
        )

    def definition(self, number: int, table: dict[str, Any], name: str) -> tuple[str, tuple[str, ...]]:
        """Kind and labels of a new transformation."""
        if name in _known():
            self.fail(f"{name!r} exists; choose a new name, or drop kind and labels", number, "name")
        if not _NAME.fullmatch(name):
            self.fail(f"the name {name!r} {_NO_NAME}", number, "name")
        kind = self.text(number, table, "kind")
        if kind not in KINDS:
            what = f"no kind {kind!r}" if kind else "no kind"
            self.fail(f"{name}: {what}; {_nearest(kind, KINDS)}", number, "kind")
        labels = self.strings(number, table, "labels")
        if not labels:
            self.fail(
                f'{name}: no labels; add labels = ["clf"], the relations of its words', number, "labels"
            )
        self.check_relations(number, "labels", labels, name)
        return kind, labels

    def options(
        self, number: int, table: dict[str, Any], name: str, options: Mapping[str, tuple[str, ...]]
    ) -> dict[str, str]:
        """The chosen values of the transformation's options."""
        chosen = {}
        for key, values in options.items():
            if key in table:
                value = self.text(number, table, key)
                if value not in values:
                    self.fail(f"{name}: no {key} {value!r}; {_nearest(value, values)}", number, key, value)
                chosen[key] = value
        return chosen

    def restriction(
        self, number: int, table: dict[str, Any], of: Rule, language: tuple[str, ...]
    ) -> Restriction:
        """The restrictions of the table, with the scheme's language where it has none."""
        values = {key: self.strings(number, table, key) for key in RESTRICTIONS}
        for tag in values["upos"]:
            if tag not in UPOS:
                self.fail(f"{of.name}: no UPOS tag {tag!r}; {_nearest(tag, UPOS)}", number, "upos", tag)
        for side in values["side"]:
            if side not in SIDES:
                self.fail(f"{of.name}: no side {side!r}; {_nearest(side, SIDES)}", number, "side", side)
        self.check_relations(number, "deprel", values["deprel"], of.name)
        for deprel in values["deprel"]:
            # passive=guess takes plain auxiliaries, which no label tells
            if not of.is_site_label(deprel) and universal(deprel) != "aux":
                hint = f"choose among its own: {of.site_labels}"
                self.fail(f"{of.name} has no sites labelled {deprel!r}; {hint}", number, "deprel", deprel)
        self.check_languages(number, values["language"])
        values["language"] = values["language"] or language
        return Restriction(**values)

    def check_relations(self, table: int | None, key: str, names: Iterable[str], owner: str) -> None:
        for name in names:
            if universal(name) not in UNIVERSAL:
                hint = _nearest(universal(name), sorted(UNIVERSAL))
                self.fail(f"{owner}: no UD relation {name!r}; {hint}", table, key, name)

    def check_languages(self, table: int | None, names: Iterable[str]) -> None:
        for name in names:
            if not _LANGUAGE.fullmatch(name):
                hint = 'write the code of the file names, as "fr" in fr_gsd-ud-train.conllu'
                self.fail(f"no language code {name!r}; {hint}", table, "language", name)

    def text(self, number: int | None, table: dict[str, Any], key: str) -> str:
        """A string, empty where there is none."""
        value = table.get(key, "")
        if not isinstance(value, str):
            self.fail(f'{key} is {_kind(value)}; write {key} = "..."', number, key)
        return value

    def strings(self, number: int | None, table: dict[str, Any], key: str) -> tuple[str, ...]:
        """A string or a list of strings that is not empty, as a tuple; () where there is none."""
        value = table.get(key)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            self.fail(f'{key} is {_kind(value)}; write {key} = ["...", "..."]', number, key)
        if not values or not all(values):
            self.fail(f"{key} is empty and would admit nothing; name one, or drop the key", number, key)
        return tuple(dict.fromkeys(values))


def _kind(value: object) -> str:
    """What TOML calls the value."""
    names = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "a table"}
    if isinstance(value, list) and any(not isinstance(one, str) for one in value):
        return "a list of other things than strings"
    return names.get(type(value), "a date")

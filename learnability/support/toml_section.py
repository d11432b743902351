"""Read TOML files that users write; turn every mistake into one line ``FILE:LINE: problem; what to do``."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

from learnability.errors import InputError, meant, reason_of
from learnability.support.options import shorten_value

SUFFIX = ".toml"
"""The end of the name of a scheme or parser that is a file."""


def read_text(path: str | os.PathLike[str], kind: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start + 1}); save the {kind} as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({reason_of(error)}); use the path of a {kind}") from None


@dataclass(frozen=True, slots=True)
class TomlSection:
    """Hold the top level of a file (`number` is None), or the `number`-th table ``[[transform]]``, from 0."""

    path: str
    source: str
    number: int | None
    values: Mapping[str, Any]
    table: str = ""

    @classmethod
    def top(cls, path: str, text: str, table: str = "") -> Self:
        """Return the top level of a file with this content; InputError if the text is not TOML."""
        try:
            return cls(path, text, None, tomllib.loads(text), table)
        except (ValueError, RecursionError) as error:  # Python's errors: very long numbers, deep brackets
            raise InputError(_syntax_error(path, text, str(error), table)) from None

    def fail(self, problem: str, key: str = "", value: str | None = None) -> NoReturn:
        raise InputError(f"{self.path}:{_line_of(self, key, value)}: {problem}")

    def text(self, key: str) -> str:
        """Return a string; empty if the key is missing."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            self.fail(f'{key} is {_kind(value)}; write {key} = "..."', key)
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """Return a string or a non-empty list of strings as a tuple; () if the key is missing."""
        value = self.values.get(key)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
            self.fail(f'{key} is {_kind(value)}; write {key} = ["...", "..."]', key)
        if not values or not all(values):
            self.fail(f"{key} is empty and would match nothing; add a value, or remove the key", key)
        return tuple(dict.fromkeys(values))

    def words(self, key: str) -> tuple[str, ...]:
        """Return a list of strings as a tuple; () if the key is missing."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(f'{key} is {_kind(value)}; write {key} = ["...", "..."]', key)
        return tuple(value)

    def truth(self, key: str, default: bool) -> bool:
        """Return a boolean."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.fail(f"{key} is {_kind(value)}; write {key} = true or {key} = false", key)
        return value

    def number_above(self, key: str, least: float, default: float, most: float) -> float:
        """Return a number above `least`, and up to `most`."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(f"{key} is {_kind(value)}; write {key} = {default:g}", key)
        if not least < value <= most:
            self.fail(f"{key} is {shorten_value(value)}; use a number above {least:g}, up to {most:,g}", key)
        return value

    def check(self, no: str, key: str, values: Iterable[str], known: Iterable[str]) -> None:
        """Raise an InputError about the first value that is not `known`: `no`, it, and the nearest."""
        for value in values:
            if value not in known:
                self.fail(f"{no} {value!r}; {meant(value, known)}", key, value)

    def name(self, name: str) -> str:
        """Return `name` after checking that it is valid."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
            self.fail(f"the name {name!r} is invalid; use only letters, digits, hyphens", "name")
        return name


def _syntax_error(path: str, text: str, message: str, table: str) -> str:
    place = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if place is None:  # the error is Python's, not tomllib's
        lengths = list(map(len, text.splitlines()))
        line = str(1 + lengths.index(max(lengths)))
        return f"{path}:{line}: this is not TOML: it has too many digits or nested brackets; shorten the line"
    problem = message[: place.start()]
    line = place[1] or str(max(1, len(text.splitlines())))
    advice = 'write KEY = "value"' + f" or [[{table}]]" * bool(table)
    return f"{path}:{line}: this is not TOML: {problem[:1].lower()}{problem[1:]}; {advice}"


def _kind(value: object) -> str:
    if isinstance(value, list) and any(not isinstance(item, str) for item in value):
        return "a list that does not consist of strings"
    names = {
        str: "a string",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), "a date")


def _line_of(section: TomlSection, key: str, value: str | None) -> int:
    """Return the line of a value of a key, or else of the key, or else of its table, or else the first line,
    as far as the text shows them: `tomllib` gives no line numbers."""
    lines = section.source.splitlines()
    of_table = re.compile(rf"\s*\[\[\s*{re.escape(section.table)}\s*\]\]")
    tables = [number for number, line in enumerate(lines) if of_table.match(line)]
    begin, end = 0, len(lines)
    if section.number is not None:
        begin, end = [*tables, end, end][section.number : section.number + 2]
    elif not key and tables:
        begin = tables[0]
    of_key = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
    found = (number for number in range(begin, end) if key and of_key.match(lines[number]))
    first = next(found, begin)
    for number in range(first, end):
        # the name of the key may contain the value: on its line, look only behind the equals sign
        if value and value in (lines[number].partition("=")[2] if number == first else lines[number]):
            return number + 1
    return first + 1

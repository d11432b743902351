"""Reading TOML files of users, with every mistake as one line ``FILE:LINE: what; what to do``."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

from learnability.errors import InputError, meant, reason_of

SUFFIX = ".toml"
"""A scheme or judge whose name ends so is a file."""

MOST = 100_000
"""Characters of a file: to find the line of a mistake takes the square of its length."""


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """The text of a file, which messages call a `what`."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start + 1}); save the {what} as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: {reason_of(error)}; give the path of a {what}") from None


@dataclass(frozen=True, slots=True)
class TomlSection:
    """The top level of a file (`number` None), or its `table` ``[[transform]]`` of this number from 0."""

    path: str
    source: str
    number: int | None
    values: Mapping[str, Any]
    table: str = ""

    @classmethod
    def top(cls, path: str, text: str, what: str, table: str = "") -> Self:
        """The top level of a file with this content, a `what` with the `table`; `path` is for messages."""
        if len(text) > MOST:
            raise InputError(f"{path}: is longer than any {what} ({MOST:,} characters); give another file")
        try:
            return cls(path, text, None, tomllib.loads(text), table)
        except (ValueError, RecursionError) as error:  # of Python: digits by the thousand, nested brackets
            raise InputError(_syntax_error(path, text, str(error), table)) from None

    def fail(self, what: str, key: str = "", value: str | None = None) -> NoReturn:
        """Raise what is wrong with the key, or with a value of it."""
        raise InputError(f"{self.path}:{_line_of(self, key, value)}: {what}")

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

    def words(self, key: str) -> tuple[str, ...]:
        """A list of strings, as a tuple; () where there is none."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(f'{key} is {_kind(value)}; write {key} = ["...", "..."]', key)
        return tuple(value)

    def truth(self, key: str, default: bool) -> bool:
        """A boolean."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.fail(f"{key} is {_kind(value)}; write {key} = true or {key} = false", key)
        return value

    def number_above(self, key: str, least: float, default: float) -> float:
        """A finite number above `least`."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(f"{key} is {_kind(value)}; write {key} = {default:g}", key)
        if not least < value < float("inf"):
            self.fail(f"{key} is {value}; give a number above {least:g}", key)
        return value

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


def _syntax_error(path: str, text: str, message: str, table: str) -> str:
    """tomllib's message with the place in front; at the end of the document, the last line."""
    place = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if place is None:  # not of tomllib, but of Python
        lengths = list(map(len, text.splitlines()))
        line = str(1 + lengths.index(max(lengths)))
        return f"{path}:{line}: no TOML: too many digits, or brackets in brackets; shorten the line"
    what = message[: place.start()]
    line = place[1] or str(max(1, len(text.splitlines())))
    advice = 'write KEY = "value"' + f" or [[{table}]]" * bool(table)
    return f"{path}:{line}: no TOML: {what[:1].lower()}{what[1:]}; {advice}"


def _kind(value: object) -> str:
    """What TOML calls the value."""
    if isinstance(value, list) and any(not isinstance(item, str) for item in value):
        return "a list of other things than strings"
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
    """The line of a value of a key, else of the key, else of its table, else the first.

    `tomllib` gives no lines; but a statement ends with the first line up to which the text is TOML again.
    """
    spans: dict[tuple[int | None, str], tuple[int, int]] = {}  # by table (None: the top level) and key
    lines, begin = section.source.splitlines(), 1
    for end in range(1, len(lines) + 1):
        try:
            content = tomllib.loads("\n".join(lines[:end]))
        except (ValueError, RecursionError):
            continue
        for name in content:
            spans.setdefault((None, name), (begin, end))
        tables = given if isinstance(given := content.get(section.table), list) else []
        for number, values in enumerate(tables):
            for name in ("", *values) if isinstance(values, dict) else ():
                spans.setdefault((number, name), (begin, end))
        begin = end + 1
    places = ((section.number, key), (section.number, ""), (None, section.table))
    first, last = next((spans[place] for place in places if place in spans), (1, 1))
    written = [lines[first - 1].partition("=")[2], *lines[first:last]] if lines else []
    return next((n for n, line in enumerate(written, start=first) if value and value in line), first)

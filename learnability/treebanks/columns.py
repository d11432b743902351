"""Read lines of CoNLL-U Plus as lines of CoNLL-U, and put changes back into the columns of the file.

A file of CoNLL-U Plus (.conllup, .cupt) names its columns in its first line: ``# global.columns = ID FORM``.
It may have other columns, too, and lack some of CoNLL-U (https://universaldependencies.org/ext-format.html).
"""

from __future__ import annotations

import io
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass

from learnability.errors import InputError
from learnability.support.nouns import count_noun

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The columns of CoNLL-U."""

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

NEEDED = (ID, FORM, HEAD, DEPREL)
"""The columns without which there are no words, or no place for trees."""

_HEADER = re.compile(r"#\s*global\.columns\s*=(.*)")


def named_columns(comment: str) -> tuple[str, ...]:
    """Return the columns that a comment names; empty if it names none."""
    match = _HEADER.match(comment) if "global.columns" in comment else None
    return tuple(match[1].split()) if match else ()


def header_of(lines: Iterable[str]) -> tuple[int, tuple[str, ...]]:
    """Return the columns that a file names before its first word, else those of CoNLL-U; and the line (from
    1)."""
    for number, line in enumerate(lines, start=1):
        if names := named_columns(line):
            return number, names
        if not line.startswith("#") and not line.isspace() and line:
            break
    return 1, COLUMNS


@dataclass(frozen=True, slots=True)
class FileColumns:
    """Hold the names of the columns of a file, in order."""

    names: tuple[str, ...] = COLUMNS

    @property
    def are_standard(self) -> bool:
        return self.names == COLUMNS

    def problem(self, *, parsed: bool) -> str:
        """Return what is wrong with the names, and what to do; empty if nothing is."""
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            return f"`# global.columns` names {twice} twice; name each column once"
        if missing := [COLUMNS[column] for column in NEEDED if COLUMNS[column] not in self.names]:
            advice = "use a file with trees" if parsed else "add this, with _ in each line"
            return f"`# global.columns` names no {' and no '.join(missing)}; {advice}"
        if self.names[ID] != COLUMNS[ID]:
            return f"`# global.columns` begins with {self.names[0]}; put ID first"
        return ""

    def standard(self, line: str) -> str:
        """Return a line of this file, not a comment, with the columns of CoNLL-U; missing ones are ``_``."""
        cells = dict(zip(self.names, line.split("\t"), strict=True))
        return "\t".join(cells.get(name, "_") for name in COLUMNS)

    def write_changed(self, line: str, standard: str) -> str:
        """Return a line of this file, of which `standard` is the changed form with the columns of CoNLL-U.

        KeyError if the file lacks a column that has changed; its argument is the name.
        """
        cells = dict(zip(self.names, line.split("\t"), strict=True))
        before = self.standard(line).split("\t")
        for name, old, new in zip(COLUMNS, before, standard.split("\t"), strict=True):
            if old == new:
                continue
            if name not in cells:
                raise KeyError(name)
            cells[name] = new
        return "\t".join(cells.values())

    def wrong_number(self, cells: list[str]) -> str:
        """Return what to say of a line with another number of columns."""
        found = f"the line has {count_noun(len(cells), 'column')}"
        if not self.are_standard:
            return f"{found}, but `# global.columns` names {len(self.names)}; correct one of them"
        if len(cells) >= 14 and cells[8].isdigit():
            return (
                f"{found}, as in CoNLL-2009, but CoNLL-U has 10; write columns 1, 2, 3, 5, _, 7, 9, 11, _ "
                "and _ of each line"
            )
        if len(cells) > 10:
            return (
                f"{found} instead of 10; name them in the first line (# global.columns = ID FORM ...), or "
                "keep the first ten"
            )
        return f"{found} instead of 10; separate the columns by single tabs"


def read_columns(lines: Iterable[bytes]) -> FileColumns:
    """Return the columns of a file, of which only the first lines are read."""
    _, names = header_of(line.removeprefix(BOM_UTF8).decode(errors="replace") for line in lines)
    return FileColumns(names)


def missing_column(file: str | os.PathLike[str], column: str) -> InputError:
    """Return the error that a file lacks a column in which something has to be written."""
    problem = f"`# global.columns` names no {column}, which has to be written"
    return InputError(f"{os.fspath(file)}: {problem}; add this column, with _ in each line")


def words_with_dependencies(data: bytes) -> int:
    """Return the number of words with enhanced dependencies in the bytes of a file."""
    names = read_columns(io.BytesIO(data)).names
    if COLUMNS[DEPS] not in names:
        return 0
    between = names.index(COLUMNS[DEPS]) - 1
    return len(re.findall(rb"^[0-9]+\t(?:[^\t\n]*\t){%d}(?!_(?:\t|\r?$))" % between, data, re.MULTILINE))

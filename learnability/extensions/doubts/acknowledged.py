"""Doubts that a maintainer has looked at: they stay quiet until the sentence changes.

A file of acknowledged doubts has lines of doubts.txt, copied as they are, and lines ``pattern: P`` with a
pattern of doubts.csv, which silence all its words. Blank lines and lines that begin with ``#`` do not count.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from learnability.errors import InputError, explain_errors
from learnability.treebanks.sentence import Tree

PATTERN = "pattern:"

_LINE = re.compile(r"\[File .*? Line \d+ Sent (.+) Node (\d+)\]: \[L3 Doubt annotation\] .* #([0-9a-f]{8})")


def fingerprint(tree: Tree) -> str:
    """Return eight hexadecimal digits that change with the words, tags, heads or relations of a sentence."""
    columns = (tree.forms, tree.upos, tuple(map(str, tree.heads)), tree.deprels)
    text = "\n".join("\t".join(column) for column in columns)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Acknowledged:
    """Hold the acknowledged doubts: sentence, word and fingerprint of each, and whole patterns."""

    words: frozenset[tuple[str, int, str]] = frozenset()
    patterns: frozenset[str] = frozenset()


def acknowledged_typed(path: str) -> tuple[str, ...]:
    """Return the lines of a file of acknowledged doubts that count.

    Raises:
        InputError: it cannot be read, or a line is of another form.
    """
    with explain_errors(f"{path} cannot be read", "give a text file"):
        data = Path(path).read_bytes()
    try:
        lines = data.decode("utf-8-sig").split("\n")  # ids and forms may hold other ends of lines
    except UnicodeDecodeError as error:
        place = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{place}: the line is not UTF-8; convert the file to UTF-8") from None
    kept = []
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        if not (line.startswith(PATTERN) or _LINE.fullmatch(line)):
            raise InputError(
                f"{path}:{number}: {line[:60]!r} is no doubt; copy lines of doubts.txt, or write "
                f"{PATTERN} and a pattern of doubts.csv"
            )
        kept.append(line)
    return tuple(kept)


def read_acknowledged(lines: tuple[str, ...]) -> Acknowledged:
    """Return what the lines of :func:`acknowledged_typed` acknowledge."""
    words, patterns = set(), set()
    for line in lines:
        if line.startswith(PATTERN):
            patterns.add(line.removeprefix(PATTERN).strip())
        elif match := _LINE.fullmatch(line):
            words.add((match[1], int(match[2]), match[3]))
    return Acknowledged(frozenset(words), frozenset(patterns))

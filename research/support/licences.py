"""Find the licence of a treebank, if its README or its licence file names a Creative Commons licence.

UD treebanks say in the machine-readable part of their README which licence they have, or bring its text. A
licence counts only if the file names a single Creative Commons licence and no other licence.
"""

from __future__ import annotations

import re
from pathlib import Path

LONGEST = 100_000
"""Bytes of a file that are read: its licence stands at the beginning."""

_TERMS = r"(?P<terms>by(?:-nc)?(?:-sa|-nd)?)"
_VERSION = r"(?P<version>[1-4]\.\d)"

_NAMED = (
    re.compile(rf"creativecommons\.org/licenses/{_TERMS}/{_VERSION}"),
    re.compile(rf"\b(?:cc|creative ?commons)[ -]{_TERMS}[ -]v?{_VERSION}"),
)
"""How a licence is named, the surest way first, after long names have become short."""

_ZERO = re.compile(r"creativecommons\.org/publicdomain/zero/1\.0|\bcc[ -]?0\b")
_OTHER = re.compile(r"\bl?gpl|general public license")

_SHORT = (
    (re.compile(r"attribution"), "by"),
    (re.compile(r"(?<=by)[ -]+non-?commercial"), "-nc"),
    (re.compile(r"(?<=by|nc)[ -]+share-?alike"), "-sa"),
    (re.compile(r"(?<=by|nc)[ -]+no-?deriv(?:ative|ate)?(?:s|works)?"), "-nd"),
    (re.compile(r"creative ?commons(?: public)? licen[sc]e,? +(?=by\b)"), "cc "),
)
"""Parts of long names, and what stands for them: `Attribution-ShareAlike` is `by-sa`."""


def licence_of(folder: Path | None) -> str:
    """Return the Creative Commons licence of the treebank in a folder: ``CC BY-SA 4.0``.

    It is empty where the files name none, or several, or another one.
    """
    if folder is None:
        return ""
    for pattern in ("README*", "LICEN[SC]E*"):
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and (found := licence_in(_text(path), only_line=pattern == "README*")):
                return found
    return ""


def licence_in(text: str, *, only_line: bool = False) -> str:
    """Return the one Creative Commons licence that a text names; empty if it names none, several, or others.

    `only_line`: only the line ``License: …`` counts, as in the machine-readable part of a README.
    """
    if only_line:
        text = "\n".join(re.findall(r"^licen[sc]e:.*$", text, flags=re.IGNORECASE | re.MULTILINE))
    plain = re.sub(r"\s+", " ", text.lower().replace("-\n", "-"))
    if _OTHER.search(plain):
        return ""
    for long, short in _SHORT:
        plain = long.sub(short, plain)
    by_way = ({(m["terms"], m["version"]) for m in named.finditer(plain)} for named in _NAMED)
    found = next(filter(None, by_way), set())
    if not found and _ZERO.search(plain):  # the text of the other licences names it, too
        return "CC0 1.0"
    if len(found) != 1:
        return ""
    ((terms, version),) = found
    return f"CC {terms.upper()} {version}"


def _text(path: Path) -> str:
    try:
        return path.read_bytes()[:LONGEST].decode("utf-8", errors="replace")
    except OSError:
        return ""

"""Shorten paths for pages, and name what they link, the same wherever a run was."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePath


def without_folders(text: str) -> str:
    """Return the last name of an absolute path, or of several joined as in UDBASE; any other text as it
    is."""
    paths = text.split(os.pathsep) if text.startswith(os.sep) else [text]
    return os.pathsep.join(PurePath(path).name if PurePath(path).is_absolute() else path for path in paths)


def command_without_folders(command: str) -> str:
    return shlex.join(map(without_folders, shlex.split(command)))


def names_apart(paths: Collection[str]) -> list[str]:
    """Paths as :func:`without_folders` gives them, with as many folders as it takes to tell them apart."""
    named, depth = list(map(without_folders, paths)), 1
    while len(set(named)) < len(paths):
        depth += 1
        parts = ((path, PurePath(path)) for path in paths)
        named = [str(PurePath(*p.parts[-depth:])) if p.is_absolute() else path for path, p in parts]
    return named


LONGEST = 80
"""Characters of a file's name, before its ending."""


def link_names(names: Iterable[str]) -> dict[str, str]:
    """Return for each name one that may stand in files, addresses and fragments, all different.

    ``UD_Irish@1.3`` becomes ``UD_Irish-1.3``. A name that cannot be told from its short form has a digest at
    its end, so its link does not depend on which other names there are.
    """
    short = {name: _link_name(name) for name in names}
    folded = Counter(link.casefold() for link in short.values())
    return {
        name: link if folded[link.casefold()] == 1 else f"{link}-{_digest_of(name)}"
        for name, link in short.items()
    }


def _link_name(name: str) -> str:
    link = re.sub(r"[^\w.-]+", "-", name.replace("@", "-")).strip("-.")[:LONGEST]
    plain = re.fullmatch(r"[\w.-]+(@[\w.-]+)?|[\w.-]+:[\w.-]+=[\w.-]+", name)
    return link if plain and link and len(name) <= LONGEST else f"{link}-{_digest_of(name)}".strip("-")


def _digest_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]

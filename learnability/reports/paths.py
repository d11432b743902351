"""Shorten paths for pages, so that they are the same wherever a run was."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from pathlib import PurePath


def without_folders(text: str) -> str:
    """Return a path, or several joined as in UDBASE, so that pages do not depend on where folders are.

    Returns:
        The last name of an absolute path, of each; any other text as it is.
    """
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

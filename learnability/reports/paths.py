"""Shorten paths for pages, so that they are the same wherever a run was."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath


def without_folders(text: str) -> str:
    """Return the last name of an absolute path, so that pages do not depend on folders; else the text."""
    return PurePath(text).name if PurePath(text).is_absolute() else text


def names_apart(paths: Collection[str]) -> list[str]:
    """Paths as :func:`without_folders` gives them, with as many folders as it takes to tell them apart."""
    named, depth = list(map(without_folders, paths)), 1
    while len(set(named)) < len(paths):
        depth += 1
        parts = ((path, PurePath(path)) for path in paths)
        named = [str(PurePath(*p.parts[-depth:])) if p.is_absolute() else path for path, p in parts]
    return named

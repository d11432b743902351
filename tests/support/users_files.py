"""Files of a run that a user has worked on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from invoking import Call


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check(call: Call, path: Path, words: Sequence[object], work: bytes = b"decision\nyes\n") -> None:
    folder, before = path.parent, path.read_bytes()
    path.write_bytes(before + work)
    changed = everything(folder)
    refused = call(*words)
    assert refused.code == 2, refused.text
    assert (refused.output, refused.errors.count("\n")) == (b"", 1)
    assert f"{path} has changed since we wrote it; rename it" in refused.errors
    assert everything(folder) == changed
    mine = path.rename(folder / f"mine-{path.name}")
    assert call(*words).code == 0
    assert (mine.read_bytes(), path.exists()) == (before + work, True)
    mine.unlink()

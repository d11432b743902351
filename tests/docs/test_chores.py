"""The page of chores names every data file that the program ships."""

from __future__ import annotations

import re
from pathlib import Path

from explained import DOCS

PACKAGE = DOCS.parent / "learnability"
NO_DATA = {".py", ".pyi", ".pyc", ".nbi", ".nbc", ".jinja", ".css", ".js", ".typed"}
"""What the endings of code and templates are."""


def named_on_the_page() -> set[str]:
    page = (DOCS / "chores.md").read_text(encoding="utf-8")
    table = page.partition("## Data files")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)[1:]  # below the head
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def data_files() -> set[Path]:
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PACKAGE) for path in files if path.suffix not in NO_DATA}


def is_named(path: Path, names: set[str]) -> bool:
    return str(path) in names or f"{path.parent}/" in names


def test_every_data_file_is_named() -> None:
    names = named_on_the_page()
    assert [str(path) for path in sorted(data_files()) if not is_named(path, names)] == []


def test_every_name_is_a_file_or_a_folder() -> None:
    names = named_on_the_page()
    assert names
    assert [name for name in sorted(names) if not (PACKAGE / name).exists()] == []


def test_the_page_is_short() -> None:
    words = re.findall(r"\w[\w.'’/-]*", (DOCS / "chores.md").read_text(encoding="utf-8"))
    assert len(words) <= 900

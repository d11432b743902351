"""What the pages of the manual explain: names in code, and the pages of extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import command_reference
import hooks

from learnability.support.plugins import extensions

DOCS = Path(__file__).resolve().parents[2] / "docs"
NUMBERS = hooks.with_reference("numbers.md", (DOCS / "numbers.md").read_text(encoding="utf-8"))
"""The page as the site has it."""


def names_in_code(text: str) -> set[str]:
    return {name for code in re.findall(r"`([^`\n]+)`", text) for name in re.split(r"\W+", code)}


def in_first_cells(text: str) -> set[str]:
    rows = re.findall(r"^\|([^|]+)\|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


def parts_of_report(page: str) -> list[str]:
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>|<summary><h3>(.*?)</h3>", page, re.DOTALL)
    return [unescape(part.strip()) for pair in headings for part in pair if part]


def extension_page(name: str) -> str:
    (extension,) = (each for each in extensions() if each.name == name)
    path = command_reference.extension_path(extension)
    text = path.read_text(encoding="utf-8")
    assert text == command_reference.page_of(extension), (
        f"{path} is out of date: python docs/scripts/command_reference.py"
    )
    for command in command_reference.commands_of(extension):
        assert f"\n## {command}\n" in text, command
    return text


def brought_by_missing() -> set[str]:
    installed = {extension.name for extension in extensions()}
    names: set[str] = set()
    for path in (DOCS / "extensions").glob("*.md"):
        if path.stem not in installed:
            made = path.read_text(encoding="utf-8").partition(command_reference.MADE)[2]
            names |= set(re.findall(r"^## ([a-z]+)$", made, re.MULTILINE))
            names |= set(re.findall(r"^\| `(--[\w-]+)`", made, re.MULTILINE))
    return names

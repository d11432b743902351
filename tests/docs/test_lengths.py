"""Pages stay short: words of the manual, and the cells of its tables."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {str(path.relative_to(DOCS)): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}

TUTORIAL_AND_HOWTO = ("index.md", "tutorial.md", "howto/", "extensions/", "transformations/", "labels/")
NOT_COUNTED = ("extending.md",)
"""What is for developers."""


def words(text: str) -> int:
    """Return the number of words that a reader sees; the bars and dashes of tables are none."""
    return len(re.findall(r"\S*\w\S*", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)))


def cells(text: str) -> list[str]:
    rows = re.findall(r"^ *\|(.*)\|$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.MULTILINE)
    return [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]


def test_the_manual_is_short() -> None:
    counted = {name: words(text) for name, text in PAGES.items() if not name.startswith(NOT_COUNTED)}
    assert len(counted) > 30
    explained = {name: n for name, n in counted.items() if not name.startswith(TUTORIAL_AND_HOWTO)}
    assert sum(counted.values()) <= 27_000, counted
    assert sum(explained.values()) <= 10_200, explained


def test_no_cell_of_a_table_is_long() -> None:
    assert [(page, cell) for page, text in PAGES.items() for cell in cells(text) if len(cell) > 300] == []


def test_cells_and_words_are_counted() -> None:
    text = "Two words.\n\n| a \\| b | c |\n|---|---|\n```text\n| not a cell |\n```\n"
    assert cells(text) == ["a \\| b", "c", "---", "---"]
    assert words("Two words – <!-- not\nread --> | three. |---|\n") == 3

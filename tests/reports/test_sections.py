"""Sections on the terminal."""

from __future__ import annotations

from collections import Counter

import pytest
from rich.text import Text

from learnability.reports.section import Section, print_section
from learnability.reports.text import Table


def test_a_section_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("A [title]", ("name", "value"), (("a[b]", "1"),), "A note.")
    print_section(Section("Heading", ("One [bold]sentence[/bold].",), (table,)))
    printed = capsys.readouterr().out
    for text in ("Heading", "- One [bold]sentence[/bold].", "A [title]", "a[b]", "A note."):
        assert text in printed


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_wide_table_folds_its_cells_and_loses_nothing(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {
        "COLUMNS": str(columns),
        "FORCE_COLOR": "1",
        "TERM": "xterm",
        "NO_COLOR": "1",
    }.items():
        monkeypatch.setenv(name, value)
    headings = ("scheme", *(f"of column {number}" for number in range(8)))
    row = ("case+cop+mark", *(f"{number}23 / 456" for number in range(8)))
    print_section(
        Section("Heading", ("A sentence of many words. " * 5,), (Table("Title", headings, (row,)),))
    )
    shown = Text.from_ansi(capsys.readouterr().out).plain
    assert max(map(len, shown.splitlines())) <= columns
    printed = Counter("".join(shown.partition("Title")[2].split()))
    del printed["\N{BOX DRAWINGS LIGHT HORIZONTAL}"]
    named = headings if columns >= 120 else headings[1:]  # else each value is behind its heading
    assert printed == Counter("".join((*named, *row)).replace(" ", ""))
    assert "…" not in shown

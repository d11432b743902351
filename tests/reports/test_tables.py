"""The table of a run on terminals of different width."""

from __future__ import annotations

from typing import Any

import pytest
from result_rows import empty_row
from rich.text import Text

from learnability.reports.results import print_rows

ROW = empty_row() | {
    "treebank": "UD_X",
    "transform": "case",
    "variant": "",
    "sites": 4122,
    "uas_original": 79.53,
    "uas_transformed": 79.32,
    "uas_delta": 0.21,
    "uas_delta_low": -0.87,
    "uas_delta_high": 1.26,
    "better": "none",
    "multiref_original_share": 0.94,
    "multiref_transformed_share": 0.02,
    "pick_multiref": "original",
    "pick_predictability": "transformed",
    "pick_perplexity": "transformed",
    "pick_complexity": "original",
}


LABELLED = ROW | {"las_original": 69.17, "las_transformed": 68.88}
AGAINST = LABELLED | {"against": "verb-groups", "better": "original", "sites": 14122}


def on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize("columns", [80, 100, 120, 140, 150, 160, 180])
@pytest.mark.parametrize(
    ("row", "one_table_from"), [(ROW, 140), (LABELLED, 160), (AGAINST, 190)], ids=["plain", "las", "against"]
)
def test_nothing_is_cut_off_on_a_terminal(
    row: dict[str, Any],
    one_table_from: int,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    on_terminal(monkeypatch, columns)
    print_rows([row])
    shown = Text.from_ansi(capsys.readouterr().out).plain
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= columns
    cells = ["case", str(row["sites"]), "79.53", "79.32", "+0.21 [-0.87, +1.26]", "94% / 2%"]
    headings = ["transform", "sites", "difference", "better", "multiref", "predict.", "perplex.", "complex."]
    las = ["69.17", "68.88", "LAS"] if "las_original" in row else []
    assert all(text in shown for text in (*cells, *headings, *las, row.get("against", "UD")))
    tables = sum("transform" in line.split() for line in shown.replace("┃", " ").splitlines())
    assert (tables == 1) == (columns >= one_table_from)


def test_a_long_name_goes_on_in_the_next_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_terminal(monkeypatch, 80)
    print_rows([LABELLED | {"transform": "cop", "variant": "reattach=clause,passive=guess"}])
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert "+0.21 [-0.87, +1.26]" in shown


def test_without_a_terminal_there_is_one_wide_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([ROW])
    shown = capsys.readouterr().out
    assert "What each criterion picks" not in shown
    assert any("case" in line and "94% / 2%" in line and "alt" in line for line in shown.splitlines())

"""The table of a run on terminals of different width."""

from __future__ import annotations

from typing import Any

import pytest

from learnability.experiments.results import COLUMNS
from learnability.reports.tables import print_rows

ROW: dict[str, Any] = dict.fromkeys(COLUMNS) | {
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


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_nothing_is_cut_off_on_a_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    print_rows([ROW])
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert all(
        text in shown for text in ("case", "4122", "79.53", "79.32", "+0.21 [-0.87, +1.26]", "94%", "2%")
    )
    assert ("What each criterion picks" in shown) == (columns < 140)


def test_without_a_terminal_there_is_one_wide_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([ROW])
    shown = capsys.readouterr().out
    assert "What each criterion picks" not in shown
    assert any("case" in line and "94% / 2%" in line and "alt" in line for line in shown.splitlines())

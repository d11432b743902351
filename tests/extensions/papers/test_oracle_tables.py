"""The tables of `learnability oracles`: marks, averages, and tables that fit a terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from learnability.extensions.papers.oracles.rows import (
    SCORES,
    Average,
    AverageScore,
    RegimeRow,
    TreebankScore,
)
from learnability.extensions.papers.oracles.tables import (
    difference_table,
    grid_section,
    grid_table,
    oracles_section,
    score_table,
)
from learnability.extensions.papers.oracles.trainings import Regime
from learnability.reports.section import print_section
from learnability.reports.text import Table, TableCell, draw_table, print_table


def regime(oracle: str) -> Regime:
    return Regime("arc-eager", oracle, *((1, 0.9) if oracle == "explore" else ()))


def row(treebank: str, oracle: str, **uas: Any) -> RegimeRow:
    name, _, release = treebank.partition("@")
    return RegimeRow(
        treebank=name, release=release, regime=regime(oracle), seeds=3, iterations=15, train_sentences=40,
        train_tokens=400, nonprojective_train=2, test_sentences=10, test_tokens=100, test_words=90,
        scores={score: TreebankScore() for score in SCORES} | {"uas": TreebankScore(**uas)},
    )  # fmt: skip


def average(oracle: str, treebanks: int, **uas: Any) -> Average:
    scores = {score: AverageScore() for score in SCORES}
    return Average(regime(oracle), treebanks, {**scores, "uas": AverageScore(**uas)})


def text(table: Table, width: int = 500) -> list[list[str]]:
    out = io.StringIO()
    print_table(table, Console(file=out, width=width), "bold")
    return [line.split() for line in out.getvalue().splitlines() if line.strip()]


ROWS = [
    row("UD_A-X@1.3", "static", mean=70.0),
    row("UD_A-X@1.3", "explore", mean=71.234, p_value=0.049, p_holm=0.05),
    row("UD_B@2.16", "static", mean=80.0),
    row("UD_B@2.16", "explore", mean=81.0, p_value=0.001, p_holm=0.002),
]
AVERAGES = [average("static", 2, mean=75.0), average("explore", 2, mean=76.117)]


def test_marks_say_what_is_significant() -> None:
    lines = text(score_table(ROWS, AVERAGES, "uas"))
    assert ["arc-eager:", "static", "70.00", "80.00", "75.00"] in lines
    assert ["arc-eager:", "explore", "71.23*", "81.00**", "76.12"] in lines
    rows = [*ROWS[:3], row("UD_B@2.16", "explore", mean=81.0, p_value=0.05, p_holm=0.05)]
    lines = text(score_table(rows, AVERAGES, "uas"))
    assert ["arc-eager:", "explore", "71.23*", "81.00", "76.12"] in lines


def test_headings_are_languages_and_releases() -> None:
    lines = text(score_table(ROWS, AVERAGES, "uas"))
    headings = [word for line in lines[:5] for word in line]
    assert [w for w in headings if w in ("A", "X", "1.3", "B", "2.16", "average")] == [
        "A", "X", "B", "1.3", "2.16", "average",
    ]  # fmt: skip


def test_a_narrow_terminal_breaks_names_before_scores() -> None:
    lines = text(score_table(ROWS, AVERAGES, "uas"), 44)
    assert lines[-2:] == [["arc-eager:", "71.23*", "81.00**", "76.12"], ["explore"]]


def test_differences_show_whose_interval_is_given() -> None:
    counted = {"better": 2, "worse": 0, "significantly_better": 1, "significantly_worse": 0}
    tested = {"delta": 0.5, "delta_low": -0.1, "delta_high": 1.0, "p_value": 0.25}
    over = average("explore", 2, sd=0.2, **tested, **counted)
    lines = text(difference_table([], [average("static", 2), over]))
    assert lines[-2][-10:] == ["+0.50", "-0.10", "to", "+1.00", "0.2500", "2", "(1)", "0", "(0)", "0.20"]
    assert len(lines) == 5


def test_the_grid_marks_its_highest_value() -> None:
    rows = [
        replace(row("UD_X", "explore", mean=70 + k - p), regime=Regime("arc-eager", "explore", k, p))
        for k in (0, 1)
        for p in (0.0, 0.9)
    ]
    table = grid_table("X", rows)
    assert text(table)[-2:] == [["0", "70.00", "69.10"], ["1", "71.00", "70.10"]]
    bold = [cell for cells in table.rows for cell in cells if isinstance(cell, TableCell) and cell.bold]
    assert [str(cell) for cell in bold] == ["71.00"]
    assert [str(cell.style) for cell in draw_table(table).columns[1].cells] == ["", "bold"]


def test_everything_together(capsys: pytest.CaptureFixture[str]) -> None:
    own = {"mean": 71.234, "p_value": 0.049, "p_holm": 0.05}
    rows = [ROWS[0], row("UD_A-X@1.3", "explore", **own, delta=1.234, delta_low=0.2, delta_high=2.0)]
    counted = {"better": 1, "worse": 0, "significantly_better": 1, "significantly_worse": 0}
    averages = [average("static", 1, mean=70.0), average("explore", 1, mean=71.234, delta=1.234, **counted)]
    section = oracles_section(rows, averages, ["a note"])
    assert [table.title for table in section.tables] == [
        "UAS, punctuation included, mean over 3 seeds",
        "Difference to static, A-X 1.3",
    ]
    print_section(section)
    shown = capsys.readouterr().out
    assert shown.startswith("\nStatic and dynamic oracles\n- * marks a difference from static training")
    assert "- Intervals and p values allow for other seeds, other test sentences and all comparisons" in shown
    assert "with probability p = 0.9.\n- a note\n" in shown
    assert "+0.20 to +2.00" in shown  # with one treebank, its own interval
    assert "average" not in shown


def test_nothing_is_said_of_differences_where_there_are_none() -> None:
    section = oracles_section(ROWS[::2], AVERAGES[:1], [])
    assert [table.title for table in section.tables] == ["UAS, punctuation included, mean over 3 seeds"]
    assert section.sentences == ()


def test_a_grid_has_a_table_per_treebank_and_one_of_the_averages() -> None:
    explored = ROWS[1::2]
    section = grid_section(explored, AVERAGES, ["a note"])
    assert [table.title for table in section.tables] == [
        "UAS, arc-eager, A-X 1.3", "UAS, arc-eager, B 2.16", "UAS, arc-eager, average of 2 treebanks",
    ]  # fmt: skip
    assert [str(table.rows[0][1]) for table in section.tables] == ["71.23", "81.00", "76.12"]
    assert section.sentences == ("a note",)
    assert len(grid_section(explored[:1], AVERAGES, []).tables) == 1

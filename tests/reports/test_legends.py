"""Legends: a line about the signs that occur, and with --explain how to read each table."""

from __future__ import annotations

from pathlib import Path

import pytest
from finished_runs import hand_run, pair, write_run
from invoking import Call
from result_rows import compared

from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import combine_runs
from learnability.reports.comparison_files import outputs
from learnability.reports.comparison_tables import STATISTICS, means_table, tables
from learnability.reports.results import answer_table, comparison_table, preference_table

LONGEST = 120
"""How long a line of a legend may be."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three treebanks."""
    return write_run(tmp_path_factory.mktemp("runs") / "run")


def test_a_legend_is_one_line(run: Path) -> None:
    stored = read_run(run)
    rows = [pair.row for pair in stored.pairs]
    found = [
        answer_table(rows),
        comparison_table(rows),
        preference_table(rows),
        *tables(combine_runs([stored])),
    ]
    assert len(found) > 4
    for table in found:
        assert len(table.note) <= LONGEST, table.note


@pytest.mark.parametrize("words", [("report", "--details"), ("compare", "--details"), ("compare",)])
def test_how_to_read_a_table_is_printed_on_demand(call: Call, run: Path, words: tuple[str, ...]) -> None:
    command, *options = words
    short, long = (
        call(command, run, *options, "--quiet"),
        call(command, run, *options, "--quiet", "--explain"),
    )
    assert (short.code, long.code) == (0, 0)
    stored = read_run(run)
    rows = [pair.row for pair in stored.pairs]
    every = (
        [comparison_table(rows), preference_table(rows)]
        if command == "report"
        else tables(combine_runs([stored]))
    )
    shown = [table for table in every if table.explanation and table.title in short.text]
    assert shown
    text, explained = (" ".join(done.text.split()) for done in (short, long))
    for table in shown:
        assert explained.count(table.explanation) == text.count(table.explanation) + 1, table.title


def test_the_page_of_a_comparison_leaves_statistics_to_the_files() -> None:
    names = ("UD_Irish", "UD_Greek", "UD_Tamil", "UD_Turkish", "UD_Kazakh", "UD_French")
    rows = [pair(name, "case", d) | compared(d, 0.5) for d, name in enumerate(names)]
    evidence = combine_runs([hand_run(Path("run"), rows=rows)])
    means = means_table(evidence)
    assert set(STATISTICS) <= set(means.headings)
    found = outputs(evidence)
    page = found["compare.html"].decode()
    assert means.title in page
    for name in STATISTICS:
        assert f">{name}</th>" not in page
    assert {"tau", "i2"} <= set(found["means.csv"].decode().partition("\n")[0].split(","))

"""What commands print fits the width that a terminal or pipe has, and breaks no word."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from explained import brought_by_missing
from finished_runs import write_run
from invoking import Call

from learnability.cli import command_names
from learnability.reports.text import Table, fit_columns, list_rows

WIDE = 4000
"""Columns at which nothing is wrapped or left out."""

COMMANDS = (
    *(f"list {subject}" for subject in ("transforms", "schemes", "systems", "parsers", "metrics", "columns")),
    "list treebanks",
    "list transforms case",
    "list parsers arc-eager",
    "run --treebank demo --dry-run",
    "run --test-set --treebank demo --transform case --seeds 1 --iterations 1 --jobs 1 --force --out RUN",
    "report RUN --explain",
    "compare STORED --out TABLES --details --explain",
    "measure --treebank demo --transform case",
    "show --treebank demo --transform case --max 2",
    "diff demo --transform case",
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders that the commands name, with short names, so that no line is long because of them."""
    folder = tmp_path_factory.mktemp("w")
    write_run(folder / "s" / "a")
    return {"RUN": folder / "r", "STORED": folder / "s", "TABLES": folder / "t"}


@pytest.mark.parametrize("words", COMMANDS)
def test_no_line_is_longer_and_no_word_is_broken(
    call: Call, places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    for name, place in places.items():
        words = words.replace(name, str(place))
    monkeypatch.delenv("LEARNABILITY_UD_HOME", raising=False)
    monkeypatch.chdir(places["RUN"].parent)

    def printed(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        done = call(*shlex.split(words))
        assert done.code == 0, done.errors
        return done.text.splitlines()

    whole = set(" ".join(printed(WIDE)).split())
    for columns in (80, 120):
        lines = printed(columns)
        longest = [line for line in lines if len(line) > columns and len(line.split()) > 1]
        assert longest == []
        rules = {"─" * len(word) for word in " ".join(lines).split()}
        assert set(" ".join(lines).split()) - whole - rules <= {"…"}
        if words.startswith("list ") and len(words.split()) == 2:
            assert len(lines) == len(printed(WIDE))  # a line for each entry


@pytest.mark.parametrize("name", command_names())
def test_help_fits_80_columns(call: Call, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = call(name, "--help")
    assert done.code == 0, done.errors
    assert [line for line in done.text.splitlines() if len(line) > 80] == []


@pytest.mark.skipif(bool(brought_by_missing()), reason="extensions are not there")
def test_the_list_of_commands_fits_a_screen(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = call("--help").text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


def test_columns_get_the_width_of_their_longest_words_first() -> None:
    table = Table("", ("name", "what it is"), (("arc-eager", "a system of transitions"),), align="<<")
    assert fit_columns(table, 80, tight=True) == [9, 23]
    assert fit_columns(table, 30, tight=True) == [9, 19]
    assert fit_columns(table, 22, tight=True) == [9, 11]
    assert fit_columns(table, 21, tight=True) is None
    assert list_rows(table, 30) == ["arc-eager", "  what it is  a system of", "              transitions"]
    assert list_rows(table, 21) == ["arc-eager", "  what it is  a", "  system of", "  transitions"]

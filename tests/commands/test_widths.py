"""What commands print fits the width that a terminal or pipe has, and breaks no word."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from explained import brought_by_missing
from finished_runs import write_run
from invoking import Call
from small_treebanks import small_treebank

from learnability.cli import command_names
from learnability.reports.text import Table, fit_columns, list_rows

WIDE = 4000
"""Columns at which nothing is wrapped or left out."""

SHORT = "--seeds 1 --iterations 1 --jobs 1"

COMMANDS = (
    *(f"list {subject}" for subject in ("transforms", "schemes", "systems", "parsers", "metrics", "columns")),
    "list treebanks",
    "list transforms case",
    "list parsers arc-eager",
    "run --treebank SMALL/UD_Small --dry-run",
    f"run --test-set --treebank SMALL/UD_Small --transform case {SHORT} --out RUN && report RUN --explain && "
    "report RUN --details --explain",
    "run --quick --treebank SMALL/UD_Small --transform case --jobs 1 --out RUN",
    f"run --test-set --treebank SMALL/UD_Small --transform case --labelled {SHORT} --out RUN && "
    "report RUN --details",
    f"run --treebank SMALL/UD_Small --transform cc --parser arc-eager --parser graph {SHORT} --out RUN && "
    "report RUN --details",
    "compare STORED --out TABLES --details --explain",
    "measure --treebank SMALL/UD_Small --transform case",
    "show --treebank SMALL/UD_Small --transform case --max 2",
    "diff SMALL/UD_Small --transform case",
    "diff SMALL/UD_Small --transform case --changelog",
    "diff SMALL/UD_Small --transform case --rules --max 2",
    "diff SMALL/UD_Small --transform case --group 1",
)

OF_EXTENSIONS = (
    f"combinations --treebank SMALL/UD_Small --transform case --transform det {SHORT} --out RUN && "
    "report RUN --details",
    f"doubts --treebank RELEASES/ud-treebanks-v2.15/UD_Mine --cross-validate 3 {SHORT} --out RUN && "
    "report RUN --details",
    "history --treebank UD_Mine --releases 2.15,2.16 --ud-home RELEASES --cross-validate 3 "
    f"{SHORT} --out RUN && report RUN --details",
    "harmonise RELEASES/ud-treebanks-v2.15/UD_Mine OTHER/UD_Other --seeds 1 --words 500 "
    "--jobs 1 --train --out RUN && report RUN --details",
)
"""Commands of extensions, the first word of which may be missing."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what the commands name.

    They name it from within, by one letter: a command that is to be copied is never broken, so
    the length of a machine's temporary folder would decide what is too long.
    """
    folder = tmp_path_factory.mktemp("w")
    write_run(folder / "s" / "a")
    for release in ("2.15", "2.16"):
        small_treebank(folder / "u" / f"ud-treebanks-v{release}", "UD_Mine", train=20)
    small_treebank(folder / "o", "UD_Other", first=60, train=20)
    small_treebank(folder / "m", train=60, dev=20, test=60)
    return folder


NAMES = {"RUN": "r", "STORED": "s", "TABLES": "t", "RELEASES": "u", "OTHER": "o", "SMALL": "m"}


@pytest.mark.parametrize("words", [*COMMANDS, *OF_EXTENSIONS])
def test_no_line_is_longer_and_no_word_is_broken(
    call: Call, places: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    if words in OF_EXTENSIONS and words.split()[0] in brought_by_missing():
        pytest.skip("the extension is not there")
    shutil.rmtree(places / NAMES["RUN"], ignore_errors=True)
    for name, letter in NAMES.items():
        words = words.replace(name, letter)
    monkeypatch.delenv("LEARNABILITY_UD_HOME", raising=False)
    monkeypatch.chdir(places)
    for command in words.split(" && "):
        wide, lines = (_printed(call, monkeypatch, command, columns) for columns in (WIDE, 80))
        assert [line for line in lines if len(line) > 80 and len(line.split()) > 1] == []
        rules = {"─" * len(word) for word in " ".join(lines).split()}
        assert set(" ".join(lines).split()) - set(" ".join(wide).split()) - rules <= {"…"}
        if command.startswith("list ") and len(command.split()) == 2:
            assert len(lines) == len(wide)  # a line for each entry


def _printed(call: Call, monkeypatch: pytest.MonkeyPatch, command: str, columns: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = call(*shlex.split(command))
    assert done.code == 0, done.errors
    return done.text.splitlines()


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

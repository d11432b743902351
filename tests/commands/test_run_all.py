"""`learnability run --all`: many treebanks, some of them unusable, on one machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

QUICK = ("--transform", "case", "--transform", "det", "--iterations", "1", "--seeds", "1", "--jobs", "1")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases: UD_A in both, UD_B with a dev and a test file only."""
    home = tmp_path_factory.mktemp("home")
    small_treebank(home / "ud-treebanks-v2.1", "UD_A")
    small_treebank(home / "ud-treebanks-v2.16", "UD_A", first=40)
    b = small_treebank(home / "ud-treebanks-v2.1", "UD_B", first=15)
    (b / "xx-ud-train.conllu").unlink()
    return home


def rows(out: Path) -> list[list[str]]:
    return [line.split(",")[:3] for line in (out / "results.csv").read_text().splitlines()[1:]]


def test_every_treebank_in_its_newest_release(call: Call, home: Path, tmp_path: Path) -> None:
    done = call("run", "--test-set", "--all", "--ud-home", home, "--out", tmp_path, *QUICK)
    assert done.code == 0
    assert done.errors.splitlines() == [
        "UD_B: no train split: train is the first 90 % of dev (13 of 15 sentences), dev the rest"
    ]
    assert rows(tmp_path) == [
        ["UD_A", "2.16", "case"],
        ["UD_A", "2.16", "det"],
        ["UD_B", "2.1", "case"],
        ["UD_B", "2.1", "det"],
    ]
    assert sum(p.name in ("results.csv", "records.jsonl") for p in tmp_path.rglob("*")) == 2
    page = (tmp_path / "report.html").read_text()
    assert "<h1>UD_A, UD_B: which annotation is easier to learn?</h1>" in page
    assert '"UD_B, det"' in (tmp_path / "figures" / "differences.csv").read_text()
    assert call("report", tmp_path).code == 0
    assert (tmp_path / "report.html").read_text() == page


def test_one_release(call: Call, home: Path, tmp_path: Path) -> None:
    done = call(
        "run", "--test-set", "--all", "--ud-home", home, "--release", "2.1", "--out", tmp_path, "--dry-run"
    )
    assert done.code == 0
    assert [line.split()[:2] for line in done.text.splitlines() if "UD_" in line] == [
        ["UD_A", "2.1"],
        ["UD_B", "2.1"],
    ]


def test_an_unusable_treebank_is_told_and_the_others_go_on(call: Call, home: Path, tmp_path: Path) -> None:
    arguments = (
        "run",
        "--test-set",
        "--all",
        "--ud-home",
        home,
        "--splits",
        "released",
        *QUICK,
        "--out",
        tmp_path / "run",
    )
    done = call(*arguments)
    assert done.code == 1
    assert "learnability: UD_B@2.1 cannot be used (UD_B has no training set" in done.errors
    assert rows(tmp_path / "run") == [["UD_A", "2.16", "case"], ["UD_A", "2.16", "det"]]
    assert call(*arguments, "--resume").code == 1
    # what failed is said again with the files, in the words of the command line
    again = call("report", tmp_path / "run")
    assert (again.code, "rerun with --resume\n" in again.errors) == (0, True)


def test_a_release_that_is_not_there_is_refused(call: Call, home: Path) -> None:
    done = call("run", "--test-set", "--all", "--ud-home", home, "--release", "1.4")
    assert (done.code, done.output) == (2, b"")
    assert "no treebanks of release 1.4" in done.errors


def test_a_run_on_a_folder_without_a_release_can_be_extended(call: Call, tmp_path: Path) -> None:
    small_treebank(tmp_path / "plain", "UD_A")
    run = (
        "run",
        "--test-set",
        "--all",
        "--ud-home",
        tmp_path / "plain",
        "--release",
        "1.3",
        "--out",
        tmp_path / "run",
    )
    assert call(*run, *QUICK, "--quiet").code == 0
    done = call("run", "--resume", "--out", tmp_path / "run", "--most-seeds", "2", "--folds", "3", "--quiet")
    assert (done.code, done.errors) == (0, "")

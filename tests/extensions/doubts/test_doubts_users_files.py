"""`doubts` replaces no file that a user has worked on, with whatever options that only list."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank
from users_files import check

DOUBTS = ("--cross-validate", "3", "--iterations", "1", "--parser", "arc-eager", "--jobs", "1")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def treebank(place: Path) -> Path:
    return small_treebank(place, train=20, dev=6, test=10)


@pytest.fixture(scope="module")
def doubted(call: Call, treebank: Path, place: Path) -> Path:
    """A finished run of `doubts`."""
    assert call("doubts", "--treebank", treebank, *DOUBTS, "--out", place / "doubts").code == 0
    (place / "known.csv").write_bytes((place / "doubts" / "doubts.csv").read_bytes())
    return place / "doubts"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("doubts.csv", ("--decisions", "known.csv")),
        ("doubts.csv", ("--resume",)),
        ("doubts.html", ("--all",)),
    ],
)
def test_doubts_again(
    call: Call,
    treebank: Path,
    doubted: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(doubted.parent)
    check(call, doubted / name, ("doubts", "--treebank", treebank, *DOUBTS, "--out", doubted, *words))


def test_a_dry_run_refuses_what_the_run_refuses(call: Call, treebank: Path, doubted: Path) -> None:
    path = doubted / "doubts.csv"
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    refused = call("doubts", "--treebank", treebank, *DOUBTS, "--out", doubted, "--dry-run")
    path.write_bytes(before)
    assert refused.code == 2
    assert str(path) in refused.errors

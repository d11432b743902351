"""No command replaces a file of a run that a user has worked on."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank
from users_files import check, everything

RUN = ("--transform", "det", "--seeds", "1", "--iterations", "1", "--jobs", "1")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def treebank(place: Path) -> Path:
    return small_treebank(place, train=20)


@pytest.fixture(scope="module")
def compared(call: Call, treebank: Path, place: Path) -> Path:
    """A finished run."""
    assert call("run", "--test-set", "--treebank", treebank, *RUN, "--out", place / "run").code == 0
    return place / "run"


@pytest.mark.parametrize("name", ["results.csv", "report.html"])
def test_report(call: Call, compared: Path, name: str) -> None:
    check(call, compared / name, ("report", compared))


def test_a_run_that_goes_on(call: Call, compared: Path) -> None:
    path = compared / "results.csv"
    before = path.read_bytes()
    path.write_bytes(before + b"mine\n")
    changed = everything(compared)
    refused = call("run", "--resume", "--out", compared, "--jobs", "1")
    assert refused.code == 2
    assert f"{path} has changed since we wrote it" in refused.errors
    assert everything(compared) == changed
    path.write_bytes(before)


def test_compare_again(call: Call, compared: Path, place: Path) -> None:
    out = place / "tables"
    assert call("compare", compared, "--out", out).code == 0
    for name in ("differences.csv", "compare.html"):
        check(call, out / name, ("compare", compared, "--out", out))


def test_force_replaces_it(call: Call, treebank: Path, place: Path) -> None:
    out = place / "forced"
    words = ("run", "--test-set", "--treebank", treebank, *RUN, "--out", out)
    assert call(*words).code == 0
    before = (out / "results.csv").read_bytes()
    (out / "results.csv").write_bytes(b"mine\n")
    assert call(*words).code == 2
    assert call(*words, "--force").code == 0
    assert (out / "results.csv").read_bytes() == before
    assert call(*words).code == 0  # and is the program's again


def test_a_file_of_a_user_where_a_run_would_write(call: Call, treebank: Path, place: Path) -> None:
    """The trainings are kept, and go on once it is renamed."""
    out = place / "taken"
    out.mkdir()
    (out / "results.csv").write_text("mine\n", encoding="utf-8")
    words = ("run", "--test-set", "--treebank", treebank, *RUN, "--out", out)
    refused = call(*words)
    assert refused.code == 2
    assert f"{out / 'results.csv'} is not as we wrote it; rename it" in refused.errors
    assert "all finished trainings are kept" in refused.errors
    (out / "results.csv").rename(out / "mine.csv")
    records = (out / "records.jsonl").read_bytes()
    assert call(*words, "--resume").code == 0
    assert (out / "records.jsonl").read_bytes() == records
    assert (out / "mine.csv").read_text(encoding="utf-8") == "mine\n"

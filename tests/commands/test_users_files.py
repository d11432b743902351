"""No command replaces a file of a run that a user has worked on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.studies.registry import known_studies

DOUBTS = ("--cross-validate", "3", "--iterations", "1", "--parser", "arc-eager", "--jobs", "1")
RUN = ("--transform", "det", "--seeds", "1", "--iterations", "1", "--jobs", "1")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def treebank(place: Path) -> Path:
    return small_treebank(place, train=20)


@pytest.fixture(scope="module")
def doubted(call: Call, treebank: Path, place: Path) -> Path:
    """A finished run of `doubts`."""
    assert call("doubts", "--treebank", treebank, *DOUBTS, "--out", place / "doubts").code == 0
    (place / "known.txt").write_text("pattern: DET:the det -> case\n", encoding="utf-8")
    return place / "doubts"


@pytest.fixture(scope="module")
def compared(call: Call, treebank: Path, place: Path) -> Path:
    """A finished run."""
    assert call("run", "--treebank", treebank, *RUN, "--out", place / "run").code == 0
    return place / "run"


def everything(folder: Path) -> dict[Path, bytes]:
    """All files of a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check(call: Call, path: Path, words: Sequence[object], work: bytes = b"decision\nyes\n") -> None:
    """The command refuses before it does anything, and works once the file is renamed; then all is back."""
    folder, before = path.parent, path.read_bytes()
    path.write_bytes(before + work)
    changed = everything(folder)
    refused = call(*words)
    assert refused.code == 2, refused.text
    assert (refused.output, refused.errors.count("\n")) == (b"", 1)
    assert f"{path} has changed since we wrote it; rename it" in refused.errors
    assert everything(folder) == changed
    mine = path.rename(folder / f"mine-{path.name}")
    assert call(*words).code == 0
    assert (mine.read_bytes(), path.exists()) == (before + work, True)
    mine.unlink()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("doubts.csv", ()),
        ("doubts.csv", ("--decisions", "known.txt")),
        ("doubts.csv", ("--construction", "case")),
        ("doubts.txt", ("--resume",)),
        ("report.html", ("--all",)),
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
    path = doubted / "patterns.csv"
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    refused = call("doubts", "--treebank", treebank, *DOUBTS, "--out", doubted, "--dry-run")
    path.write_bytes(before)
    assert refused.code == 2
    assert str(path) in refused.errors


def test_force_replaces_it(call: Call, treebank: Path, place: Path) -> None:
    out = place / "forced"
    words = ("doubts", "--treebank", treebank, *DOUBTS, "--out", out)
    assert call(*words).code == 0
    before = (out / "doubts.csv").read_bytes()
    (out / "doubts.csv").write_bytes(b"mine\n")
    assert call(*words).code == 2
    assert call(*words, "--force").code == 0
    assert (out / "doubts.csv").read_bytes() == before
    assert call(*words).code == 0  # and is the program's again


@pytest.mark.parametrize("name", ["results.csv", "report.html"])
def test_report(call: Call, compared: Path, name: str) -> None:
    check(call, compared / name, ("report", compared))


def test_run_again(call: Call, treebank: Path, compared: Path) -> None:
    check(call, compared / "results.csv", ("run", "--treebank", treebank, *RUN, "--out", compared))


@pytest.mark.parametrize("study", [each.name for each in known_studies().values() if each.takes == "run"])
def test_studies_on_a_run(call: Call, compared: Path, study: str) -> None:
    path = compared / "results.csv"
    before = path.read_bytes()
    path.write_bytes(before + b"mine\n")
    changed = everything(compared)
    refused = call(study, compared, "--jobs", "1")
    assert refused.code == 2
    assert f"{path} has changed since we wrote it" in refused.errors
    assert everything(compared) == changed
    path.write_bytes(before)


def test_compare_again(call: Call, compared: Path, place: Path) -> None:
    out = place / "tables"
    assert call("compare", compared, "--out", out).code == 0
    for name in ("differences.csv", "compare.html"):
        check(call, out / name, ("compare", compared, "--out", out))


def test_a_file_of_a_user_where_a_run_would_write(call: Call, treebank: Path, place: Path) -> None:
    """The trainings are kept, and go on once it is renamed."""
    out = place / "taken"
    out.mkdir()
    (out / "doubts.csv").write_text("mine\n", encoding="utf-8")
    words = ("doubts", "--treebank", treebank, *DOUBTS, "--out", out)
    refused = call(*words)
    assert refused.code == 2
    assert f"{out / 'doubts.csv'} is not as we wrote it; rename it" in refused.errors
    assert "all finished trainings are kept" in refused.errors
    (out / "doubts.csv").rename(out / "mine.csv")
    records = (out / "records.jsonl").read_bytes()
    assert call(*words, "--resume").code == 0
    assert (out / "records.jsonl").read_bytes() == records
    assert (out / "mine.csv").read_text(encoding="utf-8") == "mine\n"

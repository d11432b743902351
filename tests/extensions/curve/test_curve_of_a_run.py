"""`run --curve`: learning curves with a run, and of a finished one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from invoking import Call, Result
from small_treebanks import small_treebank

ALONE = ("--jobs", "1", "--quiet")
PAIRS = ("--transform", "case", "--transform", "det", "--seeds", "1", "--iterations", "1")


@pytest.fixture(scope="module")
def finished(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a treebank and a finished run of two transformations."""
    base = tmp_path_factory.mktemp("extended")
    treebank = small_treebank(base / "ud")
    done = call("run", "--test-set", "--treebank", treebank, *PAIRS, *ALONE, "--out", base / "run")
    assert (done.code, done.errors) == (0, "")
    return base


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy of the run."""
    return Path(shutil.copytree(finished / "run", tmp_path / "run"))


def with_curve(call: Call, finished: Path, run: Path) -> Result:
    """Ask for the curves of a finished run, by the command that started it."""
    words = ("--treebank", finished / "ud" / "UD_Small", *PAIRS, *ALONE, "--out", run, "--resume")
    return call("run", "--test-set", *words, "--curve")


def files_of(run: Path) -> dict[str, bytes]:
    """The files of a run by their paths."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in run.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_curves_are_a_section_of_the_report(call: Call, finished: Path, run: Path) -> None:
    before = files_of(run)
    done = with_curve(call, finished, run)
    assert (done.code, done.errors) == (0, "")
    assert "How much data does it take?" in done.text
    assert "learning_curve.json" in done.text
    after = files_of(run)
    assert after["results.csv"] == before["results.csv"]
    assert after["records.jsonl"].startswith(before["records.jsonl"])
    curves = json.loads(after["learning_curve.json"])["curves"]
    records = after["records.jsonl"].decode().splitlines()
    assert sum(json.loads(line)["setting"] == "own" for line in records) == 3 * 4
    assert [curve["alternative"]["scheme"] for curve in curves] == ["case", "det"]
    assert all(len(curve["base"]["uas"]) == 5 for curve in curves)
    assert "How much data does it take?" in after["report.html"].decode()
    assert with_curve(call, finished, run).output == done.output
    assert files_of(run) == after
    told = json.loads(call("report", run, "--json", "--quiet").text)
    assert told.keys() == {"rows", "learning_curves"}
    assert told["learning_curves"] == curves
    checked = call("report", run, "--verify", "1", *ALONE)
    assert (checked.code, checked.errors) == (0, "")
    (run / "learning_curve.json").write_text("{}")
    assert call("report", run, "--verify", "0.01", *ALONE).text.startswith("learning_curve.json differs")


def test_asked_for_with_the_run_they_are_the_same(
    call: Call, finished: Path, run: Path, tmp_path: Path
) -> None:
    assert with_curve(call, finished, run).code == 0
    words = ("--treebank", finished / "ud" / "UD_Small", *PAIRS, *ALONE, "--out", tmp_path / "new" / "run")
    done = call("run", "--test-set", *words, "--curve")
    assert (done.code, done.errors) == (0, "")
    for name in ("learning_curve.json", "results.csv"):
        assert (tmp_path / "new" / "run" / name).read_bytes() == (run / name).read_bytes()


def test_a_run_with_more_seeds_has_curves_of_these(call: Call, finished: Path, run: Path) -> None:
    assert with_curve(call, finished, run).code == 0
    more = ("--transform", "case", "--transform", "det", "--seeds", "2", "--iterations", "1", *ALONE)
    again = call(
        "run", "--test-set", "--treebank", finished / "ud" / "UD_Small", *more, "--out", run, "--resume"
    )
    assert (again.code, again.errors) == (0, "")
    (first, _) = json.loads((run / "learning_curve.json").read_text())["curves"]
    assert [len(seeds) for seeds in first["base"]["uas"]] == [2] * 5


def test_no_command_draws_them(call: Call, run: Path) -> None:
    done = call("curve", run)
    assert (done.code, "there is no command 'curve'" in done.errors) == (2, True)


def test_a_cross_validated_run_has_none(call: Call, finished: Path, tmp_path: Path) -> None:
    words = ("--treebank", finished / "ud" / "UD_Small", *PAIRS, *ALONE, "--out", tmp_path / "run")
    done = call("run", "--test-set", *words, "--curve", "--cross-validate", "3")
    assert (done.code, done.output) == (2, b"")
    assert "curve does not work with cross-validation; use a run that is not cross-validated" in done.errors
    assert not (tmp_path / "run").exists()


def test_a_learning_curve_without_places_is_said_to_be_none(
    call: Call, finished: Path, tmp_path: Path
) -> None:
    ud = Path(shutil.copytree(finished / "ud", tmp_path / "ud")) / "UD_Small"
    path = ud / "xx-ud-test.conllu"
    text = path.read_text(encoding="utf-8")
    assert "\tof\tof\tADP" in text
    path.write_text(text.replace("\tof\tof\tADP", "\txyzzy\tof\tADP"), encoding="utf-8")
    words = ("--treebank", ud, "--seeds", "1", "--iterations", "1", *ALONE, "--out", tmp_path / "run")
    done = call("run", "--test-set", *words, "--transform", "case:form=xyzzy", "--curve")
    assert done.code == 0, done.errors
    assert "No learning curve: no construction occurs" in done.text
    assert not (tmp_path / "run" / "learning_curve.json").exists()

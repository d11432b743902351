"""Commands on a finished run: what they refuse, and that `report` makes the same files again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from invoking import Call, left_unfinished
from small_treebanks import small_treebank

ALONE = ("--jobs", "1", "--quiet")


@pytest.fixture(scope="module")
def finished(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a treebank and a finished run of two transformations."""
    base = tmp_path_factory.mktemp("extended")
    words = ("--transform", "case", "--transform", "det", "--seeds", "1", "--iterations", "1", *ALONE)
    treebank = small_treebank(base / "ud")
    done = call("run", "--test-set", "--treebank", treebank, *words, "--out", base / "run")
    assert (done.code, done.errors) == (0, "")
    return base


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished / "run", tmp_path / "run"))


def files_of(run: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in run.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_other_warnings_are_no_other_data(call: Call, run: Path) -> None:
    """Another version may warn of more: an unfinished run goes on."""
    left_unfinished(run)
    path = run / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["treebanks"][0]["left_out"] = ["UD_Small: something that nobody warns of now"]
    path.write_text(json.dumps(config), encoding="utf-8")
    done = call("run", "--resume", "--out", run, *ALONE)
    assert done.code == 0, done.errors


@pytest.mark.parametrize("command", ["report", "compare"])
@pytest.mark.parametrize("kept", [0, 2])
def test_a_run_that_has_lost_records_is_not_told_of(call: Call, run: Path, command: str, kept: int) -> None:
    records = run / "records.jsonl"
    lines = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(lines[:kept]))
    if not kept:
        records.unlink()
    before = files_of(run)
    done = call(command, run)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert f"{records} holds {kept} of {len(lines)} records of the finished run; restore" in done.errors
    assert files_of(run) == before


def test_a_plan_that_would_be_refused_is_not_shown(call: Call, finished: Path, run: Path) -> None:
    treebank = finished / "ud" / "UD_Small"
    same = ("--transform", "case", "--transform", "det", "--seeds", "1", "--iterations", "1")
    words = ("run", "--test-set", "--treebank", treebank, "--out", run, "--dry-run")
    before = files_of(run)
    for options, code, said in (
        (same, 0, ""),
        ((*same, "--resume"), 0, ""),
        (("--transform", "case"), 2, "another command or of other data"),
        (
            ("--transform", "case", "--cross-validate", "3", "--resume"),
            2,
            "was started with other arguments (alternatives, cross_validate, iterations, seeds; see ",
        ),
        (("--transform", "case", "--force"), 0, ""),
    ):
        done = call(*words, *options)
        assert (done.code, bool(done.output)) == (code, code == 0)
        assert said in done.errors
    left_unfinished(run)
    assert "holds an unfinished run" in call(*words, *same).errors
    assert call(*words, *same, "--resume").code == 0
    (run / "config.json").write_bytes(before["config.json"])
    assert files_of(run) == before

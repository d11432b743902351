"""`joint RUN`, `curve RUN` and `report RUN`: what they add to a finished run, again and again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from invoking import PACKAGE, Call, left_unfinished
from small_treebanks import small_treebank

ALONE = ("--jobs", "1", "--quiet")
OF_RUN = ("records.jsonl", "results.csv", "scores.csv", "report.html")


@pytest.fixture(scope="module")
def finished(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a treebank and a finished run of two transformations."""
    base = tmp_path_factory.mktemp("extended")
    words = ("--transform", "case", "--transform", "det", "--seeds", "1", "--iterations", "1", *ALONE)
    treebank = small_treebank(base / "ud")
    done = call("run", "--treebank", treebank, *words, "--out", base / "run")
    assert (done.code, done.errors) == (0, "")
    return base


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy of the run."""
    return Path(shutil.copytree(finished / "run", tmp_path / "run"))


def files_of(run: Path) -> dict[str, bytes]:
    """The files of a run by their paths."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in run.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_joint_adds_its_part_and_nothing_twice(call: Call, run: Path) -> None:
    before = files_of(run)
    done = call("joint", run, "--verify", "4", *ALONE)
    assert (done.code, done.errors) == (0, "")
    assert "All constructions at once" in done.text
    assert "Recommended scheme" in done.text
    assert "Criteria" not in done.text
    assert "tell them apart" not in done.text  # what the run said before is not said again
    after = files_of(run)
    assert after["results.csv"] == before["results.csv"]
    assert after["records.jsonl"].startswith(before["records.jsonl"])
    assert after.keys() - before.keys() >= {"joint.json"}
    lines = after["records.jsonl"].splitlines()[before["records.jsonl"].count(b"\n") :]
    assert sorted(json.loads(line)["setting"] for line in lines) == ["joint", "own"]
    assert b"Recommended scheme" in after["report.html"]
    joint = json.loads(after["joint.json"])
    assert joint["transforms"] == ["case", "det"]
    assert len(joint["survival"]["schemes"]) == 4
    assert len(joint["verified"]) == 4
    assert call("joint", run, "--verify", "4", *ALONE).output == done.output
    assert files_of(run) == after
    values = json.loads(call("joint", run, "--verify", "4", *ALONE, "--json").text)
    assert values["joint"] == joint


def test_more_may_be_asked_later(call: Call, run: Path) -> None:
    assert call("joint", run, *ALONE).code == 0
    first = (run / "records.jsonl").read_bytes()
    assert "verified" not in first.decode()
    assert call("joint", run, "--verify", "3", *ALONE).code == 0
    assert (run / "records.jsonl").read_bytes().startswith(first)
    assert len(json.loads((run / "joint.json").read_text())["verified"]) >= 3


def test_a_curve_and_a_joint_training_stand_in_one_report(call: Call, run: Path) -> None:
    assert call("joint", run, *ALONE).code == 0
    joint = (run / "joint.json").read_bytes()
    done = call("curve", run, *ALONE)
    assert (done.code, done.errors) == (0, "")
    assert "How much data does it take?" in done.text
    assert "All constructions at once" not in done.text
    assert "learning_curve.json" in done.text
    curves = json.loads((run / "learning_curve.json").read_text())["curves"]
    records = (run / "records.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["setting"] == "own" for line in records) == 3 * 4
    assert [curve["alternative"]["scheme"] for curve in curves] == ["case", "det"]
    assert all(len(curve["base"]["uas"]) == 5 for curve in curves)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "How much data does it take?" in page
    assert "All constructions at once" in page
    assert (run / "joint.json").read_bytes() == joint
    after = files_of(run)
    assert call("curve", run, *ALONE).output == done.output
    assert files_of(run) == after
    told = json.loads(call("report", run, "--json", "--quiet").text)
    assert told.keys() == {"rows", "joint", "learning_curves"}
    assert (told["joint"], told["learning_curves"]) == (json.loads(joint), curves)
    assert [row["construction"] for row in told["rows"]] == ["case", "det"]
    checked = call("report", run, "--verify", "1", *ALONE)
    assert (checked.code, checked.errors) == (0, "")


def test_a_run_made_again_from_its_records_has_the_same_bytes(call: Call, run: Path) -> None:
    assert call("joint", run, *ALONE).code == 0
    before = files_of(run)
    derived = [name for name in before if name not in ("records.jsonl", "config.json")]
    assert {"results.csv", "scores.csv", "report.html", "joint.json"} <= set(derived)
    for name in derived:
        (run / name).unlink()
    done = call("report", run, "--quiet")
    assert (done.code, done.errors) == (0, "")
    assert "All constructions at once" in done.text
    assert files_of(run) == before


def test_the_run_itself_goes_on_beside_what_was_added(call: Call, finished: Path, run: Path) -> None:
    assert call("curve", run, *ALONE).code == 0
    curve = (run / "learning_curve.json").read_bytes()
    words = ("--transform", "case", "--transform", "det", "--seeds", "1", "--iterations", "1", *ALONE)
    again = call("run", "--treebank", finished / "ud" / "UD_Small", *words, "--out", run, "--resume")
    assert (again.code, again.errors) == (0, "")
    assert (run / "learning_curve.json").read_bytes() == curve


@pytest.mark.parametrize("command", ["joint", "curve", "report", "report --verify 1"])
def test_only_finished_runs_are_taken(call: Call, run: Path, command: str, tmp_path: Path) -> None:
    left_unfinished(run)
    done = call(*command.split(), run, "--quiet")
    assert (done.code, done.output) == (2, b"")
    said = "holds an unfinished run; first repeat the command that started it, with --resume"
    assert done.errors == f"learnability: {run} {said}\n"
    nowhere = call(*command.split(), tmp_path / "nowhere", "--quiet")
    assert (nowhere.code, nowhere.errors.count("\n")) == (2, 1)
    assert "nowhere holds no run" in nowhere.errors
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("command", ["joint", "curve"])
def test_other_data_are_refused(
    call: Call, finished: Path, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, ud = (Path(shutil.copytree(finished / name, tmp_path / name)) for name in ("run", "ud"))
    config = (run / "config.json").read_text().replace(str(finished / "ud"), str(ud))
    (run / "config.json").write_text(config)
    path = ud / "UD_Small" / "xx-ud-test.conllu"
    path.write_bytes(path.read_bytes() + b"\n")
    before = files_of(run)
    done = call(command, run, *ALONE)
    assert (done.code, done.output) == (2, b"")
    changed = "the files of UD_Small have changed since the run; restore them, or repeat the run with --force"
    assert changed in done.errors
    swapped = path.with_name("xx-ud-dev.conllu")
    path.write_bytes(path.read_bytes()[:-1])
    test, dev = path.read_bytes(), swapped.read_bytes()
    path.write_bytes(dev)
    swapped.write_bytes(test)
    assert "the files of UD_Small have changed since the run;" in call(command, run, *ALONE).errors
    shutil.rmtree(ud)
    gone = call(command, run, *ALONE)
    assert (gone.code, gone.errors.count("\n")) == (2, 1)
    assert files_of(run) == before


def test_a_joint_training_needs_two_transformations(call: Call, finished: Path, tmp_path: Path) -> None:
    words = ("--treebank", finished / "ud" / "UD_Small", "--seeds", "1", "--iterations", "1", *ALONE)
    assert call("run", *words, "--transform", "case", "--out", tmp_path / "run").code == 0
    before = files_of(tmp_path / "run")
    done = call("joint", tmp_path / "run", *ALONE)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert "with two or more constructions" in done.errors
    assert files_of(tmp_path / "run") == before
    other = call("joint", tmp_path / "run", "--verify", "0")
    assert (other.code, "--verify" in other.errors) == (2, True)


def test_a_learning_curve_without_places_is_said_to_be_none(
    call: Call, finished: Path, tmp_path: Path
) -> None:
    ud = Path(shutil.copytree(finished / "ud", tmp_path / "ud")) / "UD_Small"
    path = ud / "xx-ud-test.conllu"
    text = path.read_text(encoding="utf-8")
    assert "\tof\tof\tADP" in text
    path.write_text(text.replace("\tof\tof\tADP", "\txyzzy\tof\tADP"), encoding="utf-8")
    words = ("--treebank", ud, "--seeds", "1", "--iterations", "1", *ALONE, "--out", tmp_path / "run")
    assert call("run", *words, "--transform", "case:form=xyzzy").code == 0
    done = call("curve", tmp_path / "run", *ALONE)
    assert done.code == 0, done.errors
    assert "No learning curve: no construction occurs" in done.text
    assert not (tmp_path / "run" / "learning_curve.json").exists()


@pytest.mark.slow
def test_killed_and_asked_again_to_the_same_bytes(shell: Call, finished: Path, tmp_path: Path) -> None:
    whole, cut = (
        Path(shutil.copytree(finished / "run", tmp_path / name / "run")) for name in ("whole", "cut")
    )  # the same name, because pages have it
    words = ("joint", "--verify", "4", "--jobs", "2", "--quiet")
    assert shell(*words, whole).code == 0
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "learnability", *words, str(cut)]
    records = cut / "records.jsonl"
    before = records.read_bytes().count(b"\n")
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        while records.read_bytes().count(b"\n") < before + 1:
            assert process.poll() is None
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
    assert not (cut / "joint.json").exists()
    assert shell("joint", "--verify", "4", "--jobs", "2", "--quiet", cut).code == 0
    for name in ("results.csv", "joint.json", "report.html"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()


def test_a_curve_has_its_cells_even_where_a_run_has_failed(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learnability.comparing import cells

    def broken(*_: object, **__: object) -> None:
        raise MemoryError("too large")

    with monkeypatch.context() as patch:
        patch.setattr(cells, "train_annotation", broken)
        done = call("curve", run, *ALONE)
    assert done.code == 1
    assert "trainings failed, the first: UD_Small/" in done.errors
    assert "MemoryError: too large" in done.errors
    assert not (run / "learning_curve.json").exists()
    told = call("report", run)
    assert (told.code, "MemoryError: too large" in told.errors) == (0, True)
    mended = call("curve", run, *ALONE)
    assert (mended.code, mended.errors) == (0, "")
    assert (run / "learning_curve.json").exists()


@pytest.mark.parametrize("command", ["joint", "curve"])
def test_a_run_that_compares_nothing_is_not_extended(call: Call, tmp_path: Path, command: str) -> None:
    treebank, out = small_treebank(tmp_path / "ud"), tmp_path / "predicted"
    words = ("--transform", "case", "--transform", "det", "--seeds", "1", *ALONE)
    assert call("predict", "--treebank", treebank, *words, "--out", out).code == 0
    before = files_of(out)
    done = call(command, out, *ALONE)
    assert (done.code, done.output) == (2, b"")
    assert f"the run in {out} compares no annotations; run {command} on the folder of a run" in done.errors
    assert files_of(out) == before


def test_of_a_study_that_was_interrupted_nothing_is_said(call: Call, run: Path) -> None:
    said = call("report", run, "--quiet").output
    before = json.loads((run / "config.json").read_bytes())
    assert call("curve", run, *ALONE).code == 0
    config = json.loads((run / "config.json").read_bytes())
    del config["finished"]["curve"]
    config["records"] = before["records"]
    (run / "config.json").write_text(json.dumps(config))
    lines = (run / "records.jsonl").read_text().splitlines(keepends=True)
    (run / "records.jsonl").write_text("".join(line for line in lines if '"own"' not in line))
    (run / "learning_curve.json").unlink()
    done = call("report", run, "--quiet")
    assert (done.code, done.output) == (0, said)
    assert b"earning curve" not in (run / "report.html").read_bytes()
    checked = call("report", run, "--verify", "0.1", *ALONE)
    assert (checked.code, checked.errors) == (0, "")


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
    words = ("run", "--treebank", treebank, "--out", run, "--dry-run")
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

"""Experiments from beginning to end on a small treebank: parallel, killed, failing, resumed."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from disturbing import records_in, start, wait_for_records, workers_of
from learnability.running.plan import Cell
from learnability.running.runner import (
    experiment_of,
    make_plan,
    run_configuration,
    run_experiment,
)
from run_data import stored
from small_treebanks import DEMO, small_treebank

from learnability.comparing import fold
from learnability.comparing.names import annotations_typed
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.errors import InputError
from learnability.running import runner
from learnability.running.engine import computed
from learnability.running.workers import in_this_process
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Conventions

OPTIONS = ExperimentOptions.spelled(("case", "det", "name"), seeds=2, iterations=2)
ARGUMENTS = ["--transform", "case", "--transform", "det", "--transform", "name", "--seeds", "2"]


def run(files: TreebankFiles, out: Path, **options: Any) -> Any:
    return run_experiment([files], OPTIONS, out, {}, **options)


@pytest.fixture(scope="module")
def undisturbed(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in one process that nothing disturbed."""
    out = tmp_path_factory.mktemp("undisturbed")
    assert run(locate_treebank(small), out).failed == []
    return out


def results(folder: Path) -> bytes:
    return (folder / "results.csv").read_bytes()


def test_the_files_of_a_run(undisturbed: Path) -> None:
    assert {p.name for p in undisturbed.iterdir()} >= {"config.json", "records.jsonl", "results.csv"}
    config = json.loads((undisturbed / "config.json").read_bytes())
    assert config["options"]["seeds"] == 2
    assert config["seeds"] == [1, 2]
    (treebank,) = config["treebanks"]
    assert treebank["label"] == treebank["name"] == "UD_Small"
    assert len(treebank["sha256"]) == 3
    lines = results(undisturbed).decode().splitlines()
    assert len(lines) == 4
    assert lines[1].startswith("UD_Small,,case,,")
    records = stored(undisturbed)
    assert len(records) == 2 + 3 + 2 * 3 * 2
    assert all(record.wall_seconds and record.worker for record in records.values())


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_command_gives_the_same_bytes(
    small_files: TreebankFiles, undisturbed: Path, tmp_path: Path, jobs: int
) -> None:
    run(small_files, tmp_path, jobs=jobs)
    assert results(tmp_path) == results(undisturbed)


def test_setting_c_trains_as_long_as_setting_a(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions.spelled(("case",), seeds=1, iterations=None)
    run_experiment([small_files], options, tmp_path, {})
    records = stored(tmp_path)
    a, c = records["a//1/0"].training, records["c/case/1/0"].survival
    assert a is not None
    assert c is not None
    assert a.iterations == len(a.dev_uas) == c.iterations == len(c.original_share)


@pytest.mark.parametrize("kept", [0, 1, 3, 8, 16])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cut_run_resumes_to_the_same_results(
    small_files: TreebankFiles, undisturbed: Path, tmp_path: Path, kept: int, jobs: int
) -> None:
    out = tmp_path / "run"
    shutil.copytree(undisturbed, out)
    (out / "results.csv").unlink()
    lines = (out / "records.jsonl").read_bytes().split(b"\n")
    before = b"\n".join([*lines[:kept], lines[kept][: len(lines[kept]) // 2]])
    (out / "records.jsonl").write_bytes(before)
    run(small_files, out, jobs=jobs, resume=True)
    assert results(out) == results(undisturbed)
    after = (out / "records.jsonl").read_bytes()
    assert after.startswith(b"".join(line + b"\n" for line in lines[:kept]))
    assert after.count(b"\n") == len(lines) - 1  # nothing was computed twice


def begin(small: Path, out: Path, *more: str, **options: Any) -> subprocess.Popen[bytes]:
    """The run as a command."""
    given = ("--treebank", small, "--out", out, "--iterations", "2", "--jobs", "2")
    return start("run", *given, *ARGUMENTS, *more, **options)


@pytest.mark.slow
def test_killed_at_any_moment_and_resumed(small: Path, undisturbed: Path, tmp_path: Path) -> None:
    chance = random.Random(4)
    kills = 0
    for count in (0, 4, 11):
        with begin(small, tmp_path, "--resume") as process:
            if not wait_for_records(process, tmp_path, count):
                break
            time.sleep(chance.random() * 0.05)
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
    assert kills == 3
    with begin(small, tmp_path, "--resume") as process:
        _output, errors = process.communicate()
        assert (process.returncode, errors) == (0, b""), errors
    assert results(tmp_path) == results(undisturbed)
    assert not [p.name for p in tmp_path.iterdir() if p.name.endswith(".tmp")]


@pytest.mark.slow
def test_a_run_whose_worker_is_killed_goes_on(small: Path, undisturbed: Path, tmp_path: Path) -> None:
    with begin(small, tmp_path) as process:
        assert wait_for_records(process, tmp_path, 2)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        _output, errors = process.communicate()
        assert process.returncode == 0, errors
    assert results(tmp_path) == results(undisturbed)
    lines = (tmp_path / "records.jsonl").read_bytes().split(b"\n")
    assert len(lines) - 1 == len(stored(tmp_path))  # nothing was computed twice


@pytest.mark.slow
def test_an_interrupted_run_says_so_and_resumes(small: Path, undisturbed: Path, tmp_path: Path) -> None:
    def interruptible() -> None:  # a shell's background jobs ignore the signal, and so would their children
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with begin(small, tmp_path, preexec_fn=interruptible) as process:
        assert wait_for_records(process, tmp_path, 2)
        os.killpg(process.pid, signal.SIGINT)
        _output, errors = process.communicate()
        assert process.returncode == 130
        assert errors.decode().splitlines()[-1] == "learnability: interrupted"
        assert b"Traceback" not in errors
    kept = records_in(tmp_path)
    assert kept >= 2
    with begin(small, tmp_path, "--resume") as process:
        process.communicate()
    assert results(tmp_path) == results(undisturbed)


@pytest.mark.slow
def test_a_full_disk_stops_the_run_with_one_line(small: Path, undisturbed: Path, tmp_path: Path) -> None:
    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (14000, 14000))

    # kernels are compiled already: their files would not fit either
    with begin(small, tmp_path, preexec_fn=small_disk) as process:
        _output, errors = process.communicate()
        assert process.returncode == 1
        assert errors.decode().startswith(f"learnability: {tmp_path}: cannot be written (file too large); ")
        assert errors.count(b"\n") == 1
    assert 0 < records_in(tmp_path) < 17
    assert not (tmp_path / "results.csv").exists()
    with begin(small, tmp_path, "--resume") as process:
        process.communicate()
    assert results(tmp_path) == results(undisturbed)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Keys of cells that fail in this process."""
    keys: set[str] = set()
    whole = runner.run_cell

    def breaking(files: Any, options: Any, cell: Cell, *more: Any) -> Any:
        if cell.key in keys:
            raise ZeroDivisionError("a test\nwanted it")
        return whole(files, options, cell, *more)

    monkeypatch.setattr(runner, "run_cell", breaking)
    return keys


def test_a_failing_cell_is_recorded_and_the_others_go_on(
    small_files: TreebankFiles, undisturbed: Path, tmp_path: Path, broken: set[str]
) -> None:
    broken.add("UD_Small/b/det/2/0")
    outcome = run(small_files, tmp_path)
    assert [(record.key, record.failed) for record in outcome.failed] == [
        ("UD_Small/b/det/2/0", "ZeroDivisionError: a test wanted it")
    ]
    case, det, _name = outcome.rows
    assert det["uas_delta"] is None
    assert det["multiref_original_share"] is not None
    assert case["uas_delta"] is not None
    broken.clear()
    assert run(small_files, tmp_path, resume=True).failed == []
    assert results(tmp_path) == results(undisturbed)
    assert records_in(tmp_path) == 18


def test_without_setting_a_there_is_no_setting_c(
    small_files: TreebankFiles, tmp_path: Path, broken: set[str]
) -> None:
    broken.add("UD_Small/a//2/0")
    outcome = run(small_files, tmp_path)
    failed = {record.key: record.failed for record in outcome.failed}
    assert set(failed) == {"UD_Small/a//2/0", *(f"UD_Small/c/{c}/2/0" for c in ("case", "det", "name"))}
    assert failed["UD_Small/c/det/2/0"] == "setting (a) of the same seed failed"
    assert [row["uas_delta"] for row in outcome.rows] == [None] * 3


def test_the_largest_treebank_comes_first_and_stays_together(tmp_path: Path) -> None:
    small_treebank(tmp_path, "UD_A")
    big = small_treebank(tmp_path, "UD_B")
    train = big / "xx-ud-train.conllu"
    train.write_bytes(train.read_bytes() * 2)
    plan = make_plan([locate_treebank(tmp_path / name) for name in ("UD_A", "UD_B")], OPTIONS)
    assert list(dict.fromkeys(c.treebank for c in plan.cells())) == ["UD_B", "UD_A"]
    assert sorted(c.treebank for c in plan.cells()) == ["UD_A"] * 17 + ["UD_B"] * 17
    assert len({c.key for c in plan.cells()}) == 34


def test_data_that_changed_under_the_run_is_a_failure(tmp_path: Path, small_files: TreebankFiles) -> None:
    plan = make_plan([small_files], OPTIONS)
    facts = plan.facts[0]
    other = dict.fromkeys(facts.sha256, "0")
    wrong = type(plan)(plan.treebanks, (type(facts)(1, (1,), "", other),), OPTIONS)
    _, failure = next(computed(experiment_of(wrong), {}, in_this_process))
    assert "has changed since the run was started" in failure.reason


def test_a_treebank_that_cannot_be_used_is_recorded_or_refused(
    tmp_path: Path, small_files: TreebankFiles, undisturbed: Path
) -> None:
    folder = small_treebank(tmp_path, "UD_Bad")
    dev = folder / "xx-ud-dev.conllu"
    good = dev.read_bytes()
    dev.write_bytes(good.replace(b"\t0\t", b"\t99\t", 1))
    both = [locate_treebank(folder), small_files]
    with pytest.raises(InputError, match=r"xx-ud-dev\.conllu"):
        run_experiment(both, OPTIONS, tmp_path / "refused", {})
    outcome = run_experiment(both, OPTIONS, tmp_path / "run", {}, keep_going=True)
    (failed,) = outcome.failed
    assert failed.treebank == "UD_Bad"
    assert "99" in str(failed.failed)
    assert results(tmp_path / "run") == results(undisturbed)
    dev.write_bytes(good)
    again = run_experiment(both, OPTIONS, tmp_path / "run", {}, keep_going=True, resume=True)
    assert again.failed == []
    assert [row["treebank"] for row in again.rows] == ["UD_Bad"] * 3 + ["UD_Small"] * 3


@pytest.mark.slow
def test_arc_standard_has_no_setting_c(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions.spelled(
        ("case",), seeds=1, iterations=1, system="arc-standard", oracle="static"
    )
    (row,) = run_experiment([small_files], options, tmp_path, {}).rows
    assert row["uas_delta"] is not None
    assert row["multiref_original_share"] is None
    assert row["pick_multiref"] is None


def test_cross_validation(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "UD_Test"
    folder.mkdir()
    shutil.copy(small / "xx-ud-train.conllu", folder / "xx-ud-test.conllu")
    options = ExperimentOptions.spelled(
        ("det", "mwe"), seeds=1, iterations=1, data=DataOptions("fold", folds=4)
    )
    outcome = run_experiment([locate_treebank(folder)], options, tmp_path / "run", {})
    assert outcome.failed == []
    det, mwe = outcome.rows
    assert det["sentences"] == 40
    assert det["test_sites"] == det["sites"] > 0
    assert (mwe["uas_delta"] is None) == (mwe["sites"] == 0)
    policy = json.loads((tmp_path / "run" / "config.json").read_bytes())["treebanks"][0]["split_policy"]
    assert "fold 1 of 4" in policy


def test_every_fold_is_scored_if_any_has_sites(tmp_path: Path) -> None:
    """One sentence of twelve has a site: in two of four folds it does not train."""
    sentences = read_conllu(DEMO / "demo-ud-train.conllu").sentences
    mwe = get_transformation("mwe", Conventions())
    with_site = next(s for s in sentences if mwe.sites(s.tree))
    without = [s for s in sentences if not mwe.sites(s.tree)][:11]
    folder = tmp_path / "UD_One"
    folder.mkdir()
    text = "\n\n".join("\n".join(s.lines) for s in [*without[:5], with_site, *without[5:]])
    (folder / "xx-ud-test.conllu").write_text(text + "\n\n", encoding="utf-8")
    options = ExperimentOptions.spelled(("mwe",), seeds=1, iterations=1, data=DataOptions("fold", folds=4))
    outcome = run_experiment([locate_treebank(folder)], options, tmp_path / "run", {})
    assert outcome.failed == []
    (row,) = outcome.rows
    survivals = [record.survival for record in stored(tmp_path / "run").values() if record.setting == "c"]
    assert sorted(own.sites > 0 for own in survivals if own) == [False, False, True, True]
    assert row["sites"] == row["test_sites"] > 0
    assert row["uas_delta"] is not None
    assert row["closest_uas_multiref"] is not None
    assert row["multiref_original_share"] + row["multiref_transformed_share"] <= 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ExperimentOptions.spelled(("case",), system="arc-eagr"), "arc-eager"),
        (ExperimentOptions.spelled(("case",), oracle="dynamc"), "unknown oracle"),
        (ExperimentOptions.spelled(("case",), system="arc-standard"), "not arc-decomposable"),
        (ExperimentOptions.spelled(("case",), tags="upos"), "unknown tags"),
        (ExperimentOptions.spelled(("case",), seeds=0), "--seeds 0"),
        (ExperimentOptions.spelled(("case",), iterations=0), "--iterations 0: give at least 1"),
        (ExperimentOptions.spelled(("case",), max_options=1), "--max-options 1: give at least 2"),
        (
            ExperimentOptions.spelled(("case",), nonprojective="raise"),
            "--nonprojective raise: give lift, drop",
        ),
        (
            ExperimentOptions.spelled(("case",), labels=cast(Any, "inner")),
            "--labels inner: give external or keep",
        ),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    small_files: TreebankFiles, tmp_path: Path, options: ExperimentOptions, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        run_experiment([small_files], options, tmp_path / "run", {})
    assert not (tmp_path / "run").exists()


def test_conditions_have_one_spelling() -> None:
    given = ("case", "cop:reattach=min", "cop", "cop:passive=guess,reattach=clause", "case")
    known = [annotation.spelling for annotation in annotations_typed(given)]
    assert known == ["case", "cop", "cop:passive=guess,reattach=clause"]


def test_a_process_keeps_one_treebank_and_one_fold() -> None:
    for function in (fold._read_folds, fold._fold_of):
        assert function.cache_info().maxsize == 1


def test_the_configuration_repeats_the_run(small_files: TreebankFiles) -> None:
    plan = make_plan([small_files], OPTIONS)
    config = run_configuration(plan, {"command": "run"})
    assert json.loads(json.dumps(config)) == run_configuration(plan, {"command": "run"}) | {
        "options": json.loads(json.dumps(OPTIONS.as_json()))
    }
    assert set(config["versions"]) >= {"learnability", "numpy", "numba", "python"}


def test_a_scheme_that_changed_may_not_be_resumed(small_files: TreebankFiles, tmp_path: Path) -> None:
    scheme = tmp_path / "own.toml"
    text = 'name = "own"\n[[transform]]\nname = "adposition"\nkind = "head-inversion"\nlabels = ["{}"]\n'
    scheme.write_text(text.format("case"))
    options = ExperimentOptions.spelled((f"scheme:{scheme}",), seeds=1, iterations=1)
    run_experiment([small_files], options, tmp_path / "run", {})
    (tmp_path / "run" / "results.csv").unlink()
    scheme.write_text(text.format("det"))
    with pytest.raises(InputError, match="started with other arguments"):
        run_experiment([small_files], options, tmp_path / "run", {}, resume=True)

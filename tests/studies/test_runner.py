"""Experiments from beginning to end on a small treebank: parallel, killed, failing, resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out, foreseen_cells, interrupt, planned, study_of
from disturbing import records_in, start, wait_for_records, workers_of
from result_rows import hand_rows
from run_data import both_result_of, stored, training_of
from small_treebanks import DEMO, small_treebank

from learnability.comparing import fold
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import BothResult
from learnability.errors import InputError
from learnability.running.config import read_config
from learnability.running.engine import compute_cells
from learnability.running.folder import is_finished
from learnability.running.records import Records, read_records
from learnability.running.workers import Failure, InThisProcess, Workers
from learnability.studies.run_config import run_config, stored_studies
from learnability.studies.runner import report_run, workload
from learnability.support import signals
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Conventions

OPTIONS = ExperimentOptions.spell_annotations(("case", "det", "name"), seeds=2, iterations=2)
ARGUMENTS = ["--transform", "case", "--transform", "det", "--transform", "name", "--seeds", "2"]


def run(files: TreebankFiles, out: Path, **options: Any) -> Any:
    return carried_out(files, OPTIONS, out, **options)


@pytest.fixture(scope="module")
def undisturbed(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    assert not run(locate_treebank(small), out).failed
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


def test_setting_c_trains_as_long_as_setting_a(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions.spell_annotations(("case",), seeds=1, iterations=None)
    carried_out(small_files, options, tmp_path)
    records = stored(tmp_path)
    a, c = training_of(records["a//1/0"]), both_result_of(records["c/case/1/0"])
    assert a.iterations == len(a.dev_uas) == c.iterations == len(c.base_share)


def begin(small: Path, out: Path, *more: str, **options: Any) -> subprocess.Popen[bytes]:
    given = ("--treebank", small, "--out", out, "--iterations", "2", "--jobs", "2")
    return start("run", "--test-set", *given, *ARGUMENTS, *more, **options)


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
        trainings = sum(
            record.work is not None for record in read_records(tmp_path / "records.jsonl").values()
        )
        kept_trainings = "1 training" if trainings == 1 else f"{trainings} trainings"
        assert errors.decode().splitlines()[-1] == (
            f"learnability: interrupted; {kept_trainings} kept; continue with the same command and --resume"
        )
        assert b"Traceback" not in errors
    kept = records_in(tmp_path)
    assert kept >= 2
    with begin(small, tmp_path, "--resume") as process:
        process.communicate()
    assert results(tmp_path) == results(undisturbed)


def test_an_interrupt_during_the_report_says_what_is_kept(
    small_files: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(_: object) -> dict[str, bytes]:
        raise KeyboardInterrupt

    monkeypatch.setattr(signals, "_kept", [])
    options = ExperimentOptions.spell_annotations(("case",), seeds=1, iterations=1)
    with pytest.raises(KeyboardInterrupt):
        carried_out(small_files, options, tmp_path / "run", report=report)
    trainings = sum(bool(record.work) for record in read_records(tmp_path / "run" / "records.jsonl").values())
    assert trainings == 3
    assert signals.kept_work() == "3 trainings kept"
    assert not is_finished(tmp_path / "run")


def test_the_largest_treebank_comes_first_and_stays_together(tmp_path: Path) -> None:
    small_treebank(tmp_path, "UD_A")
    big = small_treebank(tmp_path, "UD_B")
    train = big / "xx-ud-train.conllu"
    train.write_bytes(train.read_bytes() * 2)
    plan = planned([locate_treebank(tmp_path / name) for name in ("UD_A", "UD_B")], OPTIONS)
    cells = foreseen_cells(plan)
    assert list(dict.fromkeys(cell.treebank for cell in cells)) == ["UD_B", "UD_A"]
    assert sorted(cell.treebank for cell in cells) == ["UD_A"] * 17 + ["UD_B"] * 17
    assert len({cell.key for cell in cells}) == 34


def test_data_that_changed_under_the_run_is_a_failure(tmp_path: Path, small_files: TreebankFiles) -> None:
    plan = planned(small_files, OPTIONS)
    facts = replace(plan.facts[0], sha256=dict.fromkeys(plan.facts[0].sha256, "0"))
    wrong = replace(plan, facts=(facts,))
    load = workload(wrong, [study_of(wrong, asked("run"))])
    _, failure = next(compute_cells(load, Records(), Workers([InThisProcess()], slots=1)))
    assert isinstance(failure, Failure)
    assert "has changed since the run began" in failure.reason


def test_a_treebank_that_cannot_be_used_is_recorded_or_refused(
    tmp_path: Path, small_files: TreebankFiles, undisturbed: Path
) -> None:
    folder = small_treebank(tmp_path, "UD_Bad")
    dev = folder / "xx-ud-dev.conllu"
    good = dev.read_bytes()
    dev.write_bytes(good.replace(b"\t0\t", b"\t99\t", 1))
    both = [locate_treebank(folder), small_files]
    with pytest.raises(InputError, match=r"xx-ud-dev\.conllu"):
        carried_out(both, OPTIONS, tmp_path / "refused")
    outcome = carried_out(both, OPTIONS, tmp_path / "run", keep_going=True)
    (failed,) = outcome.failed
    assert failed.treebank == "UD_Bad"
    assert "99" in str(failed.failed)
    assert report_run(tmp_path / "run", None).failed == outcome.failed
    assert results(tmp_path / "run") == results(undisturbed)
    dev.write_bytes(good)
    again = carried_out(both, OPTIONS, tmp_path / "run", keep_going=True, resume=True)
    assert not again.failed
    assert not report_run(tmp_path / "run", None).failed
    assert [row.treebank for row in again.rows] == ["UD_Bad"] * 3 + ["UD_Small"] * 3


def test_every_fold_is_scored_if_any_has_places(tmp_path: Path) -> None:
    """One sentence of twelve has a site: in two of four folds it does not train."""
    sentences = read_conllu(DEMO / "demo-ud-train.conllu").sentences
    mwe = get_transformation("mwe", Conventions())
    with_place = next(s for s in sentences if mwe.places(s.tree))
    without = [s for s in sentences if not mwe.places(s.tree)][:11]
    folder = tmp_path / "UD_One"
    folder.mkdir()
    text = "\n\n".join("\n".join(s.lines) for s in [*without[:5], with_place, *without[5:]])
    (folder / "xx-ud-test.conllu").write_text(text + "\n\n", encoding="utf-8")
    options = ExperimentOptions.spell_annotations(
        ("mwe",), seeds=1, iterations=1, data=DataOptions(cross_validate=4)
    )
    outcome = carried_out([locate_treebank(folder)], options, tmp_path / "run")
    assert not outcome.failed
    (row,) = hand_rows(outcome)
    survivals = [
        record.result_as(BothResult) for record in stored(tmp_path / "run").values() if record.setting == "c"
    ]
    assert sorted(survival.places > 0 for survival in survivals if survival) == [False, False, True, True]
    assert row["places"] == row["test_places"] > 0
    assert row["uas_delta"] is None  # one place is too few
    assert row["trained_on_both_base"] + row["trained_on_both_alternative"] <= 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"parsers": ("arc-eagr",)}, "arc-eager"),
        ({"parsers": ("arc-eager:dynamc",)}, "dynamc"),
        ({"parsers": ("arc-standard:dynamic",)}, "parser arc-standard: there is no value 'dynamic'"),
        ({"tags": "upos"}, "`tags='upos'` is not accepted"),
        ({"seeds": 0}, "`seeds=0`"),
        ({"iterations": 0}, "`iterations=0` is not accepted; use a number from 1 to 1,000"),
        ({"max_options": 1}, "`max_options=1` is not accepted; use a number from 2 to 1,048,576"),
        (
            {
                "seeds": 1000,
                "data": DataOptions(cross_validate=100),
                "parsers": ("graph", "arc-eager", "easy-first", "covington"),
            },
            "these are 1,200,000 trainings, more than 1,000,000; use fewer `seeds`, or a smaller `cross_val",
        ),
        ({"nonprojective": "raise"}, "`nonprojective='raise'` is not accepted; use lift or drop"),
        ({"labels": "inner"}, "`labels='inner'` is not accepted; use external or keep"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    small_files: TreebankFiles, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        carried_out(small_files, ExperimentOptions.spell_annotations(("case",), **options), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_process_keeps_one_treebank_and_the_folds_of_a_small_one(
    small_files: TreebankFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fold._read_folds.cache_info().maxsize == 1
    data = DataOptions(cross_validate=3)
    options = ExperimentOptions.spell_annotations(("case",), parsers=("arc-eager",), data=data)
    first = fold.fold_of(small_files, options, 0)
    assert fold.fold_of(small_files, options, 1) is not first
    assert fold.fold_of(small_files, options, 0) is first
    fold.fold_of(small_files, replace(options, seeds=7), 0)
    assert len(fold._folds) == 1
    monkeypatch.setattr(fold, "KEPT_TOKENS", 0)
    fold.fold_of(small_files, replace(options, seeds=7), 1)
    assert len(fold._folds) == 1


def test_the_configuration_repeats_the_run(undisturbed: Path, small_files: TreebankFiles) -> None:
    config = read_config(undisturbed / "config.json")
    assert ExperimentOptions.of_config(config) == OPTIONS
    (study,) = stored_studies(config)
    assert study == asked("run")
    plan = planned(small_files, ExperimentOptions.of_config(config))
    again = run_config(plan, [study], config.arguments, out=undisturbed).through_json()
    records = len(read_records(undisturbed / "records.jsonl"))
    finished = {"tables": ["results.csv", "scores.csv"], "run": []}
    assert replace(again, finished=finished, records=records) == config
    assert set(config.versions) >= {"learnability", "numpy", "numba", "python"}


def test_a_run_of_a_study_that_is_unknown_is_refused(undisturbed: Path) -> None:
    config = read_config(undisturbed / "config.json")
    with pytest.raises(InputError, match=r"the study 'dance' is unknown; .* one of run, settle, predict"):
        stored_studies(replace(config, studies={"dance": {}}))
    with pytest.raises(InputError, match=r"options of settle in .*; run settle again"):
        stored_studies(replace(config, studies={"settle": {"folds": "many"}}))


def test_a_scheme_that_changed_may_not_be_resumed(small_files: TreebankFiles, tmp_path: Path) -> None:
    scheme = tmp_path / "own.toml"
    text = 'name = "own"\n[[transform]]\nname = "adposition"\nkind = "head-inversion"\nlabels = ["{}"]\n'

    def options() -> ExperimentOptions:
        return ExperimentOptions.spell_annotations((f"scheme:{scheme}",), seeds=1, iterations=1)

    scheme.write_text(text.format("case"))
    carried_out(small_files, options(), tmp_path / "run")
    interrupt(tmp_path / "run")
    scheme.write_text(text.format("det"))
    with pytest.raises(InputError, match=r"the scheme scheme:.*own.toml has changed since the run"):
        carried_out(small_files, options(), tmp_path / "run", resume=True)

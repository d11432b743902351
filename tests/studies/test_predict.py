"""Runs that predict: what is trained and what is not, and the files they write."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from learnability.running.plan import ROUNDS, Cell
from learnability.running.recheck import recheck
from learnability.running.runner import Outcome, check_options, run_experiment
from run_data import plan
from small_treebanks import small_treebank

from learnability import InputError, read_results
from learnability.comparing.annotation import Annotation, Condition
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import PairResult, Record, decode
from learnability.evidence.decisions import PREDICTED
from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import gather
from learnability.running.records import read_records
from learnability.studies.predict.study import FEWEST, PREDICTIONS, UNDECIDED, predicted
from learnability.support.progress import Stages
from learnability.treebanks.locate import TreebankFiles, locate_treebank

OPTIONS = ExperimentOptions(("case", "det"), seeds=1, quick=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TreebankFiles:
    """A treebank with enough sentences for short trainings."""
    return locate_treebank(small_treebank(tmp_path_factory.mktemp("enough"), train=130))


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS, **more: Any) -> Outcome:
    return run_experiment([files], options, out, {}, **more)


def trained(out: Path) -> Counter[tuple[str, str]]:
    """How many records of each setting and condition have a result."""
    records = read_records(out / "records.jsonl", decode).values()
    return Counter((r.setting, r.condition) for r in records if r.work is not None)


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "predictions.csv").read_text(encoding="utf-8").splitlines()))


def pair(lead: int, sentences: int = 200, changed: int = 400) -> PairResult:
    """A short training in which UD has `lead` more tokens right than the other, one per sentence."""
    tokens, original = [10] * sentences, [8] * sentences
    other = [8 - (i < lead) + (i < -lead) for i in range(sentences)]
    facts = {"iterations": 8, "kernel_seconds": 0.1, "trained_tokens": 1000, "test_tokens": 2000}
    return PairResult(tokens=tokens, original=original, transformed=other, changed=changed, **facts)


def of_case(*pairs: tuple[float, PairResult], **more: Any) -> Any:
    return predicted(Condition(Annotation(), Annotation("case")), "UD_X", pairs, **more)


def test_a_clear_lead_is_decided_and_a_small_one_is_not() -> None:
    ahead, behind, open_ = (of_case((1 / 4, pair(lead))) for lead in (120, -120, 0))
    assert (ahead.side(0.9), behind.side(0.9), open_.side(0.9)) == ("original", "transformed", UNDECIDED)
    assert ahead.probability > 0.9 > open_.probability > 0.1 > behind.probability
    low, high = open_.interval
    assert low < open_.after.mean < high
    assert of_case((1 / 4, pair(30))).side(0.9999) == UNDECIDED
    # 6 % of the tokens: the lead in points
    assert ahead.difference == pytest.approx(6.0)


def test_another_parser_is_predicted_with_less_certainty() -> None:
    own, other = (of_case((1 / 4, pair(60)), another=another) for another in (False, True))
    assert 0.5 < other.probability < own.probability


def test_nothing_is_predicted_where_no_token_changes() -> None:
    same = of_case((1 / 4, pair(0, changed=0)))
    assert same.side(0.5) == UNDECIDED
    assert same.changed == 0


def test_nothing_is_predicted_from_a_few_sentences() -> None:
    tested = round(FEWEST * 3 / 4)  # three quarters of the sample
    few, enough = (of_case((1 / 4, pair(60, sentences=count))) for count in (tested - 1, tested))
    assert few.side(0.5) == UNDECIDED != enough.side(0.5)
    assert of_case().side(0.5) == UNDECIDED


def test_a_scheme_of_one_transformation_is_that_transformation() -> None:
    both = (Condition(Annotation(), Annotation(name)) for name in ("cc", "scheme:prague", "scheme:cc+det"))
    cc, prague, more = (predicted(condition, "UD_X", [(1 / 4, pair(20))]) for condition in both)
    assert cc == prague
    assert cc.before.mean > 0 == more.before.mean


def test_cross_validation_is_refused(tmp_path: Path) -> None:
    small_treebank(tmp_path)
    (tmp_path / "UD_Small" / "xx-ud-train.conllu").unlink()
    data = DataOptions(missing_train="fold", folds=3)
    with pytest.raises(InputError, match="--quick does not cross-validate"):
        run(locate_treebank(tmp_path / "UD_Small"), tmp_path / "run", replace(OPTIONS, data=data))


def test_no_mean_over_treebanks_of_what_was_hard_to_predict(files: TreebankFiles, tmp_path: Path) -> None:
    run(files, tmp_path, replace(OPTIONS, judges=("arc-eager",), threshold=1.0))
    with pytest.raises(InputError, match="is a run of --quick, which trains in full only"):
        gather([read_run(tmp_path)])


def test_a_short_training_needs_the_earlier_ones_of_its_condition() -> None:
    own = plan(conditions=("case", "det"), quick=True)
    cells = own.cells()
    assert [(c.setting, c.annotation, c.share, c.seed) for c in cells] == [
        ("short", Annotation(name), share, seed) for name in ("case", "det") for share, seed in ROUNDS
    ]
    assert own.needed(cells[0]) == ()
    assert own.needed(cells[2]) == (cells[0], cells[1])
    assert own.needed(cells[4]) == (cells[3],)


def test_judges_need_all_short_trainings() -> None:
    own = plan(conditions=("case", "det"), quick=True, judges=("arc-eager",))
    short = [cell for cell in own.cells() if cell.setting == "short"]
    of = {
        setting: next(c for c in own.cells() if c.setting == setting)
        for setting in ("a", "b", "measures", "c")
    }
    assert own.needed(of["a"]) == tuple(short)
    assert own.needed(of["b"]) == own.needed(of["measures"]) == tuple(short[: len(ROUNDS)])
    assert own.needed(of["c"]) == (of["a"], *short[: len(ROUNDS)])
    # without predictions nothing of this is asked for
    plain = plan(conditions=("case", "det"), judges=("arc-eager",))
    assert all(cell.setting != "short" for cell in plain.cells())
    assert plain.needed(of["b"]) == ()


def test_trainings_go_on_until_a_side_is_decided(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path / "all", replace(OPTIONS, threshold=1.0))
    assert trained(tmp_path / "all") == {("short", "case"): len(ROUNDS), ("short", "det"): len(ROUNDS)}
    first, *_ = outcome.predictions
    assert first.prediction.trainings == len(ROUNDS)
    # at a threshold that the first short training reaches, it is the only one
    alone = predicted(first.condition, "UD_Small", [(r.share, r.pair) for r in outcome.records[:1] if r.pair])
    sure = max(alone.probability, 1 - alone.probability)
    run(files, tmp_path / "one", replace(OPTIONS, threshold=sure))
    assert trained(tmp_path / "one")["short", "case"] == 1
    assert rows(tmp_path / "one")[0]["trainings"] == "1"
    run(files, tmp_path / "two", replace(OPTIONS, threshold=min(1.0, sure + 1e-9)))
    assert trained(tmp_path / "two")["short", "case"] > 1


def test_files_of_a_run_that_only_predicts(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= {"predictions.csv", "results.csv", "records.jsonl"}
    assert [list(row) for row in rows(tmp_path)] == [[column.name for column in PREDICTIONS]] * 2
    decided = {own.condition.transformed.spelling for own in outcome.predictions if own.side != UNDECIDED}
    assert [row.decision() == PREDICTED for row in outcome.rows] == [
        row.name in decided for row in outcome.rows
    ]
    assert all(row.difference() is None for row in outcome.rows)
    read = read_results(tmp_path)
    assert (read["uas_decision"] == PREDICTED).tolist() == [row.name in decided for row in outcome.rows]


def test_the_same_bytes_stopped_and_in_several_processes(
    files: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = replace(OPTIONS, judges=("arc-eager",))
    whole, stopped, several = (tmp_path / name for name in ("whole", "stopped", "several"))
    run(files, whole, options)
    run(files, stopped, options)
    lines = (stopped / "records.jsonl").read_bytes().splitlines(keepends=True)
    (stopped / "records.jsonl").write_bytes(b"".join(lines[:3]))
    (stopped / "results.csv").unlink()
    run(files, stopped, options, resume=True)
    monkeypatch.setattr("learnability.running.runner.WORKER_SECONDS", 1e-6)
    run(files, several, options, jobs=2)
    for name in ("predictions.csv", "results.csv"):
        assert (whole / name).read_bytes() == (stopped / name).read_bytes() == (several / name).read_bytes()


def test_judges_are_asked_about_what_is_undecided(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path, replace(OPTIONS, threshold=1.0))
    sure = {
        one.condition.transformed.spelling: max(one.prediction.probability, 1 - one.prediction.probability)
        for one in outcome.predictions
    }
    between = sum(sure.values()) / 2
    (clear,) = [name for name, value in sure.items() if value > between]
    (open_,) = [name for name, value in sure.items() if value < between]
    options = replace(OPTIONS, judges=("arc-eager",), threshold=between)
    judged = run(files, tmp_path / "judged", options)
    found = trained(tmp_path / "judged")
    assert found["a", ""] == found["b", open_] == found["c", open_] == 1
    assert found["b", clear] == found["c", clear] == 0
    decisions = {row.name: row.decision() for row in judged.rows}
    assert decisions[clear] == PREDICTED != decisions[open_]
    assert next(row for row in judged.rows if row.name == open_).difference() is not None
    # all are decided: nothing is trained
    run(files, tmp_path / "none", replace(options, threshold=0.5))
    assert {setting for setting, _ in trained(tmp_path / "none")} == {"short"}


def test_a_finished_run_is_rechecked(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path)
    done = recheck(tmp_path, dict(outcome.config), [files], share=1.0, seed=1, jobs=1, stages=Stages())
    assert (done.repeated, done.differences) == (len(outcome.plan.cells()), ())
    lines = (tmp_path / "records.jsonl").read_bytes().splitlines(keepends=True)
    record = decode(lines[0])
    assert record.pair is not None
    wrong = Cell(record.treebank, "short", Annotation(record.condition), 1, share=record.share)
    (tmp_path / "records.jsonl").write_bytes(
        b"".join(lines).replace(
            b'"changed":%d' % record.pair.changed, b'"changed":%d' % (record.pair.changed + 1)
        )
    )
    again = recheck(tmp_path, dict(outcome.config), [files], share=1.0, seed=1, jobs=1, stages=Stages())
    assert any(line.startswith(wrong.key) for line in again.differences)
    assert "predictions.csv: is not what the records give" in again.differences


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quick": False, "threshold": 0.8}, "--threshold: goes with --quick"),
        ({"labels": "external"}, "--quick predicts UAS of whole trainings: leave out --labelled"),
        ({"iterations": 3}, "leave out --iterations"),
        ({"joint": True}, "leave out --joint"),
        ({"learning_curve": True}, "leave out --learning-curve"),
        ({"threshold": 0.4}, "--threshold 0.4: give a number from 0.5 to 1"),
        ({"threshold": float("nan")}, "--threshold nan: give a number from 0.5 to 1"),
        ({"system": "covington"}, "--quick predicts by arc-eager; write --judge SYSTEM:ORACLE"),
        ({"oracle": "explore"}, "--quick predicts by arc-eager; write --judge SYSTEM:ORACLE"),
    ],
)
def test_what_cannot_be_predicted(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_options(replace(OPTIONS, **changes))


def test_settings_of_other_runs_are_as_before() -> None:
    assert "quick" not in ExperimentOptions(("case",)).as_json()
    assert "threshold" not in ExperimentOptions(("case",)).as_json()
    assert OPTIONS.as_json()["threshold"] == ExperimentOptions.threshold
    record = Cell("UD_X", "short", Annotation("case"), 2, share=0.25).record()
    assert isinstance(record, Record)
    assert record.key == "UD_X/short/case/2/0/0.25"


def test_short_trainings_are_made_once_and_not_in_every_fold() -> None:
    own = plan(conditions=("case",), quick=True, judges=("arc-eager", "covington"), folds=3)
    keys = [cell.key for cell in own.cells()]
    assert len(set(keys)) == len(keys)
    short = [cell for cell in own.cells() if cell.setting == "short"]
    assert [(cell.fold, cell.judge) for cell in short] == [(0, "")] * len(ROUNDS)


def test_short_trainings_are_of_our_own_parser(files: TreebankFiles, tmp_path: Path) -> None:
    options = replace(OPTIONS, conditions=("det",), threshold=0.5)
    found = []
    for name, judges in (("alone", ()), ("judged", ("covington",))):
        records = run(files, tmp_path / name, replace(options, judges=judges)).records
        found.append([record.pair.transformed for record in records if record.pair])
    assert found[0] == found[1] != []


def test_a_run_that_does_not_predict_takes_the_predictions_away(files: TreebankFiles, tmp_path: Path) -> None:
    run(files, tmp_path)
    run(files, tmp_path, ExperimentOptions(("det",), seeds=1, iterations=1), force=True)
    assert not (tmp_path / "predictions.csv").exists()


def test_judges_are_asked_where_no_short_training_can_be_made(tmp_path: Path) -> None:
    small_treebank(tmp_path)
    train = tmp_path / "UD_Small" / "xx-ud-train.conllu"
    train.write_text(train.read_text(encoding="utf-8").split("\n\n")[0] + "\n\n", encoding="utf-8")
    options = replace(OPTIONS, conditions=("det",), judges=("arc-eager",), threshold=0.5)
    outcome = run(locate_treebank(tmp_path / "UD_Small"), tmp_path / "run", options)
    assert [one.side for one in outcome.predictions] == [UNDECIDED]
    assert trained(tmp_path / "run")["b", "det"] == 1

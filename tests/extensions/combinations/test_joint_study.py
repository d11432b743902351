"""Joint trainings: what they report, and what they wait for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out, planned, study_of
from run_data import trained as trained_by_hand

from learnability.comparing.cells import BaseCell, OwnCell
from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.extensions.combinations.joint_outcome import JointReport, joint_cell, joint_report
from learnability.extensions.combinations.joint_preferences import (
    JointSurvival,
    SchemeAgreement,
    TransformSurvival,
)
from learnability.extensions.combinations.joint_training import JointCell, JointTraining, train_joint
from learnability.extensions.combinations.rungs import space_cell
from learnability.extensions.combinations.space import Choice, Space
from learnability.reports.story import RunStory
from learnability.running.records import Record, Records
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles, locate_treebank

NAMES = ("case", "det", "cc")
OPTIONS = ExperimentOptions.spell_annotations(NAMES, seeds=2, iterations=3)
COMBINATIONS = asked("combinations")


@pytest.fixture(scope="module")
def outcome(small: Path, tmp_path_factory: pytest.TempPathFactory) -> RunStory:
    """A run that nothing disturbed."""
    return run(locate_treebank(small), tmp_path_factory.mktemp("run"))


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS, **more: Any) -> RunStory:
    return carried_out(files, options, out, COMBINATIONS, **more)


def report_of(outcome: RunStory) -> JointReport:
    report = joint_report(outcome.plan, outcome.records)
    assert report is not None
    return report


def test_report(small_files: TreebankFiles, outcome: RunStory) -> None:
    report = report_of(outcome)
    assert not outcome.failed
    assert report.transforms == NAMES
    fold = fold_of(small_files, OPTIONS, 0)
    assert report.sentences == len(fold.ud.train)
    for entry in report.survival.survival:
        rule = get_transformation(entry.transform, fold.treebank.conventions)
        assert entry.places == sum(len(rule.places(tree)) for tree in fold.ud.train)
        assert 0 <= entry.alternative_share <= 1
    assert (report.survival.seeds, report.iterations) == (2, (3, 3))
    assert (report.factors_cut, len(report.survival.schemes)) == (0, 8)
    once = [train_joint(fold, seed, 3) for seed in (1, 2)]
    for i, entry in enumerate(report.survival.survival):
        shares = [training.survival.survival[i].alternative_share for training in once]
        assert entry.alternative_share == pytest.approx(sum(shares) / 2)
    advised = report.survival.advised.transforms
    assert report.advised_in == sum(one.survival.advised.transforms == advised for one in once)


def test_the_file_has_no_times_and_is_what_the_report_says(outcome: RunStory) -> None:
    text = (outcome.folder / "combinations.json").read_text()
    assert "seconds" not in text
    report = report_of(outcome)
    written = json.loads(text)["joint"]
    assert written == json.loads(json.dumps(report.as_json()))
    assert written["advised"]["transforms"] == list(report.advised)


def test_a_labelled_training_prefers_something_else(small_files: TreebankFiles) -> None:
    options = ExperimentOptions.spell_annotations(("case", "det"), seeds=1, iterations=2, labels="external")
    fold = fold_of(small_files, options, 0)
    assert fold.parser_options.labelled
    labelled = train_joint(fold, 1, 2)
    assert labelled.factors_cut == 0
    heads_only = train_joint(fold_of(small_files, replace(options, labels=None), 0), 1, 2)
    assert labelled.places == heads_only.places
    assert labelled.survival != heads_only.survival


def test_cells_wait_for_what_they_need(small_files: TreebankFiles) -> None:
    study = study_of(planned(small_files, OPTIONS), COMBINATIONS)
    records = Records()

    def left() -> list[Any]:
        cells = [cell for cell in study.next_cells(records) if cell.key not in records]
        return [cell for cell in cells if cell.SETTING == "joint"]

    def done(cell: Any, result: Any) -> None:
        records.add(Record.of(cell, result))

    def on_ud(seed: int) -> None:
        cell = OwnCell(treebank="UD_Small", parser="arc-eager", seed=seed)
        done(cell, trained_by_hand([1], [2], iterations=6 + seed))

    agreement = [
        SchemeAgreement(names, 0.5, 0.5, value)
        for names, value in (
            (("case", "cc"), 0.9), (("case",), 0.8), ((), 0.7), (("case", "det", "cc"), 0.6),
            (("det",), 0.5), (("det", "cc"), 0.4),
        )
    ]  # fmt: skip
    survival = JointSurvival(1, tuple(TransformSurvival(n, 9, 0.5, 0.1) for n in NAMES), (), tuple(agreement))
    joint = JointTraining(
        iterations=7, kernel_seconds=1.0, trained_tokens=1, sentences=1, places=1, factors=1,
        largest_factor=1, largest_set=1, factors_in_parts=0, factors_cut=0, survival=survival,
    )  # fmt: skip
    done(space_cell(study.plan), Space(tuple(Choice(name, 9) for name in NAMES), (), 100))
    assert left() == []
    on_ud(1)
    (first,) = left()
    assert (first.SETTING, first.seed, first.iterations) == (
        "joint",
        1,
        7,
    )  # as long as on UD
    done(first, joint)
    assert left() == []
    on_ud(2)
    (second,) = left()
    assert (second.SETTING, second.seed, second.iterations) == ("joint", 2, 8)
    done(second, joint)
    assert left() == []


def test_what_waits_for_a_failed_training_is_not_computed(
    small_files: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise MemoryError("too large")

    options = ExperimentOptions.spell_annotations(("case", "det"), seeds=1, iterations=1)
    monkeypatch.setattr("learnability.extensions.combinations.joint_training.train_joint", broken)
    found = run(small_files, tmp_path, options)
    failed = {record.key: record.failed for record in found.failed}
    assert failed == {"UD_Small/joint//1/0/parser=arc-eager": "MemoryError: too large"}
    assert joint_report(found.plan, found.records) is None
    assert not (tmp_path / "combinations.json").exists()
    monkeypatch.undo()
    assert not run(small_files, tmp_path, options, resume=True).failed
    assert (tmp_path / "combinations.json").exists()


def test_a_joint_training_takes_about_twice_as_long(small_files: TreebankFiles) -> None:
    plan = planned(small_files, OPTIONS)
    cell = joint_cell(plan, 1)
    assert isinstance(cell, JointCell)
    base = BaseCell(treebank=cell.treebank, parser=cell.parser)
    assert cell.seconds(OPTIONS, 1000) == pytest.approx(2 * base.seconds(OPTIONS, 1000))


def test_the_first_parser_with_a_dynamic_oracle_is_trained(small_files: TreebankFiles) -> None:
    options = ExperimentOptions.spell_annotations(NAMES, parsers=("arc-standard", "arc-hybrid"))
    assert joint_cell(planned(small_files, options)).parser == "arc-hybrid"

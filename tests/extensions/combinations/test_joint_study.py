"""The joint training in a run: what it reports, the check of its advice, and that it survives being cut."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out, extended, foreseen_cells, interrupt, planned, study_of
from result_rows import hand_rows
from run_data import stored
from run_data import trained as trained_by_hand

from learnability.comparing.annotated_folds import transformed_parts
from learnability.comparing.cells import BaseCell
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import TrainingResult
from learnability.comparing.trainings import train_and_test
from learnability.errors import InputError
from learnability.extensions.combinations.joint.outcome import JointReport, _ranks, joint_report
from learnability.extensions.combinations.joint.products import (
    JointSurvival,
    SchemeAgreement,
    TransformSurvival,
)
from learnability.extensions.combinations.joint.training import JointCell, JointTraining, train_joint
from learnability.metrics.scores import Score
from learnability.running.records import Record, Records
from learnability.statistics.holm import holm
from learnability.statistics.significance import compare
from learnability.studies.runner import Asked, RunOutcome
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles, locate_treebank

NAMES = ("case", "det", "cc")
OPTIONS = ExperimentOptions.spell_annotations(NAMES, seeds=2, iterations=3)
JOINT = asked("joint", verify=5)


@pytest.fixture(scope="module")
def outcome(small: Path, tmp_path_factory: pytest.TempPathFactory) -> RunOutcome:
    """A run that nothing disturbed."""
    return run(locate_treebank(small), tmp_path_factory.mktemp("run"))


def run(
    files: TreebankFiles,
    out: Path,
    options: ExperimentOptions = OPTIONS,
    study: Asked = JOINT,
    **more: Any,
) -> RunOutcome:
    return carried_out(files, options, out, asked("run"), study, **more)


def report_of(outcome: RunOutcome, verify: int = 5) -> JointReport:
    report = joint_report(outcome.plan, outcome.content.records, verify)
    assert report is not None
    return report


def trained(fold: Fold, transforms: tuple[str, ...], seed: int) -> TrainingResult:
    """A training on these transformations together, by itself."""
    names = [name for name in NAMES if name in transforms]
    rule = JointTransformation([get_transformation(name, fold.treebank.conventions) for name in names])
    return TrainingResult.of(train_and_test(fold, transformed_parts(fold, rule), seed))


def test_report(small_files: TreebankFiles, outcome: RunOutcome) -> None:
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
    assert report.uas_base == pytest.approx(hand_rows(outcome)[0]["uas_base"])
    once = [train_joint(fold, seed, 3) for seed in (1, 2)]
    for i, entry in enumerate(report.survival.survival):
        shares = [training.survival.survival[i].alternative_share for training in once]
        assert entry.alternative_share == pytest.approx(sum(shares) / 2)
    advised = report.survival.advised.transforms
    assert report.advised_in == sum(one.survival.advised.transforms == advised for one in once)


def test_verification_ranks_by_own_reference_uas(small_files: TreebankFiles, outcome: RunOutcome) -> None:
    report = report_of(outcome)
    by_name = {scheme.transforms: scheme for scheme in report.verified}
    assert {(), ("case",), ("det",), ("cc",)} <= by_name.keys()
    assert {s.transforms for s in report.survival.schemes[:5]} <= by_name.keys()
    assert by_name[report.survival.advised.transforms].why == "advised"
    fold = fold_of(small_files, OPTIONS, 0)
    both = {names: [trained(fold, names, seed) for seed in (1, 2)] for names in by_name}
    for transforms, scheme in by_name.items():
        scores = both[transforms]
        assert scheme.uas == pytest.approx(sum(one.percent("uas") for one in scores) / 2)
        assert (scheme.nucleus_uas is None) == ("cc" in transforms)
        if scheme.nucleus_uas is not None:
            assert scheme.nucleus_uas == pytest.approx(sum(one.nucleus_uas for one in scores) / 2)
        assert scheme.rank == 1 + sum(other.uas > scheme.uas for other in report.verified)
    total = [len(tree) for tree in fold.ud.test]
    for side, first in (("from_ud", ()), ("from_advised", report.survival.advised.transforms)):
        found = {names: getattr(scheme, side)[Score.UAS] for names, scheme in by_name.items()}
        assert found.pop(first) is None
        right = {names: [own.scores["uas"].correct for own in both[names]] for names in by_name}
        p_values = [compare(right[first], right[names], total).p_value for names in found]
        for (names, difference), p, corrected in zip(found.items(), p_values, holm(p_values), strict=True):
            assert difference.delta == pytest.approx(by_name[first].uas - by_name[names].uas)
            assert (difference.p_value, difference.p_holm) == pytest.approx((p, corrected))
    assert [s.uas for s in report.verified] == sorted((s.uas for s in report.verified), reverse=True)


def test_labelled_verification_has_las_beside_uas(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions.spell_annotations(("case", "det"), seeds=1, iterations=2, labels="external")
    outcome = run(small_files, tmp_path, options, asked("joint", verify=3), jobs=2)
    report = report_of(outcome, 3)
    assert report.factors_cut == 0
    assert report.las_base == pytest.approx(hand_rows(outcome)[0]["las_base"])
    fold = fold_of(small_files, options, 0)
    assert fold.parser_options.labelled
    assert {("case", "det"), ("case",), ("det",), ()} == {s.transforms for s in report.verified}
    scores = []
    for scheme in report.verified:
        training = trained(fold, scheme.transforms, 1)
        assert scheme.uas == pytest.approx(training.percent("uas"))
        assert scheme.las == pytest.approx(training.percent("las"))
        scores.append(scheme.las)
    for scheme in report.verified:
        assert scheme.las_rank == 1 + sum(other > scheme.las for other in scores)
    assert json.loads((tmp_path / "joint.json").read_text())["las_base"] == report.las_base
    # the survivors are those of a labelled training: not the same as without labels
    labelled = train_joint(fold, 1, 2)
    heads_only = train_joint(fold_of(small_files, replace(options, labels=None), 0), 1, 2)
    assert labelled.places == heads_only.places
    assert labelled.survival != heads_only.survival
    shares = [entry.alternative_share for entry in labelled.survival.survival]
    assert [entry.alternative_share for entry in report.survival.survival] == pytest.approx(shares)


def test_equal_scores_share_a_rank_whatever_their_last_digits() -> None:
    # 701 + 703 and 702 + 702 of 1174 heads, means over two seeds
    scores = [sum(100.0 * n / 1174 for n in pair) / 2 for pair in ((702, 702), (701, 703))]
    assert max(scores) != min(scores)
    assert _ranks([*scores, None, 1.0]) == [1, 1, None, 3]


def test_the_file_has_no_times_and_is_what_the_report_says(outcome: RunOutcome) -> None:
    text = (outcome.folder / "joint.json").read_text()
    assert "seconds" not in text
    report = report_of(outcome)
    assert json.loads(text) == json.loads(json.dumps(report.as_json()))
    assert json.loads(text)["advised"]["transforms"] == list(report.survival.advised.transforms)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("kept", [0, 3, 9])
def test_a_cut_run_resumes_to_the_same_bytes(
    small_files: TreebankFiles, outcome: RunOutcome, tmp_path: Path, jobs: int, kept: int
) -> None:
    out = tmp_path / "run"
    shutil.copytree(outcome.folder, out)
    interrupt(out)
    lines = (out / "records.jsonl").read_bytes().split(b"\n")
    order = [json.loads(line)["setting"] for line in lines[:-1]]
    # what waits for others comes first in the file: nothing may depend on the order
    lines = sorted(lines[:-1], key=lambda line: order[lines.index(line)] not in ("own", "joint"))
    (out / "records.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:kept]))
    assert not run(small_files, out, jobs=jobs, resume=True).failed
    for name in ("joint.json", "results.csv"):
        assert (out / name).read_bytes() == (outcome.folder / name).read_bytes()
    assert len(stored(out)) == (out / "records.jsonl").read_bytes().count(b"\n")


def test_cells_wait_for_what_they_need(small_files: TreebankFiles) -> None:
    study = study_of(planned(small_files, OPTIONS), JOINT)
    records = Records()

    def left() -> list[Any]:
        return [cell for cell in study.next_cells(records) if cell.key not in records]

    def done(cell: Any, result: Any) -> None:
        records.add(Record.of(cell, result))

    def base(seed: int) -> None:
        cell = BaseCell(treebank="UD_Small", parser="arc-eager", seed=seed)
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
    assert left() == []
    base(1)
    (first,) = left()
    assert (first.SETTING, first.seed, first.iterations) == ("joint", 1, 7)  # as long as (a) of its seed
    done(first, joint)
    assert left() == []
    base(2)
    (second,) = left()
    assert (second.SETTING, second.seed, second.iterations) == ("joint", 2, 8)
    done(second, joint)
    # of the five that agree most, those that the run has not trained
    assert [(cell.SETTING, cell.subject, cell.seed) for cell in left()] == [
        ("own", name, seed) for name in ("scheme:case+cc", "scheme:case+cc+det") for seed in (1, 2)
    ]
    assert [cell.SETTING for cell in study.plan_cells()] == ["joint", "joint"]


def test_what_waits_for_a_failed_training_is_not_computed(
    small_files: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise MemoryError("too large")

    options = ExperimentOptions.spell_annotations(("case", "det"), seeds=1, iterations=1)
    study = asked("joint", verify=4)
    monkeypatch.setattr("learnability.extensions.combinations.joint.training.train_joint", broken)
    found = run(small_files, tmp_path, options, study)
    failed = {record.key: record.failed for record in found.failed}
    assert failed == {"UD_Small/joint//1/0/parser=arc-eager": "MemoryError: too large"}
    assert "own" not in {record.setting for record in found.content.records.values()}
    assert joint_report(found.plan, found.content.records, 4) is None
    assert not (tmp_path / "joint.json").exists()
    assert (tmp_path / "results.csv").exists()
    assert found.content.rows[0].difference() is not None
    monkeypatch.undo()
    assert not run(small_files, tmp_path, options, study, resume=True).failed
    assert (tmp_path / "joint.json").exists()


def test_a_new_run_does_not_keep_the_joint_result_of_the_old_one(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    options = ExperimentOptions.spell_annotations(("case", "det"), seeds=1, iterations=1)
    run(small_files, tmp_path, options, asked("joint"))
    assert (tmp_path / "joint.json").exists()
    carried_out(small_files, options, tmp_path, force=True)
    assert not (tmp_path / "joint.json").exists()
    assert (tmp_path / "results.csv").exists()


def test_fewer_schemes_than_asked_for(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions.spell_annotations(("case", "mwe"), seeds=1, iterations=1)
    report = report_of(run(small_files, tmp_path, options, asked("joint", verify=8)), 8)
    assert len(report.verified) == len(report.survival.schemes) <= 4


def test_asked_of_a_finished_run_it_says_the_same(
    small_files: TreebankFiles, outcome: RunOutcome, tmp_path: Path
) -> None:
    """And asked again with a larger K it only trains what it has not trained yet."""
    assert not carried_out(small_files, OPTIONS, tmp_path).failed
    found = extended(tmp_path, small_files, asked("joint"))
    assert {record.setting for record in found.content.records.values()} == {
        "a",
        "b",
        "c",
        "measures",
        "joint",
    }
    before = (tmp_path / "records.jsonl").read_bytes()
    extended(tmp_path, small_files, JOINT)
    after = (tmp_path / "records.jsonl").read_bytes()
    assert after.startswith(before)
    assert {json.loads(line)["setting"] for line in after[len(before) :].splitlines()} <= {"own"}
    assert (tmp_path / "joint.json").read_bytes() == (outcome.folder / "joint.json").read_bytes()

    def ranking() -> dict[tuple[str, ...], int]:
        verified = json.loads((tmp_path / "joint.json").read_text())["verified"]
        return {tuple(scheme["transforms"]): scheme["rank"] for scheme in verified}

    ranked = ranking()
    extended(tmp_path, small_files, asked("joint"))  # without K it keeps the ranking
    assert (tmp_path / "records.jsonl").read_bytes() == after
    assert ranking() == ranked != {}


@pytest.mark.parametrize(
    ("pairs", "options", "verify", "said"),
    [
        (("case", "scheme:all"), {}, 0, "with two or more constructions"),
        (("cop", "cop:reattach=clause"), {}, 0, "cop occurs twice"),
        (("case", "det"), {}, -1, "`verify=-1` is not accepted; use a number from 1 to 1,000"),
        (("case", "det"), {"parsers": ("arc-standard",)}, 0, "arc-standard cannot train on both annotations"),
    ],
)
def test_what_cannot_be_is_refused_at_once(
    small_files: TreebankFiles,
    tmp_path: Path,
    pairs: tuple[str, ...],
    options: dict[str, Any],
    verify: int,
    said: str,
) -> None:
    experiment = ExperimentOptions.spell_annotations(pairs, **options)
    with pytest.raises(InputError, match=said):
        run(small_files, tmp_path / "run", experiment, asked("joint", verify=verify))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("study", ["joint", "curve"])
def test_one_treebank_and_no_cross_validation(small_files: TreebankFiles, tmp_path: Path, study: str) -> None:
    folded = ExperimentOptions.spell_annotations(("case", "det"), data=DataOptions(cross_validate=4))
    with pytest.raises(InputError, match=f"{study} does not work with cross-validation"):
        run(small_files, tmp_path / "run", folded, asked(study))
    two = [small_files, replace(small_files, name="UD_Other")]
    with pytest.raises(InputError, match=f"{study} works on one treebank, not 2"):
        carried_out(two, OPTIONS, tmp_path / "run", asked("run"), asked(study))
    assert not (tmp_path / "run").exists()


def test_a_joint_training_takes_about_twice_as_long(small_files: TreebankFiles) -> None:
    plan = planned(small_files, OPTIONS)
    (cell, *_) = foreseen_cells(plan, "joint")
    assert isinstance(cell, JointCell)
    base = BaseCell(treebank=cell.treebank, parser=cell.parser)
    assert cell.seconds(OPTIONS, 1000) == pytest.approx(2 * base.seconds(OPTIONS, 1000))

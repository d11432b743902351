"""The joint training in a run: what it reports, the check of its advice, and that it survives being cut."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from learnability.running.plan import Cell, Setting
from learnability.running.runner import Outcome, experiment_of, make_plan, run_experiment
from run_data import record, stored
from run_data import trained as trained_by_hand

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.on_fold import transformed_parts
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import Record, TrainingResult
from learnability.comparing.trainings import train_and_test
from learnability.errors import InputError
from learnability.metrics.scores import Score
from learnability.running.engine import Queue
from learnability.statistics.significance import compare, holm
from learnability.studies.joint.study import _ranks, train_joint
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles, locate_treebank

NAMES = ("case", "det", "cc")
OPTIONS = ExperimentOptions.spelled(NAMES, seeds=2, iterations=3, joint=True, verify=5)


@pytest.fixture(scope="module")
def outcome(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A run that nothing disturbed."""
    return run(locate_treebank(small), tmp_path_factory.mktemp("run"))


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS, **more: Any) -> Outcome:
    return run_experiment([files], options, out, {}, **more)


def trained(fold: Fold, transforms: tuple[str, ...], seed: int) -> TrainingResult:
    """A training on these transformations together, by itself."""
    names = [name for name in NAMES if name in transforms]
    rule = JointTransformation([get_transformation(name, fold.treebank.conventions) for name in names])
    return train_and_test(fold, transformed_parts(fold, rule), seed).record()


def cells(outcome: Outcome, setting: str) -> list[Cell]:
    return [cell for cell in outcome.plan.cells() if cell.setting == setting]


def test_report(small_files: TreebankFiles, outcome: Outcome) -> None:
    report = outcome.joint
    assert report is not None
    assert outcome.failed == []
    assert report.transforms == NAMES
    fold = fold_of(small_files, OPTIONS, 0)
    assert report.sentences == len(fold.ud.train)
    for entry in report.survival.survival:
        rule = get_transformation(entry.transform, fold.treebank.conventions)
        assert entry.sites == sum(len(rule.sites(tree)) for tree in fold.ud.train)
        assert 0 <= entry.transformed_share <= 1
    assert (report.survival.seeds, report.iterations) == (2, (3, 3))
    assert (report.factors_cut, len(report.survival.schemes)) == (0, 8)
    assert report.uas_ud == pytest.approx(outcome.rows[0]["uas_original"])
    once = [train_joint(fold, seed, 3) for seed in (1, 2)]
    for i, entry in enumerate(report.survival.survival):
        shares = [training.survival.survival[i].transformed_share for training in once]
        assert entry.transformed_share == pytest.approx(sum(shares) / 2)
    advised = report.survival.advised.transforms
    assert report.advised_in == sum(one.survival.advised.transforms == advised for one in once)


def test_verification_ranks_by_own_reference_uas(small_files: TreebankFiles, outcome: Outcome) -> None:
    report = outcome.joint
    assert report is not None
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
    options = ExperimentOptions.spelled(
        ("case", "det"), seeds=1, iterations=2, joint=True, verify=3, labels="external"
    )
    outcome = run(small_files, tmp_path, options, jobs=2)
    report = outcome.joint
    assert report is not None
    assert report.factors_cut == 0
    assert report.las_ud == pytest.approx(outcome.rows[0]["las_original"])
    fold = fold_of(small_files, options, 0)
    assert fold.parser.labelled
    assert {("case", "det"), ("case",), ("det",), ()} == {s.transforms for s in report.verified}
    scores = []
    for scheme in report.verified:
        training = trained(fold, scheme.transforms, 1)
        assert scheme.uas == pytest.approx(training.percent("uas"))
        assert scheme.las == pytest.approx(training.percent("las"))
        scores.append(scheme.las)
    for scheme in report.verified:
        assert scheme.las_rank == 1 + sum(other > scheme.las for other in scores)
    assert json.loads((tmp_path / "joint.json").read_text())["las_ud"] == report.las_ud
    # the survivors are those of a labelled training: not the same as without labels
    labelled = train_joint(fold, 1, 2)
    heads_only = train_joint(fold_of(small_files, replace(options, labels=None), 0), 1, 2)
    assert labelled.sites == heads_only.sites
    assert labelled.survival != heads_only.survival
    shares = [entry.transformed_share for entry in labelled.survival.survival]
    assert [entry.transformed_share for entry in report.survival.survival] == pytest.approx(shares)


def test_equal_scores_share_a_rank_whatever_their_last_digits() -> None:
    # 701 + 703 and 702 + 702 of 1174 heads, means over two seeds
    scores = [sum(100.0 * n / 1174 for n in pair) / 2 for pair in ((702, 702), (701, 703))]
    assert max(scores) != min(scores)
    assert _ranks([*scores, None, 1.0]) == [1, 1, None, 3]


def test_the_file_has_no_times_and_is_what_the_report_says(outcome: Outcome) -> None:
    text = (outcome.folder / "joint.json").read_text()
    assert "seconds" not in text
    assert outcome.joint is not None
    assert json.loads(text) == json.loads(json.dumps(outcome.joint.as_json()))
    assert json.loads(text)["advised"]["transforms"] == list(outcome.joint.survival.advised.transforms)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("kept", [0, 3, 9])
def test_a_cut_run_resumes_to_the_same_bytes(
    small_files: TreebankFiles, outcome: Outcome, tmp_path: Path, jobs: int, kept: int
) -> None:
    out = tmp_path / "run"
    shutil.copytree(outcome.folder, out)
    (out / "results.csv").unlink()
    (out / "joint.json").write_text("stale")
    lines = (out / "records.jsonl").read_bytes().split(b"\n")
    order = [json.loads(line)["setting"] for line in lines[:-1]]
    # what waits for others comes first in the file: nothing may depend on the order
    lines = sorted(lines[:-1], key=lambda line: order[lines.index(line)] not in ("verify", "joint"))
    (out / "records.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:kept]))
    assert run(small_files, out, jobs=jobs, resume=True).failed == []
    for name in ("joint.json", "results.csv"):
        assert (out / name).read_bytes() == (outcome.folder / name).read_bytes()
    assert len(stored(out)) == (out / "records.jsonl").read_bytes().count(b"\n")


def test_cells_wait_for_what_they_need(small_files: TreebankFiles) -> None:
    plan = make_plan([small_files], OPTIONS)
    queue = Queue(experiment_of(plan), {})

    def handed_out() -> list[tuple[Any, Any]]:
        """The cells, each with the records it needs."""
        return [compute.args[2:4] for _, compute in queue.tasks()]

    assert not {"joint", "verify", "c"} & {cell.setting for cell, _ in handed_out()}

    def done(setting: Setting, seed: int, **result: Any) -> None:
        own = record(plan, setting, "", seed, **result)
        queue.finish(own.key, own)

    def iterations(needed: Sequence[Record]) -> list[int]:
        return [own.training.iterations for own in needed if own.training]

    training = trained_by_hand([1], [2], 1, iterations=7)
    done("a", 1, training=training)
    second = handed_out()
    assert {(cell.setting, cell.seed) for cell, _ in second} == {("c", 1), ("joint", 1)}
    assert all(iterations(needed) == [7] for _, needed in second)
    done("joint", 1)
    assert list(queue.tasks()) == []
    done("a", 2, training=training)
    handed_out()
    done("joint", 2)
    third = handed_out()
    assert [cell.setting for cell, _ in third] == ["verify"] * 10
    assert all([own.seed for own in needed] == [1, 2] for _, needed in third)
    assert len(queue) == 0


def test_what_a_failed_training_takes_with_it(
    small_files: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learnability.comparing import cells as module

    def broken(*_: object) -> None:
        raise MemoryError("too large")

    options = ExperimentOptions.spelled(("case", "det"), seeds=1, iterations=1, joint=True, verify=1)
    monkeypatch.setattr(module, "train_joint", broken)
    found = run(small_files, tmp_path, options)
    failed = {own.key: own.failed for own in found.failed}
    assert failed == {
        "UD_Small/joint//1/0": "MemoryError: too large",
        "UD_Small/verify/1/1/0": "a joint training failed",
    }
    assert found.joint is None
    assert not (tmp_path / "joint.json").exists()
    assert found.rows[0]["uas_delta"] is not None
    monkeypatch.undo()
    assert run(small_files, tmp_path, options, resume=True).failed == []
    assert (tmp_path / "joint.json").exists()


def test_a_new_run_does_not_keep_the_joint_result_of_the_old_one(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    options = ExperimentOptions.spelled(("case", "det"), seeds=1, iterations=1, joint=True)
    run(small_files, tmp_path, options)
    assert (tmp_path / "joint.json").exists()
    run(small_files, tmp_path, ExperimentOptions.spelled(("case", "det"), seeds=1, iterations=1), force=True)
    assert not (tmp_path / "joint.json").exists()
    assert (tmp_path / "results.csv").exists()


def test_fewer_schemes_than_asked_for(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions.spelled(("case", "mwe"), seeds=1, iterations=1, joint=True, verify=8)
    report = run(small_files, tmp_path, options).joint
    assert report is not None
    assert len(report.verified) == len(report.survival.schemes) <= 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ExperimentOptions.spelled(("case", "scheme:all"), joint=True), "at least two transformations"),
        (ExperimentOptions.spelled(("cop", "cop:reattach=clause"), joint=True), "--joint: cop: given twice"),
        (ExperimentOptions.spelled(("case", "det"), verify=3), "--joint; give both"),
        (
            ExperimentOptions.spelled(("case", "det"), system="arc-standard", oracle="static", joint=True),
            "no multi-reference training with arc-standard",
        ),
    ],
)
def test_what_cannot_be_is_refused_at_once(
    small_files: TreebankFiles, tmp_path: Path, options: ExperimentOptions, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        run(small_files, tmp_path / "run", options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("option", ["joint", "learning_curve"])
def test_one_treebank_and_no_cross_validation(small: Path, tmp_path: Path, option: str) -> None:
    folder = tmp_path / "UD_Test"
    folder.mkdir()
    shutil.copy(small / "xx-ud-train.conllu", folder / "xx-ud-test.conllu")
    files = locate_treebank(folder)
    options = ExperimentOptions.spelled(("case", "det"), data=DataOptions("fold", folds=4), **{option: True})
    with pytest.raises(InputError, match="does not cross-validate"):
        run(files, tmp_path / "run", options)
    with pytest.raises(InputError, match="one treebank"):
        run_experiment([files, files], options, tmp_path / "run", {})
    assert not (tmp_path / "run").exists()

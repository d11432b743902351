"""Learning curves: samples, areas, crossings by hand; the curves of a run against trainings one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from carried_out import asked, carried_out, foreseen_cells, planned
from changed_folds import transformed_parts
from run_data import spelled, stored, training_of, without

from learnability.comparing.annotation_kinds.treebank import TreebankAnnotation
from learnability.comparing.cells import BaseCell, OwnCell
from learnability.comparing.fold import fold_of
from learnability.comparing.names import annotation_typed
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import TrainingResult
from learnability.comparing.scoring import score_training
from learnability.comparing.trainings import sample_of_tokens, train_and_test
from learnability.errors import InputError
from learnability.metrics.scores import ANSWERED, Score
from learnability.reports.story import RunStory
from learnability.running.records import read_records
from learnability.statistics.holm import holm
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_RATIO
from learnability.studies.curve.curves import CURVE_SHARES, LearningCurve, area, learning_curves, reaches
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.alignment import titles
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Conventions

OPTIONS = ExperimentOptions.spell_annotations(("case", "det"), seeds=2, iterations=2)
STUDIES = asked("run"), asked("curve")


def test_samples_are_nested_and_near_their_share() -> None:
    lengths = [3, 9, 1, 4, 7, 2, 8, 5, 6, 5]
    samples = [sample_of_tokens(lengths, share, seed=5) for share in (1 / 4, 1 / 2, 1.0)]
    tokens = [sum(lengths[i] for i in sample) for sample in samples]
    assert set(samples[0]) < set(samples[1]) < set(samples[2]) == set(range(10))
    assert abs(tokens[0] - 12.5) <= 4.5
    assert abs(tokens[1] - 25) <= 4.5
    assert samples == [sample_of_tokens(lengths, share, seed=5) for share in (1 / 4, 1 / 2, 1.0)]
    assert samples != [sample_of_tokens(lengths, share, seed=6) for share in (1 / 4, 1 / 2, 1.0)]
    assert sample_of_tokens([100, 100], 1 / 16, seed=1) in ((0,), (1,))


def test_area_is_the_mean_height_over_the_logarithm() -> None:
    assert area([100, 200, 400], [60, 70, 80]) == pytest.approx(70)
    # a long flat step counts more than a short steep one
    assert area([100, 200, 1600], [50, 70, 70]) == pytest.approx((60 + 3 * 70) / 4)
    assert area([100], [42]) == 42
    # a training part of one sentence: every share is the same sample, and the curve one point
    assert area([7, 7, 7], [42, 42, 42]) == 42


def test_reaching_a_score() -> None:
    tokens, scores = [100, 200, 400], [60.0, 70.0, 74.0]
    assert reaches(tokens, scores, 70) == pytest.approx(200)
    assert reaches(tokens, scores, 65) == pytest.approx(100 * 2**0.5)
    assert reaches(tokens, scores, 72) == pytest.approx(200 * 2**0.5)
    assert reaches(tokens, scores, 50) == 100
    assert reaches(tokens, scores, 75) is None
    assert reaches(tokens, [60.0, 59.0, 74.0], 60.5) == pytest.approx(2 ** (7.643856 + 1.5 / 15), rel=1e-4)


def expected_p(curves: Sequence[LearningCurve], out: Path) -> tuple[float, float]:
    """p of the first of two curves, from the records: the mean of the tests by the trapezoidal rule; and p
    after Holm's correction for both."""
    trainings = {}
    for record in read_records(out / "records.jsonl").values():
        if record.setting in ("a", "b", "own"):
            trainings[record.subject, record.share, record.seed] = record.result_as(TrainingResult)

    def right(alternative: str, share: float) -> list[list[int]]:
        both = [trainings[alternative, share, seed] for seed in (1, 2)]
        return [training.scores["uas"].correct for training in both if training is not None]

    total = next(training.tokens for training in trainings.values() if training is not None)
    steps = np.diff(np.log2(curves[0].tokens))
    parts = list(zip(pairwise(CURVE_SHARES), steps, strict=True))
    weights = [sum(step for ends, step in parts if share in ends) / 2 / sum(steps) for share in CURVE_SHARES]
    # var(seed) beside 0.3 of var(residual) / S: more where fewer tokens were learned from than tested
    ratios = [max(SEED_RATIO, sum(total) / amount) for amount in curves[0].tokens]
    noise = sum(w * w * ratio for w, ratio in zip(weights, ratios, strict=True)) / sum(w * w for w in weights)
    assert noise > SEED_RATIO
    p = []
    for curve in curves:
        one, other = ([right(name, share) for share in CURVE_SHARES] for name in ("", curve.alternative))
        p.append(compare(one, other, total, weights, seed_ratio=noise).p_value)
    return p[0], holm(p)[0] or 0.0


def curves_of(outcome: RunStory) -> list[LearningCurve]:
    return learning_curves(outcome.plan, outcome.records)


def test_curves_of_a_run(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = replace(OPTIONS, alternatives=(*OPTIONS.alternatives, *spelled("scheme:ud")))
    outcome = carried_out(small_files, options, tmp_path / "run", *STUDIES)
    assert not outcome.failed
    case, det = curves_of(outcome)  # a scheme without places has none
    assert (case.alternative, det.alternative) == ("case", "det")
    fold = fold_of(small_files, OPTIONS, 0)
    lengths = [len(tree) for tree in fold.ud.train]
    rules = (JointTransformation([]), get_transformation("case", fold.treebank.conventions))
    for curve, rule in zip(case.curves[Score.UAS], rules, strict=True):
        for i, share in enumerate(CURVE_SHARES):
            samples = [sample_of_tokens(lengths, share, seed) for seed in (1, 2)]
            assert case.tokens[i] == sum(lengths[s] for own in samples for s in own) / 2
            scores = [
                score_training(train_and_test(fold, transformed_parts(fold, rule, own), seed)).percent("uas")
                for seed, own in zip((1, 2), samples, strict=True)
            ]
            assert curve.scores[i] == tuple(scores), share
        assert curve.means == tuple(sum(own) / 2 for own in curve.scores)
        assert curve.area == pytest.approx(area(case.tokens, curve.means))
    base, alternative = case.curves[Score.UAS]
    other = det.curves[Score.UAS][0]
    assert base == replace(other, tokens_to_reach_other=base.tokens_to_reach_other)
    assert (case.test_places, det.test_places) == tuple(row.test_places for row in outcome.rows[:2])
    assert case.test_places > 0
    areas = case.areas[Score.UAS]
    assert areas is not None
    assert (areas.base, areas.alternative) == pytest.approx((base.area, alternative.area))
    assert areas.delta == pytest.approx(base.area - alternative.area)
    assert (areas.p_value, areas.p_holm) == pytest.approx(expected_p(curves_of(outcome), tmp_path / "run"))
    reached = [base.tokens_to_reach_other, alternative.tokens_to_reach_other]
    assert sum(tokens is None for tokens in reached) <= 1
    written = json.loads((tmp_path / "run" / "learning_curve.json").read_text())["curves"]
    assert written == json.loads(json.dumps([curve.as_json() for curve in curves_of(outcome)]))
    assert written[0]["base"]["means"] == list(base.means)


def test_labelled_curves_of_a_run(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = replace(OPTIONS, alternatives=spelled("case"), labels="external")
    outcome = carried_out(small_files, options, tmp_path, *STUDIES)
    (found,) = curves_of(outcome)
    fold = fold_of(small_files, options, 0)
    lengths = [len(tree) for tree in fold.ud.train]
    rules = (JointTransformation([]), get_transformation("case", fold.treebank.conventions))
    for side, rule in enumerate(rules):
        for i, share in enumerate(CURVE_SHARES):
            samples = [sample_of_tokens(lengths, share, seed) for seed in (1, 2)]
            trained = [
                score_training(train_and_test(fold, transformed_parts(fold, rule, own), seed))
                for seed, own in zip((1, 2), samples, strict=True)
            ]
            for score in ANSWERED:
                curve = found.curves[score][side]
                assert curve.scores[i] == tuple(one.percent(score) for one in trained)
        curve, goal = found.curves[Score.LAS][side], found.curves[Score.LAS][1 - side].means[-1]
        assert curve.area == pytest.approx(area(found.tokens, curve.means))
        assert curve.tokens_to_reach_other == reaches(found.tokens, curve.means, goal)
    uas, las = (found.curves[score][0].scores[-1] for score in ANSWERED)
    assert found.areas[Score.LAS] != found.areas[Score.UAS]
    assert las[0] < uas[0]
    (written,) = json.loads((tmp_path / "learning_curve.json").read_text())["curves"]
    assert written == json.loads(json.dumps(found.as_json()))
    las_of_row = outcome.rows[0].difference(Score.LAS)
    assert las_of_row is not None
    assert las_of_row.base == pytest.approx(sum(las) / 2)


def test_each_training_on_ud_is_made_once(small_files: TreebankFiles) -> None:
    plan = planned(small_files, OPTIONS)
    curve = foreseen_cells(plan, "curve")
    assert len(curve) == len({cell.key for cell in curve}) == 4 * 2 * (1 + 2)
    assert {cell.share for cell in curve} == set(CURVE_SHARES[:-1])
    # those on all data are the run's
    assert not {cell.key for cell in curve} & {cell.key for cell in foreseen_cells(plan)}
    place = {"treebank": "UD_Small", "seed": 1, "parser": "arc-eager"}
    whole, half = BaseCell(**place), OwnCell(**place, share=0.5)
    assert half.key in {cell.key for cell in curve}
    assert half.seconds(OPTIONS, 1000) == pytest.approx(whole.seconds(OPTIONS, 1000) / 2)


def test_a_curve_of_which_a_training_is_missing_is_left_out(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    outcome = carried_out(small_files, replace(OPTIONS, seeds=1, iterations=1), tmp_path, *STUDIES)
    records = outcome.records
    assert [curve.alternative for curve in learning_curves(outcome.plan, records)] == ["case", "det"]
    for missing, left in (
        ("UD_Small/own/case/1/0/0.25/parser=arc-eager", ["det"]),
        ("UD_Small/b/det/1/0/parser=arc-eager", ["case"]),
        ("UD_Small/own//1/0/0.5/parser=arc-eager", []),
    ):
        assert missing in records
        found = learning_curves(outcome.plan, without(records, [missing]))
        assert [curve.alternative for curve in found] == left


def test_a_curve_counts_the_labels_that_both_have(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions((annotation_typed("obl-nmod"),), seeds=1, iterations=1, labels="external")
    outcome = carried_out(small_files, options, tmp_path, asked("run"), asked("curve"))
    assert not outcome.failed
    (curve,) = json.loads((tmp_path / "learning_curve.json").read_text())["curves"]
    trained = [training_of(record) for key, record in stored(tmp_path).items() if key.startswith("own/")]
    trained += [training_of(record) for key, record in stored(tmp_path).items() if key[:2] in ("a/", "b/")]
    common = {result.percent("las", "obl-nmod") for result in trained}
    plain = {result.percent("las") for result in trained}
    shown = {score for side in ("base", "alternative") for seeds in curve[side]["las"] for score in seeds}
    assert shown <= common
    assert not shown <= plain


def test_curves_of_two_treebanks_name_both(small: Path, small_files: TreebankFiles, tmp_path: Path) -> None:
    rule = get_transformation("det", Conventions(2))
    for path in sorted(small.glob("*.conllu")):
        other = tmp_path / "UD_Det" / path.name
        other.parent.mkdir(exist_ok=True)
        other.write_text(conllu_text(map(rule.apply, read_conllu(path))), encoding="utf-8")
    both = replace(small_files, alternative=locate_treebank(tmp_path / "UD_Det"))
    base, alternative = map(TreebankAnnotation.of, titles(both))
    options = ExperimentOptions((alternative,), against=base, seeds=1, iterations=1)
    carried_out(both, options, tmp_path / "run", *STUDIES)
    (curve,) = json.loads((tmp_path / "run" / "learning_curve.json").read_text())["curves"]
    assert (curve["base"]["scheme"], curve["alternative"]["scheme"]) == ("UD_Small", "UD_Det")
    assert len(curve["base"]["uas"]) == 5


def test_the_first_parser_draws_them(small_files: TreebankFiles) -> None:
    options = ExperimentOptions.spell_annotations(("case",), parsers=("arc-standard", "arc-hybrid"))
    cells = foreseen_cells(planned(small_files, options), "curve")
    assert {cell.parser for cell in cells} == {"arc-standard"}


def test_one_treebank_and_no_cross_validation(small_files: TreebankFiles, tmp_path: Path) -> None:
    folded = replace(OPTIONS, data=DataOptions(cross_validate=4))
    with pytest.raises(InputError, match="curve does not work with cross-validation"):
        carried_out(small_files, folded, tmp_path / "run", *STUDIES)
    two = [small_files, replace(small_files, name="UD_Other")]
    with pytest.raises(InputError, match="curve works on one treebank, not 2"):
        carried_out(two, OPTIONS, tmp_path / "run", *STUDIES)
    assert not (tmp_path / "run").exists()

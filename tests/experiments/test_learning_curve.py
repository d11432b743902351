"""Learning curves: samples, areas, crossings by hand; the curves of a run against trainings one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from learnability.experiments.cells import parser_options
from learnability.experiments.data import fold_of, transformation_of
from learnability.experiments.learning_curve import area, nested_samples, reaches
from learnability.experiments.options import ExperimentOptions
from learnability.experiments.plan import CURVE_SHARES, Cell
from learnability.experiments.runner import make_plan, run_experiment
from learnability.experiments.scheme_training import train_scheme
from learnability.treebanks.locate import TreebankFiles

OPTIONS = ExperimentOptions(("case", "det"), seeds=2, iterations=2, learning_curve=True)


def test_samples_are_nested_and_near_their_share() -> None:
    lengths = [3, 9, 1, 4, 7, 2, 8, 5, 6, 5]
    samples = nested_samples(lengths, (1 / 4, 1 / 2, 1.0), seed=5)
    tokens = [sum(lengths[i] for i in sample) for sample in samples]
    assert set(samples[0]) < set(samples[1]) < set(samples[2]) == set(range(10))
    assert abs(tokens[0] - 12.5) <= 4.5
    assert abs(tokens[1] - 25) <= 4.5
    assert samples == nested_samples(lengths, (1 / 4, 1 / 2, 1.0), seed=5)
    assert samples != nested_samples(lengths, (1 / 4, 1 / 2, 1.0), seed=6)
    assert nested_samples([100, 100], (1 / 16,), seed=1)[0] in ((0,), (1,))


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


def test_curves_of_a_run(small_files: TreebankFiles, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.toml"
    nowhere.write_text('name = "nowhere"\n[[transform]]\nname = "case"\nform = "xyzzy"\n')
    options = replace(OPTIONS, conditions=(*OPTIONS.conditions, f"scheme:{nowhere}"))
    outcome = run_experiment([small_files], options, tmp_path / "run", {}, jobs=2)
    assert outcome.failed == []
    case, det = outcome.curves  # a scheme without sites has none
    assert (case.transformed.scheme, det.transformed.scheme) == ("case", "det")
    fold = fold_of(small_files, OPTIONS, 0)
    lengths = [len(tree) for tree in fold.train_ready]
    rule = transformation_of("case", fold.treebank.conventions)
    for curve, scheme in ((case.original, None), (case.transformed, rule)):
        for i, share in enumerate(CURVE_SHARES):
            samples = [nested_samples(lengths, CURVE_SHARES, seed)[i] for seed in (1, 2)]
            assert case.tokens[i] == sum(lengths[s] for own in samples for s in own) / 2
            scores = [
                train_scheme(fold, scheme, parser_options(OPTIONS, seed), seed, own).uas
                for seed, own in zip((1, 2), samples, strict=True)
            ]
            assert curve.uas[i] == tuple(scores), share
        assert curve.means == tuple(sum(own) / 2 for own in curve.uas)
        assert curve.area == pytest.approx(area(case.tokens, curve.means))
    assert case.original == replace(det.original, tokens_to_reach_other=case.original.tokens_to_reach_other)
    assert (case.test_sites, det.test_sites) == tuple(row["test_sites"] for row in outcome.rows[:2])
    assert case.test_sites > 0
    assert case.area_delta == case.original.area - case.transformed.area
    reached = [case.original.tokens_to_reach_other, case.transformed.tokens_to_reach_other]
    assert sum(tokens is None for tokens in reached) <= 1
    written = json.loads((tmp_path / "run" / "learning_curve.json").read_text())["curves"]
    assert written == json.loads(json.dumps([curve.as_json() for curve in outcome.curves]))
    assert written[0]["original"]["means"] == list(case.original.means)


def test_labelled_curves_of_a_run(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = replace(OPTIONS, conditions=("case",), labels="external")
    outcome = run_experiment([small_files], options, tmp_path, {}, jobs=2)
    (found,) = outcome.curves
    fold = fold_of(small_files, options, 0)
    lengths = [len(tree) for tree in fold.train_ready]
    rule = transformation_of("case", fold.treebank.conventions)
    for curve, scheme, other in (
        (found.original, None, found.transformed),
        (found.transformed, rule, found.original),
    ):
        for i, share in enumerate(CURVE_SHARES):
            trained = [
                train_scheme(
                    fold, scheme, parser_options(options, seed), seed,
                    nested_samples(lengths, (share,), seed)[0], "external",
                )
                for seed in (1, 2)
            ]  # fmt: skip
            assert curve.las is not None
            assert curve.las[i] == tuple(one.las for one in trained)
            assert curve.uas[i] == tuple(one.uas for one in trained)
        assert curve.las_means is not None
        assert other.las_means is not None
        assert curve.las_area == pytest.approx(area(found.tokens, curve.las_means))
        goal = other.las_means[-1]
        assert curve.las_tokens_to_reach_other == reaches(found.tokens, curve.las_means, goal)
    assert found.las_area_delta == found.original.las_area - found.transformed.las_area  # type: ignore[operator]
    assert found.las_area_delta_sd != found.area_delta_sd
    assert found.original.las[-1][0] < found.original.uas[-1][0]  # type: ignore[index]
    (written,) = json.loads((tmp_path / "learning_curve.json").read_text())["curves"]
    assert written == json.loads(json.dumps(found.as_json()))
    assert outcome.rows[0]["las_original"] == pytest.approx(sum(found.original.las[-1]) / 2)  # type: ignore[index]


def test_a_cut_run_resumes_to_the_same_curves(small_files: TreebankFiles, tmp_path: Path) -> None:
    run_experiment([small_files], OPTIONS, tmp_path, {})
    before = (tmp_path / "learning_curve.json").read_bytes()
    for name in ("learning_curve.json", "results.csv"):
        (tmp_path / name).unlink()
    lines = (tmp_path / "records.jsonl").read_bytes().split(b"\n")
    (tmp_path / "records.jsonl").write_bytes(b"\n".join([*lines[:-9], b""]))
    run_experiment([small_files], OPTIONS, tmp_path, {}, jobs=2, resume=True)
    assert (tmp_path / "learning_curve.json").read_bytes() == before
    assert (tmp_path / "records.jsonl").read_bytes().count(b"\n") == len(lines) - 1


def test_each_training_on_ud_is_made_once(small_files: TreebankFiles) -> None:
    plan = make_plan([small_files], OPTIONS)
    curve = [cell for cell in plan.cells() if cell.setting == "curve"]
    assert len(curve) == len({cell.key for cell in curve}) == 4 * 2 * (1 + 2)
    assert {cell.share for cell in curve} == set(CURVE_SHARES[:-1])
    whole, half = Cell("UD_Small", "a", "", 1), Cell("UD_Small", "curve", "", 1, 0, 0.5)
    assert plan.seconds(half) == pytest.approx(plan.seconds(whole) / 2)

"""Labelled runs: what is scored, against what, and what stands in results.csv."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from result_rows import COLUMNS, LAS_COLUMNS
from run_data import stored_records

from learnability.experiments.data import prepare, transformed_trees
from learnability.experiments.labelled import (
    closest_labelled_matches,
    correct_arcs,
    label_converter_of,
    labelled_back_record,
    right_arcs,
    scored_label,
)
from learnability.experiments.options import DataOptions, ExperimentOptions
from learnability.experiments.runner import run_experiment
from learnability.experiments.stored_runs import read_results
from learnability.metrics import attachment_scores
from learnability.multiref.references import reference_set
from learnability.reports.evidence import find_records
from learnability.reports.run_figures import contributions, run_figures
from learnability.transforms import JointTransformation, get_transformation
from learnability.treebanks import load_treebank
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Conventions, Tree

CONVENTIONS = Conventions(version=2, flat_name=True, aux_pass=True)
OPTIONS = ExperimentOptions(("case", "det"), iterations=2, labels="external")


def test_subtypes_do_not_count_in_complements_either() -> None:
    assert [scored_label(name) for name in ("nsubj:pass", "comp:aux:pass", "comp:case", "root")] == [
        "nsubj", "comp:aux", "comp:case", "root"
    ]  # fmt: skip


def shuffled(tree: Tree, step: int) -> Tree:
    """A wrong parse that shares arcs with the tree: every `step`-th head and label is another's."""
    n = len(tree)
    heads = [1 + (head + i) % n if i % step == 0 else head for i, head in enumerate(tree.heads)]
    names = [
        tree.deprels[(i + 1) % n] if i % (step + 1) == 0 else name for i, name in enumerate(tree.deprels)
    ]
    return tree.with_heads(heads, names)


def test_on_ud_labels_it_is_the_las_of_evaluate() -> None:
    gold = [sentence.tree for sentence in load_treebank("demo").test]
    parsed = [shuffled(tree, 4) for tree in gold]
    tokens = sum(map(len, gold))
    scores = attachment_scores(gold, parsed)
    assert 0 < scores.las < scores.uas < 100
    assert 100 * correct_arcs(gold, parsed).sum() / tokens == pytest.approx(scores.las)


@pytest.mark.parametrize("labels", ["external", "keep"])
def test_the_closest_reference_is_the_best_of_all(labels: str) -> None:
    rule = JointTransformation([get_transformation(name, CONVENTIONS) for name in ("case", "det", "cc")])
    gold = [sentence.tree for sentence in load_treebank("demo").test]
    sets = [reference_set(tree, rule, labels=labels) for tree in gold]
    few = [one for one in sets if 2 <= len(one) <= 64][:40]
    parses = [shuffled(rule.apply(one.tree, labels=labels), 2 + i % 3) for i, one in enumerate(few)]
    best = [
        max(int(correct_arcs([reference], [parse])[0]) for _, reference in one.enumerate())
        for one, parse in zip(few, parses, strict=True)
    ]
    assert len(best) == 40
    assert closest_labelled_matches(few, parses).tolist() == best
    assert best != correct_arcs([one.tree for one in few], parses).tolist()


@pytest.mark.parametrize("labels", ["external", "keep"])
def test_gold_trees_come_back_with_their_labels(labels: str) -> None:
    fold = prepare(locate_treebank("demo"), DataOptions(), 0, "arc-eager", "lift", "gold")
    total = sum(map(len, fold.test))
    for condition in ("scheme:all", "case", "cc"):
        gold = transformed_trees(fold, condition, labels)[2]
        record = labelled_back_record(fold, condition, labels, gold)
        assert 0.998 * total <= sum(record["las_back_correct"]) <= sum(record["back_correct"]) <= total
        assert record["las_back_ceiling_correct"] == sum(record["las_back_correct"])
        wrong = [tree.with_heads(tree.heads, ["dep"] * len(tree)) for tree in gold]
        assert sum(labelled_back_record(fold, condition, labels, wrong)["las_back_correct"]) == 0


def test_gold_labels_of_the_test_trees_are_not_read() -> None:
    fold = prepare(locate_treebank("demo"), DataOptions(), 0, "arc-eager", "lift", "gold")
    parsed = [shuffled(tree, 5) for tree in transformed_trees(fold, "case", "external")[2]]
    blind = replace(fold, test=tuple(tree.with_heads(tree.heads, ["x"] * len(tree)) for tree in fold.test))
    seeing = label_converter_of(fold, "case", "external").convert(parsed)
    assert label_converter_of(blind, "case", "external").convert(parsed) == seeing


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_a_labelled_run(small_files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run_experiment([small_files], OPTIONS, tmp_path / "labelled", {})
    assert not outcome.failed
    run_experiment([small_files], replace(OPTIONS, labels=None), tmp_path / "plain", {})
    rows, plain = (rows_of(tmp_path / name / "results.csv") for name in ("labelled", "plain"))
    assert tuple(rows[0]) == (*COLUMNS, *LAS_COLUMNS)
    assert tuple(plain[0]) == COLUMNS
    for row in rows:
        assert all(row[name] for name in LAS_COLUMNS)
        assert 0 < float(row["las_transformed"]) < float(row["uas_transformed"]) < 100
        assert float(row["las_delta"]) == pytest.approx(
            float(row["las_original"]) - float(row["las_transformed"]), abs=2e-4
        )
        assert float(row["las_original"]) <= float(row["closest_las_original"])
        assert float(row["las_back_transformed"]) <= float(row["uas_back_transformed"])
        assert float(row["las_back_ceiling"]) > 99
    assert read_results(tmp_path / "labelled" / "results.csv")[0]["las_better"] in (
        "original", "transformed", "none"
    )  # fmt: skip


def test_the_same_labelled_run_gives_the_same_bytes(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = replace(OPTIONS, conditions=("case",), labels="keep")
    for name in ("one", "two"):
        run_experiment([small_files], options, tmp_path / name, {})
    one, two = ((tmp_path / name / "results.csv").read_bytes() for name in ("one", "two"))
    assert one == two


def test_right_arcs_have_head_and_universal_relation_right() -> None:
    gold = [
        Tree(("a", "b"), ("X", "X"), (2, 0), ("nsubj:pass", "root")),
        Tree(("c",), ("X",), (0,), ("root",)),
    ]
    parsed = [gold[0].with_heads((2, 0), ("nsubj", "dep")), gold[1].with_heads((0,), ("root",))]
    assert right_arcs(gold, parsed).tolist() == [True, False, True]
    assert correct_arcs(gold, parsed).tolist() == [1, 1]
    assert right_arcs(gold[1:], [gold[1].with_heads((1,), ("root",))]).tolist() == [False]


def test_where_the_difference_in_las_comes_from(small_files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run_experiment([small_files], replace(OPTIONS, seeds=2), tmp_path, {})
    records = stored_records(tmp_path)
    for record in records:
        if record["setting"] not in ("a", "b"):
            continue
        own = record["las_error_split"]
        for split in own.values() if record["setting"] == "a" else [own]:
            assert sum(right for right, _ in split.values()) == sum(record["las_correct"])
            assert sum(total for _, total in split.values()) == sum(record["tokens"])
        for relation, (right, total) in record["las_relations"].items():
            assert right <= record["relations"][relation][0]
            assert total == record["relations"][relation][1]
        assert sum(right for right, _ in record["las_relations"].values()) == sum(record["las_correct"])
        assert sum(record["las_correct"]) < sum(record["correct"])
    config = json.loads((tmp_path / "config.json").read_text())
    for row, found in zip(outcome.rows, find_records(outcome.rows, records, config), strict=True):
        for field in ("las_error_split", "las_relations"):
            assert row[field].keys() == row[field.removeprefix("las_")].keys()
            parts = contributions(found, field)
            assert sum(points for *_, points in parts.values()) == pytest.approx(row["las_delta"])
            for kind, (tokens, right, _, _) in parts.items():
                assert row[field][kind]["las_original"] == pytest.approx(100 * right / tokens)
        assert row["las_sentences_needed"] != row["sentences_needed"]
    figures = {figure.name: figure for figure in run_figures(find_records(outcome.rows, records, config))}
    assert [name for name in figures if name.startswith("las_")] == [
        "las_differences", "las_errors", "las_relations",
    ]  # fmt: skip
    shown = {row[0]: float(row[1]) for row in figures["las_differences"].rows}
    for row in outcome.rows:
        assert shown[row["transform"]] == pytest.approx(row["las_delta"], abs=1e-4)
    assert figures["differences"].rows != figures["las_differences"].rows
    assert "LAS, points" in figures["las_differences"].svg

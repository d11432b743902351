"""What records keep of sentences to be drawn: few, short, with sites, and exactly what was scored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_data import stored_records

from learnability.experiments import drawable
from learnability.experiments.data import fold_of, transformation_of
from learnability.experiments.drawable import kept_sentences
from learnability.experiments.options import ExperimentOptions
from learnability.experiments.runner import run_experiment
from learnability.treebanks.locate import TreebankFiles

OPTIONS = ExperimentOptions(("det", "case"), seeds=2, iterations=1, trees=True)


@pytest.fixture(scope="module")
def finished(small: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    from learnability.treebanks.locate import locate_treebank

    out = tmp_path_factory.mktemp("run")
    run_experiment([locate_treebank(small)], OPTIONS, out, {})
    return {record["key"]: record for record in stored_records(out)}


def test_only_the_first_seed_keeps_sentences_and_what_is_kept_was_scored(
    finished: dict[str, dict[str, Any]], small_files: TreebankFiles
) -> None:
    assert {key for key, record in finished.items() if "drawable" in record} == {
        f"UD_Small/{setting}/1/0" for setting in ("a/", "b/det", "b/case")
    }
    fold = fold_of(small_files, OPTIONS, 0)
    kept = {one["index"]: one for one in finished["UD_Small/a//1/0"]["drawable"]}
    assert len(kept) > 5
    for setting in ("a/", "b/det", "b/case"):
        record = finished[f"UD_Small/{setting}/1/0"]
        for one in record["drawable"]:
            tree = fold.test[one["index"]]
            right = sum(g == p for g, p in zip(one["heads"], one["predicted"], strict=True))
            assert right == record["correct"][one["index"]]
            if setting == "a/":
                assert (tuple(one["heads"]), tuple(one["forms"])) == (tree.heads, tree.forms)
                assert one["sent_id"] == fold.treebank.test[one["index"]].sent_id
            else:
                assert one["index"] in kept
                assert tuple(one["heads"]) != tree.heads


def test_kept_sentences_are_short_have_sites_and_are_spread_evenly(
    small_files: TreebankFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold = fold_of(small_files, OPTIONS, 0)
    every = kept_sentences(fold, ("det",))
    tokens = {index: len(fold.test[index]) for index in range(len(fold.test))}
    from learnability.transforms import get_transformation

    rule = get_transformation("det", fold.treebank.conventions)
    assert set(every) == {
        i for i, tree in enumerate(fold.test) if rule.sites(tree) and tokens[i] in range(4, 23)
    }
    monkeypatch.setattr(drawable, "KEPT", 3)
    kept_sentences.cache_clear()
    assert kept_sentences(fold, ("det",)) == tuple(every[i * len(every) // 3] for i in range(3))
    kept_sentences.cache_clear()


def test_nothing_is_kept_unless_asked_for(small_files: TreebankFiles, tmp_path: Path) -> None:
    run_experiment([small_files], replace(OPTIONS, trees=False, seeds=1), tmp_path, {})
    assert not any("drawable" in record for record in stored_records(tmp_path) if record["seed"])


def test_labelled_runs_draw_the_relations_that_the_parsers_learn(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    options = ExperimentOptions(("det", "case"), iterations=1, trees=True, labels="external")
    run_experiment([small_files], options, tmp_path, {})
    records = {record["key"]: record for record in stored_records(tmp_path)}
    fold = fold_of(small_files, options, 0)
    renamed = 0
    for name in options.conditions:
        rule = transformation_of(name, fold.treebank.conventions)
        for one in records[f"UD_Small/b/{name}/1/0"]["drawable"]:
            tree = rule.apply(fold.test[one["index"]], labels="external")
            assert (tuple(one["heads"]), tuple(one["deprels"])) == (tree.heads, tree.deprels)
            renamed += f"comp:{name}" in tree.deprels
    assert renamed > 5
    for one in records["UD_Small/a//1/0"]["drawable"]:
        assert tuple(one["deprels"]) == fold.test[one["index"]].deprels

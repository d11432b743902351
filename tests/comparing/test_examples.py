"""What records keep of sentences to be drawn: few, short, with places, and exactly what was scored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from carried_out import carried_out
from run_data import spelled, stored, training_of

from learnability.comparing import scoring
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import TrainingResult
from learnability.comparing.scoring import example_sentences
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles

OPTIONS = ExperimentOptions.spell_annotations(("det", "case"), seeds=2, iterations=1, trees=True)


def trainings_of(out: Path) -> dict[str, TrainingResult]:
    return {key: training_of(record) for key, record in stored(out).items() if record.setting in ("a", "b")}


@pytest.fixture(scope="module")
def trainings(small: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrainingResult]:
    from learnability.treebanks.locate import locate_treebank

    out = tmp_path_factory.mktemp("run")
    carried_out(locate_treebank(small), OPTIONS, out)
    return trainings_of(out)


def test_only_the_first_seed_keeps_sentences_and_what_is_kept_was_scored(
    trainings: dict[str, TrainingResult], small_files: TreebankFiles
) -> None:
    assert {key for key, training in trainings.items() if training.examples} == {
        f"{setting}/1/0" for setting in ("a/", "b/det", "b/case")
    }
    fold = fold_of(small_files, OPTIONS, 0)
    kept = {one.index: one for one in trainings["a//1/0"].examples or ()}
    assert len(kept) > 5
    for setting in ("a/", "b/det", "b/case"):
        training = trainings[f"{setting}/1/0"]
        for one in training.examples or ():
            tree = fold.ud.test[one.index]
            right = sum(g == p for g, p in zip(one.heads, one.predicted, strict=True))
            assert right == training.scores["uas"].correct[one.index]
            if setting == "a/":
                assert (tuple(one.heads), tuple(one.forms)) == (tree.heads, tree.forms)
                assert one.sent_id == fold.treebank.test[one.index].name
            else:
                assert one.index in kept
                assert tuple(one.heads) != tree.heads


def test_kept_sentences_are_short_have_places_and_are_spread_evenly(
    small_files: TreebankFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    det = replace(OPTIONS, alternatives=spelled("det"))
    fold = fold_of(small_files, det, 0)
    every = example_sentences(fold)
    tokens = {index: len(fold.ud.test[index]) for index in range(len(fold.ud.test))}
    rule = get_transformation("det", fold.treebank.conventions)
    assert set(every) == {
        i for i, tree in enumerate(fold.ud.test) if rule.places(tree) and tokens[i] in range(4, 23)
    }
    monkeypatch.setattr(scoring, "MOST_EXAMPLES", 3)
    again = Fold(fold.treebank, det, cross_validated=False)
    assert example_sentences(again) == tuple(every[i * len(every) // 3] for i in range(3))


def test_nothing_is_kept_unless_asked_for(small_files: TreebankFiles, tmp_path: Path) -> None:
    carried_out(small_files, replace(OPTIONS, trees=False, seeds=1), tmp_path)
    trainings = trainings_of(tmp_path)
    assert trainings
    assert not any(training.examples for training in trainings.values())


def test_labelled_runs_draw_the_relations_that_the_parsers_learn(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    options = ExperimentOptions.spell_annotations(
        ("det", "case"), seeds=1, iterations=1, trees=True, labels="external"
    )
    carried_out(small_files, options, tmp_path)
    trainings = trainings_of(tmp_path)
    fold = fold_of(small_files, options, 0)
    renamed = 0
    for name in ("det", "case"):
        rule = get_transformation(name, fold.treebank.conventions)
        for one in trainings[f"b/{name}/1/0"].examples or ():
            tree = rule.apply(fold.ud.test[one.index], labels="external")
            assert (tuple(one.heads), tuple(one.deprels)) == (tree.heads, tree.deprels)
            renamed += f"comp:{name}" in tree.deprels
    assert renamed > 5
    for one in trainings["a//1/0"].examples or ():
        assert tuple(one.deprels) == fold.ud.test[one.index].deprels

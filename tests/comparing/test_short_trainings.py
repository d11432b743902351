"""Short trainings against trainings one by one, and what they may not look at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from learnability import Parser, load_treebank
from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.short_trainings import ITERATIONS, POOL, sample, train_short
from learnability.comparing.ud import UD
from learnability.metrics.scores import Score, correct_tokens
from learnability.parsing.parser import Training, train_parser
from learnability.treebanks.locate import TreebankFiles

UD, DET, CASE = UD, annotation_spelled("det"), annotation_spelled("case")


def test_samples() -> None:
    small, large = sample(range(200), 1 / 8, 5), sample(range(200), 1 / 4, 5)
    assert (len(small.train), len(large.train)) == (25, 50)
    assert set(small.train) < set(large.train)
    for own in (small, large):
        assert sorted((*own.train, *own.test)) == list(range(200))
        assert list(own.train) == sorted(own.train)
        assert list(own.test) == sorted(own.test)
    assert sample(range(200), 1 / 8, 5) == small != sample(range(200), 1 / 8, 6)
    many = sample(range(POOL * 3), 1 / 4, 1)
    assert (len(many.train), len(many.test)) == (POOL // 4, POOL - POOL // 4)
    assert max(many.test) > POOL
    assert (sample(range(1), 1 / 8, 1).train, sample(range(1), 1 / 8, 1).test) == ((0,), ())


@pytest.fixture
def fold(small_files: TreebankFiles) -> Fold:
    return fold_of(small_files, ExperimentOptions.spell_annotations(("det", "case")), 0)


@pytest.mark.parametrize(
    ("base", "alternative"), [(UD, DET), (UD, CASE), (CASE, DET), (UD, annotation_spelled("scheme:case+det"))]
)
def test_a_pair_is_two_parsers_on_the_same_sentences(
    fold: Fold, base: Annotation, alternative: Annotation
) -> None:
    pair = train_short(fold, Pair(base, alternative), 1 / 4, 3)
    assert pair is not None
    chosen = sample(range(len(fold.train)), 1 / 4, 3)
    heads = []
    for annotation, right in ((base, pair.base), (alternative, pair.alternative)):
        rule = annotation.rule(fold.treebank.conventions)
        trees = [rule.apply(tree) for tree in fold.ud.train]
        parser = Parser.fit([trees[i] for i in chosen.train], iterations=ITERATIONS, seed=3, features="zn11")
        gold = [trees[i] for i in chosen.test]
        assert correct_tokens(gold, parser.parse(gold), Score.UAS).tolist() == right
        heads.append([head for tree in gold for head in tree.heads])
    assert pair.changed == sum(a != b for a, b in zip(*heads, strict=True)) > 0
    assert pair.tokens == [len(fold.ud.train[i]) for i in chosen.test]
    assert pair.test_tokens == sum(map(len, fold.ud.test))
    assert sum(pair.base) != sum(pair.alternative)


def test_annotations_that_differ_where_they_are_tested_are_trained_once(
    fold: Fold, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, trained = sample(range(len(fold.train)), 1 / 8, 1), []

    def train(*args: Any, **options: Any) -> Training[Parser]:
        trained.append(args)
        return train_parser(*args, **options)

    monkeypatch.setattr("learnability.comparing.short_trainings.train_parser", train)
    seen = {form.lower() for i in chosen.train for form in fold.ud.train[i].forms}
    tested = [fold.ud.train[i] for i in chosen.test]
    labelled = ((form, name) for tree in tested for form, name in zip(tree.forms, tree.deprels, strict=True))
    words = {form.lower() for form, name in labelled if name == "case"}
    new = annotation_spelled(f"case:form={'|'.join(sorted(words - seen))}")
    pair = train_short(fold, Pair(UD, new), 1 / 8, 1)
    assert pair is not None
    assert len(trained) == 1
    assert pair.changed > 0
    monkeypatch.setattr("learnability.comparing.short_trainings._learn_the_same", lambda *_: False)
    alone = train_short(Fold(fold.treebank, fold.options, cross_validated=False), Pair(UD, new), 1 / 8, 1)
    assert len(trained) == 3
    assert alone is not None
    assert structs.replace(alone, kernel_seconds=pair.kernel_seconds) == pair


def test_annotations_with_the_same_trees_learn_the_same(fold: Fold) -> None:
    pair = train_short(fold, Pair(UD, annotation_spelled("case:form=zzz")), 1 / 4, 1)
    assert pair is not None
    assert (pair.base, pair.changed) == (pair.alternative, 0)


def test_the_order_of_pairs_does_not_matter(small_files: TreebankFiles) -> None:
    one, other = (
        fold_of(small_files, ExperimentOptions.spell_annotations(("det", "case"), seeds=seeds), 0)
        for seeds in (1, 2)
    )
    asked = [
        (annotation, share, seed) for annotation in (DET, CASE) for share in (1 / 8, 1 / 4) for seed in (1, 2)
    ]
    first = {key: train_short(one, Pair(UD, key[0]), *key[1:]) for key in asked}
    second = {key: train_short(other, Pair(UD, key[0]), *key[1:]) for key in reversed(asked)}
    for key in asked:
        a, b = first[key], second[key]
        assert a is not None
        assert b is not None
        assert (a.base, a.alternative, a.changed) == (b.base, b.alternative, b.changed)


def test_nothing_of_dev_and_test_is_looked_at(small: Path) -> None:
    treebank = load_treebank(small)

    def flat(part: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(
            replace(s, tree=s.tree.with_heads([0, *[1] * (len(s.tree) - 1)], ["dep"] * len(s.tree)))
            for s in part
        )

    pairs = []
    for own in (treebank, replace(treebank, dev=flat(treebank.dev), test=flat(treebank.test))):
        fold = Fold(own, ExperimentOptions.spell_annotations(("det",)), cross_validated=False)
        pair = train_short(fold, Pair(UD, DET), 1 / 4, 1)
        assert pair is not None
        pairs.append((pair.tokens, pair.base, pair.alternative))
    assert pairs[0] == pairs[1]


def test_a_single_sentence_leaves_nothing_to_test_on(small: Path) -> None:
    treebank = load_treebank(small)
    fold = Fold(
        replace(treebank, train=treebank.train[:1]),
        ExperimentOptions.spell_annotations(("det",)),
        cross_validated=False,
    )
    assert train_short(fold, Pair(UD, DET), 1 / 4, 1) is None

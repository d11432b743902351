"""What is remembered of trees is what comes out anew: of folds that share trees, and of plans."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from random import Random

import numpy as np
import pytest
from small_treebanks import small_treebank
from transform_trees import transformation
from trees import random_heads

from learnability.comparing.fold import Fold, fold_of, read_folds
from learnability.comparing.measures import measure
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.multiref.contrasts import lift_references
from learnability.parsing.encoding import PADDING
from learnability.transforms.base import MOST_PLANS, Transformation
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree

LABELS = ("case", "det", "cop", "nmod", "nsubj", "mark", "conj", "cc", "amod")


def test_each_pair_has_its_own_places_and_references(tmp_path: Path) -> None:
    files = locate_treebank(small_treebank(tmp_path))
    options = ExperimentOptions.spell_annotations(("case", "det"), data=DataOptions(cross_validate=3))
    folds = [fold_of(files, options, number) for number in range(3)]
    found = []
    for fold in folds:
        assert fold.shared is folds[0].shared is not None
        for pair in fold.pairs:
            compared = fold.compare_pair(pair)
            contrast = compared.contrast
            for tree in (*fold.ud.train, *fold.ud.test):
                references = compared.references(None)(tree)
                assert references == lift_references(
                    contrast.references(tree, options.max_options, None), None
                )
                assert compared.references(None)(tree) is references
                assert compared.places(tree) == contrast.places(tree)
                assert compared.sides(tree) == contrast.sides(tree)
                found.append((pair.alternative.spelling, bool(references.factors)))
    assert {("case", True), ("det", True)} <= set(found)


def random_trees(count: int, draw: Random) -> tuple[Tree, ...]:
    trees = []
    for number in range(count):
        heads = random_heads(draw, draw.randint(1, 9), projective=number % 3 > 0)
        words = tuple(f"w{draw.randint(1, 5)}" for _ in heads)
        names = ("root" if not head else draw.choice(LABELS) for head in heads)
        trees.append(Tree(words, tuple("NOUN" for _ in heads), heads, tuple(names)))
    return tuple(trees)


def test_a_fold_that_shares_its_trees_is_like_one_that_does_not(tmp_path: Path) -> None:
    files = locate_treebank(small_treebank(tmp_path))
    names = ("case", "conj", "mark")
    options = ExperimentOptions.spell_annotations(names, data=DataOptions(cross_validate=3))
    for number, treebank in enumerate(read_folds(files, options.data)):
        fold = fold_of(files, options, number)
        alone = Fold(treebank, options, cross_validated=True, shared=None)
        assert fold.ud.train == alone.ud.train
        for part, other in zip((fold.ud.train, fold.ud.test), (alone.ud.train, alone.ud.test), strict=True):
            encoded, anew = fold.encode(part), alone.encode(other)
            assert all(np.array_equal(a, b) for a, b in zip(encoded, anew, strict=True))
            assert encoded.start.tolist() == [
                sum(len(tree) + PADDING for tree in part[:i]) for i in range(len(part))
            ]
        for pair in fold.pairs:
            assert measure(fold, pair) == measure(alone, pair)
            sides = [each.compare_pair(pair).alternative for each in (fold, alone)]
            first, second = (side.converter.preferences for side in sides)
            assert first is not None
            assert first == second
            assert any(vars(first).values())
            assert sides[0].ceilings == sides[1].ceilings


def arcs_of(rule: Transformation, tree: Tree, selected: list[int], labels: str | None) -> object:
    return rule.plan(copy(tree)).arcs(selected, labels)


@pytest.mark.parametrize("spec", ["case", "cop+case+det", "conj", "case:reattach=sud"])
def test_a_plan_that_is_found_again_gives_what_a_new_one_gives(spec: str) -> None:
    draw, rule = Random(3), transformation(spec)
    moved = 0
    for tree in random_trees(30, draw):
        for labels in (None, "keep", "external", "keep", None):
            plan = rule.plan(tree)
            assert plan is rule.plan(tree)
            assert plan.places == rule.plan(copy(tree)).places
            every = [place.token for place in plan.places]
            for selected in (every, every[::2], [], every):
                assert plan.arcs(selected, labels) == arcs_of(rule, tree, selected, labels)
            other = Tree(tree.forms, tree.upos, tree.heads, tuple(f"{name}:x" for name in tree.deprels))
            renamed = plan.with_tree(other)
            assert renamed.arcs(every, "keep") != plan.arcs(every, "keep")
            assert renamed.heads(every) == plan.heads(every)
            assert [name for _, name in plan.arcs([], "external")] == list(tree.deprels)
            assert [name for _, name in plan.with_tree(other).arcs([], "external")] == list(other.deprels)
            moved += bool(every)
    assert moved


def test_equal_trees_have_plans_of_their_own_and_few_plans_are_kept() -> None:
    rule = transformation("case")
    first, second = (Tree(("a", "b"), ("ADP", "X"), (2, 0), ("case", "root")) for _ in range(2))
    assert first == second
    assert rule.plan(first).tree is first
    assert rule.plan(second).tree is second
    before = rule.plan(first)
    for tree in [Tree(("a",), ("X",), (0,), ("root",)) for _ in range(MOST_PLANS)]:
        rule.plan(tree)
    assert rule.plan(first) is not before


@pytest.mark.parametrize("spec", ["case", "conj", "mark"])
def test_candidates_are_the_words_with_a_label_of_the_rule_and_a_head(spec: str) -> None:
    (rule,) = transformation(spec).rules
    found = 0
    draw = Random(5)
    for drawn in random_trees(60, draw):
        tree = drawn.with_heads(drawn.heads, draw.choices(LABELS, k=len(drawn)))  # root words, too
        expected = [
            token
            for token in range(1, len(tree) + 1)
            if rule.is_place_label(tree.deprels[token - 1]) and tree.heads[token - 1]
        ]
        assert rule.candidates(tree) == expected
        found += len(expected)
    assert found

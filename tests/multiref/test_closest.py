"""Closest-reference scores against the best over all references, one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest
from reference_trees import transformation
from trees import random_tree, shuffled

from learnability.metrics.scores import Score, correct_tokens
from learnability.multiref.references import ReferenceSet, closest_correct, reference_set
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Conventions, Tree
from learnability.treebanks.splits import load_treebank

CONVENTIONS = Conventions(version=2, flat_name=True)


def best(references: ReferenceSet, parse: Tree, score: Score) -> int:
    return max(int(correct_tokens([tree], [parse], score)[0]) for _, tree in references.enumerate())


def test_heads_of_random_trees_in_sets_with_and_without_parts() -> None:
    draw = random.Random(3)
    rule = transformation("case+cop+cc+det+mark+mwe+name")
    trees = [tree for tree in (random_tree(seed, 9) for seed in range(200)) if len(rule.places(tree)) <= 8]
    sets = [reference_set(tree, rule) for tree in trees]
    parsed = [tree.with_heads([draw.randrange(len(tree) + 1) for _ in tree.heads]) for tree in trees]
    expected = [best(own, parse, Score.UAS) for own, parse in zip(sets, parsed, strict=True)]
    assert closest_correct(sets, parsed, Score.UAS).tolist() == expected
    split = [reference_set(tree, rule, max_options=4) for tree in trees]
    exact = [i for i, own in enumerate(split) if not any(factor.cut for factor in own.factors)]
    assert sum(len(factor.parts) > 1 for i in exact for factor in split[i].factors) > 3
    found = closest_correct(split, parsed, Score.UAS)
    assert [found[i] for i in exact] == [expected[i] for i in exact]


@pytest.mark.parametrize("labels", ["external", "keep"])
def test_heads_and_labels(labels: Any) -> None:
    rule = JointTransformation([get_transformation(name, CONVENTIONS) for name in ("case", "det", "cc")])
    gold = [sentence.tree for sentence in load_treebank("demo").test]
    sets = [reference_set(tree, rule, labels=labels) for tree in gold]
    few = [own for own in sets if 2 <= len(own) <= 64][:40]
    parses = [shuffled(rule.apply(own.tree, labels=labels), 2 + i % 3) for i, own in enumerate(few)]
    expected = [best(own, parse, Score.LAS) for own, parse in zip(few, parses, strict=True)]
    assert len(expected) == 40
    assert closest_correct(few, parses, Score.LAS).tolist() == expected
    assert expected != correct_tokens([own.tree for own in few], parses, Score.LAS).tolist()

"""Agreement is what NLTK and the scorer of parses give."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from trees import random_tree

import learnability
from learnability.annotation_diffs.agreement import column_agreement
from learnability.annotation_diffs.annotation_diff import diff
from learnability.treebanks.sentence import Tree

VALUES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=30)


@given(VALUES)
def test_kappa_and_alpha_are_those_of_nltk(values: list[tuple[str, str]]) -> None:
    data = [(coder, str(item), pair[i]) for item, pair in enumerate(values) for i, coder in enumerate("AB")]
    task = AnnotationTask(data)
    found = column_agreement("UPOS", Counter(values))
    assert found.share == pytest.approx(task.avg_Ao())
    if len({value for pair in values for value in pair}) == 1:
        assert math.isnan(found.kappa)
        assert math.isnan(found.alpha)
    else:
        assert found.kappa == pytest.approx(task.kappa(), abs=1e-9)
        assert found.alpha == pytest.approx(task.alpha(), abs=1e-9)


def test_trees_are_scored_as_parses() -> None:
    gold = [random_tree(seed, 3 + seed % 20) for seed in range(40)]
    parses = []
    for seed, tree in enumerate(gold):
        other = random_tree(100 + seed, len(tree))
        parses.append(tree.with_heads(other.heads, other.deprels))
    found = diff(gold, parses).agreement
    scores = learnability.attachment_scores(gold, parses)
    assert found.trees.percentages() == pytest.approx(scores.percentages())


def test_an_absent_feature_is_a_value() -> None:
    one = [Tree(("a", "b"), ("X", "X"), (0, 1), ("root", "dep"), feats=("A=1", "_"))]
    other = [Tree(("a", "b"), ("X", "X"), (0, 1), ("root", "dep"), feats=("_", "_"))]
    (row,) = (row for row in diff(one, other).agreement.columns if row.column == "FEATS A")
    assert (row.words, row.same) == (2, 1)

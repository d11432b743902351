"""Agreement is what NLTK and the scorer of parses give."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from random import Random

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


def test_trees_and_parts_are_scored_as_parses() -> None:
    gold = [random_tree(seed, 3 + seed % 20) for seed in range(40)]
    draw = Random(1)
    parses = [
        random_tree(100 + seed, len(tree)).with_heads(random_tree(100 + seed, len(tree)).heads)
        for seed, tree in enumerate(gold)
    ]
    parses = [
        Tree(tree.forms, tuple(draw.choice([tag, "X"]) for tag in tree.upos), parse.heads, parse.deprels)
        for tree, parse in zip(gold, parses, strict=True)
    ]
    found = diff(gold, parses).agreement
    scores = learnability.attachment_scores(gold, parses)
    assert found.trees.percentages() == pytest.approx(scores.percentages())
    words = sum(map(len, gold))
    same_tags = sum(
        a == b
        for tree, other in zip(gold, parses, strict=True)
        for a, b in zip(tree.upos, other.upos, strict=True)
    )
    for by in ("length", "relation"):
        parts = [part for part in found.parts if part.by == by]
        assert sum(part.words for part in parts) == words
        assert sum(part.upos for part in parts) == same_tags
        assert 100 * sum(part.heads for part in parts) / words == pytest.approx(scores.uas)
        assert 100 * sum(part.labelled for part in parts) / words == pytest.approx(scores.las)


def test_documents_have_a_row_each(tmp_path: Path) -> None:
    row = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    first.write_text(f"# newdoc id = one\n# sent_id = 1\n{row}# newdoc id = two\n# sent_id = 2\n{row}")
    second.write_text(first.read_text().replace("\tX\t", "\tY\t", 1))
    parts = [(p.part, p.words, p.upos) for p in diff(first, second).agreement.parts if p.by == "document"]
    assert parts == [("one", 1, 0), ("two", 1, 1)]


def test_an_absent_feature_is_a_value() -> None:
    one = [Tree(("a", "b"), ("X", "X"), (0, 1), ("root", "dep"), feats=("A=1", "_"))]
    other = [Tree(("a", "b"), ("X", "X"), (0, 1), ("root", "dep"), feats=("_", "_"))]
    (row,) = (row for row in diff(one, other).agreement.columns if row.column == "FEATS A")
    assert (row.words, row.same) == (2, 1)

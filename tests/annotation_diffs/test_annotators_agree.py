"""Agreement is what NLTK, the scorer of parses and exhaustive searches give."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from trees import labelled_trees, random_tree

import learnability
from learnability.annotation_diffs.agreement import column_agreement
from learnability.annotation_diffs.annotation_diff import diff
from learnability.annotation_diffs.tree_alpha import MOST_PAIRS, _distance, _order_tree, tree_alpha
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


Forest = tuple[tuple[str, "Forest"], ...]


def forest_of(tree: Tree, word: int = 0) -> Forest:
    children = [token for token, head in enumerate(tree.heads, start=1) if head == word]
    return tuple((tree.deprels[child - 1], forest_of(tree, child)) for child in children)


@cache
def slow_distance(first: Forest, second: Forest) -> int:
    """The edit distance of two ordered forests by its definition: the last root goes, comes or stays."""
    if not first or not second:
        return sum(1 + slow_distance(below, ()) for _, below in first or second)
    (label, below), (other, other_below) = first[-1], second[-1]
    return min(
        1 + slow_distance(first[:-1] + below, second),
        1 + slow_distance(first, second[:-1] + other_below),
        (label != other) + slow_distance(below, other_below) + slow_distance(first[:-1], second[:-1]),
    )


def slow_tree_distance(first: Tree, second: Tree) -> int:
    """The same with the artificial root."""
    return slow_distance((("", forest_of(first)),), (("", forest_of(second)),))


@given(labelled_trees(("a", "b"), longest=7), labelled_trees(("a", "b"), longest=7))
def test_edit_distances_are_those_of_the_definition(first: Tree, second: Tree) -> None:
    found = _distance(_order_tree(first), _order_tree(second))
    assert found == slow_tree_distance(first, second)


def slow_alpha(pairs: list[tuple[Tree, Tree]]) -> float:
    """alpha_plain from all pairs of annotations."""
    every = [tree for pair in pairs for tree in pair]
    observed = [slow_tree_distance(*pair) ** 2 for pair in pairs]
    expected = [slow_tree_distance(a, b) ** 2 for a, b in combinations(every, 2)]
    return 1 - (sum(observed) / len(observed)) / (sum(expected) / len(expected))


@pytest.mark.parametrize("seed", range(5))
def test_alpha_of_trees_is_that_of_all_pairs(seed: int) -> None:
    pairs = [
        (random_tree(seed * 50 + i, 2 + i % 5), random_tree(seed * 50 + i + (i % 3), 2 + i % 5))
        for i in range(8)
    ]
    found = tree_alpha(pairs)
    assert (found.sampled, found.sentences, found.pairs, found.left_out) == (False, 8, 120, 0)
    assert found.alpha == pytest.approx(slow_alpha(pairs))


def test_alpha_of_trees_at_its_ends() -> None:
    trees = [random_tree(seed, 6) for seed in range(6)]
    assert tree_alpha([(tree, tree) for tree in trees]).alpha == 1
    assert math.isnan(tree_alpha([(trees[0], trees[0])]).alpha)
    by_chance = tree_alpha([(random_tree(i, 6), random_tree(1000 + i, 6)) for i in range(150)])
    assert abs(by_chance.alpha) < 0.2
    assert (by_chance.sampled, by_chance.pairs) == (True, MOST_PAIRS)


def test_long_sentences_are_left_out_and_counted() -> None:
    pairs = [(random_tree(1, 61), random_tree(2, 61)), (random_tree(3, 5), random_tree(4, 5))]
    assert (tree_alpha(pairs).sentences, tree_alpha(pairs).left_out) == (1, 1)

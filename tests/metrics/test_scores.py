"""UAS and LAS as values of one type."""

from __future__ import annotations

import pytest
from small_treebanks import demo_treebank
from trees import shuffled

from learnability.metrics import attachment_scores
from learnability.metrics.scores import Score, correct_tokens, right_tokens
from learnability.treebanks.sentence import Tree


def test_subtypes_do_not_count_in_complements_either() -> None:
    assert [Score.label(name) for name in ("nsubj:pass", "comp:aux:pass", "comp:case", "root")] == [
        "nsubj", "comp:aux", "comp:case", "root"
    ]  # fmt: skip


def test_on_ud_labels_it_is_the_las_of_evaluate() -> None:
    gold = [sentence.tree for sentence in demo_treebank().test]
    parsed = [shuffled(tree, 4) for tree in gold]
    tokens = sum(map(len, gold))
    scores = attachment_scores(gold, parsed)
    assert 0 < scores.las < scores.uas < 100
    assert 100 * correct_tokens(gold, parsed, Score.LAS).sum() / tokens == pytest.approx(scores.las)
    assert 100 * correct_tokens(gold, parsed, Score.UAS).sum() / tokens == pytest.approx(scores.uas)
    assert correct_tokens(gold, parsed, Score.UAS).tolist() == list(scores.sentence_correct)


def test_right_arcs_have_head_and_universal_relation_right() -> None:
    gold = [
        Tree(("a", "b"), ("X", "X"), (2, 0), ("nsubj:pass", "root")),
        Tree(("c",), ("X",), (0,), ("root",)),
    ]
    parsed = [gold[0].with_heads((2, 0), ("nsubj", "dep")), gold[1].with_heads((0,), ("root",))]
    assert right_tokens(gold, parsed, Score.LAS).tolist() == [True, False, True]
    assert correct_tokens(gold, parsed, Score.LAS).tolist() == [1, 1]
    assert right_tokens(gold[1:], [gold[1].with_heads((1,), ("root",))], Score.LAS).tolist() == [False]

"""What every score keeps to: it owns its behaviour, and nothing else asks which it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_treebanks import demo_treebank
from trees import random_tree, shuffled

import learnability
from learnability.evidence.columns import STATISTICS
from learnability.evidence.questions import Question
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics import attachment_scores
from learnability.metrics.scores import Score, correct_tokens, scores_of, sentence_counts
from learnability.treebanks.sentence import Tree

PACKAGE = Path(learnability.__file__).parent

TREES = [
    random_tree(seed, 2 + seed % 8, labels=("nsubj", "obl", "case", "punct", "aux:pass"))
    for seed in range(30)
]


def share(gold: list[Tree], parsed: list[Tree], score: Score) -> float:
    """The score, from 0 to 1."""
    right, counted = sentence_counts(gold, parsed, score)
    total = sum(map(len, gold)) if counted is None else int(counted.sum())
    assert (right <= (counted if counted is not None else [len(tree) for tree in gold])).all()
    return int(right.sum()) / total


def sources() -> dict[str, str]:
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if "metrics" not in path.parts]
    return {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_nothing_outside_metrics_asks_which_score_it_is() -> None:
    named = {
        name: found
        for name, text in sources().items()
        if (found := re.findall(r"""Score\.[A-Z]+\b|["'](?:uas|las|clas)["']""", text))
    }
    assert sum(map(len, named.values())) < 10, named
    assert [name for name, found in named.items() if any(each.startswith("Score.") for each in found)] == []


@pytest.mark.parametrize("score", Score)
def test_gold_trees_are_right(score: Score) -> None:
    assert share(TREES, TREES, score) == 1


@pytest.mark.parametrize("score", Score)
def test_relations_count_if_the_score_needs_labels(score: Score) -> None:
    others = [tree.with_heads(tree.heads, ["list"] * len(tree)) for tree in TREES]
    assert share(TREES, others, score) == (0 if score.needs_labels else 1)
    assert (score in scores_of(labelled=False)) != score.needs_labels
    assert score in scores_of(labelled=True)


@pytest.mark.parametrize("score", Score)
def test_heads_count(score: Score) -> None:
    others = [tree.with_heads([len(tree) + 1 - head for head in tree.heads], tree.deprels) for tree in TREES]
    assert share(TREES, others, score) < 0.6


@pytest.mark.parametrize("score", Score)
def test_it_has_columns_for_each_of_its_comparisons(score: Score) -> None:
    columns = [column for column in STATISTICS if column.score == score and column.statistic == "delta"]
    assert [column.basis for column in columns] == ScoringBasis.of(score)
    answers = [column for column in STATISTICS if column.score == score and column.statistic in set(Question)]
    assert len(answers) == 2 * score.is_answered


@pytest.mark.parametrize("score", Score)
def test_counts_of_sentences_are_those_of_their_tokens(score: Score) -> None:
    """Token by token, where `sentence_counts` has a shorter way."""
    parsed = [tree.with_heads([0, *tree.heads[:-1]], tree.deprels[::-1]) for tree in TREES]
    right, counted = sentence_counts(TREES, parsed, score)
    for number, (gold, parse) in enumerate(zip(TREES, parsed, strict=True)):
        tokens = zip(gold.deprels, parse.deprels, gold.upos, gold.heads, parse.heads, strict=True)
        by_token = [score.count_token(*words, head == found) for *words, head, found in tokens]
        assert right[number] == sum(one for one, _ in by_token)
        assert (counted[number] if counted is not None else len(gold)) == sum(one for _, one in by_token)


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

"""Two parses beside each other: groups by hand, and the rule of significance that runs have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from learnability.errors import InputError
from learnability.metrics.scores import ANSWERED
from learnability.statistics.holm import holm
from learnability.statistics.significance import compare
from learnability.statistics.systems import GroupComparison, compare_parses
from learnability.treebanks.sentence import Sentence, Tree

GOLD = Tree(
    ("a", "dog", "barks", "."),
    ("DET", "NOUN", "VERB", "PUNCT"),
    (2, 3, 0, 3),
    ("det", "nsubj:x", "root", "punct"),
)
WRONG_DET = GOLD.with_heads((3, 3, 0, 3))
WRONG_LABEL = GOLD.with_heads(GOLD.heads, ("det", "obj", "root", "punct"))
WRONG_PUNCT = GOLD.with_heads((2, 3, 0, 1))


def found(rows: list[GroupComparison], by: str, group: str, score: str = "uas") -> GroupComparison:
    (row,) = [row for row in rows if (row.by, row.group, row.score) == (by, group, score)]
    return row


def test_groups_by_hand() -> None:
    rows = compare_parses([GOLD, GOLD], [WRONG_DET, GOLD], [WRONG_PUNCT, WRONG_LABEL])
    det = found(rows, "relation", "det")
    assert (det.sentences, det.tokens, det.first, det.second, det.delta) == (2, 2, 50, 100, -50)
    assert (det.p_value, det.p_holm, det.low, det.better) == (None, None, None, "")  # too few
    assert found(rows, "all", "all tokens").first == found(rows, "all", "all tokens").second == 87.5
    words = found(rows, "all", "without punctuation")
    assert (words.tokens, words.first, words.second) == (6, pytest.approx(500 / 6), 100)
    assert found(rows, "relation", "nsubj", "las").second == 50
    assert found(rows, "upos", "PUNCT").second == 50
    assert [row.group for row in rows if row.by == "length"] == ["1-10", "1-10"]
    assert {row.score for row in rows} == set(ANSWERED)


def test_the_rule_is_that_of_runs() -> None:
    gold = [GOLD] * 60
    first = [WRONG_DET, GOLD, GOLD] * 20
    rows = compare_parses(gold, first, [Sentence(tree) for tree in gold])
    own = found(rows, "all", "all tokens")
    expected = compare(np.array([3, 4, 4] * 20), np.array([4] * 60), np.array([4] * 60))
    assert (own.delta, own.low, own.high, own.p_value, own.p_equal) == (
        expected.delta, expected.low, expected.high, expected.p_value, 1.0,
    )  # fmt: skip
    assert own.p_holm == own.p_value < 0.05
    assert own.better == "second"
    relations = [row for row in rows if (row.by, row.score) == ("relation", "uas")]
    assert [row.p_holm for row in relations] == holm([row.p_value for row in relations])
    right = {"det": [0, 1, 1] * 20}  # of the first; the second has all right
    equal = [compare(right.get(row.group, [1] * 60), [1] * 60, [1] * 60).p_equal for row in relations]
    assert [row.p_equal for row in relations] == holm([min(1.0, 2 * p) for p in equal])
    assert found(rows, "relation", "det").p_holm > found(rows, "relation", "det").p_value  # type: ignore[operator]
    assert found(compare_parses(gold, gold, first), "upos", "DET").better == "first"


def test_sentences_of_a_document_are_not_alone() -> None:
    """Errors that come in documents of six are less certain than those of sixty documents."""
    wrong = [*[WRONG_DET] * 12, *[GOLD] * 48]
    together, apart = (
        [Sentence(GOLD, starts_document=i % length == 0) for i in range(60)] for length in (6, 1)
    )
    right = [3] * 12 + [4] * 48
    for gold, documents in ((together, [i // 6 for i in range(60)]), (apart, range(60))):
        expected = compare(right, [4] * 60, [4] * 60, documents=documents)
        own = found(compare_parses(gold, wrong, [GOLD] * 60), "all", "all tokens")
        assert (own.low, own.p_value) == (pytest.approx(expected.low), pytest.approx(expected.p_value))
    certain = found(compare_parses(apart, wrong, [GOLD] * 60), "all", "all tokens").p_value
    uncertain = found(compare_parses(together, wrong, [GOLD] * 60), "all", "all tokens").p_value
    assert certain < uncertain / 10  # type: ignore[operator]


def test_lengths_are_in_order() -> None:
    def chain(n: int) -> Tree:
        heads = tuple(range(n))
        return Tree(("w",) * n, ("X",) * n, heads, ("root", *("dep",) * (n - 1)))

    trees = [chain(n) for n in (41, 11, 1, 10, 25, 40, 99)]
    rows = [row for row in compare_parses(trees, trees, trees) if (row.by, row.score) == ("length", "uas")]
    assert [(row.group, row.sentences) for row in rows] == [
        ("1-10", 2), ("11-20", 1), ("21-30", 1), ("31-40", 1), ("over 40", 2),
    ]  # fmt: skip


def test_other_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="1 gold tree, but 2 parses"):
        compare_parses(GOLD, GOLD, [GOLD, GOLD])
    with pytest.raises(InputError, match=r"sentence 1 \(s-1\), token 1: 'a' in the gold tree, 'b' in"):
        compare_parses(Sentence(GOLD, "s-1"), replace(GOLD, forms=("b", *GOLD.forms[1:])), GOLD)

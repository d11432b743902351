"""Scores across treebanks are those of `evaluate`, and rewriting a planted construction raises them."""

from __future__ import annotations

import numpy as np
import pytest

from learnability.extensions.harmonise.comparison import TreebankComparison
from learnability.extensions.harmonise.matrix import estimate_share, right_words
from learnability.metrics.attachment import attachment_scores


def test_scores_are_those_of_evaluation(planted: TreebankComparison) -> None:
    for cell in planted.matrix:
        if len(cell.learned) == 1:
            parsed = planted.parses.parses[cell.tested, cell.learned[0]]
            gold = planted.treebanks[cell.tested].trees
            expected = np.mean([attachment_scores(gold, each).las for each in parsed])
            assert cell.las.value == pytest.approx(expected)
            assert cell.las.low < cell.las.value < cell.las.high


def test_rewriting_either_treebank_raises_both_scores(planted: TreebankComparison) -> None:
    assert [(each.rewriting.treebank, each.rewriting.like) for each in planted.rewritten] == [(0, 1), (1, 0)]
    for pair in planted.rewritten:
        assert pair.together is not None
        assert min(gain.low for gain in (pair.on_rewritten, pair.on_other, pair.together)) > 0, pair


def test_learning_from_both_is_compared_with_learning_from_one(planted: TreebankComparison) -> None:
    both = [cell for cell in planted.matrix if cell.gain is not None]
    assert [(cell.tested, cell.learned) for cell in both] == [(0, (0, 1)), (1, (1, 0))]
    alone = {cell.tested: cell.las.value for cell in planted.matrix if cell.learned == (cell.tested,)}
    for cell in both:
        assert cell.gain is not None
        assert cell.gain.value == pytest.approx(cell.las.value - alone[cell.tested])


def test_an_interval_is_wider_where_neighbours_are_alike(planted: TreebankComparison) -> None:
    treebank = planted.treebanks[0]
    right = right_words(treebank, planted.parses.parses[0, 0])
    words = np.array([len(tree) for tree in treebank.trees], float)
    share = right.sum() / words.sum()
    estimate = estimate_share(treebank, right)
    assert estimate.value == pytest.approx(100 * share)
    half = len(words) // 2
    sorted_right = np.where(np.arange(len(words)) < half, words, 0.0)
    mixed_right = np.where(np.arange(len(words)) % 2 == 0, words, 0.0)
    wide, narrow = (estimate_share(treebank, counts) for counts in (sorted_right, mixed_right))
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)

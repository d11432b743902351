"""Scores across treebanks are those of `evaluate`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from learnability.extensions.harmonise.cross_scores import (
    SeedVariance,
    estimate_share,
    right_words,
    score_parsers,
)
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.metrics.attachment import attachment_scores
from learnability.statistics.text_variance import find_clusters


def test_scores_are_those_of_evaluation(planted: TreebankComparison) -> None:
    for score in planted.scores[:4]:
        if len(score.learned) == 1:
            parsed = planted.parses.parses[score.tested, score.learned[0]]
            gold = planted.treebanks[score.tested].trees
            expected = np.mean([attachment_scores(gold, each).las for each in parsed])
            assert score.las.value == pytest.approx(expected)
            assert score.las.low < score.las.value < score.las.high


def test_learning_from_both_is_compared_with_learning_from_one(planted: TreebankComparison) -> None:
    both = [score for score in planted.scores if score.gain is not None]
    assert [(score.tested, score.learned) for score in both] == [(0, (0, 1)), (1, (1, 0))]
    alone = {score.tested: score.las.value for score in planted.scores if score.learned == (score.tested,)}
    for score in both:
        assert score.gain is not None
        assert score.gain.value == pytest.approx(score.las.value - alone[score.tested])


def test_trainings_that_differ_widen_intervals(planted: TreebankComparison) -> None:
    """Of two trainings one is that of the other treebank, so that they differ by more than sentences do."""
    parses = planted.parses.parses
    once = {pair: parsed[:1] for pair, parsed in parses.items()}
    twice = {(tested, source): (parsed[0], parses[tested, 1 - source][0])
             for (tested, source), parsed in parses.items()}  # fmt: skip
    alone, both = (replace(planted.parses, parses=each) for each in (once, twice))
    assert SeedVariance.of(alone) == SeedVariance(0.0, 0.0)
    scores = [
        [attachment_scores(planted.treebanks[tested].trees, each).las for each in twice[tested, 1 - tested]]
        for tested in range(2)
    ]
    assert SeedVariance.of(both).of_whole == pytest.approx(np.mean([(a - b) ** 2 / 2 for a, b in scores]))
    noise = SeedVariance.of(both).of_whole
    for score in score_parsers(both, {}):
        if score.learned != (score.tested,):
            treebank = both.treebanks[score.tested]
            right = right_words(treebank, both.parses[score.tested, score.learned[0]])
            plain = estimate_share(treebank, right)
            quantile = (plain.high - plain.low) / (score.las.high - score.las.low)
            assert quantile < 0.9
            count = len(set(find_clusters(treebank.documents)))
            half = (plain.high - plain.low) / 2
            expected = np.hypot(half, np.sqrt(noise / 2) * student.ppf(0.975, count - 1))
            assert (score.las.high - score.las.low) / 2 == pytest.approx(expected)


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

"""Scores across treebanks are those of `evaluate`, and rewriting a planted construction raises them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.constructions import RuleSupport, rewritings_of
from learnability.extensions.harmonise.cross_parses import ComparedTreebank
from learnability.extensions.harmonise.cross_scores import (
    CrossScore,
    Estimate95,
    SeedVariance,
    estimate_share,
    right_words,
    score_parsers,
)
from learnability.extensions.harmonise.report import describe_gain
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.metrics.attachment import attachment_scores
from learnability.statistics.text_variance import find_clusters


def rewritten(comparison: TreebankComparison) -> list[CrossScore]:
    return [score for score in comparison.scores if score.rewriting]


def test_scores_are_those_of_evaluation(planted: TreebankComparison) -> None:
    for score in planted.scores[:4]:
        if len(score.learned) == 1:
            parsed = planted.parses.parses[score.tested, score.learned[0]]
            gold = planted.treebanks[score.tested].trees
            expected = np.mean([attachment_scores(gold, each).las for each in parsed])
            assert score.las.value == pytest.approx(expected)
            assert score.las.low < score.las.value < score.las.high


def test_rewriting_either_treebank_raises_all_scores(planted: TreebankComparison) -> None:
    """Those before are of the first training."""
    before = {
        (score.tested, score.learned): score.las.value for score in planted.scores if not score.rewriting
    }
    for number, like in ((0, 1), (1, 0)):
        found = [each for each in rewritten(planted) if each.rewriting and each.rewriting.treebank == number]
        assert [(score.learned, score.tested) for score in found] == [
            ((like,), number), ((number,), like), ((like, number), like),
        ]  # fmt: skip
        for score in found:
            assert score.gain is not None
            assert score.gain.low > 0
            assert score.gain.value == pytest.approx(score.las.value - before[score.tested, score.learned])


def test_a_construction_is_rewritten_in_both_treebanks(versions: tuple[Version, Version]) -> None:
    treebanks = tuple(map(ComparedTreebank, versions))
    support = RuleSupport("cop", 0, 1, 40, 30.0, 1.0, 1.0, 30.0)
    there, back = rewritings_of(treebanks, [support])
    assert (there.treebank, there.like, there.spec) == (0, 1, "cop")
    assert (back.treebank, back.like, back.spec) == (1, 0, "cop back")
    assert back.rewrite(there.rewrite(treebanks[0])).trees == treebanks[0].trees


def test_learning_from_both_is_compared_with_learning_from_one(planted: TreebankComparison) -> None:
    plain = [score for score in planted.scores if not score.rewriting]
    both = [score for score in plain if score.gain is not None]
    assert [(score.tested, score.learned) for score in both] == [(0, (0, 1)), (1, (1, 0))]
    alone = {score.tested: score.las.value for score in plain if score.learned == (score.tested,)}
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


def test_what_rewriting_gives_a_parser_of_both_is_said_where_it_is_clear(planted: TreebankComparison) -> None:
    both = rewritten(planted)[2]

    def said(low: float, high: float) -> str:
        gain = Estimate95((low + high) / 2, low, high)
        return describe_gain(planted.names, replace(both, gain=gain))

    begin, middle = "A parser of UD_B and UD_A scores 1.5 points", "on UD_B if UD_A is rewritten like it"
    assert said(1.0, 2.0) == f"{begin} more {middle} (+1.0 to +2.0)."
    assert said(-2.0, -1.0) == f"{begin} less {middle} (−2.0 to −1.0)."
    assert said(-1.0, 2.0) == ""

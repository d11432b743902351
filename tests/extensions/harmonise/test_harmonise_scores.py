"""Scores across treebanks are those of `evaluate`, and rewriting a planted construction raises them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import ComparedTreebank
from learnability.extensions.harmonise.matrix import (
    Estimate95,
    SeedVariance,
    estimate_share,
    right_words,
    score_matrix,
)
from learnability.extensions.harmonise.report import describe_harmonised
from learnability.extensions.harmonise.rewriting import rewrite_constructions
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.metrics.attachment import attachment_scores
from learnability.statistics.clusters import find_clusters


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
        assert len(pair.changes) == 3
        assert min(change.gain.low for change in pair.changes) > 0, pair


def test_a_construction_is_rewritten_in_both_treebanks(versions: tuple[Version, Version]) -> None:
    treebanks = tuple(map(ComparedTreebank, versions))
    support = RuleSupport("cop", 0, 1, 40, 30.0, 1.0, 1.0, 30.0)
    there, back = rewrite_constructions(treebanks, [support])
    assert (there.treebank, there.like, there.is_converted_back) == (0, 1, False)
    assert (back.treebank, back.like, back.is_converted_back) == (1, 0, True)
    assert back.rewrite(there.rewrite(treebanks[0])).trees == treebanks[0].trees


def test_learning_from_both_is_compared_with_learning_from_one(planted: TreebankComparison) -> None:
    both = [cell for cell in planted.matrix if cell.gain is not None]
    assert [(cell.tested, cell.learned) for cell in both] == [(0, (0, 1)), (1, (1, 0))]
    alone = {cell.tested: cell.las.value for cell in planted.matrix if cell.learned == (cell.tested,)}
    for cell in both:
        assert cell.gain is not None
        assert cell.gain.value == pytest.approx(cell.las.value - alone[cell.tested])


def test_scores_before_rewriting_are_those_of_the_first_training(planted: TreebankComparison) -> None:
    matrix = {(cell.tested, cell.learned): cell.las.value for cell in planted.matrix}
    for pair in planted.rewritten:
        for change in pair.changes:
            assert change.before.value == pytest.approx(matrix[change.tested, change.learned])
            assert change.gain.value == pytest.approx(change.after.value - change.before.value)
        number, like = pair.rewriting.treebank, pair.rewriting.like
        assert [(change.learned, change.tested) for change in pair.changes] == [
            ((like,), number), ((number,), like), ((like, number), like),
        ]  # fmt: skip


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
    for cell in score_matrix(both, {}):
        if cell.learned != (cell.tested,):
            treebank = both.treebanks[cell.tested]
            right = right_words(treebank, both.parses[cell.tested, cell.learned[0]])
            plain = estimate_share(treebank, right)
            quantile = (plain.high - plain.low) / (cell.las.high - cell.las.low)
            assert quantile < 0.9
            count = len(set(find_clusters(treebank.documents)))
            half = (plain.high - plain.low) / 2
            expected = np.hypot(half, np.sqrt(noise / 2) * student.ppf(0.975, count - 1))
            assert (cell.las.high - cell.las.low) / 2 == pytest.approx(expected)


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


def test_what_harmonising_gives_a_parser_of_both_is_said_where_it_is_clear(
    planted: TreebankComparison,
) -> None:
    pair = planted.rewritten[0]
    together = pair.together
    assert together is not None

    def said(low: float, high: float) -> list[str]:
        gain = Estimate95((low + high) / 2, low, high)
        changed = replace(pair, together=replace(together, gain=gain))
        return list(describe_harmonised(replace(planted, rewritten=(changed,))))

    begin, middle = "A parser of UD_B and UD_A scores 1.5 points", "on UD_B if UD_A is rewritten like it"
    assert said(1.0, 2.0) == [f"{begin} more {middle} (+1.0 to +2.0)."]
    assert said(-2.0, -1.0) == [f"{begin} less {middle} (−2.0 to −1.0)."]
    assert said(-1.0, 2.0) == []

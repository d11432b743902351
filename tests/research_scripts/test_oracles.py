"""The experiments on dynamic oracles: what is compared, counted and refused, and the rows of their tables."""

from __future__ import annotations

import itertools
import random
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from trees import random_tree

from learnability.metrics import attachment_scores
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import interval
from learnability.statistics.significance import compare
from learnability.treebanks.locate import TreebankFiles
from research.oracles import trainings
from research.oracles.rows import SCORES, RegimeRow, oracle_rows, over_treebanks
from research.oracles.trainings import (
    OracleOptions,
    Regime,
    Training,
    Trainings,
    key_of,
    sentence_counts,
    train_all,
)

OPTIONS = OracleOptions(systems=("arc-eager", "arc-hybrid"), oracles=("static", "explore"), seeds=3)
TREEBANKS = [TreebankFiles(f"UD_{letter}", "1.3", None) for letter in "ABC"]
STATIC, EXPLORE = Regime("arc-eager", "static"), Regime("arc-eager", "explore", 1, 0.9)
REGIMES = (STATIC, EXPLORE, Regime("arc-hybrid", "static"), Regime("arc-hybrid", "explore", 1, 0.9))


def test_counts_add_up_to_the_attachment_scores() -> None:
    dice = random.Random(1)
    labels = ("nsubj", "nsubj:pass", "punct", "punct:x", "obj", "root")
    gold = [random_tree(seed, 1 + seed % 9, labels=labels) for seed in range(60)]
    parsed = [
        tree.with_heads(
            [head if dice.random() < 0.7 else 0 for head in tree.heads],
            [deprel if dice.random() < 0.6 else dice.choice(labels) for deprel in tree.deprels],
        )
        for tree in gold
    ]
    scores = attachment_scores(gold, parsed)
    tokens, words, correct = sentence_counts(gold, parsed, labelled=True)
    assert {*correct} == {*SCORES}
    for name, values in correct.items():
        total = words if name.endswith("without_punctuation") else tokens
        assert 100 * sum(values) / sum(total) == pytest.approx(getattr(scores, name), abs=1e-9)
    _, _, unlabelled = sentence_counts(gold, parsed, labelled=False)
    assert {*unlabelled} == {"uas", "uas_without_punctuation"}


def test_trainings_that_a_file_has_are_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []

    def train_once(work: Any, options: OracleOptions) -> Training:
        trained.append(work[1:])
        return Training([work[2]], [1], [0], {"uas": [1]})

    monkeypatch.setattr(trainings, "train_once", train_once)
    kept, few = tmp_path / "trainings.jsonl", replace(OPTIONS, systems=("arc-eager",), seeds=2)
    first = train_all(TREEBANKS[:1], few, 1, kept)
    assert trained == [(STATIC, 1), (STATIC, 2), (EXPLORE, 1), (EXPLORE, 2)]
    assert train_all(TREEBANKS[:1], few, 1, kept) == first
    more = train_all(TREEBANKS[:1], replace(few, seeds=3), 1, kept)
    assert trained[4:] == [(STATIC, 3), (EXPLORE, 3)]
    assert more[key_of(TREEBANKS[0], STATIC, few, 3)].tokens == [3]
    train_all(TREEBANKS[:1], replace(few, iterations=7), 1, kept)  # others
    assert len(trained) == 10


@pytest.fixture(scope="module")
def found() -> Trainings:
    dice, quality = random.Random(3), {"static": 0.6, "explore": 0.75}
    drawn: Trainings = {}
    for files, regime, seed in itertools.product(TREEBANKS, REGIMES, (1, 2, 3)):
        sizes = random.Random(files.name)
        tokens = [sizes.randint(3, 12) for _ in range(40)]
        words = [n - 1 for n in tokens]
        correct = {}
        for score in SCORES:
            totals = words if score.endswith("without_punctuation") else tokens
            right = quality[regime.oracle]
            correct[score] = [sum(dice.random() < right for _ in range(n)) for n in totals]
        drawn[key_of(files, regime, OPTIONS, seed)] = Training(tokens, words, [0] * 40, correct)
    return drawn


@pytest.fixture(scope="module")
def rows(found: Trainings) -> list[RegimeRow]:
    return oracle_rows(TREEBANKS, OPTIONS, found)


def test_rows_are_means_over_seeds(found: Trainings, rows: list[RegimeRow]) -> None:
    assert [(row.name, row.regime) for row in rows] == [
        (f"UD_{letter} 1.3", regime) for letter in "ABC" for regime in REGIMES
    ]
    of_seeds = [found[key_of(TREEBANKS[1], EXPLORE, OPTIONS, seed)] for seed in (1, 2, 3)]
    name = "las_without_punctuation"
    values = [100 * sum(each.correct[name]) / sum(each.words) for each in of_seeds]
    score = rows[5].scores[name]
    assert score.mean == pytest.approx(statistics.fmean(values))
    assert score.sd == pytest.approx(statistics.stdev(values))


def test_rows_compare_with_static_of_the_same_system_and_treebank(
    found: Trainings, rows: list[RegimeRow]
) -> None:
    def correct(regime: Regime) -> list[list[int]]:
        return [found[key_of(TREEBANKS[1], regime, OPTIONS, seed)].correct["uas"] for seed in (1, 2, 3)]

    totals = found[key_of(TREEBANKS[1], STATIC, OPTIONS, 1)].tokens
    factors = holm_factors([row.scores["uas"].p_value for row in rows])
    for explored in (5, 7):
        score, static = rows[explored].scores["uas"], rows[explored - 1].scores["uas"]
        expected = compare(correct(REGIMES[explored - 4]), correct(REGIMES[explored - 5]), totals)
        factor = factors[explored]
        assert factor is not None
        bounds = interval(expected.delta, expected.error, expected.degrees, factor)
        assert (score.delta_low, score.delta_high) == pytest.approx(bounds)
        assert (score.delta, score.p_value) == pytest.approx((expected.delta, expected.p_value))
        assert score.delta == pytest.approx((score.mean or 0) - (static.mean or 0))
        assert static.delta is static.p_value is static.p_holm is None


def test_intervals_and_p_are_corrected_over_the_comparisons_of_a_score(rows: list[RegimeRow]) -> None:
    for name in SCORES:
        scores = [row.scores[name] for row in rows]
        assert [score.p_holm for score in scores] == holm([score.p_value for score in scores])
        tested = [score for score in scores if score.delta is not None]
        assert len(tested) == 6
        for score in tested:
            excludes_zero = (score.delta_low or 0) > 0 or (score.delta_high or 0) < 0
            assert excludes_zero == ((score.p_holm or 0) < 0.05)


@pytest.mark.parametrize(
    "deltas", [[0.5, 1.25, -0.2, 0.9], [1.0, 1.0, 1.0], [0.3, -0.4, 0.1, 0.25, 0.6, 0.7]]
)
def test_the_permutation_test_over_treebanks_is_exact(deltas: list[float]) -> None:
    observed = abs(sum(deltas))
    signs = list(itertools.product((1, -1), repeat=len(deltas)))
    sums = [abs(sum(s * d for s, d in zip(sign, deltas, strict=True))) for sign in signs]
    expected = sum(s >= observed - 1e-12 for s in sums) / len(signs)
    assert over_treebanks(deltas)[2] == pytest.approx(expected)

"""The tables of the experiments on dynamic oracles, from records written by hand."""

from __future__ import annotations

import itertools
import random
import statistics
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from learnability.papers.oracle_trainings import OracleCell, OraclePlan, OracleTraining, Regime
from learnability.running.plan import TreebankFacts

from learnability.comparing.options import OracleOptions
from learnability.papers.oracles import (
    RegimeRow,
    average_rows,
    in_columns,
    oracle_rows,
    over_treebanks,
    rows_csv,
)
from learnability.statistics.significance import compare, holm
from learnability.treebanks.locate import TreebankFiles


def plan_of(names: tuple[str, ...], regimes: tuple[Regime, ...], *, seeds: int, folds: int = 1) -> OraclePlan:
    treebanks = tuple(TreebankFiles(name, "1.3", None) for name in names)
    facts = (TreebankFacts(folds, (100,) * folds, "", {}),) * len(names)
    return OraclePlan(treebanks, facts, OracleOptions(seeds=seeds), regimes)


def record_of(cell: OracleCell, dice: random.Random, quality: float) -> OracleTraining:
    sizes = random.Random(cell.treebank + str(cell.fold))
    tokens = [sizes.randint(3, 12) for _ in range(20)]
    words = [n - 1 for n in tokens]

    def right(totals: list[int]) -> list[int]:
        return [sum(dice.random() < quality for _ in range(n)) for n in totals]

    counts = {
        f"{score}{part}": right(totals)
        for score in ("uas", "las")
        for part, totals in (("", tokens), ("_without_punctuation", words))
    }
    return OracleTraining(
        key=cell.key, treebank=cell.treebank, release="1.3", **vars(cell.regime), seed=cell.seed,
        fold=cell.fold, iterations=15, train_sentences=40, train_tokens=100 + cell.fold,
        nonprojective_train=2, tokens=tokens, words=words, **counts, forced=0, features=1, wall_seconds=0.1,
    )  # fmt: skip


STATIC, EXPLORE = Regime("arc-eager", "static"), Regime("arc-eager", "explore", 1, 0.9)
HYBRID = Regime("arc-hybrid", "explore", 1, 0.9)


@pytest.fixture(scope="module")
def summarised() -> tuple[OraclePlan, dict[str, OracleTraining], list[RegimeRow]]:
    plan = plan_of(("UD_A", "UD_B", "UD_C"), (STATIC, EXPLORE, HYBRID), seeds=3, folds=2)
    dice = random.Random(3)
    quality = {STATIC: 0.6, EXPLORE: 0.75, HYBRID: 0.7}
    records = {c.key: record_of(c, dice, quality[c.regime]) for c in plan.cells()}
    return plan, records, oracle_rows(plan, list(records.values()))


def test_rows_are_means_over_seeds_of_all_folds(summarised: Any) -> None:
    _, records, rows = summarised
    assert [(r.treebank, r.regime.system, r.regime.oracle) for r in rows] == [
        (f"UD_{t}", s.system, s.oracle) for t in "ABC" for s in (STATIC, EXPLORE, HYBRID)
    ]
    row = rows[4]
    values = []
    for seed in (1, 2, 3):
        folds = [records[OracleCell("UD_B@1.3", EXPLORE, seed, fold).key] for fold in (0, 1)]
        correct = sum(sum(fold.las_without_punctuation) for fold in folds)
        values.append(100 * correct / sum(sum(fold.words) for fold in folds))
    score = row.scores["las_without_punctuation"]
    assert score.mean == pytest.approx(statistics.fmean(values))
    assert score.sd == pytest.approx(statistics.stdev(values))
    assert (row.test_sentences, row.train_tokens, row.iterations) == (40, 100.5, 15)
    assert row.test_tokens - row.test_words == 40


def test_rows_compare_with_static_of_the_same_system_and_treebank(summarised: Any) -> None:
    _, records, rows = summarised

    def correct(regime: Regime) -> list[list[int]]:
        return [
            [n for fold in (0, 1) for n in records[OracleCell("UD_B@1.3", regime, s, fold).key].uas]
            for s in (1, 2, 3)
        ]

    folds = [records[OracleCell("UD_B@1.3", STATIC, 1, fold).key] for fold in (0, 1)]
    expected = compare(correct(EXPLORE), correct(STATIC), [n for fold in folds for n in fold.tokens])
    uas = [row.scores["uas"] for row in rows]
    assert uas[4].delta == pytest.approx(uas[4].mean - uas[3].mean)
    assert (uas[4].delta, uas[4].delta_low, uas[4].delta_high, uas[4].p_value) == (
        expected.delta, expected.low, expected.high, expected.p_value,
    )  # fmt: skip
    assert uas[4].delta > 0
    for other in (uas[3], uas[5]):  # static itself, and a system without static training
        assert other.mean is not None
        assert other.delta is other.p_value is other.p_holm is None


def test_holm_is_over_the_comparisons_of_a_score(summarised: Any) -> None:
    _, _, rows = summarised
    for score in ("uas", "las"):
        p_values = [row.scores[score].p_value for row in rows]
        assert [row.scores[score].p_holm for row in rows] == holm(p_values)
        assert sum(p is not None for p in p_values) == 3


def test_unlabelled_and_unpunctuated_rows() -> None:
    plan = plan_of(("UD_A",), (STATIC,), seeds=1)
    cell = plan.cells()[0]
    record = record_of(cell, random.Random(1), 0.5)
    unlabelled: dict[str, Any] = {"las": None, "las_without_punctuation": None}
    nothing = [0] * 20
    record = msgspec.structs.replace(record, words=nothing, uas_without_punctuation=nothing, **unlabelled)
    row = oracle_rows(plan, [record])[0]
    cells = in_columns(row)
    assert cells["uas"] is not None
    assert [cells[s] for s in ("uas_sd", "las", "uas_without_punctuation")] == [None] * 3
    assert rows_csv([row]).decode().splitlines()[1].startswith("UD_A,1.3,arc-eager,static,,,1,15,40,")


def test_averages_count_every_treebank_once(summarised: Any) -> None:
    _, _, rows = summarised
    average = average_rows(rows)[1]
    assert average.treebanks == 3
    uas, own = average.scores["uas"], [row.scores["uas"] for row in rows[1::3]]
    deltas = [one.delta for one in own]
    assert uas.mean == pytest.approx(sum(one.mean for one in own) / 3)
    assert uas.sd == pytest.approx(sum(one.sd for one in own) / 3)
    assert uas.delta == pytest.approx(sum(deltas) / 3)
    assert uas.better == sum(d > 0 for d in deltas)
    assert uas.significantly_better == sum(one.delta > 0 and one.p_value < 0.05 for one in own)
    assert min(deltas) <= uas.delta_low < uas.delta_high <= max(deltas)
    assert average_rows(rows)[0].scores["uas"].delta is None


def test_averages_count_significant_differences(summarised: Any) -> None:
    _, _, rows = summarised
    changes = [(1.5, 0.04), (-0.5, 0.05), (-1.0, 0.001)]
    changed = [
        replace(row, scores={**row.scores, "las": replace(row.scores["las"], delta=delta, p_value=p)})
        for row, (delta, p) in zip(rows[1::3], changes, strict=True)
    ]
    las = average_rows(changed)[0].scores["las"]
    assert (las.better, las.worse, las.significantly_better, las.significantly_worse) == (1, 2, 1, 1)
    assert las.delta == pytest.approx(0)
    assert las.p_value == 1


@pytest.mark.parametrize(
    "deltas", [[0.5, 1.25, -0.2, 0.9], [1.0, 1.0, 1.0], [0.3, -0.4, 0.1, 0.25, 0.6, 0.7]]
)
def test_the_permutation_test_over_treebanks_is_exact(deltas: list[float]) -> None:
    observed = abs(sum(deltas))
    signs = list(itertools.product((1, -1), repeat=len(deltas)))
    sums = [abs(sum(s * d for s, d in zip(sign, deltas, strict=True))) for sign in signs]
    expected = sum(s >= observed - 1e-12 for s in sums) / len(signs)
    assert over_treebanks(deltas)[2] == pytest.approx(expected)


def test_intervals_over_treebanks() -> None:
    low, high, p = over_treebanks([1.0, 1.0])
    assert (low, high, p) == (1.0, 1.0, 0.5)
    assert over_treebanks([0.0, 0.0]) == (0.0, 0.0, 1.0)
    low, high, _ = over_treebanks([0.1 * i for i in range(21)])
    # of the mean of 21 numbers with standard deviation 0.606 (population), 1.96 standard errors are 0.259
    assert (low, high) == (pytest.approx(1.0 - 0.259, abs=0.03), pytest.approx(1.0 + 0.259, abs=0.03))

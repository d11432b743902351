"""The tables of the experiments on dynamic oracles, from records written by hand."""

from __future__ import annotations

import itertools
import random
import statistics
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan, TreebankFacts
from learnability.papers.oracles import OracleOptions
from learnability.papers.oracles.rows import (
    RegimeRow,
    average_rows,
    in_columns,
    oracle_rows,
    over_treebanks,
    rows_csv,
)
from learnability.papers.oracles.trainings import (
    OracleCell,
    OracleTraining,
    Regime,
    oracle_cell,
    oracle_cells,
    regimes_of,
)
from learnability.running.records import Record, Records
from learnability.statistics.significance import compare, holm
from learnability.treebanks.locate import TreebankFiles


def plan_of(names: tuple[str, ...], *, seeds: int, folds: int = 1) -> RunPlan:
    treebanks = tuple(TreebankFiles(name, "1.3", None) for name in names)
    facts = (TreebankFacts(folds, (100,) * folds, "", {}),) * len(names)
    return RunPlan(treebanks, facts, ExperimentOptions((), seeds=seeds))


def training_of(cell: OracleCell, dice: random.Random, quality: float) -> OracleTraining:
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
        iterations=15, kernel_seconds=0.1, trained_tokens=1, train_sentences=40,
        train_tokens=100 + cell.fold, nonprojective_train=2, tokens=tokens, words=words, **counts,
        forced=0, features=1,
    )  # fmt: skip


STATIC, EXPLORE = Regime("arc-eager", "static"), Regime("arc-eager", "explore", 1, 0.9)
AMBIGUITY = Regime("arc-eager", "ambiguity")
EASY = Regime("easy-first", "explore", 1, 0.9)
OPTIONS = OracleOptions(systems=("arc-eager",))


Summary = tuple[RunPlan, Records, list[RegimeRow]]


@pytest.fixture(scope="module")
def summarised() -> Summary:
    plan = plan_of(("UD_A", "UD_B", "UD_C"), seeds=3, folds=2)
    dice = random.Random(3)
    quality = {"static": 0.6, "ambiguity": 0.7, "explore": 0.75}
    records = Records(
        Record.of(cell, training_of(cell, dice, quality[cell.parser.oracle]))
        for cell in oracle_cells(plan, OPTIONS)
    )
    rows = oracle_rows(plan, OPTIONS, records)
    assert rows is not None
    return plan, records, rows


def found(summarised: Summary, regime: Regime, seed: int, fold: int) -> OracleTraining:
    """What came out of a training on UD_B."""
    plan, records, _ = summarised
    training = records.result(oracle_cell(plan, OPTIONS, regime, "UD_B@1.3", seed, fold))
    assert training is not None
    return training


def test_rows_are_means_over_seeds_of_all_folds(summarised: Summary) -> None:
    _, _, rows = summarised
    assert [(r.treebank, r.regime) for r in rows] == [
        (f"UD_{t}", regime) for t in "ABC" for regime in (STATIC, AMBIGUITY, EXPLORE)
    ]
    row = rows[5]
    values = []
    for seed in (1, 2, 3):
        folds = [found(summarised, EXPLORE, seed, fold) for fold in (0, 1)]
        correct = sum(sum(fold.las_without_punctuation or ()) for fold in folds)
        values.append(100 * correct / sum(sum(fold.words) for fold in folds))
    score = row.scores["las_without_punctuation"]
    assert score.mean == pytest.approx(statistics.fmean(values))
    assert score.sd == pytest.approx(statistics.stdev(values))
    assert (row.test_sentences, row.train_tokens, row.iterations) == (40, 100.5, 15)
    assert row.test_tokens - row.test_words == 40


def test_rows_compare_with_static_of_the_same_system_and_treebank(summarised: Summary) -> None:
    _, _, rows = summarised

    def correct(regime: Regime) -> list[list[int]]:
        return [[n for fold in (0, 1) for n in found(summarised, regime, s, fold).uas] for s in (1, 2, 3)]

    folds = [found(summarised, STATIC, 1, fold) for fold in (0, 1)]
    expected = compare(correct(EXPLORE), correct(STATIC), [n for fold in folds for n in fold.tokens])
    uas = [row.scores["uas"] for row in rows]
    assert uas[5].delta == pytest.approx(uas[5].mean - uas[3].mean)
    assert (uas[5].delta, uas[5].delta_low, uas[5].delta_high, uas[5].p_value) == (
        expected.delta, expected.low, expected.high, expected.p_value,
    )  # fmt: skip
    assert uas[5].delta > 0
    assert uas[3].mean is not None  # static itself
    assert uas[3].delta is uas[3].p_value is uas[3].p_holm is None


def test_what_has_no_static_training_is_compared_with_nothing() -> None:
    plan, options = plan_of(("UD_A",), seeds=1), OracleOptions(systems=("easy-first",), oracles=("explore",))
    assert regimes_of(options) == (EASY,)
    (cell,) = oracle_cells(plan, options)
    (row,) = rows_of(plan, options, [Record.of(cell, training_of(cell, random.Random(1), 0.5))])
    assert row.scores["uas"].mean is not None
    assert row.scores["uas"].delta is row.scores["uas"].p_value is None


def test_without_one_training_there_are_no_rows(summarised: Summary) -> None:
    plan, records, _ = summarised
    for missing in records:
        rest = Records(record for key, record in records.items() if key != missing)
        assert oracle_rows(plan, OPTIONS, rest) is None


def rows_of(plan: RunPlan, options: OracleOptions, records: list[Record]) -> list[RegimeRow]:
    rows = oracle_rows(plan, options, Records(records))
    assert rows is not None
    return rows


def test_holm_is_over_the_comparisons_of_a_score(summarised: Summary) -> None:
    _, _, rows = summarised
    for score in ("uas", "las"):
        p_values = [row.scores[score].p_value for row in rows]
        assert [row.scores[score].p_holm for row in rows] == holm(p_values)
        assert sum(p is not None for p in p_values) == 6


def test_unlabelled_and_unpunctuated_rows() -> None:
    plan, options = plan_of(("UD_A",), seeds=1), OracleOptions(systems=("arc-standard",))
    (cell,) = oracle_cells(plan, options)
    unlabelled: dict[str, Any] = {"las": None, "las_without_punctuation": None}
    nothing = [0] * 20
    training = msgspec.structs.replace(
        training_of(cell, random.Random(1), 0.5),
        words=nothing,
        uas_without_punctuation=nothing,
        **unlabelled,
    )
    (row,) = rows_of(plan, options, [Record.of(cell, training)])
    cells = in_columns(row)
    assert cells["uas"] is not None
    assert [cells[s] for s in ("uas_sd", "las", "uas_without_punctuation")] == [None] * 3
    assert rows_csv([row]).decode().splitlines()[1].startswith("UD_A,1.3,arc-standard,static,,,1,15,40,")


def test_averages_count_every_treebank_once(summarised: Summary) -> None:
    _, _, rows = summarised
    average = average_rows(rows)[2]
    assert average.treebanks == 3
    uas, own = average.scores["uas"], [row.scores["uas"] for row in rows[2::3]]
    deltas = [one.delta for one in own]
    assert uas.mean == pytest.approx(sum(one.mean for one in own) / 3)
    assert uas.sd == pytest.approx(sum(one.sd for one in own) / 3)
    assert uas.delta == pytest.approx(sum(deltas) / 3)
    assert uas.better == sum(d > 0 for d in deltas)
    assert uas.significantly_better == sum(one.delta > 0 and one.p_value < 0.05 for one in own)
    assert min(deltas) <= uas.delta_low < uas.delta_high <= max(deltas)
    assert average_rows(rows)[0].scores["uas"].delta is None


def test_averages_count_significant_differences(summarised: Summary) -> None:
    _, _, rows = summarised
    changes = [(1.5, 0.04), (-0.5, 0.05), (-1.0, 0.001)]
    changed = [
        replace(row, scores={**row.scores, "las": replace(row.scores["las"], delta=delta, p_value=p)})
        for row, (delta, p) in zip(rows[2::3], changes, strict=True)
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

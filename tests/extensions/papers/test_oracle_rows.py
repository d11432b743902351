"""The tables of the experiments on dynamic oracles, from records written by hand."""

from __future__ import annotations

import itertools
import random
import statistics
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from run_data import plan as plan_of
from run_data import with_result

from learnability.comparing.plan import RunPlan
from learnability.extensions.papers.oracles.declaration import OracleOptions
from learnability.extensions.papers.oracles.rows import (
    SCORES,
    RegimeRow,
    average_rows,
    in_columns,
    oracle_rows,
    over_treebanks,
    rows_csv,
)
from learnability.extensions.papers.oracles.trainings import (
    OracleCell,
    OracleTraining,
    Regime,
    oracle_cell,
    oracle_cells,
)
from learnability.running.records import Record, Records
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import interval
from learnability.statistics.significance import compare

OPTIONS = OracleOptions(systems=("arc-eager", "arc-hybrid"), oracles=("static", "explore"))
QUALITY = {"static": 0.6, "explore": 0.75}
"""The share of the tokens that parsers of a regime have right."""


def record_of(cell: OracleCell, dice: random.Random) -> Record:
    sizes = random.Random(cell.treebank + str(cell.fold))
    tokens = [sizes.randint(3, 12) for _ in range(20)]
    words = [n - 1 for n in tokens]

    def right(totals: list[int]) -> list[int]:
        return [sum(dice.random() < QUALITY[cell.options.oracle] for _ in range(n)) for n in totals]

    counts: dict[str, Any] = {
        f"{score}{part}": right(totals)
        for score in ("uas", "las")
        for part, totals in (("", tokens), ("_without_punctuation", words))
    }
    training = OracleTraining(
        iterations=15, kernel_seconds=0.1, trained_tokens=1500, train_sentences=40,
        train_tokens=100 + cell.fold, nonprojective_train=2, tokens=tokens, words=words, **counts, forced=0,
        features=1,
    )  # fmt: skip
    return Record.of(cell, training)


def recorded(plan: RunPlan, options: OracleOptions, seed: int) -> Records:
    """Records of all trainings, with scores drawn at random."""
    dice = random.Random(seed)
    return Records(record_of(cell, dice) for cell in oracle_cells(plan, options))


def rows_of(plan: RunPlan, options: OracleOptions, records: Records) -> list[RegimeRow]:
    rows = oracle_rows(plan, options, records)
    assert rows is not None
    return rows


STATIC, EXPLORE = Regime("arc-eager", "static"), Regime("arc-eager", "explore", 1, 0.9)
HYBRID_STATIC, HYBRID = Regime("arc-hybrid", "static"), Regime("arc-hybrid", "explore", 1, 0.9)
REGIMES = (STATIC, EXPLORE, HYBRID_STATIC, HYBRID)
SECOND = slice(len(REGIMES), 2 * len(REGIMES))
"""The rows of the second treebank."""


@pytest.fixture(scope="module")
def plan() -> RunPlan:
    return plan_of("UD_A", "UD_B", "UD_C", alternatives=(), seeds=3, folds=2)


@pytest.fixture(scope="module")
def records(plan: RunPlan) -> Records:
    return recorded(plan, OPTIONS, 3)


@pytest.fixture(scope="module")
def rows(plan: RunPlan, records: Records) -> list[RegimeRow]:
    return rows_of(plan, OPTIONS, records)


@pytest.fixture(scope="module")
def of_b(plan: RunPlan, records: Records) -> dict[tuple[Regime, int], list[OracleTraining]]:
    """The trainings of the second treebank by regime and seed, fold by fold."""

    def training(regime: Regime, seed: int, fold: int) -> OracleTraining:
        found = records.result(oracle_cell(plan, OPTIONS, regime, "UD_B@1.3", seed, fold))
        assert found is not None
        return found

    return {
        (regime, seed): [training(regime, seed, fold) for fold in (0, 1)]
        for regime in REGIMES
        for seed in (1, 2, 3)
    }


def test_rows_are_means_over_seeds_of_all_folds(rows: list[RegimeRow], of_b: Any) -> None:
    assert [(row.treebank, row.regime) for row in rows] == [
        (f"UD_{letter}", regime) for letter in "ABC" for regime in REGIMES
    ]
    row = rows[SECOND][1]
    values = []
    for seed in (1, 2, 3):
        folds = of_b[EXPLORE, seed]
        correct = sum(sum(fold.las_without_punctuation) for fold in folds)
        values.append(100 * correct / sum(sum(fold.words) for fold in folds))
    score = row.scores["las_without_punctuation"]
    assert score.mean == pytest.approx(statistics.fmean(values))
    assert score.sd == pytest.approx(statistics.stdev(values))
    assert (row.test_sentences, row.train_tokens, row.iterations) == (40, 100.5, 15)
    assert row.test_tokens - row.test_words == 40


def test_rows_compare_with_static_of_the_same_system_and_treebank(rows: list[RegimeRow], of_b: Any) -> None:
    def correct(regime: Regime) -> list[list[int]]:
        return [[n for fold in of_b[regime, seed] for n in fold.uas] for seed in (1, 2, 3)]

    totals = [n for fold in of_b[STATIC, 1] for n in fold.tokens]
    static, explore, hybrid_static, hybrid = (row.scores["uas"] for row in rows[SECOND])
    factors = holm_factors([row.scores["uas"].p_value for row in rows])[SECOND]
    for score, factor, regime, baseline in (
        (explore, factors[1], EXPLORE, STATIC),
        (hybrid, factors[3], HYBRID, HYBRID_STATIC),
    ):
        expected = compare(correct(regime), correct(baseline), totals, folds=[0] * 20 + [1] * 20)
        assert factor is not None
        low, high = interval(expected.delta, expected.error, expected.degrees, factor)
        assert (score.delta_low, score.delta_high) == pytest.approx((low, high))
        assert (score.delta, score.p_value) == pytest.approx((expected.delta, expected.p_value))
        assert score.delta is not None
        assert score.delta > 0
    assert explore.delta == pytest.approx(explore.mean - static.mean)
    for other in (static, hybrid_static):
        assert other.mean is not None
        assert other.delta is other.p_value is other.p_holm is None


def test_without_static_training_nothing_is_compared(plan: RunPlan, records: Records) -> None:
    alone = replace(OPTIONS, oracles=("explore",))
    rows = rows_of(plan, alone, records)
    assert [row.regime for row in rows] == [EXPLORE, HYBRID] * 3
    for row in rows:
        assert row.scores["uas"].mean is not None
        assert row.scores["uas"].delta is row.scores["uas"].p_holm is None


def test_there_are_no_rows_while_a_training_is_missing(plan: RunPlan, records: Records) -> None:
    for missing in list(records)[::7]:
        others = Records(record for key, record in records.items() if key != missing)
        assert oracle_rows(plan, OPTIONS, others) is None


def test_holm_is_over_the_comparisons_of_a_score(rows: list[RegimeRow]) -> None:
    for score in ("uas", "las"):
        p_values = [row.scores[score].p_value for row in rows]
        assert [row.scores[score].p_holm for row in rows] == holm(p_values)
        assert sum(p is not None for p in p_values) == 6


@pytest.mark.parametrize("score", SCORES)
def test_intervals_belong_to_the_corrected_p(rows: list[RegimeRow], score: str) -> None:
    tested = [in_columns(row) for row in rows if row.scores[score].delta is not None]
    widened = 0
    for cells in tested:
        delta, low, high = (cells[f"{score}_{name}"] for name in ("delta", "delta_low", "delta_high"))
        assert (low > 0 or high < 0) == (cells[f"{score}_p_holm"] < 0.05)
        assert low + high == pytest.approx(2 * delta)
        widened += cells[f"{score}_p_holm"] > cells[f"{score}_p_value"]
    assert widened


def test_unlabelled_and_unpunctuated_rows() -> None:
    plan = plan_of("UD_A", alternatives=(), seeds=1)
    options = OracleOptions(systems=("arc-eager",), oracles=("static",))
    (record,) = recorded(plan, options, 1).values()
    unlabelled: dict[str, Any] = {"las": None, "las_without_punctuation": None}
    nothing = [0] * 20
    training = record.result_as(OracleTraining)
    assert training is not None
    training = msgspec.structs.replace(training, words=nothing, uas_without_punctuation=nothing, **unlabelled)
    (row,) = rows_of(plan, options, Records([with_result(record, training)]))
    cells = in_columns(row)
    assert cells["uas"] is not None
    assert [cells[s] for s in ("uas_sd", "las", "uas_without_punctuation")] == [None] * 3
    assert rows_csv([row]).decode().splitlines()[1].startswith("UD_A,1.3,arc-eager,static,,,1,15,40,")


def test_averages_count_every_treebank_once(rows: list[RegimeRow]) -> None:
    average = average_rows(rows)[1]
    assert average.treebanks == 3
    uas, own = average.scores["uas"], [row.scores["uas"] for row in rows[1 :: len(REGIMES)]]
    tested = [(one.delta, one.p_value) for one in own if one.delta is not None and one.p_value is not None]
    deltas = [delta for delta, _ in tested]
    assert len(deltas) == 3
    assert uas.mean == pytest.approx(statistics.fmean(one.mean or 0 for one in own))
    assert uas.sd == pytest.approx(statistics.fmean(one.sd or 0 for one in own))
    assert uas.delta == pytest.approx(sum(deltas) / 3)
    assert uas.better == sum(delta > 0 for delta in deltas)
    assert uas.significantly_better == sum(delta > 0 and p < 0.05 for delta, p in tested)
    assert uas.delta_low is not None
    assert uas.delta_high is not None
    assert min(deltas) <= uas.delta_low < uas.delta_high <= max(deltas)
    assert average_rows(rows)[0].scores["uas"].delta is None


def test_averages_count_significant_differences(rows: list[RegimeRow]) -> None:
    changes = [(1.5, 0.04), (-0.5, 0.05), (-1.0, 0.001)]
    changed = [
        replace(row, scores={**row.scores, "las": replace(row.scores["las"], delta=delta, p_value=p)})
        for row, (delta, p) in zip(rows[1 :: len(REGIMES)], changes, strict=True)
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

"""From the records of `learnability oracles` to its tables: scores, differences to static, averages."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from learnability.experiments.columns import Column, csv_bytes
from learnability.experiments.oracle_plan import OracleCell, OraclePlan, OracleTraining, Regime
from learnability.metrics import compare, holm

Row = dict[str, Any]
Trainings = Sequence[Sequence[OracleTraining]]
"""The records of a regime on a treebank, per seed and fold."""

AVERAGES = "averages.csv"

SCORES = ("uas", "las", "uas_without_punctuation", "las_without_punctuation")
"""The scores, in percent; those without punctuation are out of the tokens the reference does not label so."""

BASELINE = "static"
"""The regime that the others are compared with."""

REGIME = ("system", "oracle", "k", "p")
"""The columns that say how the parser was trained."""

_COUNTED = ("better", "worse", "significantly_better", "significantly_worse")


def _of_scores(*columns: str) -> list[str]:
    """Each score itself, then these columns of it."""
    return [name for score in SCORES for name in (score, *(f"{score}_{column}" for column in columns))]


COLUMNS = (
    *("treebank", "release", *REGIME, "seeds", "iterations", "train_sentences"),
    *("train_tokens", "nonprojective_train", "test_sentences", "test_tokens", "test_words"),
    *_of_scores("sd", "delta", "delta_low", "delta_high", "p_value", "p_holm"),
)
"""The columns of results.csv, in order; `_sd` is over seeds, `_delta` the score minus that of static."""

AVERAGE_COLUMNS = (
    *(*REGIME, "treebanks"),
    *_of_scores("sd", "delta", "delta_low", "delta_high", "p_value", *_COUNTED),
)
"""The columns of averages.csv, in order."""


def oracle_rows(plan: OraclePlan, records: Sequence[OracleTraining]) -> list[Row]:
    """One row per treebank and regime, unrounded, None where not computed.

    Scores are micro-averages over the test sentences (of all folds), means over seeds, `_sd` their sample
    standard deviation. Differences to the static training of the same system and treebank: `metrics.compare`
    (paired bootstrap and permutation test). Holm's correction is over all comparisons of one score.
    """
    by_key = {record.key: record for record in records}
    rows: list[Row] = []
    for name, (files, facts) in plan.by_label.items():
        trainings = {}
        for regime in plan.regimes:
            keys = [
                [OracleCell(name, regime.training(), seed, fold).key for fold in range(facts.folds)]
                for seed in range(1, plan.options.seeds + 1)
            ]
            if by_key.keys() >= set(chain(*keys)):
                trainings[regime] = [[by_key[key] for key in seed] for seed in keys]
        for regime in plan.regimes:
            row: Row = dict.fromkeys(COLUMNS)
            row.update(treebank=files.name, release=files.release, seeds=plan.options.seeds, **asdict(regime))
            if regime in trainings:
                static = None if regime.oracle == BASELINE else trainings.get(Regime(regime.system, BASELINE))
                row.update(_scores(trainings[regime], static))
            rows.append(row)
    for score in SCORES:
        corrected = holm([row[f"{score}_p_value"] for row in rows])
        for row, p in zip(rows, corrected, strict=True):
            row[f"{score}_p_holm"] = p
    return rows


def _scores(seeds: Trainings, static: Trainings | None) -> Row:
    """Everything of a row that is computed."""
    first = seeds[0]
    row: Row = {}
    for name in ("iterations", "train_sentences", "train_tokens", "nonprojective_train"):
        mean = statistics.fmean(getattr(fold, name) for fold in first)
        row[name] = int(mean) if mean.is_integer() else mean
    tokens, words = _all_folds(first, "tokens"), _all_folds(first, "words")
    row.update(test_sentences=len(tokens), test_tokens=sum(tokens), test_words=sum(words))
    for score in SCORES:
        total = words if score.endswith("without_punctuation") else tokens
        if getattr(first[0], score) is None or not sum(total):
            continue
        correct = [_all_folds(seed, score) for seed in seeds]
        values = [100 * sum(seed) / sum(total) for seed in correct]
        row[score] = statistics.fmean(values)
        row[f"{score}_sd"] = statistics.stdev(values) if len(values) > 1 else None
        if static is not None:
            difference = compare(correct, [_all_folds(seed, score) for seed in static], total)
            row[f"{score}_delta"] = difference.delta
            row[f"{score}_delta_low"], row[f"{score}_delta_high"] = difference.low, difference.high
            row[f"{score}_p_value"] = difference.p_value
    return row


def _all_folds(folds: Sequence[OracleTraining], name: str) -> list[int]:
    return [count for fold in folds for count in getattr(fold, name)]


def average_rows(rows: Sequence[Row]) -> list[Row]:
    """One row per regime: macro-averages over the treebanks, unrounded, None where not computed.

    `_sd` is the mean over treebanks of the standard deviation over seeds. The interval of the mean
    difference to static is the percentile bootstrap over treebanks, p the two-sided permutation test that
    changes the signs of the treebanks' differences (exact up to 16 treebanks): both speak about treebanks
    like these, each counted once; `better` and `worse` count treebanks, `significantly_` those with
    p < 0.05 there.
    """
    by_regime: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        by_regime.setdefault(tuple(row[name] for name in REGIME), []).append(row)
    averages = []
    for regime, own in by_regime.items():
        average: Row = dict.fromkeys(AVERAGE_COLUMNS)
        average.update(zip(REGIME, regime, strict=True), treebanks=len(own))
        for score in SCORES:
            if any(row[score] is None for row in own):
                continue
            average[score] = statistics.fmean(row[score] for row in own)
            deviations = [row[f"{score}_sd"] for row in own]
            average[f"{score}_sd"] = None if None in deviations else statistics.fmean(deviations)
            if all(row[f"{score}_delta"] is not None for row in own):
                average.update(_average_difference(own, score))
        averages.append(average)
    return averages


def _average_difference(rows: Sequence[Row], score: str) -> Row:
    """The columns of the mean difference over treebanks."""
    deltas = [row[f"{score}_delta"] for row in rows]
    sure = [row[f"{score}_delta"] for row in rows if row[f"{score}_p_value"] < 0.05]
    counts = [sum(d > 0 for d in deltas), sum(d < 0 for d in deltas)]
    counts += [sum(d > 0 for d in sure), sum(d < 0 for d in sure)]
    low, high, p = over_treebanks(deltas) if len(deltas) > 1 else (None, None, None)
    names = ("delta", *_COUNTED, "delta_low", "delta_high", "p_value")
    values = (statistics.fmean(deltas), *counts, low, high, p)
    return {f"{score}_{name}": value for name, value in zip(names, values, strict=True)}


def over_treebanks(deltas: Sequence[float]) -> tuple[float, float, float]:
    """The 95 % percentile bootstrap interval of the mean, and the two-sided sign-flip permutation p."""
    import numpy as np
    from scipy import stats

    if len(set(deltas)) == 1:
        low = high = deltas[0]
    else:
        interval = stats.bootstrap(
            (np.asarray(deltas),), np.mean, method="percentile", rng=np.random.default_rng(0)
        ).confidence_interval
        low, high = float(interval.low), float(interval.high)
    if not any(deltas):
        return low, high, 1.0
    test = stats.permutation_test(
        (np.asarray(deltas),),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=100_000,  # sign flips: up to 16 treebanks it is exact
        rng=np.random.default_rng(0),
    )
    return low, high, float(test.pvalue)


def rows_csv(rows: Sequence[Row]) -> bytes:
    """results.csv or averages.csv: four decimals (p values six), empty where there is no value."""
    return csv_bytes([Column(name, "text" if name == "p" else "number") for name in rows[0]], rows)

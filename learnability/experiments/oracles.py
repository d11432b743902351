"""Running the experiments on dynamic oracles, and their tables: scores, differences to static, averages."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from learnability.experiments.columns import Column, csv_bytes
from learnability.experiments.configuration import configuration
from learnability.experiments.engine import complete
from learnability.experiments.folder import RESULTS, RunFolder
from learnability.experiments.options import OracleOptions
from learnability.experiments.oracle_trainings import (
    OracleCell,
    OraclePlan,
    OracleRecord,
    OracleTraining,
    Regime,
    make_oracle_plan,
    oracle_experiment,
    regimes_of,
)
from learnability.experiments.progress import CONDITION_SECONDS
from learnability.metrics import compare, holm
from learnability.progress import Stages
from learnability.treebanks.locate import TreebankFiles

Trainings = Sequence[Sequence[OracleTraining]]
"""The records of a regime on a treebank, per seed and fold."""

AVERAGES = "averages.csv"

SCORES = ("uas", "las", "uas_without_punctuation", "las_without_punctuation")
"""The scores, in percent; those without punctuation are out of the tokens the reference does not label so."""

BASELINE = "static"
"""The regime that the others are compared with."""


@dataclass
class Compared:
    """A score, mean and standard deviation over seeds, and its difference to static training in points, with
    the 95 % interval and the p value. None: not computed."""

    mean: float | None = None
    sd: float | None = None
    delta: float | None = None
    delta_low: float | None = None
    delta_high: float | None = None
    p_value: float | None = None


@dataclass
class TreebankScore(Compared):
    """Of one treebank (`metrics.compare`); `p_holm` is corrected for
    all comparisons of the score."""

    p_holm: float | None = None


@dataclass
class AverageScore(Compared):
    """Of several treebanks, each counted once. The interval is the percentile bootstrap over treebanks, p the
    permutation test that changes the signs of their differences (exact up to 16 treebanks): both speak about
    treebanks like these. `better` and `worse` count treebanks, `significantly_` those with p < 0.05 there."""

    better: int | None = None
    worse: int | None = None
    significantly_better: int | None = None
    significantly_worse: int | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """A regime on a treebank: a row of results.csv; means and sums over folds."""

    treebank: str
    release: str
    regime: Regime
    seeds: int
    iterations: float | None = None
    train_sentences: float | None = None
    train_tokens: float | None = None
    nonprojective_train: float | None = None
    test_sentences: int | None = None
    test_tokens: int | None = None
    test_words: int | None = None
    scores: dict[str, TreebankScore] = field(
        default_factory=lambda: {score: TreebankScore() for score in SCORES}
    )


@dataclass(frozen=True)
class Average:
    """A regime on all treebanks, macro-averages: a row of averages.csv."""

    regime: Regime
    treebanks: int
    scores: dict[str, AverageScore]


@dataclass(frozen=True)
class OracleOutcome:
    """A run that has tried everything: rows per treebank, averages, the failed trainings, and its folder."""

    plan: OraclePlan
    rows: list[Row]
    averages: list[Average]
    failed: list[OracleRecord]
    folder: Path


def run_oracles(
    treebanks: Sequence[TreebankFiles],
    options: OracleOptions,
    out: Path,
    arguments: Mapping[str, Any],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Stages | None = None,
) -> OracleOutcome:
    """Train what is missing; config.json, records.jsonl, results.csv and averages.csv are written to `out`. A
    training that fails is recorded with its reason and the others go on; `resume` tries it again, `force`
    starts anew. The same treebanks and options give the same tables, wherever they are computed and however
    often interrupted."""
    regimes_of(options)
    stages = progress or Stages()
    folder = RunFolder(out)
    with folder.locked():
        folder.check(resume=resume, force=force)
        plan = make_oracle_plan(treebanks, options, jobs=jobs, progress=stages)
        config = configuration(plan.by_label.values(), arguments, asdict(options), notes=plan.notes())
        folder.begin(config, resume=resume, force=force)
        records, failed = complete(oracle_experiment(plan), folder, jobs=jobs, cluster=cluster, stages=stages)
        count = len(plan.regimes) * len(plan.treebanks)
        stages.stage("intervals and tests", expected=count * CONDITION_SECONDS)
        rows = oracle_rows(plan, records)
        averages = average_rows(rows)
        if not failed:
            folder.complete({AVERAGES: rows_csv(averages), RESULTS: rows_csv(rows)})
    return OracleOutcome(plan, rows, averages, failed, out)


def oracle_rows(plan: OraclePlan, records: Sequence[OracleTraining]) -> list[Row]:
    """One row per treebank and regime, unrounded; nothing is computed where a training is missing."""
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
            static = None if regime.oracle == BASELINE else trainings.get(Regime(regime.system, BASELINE))
            done = _computed(trainings[regime], static) if regime in trainings else {}
            seeds = plan.options.seeds
            rows.append(Row(treebank=files.name, release=files.release, regime=regime, seeds=seeds, **done))
    for score in SCORES:
        corrected = holm([row.scores[score].p_value for row in rows])
        for row, p in zip(rows, corrected, strict=True):
            row.scores[score].p_holm = p
    return rows


def _computed(seeds: Trainings, static: Trainings | None) -> dict[str, Any]:
    """Everything of a row that is computed; scores are micro-averages over the test sentences."""
    first = seeds[0]
    tokens, words = _all_folds(first, "tokens"), _all_folds(first, "words")
    done: dict[str, Any] = {
        "test_sentences": len(tokens),
        "test_tokens": sum(tokens),
        "test_words": sum(words),
    }
    for name in ("iterations", "train_sentences", "train_tokens", "nonprojective_train"):
        mean = statistics.fmean(getattr(fold, name) for fold in first)
        done[name] = int(mean) if mean.is_integer() else mean
    scores = done["scores"] = {score: TreebankScore() for score in SCORES}
    for score, own in scores.items():
        total = words if score.endswith("without_punctuation") else tokens
        if getattr(first[0], score) is None or not sum(total):
            continue
        correct = [_all_folds(seed, score) for seed in seeds]
        values = [100 * sum(seed) / sum(total) for seed in correct]
        own.mean = statistics.fmean(values)
        own.sd = statistics.stdev(values) if len(values) > 1 else None
        if static is not None:
            tested = compare(correct, [_all_folds(seed, score) for seed in static], total)
            own.delta, own.delta_low, own.delta_high = tested.delta, tested.low, tested.high
            own.p_value = tested.p_value
    return done


def _all_folds(folds: Sequence[OracleTraining], name: str) -> list[int]:
    return [count for fold in folds for count in getattr(fold, name)]


def average_rows(rows: Sequence[Row]) -> list[Average]:
    """One average per regime, unrounded; nothing is computed where a treebank lacks it."""
    averages = []
    for regime in dict.fromkeys(row.regime for row in rows):
        own = [row.scores for row in rows if row.regime == regime]
        scores = {score: _averaged([scores[score] for scores in own]) for score in SCORES}
        averages.append(Average(regime, len(own), scores))
    return averages


def _averaged(own: Sequence[TreebankScore]) -> AverageScore:
    average = AverageScore(_mean([one.mean for one in own]), _mean([one.sd for one in own]))
    tested = [(o.delta, o.p_value) for o in own if o.delta is not None and o.p_value is not None]
    if len(tested) == len(own):
        deltas = [delta for delta, _ in tested]
        sure = [delta for delta, p in tested if p < 0.05]
        average.delta = statistics.fmean(deltas)
        average.better, average.worse = sum(d > 0 for d in deltas), sum(d < 0 for d in deltas)
        average.significantly_better = sum(d > 0 for d in sure)
        average.significantly_worse = sum(d < 0 for d in sure)
        if len(deltas) > 1:
            average.delta_low, average.delta_high, average.p_value = over_treebanks(deltas)
    return average


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None if a value is missing."""
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if len(known) == len(values) else None


def over_treebanks(deltas: Sequence[float]) -> tuple[float, float, float]:
    """The 95 % percentile bootstrap interval of the mean, and the two-sided sign-flip permutation p."""
    from scipy import stats

    values = np.asarray(deltas)
    low = high = deltas[0]
    if len(set(deltas)) > 1:
        generator = np.random.default_rng(0)
        interval = stats.bootstrap((values,), np.mean, method="percentile", rng=generator).confidence_interval
        low, high = float(interval.low), float(interval.high)
    if not any(deltas):
        return low, high, 1.0
    test = stats.permutation_test(
        (values,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=100_000,  # sign flips: up to 16 treebanks it is exact
        rng=np.random.default_rng(0),
    )
    return low, high, float(test.pvalue)


def in_columns(row: Row | Average) -> dict[str, Any]:
    """A row by the columns of its file; those of a score begin with its name."""
    cells: dict[str, Any] = {}
    for name, value in vars(row).items():
        cells |= vars(value) if name == "regime" else {} if name == "scores" else {name: value}
    for score, own in row.scores.items():
        cells |= {f"{score}_{name}".removesuffix("_mean"): value for name, value in vars(own).items()}
    return cells


def rows_csv(rows: Sequence[Row | Average]) -> bytes:
    """results.csv or averages.csv: four decimals (p values six), empty where there is no value."""
    cells = [in_columns(row) for row in rows]
    return csv_bytes([Column(name, "text" if name == "p" else "number") for name in cells[0]], cells)

"""From the records of `learnability oracles` to its tables: scores, differences to static, averages."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from learnability.experiments.columns import Column, csv_bytes

if TYPE_CHECKING:
    from learnability.experiments.oracle_plan import OraclePlan, Setting
    from learnability.treebanks.locate import TreebankFiles

Record = dict[str, Any]
Row = dict[str, Any]

AVERAGES = "averages.csv"

SCORES = ("uas", "las", "uas_without_punctuation", "las_without_punctuation")
"""The scores, in percent; those without punctuation are out of the tokens the reference does not label so."""

BASELINE = "static"
"""The regime that the others are compared with."""

SIGNIFICANT = 0.05

EXACT = 100_000
"""Sign flips of a permutation test over treebanks; up to 16 treebanks it is exact."""

_COMPARED = ("delta", "delta_low", "delta_high", "p_value", "p_holm")

COLUMNS = (
    *("treebank", "release", "system", "oracle", "k", "p", "seeds", "iterations", "train_sentences"),
    *("train_tokens", "nonprojective_train", "test_sentences", "test_tokens", "test_words"),
    *(column for score in SCORES for column in (score, f"{score}_sd", *(f"{score}_{c}" for c in _COMPARED))),
)
"""The columns of results.csv, in order; `_sd` is over seeds, `_delta` the score minus that of static."""

_COUNTED = ("better", "worse", "significantly_better", "significantly_worse")

AVERAGE_COLUMNS = (
    *("system", "oracle", "k", "p", "treebanks"),
    *(
        column
        for score in SCORES
        for column in (
            *(score, f"{score}_sd", f"{score}_delta", f"{score}_delta_low", f"{score}_delta_high"),
            *(f"{score}_p_value", *(f"{score}_{c}" for c in _COUNTED)),
        )
    ),
)
"""The columns of averages.csv, in order."""


def oracle_rows(plan: OraclePlan, records: Sequence[Record]) -> list[Row]:
    """One row per treebank and setting, unrounded, None where not computed.

    Scores are micro-averages over the test sentences (of all folds), means over seeds, `_sd` their sample
    standard deviation. Differences to the static training of the same system and treebank: `metrics.compare`
    (paired bootstrap and permutation test). Holm's correction is over all comparisons of one score.
    """
    from learnability.metrics import holm

    by_key = {record["key"]: record for record in records if "failed" not in record}
    rows = []
    for files, facts in zip(plan.treebanks, plan.facts, strict=True):

        def seeds_of(
            setting: Setting, files: TreebankFiles = files, folds: int = facts.folds
        ) -> list[list[Record]] | None:
            return _seeds(plan.options.seeds, by_key, files, setting, folds)

        static = {s.system: seeds_of(s) for s in plan.settings if s.oracle == BASELINE}
        for setting in plan.settings:
            row: Row = dict.fromkeys(COLUMNS)
            row.update(treebank=files.name, release=files.release, seeds=plan.options.seeds)
            row.update(system=setting.system, oracle=setting.oracle, k=setting.k, p=setting.p)
            seeds = seeds_of(setting)
            baseline = None if setting.oracle == BASELINE else static.get(setting.system)
            if seeds is not None:
                row.update(_scores(seeds, baseline))
            rows.append(row)
    for score in SCORES:
        corrected = holm([row[f"{score}_p_value"] for row in rows])
        for row, p in zip(rows, corrected, strict=True):
            row[f"{score}_p_holm"] = p
    return rows


def _seeds(
    seeds: int, by_key: dict[str, Record], files: TreebankFiles, setting: Setting, folds: int
) -> list[list[Record]] | None:
    """The records of a setting, per seed and fold; None if one is missing."""
    from learnability.experiments.oracle_plan import OracleCell
    from learnability.experiments.plan import label

    found = [
        [by_key.get(OracleCell(label(files), setting.training(), seed, fold).key) for fold in range(folds)]
        for seed in range(1, seeds + 1)
    ]
    complete = [[record for record in seed if record is not None] for seed in found]
    return complete if all(len(a) == len(b) for a, b in zip(found, complete, strict=True)) else None


def _scores(seeds: Sequence[Sequence[Record]], baseline: Sequence[Sequence[Record]] | None) -> Row:
    """Everything of a row that is computed; `seeds`, `baseline`: records per seed and fold."""
    from learnability.metrics import compare

    first = seeds[0]
    row: Row = {
        name: _whole(statistics.fmean(fold[name] for fold in first))
        for name in ("iterations", "train_sentences", "train_tokens", "nonprojective_train")
    }
    row["test_sentences"] = sum(len(fold["tokens"]) for fold in first)
    row["test_tokens"] = sum(_all_folds(first, "tokens"))
    row["test_words"] = sum(_all_folds(first, "words"))
    for score in SCORES:
        if score not in first[0]:
            continue
        total = _all_folds(first, "words" if score.endswith("without_punctuation") else "tokens")
        if not sum(total):
            continue
        correct = [_all_folds(seed, score) for seed in seeds]
        values = [100 * sum(seed) / sum(total) for seed in correct]
        row[score] = statistics.fmean(values)
        row[f"{score}_sd"] = statistics.stdev(values) if len(values) > 1 else None
        if baseline is not None:
            found = compare(correct, [_all_folds(seed, score) for seed in baseline], total)
            row[f"{score}_delta"] = found.delta
            row[f"{score}_delta_low"], row[f"{score}_delta_high"] = found.low, found.high
            row[f"{score}_p_value"] = found.p_value
    return row


def _all_folds(folds: Sequence[Record], name: str) -> list[int]:
    return [n for fold in folds for n in fold[name]]


def _whole(mean: float) -> float:
    return int(mean) if mean == int(mean) else mean


def average_rows(rows: Sequence[Row]) -> list[Row]:
    """One row per setting: macro-averages over the treebanks, unrounded, None where not computed.

    `_sd` is the mean over treebanks of the standard deviation over seeds. The interval of the mean
    difference to static is the percentile bootstrap over treebanks, p the two-sided permutation test that
    changes the signs of the treebanks' differences (exact up to 16 treebanks): both speak about treebanks
    like these, each counted once; `better` and `worse` count treebanks, `significantly_` those with
    p < 0.05 there.
    """
    settings = dict.fromkeys((row["system"], row["oracle"], row["k"], row["p"]) for row in rows)
    averages = []
    for setting in settings:
        own = [row for row in rows if (row["system"], row["oracle"], row["k"], row["p"]) == setting]
        average: Row = dict.fromkeys(AVERAGE_COLUMNS)
        average.update(zip(("system", "oracle", "k", "p"), setting, strict=True), treebanks=len(own))
        for score in SCORES:
            if any(row[score] is None for row in own):
                continue
            average[score] = statistics.fmean(row[score] for row in own)
            deviations = [row[f"{score}_sd"] for row in own if row[f"{score}_sd"] is not None]
            average[f"{score}_sd"] = statistics.fmean(deviations) if len(deviations) == len(own) else None
            if all(row[f"{score}_delta"] is not None for row in own):
                average.update(_average_difference(own, score))
        averages.append(average)
    return averages


def _average_difference(rows: Sequence[Row], score: str) -> Row:
    """The columns of the mean difference over treebanks."""
    deltas = [row[f"{score}_delta"] for row in rows]
    sure = [row[f"{score}_delta"] for row in rows if row[f"{score}_p_value"] < SIGNIFICANT]
    found: Row = {
        f"{score}_delta": statistics.fmean(deltas),
        f"{score}_better": sum(d > 0 for d in deltas),
        f"{score}_worse": sum(d < 0 for d in deltas),
        f"{score}_significantly_better": sum(d > 0 for d in sure),
        f"{score}_significantly_worse": sum(d < 0 for d in sure),
    }
    if len(deltas) > 1:
        low, high, p = over_treebanks(deltas)
        found.update({f"{score}_delta_low": low, f"{score}_delta_high": high, f"{score}_p_value": p})
    return found


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
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=EXACT,
        rng=np.random.default_rng(0),
    )
    return low, high, float(test.pvalue)


def rows_csv(rows: Iterable[Row]) -> bytes:
    """results.csv: four decimals (p values six), empty where there is no value."""
    return csv_bytes([_column(name) for name in COLUMNS], rows)


def averages_csv(rows: Iterable[Row]) -> bytes:
    """averages.csv: four decimals (p values six), empty where there is no value."""
    return csv_bytes([_column(name) for name in AVERAGE_COLUMNS], rows)


def _column(name: str) -> Column:
    """p, the probability of exploration, is written as it was given."""
    return Column(name, decimals=None if name == "p" else 6 if name.endswith(("p_value", "p_holm")) else 4)

"""From records to results.csv: one row per condition (design sections 9 and 11)."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from learnability.experiments.data import SCHEME
from learnability.experiments.plan import Plan
from learnability.metrics import compare, holm

Record = dict[str, Any]
Row = dict[str, Any]

COLUMNS = (
    *("treebank", "release", "transform", "variant", "sites", "sentences", "sentences_changed"),
    *("tokens_changed", "test_sites", "seeds", "iterations", "uas_original", "uas_transformed", "uas_delta"),
    *("uas_delta_low", "uas_delta_high", "p_value", "p_holm", "winner", "better", "uas_back_transformed"),
    *("back_ceiling", "back_ceiling_gold_sites", "nucleus_uas_original", "nucleus_uas_transformed"),
    *("closest_uas_original", "closest_uas_transformed", "closest_uas_multiref"),
    *("multiref_original_share", "multiref_transformed_share", "multiref_share_sd"),
    *("multiref_site_original_share", "predictability_original", "predictability_transformed"),
    *("perplexity_original", "perplexity_transformed", "complexity_original", "complexity_transformed"),
    *("pick_multiref", "pick_predictability", "pick_perplexity", "pick_complexity", "factors_cut"),
    *("nonprojective_train", "train_tokens"),
)
"""The columns of results.csv, in order."""

SIX_DECIMALS = ("p_value", "p_holm")


def result_rows(plan: Plan, records: Sequence[Record]) -> list[Row]:
    """One row per condition, unrounded, None where not computed; Holm's correction over all rows."""
    by_key = {record["key"]: record for record in records if "failed" not in record}
    rows = []
    for t, files in enumerate(plan.treebanks):
        for condition in plan.options.conditions:
            row: Row = dict.fromkeys(COLUMNS)
            name, _, variant = condition.removeprefix(SCHEME).partition(":")
            row.update(treebank=files.name, release=files.release, transform=name, variant=variant)
            row.update(_condition(plan, by_key, t, condition))
            rows.append(row)
    for row, corrected in zip(rows, holm([row["p_value"] for row in rows]), strict=True):
        row["p_holm"] = corrected
    return rows


def _condition(plan: Plan, by_key: dict[str, Record], t: int, condition: str) -> Row:
    """The columns of one condition of one treebank."""
    folds, seeds = range(plan.folds[t]), range(1, plan.options.seeds + 1)

    def find(setting: str, name: str, seed: int) -> list[Record] | None:
        found = [by_key.get(f"{t}/{setting}/{name}/{seed}/{fold}") for fold in folds]
        return None if any(record is None for record in found) else [r for r in found if r is not None]

    row: Row = {"seeds": plan.options.seeds}
    measures = find("measures", condition, 0)
    if measures is not None:
        row.update(_measures(measures))
    a = [found for seed in seeds if (found := find("a", "", seed))]
    b = [found for seed in seeds if (found := find("b", condition, seed))]
    c = [found for seed in seeds if (found := find("c", condition, seed))]
    if len(a) == len(seeds):
        row["iterations"] = statistics.fmean(fold["iterations"] for seed in a for fold in seed)
    if row.get("sites", 0) == 0:
        return row
    if len(a) == len(b) == len(seeds):
        row.update(_scores(a, b, condition, has_nuclei="cc" not in _names(condition)))
    if len(c) == len(seeds):
        row.update(_survival(c))
    return row


def _names(condition: str) -> set[str]:
    """The transformations a condition certainly or possibly contains."""
    if condition.startswith(SCHEME):
        from learnability.schemes import get_scheme
        from learnability.treebanks.sentence import Conventions

        scheme = get_scheme(condition.removeprefix(SCHEME), Conventions())
        return {part.name for part in scheme.transformation.parts}
    return {condition.partition(":")[0]}


def _measures(folds: Sequence[Record]) -> Row:
    """Counts are summed over folds' test parts where there are several, measures are means over folds."""
    row: Row = {
        name: _total(folds, name)
        for name in ("sites", "sentences", "sentences_changed", "tokens_changed", "nonprojective_train")
    }
    row["test_sites"] = sum(fold["test_sites"] for fold in folds)
    row["train_tokens"] = _total(folds, "train_tokens")
    for measure in ("predictability", "perplexity", "complexity"):
        values = [fold[measure] for fold in folds if measure in fold]
        if values:
            original, transformed = (_mean([value[i] for value in values]) for i in (0, 1))
            row[f"{measure}_original"], row[f"{measure}_transformed"] = original, transformed
            row[f"pick_{measure}"] = pick(transformed - original)
    return row


def _total(folds: Sequence[Record], name: str) -> int:
    """A count of training sentences: with K folds every sentence trains in K - 2 of them."""
    total = sum(fold[name] for fold in folds)
    return int(total if len(folds) == 1 else round(total / (len(folds) - 2)))


def _mean(values: Sequence[float]) -> float:
    """Mean; of equal whole numbers the whole number."""
    mean = statistics.fmean(values)
    return int(mean) if all(isinstance(v, int) for v in values) and mean == int(mean) else mean


def pick(original_is_better_by: float) -> str:
    """The sign of a difference as a pick; `none` for 0 or an undefined difference."""
    if math.isnan(original_is_better_by) or original_is_better_by == 0:
        return "none"
    return "original" if original_is_better_by > 0 else "transformed"


def _scores(a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], condition: str, *, has_nuclei: bool) -> Row:
    """Own-reference, nucleus and closest-reference UAS; `a`, `b`: per seed, per fold."""
    total = [n for fold in a[0] for n in fold["tokens"]]
    comparison = compare(
        np.array([[n for fold in seed for n in fold["correct"]] for seed in a]),
        np.array([[n for fold in seed for n in fold["correct"]] for seed in b]),
        np.array(total),
    )
    tokens = sum(total) * len(a)
    row: Row = {
        "uas_original": comparison.score_a,
        "uas_transformed": comparison.score_b,
        "uas_delta": comparison.delta,
        "uas_delta_low": comparison.low,
        "uas_delta_high": comparison.high,
        "p_value": comparison.p_value,
        "winner": comparison.winner,
        "better": comparison.better,
        "closest_uas_original": 100
        * sum(fold["closest_correct"][condition] for seed in a for fold in seed)
        / tokens,
        "closest_uas_transformed": 100 * sum(fold["closest_correct"] for seed in b for fold in seed) / tokens,
    }
    if has_nuclei:
        for name, seeds in (("original", a), ("transformed", b)):
            nuclei = sum(fold["nuclei"] for seed in seeds for fold in seed)
            correct = sum(fold["nucleus_correct"] for seed in seeds for fold in seed)
            row[f"nucleus_uas_{name}"] = 100 * correct / nuclei if nuclei else None
    return row


def _survival(c: Sequence[Sequence[Record]]) -> Row:
    """Shares in the last iteration: means over seeds, each weighted over folds by sentences (sites)."""

    def share(folds: Sequence[Record], name: str, weight: str) -> float:
        weights = [fold[weight] for fold in folds if fold["sites"]]
        values = [fold[name][-1] for fold in folds if fold["sites"]]
        return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)

    original = [share(seed, "original_share", "sentences_with_sites") for seed in c]
    transformed = [share(seed, "transformed_share", "sentences_with_sites") for seed in c]
    picks = {pick(o - t) for o, t in zip(original, transformed, strict=True)}
    tokens = sum(fold["test_tokens"] for seed in c for fold in seed if fold["sites"])
    return {
        "multiref_original_share": statistics.fmean(original),
        "multiref_transformed_share": statistics.fmean(transformed),
        "multiref_share_sd": statistics.stdev(original) if len(original) > 1 else None,
        "multiref_site_original_share": statistics.fmean(
            share(seed, "site_original_share", "sites") for seed in c
        ),
        "pick_multiref": picks.pop() if len(picks) == 1 else "none",
        "factors_cut": max(sum(fold.get("factors_cut", 0) for fold in seed) for seed in c),
        "closest_uas_multiref": 100
        * sum(fold["closest_correct"] for seed in c for fold in seed if fold["sites"])
        / tokens,
    }


def results_csv(rows: Sequence[Row]) -> bytes:
    """The rows as CSV: four decimals (p values six), empty where there is no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([formatted(name, row[name]) for name in COLUMNS])
    return out.getvalue().encode()


def formatted(column: str, value: Any) -> str:
    """One value as it stands in results.csv."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        text = f"{value:.{6 if column in SIX_DECIMALS else 4}f}"
        return text.replace("-", "") if float(text) == 0 else text
    return str(value)

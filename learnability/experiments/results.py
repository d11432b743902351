"""From records to results.csv: one row per condition (design sections 9 and 11)."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnability.experiments.data import SCHEME, transformation_of
from learnability.experiments.options import UD
from learnability.experiments.plan import Cell, Plan, Setting, label
from learnability.metrics import Comparison, compare, holm
from learnability.metrics.breakdown import Counts
from learnability.treebanks.sentence import Conventions

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

LAS_COLUMNS = (
    *("las_original", "las_transformed", "las_delta", "las_delta_low", "las_delta_high", "las_p_value"),
    *("las_p_holm", "las_winner", "las_better", "las_back_transformed", "las_back_ceiling"),
    *("closest_las_original", "closest_las_transformed", "closest_las_multiref"),
)
"""What follows in results.csv where the parsers are labelled."""

AGAINST_COLUMNS = ("against", "uas_back_original", "back_ceiling_original")
"""What follows where (a) is another scheme than UD: its name, the UAS of its parses converted to UD, and the
ceiling of that conversion. Everything called original is then of this scheme."""

LAS_AGAINST_COLUMNS = ("las_back_original", "las_back_ceiling_original")
"""What follows where both are so: LAS after that conversion, and its ceiling."""

DETAILS = ("test_sentences", "sentences_needed", "error_split", "relations")
"""What rows hold beyond the columns, for the terminal and JSON: the size of the test part; how many sentences
would show a difference of half a point (`metrics.sentences_needed`); and UAS of (a) and (b), means over
seeds, by part (`metrics.breakdown.error_split`) and by universal relation of gold UD, with their tokens."""

LAS_DETAILS = ("las_sentences_needed", "las_error_split", "las_relations")
"""The same by LAS, where the parsers are labelled."""

AGAINST_DETAILS = ("sentences_unmixed",)
"""What they hold where (a) is another scheme than UD: the training sentences in which the two schemes cannot
be mixed, so that (c) has but two references, one tree and the other."""

SIX_DECIMALS = ("p_value", "p_holm", "las_p_value", "las_p_holm")

NO_DIFFERENCE = 1e-9
"""Measures that differ by less are equal: sums in another order differ by rounding errors."""


def result_rows(plan: Plan, records: Sequence[Record], each: Callable[..., Iterable[Row]] = map) -> list[Row]:
    """One row per condition, unrounded, None where not computed; Holm's correction over all rows.

    `each` is the built-in map or one that works in parallel: the resampling takes a while.
    """
    by_key = {record["key"]: record for record in records if "failed" not in record}
    names = [(label(files), condition) for files in plan.treebanks for condition in plan.options.conditions]
    found = [_records_of(plan, by_key, name, condition) for name, condition in names]
    against = against_name(plan.options.against)
    rows = []
    for (name, condition), values in zip(names, each(condition_values, found), strict=True):
        files = plan.by_label[name][0]
        transform, _, variant = condition.partition(":")
        if condition.startswith(SCHEME):
            transform, variant = transformation_of(condition, Conventions()).name, ""
        more = further_columns(labelled=bool(plan.options.labels), against=bool(against))
        details = (*DETAILS, *(LAS_DETAILS if plan.options.labels else ()))
        details += AGAINST_DETAILS if against else ()
        row: Row = dict.fromkeys((*COLUMNS, *more, *details))
        row.update(treebank=files.name, release=files.release, transform=transform, variant=variant)
        row.update({"against": against} if against else {})
        rows.append(row | values)
    for kind in ("", "las_") if plan.options.labels else ("",):
        for row, corrected in zip(rows, holm([row[f"{kind}p_value"] for row in rows]), strict=True):
            row[f"{kind}p_holm"] = corrected
    return rows


def further_columns(*, labelled: bool, against: bool) -> tuple[str, ...]:
    """What follows the columns of every results.csv in labelled runs and in those with `--against`."""
    each = ((LAS_COLUMNS, labelled), (AGAINST_COLUMNS, against), (LAS_AGAINST_COLUMNS, labelled and against))
    return tuple(name for names, wanted in each if wanted for name in names)


def against_name(against: str) -> str:
    """How rows name the scheme of (a); empty for UD."""
    if against == UD:
        return ""
    return transformation_of(against, Conventions()).name if against.startswith(SCHEME) else against


@dataclass(frozen=True)
class ConditionRecords:
    """The records of one condition: of the measures per fold, of each setting per seed and fold.

    A seed of which a fold is missing is left out.
    """

    condition: str
    seeds: int
    measures: list[Record]
    a: list[list[Record]]
    b: list[list[Record]]
    c: list[list[Record]]
    against: str = UD


def _records_of(plan: Plan, by_key: dict[str, Record], name: str, condition: str) -> ConditionRecords:
    folds = range(plan.by_label[name][1].folds)

    def find(setting: Setting, condition: str, seed: int) -> list[Record]:
        keys = [Cell(name, setting, condition, seed, fold).key for fold in folds]
        return [by_key[key] for key in keys] if all(key in by_key for key in keys) else []

    def seeds(setting: Setting, condition: str) -> list[list[Record]]:
        found = [find(setting, condition, seed) for seed in range(1, plan.options.seeds + 1)]
        return [folds for folds in found if folds]

    return ConditionRecords(
        condition,
        plan.options.seeds,
        find("measures", condition, 0),
        seeds("a", ""),
        seeds("b", condition),
        seeds("c", condition),
        plan.options.against,
    )


def condition_values(found: ConditionRecords) -> Row:
    """The columns of one condition that its records give; scores only where every seed and fold is there."""
    row: Row = {"seeds": found.seeds}
    if found.measures:
        row.update(_measures(found.measures))
    if len(found.a) == found.seeds and row.get("sites") != 0:
        row["iterations"] = statistics.fmean(fold["iterations"] for seed in found.a for fold in seed)
    if not row.get("sites"):
        return row
    if len(found.a) == len(found.b) == found.seeds and _trained(found.b):
        has_nuclei = not any("cc" in _names(side) for side in (found.condition, found.against) if side != UD)
        row.update(_scores(found.a, found.b, found.condition, has_nuclei=has_nuclei))
        if found.against != UD:
            row.update(_converted_original(found.a))
        if all("las_correct" in fold for seed in (*found.a, *found.b) for fold in seed):
            row.update(_labelled_scores(found.a, found.b, found.condition))
    if len(found.c) == found.seeds and _trained(found.c):
        row.update(_survival(found.c))
    return row


def _trained(seeds: Sequence[Sequence[Record]]) -> bool:
    """Whether there was anything to train on: lifting may take away the only sites of a treebank."""
    return all("kernel_seconds" in fold for seed in seeds for fold in seed)


def _names(condition: str) -> set[str]:
    """The transformations a condition contains."""
    return {part.name for part in transformation_of(condition, Conventions()).parts}


def _measures(folds: Sequence[Record]) -> Row:
    """Counts and measures; over several folds each sentence counts once, and measures are averaged."""
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
    """The sign of a difference as a pick; `none` for 0 (up to rounding errors) or an undefined difference."""
    if math.isnan(original_is_better_by) or abs(original_is_better_by) < NO_DIFFERENCE:
        return "none"
    return "original" if original_is_better_by > 0 else "transformed"


def _scores(
    a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], condition: str, *, has_nuclei: bool
) -> Row:
    """Own-reference, back-converted, nucleus and closest-reference UAS; `a`, `b`: per seed, per fold."""
    comparison = _compared(a, b, "correct")
    tokens = _tokens(a)
    row: Row = {
        "uas_original": comparison.score_a,
        "uas_transformed": comparison.score_b,
        "uas_delta": comparison.delta,
        "uas_delta_low": comparison.low,
        "uas_delta_high": comparison.high,
        "p_value": comparison.p_value,
        "winner": comparison.winner,
        "better": comparison.better,
        "test_sentences": comparison.sentences,
        "sentences_needed": comparison.sentences_needed,
        **_breakdowns(a, b, condition),
        "closest_uas_original": 100
        * sum(fold["closest_correct"][condition] for seed in a for fold in seed)
        / tokens,
        "closest_uas_transformed": 100 * sum(fold["closest_correct"] for seed in b for fold in seed) / tokens,
    }
    folds = [fold for seed in b for fold in seed]
    if all("back_correct" in fold for fold in folds):
        row["uas_back_transformed"] = 100 * sum(sum(fold["back_correct"]) for fold in folds) / tokens
        for column in ("back_ceiling", "back_ceiling_gold_sites"):
            row[column] = 100 * sum(fold[f"{column}_correct"] for fold in folds) / tokens
    if has_nuclei:
        for name, seeds in (("original", a), ("transformed", b)):
            nuclei = sum(fold["nuclei"] for seed in seeds for fold in seed)
            correct = sum(fold["nucleus_correct"] for seed in seeds for fold in seed)
            row[f"nucleus_uas_{name}"] = 100 * correct / nuclei if nuclei else None
    return row


def _breakdowns(
    a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], condition: str, prefix: str = ""
) -> Row:
    """The error split and the scores by relation; `prefix`: of the fields that go by LAS (``las_``)."""
    first, second = ([fold for seed in seeds for fold in seed] for seeds in (a, b))
    split, relations, score = f"{prefix}error_split", f"{prefix}relations", "las" if prefix else "uas"
    return {
        split: breakdown([f[split][condition] for f in first], [f[split] for f in second], len(a), score),
        relations: breakdown([f[relations] for f in first], [f[relations] for f in second], len(a), score),
    }


def _converted_original(a: Sequence[Sequence[Record]]) -> Row:
    """What (a), if it is another scheme than UD, has right after conversion to UD."""
    folds, tokens = [fold for seed in a for fold in seed], _tokens(a)
    row = {
        "uas_back_original": 100 * sum(sum(fold["back_correct"]) for fold in folds) / tokens,
        "back_ceiling_original": 100 * sum(fold["back_ceiling_correct"] for fold in folds) / tokens,
    }
    if all("las_back_correct" in fold for fold in folds):
        row["las_back_original"] = 100 * sum(sum(fold["las_back_correct"]) for fold in folds) / tokens
        ceiling = sum(fold["las_back_ceiling_correct"] for fold in folds)
        row["las_back_ceiling_original"] = 100 * ceiling / tokens
    return row


def breakdown(
    a: Sequence[Counts], b: Sequence[Counts], seeds: int, score: str = "uas"
) -> dict[str, dict[str, int | float | None]]:
    """Percent right of (a) and (b) by part or relation, and the tokens; `a`, `b`: of all seeds and folds."""
    found: dict[str, dict[str, int | float | None]] = {}
    for side, records in ((f"{score}_original", a), (f"{score}_transformed", b)):
        for name in dict.fromkeys(name for record in records for name in record):
            right, tokens = (sum(record.get(name, (0, 0))[i] for record in records) for i in (0, 1))
            own = found.setdefault(name, {"tokens": tokens // seeds})
            own[side] = 100 * right / tokens if tokens else None
    return found


def _compared(a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], counts: str) -> Comparison:
    """The comparison of what both have correct in each test sentence: `counts` of their records."""
    return compare(
        np.array([[n for fold in seed for n in fold[counts]] for seed in a]),
        np.array([[n for fold in seed for n in fold[counts]] for seed in b]),
        np.array([n for fold in a[0] for n in fold["tokens"]]),
    )


def _tokens(seeds: Sequence[Sequence[Record]]) -> int:
    """The test tokens, once per seed."""
    return sum(sum(fold["tokens"]) for seed in seeds for fold in seed)


def _labelled_scores(a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], condition: str) -> Row:
    """The columns of LAS, as :func:`_scores` has those of UAS."""
    comparison = _compared(a, b, "las_correct")
    tokens = _tokens(a)
    folds = [fold for seed in b for fold in seed]
    closest = sum(fold["las_closest_correct"][condition] for seed in a for fold in seed)
    return {
        "las_original": comparison.score_a,
        "las_transformed": comparison.score_b,
        "las_delta": comparison.delta,
        "las_delta_low": comparison.low,
        "las_delta_high": comparison.high,
        "las_p_value": comparison.p_value,
        "las_winner": comparison.winner,
        "las_better": comparison.better,
        "las_sentences_needed": comparison.sentences_needed,
        **_breakdowns(a, b, condition, "las_"),
        "las_back_transformed": 100 * sum(sum(fold["las_back_correct"]) for fold in folds) / tokens,
        "las_back_ceiling": 100 * sum(fold["las_back_ceiling_correct"] for fold in folds) / tokens,
        "closest_las_original": 100 * closest / tokens,
        "closest_las_transformed": 100 * sum(fold["las_closest_correct"] for fold in folds) / tokens,
    }


def _survival(c: Sequence[Sequence[Record]]) -> Row:
    """Shares in the last iteration: means over seeds, each weighted over folds by sentences (sites)."""

    def share(folds: Sequence[Record], name: str, weight: str) -> float:
        weights = [fold[weight] for fold in folds if fold["sites"]]
        values = [fold[name][-1] for fold in folds if fold["sites"]]
        return float(np.average(values, weights=weights))

    if not any(fold["sites"] for fold in c[0]):
        return {}
    original = [share(seed, "original_share", "sentences_with_sites") for seed in c]
    transformed = [share(seed, "transformed_share", "sentences_with_sites") for seed in c]
    picks = {pick(o - t) for o, t in zip(original, transformed, strict=True)}
    tokens = sum(fold["test_tokens"] for seed in c for fold in seed)
    folds = [fold for seed in c for fold in seed]
    labelled: Row = {}
    if all("las_closest_correct" in fold for fold in folds):
        correct = sum(fold["las_closest_correct"] for fold in folds)
        labelled["closest_las_multiref"] = 100 * correct / tokens
    unmixed = {name: _total(c[0], name) for name in AGAINST_DETAILS if name in c[0][0]}
    return {
        **labelled,
        **unmixed,
        "multiref_original_share": statistics.fmean(original),
        "multiref_transformed_share": statistics.fmean(transformed),
        "multiref_share_sd": statistics.stdev(original) if len(original) > 1 else None,
        "multiref_site_original_share": statistics.fmean(
            share(seed, "site_original_share", "sites") for seed in c
        ),
        "pick_multiref": picks.pop() if len(picks) == 1 else "none",
        "factors_cut": _total(c[0], "factors_cut"),
        "closest_uas_multiref": 100 * sum(fold["closest_correct"] for seed in c for fold in seed) / tokens,
    }


def columns_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns of results.csv for these rows: some follow that only labelled runs or `--against` have."""
    more = further_columns(labelled=True, against=True)
    return (*COLUMNS, *(name for name in more if any(name in row for row in rows)))


def results_csv(rows: Sequence[Row]) -> bytes:
    """The rows as CSV: four decimals (p values six), empty where there is no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = columns_of(rows)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([formatted(name, row[name]) for name in columns])
    return out.getvalue().encode()


def formatted(column: str, value: Any) -> str:
    """One value as it stands in results.csv."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        text = f"{value:.{6 if column in SIX_DECIMALS else 4}f}"
        return text.replace("-", "") if float(text) == 0 else text
    return str(value)

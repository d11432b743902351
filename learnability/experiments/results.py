"""From records to the rows of results.csv, one per condition (docs/rules.md, Scores and uncertainty)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.columns import SCORE_COLUMNS, Row, columns
from learnability.experiments.condition import conditions_of, original_of
from learnability.experiments.criteria import MEASURES, pick
from learnability.experiments.grouping import ConditionRecords, GroupedRecords, Seeds
from learnability.experiments.plan import Plan
from learnability.experiments.run_records import Counts, Measures, Record, Survival, Training
from learnability.metrics import compare, holm
from learnability.metrics.scores import Score, scores_of

Values = dict[str, Any]
"""Values of a row by column."""


def result_rows(
    plan: Plan, records: Sequence[Record], each: Callable[..., Iterable[Values]] = map
) -> list[Row]:
    """One row per condition, unrounded, None where not computed; Holm's correction over all rows.

    `each` is the built-in map or one that works in parallel: the resampling takes a while.
    """
    options, grouped, original = plan.options, GroupedRecords(records), original_of(plan.options)
    against, labelled = "" if original.is_ud else original.title, options.labels is not None
    pairs = list(product(plan.by_label.items(), conditions_of(options)))
    records_and_nuclei = [
        (grouped.of(name, condition.transformed.spelling, plan.seeds, facts.folds), condition.has_nuclei)
        for (name, (_, facts)), condition in pairs
    ]
    names = [c.name for c in columns(labelled=labelled, against=bool(against), details=True)]
    rows = []
    computed = each(condition_values, records_and_nuclei)
    for ((_, (files, _)), condition), values in zip(pairs, computed, strict=True):
        transform, _, variant = condition.transformed.spelling.partition(":")
        if condition.transformed.is_scheme:
            transform, variant = condition.transformed.title, ""
        row = Row(dict.fromkeys(names))
        row.update(treebank=files.name, release=files.release, transform=transform, variant=variant)
        row.update({"against": against} if against else {}, seeds=options.seeds)
        row.update(values)
        rows.append(row)
    for score in scores_of(labelled=labelled):
        p_value, p_holm = (SCORE_COLUMNS[score][name].name for name in ("p_value", "p_holm"))
        for row, corrected in zip(rows, holm([row[p_value] for row in rows]), strict=True):
            row[p_holm] = corrected
    return rows


def condition_values(records_and_nuclei: tuple[ConditionRecords, bool]) -> Values:
    """The columns of one condition that its records give; scores only where every seed and fold is there.

    The second of the pair: whether nucleus scores are defined.
    """
    own, has_nuclei = records_and_nuclei
    row: Values = {}
    if own.measures:
        row.update(_measures(own.measures))
    if own.a and row.get("sites") != 0:
        row["iterations"] = statistics.fmean(fold.iterations for seed in own.a for fold in seed)
    if not row.get("sites"):
        return row
    if own.a and own.b:
        row["test_sentences"] = sum(len(fold.tokens) for fold in own.a[0])
        for score in map(Score, own.a[0][0].scores):
            row.update(_scores(own.a, own.b, own.condition, score))
        if has_nuclei:
            nuclei = SCORE_COLUMNS[Score.UAS]
            row[nuclei["nucleus_original"].name] = _nucleus_uas(own.a)
            row[nuclei["nucleus_transformed"].name] = _nucleus_uas(own.b)
    if own.c:
        row.update(_survival(own.c))
    return row


def _measures(folds: Sequence[Measures]) -> Values:
    """Counts and measures; over several folds each sentence counts once, and measures are averaged."""
    counts = ("sites", "sentences", "sentences_changed", "tokens_changed", "nonprojective_train")
    row: Values = {name: _total(folds, name) for name in counts}
    row["test_sites"] = sum(fold.test_sites for fold in folds)
    row["train_tokens"] = _total(folds, "train_tokens")
    for criterion in MEASURES:
        values = [fold.values[criterion.key] for fold in folds if criterion.key in fold.values]
        if values:
            original, transformed = (_mean([value[i] for value in values]) for i in (0, 1))
            row.update(zip(criterion.columns, (original, transformed), strict=True))
            row[criterion.pick_column] = pick(criterion.favour(original, transformed))
    return row


def _total(folds: Sequence[Any], name: str) -> int:
    """A count of training sentences: with K folds every sentence trains in K - 2 of them."""
    total = sum(getattr(fold, name) for fold in folds)
    return int(total if len(folds) == 1 else round(total / (len(folds) - 2)))


def _mean(values: Sequence[float | None]) -> float:
    """Mean; of equal whole numbers the whole number; nan where a value is missing."""
    mean = statistics.fmean(math.nan if value is None else value for value in values)
    return int(mean) if all(isinstance(v, int) for v in values) and mean == int(mean) else mean


def _scores(a: Seeds[Training], b: Seeds[Training], condition: str, score: Score) -> Values:
    """The columns of one score: own-reference, converted to UD, and closest-reference."""
    tokens = sum(sum(fold.tokens) for seed in a for fold in seed)
    first, second = ([fold.scores[score] for seed in seeds for fold in seed] for seeds in (a, b))

    def correct(seeds: Seeds[Training]) -> NDArray[np.int64]:
        return np.array([[n for fold in seed for n in fold.scores[score].correct] for seed in seeds])

    def percent(correct: Iterable[int]) -> float:
        return 100 * sum(correct) / tokens

    compared = compare(correct(a), correct(b), np.array([n for fold in a[0] for n in fold.tokens]))
    splits = tuple([own.error_split[condition] for own in side] for side in (first, second))
    same = ("delta", "low", "high", "p_value", "winner", "better", "sentences_needed")
    values: Values = {
        "original": compared.score_a,
        "transformed": compared.score_b,
        **{name: getattr(compared, name) for name in same},
        "error_split": breakdown(splits[0], splits[1], len(a), score),
        "relations": breakdown([o.relations for o in first], [o.relations for o in second], len(a), score),
        "closest_original": percent(own.closest[condition] for own in first),
        "closest_transformed": percent(own.closest[condition] for own in second),
    }
    for side, ceiling, counts in (
        ("original", "back_ceiling_original", first),
        ("transformed", "back_ceiling", second),
    ):
        back = [own.back for own in counts if own.back is not None]
        if back:
            values[f"back_{side}"] = percent(sum(own.correct) for own in back)
            values[ceiling] = percent(own.ceiling for own in back)
            gold_sites = [own.ceiling_gold_sites for own in back if own.ceiling_gold_sites is not None]
            if gold_sites and side == "transformed":
                values["back_ceiling_gold_sites"] = percent(gold_sites)
    return {SCORE_COLUMNS[score][name].name: value for name, value in values.items()}


def breakdown(
    a: Sequence[Counts], b: Sequence[Counts], seeds: int, score: str = "uas"
) -> dict[str, dict[str, int | float | None]]:
    """Percent right of (a) and (b) by part or relation, and the tokens; `a`, `b`: of all seeds and folds."""
    parts: dict[str, dict[str, int | float | None]] = {}
    for side, records in ((f"{score}_original", a), (f"{score}_transformed", b)):
        for name in dict.fromkeys(name for record in records for name in record):
            right, tokens = (sum(record.get(name, (0, 0))[i] for record in records) for i in (0, 1))
            own = parts.setdefault(name, {"tokens": tokens // seeds})
            own[side] = 100 * right / tokens if tokens else None
    return parts


def _nucleus_uas(seeds: Seeds[Training]) -> float | None:
    nuclei = sum(fold.nuclei for seed in seeds for fold in seed)
    correct = sum(fold.nucleus_correct for seed in seeds for fold in seed)
    return 100 * correct / nuclei if nuclei else None


def _survival(c: Seeds[Survival]) -> Values:
    """Shares in the last iteration: means over seeds, each weighted over folds by sentences (sites)."""

    def share(folds: Sequence[Survival], name: str, weight: str) -> float:
        weights = [getattr(fold, weight) for fold in folds if fold.sites]
        values = [getattr(fold, name)[-1] for fold in folds if fold.sites]
        return float(np.average(values, weights=weights))

    if not any(fold.sites for fold in c[0]):
        return {}
    original = [share(seed, "original_share", "sentences_with_sites") for seed in c]
    transformed = [share(seed, "transformed_share", "sentences_with_sites") for seed in c]
    picks = {pick(o - t) for o, t in zip(original, transformed, strict=True)}
    folds = [fold for seed in c for fold in seed]
    tokens = sum(fold.tokens for fold in folds)
    row: Values = {}
    for score in folds[0].closest:
        column = SCORE_COLUMNS[Score(score)]["closest_multiref"].name
        row[column] = 100 * sum(fold.closest[score] for fold in folds) / tokens
    if folds[0].sentences_unmixed is not None:
        row["sentences_unmixed"] = _total(c[0], "sentences_unmixed")
    return {
        **row,
        "multiref_original_share": statistics.fmean(original),
        "multiref_transformed_share": statistics.fmean(transformed),
        "multiref_share_sd": statistics.stdev(original) if len(original) > 1 else None,
        "multiref_site_original_share": statistics.fmean(
            share(seed, "site_original_share", "sites") for seed in c
        ),
        "pick_multiref": picks.pop() if len(picks) == 1 else "none",
        "factors_cut": _total(c[0], "factors_cut"),
    }

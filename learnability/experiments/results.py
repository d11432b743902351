"""From records to the rows of results.csv, one per condition (docs/rules.md, Scores and uncertainty)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from learnability.experiments.columns import SCORE_COLUMNS, Row, columns
from learnability.experiments.criteria import MEASURES, pick
from learnability.experiments.data import SCHEME, transformation_of
from learnability.experiments.grouping import ConditionRecords, GroupedRecords, Record
from learnability.experiments.options import UD
from learnability.experiments.plan import Plan, label
from learnability.metrics import Comparison, compare, holm
from learnability.metrics.breakdown import Counts
from learnability.metrics.scores import scores_of
from learnability.treebanks.sentence import Conventions

Values = dict[str, Any]
"""Values of a row by column."""


def result_rows(
    plan: Plan, records: Sequence[Record], each: Callable[..., Iterable[Values]] = map
) -> list[Row]:
    """One row per condition, unrounded, None where not computed; Holm's correction over all rows.

    `each` is the built-in map or one that works in parallel: the resampling takes a while.
    """
    options, grouped = plan.options, GroupedRecords(records)
    against, seeds = against_name(options.against), range(1, options.seeds + 1)
    pairs = [(files, condition) for files in plan.treebanks for condition in options.conditions]
    found = [
        grouped.of(label(files), condition, seeds, plan.by_label[label(files)][1].folds)
        for files, condition in pairs
    ]
    names = [c.name for c in columns(labelled=bool(options.labels), against=bool(against), details=True)]
    rows = []
    computed = each(partial(condition_values, against=options.against), found)
    for (files, condition), values in zip(pairs, computed, strict=True):
        transform, _, variant = condition.partition(":")
        if condition.startswith(SCHEME):
            transform, variant = transformation_of(condition, Conventions()).name, ""
        row = Row(dict.fromkeys(names))
        row.update(treebank=files.name, release=files.release, transform=transform, variant=variant)
        row.update({"against": against} if against else {}, seeds=options.seeds)
        row.update(values)
        rows.append(row)
    for score in scores_of(labelled=bool(options.labels)):
        p_value, p_holm = (SCORE_COLUMNS[score][name].name for name in ("p_value", "p_holm"))
        for row, corrected in zip(rows, holm([row[p_value] for row in rows]), strict=True):
            row[p_holm] = corrected
    return rows


def against_name(against: str) -> str:
    """How rows name the scheme of (a); empty for UD."""
    if against == UD:
        return ""
    return transformation_of(against, Conventions()).name if against.startswith(SCHEME) else against


def condition_values(found: ConditionRecords, against: str = UD) -> Values:
    """The columns of one condition that its records give; scores only where every seed and fold is there."""
    row: Values = {}
    if found.measures:
        row.update(_measures(found.measures))
    if found.a and row.get("sites") != 0:
        row["iterations"] = statistics.fmean(fold["iterations"] for seed in found.a for fold in seed)
    if not row.get("sites"):
        return row
    if found.a and found.b:
        has_nuclei = not any("cc" in _names(side) for side in (found.condition, against) if side != UD)
        row.update(_scores(found.a, found.b, found.condition, has_nuclei=has_nuclei))
        if against != UD:
            row.update(_converted_original(found.a))
        if all("las_correct" in fold for seed in (*found.a, *found.b) for fold in seed):
            row.update(_labelled_scores(found.a, found.b, found.condition))
    if found.c:
        row.update(_survival(found.c))
    return row


def _names(condition: str) -> set[str]:
    """The transformations a condition contains."""
    return {part.name for part in transformation_of(condition, Conventions()).parts}


def _measures(folds: Sequence[Record]) -> Values:
    """Counts and measures; over several folds each sentence counts once, and measures are averaged."""
    row: Values = {
        name: _total(folds, name)
        for name in ("sites", "sentences", "sentences_changed", "tokens_changed", "nonprojective_train")
    }
    row["test_sites"] = sum(fold["test_sites"] for fold in folds)
    row["train_tokens"] = _total(folds, "train_tokens")
    for criterion in MEASURES:
        values = [fold[criterion.key] for fold in folds if criterion.key in fold]
        if values:
            original, transformed = (_mean([value[i] for value in values]) for i in (0, 1))
            row.update(zip(criterion.columns, (original, transformed), strict=True))
            row[criterion.pick_column] = pick(criterion.favour(original, transformed))
    return row


def _total(folds: Sequence[Record], name: str) -> int:
    """A count of training sentences: with K folds every sentence trains in K - 2 of them."""
    total = sum(fold[name] for fold in folds)
    return int(total if len(folds) == 1 else round(total / (len(folds) - 2)))


def _mean(values: Sequence[float]) -> float:
    """Mean; of equal whole numbers the whole number."""
    mean = statistics.fmean(values)
    return int(mean) if all(isinstance(v, int) for v in values) and mean == int(mean) else mean


def _scores(
    a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], condition: str, *, has_nuclei: bool
) -> Values:
    """Own-reference, back-converted, nucleus and closest-reference UAS; `a`, `b`: per seed, per fold."""
    comparison = _compared(a, b, "correct")
    tokens = _tokens(a)
    row: Values = {
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
) -> Values:
    """The error split and the scores by relation; `prefix`: of the fields that go by LAS (``las_``)."""
    first, second = ([fold for seed in seeds for fold in seed] for seeds in (a, b))
    split, relations, score = f"{prefix}error_split", f"{prefix}relations", "las" if prefix else "uas"
    return {
        split: breakdown([f[split][condition] for f in first], [f[split] for f in second], len(a), score),
        relations: breakdown([f[relations] for f in first], [f[relations] for f in second], len(a), score),
    }


def _converted_original(a: Sequence[Sequence[Record]]) -> Values:
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


def _labelled_scores(a: Sequence[Sequence[Record]], b: Sequence[Sequence[Record]], condition: str) -> Values:
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


def _survival(c: Sequence[Sequence[Record]]) -> Values:
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
    labelled: Values = {}
    if all("las_closest_correct" in fold for fold in folds):
        correct = sum(fold["las_closest_correct"] for fold in folds)
        labelled["closest_las_multiref"] = 100 * correct / tokens
    unmixed = {name: _total(c[0], name) for name in ("sentences_unmixed",) if name in c[0][0]}
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

"""From records to the rows of results.csv, one per condition (docs/rules.md, Scores and uncertainty)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np

from learnability.comparing.condition import Condition, conditions_of, original_of
from learnability.comparing.criteria import MEASURES, pick
from learnability.comparing.judging import seed_ratio_of
from learnability.comparing.results import Counts, Measures, ScoreCounts, Survival, Training
from learnability.evidence.columns import Difference, Ground, Row, columns, decision_column, tested_values
from learnability.evidence.decisions import PREDICTED, decision
from learnability.evidence.grouping import (
    ConditionRecords,
    Records,
    Seeds,
    condition_records,
    per_sentence,
)
from learnability.judges.registry import judge_named
from learnability.metrics.scores import Score, enough, scores_of
from learnability.running.plan import Plan, label
from learnability.statistics.significance import SEED_RATIO, Comparison, compare, holm, side, winner
from learnability.studies.predict.study import UNDECIDED, predictions
from learnability.support.options import shared
from learnability.treebanks.locate import TreebankFiles

Values = dict[str, Any]
"""Values of a row by column."""


def result_rows(plan: Plan, records: Records) -> list[Row]:
    """One row per condition and judge, unrounded, None where not computed."""
    options, against = plan.options, not original_of(plan.options).is_ud
    labelled, judged = options.labels is not None, bool(options.judges)
    table = columns(labelled=labelled, against=against, judged=judged, details=True)
    names = [column.name for column in table]
    rows = []
    for own, (files, condition, judge) in zip(records_of_rows(plan, records), _compared(plan), strict=True):
        row = Row(dict.fromkeys(names))
        row.update(treebank=files.name, release=files.release, seeds=options.seeds)
        row.update({name: value for name, value in condition.columns.items() if name in row})
        row.update({"judge": judge_named(judge).title} if judge else {})
        ratio = seed_ratio_of([judge])
        row.update(condition_values(own, condition, seed_ratio=ratio))
        rows.append(row)
    for score in scores_of(labelled=labelled):
        correct_for_several(rows, score)
    if options.quick:
        _mark_predicted(plan, rows, records)
    return rows


def _compared(plan: Plan) -> Iterator[tuple[TreebankFiles, Condition, str]]:
    """The treebank, condition and judge of each row."""
    return product(plan.treebanks, conditions_of(plan.options), plan.judges)


def _mark_predicted(plan: Plan, rows: Sequence[Row], records: Records) -> None:
    """Say of the rows of a run that predicts which no judge was asked about."""
    decided = {
        (label(own.files), own.condition) for own in predictions(plan, records) if own.side != UNDECIDED
    }
    for row, (files, condition, _) in zip(rows, _compared(plan), strict=True):
        if (label(files), condition) in decided:
            row.update(decision=PREDICTED, iterations=None)


def records_of_rows(plan: Plan, records: Records) -> list[ConditionRecords]:
    """What each row is made of, in the order of the rows: treebanks, conditions, judges."""
    folds = {name: facts.folds for name, (_, facts) in plan.by_label.items()}
    return [
        condition_records(
            records, name := label(files), condition.transformed, judge, plan.seeds, folds[name]
        )
        for files, condition, judge in _compared(plan)
    ]


def correct_for_several(rows: Sequence[Row], score: Score) -> None:
    """Fill in p after Holm's correction over the rows of a judge, what each difference shows, and the
    decisions. What a judge says does not depend on who else was asked."""
    of_judges = [[row for row in rows if row.judge == judge] for judge in {row.judge for row in rows}]
    for ground, own in product(Ground.of(score), of_judges):
        names = ("delta", "p_value", "p_holm", "p_equal", "better")
        delta, p_value, p_holm, p_equal, better = (ground.column(score, name) for name in names)
        for row, corrected in zip(own, holm([row[p_value] for row in own]), strict=True):
            row[p_holm] = corrected
            if corrected is not None:
                row[better] = side(winner(row[delta]), corrected, row[p_equal])
    for row in rows:
        row[decision_column(score)] = decision(row, score)


def compared(
    a: Sequence[Training], b: Sequence[Training], score: str, sites: int, comparisons: int = 1
) -> Comparison | None:
    """What the trainings on two annotations show by a score on their own references, one per seed; None where
    the test part is too small, or has too few sites. `comparisons`: see `metrics.compare`."""
    if not enough(len(a[0].tokens), sites):
        return None
    first, second = ([training.scores[score].correct for training in side] for side in (a, b))
    return compare(first, second, a[0].tokens, comparisons=comparisons)


def corrected(comparisons: Sequence[Comparison | None]) -> list[Difference | None]:
    """What each comparison shows after Holm's correction for all of them; None (not tested) stays None."""
    p_values = holm([None if one is None else one.p_value for one in comparisons])
    return [
        None
        if one is None
        else Difference(
            **shared(Difference, one),
            original=one.score_a,
            transformed=one.score_b,
            p_holm=p,
            better=side(one.winner, p, one.p_equal),
        )
        for one, p in zip(comparisons, p_values, strict=True)
    ]


def condition_values(
    own: ConditionRecords, condition: Condition, *, seed_ratio: float = SEED_RATIO
) -> Values:
    """The columns of one condition that its records give; scores only where every seed and fold is there.

    `seed_ratio`: see `statistics.significance.compare`.
    """
    undefined = {
        *(() if condition.has_nuclei else [Ground.NUCLEI]),
        *(() if condition.has_conversion_back else [Ground.BACK]),
        *(() if condition.has_common_reference else [Ground.CLOSEST]),
    }
    row: Values = {}
    if own.measures:
        row.update(_measures(own.measures))
    if own.a and row.get("sites") != 0:
        iterations = [fold.iterations for seed in own.a for fold in seed]
        row["iterations"] = statistics.fmean(iterations) if all(iterations) else None
    if not (row.get("sites") or not condition.has_rules):
        return row
    if own.a and own.b:
        row["test_sentences"] = sum(len(fold.tokens) for fold in own.a[0])
        # of annotations that are equal it is known that they do not differ
        equal = not (row["sites"] or row["test_sites"])
        tested = equal or enough(row["test_sentences"], row["test_sites"])
        for score in map(Score, own.a[0][0].scores):
            row.update(_scores(own.a, own.b, own.condition, score))
            for ground in (ground for ground in Ground.of(score) if ground not in undefined):
                row.update(_difference(own, score, ground, seed_ratio, tested=tested))
    if own.c:
        row.update(_survival(own.c))
    return row


def _measures(folds: Sequence[Measures]) -> Values:
    """Counts and measures; over several folds each sentence counts once, and measures are averaged."""
    counts = ("sites", "sentences", "sentences_changed", "tokens_changed", "nonprojective_train")
    row: Values = {name: _total(folds, name) for name in counts}
    row["test_sites"] = sum(fold.test_sites for fold in folds)
    row["train_tokens"] = _total(folds, "train_tokens")
    if any(fold.changes is not None for fold in folds):
        row["changes"] = _changes(folds)
    for criterion in MEASURES:
        values = [fold.values[criterion.key] for fold in folds if criterion.key in fold.values]
        if values:
            original, transformed = (_mean([value[i] for value in values]) for i in (0, 1))
            row.update(zip(criterion.columns, (original, transformed), strict=True))
            row[criterion.pick_column] = pick(criterion.favour(original, transformed))
    return row


def _changes(folds: Sequence[Measures]) -> dict[str, dict[str, int]]:
    """What has changed in the training part, by kind; the most frequent first."""
    every = [fold.changes or {} for fold in folds]
    kinds = {kind for own in every for kind in own}
    counts = {
        kind: [_spread(sum(own.get(kind, (0, 0))[i] for own in every), len(folds)) for i in (0, 1)]
        for kind in kinds
    }
    ordered = sorted(counts, key=lambda kind: (-sum(counts[kind]), kind))
    return {kind: dict(zip(("heads", "relations_only"), counts[kind], strict=True)) for kind in ordered}


def _total(folds: Sequence[Any], name: str) -> int:
    """A count of training sentences: with K folds every sentence trains in K - 2 of them."""
    return _spread(sum(getattr(fold, name) for fold in folds), len(folds))


def _spread(total: int, folds: int) -> int:
    return int(total if folds == 1 else round(total / (folds - 2)))


def _mean(values: Sequence[float | None]) -> float:
    """Mean; of equal whole numbers the whole number; nan where a value is missing."""
    mean = statistics.fmean(math.nan if value is None else value for value in values)
    return int(mean) if all(isinstance(v, int) for v in values) and mean == int(mean) else mean


def _difference(
    own: ConditionRecords, score: Score, ground: Ground, seed_ratio: float, *, tested: bool
) -> Values:
    """The columns of one score on one ground; without enough data (not `tested`) nothing but the scores."""
    totals = {Ground.WORDS: "words", Ground.NUCLEI: "nuclei"}.get(ground, "tokens")
    first, second = (
        per_sentence(side, lambda fold: right_tokens(fold.scores[score], ground, own.condition))
        for side in (own.a, own.b)
    )
    (total,) = per_sentence(own.a[:1], attrgetter(totals))
    if not sum(total):
        return {}
    difference = compare(first, second, total, seed_ratio=seed_ratio)
    values: Values = {
        "original": difference.score_a,
        "transformed": difference.score_b,
        "delta": difference.delta,
    }
    if tested:
        values |= tested_values(difference)
    if ground is Ground.OWN:
        values["winner"] = difference.winner if tested else None
    row = {ground.column(score, name): value for name, value in values.items()}
    if ground is Ground.OWN and tested:
        row[f"{'las_' if score is Score.LAS else ''}sentences_needed"] = difference.sentences_needed
    return row


def right_tokens(counts: ScoreCounts, ground: Ground, condition: str = "") -> list[int]:
    """The right tokens per sentence on a ground; what is UD already needs no conversion to UD. Of which
    `condition` the references are matters where the closest counts."""
    match ground:
        case Ground.OWN:
            return counts.correct
        case Ground.WORDS:
            return counts.words
        case Ground.NUCLEI:
            return counts.nuclei
        case Ground.BACK:
            return counts.back or counts.correct
        case Ground.CLOSEST:
            return counts.closest[condition]


def _scores(a: Seeds[Training], b: Seeds[Training], condition: str, score: Score) -> Values:
    """What a score has beside its differences: the ceilings of the conversion, and where the errors are."""
    first, second = ([fold.scores[score] for seed in seeds for fold in seed] for seeds in (a, b))
    tokens, las = sum(sum(fold.tokens) for seed in a for fold in seed), "las_" if score is Score.LAS else ""
    splits = tuple([own.error_split[condition] for own in side] for side in (first, second))
    row: Values = {
        f"{las}error_split": breakdown(splits[0], splits[1], len(a), score),
        f"{las}relations": breakdown(
            [own.relations for own in first], [own.relations for own in second], len(a), score
        ),
    }
    for column, counts in ((f"{las}back_ceiling_original", first), (f"{las}back_ceiling", second)):
        ceilings = [own.ceiling for own in counts if own.ceiling]
        if ceilings:
            row[column] = 100 * sum(ceiling.found_sites for ceiling in ceilings) / tokens
    gold_sites = [own.ceiling.gold_sites for own in second if own.ceiling]
    if score is Score.UAS and gold_sites:
        row["back_ceiling_gold_sites"] = 100 * sum(filter(None, gold_sites)) / tokens
    return row


def breakdown(
    a: Sequence[Counts], b: Sequence[Counts], seeds: int, score: str = "uas"
) -> dict[str, dict[str, int | float | None]]:
    """Percent right of (a) and (b) by part or relation, and the tokens; `a`, `b`: of all seeds and folds."""
    parts: dict[str, dict[str, int | float | None]] = {}
    for column, records in ((f"{score}_original", a), (f"{score}_transformed", b)):
        for name in dict.fromkeys(name for record in records for name in record):
            right, tokens = (sum(record.get(name, (0, 0))[i] for record in records) for i in (0, 1))
            own = parts.setdefault(name, {"tokens": tokens // seeds})
            own[column] = 100 * right / tokens if tokens else None
    return parts


def _survival(c: Seeds[Survival]) -> Values:
    """Shares in the last iteration: means over seeds, each weighted over folds by sentences (sites).

    Picked is the side with the larger mean over iterations, too; each training has its own number of them."""

    def means(value: Callable[[Survival], Any], weight: str = "sentences_with_sites") -> list[float]:
        """Per seed, over the folds."""
        seeds = [[fold for fold in seed if fold.sites] for seed in c]
        weights = [list(map(attrgetter(weight), seed)) for seed in seeds]
        return [
            float(np.average(list(map(value, seed)), weights=own))
            for seed, own in zip(seeds, weights, strict=True)
        ]

    def lead(fold: Survival) -> float:
        """How far the original is ahead of the transformed, mean over the iterations."""
        original, transformed = (
            np.array(own, float) for own in (fold.original_share, fold.transformed_share)
        )
        return float((original - transformed).mean())

    if not any(fold.sites for fold in c[0]):
        return {}
    original = means(lambda fold: fold.original_share[-1])
    transformed = means(lambda fold: fold.transformed_share[-1])
    folds = [fold for seed in c for fold in seed]
    tokens = sum(fold.tokens for fold in folds)
    row: Values = {}
    for score in folds[0].closest:
        row[f"closest_{score}_multiref"] = 100 * sum(fold.closest[score] for fold in folds) / tokens
    if folds[0].sentences_unmixed is not None:
        row["sentences_unmixed"] = _total(c[0], "sentences_unmixed")
    return {
        **row,
        "multiref_original_share": statistics.fmean(original),
        "multiref_transformed_share": statistics.fmean(transformed),
        "multiref_share_sd": statistics.stdev(original) if len(original) > 1 else None,
        "multiref_site_original_share": statistics.fmean(
            means(lambda fold: fold.site_original_share[-1], "sites")
        ),
        "pick_multiref": pick(statistics.fmean(means(lead))),
        "factors_cut": _total(c[0], "factors_cut"),
    }

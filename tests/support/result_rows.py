"""Rows of results written by hand, by the names of their columns, and typed rows read by these names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from statistics import NormalDist
from typing import Any

from learnability.comparing.pair import AnnotationFacts, Pair
from learnability.comparing.plan import RunPlan
from learnability.comparing.ud import UD
from learnability.evidence.columns import DIFFERENCES, STATISTICS, row_details, row_values
from learnability.evidence.questions import Answer, AnsweredQuestion, Question
from learnability.evidence.rows import ComparisonRow, ConversionCeilings
from learnability.evidence.rows_from_records import corrected_rows, result_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.results import answer_table, comparison_table, preference_table
from learnability.reports.story import RunStory
from learnability.reports.text import print_tables
from learnability.running.records import Records

NORMAL = NormalDist()

BY_NAME = {column.name: column for column in STATISTICS}
ATTRIBUTES = {name: attribute for name, _, attribute, _ in DIFFERENCES}
CEILINGS = {"ceiling": "alternative", "ceiling_base": "base", "ceiling_gold_places": "gold_places"}
NOTHING = Difference(None, None, 0.0)
UD_FACTS = Pair(UD, UD).facts.base


def described(name: str, variant: str = "", *, spelling: str = "", **facts: Any) -> Pair[AnnotationFacts]:
    """A pair of UD and an alternative with this name, and with other facts than those of a rule."""
    title = f"{name}:{variant}" if variant else name
    return Pair(UD_FACTS, AnnotationFacts(spelling or title, title, (name, variant), **facts))


def _with_alternative(pair: Pair[AnnotationFacts], **facts: Any) -> Pair[AnnotationFacts]:
    return replace(pair, alternative=replace(pair.alternative, **facts))


def _with_base(pair: Pair[AnnotationFacts], title: str) -> Pair[AnnotationFacts]:
    base = UD_FACTS if not title else AnnotationFacts(title, title, (title, ""), changed_columns=())
    return replace(pair, base=base)


PAIR: dict[str, Callable[[Pair[AnnotationFacts], Any], Pair[AnnotationFacts]]] = {
    "construction": lambda pair, name: _with_alternative(pair, construction=(name, pair.variant)),
    "variant": lambda pair, variant: _with_alternative(pair, construction=(pair.construction, variant)),
    "against": _with_base,
    "alternative": lambda pair, spelling: _with_alternative(pair, spelling=spelling),
    "has_rules": lambda pair, value: _with_alternative(pair, has_rule=value),
    "has_conversion_back": lambda pair, value: _with_alternative(pair, has_inverse=value),
    "has_common_labels": lambda pair, value: _with_alternative(pair, has_labelling=value),
    "changed_columns": lambda pair, names: _with_alternative(pair, changed_columns=names),
    "tags_follow_trees": lambda pair, value: _with_alternative(pair, tags_follow_trees=value),
}
"""What may be said of the pair of a row: the pair of which it is true."""


@dataclass(frozen=True, kw_only=True)
class HandRow(ComparisonRow):
    """A row that is read by the names of columns, and can be had with other values of these."""

    def __getitem__(self, name: str) -> Any:
        return {**row_values(self), **row_details(self)}[name]

    def __or__(self, values: Mapping[str, Any]) -> HandRow:
        row = self
        for name, value in values.items():
            row = replace(row, **_change(row, name, value))
        return row


def _change(row: HandRow, name: str, value: Any) -> dict[str, Any]:
    if name in PAIR:
        return {"pair": PAIR[name](row.pair, value)}
    if name == "undefined":
        return {"unmeasured": value}
    column = BY_NAME.get(name)
    if column is None or not (column.score or column.basis):
        return {name: value}
    statistic, score = column.statistic, Score(column.score) if column.score else Score.UAS
    if statistic in set(Question):
        answer = Answer.BASE if value == row.base else Answer(value)
        return {"answers": {**row.answers, (score, Question(statistic)): AnsweredQuestion(answer)}}
    if statistic in CEILINGS:
        ceiling = row.ceilings.get(score, ConversionCeilings())
        return {"ceilings": {**row.ceilings, score: replace(ceiling, **{CEILINGS[statistic]: value})}}
    if column.basis in set(ScoringBasis):
        key = score, ScoringBasis(column.basis)
        if statistic == "winner":  # it follows from the difference
            return {}
        difference = replace(row.differences.get(key, NOTHING), **{ATTRIBUTES[statistic]: value})
        return {"differences": {**row.differences, key: difference}}
    return {"trained_on_both": replace(row.trained_on_both, **{statistic: value})}


def hand_row(row: ComparisonRow) -> HandRow:
    return HandRow(**{field.name: getattr(row, field.name) for field in fields(row)})


def hand_rows(outcome: RunStory) -> list[HandRow]:
    return list(map(hand_row, outcome.rows))


def print_rows(rows: Sequence[ComparisonRow], *, details: bool = False) -> None:
    more = (comparison_table(rows), preference_table(rows)) if details else ()
    print_tables((answer_table(rows), *more))


def empty_row(*, labelled: bool = False) -> HandRow:
    return HandRow(treebank="", pair=described(""), labelled=labelled)


def rows_of(plan: RunPlan, records: Records) -> list[HandRow]:
    return [hand_row(row) for row in result_rows(plan.config, records)]


def compared(
    delta: float,
    half: float,
    basis: ScoringBasis = ScoringBasis.ANNOTATION,
    score: Score = Score.UAS,
    *,
    base: float = 80.0,
) -> dict[str, Any]:
    """The columns of a difference of delta ± half points, as large samples give them, before `finished`."""
    error = half / NORMAL.inv_cdf(0.975)
    values = {
        "base": base,
        "alternative": base - delta,
        "delta": delta,
        "delta_se": error,
        "delta_degrees": 1e9,
        "delta_low": delta - half,
        "delta_high": delta + half,
        "delta_uncorrected_low": delta - half,
        "delta_uncorrected_high": delta + half,
        "p_value": 2 * NORMAL.cdf(-abs(delta) / error),
        "p_equal": NORMAL.cdf((abs(delta) - 0.5) / error),
    }
    return {column(name, basis, score): value for name, value in values.items()}


def column(statistic: str, basis: ScoringBasis = ScoringBasis.ANNOTATION, score: Score = Score.UAS) -> str:
    """The name of a column."""
    return f"{score}_{statistic}" if basis is ScoringBasis.ANNOTATION else f"{basis}_{score}_{statistic}"


def finished(*rows: ComparisonRow) -> list[HandRow]:
    """The rows of one run: with Holm's correction over all of them, what they show, and the decisions."""
    return list(map(hand_row, corrected_rows(rows)))

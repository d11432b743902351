"""Say how much of an annotation an alternative does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.evidence.differences import Difference
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import ANSWERED, Score
from learnability.reports.text import points

LEARNED = "a way back learned from the training set"


def describe_loss(row: ComparisonRow, score: Score, difference: Difference) -> str:
    """Return how much of the base an easier alternative does not hold."""
    lost = row.lost_points(score)
    assert lost is not None
    way = LEARNED.capitalize() if score in row.restored else "The rules that convert back"
    return (
        f"{way} cannot restore {points(lost)} % of the words of {row.base}, more than the difference of "
        f"{points(abs(difference.delta))} points. So the alternative may be easier because it says less."
    )


def list_losses(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return what of each construction without rules that convert back cannot be restored, if anything.

    With relations where parsers predict them. Only of a single treebank; scores.csv has it for all.
    """
    sentences: dict[str, None] = {}
    if len({row.treebank_label for row in rows}) > 1:
        return []
    for row in rows:
        scores = [score for score in ANSWERED if score in row.restored]
        lost = row.lost_points(scores[-1]) if scores and row.difference() is not None else None
        if lost is not None and float(points(lost)):
            what = f"{points(lost)} % of the words of {row.base}"
            sentences[f"{row.name}: {LEARNED} cannot restore {what}."] = None
    return list(sentences)

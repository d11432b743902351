"""Rows of results written by hand, and the columns of each kind of run."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

from learnability.evidence.columns import Ground, Row, columns
from learnability.evidence.rows import correct_for_several
from learnability.metrics.scores import Score, scores_of

COLUMNS = tuple(column.name for column in columns())
LAS_COLUMNS = tuple(column.name for column in columns(labelled=True) if column.labelled)
AGAINST_COLUMNS = tuple(column.name for column in columns(against=True) if column.against)
LAS_AGAINST_COLUMNS = tuple(
    column.name for column in columns(labelled=True, against=True) if column.labelled and column.against
)

NORMAL = NormalDist()


class HandRow(Row):
    """A row that can be had with other values."""

    def __or__(self, values: Mapping[str, Any]) -> HandRow:
        return HandRow({**self, **values})


def empty_row(*names: str) -> HandRow:
    """A row without values; `names`: of its columns, by default those of every run."""
    return HandRow(dict.fromkeys(names or COLUMNS))


def compared(
    delta: float,
    half: float,
    ground: Ground = Ground.OWN,
    score: Score = Score.UAS,
    *,
    original: float = 80.0,
) -> dict[str, Any]:
    """The columns of a difference of delta ± half points, as large samples give them, before `finished`."""
    error = half / NORMAL.inv_cdf(0.975)
    values = {
        "original": original,
        "transformed": original - delta,
        "delta": delta,
        "delta_se": error,
        "delta_low": delta - half,
        "delta_high": delta + half,
        "p_value": 2 * NORMAL.cdf(-abs(delta) / error),
        "p_equal": min(1.0, 2 * NORMAL.cdf((abs(delta) - 0.5) / error)),
    }
    if ground is Ground.OWN:
        values["winner"] = "original" if delta > 0 else "transformed" if delta < 0 else "none"
    return {ground.column(score, name): value for name, value in values.items()}


def finished(*rows: Row) -> list[HandRow]:
    """The rows of one run: with Holm's correction over all of them, what they show, and the decisions."""
    corrected = [HandRow(row) for row in rows]
    for score in scores_of(labelled=any("las_delta" in row for row in rows)):
        correct_for_several(corrected, score)
    return corrected

"""What the judges of a condition say together: the panel.

A judge is for a side if it shows that side to be ahead on its own references, with and without punctuation
(`decisions.own_side`); each corrects its p values by itself, so what it says does not depend on who else was
asked. The panel is for a side if more than half of the judges are and none is for the other. Beside that
stands the mean of the judges' differences with its interval: over other seeds and other test sentences, for
these judges (docs/rules.md, Several judges).
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from learnability.experiments.columns import NAMED, Row, columns_of_topic, csv_bytes, decision_column
from learnability.experiments.decisions import EQUAL, NONE, ORIGINAL, PREDICTED, TRANSFORMED, own_side
from learnability.experiments.grouping import ConditionRecords
from learnability.metrics import compare
from learnability.metrics.scores import Score
from learnability.metrics.significance import SEED_RATIO, Comparison

DIVIDED = "divided"
"""The verdict where both sides have a judge."""

TOPIC = "What several judges say together"

PANEL = tuple(
    columns_of_topic(
        TOPIC,
        *NAMED,
        ("score", "text", "`uas`, or `las` where the run is labelled"),
        ("judges", "count", "judges that were heard: whose trainings succeeded, with enough data to test"),
        (ORIGINAL, "count", "of these, those that are for UD: it is ahead, with and without punctuation"),
        (TRANSFORMED, "count", "those that are for the alternative"),
        (EQUAL, "count", "those that exclude a difference of half a point or more"),
        ("open", "count", "those that show nothing"),
        ("panel", "choice",
         "what the panel shows: a side if more than half of the judges are for it and none for the other; "
         "`equal` if more than half exclude half a point and none is for a side; `divided` if both sides "
         "have a judge; else `none`"),
        ("mean_delta", "number", "mean of the judges' differences, in points"),
        ("mean_delta_se", "number", "its standard error, for these judges"),
        ("mean_delta_low", "number", "its 95 % interval, over other seeds and other test sentences"),
        ("mean_delta_high", "number", "its 95 % interval, over other seeds and other test sentences"),
        ("lowest_delta", "number", "the smallest difference of a judge"),
        ("highest_delta", "number", "the largest difference of a judge"),
    )
)  # fmt: skip
"""The columns of panel.csv."""


@dataclass(frozen=True)
class Panel:
    """The judges on one condition, by one score.

    Attributes:
        rows: one for each judge that was asked.
        mean: of the judges that were heard; None where that cannot be told.
    """

    rows: tuple[Row, ...]
    score: Score
    mean: Comparison | None = None

    @property
    def heard(self) -> tuple[Row, ...]:
        """The rows of the judges whose difference was tested."""
        return tuple(row for row in self.rows if own_side(row, self.score) is not None)

    def judges(self, side: str) -> list[str]:
        """Those that show this side; `equal` and `none` are sides, too."""
        return [row.judge for row in self.heard if own_side(row, self.score) == side]

    def delta(self, row: Row) -> float:
        """The difference of a judge that was heard."""
        difference = row.difference(self.score)
        assert difference is not None
        return difference.delta

    @property
    def mean_delta(self) -> float | None:
        """The mean difference of the judges that were heard."""
        return statistics.fmean(map(self.delta, self.heard)) if self.heard else None

    @property
    def verdict(self) -> str | None:
        """A side, `equal`, `divided` or `none`; None where fewer than two judges were heard."""
        return panel_verdict([own_side(row, self.score) for row in self.heard])

    def values(self) -> dict[str, Any]:
        """The values of the columns of panel.csv."""
        deltas = [self.delta(row) for row in self.heard]
        names = ("treebank", "release", "transform", "variant")
        return {
            **{name: self.rows[0][name] for name in names},
            "against": self.rows[0].get("against") or "",
            "score": str(self.score),
            "judges": len(self.heard),
            **{side: len(self.judges(side)) for side in (ORIGINAL, TRANSFORMED, EQUAL)},
            "open": len(self.judges(NONE)),
            "panel": self.verdict,
            "mean_delta": self.mean_delta,
            "mean_delta_se": self.mean and self.mean.error,
            "mean_delta_low": self.mean and self.mean.low,
            "mean_delta_high": self.mean and self.mean.high,
            "lowest_delta": min(deltas, default=None),
            "highest_delta": max(deltas, default=None),
        }


def panel_verdict(sides: Sequence[str | None]) -> str | None:
    """What judges that show these sides show together; None for fewer than two."""
    counts = Counter(side for side in sides if side is not None)
    if counts.total() < 2:
        return None
    if counts[ORIGINAL] and counts[TRANSFORMED]:
        return DIVIDED
    side, number = max(((side, counts[side]) for side in (ORIGINAL, TRANSFORMED)), key=lambda one: one[1])
    if number:
        return side if 2 * number > counts.total() else NONE
    return EQUAL if 2 * counts[EQUAL] > counts.total() else NONE


def panels(
    rows: Sequence[Row], records: Sequence[ConditionRecords] = (), seed_ratio: float = SEED_RATIO
) -> list[Panel]:
    """The panels of the rows, which are one condition after the other, by score; none without judges.

    `records`: of each row; without, there are no means. `seed_ratio`: of all judges, see `compare`.
    """
    found = []
    known = dict(zip(map(id, rows), records, strict=False))
    judged = (row for row in rows if row.judge and row["decision"] != PREDICTED)
    for _, group in groupby(judged, lambda row: (row.treebank_label, row.name, row.original)):
        own = tuple(group)
        for score in (score for score in Score if decision_column(score) in own[0]):
            panel = Panel(own, score)
            counts = [known[id(row)] for row in panel.heard if id(row) in known]
            mean = mean_of(counts, score, seed_ratio) if len(counts) > 1 else None
            found.append(replace(panel, mean=mean))
    return found


def mean_of(records: Sequence[ConditionRecords], score: Score, seed_ratio: float = SEED_RATIO) -> Comparison:
    """The mean difference of several judges of a condition, each of which has the same weight."""

    def right(own: ConditionRecords, side: str) -> list[list[int]]:
        seeds = getattr(own, side)
        return [[n for fold in seed for n in fold.scores[score].correct] for seed in seeds]

    a, b = (np.array([right(own, side) for own in records]) for side in "ab")
    total = np.array([n for fold in records[0].a[0] for n in fold.tokens])
    weights = np.full(len(records), 1 / len(records))
    return compare(a, b, total, weights, seed_ratio=seed_ratio)


def panel_csv(panel: Sequence[Panel]) -> bytes:
    """The panels as panel.csv."""
    return csv_bytes(PANEL, [one.values() for one in panel])

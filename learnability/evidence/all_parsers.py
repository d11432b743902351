"""Combine what all parsers show for a comparison.

A parser favours a side if that side is clearly ahead on its own annotation, with and without punctuation
(`Question.EASIER`). The p values of each parser are corrected separately, so its answer does not depend on
which other parsers ran. All parsers together favour a side if more than half of them do and none favours the
other (docs/rules.md, Several parsers).
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from learnability.evidence.columns import NAMED, Column
from learnability.evidence.questions import Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score
from learnability.statistics.inference import AHEAD, Side
from learnability.support.values import CsvRow

DIVIDED = "divided"
"""The common answer where each side has a parser that favours it."""

ALL_PARSERS = Column.of_topic(
    "All parsers together",
    *NAMED,
    ("score", "text", "`uas`, or `las` where the run is labelled"),
    ("parsers", "count", "parsers that count: all trainings succeeded, with enough test data"),
    (str(Side.FIRST), "count", "parsers that favour UD: it is ahead with and without punctuation"),
    (str(Side.SECOND), "count", "parsers that favour the alternative"),
    (str(Side.EQUAL), "count", "parsers that find no difference that matters"),
    ("open", "count", "parsers for which the answer is open"),
    ("all_parsers", "choice",
     "the side that most parsers favour, if none favours the other; `equal` if most find no difference "
     "that matters and none favours a side; `divided` if both sides have a parser; else `none`"),
    ("mean_delta", "number",
     "mean of the parsers' differences, in points; empty where they were tested on different sentences"),
    ("lowest_delta", "number", "the smallest difference of a parser"),
    ("highest_delta", "number", "the largest difference of a parser"),
    ("better_output_base", "count", "parsers that give better UD trees if they are trained on UD"),
    ("better_output_alternative", "count",
     "parsers that give better UD trees if they are trained on the alternative and their parses converted"),
)  # fmt: skip
"""The columns of parsers.csv."""


@dataclass(frozen=True)
class AllParsers:
    """Hold all parsers in one comparison, by one score; `rows`: one for each parser of the run."""

    rows: tuple[ComparisonRow, ...]
    score: Score

    @property
    def heard(self) -> tuple[ComparisonRow, ...]:
        """Return the rows of the parsers whose difference was tested."""
        return tuple(row for row in self.rows if row.easier(self.score).side is not None)

    def parsers(self, side: str, question: Question = Question.EASIER) -> list[str]:
        """Return the parsers whose answer is this side; `equal` and `none` (open) are sides, too."""
        return [row.parser for row in self.heard if row.answered(question, self.score).side == side]

    def parsers_with(self, reason: Reason) -> list[str]:
        return [row.parser for row in self.heard if row.easier(self.score).reason == reason]

    def contrary_training(self) -> dict[Side, list[str]]:
        """Return the sides to train on if UD trees are needed that are not the common answer, with the
        parsers for which they are."""
        sides = {side: self.parsers(side, Question.TRAIN_ON) for side in AHEAD}
        return {side: parsers for side, parsers in sides.items() if parsers and side != self.verdict}

    def delta(self, row: ComparisonRow) -> float:
        """Return the difference that a parser of `heard` finds."""
        difference = row.difference(self.score)
        assert difference is not None
        return difference.delta

    @property
    def by_sentences(self) -> dict[str, list[str]]:
        """Return the parsers whose difference was tested, by the sentences that it rests on, in words."""
        found: dict[str, list[str]] = {}
        for row in self.heard:
            found.setdefault(row.tested_on(self.score), []).append(row.parser)
        return found

    @property
    def mean_delta(self) -> float | None:
        """Return the mean difference of the parsers that ran; None where they were tested on different
        sentences."""
        return statistics.fmean(map(self.delta, self.heard)) if len(self.by_sentences) == 1 else None

    @property
    def verdict(self) -> str | None:
        """Return a side, `equal`, `divided` or `none`; None if fewer than two parsers ran."""
        return common_answer([row.easier(self.score).side for row in self.heard])

    def values(self) -> CsvRow:
        """Return the values of the columns of the table of all parsers."""
        deltas = [self.delta(row) for row in self.heard]
        return {
            **self.rows[0].named,
            "score": str(self.score),
            "parsers": len(self.heard),
            **{str(side): len(self.parsers(side)) for side in (*AHEAD, Side.EQUAL)},
            "open": len(self.parsers(Side.NONE)),
            "all_parsers": self.verdict,
            "mean_delta": self.mean_delta,
            "lowest_delta": min(deltas, default=None),
            "highest_delta": max(deltas, default=None),
            **{f"better_output_{side}": len(self.parsers(side, Question.TRAIN_ON)) for side in AHEAD},
        }


def common_answer(sides: Sequence[str | None]) -> str | None:
    """Return what parsers that favour these sides show together; None for fewer than two."""
    counts = Counter(side for side in sides if side is not None)
    if counts.total() < 2:
        return None
    if counts[Side.FIRST] and counts[Side.SECOND]:
        return DIVIDED
    side = max(AHEAD, key=lambda favoured: counts[favoured])
    if counts[side]:
        return side if 2 * counts[side] > counts.total() else Side.NONE
    return Side.EQUAL if 2 * counts[Side.EQUAL] > counts.total() else Side.NONE


def combine_parsers(rows: Sequence[ComparisonRow]) -> list[AllParsers]:
    """Return what all parsers show, by construction and score; empty where rows do not name their parser."""
    rows_of_comparison: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        if row.parser:
            comparison = (row.treebank_label, row.name, row.base)
            rows_of_comparison.setdefault(comparison, []).append(row)
    return [
        AllParsers(tuple(compared), score)
        for compared in rows_of_comparison.values()
        for score in compared[0].scores
    ]


def all_parsers_csv(found: Sequence[AllParsers]) -> bytes:
    return Column.csv(ALL_PARSERS, [all_parsers.values() for all_parsers in found])

"""Make parts of the pages of the atlas: answers, drawn intervals and the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape

from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference
from learnability.metrics.scores import Score
from learnability.reports.results import NOT_COMPUTED, SHORT, interval
from learnability.reports.verdicts import name_leader
from learnability.statistics.inference import Side


class CellOutcome(StrEnum):
    """What a cell shows, by which it is coloured, marked and filtered."""

    BASE = "base"
    ALTERNATIVE = "alternative"
    EQUAL = "equal"
    DIVIDED = "divided"
    OPEN = "open"
    FEW = "few"
    MISSING = "missing"

    @classmethod
    def of(cls, row: ComparisonRow, score: Score) -> CellOutcome:
        """Return what the answer of a row says."""
        answered = row.easier(score)
        return cls.DIVIDED if answered.reason == Reason.TREEBANKS_DISAGREE else _OUTCOMES[answered.answer]


MARKS = {
    CellOutcome.BASE: "▲",
    CellOutcome.ALTERNATIVE: "▼",
    CellOutcome.EQUAL: "=",
    CellOutcome.DIVIDED: "✕",
    CellOutcome.OPEN: "○",
    CellOutcome.FEW: "·",
    CellOutcome.MISSING: "–",
}
"""The mark of each outcome, so that nothing depends on colour."""

_OUTCOMES = {
    Answer.BASE: CellOutcome.BASE,
    Answer.ALTERNATIVE: CellOutcome.ALTERNATIVE,
    Answer.SAME: CellOutcome.EQUAL,
    Answer.OPEN: CellOutcome.OPEN,
    Answer.TOO_FEW_EXAMPLES: CellOutcome.FEW,
    Answer.TOO_FEW_TREEBANKS: CellOutcome.MISSING,
    Answer.NONE: CellOutcome.MISSING,
}

UNTESTED = (CellOutcome.FEW, CellOutcome.MISSING)
"""What cells show that were not tested: no difference of theirs is shown."""

STRIP_WIDTH, STRIP_HEIGHT = 132, 16
"""Pixels of the small drawing of an interval."""


@dataclass(frozen=True)
class ShownAnswer:
    """Hold an answer as a page shows it: in words, with mark and colour, and the difference.

    `link`: where more of it stands; `train_on`: which to train on if UD trees are needed. Both may be empty.
    """

    text: str
    outcome: CellOutcome
    difference: str = ""
    link: str = ""
    train_on: str = ""

    @classmethod
    def of(cls, row: ComparisonRow, score: Score, link: str = "") -> ShownAnswer:
        """Return what a row answers by a score, with the difference where it links to its interval."""
        outcome, difference = CellOutcome.of(row, score), row.difference(score)
        names, shown = {Side.FIRST: row.base, Side.SECOND: SHORT}, link and outcome not in UNTESTED
        return cls(
            row.name_answer(Question.EASIER, score) or NOT_COMPUTED,
            outcome,
            name_leader(difference.delta, names) if difference and shown else "",
            link,
            row.name_answer(Question.TRAIN_ON, score),
        )

    @property
    def trains(self) -> bool:
        """Return whether which to train on says more than that nothing was tested."""
        return bool(self.train_on) and self.outcome not in UNTESTED

    @property
    def mark(self) -> str:
        return MARKS[self.outcome]


def interval_text(row: ComparisonRow, score: Score) -> str:
    """Return the difference of a row with its interval; empty where it was not tested."""
    return "" if CellOutcome.of(row, score) in UNTESTED else str(interval(row.difference(score), row))


def reach_of(differences: Sequence[Difference | None]) -> float:
    """Return how far the drawings of intervals reach from zero, in points: to most ends of intervals."""
    ends = sorted(
        abs(end)
        for difference in differences
        if difference is not None
        for end in (difference.low, difference.high, difference.delta)
        if end is not None
    )
    return max(1.0, ends[int(0.95 * (len(ends) - 1))]) if ends else 1.0


def strip(difference: Difference | None, outcome: CellOutcome, reach: float) -> str:
    """Return a difference with its interval as a small drawing; the numbers stand beside it."""
    if difference is None or outcome in UNTESTED:
        return ""
    middle, half = STRIP_WIDTH / 2, STRIP_HEIGHT / 2

    def at(value: float) -> str:
        return f"{middle + max(-1.0, min(1.0, value / reach)) * (middle - 5):.0f}"

    line = ""
    if difference.low is not None and difference.high is not None:
        line = f'<path class="interval" d="M{at(difference.low)} {half:.0f}H{at(difference.high)}"/>'
    return (
        f'<svg class="strip {outcome}" width="{STRIP_WIDTH}" height="{STRIP_HEIGHT}" aria-hidden="true">'
        f'<path d="M{middle:.0f} 0v{STRIP_HEIGHT}"/>{line}'
        f'<circle cx="{at(difference.delta)}" cy="{half:.0f}" r="4"/></svg>'
    )


@dataclass(frozen=True)
class MapPoint:
    """Hold an answer on the map: where its language is, in degrees, and what a mark says and leads to."""

    latitude: float
    longitude: float
    outcome: CellOutcome
    text: str
    link: str


MAP_WEST, MAP_NORTH, MAP_WIDTH, MAP_HEIGHT = -180, 84, 360, 142
"""The degrees that the map shows, as `land.svg` does."""


def world_map(points: Sequence[MapPoint]) -> str:
    """Return points to draw over the map of the land, clear answers above others; empty without points.

    Points of one language stand side by side, around its place.
    """
    if not points:
        return ""
    order = sorted(points, key=lambda point: list(CellOutcome).index(point.outcome), reverse=True)
    at_place = Counter((point.longitude, point.latitude) for point in points)
    drawn: Counter[tuple[float, float]] = Counter()
    marks = []
    for point in order:
        place = point.longitude, point.latitude
        x, y = point.longitude - MAP_WEST, MAP_NORTH - point.latitude
        x += 2.6 * (drawn[place] - (at_place[place] - 1) / 2)
        drawn[place] += 1
        shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.3"/>'
        if point.outcome == CellOutcome.ALTERNATIVE:
            shape = f'<path d="M{x:.1f} {y - 1.8:.1f}l1.7 3h-3.4z"/>'
        title = f"<title>{escape(point.text)}</title>"
        marks.append(f'<a href="{escape(point.link)}" class="{point.outcome}">{title}{shape}</a>')
    return f'<svg class="map" viewBox="0 0 {MAP_WIDTH} {MAP_HEIGHT}" role="group">{"".join(marks)}</svg>'

"""What the judges of a condition say together: the panel.

A parser favours a side if that side is clearly ahead on its own annotation, with and without punctuation
(`decisions.own_side`); each corrects its p values by itself, so what it says does not depend on who else was
asked. The panel is for a side if more than half of the judges are and none is for the other. Beside that
stands the mean of the judges' differences with its interval: over other seeds and other test sentences, for
these judges (docs/rules.md, Several parsers).

Two judges agree on a condition if their differences have the same sign. Beside all conditions stand the
*clear* ones, in which both show a side to be ahead. Each judge is also held against the others together: the
sign of the mean of their differences, and their panel's verdict; and so are the criteria that need no judge.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from learnability.comparing.criteria import CRITERIA
from learnability.comparing.results import TrainingResult
from learnability.evidence.answers import own_side
from learnability.evidence.columns import NAMED, columns_of_topic, csv_bytes
from learnability.evidence.grouping import ConditionRecords, Seeds, per_sentence
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score
from learnability.statistics.significance import SEED_RATIO, Comparison, Side, compare, winner

DIVIDED = "divided"
"""The common answer where each side has a parser that favours it."""

PANEL = columns_of_topic(
    "All parsers together",
    *NAMED,
    ("score", "text", "`uas`, or `las` where the run is labelled"),
    ("parsers", "count", "parsers that count: all trainings succeeded, with enough test data"),
    (str(Side.UD), "count", "of these, parsers that favour UD: it is ahead with and without punctuation"),
    (str(Side.ALTERNATIVE), "count", "parsers that favour the alternative"),
    (str(Side.EQUAL), "count", "parsers that show no meaningful difference"),
    ("open", "count", "parsers for which the answer is open"),
    ("all_parsers", "choice",
     "the side that most parsers favour, if none favours the other; `equal` if most show no meaningful "
     "difference and none favours a side; `divided` if both sides have a parser; else `none`"),
    ("mean_delta", "number", "mean of the parsers' differences, in points"),
    ("mean_delta_se", "number", "its standard error, for these parsers"),
    ("mean_delta_low", "number", "its 95 % interval, over other seeds and other test sentences"),
    ("mean_delta_high", "number", "its 95 % interval, over other seeds and other test sentences"),
    ("lowest_delta", "number", "the smallest difference of a parser"),
    ("highest_delta", "number", "the largest difference of a parser"),
)  # fmt: skip
"""The columns of parsers.csv."""


@dataclass(frozen=True)
class Panel:
    """The judges on one condition, by one score.

    Attributes:
        rows: one for each judge that was asked.
        mean: of the judges that were heard; None where their records are missing.
    """

    rows: tuple[ComparisonRow, ...]
    score: Score
    mean: Comparison | None = None

    @property
    def heard(self) -> tuple[ComparisonRow, ...]:
        """The rows of the judges whose difference was tested."""
        return tuple(row for row in self.rows if own_side(row, self.score) is not None)

    def judges(self, side: str) -> list[str]:
        """Those that show this side; `equal` and `none` are sides, too."""
        return [row.parser for row in self.heard if own_side(row, self.score) == side]

    def delta(self, row: ComparisonRow) -> float:
        """Return the difference that a parser of `heard` finds."""
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
        """Return the values of the columns of the table of all parsers."""
        deltas = [self.delta(row) for row in self.heard]
        return {
            **{name: getattr(self.rows[0], name) for name, *_ in NAMED},
            "score": str(self.score),
            "parsers": len(self.heard),
            **{str(side): len(self.judges(side)) for side in (Side.UD, Side.ALTERNATIVE, Side.EQUAL)},
            "open": len(self.judges(Side.NONE)),
            "all_parsers": self.verdict,
            "mean_delta": self.mean_delta,
            "mean_delta_se": self.mean and self.mean.error,
            "mean_delta_low": self.mean and self.mean.low,
            "mean_delta_high": self.mean and self.mean.high,
            "lowest_delta": min(deltas, default=None),
            "highest_delta": max(deltas, default=None),
        }


def panel_verdict(sides: Sequence[str | None]) -> str | None:
    """Return what parsers that favour these sides show together; None for fewer than two."""
    counts = Counter(side for side in sides if side is not None)
    if counts.total() < 2:
        return None
    if counts[Side.UD] and counts[Side.ALTERNATIVE]:
        return DIVIDED
    side, number = max(((side, counts[side]) for side in (Side.UD, Side.ALTERNATIVE)), key=lambda one: one[1])
    if number:
        return side if 2 * number > counts.total() else Side.NONE
    return Side.EQUAL if 2 * counts[Side.EQUAL] > counts.total() else Side.NONE


def panels(
    rows: Sequence[ComparisonRow], records: Sequence[ConditionRecords] = (), seed_ratio: float = SEED_RATIO
) -> list[Panel]:
    """Return what all parsers show, by construction and score; empty without several parsers.

    `records`: of each row; without them there are no means. `seed_ratio`: of all parsers, see `compare`.
    """
    made = []
    known = dict(zip(map(id, rows), records, strict=False))
    conditions: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        if row.parser:
            conditions.setdefault((row.treebank_label, row.name, row.original), []).append(row)
    for own in conditions.values():
        for score in own[0].scores:
            panel = Panel(tuple(own), score)
            counts = [known[id(row)] for row in panel.heard if id(row) in known]
            mean = mean_of(counts, score, seed_ratio) if len(counts) > 1 else None
            made.append(replace(panel, mean=mean))
    return made


def mean_of(records: Sequence[ConditionRecords], score: Score, seed_ratio: float = SEED_RATIO) -> Comparison:
    """Return the mean difference of several parsers for a construction, with equal weights."""

    def right(seeds: Seeds[TrainingResult]) -> list[list[int]]:
        return per_sentence(seeds, lambda fold: fold.scores[score].correct)

    a, b = [right(own.a) for own in records], [right(own.b) for own in records]
    (total,) = per_sentence(records[0].a[:1], lambda fold: fold.tokens)
    weights = np.full(len(records), 1 / len(records))
    return compare(a, b, total, weights, seed_ratio=seed_ratio)


def panel_csv(panel: Sequence[Panel]) -> bytes:
    """Return the answers of all parsers as CSV."""
    return csv_bytes(PANEL, [one.values() for one in panel])


OTHERS, JUDGES = "the others", "the judges"
"""Whom a judge or a criterion is held against, if not against one judge."""

SIGNS: dict[str, float] = {Side.UD: 1.0, Side.ALTERNATIVE: -1.0}
"""The sides, and the sign of a difference in their favour."""


@dataclass(frozen=True)
class JudgeAgreement:
    """How far a judge (or a criterion) agrees with another one, or with the others together.

    Attributes:
        conditions: in which both were tested (or the criterion was computed), and the other has a sign.
        same_sign: percent of these with the same sign; None without any. No sign is none that agrees.
        clear: conditions in which both show a side to be ahead (of a criterion: the judges' panel does).
        same_side: percent of these with the same side.
        rank_correlation: Spearman's, of the differences; None for fewer than three conditions or criteria.
    """

    parser: str
    other: str
    conditions: int
    same_sign: float | None
    clear: int
    same_side: float | None
    rank_correlation: float | None = None


@dataclass(frozen=True)
class Opinion:
    """What a judge, several of them, or a criterion says of a condition.

    Attributes:
        delta: the difference, in points; of a criterion 1 or -1, or 0 where it is undecided, which counts as
            wrong.
        side: the side that is shown to be ahead, or something else.
    """

    delta: float
    side: str | None


def opinions(panel: Panel) -> dict[str, Opinion]:
    """Return the difference and the side of each parser that ran."""
    return {row.parser: Opinion(panel.delta(row), own_side(row, panel.score)) for row in panel.heard}


def together(judges: Mapping[str, Opinion], but: str = "") -> Opinion | None:
    """Return the mean difference and the common answer of the parsers except `but`; None below two."""
    own = [opinion for judge, opinion in judges.items() if judge != but]
    if len(own) < 2:
        return None
    return Opinion(statistics.fmean(o.delta for o in own), panel_verdict([o.side for o in own]))


def judge_agreement(conditions: Sequence[Panel]) -> list[JudgeAgreement]:
    """Every judge against every other one, then each against the others together, where there are others;
    by their panels by one score."""
    said = list(map(opinions, conditions))
    heard = {judge for own in said for judge in own}
    asked = dict.fromkeys(row.parser for panel in conditions for row in panel.rows)
    judges = [judge for judge in asked if judge in heard]
    pairs = [
        agreement(first, second, ((own.get(first), own.get(second)) for own in said))
        for first, second in combinations(judges, 2)
    ]
    others = [
        agreement(judge, OTHERS, ((own.get(judge), together(own, judge)) for own in said)) for judge in judges
    ]
    return [*pairs, *(others if len(judges) > 2 else [])]


def criteria_agreement(conditions: Sequence[Panel]) -> list[JudgeAgreement]:
    """How often each criterion picks the side of the judges' mean difference, and that of their panel."""
    agreements = []
    for criterion in CRITERIA:
        # one judge at most knows what survives; the measures are the same for all
        picks = [
            next(filter(None, (row.criterion(criterion.key).pick for row in panel.rows)), None)
            for panel in conditions
        ]
        criterion_says = (None if pick is None else Opinion(SIGNS.get(pick, 0.0), pick) for pick in picks)
        judges_say = (together(opinions(panel)) for panel in conditions)
        own = agreement(criterion.key, JUDGES, zip(criterion_says, judges_say, strict=True))
        agreements.append(replace(own, rank_correlation=None))
    return [own for own in agreements if own.conditions]


def agreement(
    name: str, other: str, pairs: Iterable[tuple[Opinion | None, Opinion | None]]
) -> JudgeAgreement:
    """Return how far two parsers agree, from what both show for each construction."""
    both = [(a, b) for a, b in pairs if a is not None and b is not None and b.delta]
    clear = [(a, b) for a, b in both if b.side in SIGNS and (a.side in SIGNS or other == JUDGES)]
    correlation = None
    if len(both) > 2:
        from scipy.stats import spearmanr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # differences that are all the same have no correlation: nan
            rho = spearmanr([a.delta for a, _ in both], [b.delta for _, b in both]).statistic
        correlation = None if math.isnan(rho) else float(rho)
    return JudgeAgreement(
        name,
        other,
        len(both),
        percent([winner(a.delta) == winner(b.delta) for a, b in both]),
        len(clear),
        percent([a.side == b.side for a, b in clear]),
        correlation,
    )


def percent(values: Sequence[float]) -> float | None:
    """Return the mean in percent; None without values."""
    return 100 * statistics.fmean(values) if values else None

"""How far judges agree over the conditions of finished runs, and criteria with the judges.

Two judges agree on a condition if their differences have the same sign. Beside all conditions stand the
*clear* ones, in which both show a side to be ahead. Each judge is also held against the others together: the
sign of the mean of their differences, and their panel's verdict (`panel.panel_verdict`).
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from learnability.experiments.columns import Row
from learnability.experiments.criteria import CRITERIA
from learnability.experiments.decisions import ORIGINAL, TRANSFORMED, own_side
from learnability.experiments.panel import panel_verdict
from learnability.metrics.scores import Score
from learnability.metrics.significance import winner

OTHERS, JUDGES = "the others", "the judges"
"""Whom a judge or a criterion is held against, if not against one judge."""

SIGNS = {ORIGINAL: 1.0, TRANSFORMED: -1.0}
"""The sides, and the sign of a difference in their favour."""


@dataclass(frozen=True)
class Agreement:
    """How far a judge (or a criterion) agrees with another one, or with the others together.

    Attributes:
        conditions: in which both were tested (or the criterion was computed), and the other has a sign.
        same_sign: percent of these with the same sign; None without any. No sign is none that agrees.
        clear: conditions in which both show a side to be ahead (of a criterion: the judges' panel does).
        same_side: percent of these with the same side.
        rank_correlation: Spearman's, of the differences; None for fewer than three conditions or criteria.
    """

    judge: str
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


def opinions(rows: Sequence[Row], score: Score) -> dict[tuple[str, str], dict[str, Opinion]]:
    """What the judges say of each condition (treebank and construction) that they were tested on."""
    found: dict[tuple[str, str], dict[str, Opinion]] = {}
    for row in rows:
        difference, side = row.difference(score), own_side(row, score)
        if row.judge and difference is not None and side is not None:
            of_condition = found.setdefault((row.treebank_label, row.name), {})
            of_condition[row.judge] = Opinion(difference.delta, side)
    return found


def together(judges: Mapping[str, Opinion], but: str = "") -> Opinion | None:
    """The mean difference of several judges (but one) and their panel's verdict; None of fewer than two."""
    own = [opinion for judge, opinion in judges.items() if judge != but]
    if len(own) < 2:
        return None
    return Opinion(statistics.fmean(o.delta for o in own), panel_verdict([o.side for o in own]))


def judge_agreement(rows: Sequence[Row], score: Score) -> list[Agreement]:
    """Every judge against every other one, then each against the others together, where there are others."""
    conditions = opinions(rows, score).values()
    heard = {judge for own in conditions for judge in own}
    judges = [judge for judge in dict.fromkeys(row.judge for row in rows) if judge in heard]
    pairs = [
        agreement(first, second, ((own.get(first), own.get(second)) for own in conditions))
        for first, second in combinations(judges, 2)
    ]
    others = [
        agreement(judge, OTHERS, ((own.get(judge), together(own, judge)) for own in conditions))
        for judge in judges
    ]
    return [*pairs, *(one for one in others if len(judges) > 2)]


def criteria_agreement(rows: Sequence[Row], score: Score) -> list[Agreement]:
    """How often each criterion picks the side of the judges' mean difference, and that of their panel."""
    found = []
    for criterion in CRITERIA:
        picks: dict[tuple[str, str], str] = {}
        for row in rows:  # one judge at most knows what survives; the measures are the same for all
            if pick := row[criterion.pick_column]:
                picks.setdefault((row.treebank_label, row.name), pick)
        pairs = (
            (Opinion(SIGNS.get(picks[key], 0.0), picks[key]) if key in picks else None, together(own))
            for key, own in opinions(rows, score).items()
        )
        found.append(replace(agreement(criterion.key, JUDGES, pairs), rank_correlation=None))
    return [one for one in found if one.conditions]


def agreement(name: str, other: str, pairs: Iterable[tuple[Opinion | None, Opinion | None]]) -> Agreement:
    """The agreement of two over conditions, by what both say of each."""
    both = [(a, b) for a, b in pairs if a is not None and b is not None and b.delta]
    clear = [(a, b) for a, b in both if b.side in SIGNS and (a.side in SIGNS or other == JUDGES)]
    correlation = None
    if len(both) > 2:
        from scipy.stats import spearmanr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # differences that are all the same have no correlation: nan
            rho = spearmanr([a.delta for a, _ in both], [b.delta for _, b in both]).statistic
        correlation = None if math.isnan(rho) else float(rho)
    return Agreement(
        name,
        other,
        len(both),
        percent([winner(a.delta) == winner(b.delta) for a, b in both]),
        len(clear),
        percent([a.side == b.side for a, b in clear]),
        correlation,
    )


def percent(values: Sequence[float]) -> float | None:
    """The mean in percent; None without values."""
    return 100 * statistics.fmean(values) if values else None

"""Show the learning curves of a run in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from learnability.metrics.scores import Score
from learnability.reports.section import Section
from learnability.reports.text import Table, number, percentage
from learnability.reports.verdicts import describe_standing, name_leader
from learnability.statistics.inference import Side
from learnability.studies.curve.curves import LearningCurve
from learnability.support.nouns import count_noun


def curves_section(curves: Sequence[LearningCurve]) -> Section:
    """Return which annotation needs less data, for each construction."""
    scores = list(curves[0].curves)
    verdicts = [_verdict(curve, score) for score in scores for curve in curves]
    tables = tuple(table(curves, score) for score in scores for table in (_summary, _scores))
    return Section("How much data does it take?", (*verdicts, _basis(curves[0])), tables)


def _verdict(curve: LearningCurve, score: Score) -> str:
    difference = curve.areas[score]
    if difference is None:
        places = count_noun(curve.test_places, "place")
        return f"{curve.alternative}: too few examples in the test set ({places})."
    shown = describe_standing(difference, curve.base, "the alternative")
    unit = f", {score.qualification}" if score.qualification else ""
    sentence = f"{curve.alternative}: averaged over the amounts of data{unit}, {shown}"
    base, other = curve.curves[score]
    sides = {
        Side.FIRST: (curve.base, base, "the alternative's"),
        Side.SECOND: ("the alternative", other, f"{curve.base}'s"),
    }
    if difference.better in sides:
        leader, curve_ahead, goal = sides[difference.better]
        if (needed := curve_ahead.tokens_to_reach_other) is not None:
            part = (
                f"{percentage(needed / curve.tokens[-1])} of the data ({count_noun(round(needed), 'token')})"
            )
            sentence += f". With {part}, {leader} reaches {goal} final score"
    return f"{sentence}."


def _basis(curve: LearningCurve) -> str:
    shares = ", ".join("all" if share == 1 else str(Fraction(share)) for share in curve.shares)
    several = "one seed" if curve.seeds == 1 else f"means of {count_noun(curve.seeds, 'seed')}"
    return (
        f"We trained each annotation on {shares} of the training data ({several}). Intervals account for "
        "testing all constructions (Holm)."
    )


def _summary(curves: Sequence[LearningCurve], score: Score) -> Table:
    def needed(curve: LearningCurve, side: int) -> str:
        tokens = curve.curves[score][side].tokens_to_reach_other
        return "never" if tokens is None else percentage(tokens / curve.tokens[-1])

    base = curves[0].base
    return Table.of(
        f"Mean height of the learning curves, {score.upper()}",
        curves,
        (
            ("construction", lambda curve: curve.alternative),
            (base, lambda curve: number(curve.curves[score][0].area)),
            ("alternative", lambda curve: number(curve.curves[score][1].area)),
            ("difference", lambda curve: _name_leader(curve, score)),
            (f"{base} reaches alt.", lambda curve: needed(curve, 0)),
            (f"alt. reaches {base}", lambda curve: needed(curve, 1)),
        ),
        explanation=f"The table shows {score.upper()} averaged over the logarithm of the amount of "
        "data. The difference "
        "names the side that is ahead. The last columns show with which share of the training data one "
        "annotation reaches the final score of the other.",
    )


def _name_leader(curve: LearningCurve, score: Score) -> str:
    first, second = curve.curves[score]
    return name_leader(first.area - second.area, {Side.FIRST: curve.base, Side.SECOND: "alt."})


def _scores(curves: Sequence[LearningCurve], score: Score) -> Table:
    rows = [
        (curves[0].base, curves[0].curves[score][0]),
        *((curve.alternative, curve.curves[score][1]) for curve in curves),
    ]
    return Table(
        f"{score.upper()} by training tokens",
        ("scheme", *(f"{tokens:,.0f}" for tokens in curves[0].tokens)),
        tuple((name, *map(number, half.means)) for name, half in rows),
    )

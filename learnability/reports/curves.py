"""The learning curves of a run in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from learnability.experiments.learning_curve import LearningCurve
from learnability.metrics.scores import Score
from learnability.reports.text import Section, Table, gain, number


def curves_section(curves: Sequence[LearningCurve]) -> Section:
    """Which scheme needs less data, per condition."""
    scores = list(curves[0].curves)
    said = [_verdict(curve, score) for score in scores for curve in curves if curve.test_sites]
    nothing = "no test sentence has a site, so the scores say nothing about it."
    said += [f"{curve.scheme}: {nothing}" for curve in curves if not curve.test_sites]
    tables = tuple(table(curves, score) for score in scores for table in (_summary, _scores))
    return Section("How much data does it take?", (*said, _basis(curves[0])), tables)


def _verdict(curve: LearningCurve, score: Score) -> str:
    delta, spread, unit = curve.area_delta(score), curve.area_delta_sd(score), score.upper()
    if abs(delta) <= (spread or 0.0):
        verdict = f"no clear difference, UD {gain(delta)} {unit}"
    elif delta > 0:
        verdict = f"UD is ahead by {delta:.2f} {unit}"
    else:
        verdict = f"the alternative is ahead of UD by {-delta:.2f} {unit}"
    verdict += " on average over the amounts of data"
    verdict += "" if spread is None else f" (sd over seeds {spread:.2f})"
    original, other = curve.curves[score]
    sides = (("UD", original, "the alternative's"), ("the alternative", other, "UD's"))
    winner, own, goal = sides[original.means[-1] < other.means[-1]]
    if (needed := own.tokens_to_reach_other) is not None:
        part = f"{needed / curve.tokens[-1]:.0%} of the data ({needed:,.0f} tokens)"
        verdict += f"; {winner} reaches {goal} final score with {part}"
    return f"{curve.scheme}: {verdict}."


def _basis(curve: LearningCurve) -> str:
    shares = ", ".join("all" if share == 1 else str(Fraction(share)) for share in curve.shares)
    several = f"means of {curve.seeds} seeds"
    if curve.seeds == 1:
        several = "one seed: differences of the size of its noise mean nothing"
    return f"Each scheme was trained on {shares} of the training data ({several})."


def _summary(curves: Sequence[LearningCurve], score: Score) -> Table:
    def needed(curve: LearningCurve, side: int) -> str:
        tokens = curve.curves[score][side].tokens_to_reach_other
        return "never" if tokens is None else f"{tokens / curve.tokens[-1]:.0%}"

    return Table.of(
        f"Mean height of the learning curves, {score.upper()}",
        curves,
        (
            ("transform", lambda curve: curve.scheme),
            ("UD", lambda curve: number(curve.curves[score][0].area)),
            ("alternative", lambda curve: number(curve.curves[score][1].area)),
            ("difference", lambda curve: gain(curve.area_delta(score))),
            ("UD reaches alt", lambda curve: needed(curve, 0)),
            ("alt reaches UD", lambda curve: needed(curve, 1)),
        ),
        f"{score.upper()} averaged over the logarithm of the amount of data (positive difference: UD is "
        "better); the share of the training data with which one scheme reaches the other's final score.",
    )


def _scores(curves: Sequence[LearningCurve], score: Score) -> Table:
    rows = [("UD", curves[0].curves[score][0]), *((curve.scheme, curve.curves[score][1]) for curve in curves)]
    return Table(
        f"{score.upper()} by training tokens",
        ("scheme", *(f"{tokens:,.0f}" for tokens in curves[0].tokens)),
        tuple((name, *map(number, own.means)) for name, own in rows),
    )

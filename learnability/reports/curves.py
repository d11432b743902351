"""The learning curves of a run (`learning_curve.json`) in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from learnability.reports.sections import Section, TextTable

Curve = dict[str, Any]


def curves_section(curves: Sequence[Curve]) -> Section:
    """Which scheme needs less data, per condition; `curves`: those of learning_curve.json."""
    return Section(
        heading="How much data does it take?",
        sentences=(*(_sentence(curve) for curve in curves), _basis(curves)),
        tables=(_summary(curves), _scores(curves)),
    )


def _sentence(curve: Curve) -> str:
    original, other = curve["original"], curve["transformed"]
    delta, spread = curve["area_delta"], curve["area_delta_sd"]
    name = other["scheme"]
    if abs(delta) <= (spread or 0.0):
        # + 0.0: a negative zero would be shown with its sign
        verdict = f"no clear difference, UD {delta + 0.0:+.2f} UAS"
    elif delta > 0:
        verdict = f"UD is ahead by {delta:.2f} UAS"
    else:
        verdict = f"the alternative is ahead of UD by {-delta:.2f} UAS"
    verdict += " on average over the amounts of data"
    verdict += "" if spread is None else f" (sd over seeds {spread:.2f})"
    sides = [("UD", original, "the alternative's"), ("the alternative", other, "UD's")]
    winner, curve_of_winner, goal = sides[original["means"][-1] < other["means"][-1]]
    needed = curve_of_winner["tokens_to_reach_other"]
    if needed is not None:
        verdict += f"; {winner} reaches {goal} final score with {_part(needed, curve)}"
    return f"{name}: {verdict}."


def _part(tokens: float, curve: Curve) -> str:
    return f"{tokens / curve['tokens'][-1]:.0%} of the data ({tokens:,.0f} tokens)"


def _basis(curves: Sequence[Curve]) -> str:
    seeds = curves[0]["seeds"]
    several = (
        f"means of {seeds} seeds"
        if seeds > 1
        else "one seed: differences of the size of its noise mean nothing"
    )
    return f"Each scheme was trained on {_shares(curves[0])} of the training data ({several})."


def _shares(curve: Curve) -> str:
    return ", ".join("all" if share == 1 else str(Fraction(share)) for share in curve["shares"])


def _summary(curves: Sequence[Curve]) -> TextTable:
    def needed(curve: Curve, side: str) -> str:
        tokens = curve[side]["tokens_to_reach_other"]
        return "never" if tokens is None else f"{tokens / curve['tokens'][-1]:.0%}"

    return TextTable(
        "Mean height of the learning curves",
        ("transform", "UD", "alternative", "difference", "UD reaches alt", "alt reaches UD"),
        tuple(
            (
                curve["transformed"]["scheme"],
                f"{curve['original']['area']:.2f}",
                f"{curve['transformed']['area']:.2f}",
                f"{curve['area_delta']:+.2f}",
                needed(curve, "original"),
                needed(curve, "transformed"),
            )
            for curve in curves
        ),
        "UAS averaged over the logarithm of the amount of data (positive difference: UD is better); the "
        "share of the training data with which one scheme reaches the other's final score.",
    )


def _scores(curves: Sequence[Curve]) -> TextTable:
    first = curves[0]
    headings = ("scheme", *(f"{tokens:,.0f}" for tokens in first["tokens"]))
    rows = [("UD", first["original"])]
    rows += [(curve["transformed"]["scheme"], curve["transformed"]) for curve in curves]
    return TextTable(
        "UAS by training tokens",
        headings,
        tuple((name, *(f"{score:.2f}" for score in curve["means"])) for name, curve in rows),
    )

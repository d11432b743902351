"""The learning curves of a run (`learning_curve.json`) in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from learnability.reports.text import Section, Table, gain

Curve = dict[str, Any]

PREFIX = {"UAS": "", "LAS": "las_"}
"""What the fields of a curve begin with that go by this score."""


def scores_of(curves: Sequence[Curve]) -> list[str]:
    """UAS, and LAS where the parsers are labelled."""
    return ["UAS"] if curves[0]["las_area_delta"] is None else ["UAS", "LAS"]


def curves_section(curves: Sequence[Curve]) -> Section:
    """Which scheme needs less data, per condition; `curves`: those of learning_curve.json."""
    scores = scores_of(curves)
    return Section(
        heading="How much data does it take?",
        sentences=(*_sentences(curves, scores), _basis(curves)),
        tables=tuple(table(curves, score) for score in scores for table in (_summary, _scores)),
    )


def _sentences(curves: Sequence[Curve], scores: Sequence[str]) -> list[str]:
    """One per condition and score; one per condition of which the test part has no site."""
    tested = [curve for curve in curves if curve["test_sites"]]
    untested = [curve["transformed"]["scheme"] for curve in curves if not curve["test_sites"]]
    return [
        *(_sentence(curve, score) for score in scores for curve in tested),
        *(f"{name}: no test sentence has a site, so the scores say nothing about it." for name in untested),
    ]


def _sentence(curve: Curve, score: str) -> str:
    prefix, original, other = PREFIX[score], curve["original"], curve["transformed"]
    delta, spread = curve[f"{prefix}area_delta"], curve[f"{prefix}area_delta_sd"]
    name = other["scheme"]
    if abs(delta) <= (spread or 0.0):
        verdict = f"no clear difference, UD {gain(delta)} {score}"
    elif delta > 0:
        verdict = f"UD is ahead by {delta:.2f} {score}"
    else:
        verdict = f"the alternative is ahead of UD by {-delta:.2f} {score}"
    verdict += " on average over the amounts of data"
    verdict += "" if spread is None else f" (sd over seeds {spread:.2f})"
    sides = [("UD", original, "the alternative's"), ("the alternative", other, "UD's")]
    winner, curve_of_winner, goal = sides[original[f"{prefix}means"][-1] < other[f"{prefix}means"][-1]]
    needed = curve_of_winner[f"{prefix}tokens_to_reach_other"]
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


def _summary(curves: Sequence[Curve], score: str) -> Table:
    prefix = PREFIX[score]

    def needed(curve: Curve, side: str) -> str:
        tokens = curve[side][f"{prefix}tokens_to_reach_other"]
        return "never" if tokens is None else f"{tokens / curve['tokens'][-1]:.0%}"

    return Table(
        f"Mean height of the learning curves, {score}",
        ("transform", "UD", "alternative", "difference", "UD reaches alt", "alt reaches UD"),
        tuple(
            (
                curve["transformed"]["scheme"],
                f"{curve['original'][f'{prefix}area']:.2f}",
                f"{curve['transformed'][f'{prefix}area']:.2f}",
                gain(curve[f"{prefix}area_delta"]),
                needed(curve, "original"),
                needed(curve, "transformed"),
            )
            for curve in curves
        ),
        f"{score} averaged over the logarithm of the amount of data (positive difference: UD is better); the "
        "share of the training data with which one scheme reaches the other's final score.",
    )


def _scores(curves: Sequence[Curve], score: str) -> Table:
    first, means = curves[0], f"{PREFIX[score]}means"
    headings = ("scheme", *(f"{tokens:,.0f}" for tokens in first["tokens"]))
    rows = [("UD", first["original"])]
    rows += [(curve["transformed"]["scheme"], curve["transformed"]) for curve in curves]
    return Table(
        f"{score} by training tokens",
        headings,
        tuple((name, *(f"{mean:.2f}" for mean in curve[means])) for name, curve in rows),
    )

"""The figures of a run: each a picture and its data; one that has nothing to show is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnability.experiments.criteria import CRITERIA
from learnability.experiments.grouping import Record
from learnability.metrics.breakdown import PARTS
from learnability.reports.curves import PREFIX, scores_of
from learnability.reports.evidence import Found
from learnability.reports.figures import (
    ALTERNATIVE,
    INK,
    MUTED,
    PAPER,
    UD,
    Figure,
    cell,
    drawing,
    tiles,
)
from learnability.reports.verdicts import signed

RELATIONS_SHOWN = 12
"""The relations that contribute most; the data has all."""

WIDTH = 5.4
"""Inches: readable on a phone, two side by side on a screen."""

PICKED = {"original": 1.0, "transformed": -1.0, "none": 0.0, None: None}
PICK_TEXT = {"transformed": "alt.", "none": "–", None: ""}


def run_figures(found: Sequence[Found], curves: Mapping[str, Any] | None = None) -> list[Figure]:
    """All figures that there is data for; `curves` is the content of learning_curve.json."""
    several = len({(f.row["treebank"], f.row["release"]) for f in found}) > 1
    named = [(f"{f.row['treebank']} {f.name}" if several else f.name, f) for f in found]
    scored = [(name, f) for name, f in named if f.scored]
    survived = [(name, f) for name, f in named if f.c]
    by_score = {"UAS": scored, "LAS": [(n, f) for n, f in scored if f.row.get("las_delta") is not None]}
    compared = {score: [(n, f) for n, f in pairs if f.a and f.b] for score, pairs in by_score.items()}
    drawn = [_differences(pairs, score) for score, pairs in by_score.items() if pairs]
    if scored:
        drawn.append(_agreement(scored))
    if survived:
        drawn.append(_survival(survived))
    drawn += [draw(f, score) for score, f in compared.items() if f for draw in (_parts, _relations)]
    if curves and curves["curves"]:
        drawn += [_learning_curves(curves["curves"], score) for score in scores_of(curves["curves"])]
    return drawn


def _named(score: str, name: str, title: str) -> tuple[str, str]:
    """Name and title of the figure that shows this by this score."""
    return f"{PREFIX[score]}{name}", f"{title}, {score}" if PREFIX[score] else title


def _differences(scored: Sequence[tuple[str, Found]], score: str) -> Figure:
    name, title = _named(score, "differences", "Differences with their 95 % intervals")
    columns = ("transform", *(f"{score.lower()}_delta{end}" for end in ("", "_low", "_high")))
    columns += (f"{PREFIX[score]}better",)
    side = scored[0][1].row.original
    description = (
        f"{score} on {side} minus {score} on the alternative, in points, for each transformation. Right of "
        f"the line {side} is easier, left of it the alternative. A filled marker: the interval excludes 0."
    )
    ordered = sorted(scored, key=lambda pair: -pair[1].row[columns[1]])
    looks = {
        "original": (UD, "o", UD, f"{side} better"),
        "transformed": (ALTERNATIVE, "s", ALTERNATIVE, "alternative better"),
        "none": (MUTED, "D", PAPER, "no difference found"),
    }
    with drawing(name, title, description, WIDTH, 1.3 + 0.32 * len(ordered)) as drawn:
        axes = drawn.figure.subplots()
        axes.axvline(0, color=INK, linewidth=0.8)
        shown = set()
        for i, (_, f) in enumerate(ordered):
            colour, marker, face, meaning = looks[f.row[columns[4]]]
            delta, low, high = (f.row[column] for column in columns[1:4])
            axes.plot([low, high], [i, i], color=colour, linewidth=2, solid_capstyle="round")
            axes.plot([delta], [i], marker, color=colour, markerfacecolor=face, markersize=8,
                      linestyle="none", label=meaning if meaning not in shown else None)  # fmt: skip
            shown.add(meaning)
        axes.set_ylim(len(ordered) - 0.5, -0.5)
        axes.set_yticks(range(len(ordered)), [name for name, _ in ordered])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"← alternative easier\u2003·\u2003{score}, points\u2003·\u2003{side} easier →")
        drawn.figure.legend(loc="outside upper center", ncols=3, handletextpad=0.2, columnspacing=1.2)
    rows = tuple((n, *(cell(f.row[column]) for column in columns[1:])) for n, f in ordered)
    return Figure(name, title, description, columns, rows, drawn.svg)


def _agreement(scored: Sequence[tuple[str, Found]]) -> Figure:
    name, title = "agreement", "What each criterion picks"
    description = (
        "For each transformation the annotation that the parsers' scores favour (UAS), whether that is sure "
        "(better), and the one that each criterion picks without comparing two parsers. ✓: as the scores."
    )
    names = {"winner": "UAS", "better": "better"} | {c.pick_column: c.tile for c in CRITERIA}
    picks = [[f.row[column] for column in names] for _, f in scored]
    side = scored[0][1].row.original

    def text(column: str, pick: str | None, winner: str) -> str:
        tick = " ✓" if column.startswith("pick_") and pick == winner != "none" else ""
        return ({**PICK_TEXT, "original": side}[pick]) + tick

    with drawing(name, title, description, WIDTH, 0.8 + 0.32 * len(scored)) as drawn:
        tiles(
            drawn.figure.subplots(),
            [n for n, _ in scored],
            list(names.values()),
            [[PICKED[pick] for pick in row] for row in picks],
            [[text(c, p, row[0]) for c, p in zip(names, row, strict=True)] for row in picks],
        )
    rows = tuple((n, *(cell(pick) for pick in row)) for (n, _), row in zip(scored, picks, strict=True))
    return Figure(name, title, description, ("transform", *names), rows, drawn.svg)


def _survival(survived: Sequence[tuple[str, Found]]) -> Figure:
    name, title = "survival", "What survives, iteration by iteration"
    side = survived[0][1].row.original
    description = (
        "One training against both annotations of every sentence: the share of training sentences in which "
        f"{side} (solid) and the alternative (dashed) have survived at the end of each iteration, one line "
        "per seed. The rest are ties."
    )
    lines = [(n, seed, *shares_of(folds)) for n, f in survived for seed, folds in enumerate(f.c, start=1)]
    across = min(2, len(survived))
    down = -(-len(survived) // across)
    with drawing(name, title, description, WIDTH, 0.7 + 1.35 * down) as drawn:
        panels = drawn.figure.subplots(down, across, sharey=True, squeeze=False).flat
        for panel, (n, _) in zip(panels, survived, strict=False):
            for owner, _, original, transformed in lines:
                if owner == n:
                    steps = range(1, len(original) + 1)
                    style = {"linewidth": 1.6, "markersize": 3}
                    panel.plot(steps, [100 * s for s in original], "o-", color=UD, **style)
                    panel.plot(steps, [100 * s for s in transformed], "s--", color=ALTERNATIVE, **style)
            panel.set_title(n, loc="left", fontweight="bold")
            panel.set_ylim(0, 100)
            panel.xaxis.get_major_locator().set_params(integer=True)
            panel.set_xlim(left=0.7)
        for panel in list(drawn.figure.axes)[len(survived) :]:
            panel.set_visible(False)
        _two_lines(drawn.figure, side)
        drawn.figure.supxlabel("iteration", fontsize=10)
        drawn.figure.supylabel("% of sentences", fontsize=10)
    columns = ("transform", "seed", "iteration", "original_share", "transformed_share")
    rows = tuple(
        (n, str(seed), str(i), cell(o), cell(t))
        for n, seed, original, transformed in lines
        for i, (o, t) in enumerate(zip(original, transformed, strict=True), start=1)
    )
    return Figure(name, title, description, columns, rows, drawn.svg)


def shares_of(folds: Sequence[Record]) -> tuple[list[float], list[float]]:
    """Surviving shares per iteration, over folds weighted by sentences, up to the shortest training."""
    kept = [fold for fold in folds if fold["sites"]]
    if not kept:
        return [], []
    weights = [fold["sentences_with_sites"] for fold in kept]
    length = min(len(fold["original_share"]) for fold in kept)
    original, transformed = (
        np.average([fold[key][:length] for fold in kept], axis=0, weights=weights).tolist()
        for key in ("original_share", "transformed_share")
    )
    return original, transformed


def _two_lines(figure: Any, side: str = "UD") -> None:
    """The legend of figures with one line per scheme."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=UD, marker="o", markersize=4, label=side),
        Line2D([], [], color=ALTERNATIVE, marker="s", markersize=4, linestyle="--", label="alternative"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)


def contributions(found: Found, field: str) -> dict[str, tuple[int, int, int, float]]:
    """Tokens, correct ones of (a) and of (b), and what the difference contributes to `uas_delta`, in points.

    `field`: `relations` or `error_split`, whose values are [correct, all] per kind of token. The
    contributions of all kinds add up to `uas_delta`. (`las_relations`, `las_error_split`: to `las_delta`.)
    """
    tokens, right = Counter[str](), {"a": Counter[str](), "b": Counter[str]()}
    for setting, seeds in (("a", found.a), ("b", found.b)):
        for fold in (fold for seed in seeds for fold in seed):
            kinds = fold[field]
            kinds = kinds[found.condition] if setting == "a" and field.endswith("error_split") else kinds
            for kind, (correct, total) in kinds.items():
                right[setting][kind] += correct
                tokens[kind] += total if setting == "a" else 0
    every = sum(tokens.values())
    return {
        kind: (tokens[kind], a := right["a"][kind], b := right["b"][kind], 100 * (a - b) / every)
        for kind in tokens
    }


CONTRIBUTION_COLUMNS = ("transform", "kind", "tokens", "correct_original", "correct_transformed", "points")


def _contribution_rows(named: Sequence[tuple[str, dict[str, Any]]]) -> tuple[tuple[str, ...], ...]:
    return tuple((name, kind, *map(cell, values)) for name, kinds in named for kind, values in kinds.items())


def _parts(compared: Sequence[tuple[str, Found]], score: str) -> Figure:
    name, title = _named(score, "errors", "Where the difference comes from")
    side = compared[0][1].row.original
    description = (
        f"The points that each kind of token contributes to the difference, right of the line for {side}. "
        "Sites: the words a transformation is about; nucleus: the other words of their phrases; elsewhere: "
        "all others. The three bars add up to the difference."
    )
    named = [(n, contributions(f, f"{PREFIX[score]}error_split")) for n, f in compared]
    looks = {
        "site": ("sites", INK, ""),
        "nucleus": ("their nuclei", MUTED, ""),
        "elsewhere": ("elsewhere", PAPER, "////"),
    }
    with drawing(name, title, description, WIDTH, 1.1 + 0.55 * len(named)) as drawn:
        axes = drawn.figure.subplots()
        for k, part in enumerate(PARTS):
            label, colour, hatch = looks[part]
            axes.barh(
                [i + 0.26 * (k - 1) for i in range(len(named))],
                [kinds[part][3] if part in kinds else 0.0 for _, kinds in named],
                height=0.24, color=colour, edgecolor=INK, hatch=hatch, linewidth=0.8, label=label,
            )  # fmt: skip
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_ylim(len(named) - 0.5, -0.5)
        axes.set_yticks(range(len(named)), [n for n, _ in named])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"← for the alternative\u2003·\u2003{score}, points\u2003·\u2003for {side} →")
        drawn.figure.legend(loc="outside upper center", ncols=3)
    return Figure(name, title, description, CONTRIBUTION_COLUMNS, _contribution_rows(named), drawn.svg)


def _relations(compared: Sequence[tuple[str, Found]], score: str) -> Figure:
    name, title = _named(score, "relations", "Which relations gain and lose")
    description = (
        "The points that the tokens of each UD relation contribute to the difference: positive (blue) where "
        f"the parser of {compared[0][1].row.original} has more of them right, negative (orange) where "
        f"that of the alternative has. Shown are the {RELATIONS_SHOWN} relations that contribute most; the "
        "data has all."
    )
    named = [(n, contributions(f, f"{PREFIX[score]}relations")) for n, f in compared]
    most: dict[str, float] = {}
    for _, kinds in named:
        for kind, values in kinds.items():
            most[kind] = max(most.get(kind, 0.0), abs(values[3]))
    shown = sorted(most, key=lambda kind: (-most[kind], kind))[:RELATIONS_SHOWN]
    points = [[kinds[kind][3] if kind in kinds else None for _, kinds in named] for kind in shown]
    with drawing(name, title, description, WIDTH, 0.8 + 0.3 * len(shown)) as drawn:
        texts = [["" if p is None else signed(p) for p in row] for row in points]
        tiles(drawn.figure.subplots(), shown, [n for n, _ in named], points, texts)
    return Figure(name, title, description, CONTRIBUTION_COLUMNS, _contribution_rows(named), drawn.svg)


def _learning_curves(curves: Sequence[Mapping[str, Any]], score: str) -> Figure:
    prefix = PREFIX[score]
    name, title = _named(score, "learning_curves", "How much data it takes")
    description = (
        f"{score} of parsers trained on growing parts of the training data, each against its own reference: "
        "UD solid, the alternative dashed; means over seeds."
    )
    across = min(2, len(curves))
    down = -(-len(curves) // across)
    with drawing(name, title, description, WIDTH, 0.8 + 1.6 * down) as drawn:
        panels = drawn.figure.subplots(down, across, squeeze=False).flat
        for panel, curve in zip(panels, curves, strict=False):
            tokens = [count / 1000 for count in curve["tokens"]]
            for side, line, color in (("original", "o-", UD), ("transformed", "s--", ALTERNATIVE)):
                means = curve[side][f"{prefix}means"]
                panel.plot(tokens, means, line, color=color, linewidth=1.6, markersize=4)
            panel.set_xscale("log", base=2)
            panel.set_xticks(tokens, [f"{count:.3g}" for count in tokens], minor=False)
            panel.set_title(curve["transformed"]["scheme"], loc="left", fontweight="bold")
        for panel in list(drawn.figure.axes)[len(curves) :]:
            panel.set_visible(False)
        _two_lines(drawn.figure)
        drawn.figure.supxlabel("training tokens, thousands", fontsize=10)
        drawn.figure.supylabel(f"{score}, %", fontsize=10)
    columns = ("transform", "scheme", "training_tokens", "seed", score.lower())
    rows = tuple(
        (curve["transformed"]["scheme"], one["scheme"], f"{count:.0f}", str(seed), cell(float(own)))
        for curve in curves
        for one in (curve["original"], curve["transformed"])
        for count, scores in zip(curve["tokens"], one[score.lower()], strict=True)
        for seed, own in enumerate(scores, start=1)
    )
    return Figure(name, title, description, columns, rows, drawn.svg)

"""The figures of a run: each a picture and its data; one that has nothing to show is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from learnability.comparing.criteria import CRITERIA
from learnability.comparing.results import SurvivalResult
from learnability.evidence.differences import ComparisonKind
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.breakdown import PARTS
from learnability.metrics.scores import Score
from learnability.reports.evidence import ConditionEvidence
from learnability.reports.figures import (
    INK,
    MUTED,
    PAPER,
    WIDTH,
    Figure,
    figure,
    heat_map,
    line_panels,
    name_rows,
    paired_forest,
)
from learnability.reports.text import Table, shown, signed
from learnability.statistics.significance import Side

Conditions = Sequence[ConditionEvidence]
Kinds = Literal["relations", "error_split"]
Contributions = dict[str, tuple[int, int, int, float]]
"""Per kind of token: tokens, right ones of (a) and (b), and points of the difference."""

RELATIONS_SHOWN = 12
"""The relations that contribute most; the data has all."""


def difference_figures(conditions: Conditions) -> list[Figure]:
    """Return the intervals of all comparisons, a figure per score that was tested."""
    tested = [(score, [c for c in conditions if _tested(c, score)]) for score in Score]
    return [_differences(found, score) for score, found in tested if found]


def run_figures(conditions: Conditions) -> list[Figure]:
    """Return what explains the differences, as far as there is data for it."""
    figures = []
    tested = [c for c in conditions if _tested(c, Score.UAS)]
    if tested:
        figures.append(_agreement(tested))
    if trained_on_both := [c for c in conditions if c.c]:
        figures.append(_survival(trained_on_both))
    for score in Score:
        both = [c for c in conditions if c.a and c.b and _tested(c, score)]
        with_rules = [c for c in both if c.row.has_rules]
        without_rules = [c for c in both if not c.row.has_rules]
        figures += [_parts(with_rules, score)] if with_rules else []
        figures += [_changes(without_rules, score)] if without_rules else []
        figures += [_relations(both, score)] if both else []
    return figures


def _tested(condition: ConditionEvidence, score: Score) -> bool:
    difference = condition.row.difference(score)
    return difference is not None and difference.p_value is not None


def figure_name(score: Score, name: str, title: str) -> tuple[str, str]:
    """Name and title of the figure that shows this by this score."""
    return (name, title) if score is Score.UAS else (f"{score}_{name}", f"{title}, {score.upper()}")


def _differences(tested: Conditions, score: Score) -> Figure:
    name, title = figure_name(score, "differences", "Differences with their 95 % intervals")
    side, unit = tested[0].row.original, score.upper()
    compared = {ComparisonKind.ANNOTATION: "each parser tested on its own annotation"}
    if any(c.row.difference(score, ComparisonKind.CONVERTED) for c in tested):
        compared[ComparisonKind.CONVERTED] = "converted back to UD"
    rows = [(c.name, [c.row.difference(score, basis) for basis in compared]) for c in tested]
    data = Table(
        title,
        ("construction", "comparison", *(f"{score}_{value}" for value in ("delta", "low", "high", "better"))),
        tuple(
            (name, basis.value, *map(shown, (d.delta, d.low, d.high, d.better)))
            for name, differences in rows
            for basis, d in zip(compared, differences, strict=True)
            if d is not None
        ),
        f"{unit} in points: right of the line {side} is ahead, left of it the alternative. "
        "A filled marker shows a clear answer.",
    )
    return paired_forest(name, data, rows, list(compared.values()), unit, side)


def _picks(row: ComparisonRow) -> list[str | None]:
    """Return the side that is ahead, what is shown, and what each criterion picks."""
    difference = row.difference()
    sides = [None, None] if difference is None else [difference.winner, difference.better]
    return [*sides, *(row.criterion(criterion.key).pick for criterion in CRITERIA)]


def _agreement(scored: Conditions) -> Figure:
    names = {"uas_winner": "UAS", "uas_better": "better"} | {f"{c.key}_pick": c.tile for c in CRITERIA}
    picks = [_picks(c.row) for c in scored]
    values: dict[str | None, float | None] = {
        Side.UD: 1.0,
        Side.ALTERNATIVE: -1.0,
        Side.EQUAL: 0.0,
        Side.NONE: 0.0,
        None: None,
    }
    texts: dict[str | None, str] = {
        Side.UD: scored[0].row.original,
        Side.ALTERNATIVE: "alt.",
        Side.EQUAL: "equal",
        Side.NONE: "–",
        None: "",
    }

    def text(column: str, pick: str | None, winner: str | None) -> str:
        return texts[pick] + (" ✓" if column.endswith("_pick") and pick == winner != "none" else "")

    data = Table(
        "What each criterion picks",
        ("construction", *names),
        tuple((c.name, *map(shown, row)) for c, row in zip(scored, picks, strict=True)),
        "For each transformation the annotation that the parsers' scores favour (UAS), the side that is "
        "shown to be ahead (better), and the one that each criterion picks without comparing two parsers. "
        "✓: as the scores.",
    )
    return heat_map(
        "agreement",
        data,
        [c.name for c in scored],
        list(names.values()),
        [[values[pick] for pick in row] for row in picks],
        [[text(column, p, row[0]) for column, p in zip(names, row, strict=True)] for row in picks],
        (WIDTH, 0.8 + 0.32 * len(scored)),
    )


def _survival(survived: Conditions) -> Figure:
    side = survived[0].row.original
    shares = [[shares_of(folds) for folds in c.c] for c in survived]
    data = Table(
        "What survives, iteration by iteration",
        ("construction", "seed", "iteration", "ud_share", "alternative_share"),
        tuple(
            (c.name, str(seed), str(i), shown(o), shown(t))
            for c, seeds in zip(survived, shares, strict=True)
            for seed, pair in enumerate(seeds, start=1)
            for i, (o, t) in enumerate(zip(*pair, strict=True), start=1)
        ),
        "One training against both annotations of every sentence: the share of the training sentences with "
        f"sites in which {side} (solid) and the alternative (dashed) have survived at the end of each "
        "iteration, one line per seed. The rest are ties.",
    )

    def dress(axes: Any) -> None:
        axes.set_ylim(0, 100)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlim(left=0.7)

    panels = [
        (c.name, [(range(1, len(pair[0]) + 1), *(100 * np.array(own) for own in pair)) for pair in seeds])
        for c, seeds in zip(survived, shares, strict=True)
    ]
    return line_panels(
        "survival", data, panels, ("iteration", "% of sentences"), dress,
        side=side, heights=(0.7, 1.35), marker=3, sharey=True,
    )  # fmt: skip


def shares_of(folds: Sequence[SurvivalResult]) -> tuple[list[float], list[float]]:
    """Surviving shares per iteration, over folds weighted by sentences, up to the shortest training."""
    kept = [fold for fold in folds if fold.sites]
    if not kept:
        return [], []
    weights = [fold.sentences_with_sites for fold in kept]
    length = min(len(fold.original_share) for fold in kept)
    original, transformed = (
        np.average([shares[:length] for shares in own], axis=0, weights=weights).tolist()
        for own in ([fold.original_share for fold in kept], [fold.transformed_share for fold in kept])
    )
    return original, transformed


def contributions(evidence: ConditionEvidence, kinds: Kinds, score: Score = Score.UAS) -> Contributions:
    """By kind of token: tokens, right ones of (a) and of (b), the points that add up to the difference."""
    tokens, right = Counter[str](), (Counter[str](), Counter[str]())
    for side, seeds in enumerate((evidence.a, evidence.b)):
        for own in (fold.scores[score] for seed in seeds for fold in seed):
            split = own.relations if kinds == "relations" else own.error_split[evidence.condition]
            for kind, (correct, total) in split.items():
                right[side][kind] += correct
                tokens[kind] += 0 if side else total
    every, (a, b) = sum(tokens.values()), right
    return {kind: (n, a[kind], b[kind], 100 * (a[kind] - b[kind]) / every) for kind, n in tokens.items()}


def _contribution_table(title: str, note: str, named: Sequence[tuple[str, Contributions]]) -> Table:
    return Table(
        title,
        ("construction", "kind", "tokens", "correct_ud", "correct_alternative", "points"),
        tuple((n, kind, *map(shown, values)) for n, kinds in named for kind, values in kinds.items()),
        note,
    )


def _parts(compared: Conditions, score: Score) -> Figure:
    name, title = figure_name(score, "errors", "Where the difference comes from")
    side = compared[0].row.original
    named = [(c.name, contributions(c, "error_split", score)) for c in compared]
    note = (
        f"The points that each kind of token contributes to the difference, right of the line for {side}. "
        "Sites: the words a transformation is about; nucleus: the other words of their phrases; elsewhere: "
        "all others. The three bars add up to the difference."
    )
    looks = {
        "site": ("sites", INK, ""),
        "nucleus": ("their nuclei", MUTED, ""),
        "elsewhere": ("elsewhere", PAPER, "////"),
    }

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        for k, part in enumerate(PARTS):
            label, colour, hatch = looks[part]
            axes.barh(
                [i + 0.26 * (k - 1) for i in range(len(named))],
                [kinds[part][3] if part in kinds else 0.0 for _, kinds in named],
                height=0.24, color=colour, edgecolor=INK, hatch=hatch, linewidth=0.8, label=label,
            )  # fmt: skip
        axes.axvline(0, color=INK, linewidth=0.8)
        name_rows(axes, [n for n, _ in named])
        axes.set_xlabel(f"← for the alternative\u2003·\u2003{score.upper()}, points\u2003·\u2003for {side} →")
        canvas.legend(loc="outside upper center", ncols=3)

    return figure(name, _contribution_table(title, note, named), WIDTH, 1.1 + 0.55 * len(named), draw)


def _relations(compared: Conditions, score: Score) -> Figure:
    row = compared[0].row
    of = "UD" if row.has_rules else row.original
    return _heat_map_of(compared, score, "relations", "Which relations gain and lose", f"each {of} relation")


def _changes(compared: Conditions, score: Score) -> Figure:
    kinds = "each kind (of those that differ, their relation in either annotation)"
    return _heat_map_of(compared, score, "error_split", "Which changes gain and lose", kinds)


def _heat_map_of(compared: Conditions, score: Score, kinds: Kinds, title: str, of: str) -> Figure:
    name, title = figure_name(score, "changes" if kinds == "error_split" else kinds, title)
    shown_kinds = "kinds" if kinds == "error_split" else kinds
    note = (
        f"The points that the tokens of {of} contribute to the difference: positive (blue) where "
        f"the parser of {compared[0].row.original} has more of them right, negative (orange) where "
        f"that of the alternative has. Shown are the {RELATIONS_SHOWN} {shown_kinds} that contribute most; "
        "the data has all."
    )
    named = [(c.name, contributions(c, kinds, score)) for c in compared]
    most: dict[str, float] = {}
    for _, own in named:
        for kind, values in own.items():
            most[kind] = max(most.get(kind, 0.0), abs(values[3]))
    kept = sorted(most, key=lambda kind: (-most[kind], kind))[:RELATIONS_SHOWN]
    points = [[own[kind][3] if kind in own else None for _, own in named] for kind in kept]
    texts = [["" if p is None else signed(p) for p in row] for row in points]
    data, size = _contribution_table(title, note, named), (WIDTH, 0.8 + 0.3 * len(kept))
    return heat_map(name, data, kept, [n for n, _ in named], points, texts, size)

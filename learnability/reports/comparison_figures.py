"""The figures of `compare`: how the differences are distributed, and where they are."""

from __future__ import annotations

from learnability.experiments.comparison import Evidence
from learnability.reports.figures import (
    ALTERNATIVE,
    INK,
    PAPER,
    UD,
    Figure,
    cell,
    drawing,
    tiles,
)
from learnability.reports.verdicts import signed

BIN = 0.5
"""Width of the histogram's bars, in points."""


def comparison_figures(evidence: Evidence) -> list[Figure]:
    """Heat map and distribution."""
    return [_heat_map(evidence), _distribution(evidence)]


def _distribution(evidence: Evidence) -> Figure:
    """Figure 2 of the paper."""
    import numpy as np

    name, title = "figure2", "Distribution of the differences (Figure 2 of the paper)"
    description = (
        f"How many conditions have which UAS difference, in steps of {BIN} points: right of 0 UD is easier, "
        "left of it the alternative. The dashed line is the mean."
    )
    values = np.array([c.row["uas_delta"] for c in evidence.conditions], dtype=np.float64)
    low = BIN * np.floor(values.min() / BIN)
    high = BIN * (np.floor(values.max() / BIN) + 1)
    edges = np.arange(low, high + BIN / 2, BIN)
    with drawing(name, title, description, 7.0, 3.4) as drawn:
        axes = drawn.figure.subplots()
        counts, _, bars = axes.hist(values, bins=edges, edgecolor=PAPER)
        for left, bar in zip(edges, bars, strict=False):
            bar.set_facecolor(UD if left >= 0 else ALTERNATIVE)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.axvline(values.mean(), color=INK, linewidth=0.8, linestyle="--")
        axes.set_ylim(0, 1.15 * counts.max())
        at = (float(values.mean()), 1.06 * float(counts.max()))
        axes.annotate(f"mean {signed(values.mean())}", at, (4, 0), textcoords="offset points")
        axes.set_xlabel("← alternative easier\u2003·\u2003UAS, points\u2003·\u2003UD easier →")
        axes.set_ylabel("conditions")
    rows = tuple(
        (cell(float(edge)), cell(float(edge + BIN)), str(int(count)))
        for edge, count in zip(edges, counts, strict=False)
    )
    return Figure(name, title, description, ("from", "to", "conditions"), rows, drawn.svg)


def _heat_map(evidence: Evidence) -> Figure:
    name, title = "heatmap", "Differences by treebank and transformation"
    description = (
        "UAS on UD minus UAS on the alternative, in points: positive (blue) where UD is easier, negative "
        "(orange) where the alternative is. A star: the 95 % interval excludes 0. Empty: no site, or not "
        "computed."
    )
    found = {(c.treebank, c.transform): c for c in evidence.conditions}
    treebanks, names = sorted({treebank for treebank, _ in found}), evidence.transforms
    cells = [[found.get((treebank, name)) for name in names] for treebank in treebanks]
    with drawing(name, title, description, 2.2 + 0.72 * len(names), 0.8 + 0.26 * len(treebanks)) as drawn:
        tiles(
            drawn.figure.subplots(),
            [treebank.removeprefix("UD_") for treebank in treebanks],
            names,
            [[None if c is None else c.row["uas_delta"] for c in row] for row in cells],
            [["" if c is None else _text(c.row["uas_delta"], c.row["better"]) for c in row] for row in cells],
        )
    rows = tuple(
        (treebank, *("" if c is None else cell(c.row["uas_delta"]) for c in row))
        for treebank, row in zip(treebanks, cells, strict=True)
    )
    return Figure(name, title, description, ("treebank", *names), rows, drawn.svg)


def _text(delta: float, better: str) -> str:
    return signed(delta, 1) + ("" if better == "none" else "*")

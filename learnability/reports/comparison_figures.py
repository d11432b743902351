"""The figures of `compare`: how the differences are distributed, and where they are."""

from __future__ import annotations

from typing import Any

from learnability.experiments.comparison import Evidence
from learnability.reports.figures import ALTERNATIVE, INK, PAPER, UD, Figure, figure, heat_map
from learnability.reports.text import Table, shown, signed

BIN = 0.5
"""Width of the histogram's bars, in points."""


def comparison_figures(evidence: Evidence) -> list[Figure]:
    """Heat map and distribution."""
    return [_heat_map(evidence), _distribution(evidence)]


def _distribution(evidence: Evidence) -> Figure:
    """Figure 2 of the paper."""
    import numpy as np

    values = np.array([c.row["uas_delta"] for c in evidence.conditions], dtype=np.float64)
    low = BIN * np.floor(values.min() / BIN)
    high = BIN * (np.floor(values.max() / BIN) + 1)
    edges = np.arange(low, high + BIN / 2, BIN)
    counts, _ = np.histogram(values, edges)
    data = Table(
        "Distribution of the differences (Figure 2 of the paper)",
        ("from", "to", "conditions"),
        tuple(
            (shown(float(edge)), shown(float(edge + BIN)), str(count))
            for edge, count in zip(edges[:-1], counts, strict=True)
        ),
        f"How many conditions have which UAS difference, in steps of {BIN} points: right of 0 UD is easier, "
        "left of it the alternative. The dashed line is the mean.",
    )

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        *_, bars = axes.hist(values, bins=edges, edgecolor=PAPER)
        for left, bar in zip(edges, bars, strict=False):
            bar.set_facecolor(UD if left >= 0 else ALTERNATIVE)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.axvline(values.mean(), color=INK, linewidth=0.8, linestyle="--")
        axes.set_ylim(0, 1.15 * counts.max())
        at = (float(values.mean()), 1.06 * float(counts.max()))
        axes.annotate(f"mean {signed(values.mean())}", at, (4, 0), textcoords="offset points")
        axes.set_xlabel("← alternative easier\u2003·\u2003UAS, points\u2003·\u2003UD easier →")
        axes.set_ylabel("conditions")

    return figure("figure2", data, 7.0, 3.4, draw)


def _heat_map(evidence: Evidence) -> Figure:
    rows = {(c.treebank, c.transform): c.row for c in evidence.conditions}
    treebanks, names = sorted({treebank for treebank, _ in rows}), evidence.transforms
    grid = [[rows.get((treebank, name)) for name in names] for treebank in treebanks]
    values = [[None if row is None else row["uas_delta"] for row in line] for line in grid]
    data = Table(
        "Differences by treebank and transformation",
        ("treebank", *names),
        tuple((name, *map(shown, line)) for name, line in zip(treebanks, values, strict=True)),
        "UAS on UD minus UAS on the alternative, in points: positive (blue) where UD is easier, negative "
        "(orange) where the alternative is. A star: one side is ahead, p < 0.05 after Holm's correction. "
        "Empty: not enough data, or not computed.",
    )
    stars = {"original": "*", "transformed": "*"}
    texts = [
        ["" if row is None else signed(row["uas_delta"], 1) + stars.get(row["better"], "") for row in line]
        for line in grid
    ]
    bare = [treebank.removeprefix("UD_") for treebank in treebanks]
    size = (2.2 + 0.72 * len(names), 0.8 + 0.26 * len(bare))
    return heat_map("heatmap", data, bare, names, values, texts, size)

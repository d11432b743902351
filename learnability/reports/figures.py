"""Figures as SVG: the same numbers give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

BLUE, ORANGE = "#2f6db5", "#d9822b"


def histogram(deltas: Sequence[float]) -> bytes:
    """Figure 2: how the UAS differences (UD minus alternative, in points) are distributed."""
    import numpy as np

    values = np.asarray(deltas, dtype=np.float64)
    width = 0.5
    low = width * np.floor(values.min() / width)
    high = width * (np.floor(values.max() / width) + 1)
    edges = np.arange(low, high + width / 2, width)
    figure, axes = _figure(7.0, 3.6)
    counts, _, bars = axes.hist(values, bins=edges, edgecolor="white")
    for left, bar in zip(edges, bars, strict=False):
        bar.set_facecolor(BLUE if left >= 0 else ORANGE)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.axvline(values.mean(), color="black", linewidth=0.8, linestyle="--")
    axes.set_ylim(0, 1.15 * counts.max())
    at = (values.mean(), 1.08 * counts.max())
    axes.annotate(f"mean {values.mean():+.2f}", at, (4, 0), textcoords="offset points")
    axes.set_xlabel("UAS on UD minus UAS on the alternative (positive: UD is better)")
    axes.set_ylabel("conditions")
    return _svg(figure, "Distribution of UAS differences")


def heat_map(
    treebanks: Sequence[str], transforms: Sequence[str], deltas: Sequence[Sequence[float | None]]
) -> bytes:
    """UAS differences by treebank (rows) and transformation (columns); grey where there is none."""
    import numpy as np

    table = np.array([[np.nan if v is None else v for v in row] for row in deltas], dtype=np.float64)
    limit = max(0.5, float(np.nanmax(np.abs(table))))
    figure, axes = _figure(2.6 + 0.75 * len(transforms), 1.2 + 0.3 * len(treebanks))
    axes.set_facecolor("#dddddd")
    image = axes.imshow(table, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
    axes.set_xticks(range(len(transforms)), transforms, rotation=30 if max(map(len, transforms)) > 6 else 0)
    axes.set_yticks(range(len(treebanks)), treebanks)
    for i, row in enumerate(deltas):
        for j, value in enumerate(row):
            if value is not None:
                dark = abs(value) > 0.6 * limit
                axes.text(j, i, f"{value:+.1f}", ha="center", va="center", fontsize=7,
                          color="white" if dark else "black")  # fmt: skip
    figure.colorbar(image, ax=axes, label="UAS on UD minus alternative")
    return _svg(figure, "UAS differences by treebank and transformation")


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Any, title: str) -> bytes:
    """The figure as SVG without date, and with ids that depend on its content only."""
    import matplotlib as mpl

    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "learnability", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
    return out.getvalue()

"""Figures as SVG that follows the theme of the page: the same numbers give the same bytes.

matplotlib draws with colours that stand for roles; in the SVG they become `currentColor` and CSS variables,
which the page defines for light and dark, and a figure in a file of its own brings along.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

INK, PAPER, UD, ALTERNATIVE, MUTED = "#010203", "#010204", "#010205", "#010206", "#010207"
"""Colours as matplotlib gets them; what they become is in `ROLES`."""

ROLES = {
    INK: "currentColor",
    PAPER: "var(--paper)",
    UD: "var(--ud)",
    ALTERNATIVE: "var(--alternative)",
    MUTED: "var(--muted)",
}

THEME = (
    "svg{color-scheme:light dark;color:#1b1f24;background:#fff;--paper:#fff;--ud:#1f5fa8;"
    "--alternative:#b45309;--muted:#5b6470}"
    "@media(prefers-color-scheme:dark){svg{color:#e8eaed;background:#15181c;--paper:#15181c;--ud:#7db3f2;"
    "--alternative:#f0a45a;--muted:#a3abb5}}"
)
"""The style sheet of a figure that stands alone; the same colours as page.css."""

DEEPEST = 0.55
"""The opacity of the largest value of a heat map: text on it stays readable in both themes."""


@dataclass(frozen=True)
class Figure:
    """A picture with its data.

    Attributes:
        name: of its files, without suffix.
        title, description: what it shows; the description says how to read it.
        columns, rows: its data, as text.
        svg: the picture, to be put into a page; the ids in it begin with `name`.
    """

    name: str
    title: str
    description: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    svg: str

    def files(self, folder: str = "") -> dict[str, bytes]:
        """The picture and its data as files."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        at = self.svg.index(">") + 1
        alone = (
            f'<?xml version="1.0" encoding="utf-8"?>\n{self.svg[:at]}<style>{THEME}</style>{self.svg[at:]}\n'
        )
        return {
            f"{folder}{self.name}.svg": alone.encode(),
            f"{folder}{self.name}.csv": out.getvalue().encode(),
        }


def cell(value: Any) -> str:
    """One value of a figure's data: four decimals, empty where there is none."""
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


class Drawing:
    """What :func:`drawing` gives: the matplotlib figure, and its SVG when the block is over."""

    def __init__(self, figure: Any) -> None:
        self.figure = figure
        self.svg = ""


@contextmanager
def drawing(name: str, title: str, description: str, width: float, height: float) -> Iterator[Drawing]:
    """A matplotlib figure of `width` x `height` inches without background; its SVG afterwards."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    style: dict[Any, Any] = {
        "svg.hashsalt": "learnability",
        "svg.fonttype": "none",
        "font.size": 10,
        "axes.titlesize": 10,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "savefig.facecolor": "none",
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "hatch.linewidth": 1.0,
        **dict.fromkeys(
            ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "hatch.color"),
            INK,
        ),
    }
    with mpl.rc_context(style):
        drawn = Drawing(Canvas(figsize=(width, height), layout="constrained"))
        yield drawn
        out = io.BytesIO()
        drawn.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    drawn.svg = themed(out.getvalue().decode(), name, title, description)


def themed(svg: str, name: str, title: str, description: str) -> str:
    """matplotlib's SVG without what a page does not need, in the colours of the theme, with a title."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", svg)
    for colour, role in ROLES.items():
        svg = svg.replace(colour, role)
    opening, rest = svg.split(">", 1)
    opening = re.sub(r"\s+", " ", opening)
    label = f' role="img" aria-labelledby="{name}-title {name}-desc"'
    words = (
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    )
    return f"{opening}{label}>{words}" + re.sub(r">\s+<", "><", rest)


def tiles(
    axes: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
) -> None:
    """A heat map: the deeper the colour of UD (positive) or the alternative (negative), the further from 0.

    `texts`: what is written on each tile, so that nothing depends on colour alone.
    """
    from matplotlib.patches import Rectangle

    largest = max((abs(v) for row in values for v in row if v is not None), default=0.0) or 1.0
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            if value:
                colour = UD if value > 0 else ALTERNATIVE
                depth = DEEPEST * abs(value) / largest
                axes.add_patch(
                    Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=colour, alpha=depth, linewidth=0)
                )
            axes.text(j, i, texts[i][j], ha="center", va="center", fontsize=9)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    crowded = max(map(len, columns), default=0) * len(columns) > 44
    axes.set_xticks(
        range(len(columns)), columns, rotation=30 if crowded else 0, ha="left" if crowded else "center"
    )
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)

"""Draw figures as SVG that follows the theme of the page: the same numbers give the same bytes.

matplotlib draws with colours that stand for roles; in the SVG they become `currentColor` and CSS variables,
which the page defines for light and dark, and which a figure in a separate file contains.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Any

from learnability.drawing.style import THEME
from learnability.reports.text import Table
from learnability.statistics.inference import Side

if TYPE_CHECKING:
    from learnability.evidence.score_differences import Difference


class Colour(StrEnum):
    """Represent a colour as matplotlib gets it; what it becomes is in `ROLES`."""

    INK = "#010203"
    PAPER = "#010204"
    BASE = "#010205"
    ALTERNATIVE = "#010206"
    MUTED = "#010207"


ROLES = {
    Colour.INK: "currentColor",
    Colour.PAPER: "var(--paper)",
    Colour.BASE: "var(--base)",
    Colour.ALTERNATIVE: "var(--alternative)",
    Colour.MUTED: "var(--muted)",
}

WIDTH = 5.4
"""Inches: readable on a phone, two side by side on a screen."""


@dataclass(frozen=True)
class Drawing:
    """Hold how a picture is drawn, and on how many inches."""

    width: float
    height: float
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Figure:
    """Hold a picture with its data, a table with its title and how to read it; `name` is that of its files.

    The SVG is to be put into a page; the ids in it begin with `name`.
    """

    name: str
    data: Table
    svg: str
    drawing: Drawing | None = field(default=None, compare=False, repr=False)

    @classmethod
    def drawn(
        cls, name: str, data: Table, height: float, draw: Callable[[Any], None], width: float = WIDTH
    ) -> Figure:
        """Return the figure that `draw` draws on `width` x `height` inches without background."""
        svg = add_theme(draw_svg(width, height, draw), name, data)
        return cls(name, data, svg, Drawing(width, height, draw))

    def pdf(self, tell: Callable[[str], None] | None = None) -> bytes:
        """Return the picture as PDF, for paper: in the light colours.

        Args:
            tell: is called with a line if letters are missing in the PDF.

        Raises:
            ValueError: it was made of SVG alone.
        """
        if self.drawing is None:
            raise ValueError(f"{self.name} was not drawn here")
        drawing = self.drawing
        metadata = {"CreationDate": None, "Creator": None, "Producer": None}
        pdf, missing = _save(drawing.width, drawing.height, drawing.draw, "pdf", metadata)
        if missing and tell:
            tell(
                f"{self.name}.pdf has boxes in place of {missing}, because no font of matplotlib has them; "
                f"{self.name}.svg has them as text"
            )
        for colour, on_paper in ON_PAPER.items():
            pdf = pdf.replace(_operands(colour), _operands(on_paper))  # as long, so that no offset changes
        return pdf

    def files(self, folder: str = "") -> dict[str, bytes]:
        """Return the picture and its data as files."""
        svg = self.svg.replace(">", f"><style>{THEME}</style>", 1)
        alone = f'<?xml version="1.0" encoding="utf-8"?>\n{svg}\n'
        return {f"{folder}{self.name}.svg": alone.encode(), f"{folder}{self.name}.csv": self.data.csv()}


_MISSING_GLYPH = re.compile(r"Glyph (\d+) .* missing from")
"""What matplotlib warns of for each letter that it draws as a box."""


def draw_svg(width: float, height: float, draw: Callable[[Any], None]) -> str:
    """Return matplotlib's SVG of what `draw` draws on `width` x `height` inches without background."""
    svg, _ = _save(width, height, draw, "svg", {"Date": None, "Creator": None})  # it has letters as text
    return svg.decode()


def _save(
    width: float, height: float, draw: Callable[[Any], None], kind: str, metadata: dict[str, None]
) -> tuple[bytes, str]:
    """Return what matplotlib makes of a drawing: a file of this kind, and the letters that no font has."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    coloured = [f"{part}.color" for part in ("text", "xtick", "ytick", "hatch")]
    coloured += ["axes.edgecolor", "axes.labelcolor"]
    plain = ("axes.facecolor", "figure.facecolor", "savefig.facecolor")
    style: dict[Any, Any] = {
        "svg.hashsalt": "learnability", "svg.fonttype": "none", "font.size": 10, "axes.titlesize": 10,
        "pdf.compression": 0, "pdf.fonttype": 42, "text.parse_math": False,
        "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False, "hatch.linewidth": 1.0,
        **dict.fromkeys(plain, "none"), **dict.fromkeys(coloured, Colour.INK),
    }  # fmt: skip
    with mpl.rc_context(style), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        canvas = Canvas(figsize=(width, height), layout="constrained")
        draw(canvas)
        out = io.BytesIO()
        canvas.savefig(out, format=kind, metadata=metadata)
    missing: dict[str, None] = {}
    for warning in caught:
        if glyph := _MISSING_GLYPH.match(str(warning.message)):
            missing[chr(int(glyph[1]))] = None
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return out.getvalue(), ", ".join(missing)


ON_PAPER = {
    Colour.INK: "#1b1f24",
    Colour.PAPER: "#ffffff",
    Colour.BASE: "#1f5fa8",
    Colour.ALTERNATIVE: "#b45309",
    Colour.MUTED: "#5b6470",
}
"""What the colours become in PDF: those of the light theme."""


def _operands(colour: str) -> bytes:
    """Return a colour as PDF writes it before the operator that sets it."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return " ".join(f"{part:.10f}" for part in parts).encode()


def add_theme(svg: str, name: str, data: Table) -> str:
    """Return matplotlib's SVG, with a title, in the colours of the theme, as short as a page allows."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", svg)
    for colour, role in ROLES.items():
        svg = svg.replace(colour, role)
    opening, rest = svg.split(">", 1)
    opening = re.sub(r"\s+", " ", opening)
    label = f' role="img" aria-labelledby="{name}-title {name}-desc"'
    return f"{opening}{label}>{add_title(name, data)}" + re.sub(r">\s+<", "><", rest)


def add_title(name: str, data: Table) -> str:
    """Return title and description of a picture, for people who do not see it."""
    title, note = escape(data.title), escape(data.note)
    return f'<title id="{name}-title">{title}</title><desc id="{name}-desc">{note}</desc>'


def axis_of(
    differences: Sequence[Difference], expected: Sequence[tuple[float, float]] = ()
) -> tuple[float, float]:
    """Return the ends of an axis for differences with their intervals, and for prediction intervals.

    It reaches to all differences, to 0, and to nine tenths of the ends of intervals. It reaches to all ends
    if that makes it at most half as long again on either side; else they would hide everything else.
    """
    values = [0.0, *(difference.delta for difference in differences)]
    lows = sorted([*(d.low for d in differences if d.low is not None), *(low for low, _ in expected)])
    highs = sorted([*(d.high for d in differences if d.high is not None), *(high for _, high in expected)])
    low = min([*values, *lows[len(lows) // 10 :]])
    high = max([*values, *highs[: len(highs) - len(highs) // 10]])
    room = (high - low) / 2
    if lows and lows[0] >= low - room:
        low = min(low, lows[0])
    if highs and highs[-1] <= high + room:
        high = max(high, highs[-1])
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


MARKERS, STEP = "os", 0.3
"""The markers of up to two comparisons of a name, and how far they are apart, in lines."""


def forest(
    name: str,
    data: Table,
    rows: Sequence[tuple[str, Sequence[Difference | None]]],
    unit: str,
    side: str,
    *,
    comparisons: Sequence[str] = (),
    axis: tuple[float, float] | None = None,
    mean: tuple[str, Difference] | None = None,
    expected: tuple[float, float] | None = None,
) -> Figure:
    """Return differences with their intervals, in a line per name, in up to two comparisons.

    `axis`: its ends; an interval that goes on beyond them ends in an arrow. `mean`: that of all, below a
    rule, as a diamond, with a prediction interval around it (`expected`), thin.
    """
    from matplotlib.lines import Line2D

    several = len(comparisons) > 1
    shifts = (-STEP / 2, STEP / 2) if several else (0.0,)

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        axes.axvline(0, color=Colour.INK, linewidth=0.8)
        if axis is not None:
            axes.set_xlim(axis)
        for i, (_, differences) in enumerate(rows):
            for shift, marker, difference in zip(shifts, MARKERS, differences, strict=False):
                if difference is not None:
                    _draw_interval(axes, i + shift, difference, marker)
        if mean is not None:
            _draw_mean(axes, len(rows), mean[1], expected)
        name_rows(axes, [label for label, _ in (*rows, *([mean] if mean else ()))])
        _name_sides(axes, unit, side)
        if several:
            handles = [
                Line2D([], [], color=Colour.INK, marker=marker, linewidth=1.6, markersize=6, label=label)
                for marker, label in zip(MARKERS, comparisons, strict=True)
            ]
            canvas.legend(handles=handles, loc="outside upper center", ncols=2, columnspacing=1.2)

    height = 0.95 + (0.56 if several else 0.32) * (len(rows) + (mean is not None))
    return Figure.drawn(name, data, height, draw)


def _draw_mean(axes: Any, y: int, mean: Difference, expected: tuple[float, float] | None) -> None:
    axes.axhline(y - 0.5, color=Colour.MUTED, linewidth=0.8)
    if expected is not None:
        _draw_line(axes, y, expected, color=Colour.INK, linewidth=0.8)
    corners = [(mean.low, y), (mean.delta, y - 0.3), (mean.high, y), (mean.delta, y + 0.3)]
    colour, filled = _look(mean)
    axes.fill(
        *zip(*corners, strict=True),
        facecolor=colour if filled else Colour.PAPER,
        edgecolor=Colour.INK,
    )


def _look(difference: Difference) -> tuple[str, bool]:
    match difference.better:
        case Side.FIRST:
            return Colour.BASE, True
        case Side.SECOND:
            return Colour.ALTERNATIVE, True
        case Side.EQUAL:
            return Colour.MUTED, True
    return Colour.MUTED, False


def _draw_interval(axes: Any, y: float, difference: Difference, marker: str) -> None:
    colour, filled = _look(difference)
    if difference.low is not None and difference.high is not None:
        _draw_line(axes, y, (difference.low, difference.high), color=colour, linewidth=2)
    axes.plot([difference.delta], [y], marker, color=colour,
              markerfacecolor=colour if filled else Colour.PAPER, markersize=7, linestyle="none")  # fmt: skip


def _draw_line(axes: Any, y: float, ends: tuple[float, float], color: str, linewidth: float) -> None:
    """Draw an interval at the height `y`, with an arrow where it goes on beyond the axis."""
    left, right = axes.get_xlim() if axes.get_autoscalex_on() is False else ends
    low, high = max(ends[0], left), min(ends[1], right)
    axes.plot([low, high], [y, y], color=color, linewidth=linewidth, solid_capstyle="round")
    for beyond, end, arrow in ((ends[0] < left, left, "<"), (ends[1] > right, right, ">")):
        if beyond:
            axes.plot([end], [y], arrow, color=color, markersize=6, clip_on=False)


def _name_sides(axes: Any, unit: str, side: str) -> None:
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -0.15 * (high - low)), max(high, 0.15 * (high - low)))
    # below the whole figure: long names at the left leave too little room below the axes
    axes.figure.supxlabel(
        f"← alternative ahead\u2003·\u2003{unit}, points\u2003·\u2003{side} ahead →", fontsize=10
    )


LONGEST_NAME = 26
"""Longer names of rows go on in a second line."""


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Put names at the left, from top to bottom, without a line."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    lines = ["\n".join(textwrap.wrap(name, LONGEST_NAME, break_long_words=False)) for name in names]
    axes.set_yticks(range(len(names)), lines)
    axes.tick_params(axis="y", length=0, labelsize=8 if any("\n" in name for name in lines) else 10)
    axes.spines["left"].set_visible(False)

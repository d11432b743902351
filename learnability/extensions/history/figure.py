"""Draw a history as a line through the versions."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from learnability.extending import Colour, Figure, Score, Table, format_signed
from learnability.extensions.history.outcome import PARTS, Step, StepPart

MOST_LABELLED = 4
"""How many clear changes the line names."""


def releases_figure(steps: Sequence[Step], parts: Sequence[StepPart], score: Score) -> Figure:
    """Return a line through the versions: the differences of all parts so far, added up.

    Between two versions it is thick where a part is clear, and thin and dashed where none is.
    """
    name, title = score.name_figure("releases", "How learnable each version is")
    versions = [*(step.earlier for step in steps), steps[-1].later]
    heights = [0.0]
    clear: list[list[StepPart]] = []
    for step in steps:
        known = [part for part in parts if part.step == step and score in part.differences]
        heights.append(heights[-1] + sum(part.differences[score].delta for part in known))
        clear.append([part for part in known if part.is_clear(score)])
    data = Table.of(
        title,
        list(zip(versions, heights, [[], *clear], strict=True)),
        (
            ("version", itemgetter(0)),
            (f"{score}_since_first", itemgetter(1)),
            ("clear", lambda row: ", ".join(str(part.part) for part in row[2])),
        ),
        f"{score.upper()} in points since {versions[0]}: the differences of all parts, added up. A thick "
        "line: a part of the step is clear. A dashed one: none is.",
    )
    largest = sorted(
        (part for found in clear for part in found), key=lambda part: -abs(part.differences[score].delta)
    )[:MOST_LABELLED]

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        axes.axhline(0, color=Colour.MUTED, linewidth=0.8)
        for number, found in enumerate(clear):
            width, style, colour = (2.6, "-", Colour.INK) if found else (1.2, "--", Colour.MUTED)
            ends = heights[number : number + 2]
            axes.plot([number, number + 1], ends, style, color=colour, linewidth=width)
            named = [part for part in found if part in largest]
            if named:
                effects = [(part.part, part.differences[score].delta) for part in named]
                text = "\n".join(f"{PARTS[part]} {format_signed(delta, 1)}" for part, delta in effects)
                above = ends[1] >= ends[0]
                axes.annotate(
                    text, (number + 0.5, sum(ends) / 2), fontsize=9,
                    xytext=(-7 if above else 7, 0), textcoords="offset points",
                    ha="right" if above else "left", va="center",
                )  # fmt: skip
        axes.plot(range(len(versions)), heights, "o", color=Colour.INK, markersize=6)
        for number, height in enumerate(heights[1:], start=1):
            axes.annotate(
                format_signed(height, 1), (number, height), xytext=(8, -12), textcoords="offset points",
                ha="center", fontsize=9,
            )  # fmt: skip
        axes.margins(x=0.12, y=0.25)
        crowded = len(versions) > 8
        axes.set_xticks(
            range(len(versions)), versions, rotation=30 if crowded else 0, ha="right" if crowded else "center"
        )
        axes.set_ylabel(f"{score.upper()}, points since {versions[0]}")

    return Figure.drawn(name, data, 3.0, draw)

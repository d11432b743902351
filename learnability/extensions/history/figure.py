"""Draw the steps of a history: what each part did, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from learnability.extensions.history.parts import PartKind
from learnability.metrics.scores import Score
from learnability.reports.figures import ALTERNATIVE, BASE, INK, MUTED, PAPER, WIDTH, Figure, figure
from learnability.reports.run_figures import figure_name
from learnability.reports.text import Table, format_cell

if TYPE_CHECKING:
    from learnability.extensions.history.outcome import StepPart

LOOKS = {
    PartKind.SENTENCES: (MUTED, "^"),
    PartKind.ANNOTATION: (BASE, "o"),
    PartKind.TAGS: (ALTERNATIVE, "s"),
}
"""Colour and marker of each part."""

APART = 0.22
"""Between the parts of a step; the steps are 1 apart."""


def steps_figure(parts: Sequence[StepPart], score: Score) -> Figure:
    """Return the differences of all steps by a score, from the oldest to the newest."""
    name, title = figure_name(score, "history", "What each version did")
    columns = ("delta", "low", "high")
    data = Table(
        title,
        ("from", "to", "part", *(f"{score}_{column}" for column in columns), "decision"),
        tuple(
            (
                part.step.earlier,
                part.step.later,
                str(part.part),
                *(
                    format_cell(
                        getattr(part.differences[score], column) if score in part.differences else None
                    )
                    for column in columns
                ),
                part.decision(score),
            )
            for part in parts
        ),
        f"{score.upper()} of the later version minus that of the earlier one, in points, with intervals. "
        "Above the line, the later version is easier. A filled marker: the difference is clear. Parts "
        "without a marker changed nothing, or too little to be tested.",
    )
    steps = list(dict.fromkeys(part.step.name for part in parts))

    def draw(canvas: Any) -> None:
        from matplotlib.lines import Line2D

        axes = canvas.subplots()
        axes.axhline(0, color=INK, linewidth=0.8)
        for part in parts:
            difference = part.differences.get(score)
            if difference is None:
                continue
            colour, marker = LOOKS[part.part]
            x = steps.index(part.step.name) + APART * (list(PartKind).index(part.part) - 1)
            filled = difference.is_clear
            axes.plot([x, x], [difference.low, difference.high], color=colour, linewidth=2)
            axes.plot(
                [x], [difference.delta], marker, color=colour, markersize=7,
                markerfacecolor=colour if filled else PAPER,
            )  # fmt: skip
        axes.set_xlim(-0.5, len(steps) - 0.5)
        crowded = len(steps) > 5
        axes.set_xticks(
            range(len(steps)), steps, rotation=30 if crowded else 0, ha="right" if crowded else "center"
        )
        axes.set_ylabel(f"{score.upper()}, points (above 0: easier)")
        handles = [
            Line2D([], [], color=colour, marker=marker, linewidth=2, markersize=6, label=str(part))
            for part, (colour, marker) in LOOKS.items()
        ]
        canvas.legend(handles=handles, loc="outside upper center", ncols=3)

    return figure(name, data, WIDTH, 3.4, draw)

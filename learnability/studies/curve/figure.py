"""Draw learning curves: a chart for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learnability.metrics.scores import Score
from learnability.reports.figures import Figure, line_charts
from learnability.reports.text import Table, format_cell
from learnability.studies.curve.curves import LearningCurve


def curves_figures(curves: Sequence[LearningCurve]) -> list[Figure]:
    return [curves_figure(curves, score) for score in (curves[0].curves if curves else ())]


def curves_figure(curves: Sequence[LearningCurve], score: Score) -> Figure:
    """Return the figure by a score."""
    name, title = score.name_figure("learning_curves", "How much data it takes")
    data = Table(
        title,
        ("construction", "scheme", "training_tokens", "seed", score),
        tuple(
            (curve.alternative, scheme, f"{count:.0f}", str(seed), format_cell(float(value)))
            for curve in curves
            for scheme, points in zip(curve.names, curve.curves[score], strict=True)
            for count, scores in zip(curve.tokens, points.scores, strict=True)
            for seed, value in enumerate(scores, start=1)
        ),
        f"{score.upper()} of parsers trained on growing parts of the training data, each tested on "
        f"its own annotation: {curves[0].base} solid, the alternative dashed; means over seeds.",
    )

    def dress(axes: Any) -> None:
        tokens = axes.lines[0].get_xdata()
        axes.set_xscale("log", base=2)
        axes.set_xticks(tokens, [f"{count:.3g}" for count in tokens], minor=False)

    charts = []
    for curve in curves:
        means = (half.means for half in curve.curves[score])
        charts.append((curve.alternative, [([n / 1000 for n in curve.tokens], *means)]))
    return line_charts(
        name, data, charts, ("training tokens, thousands", f"{score.upper()}, %"), dress,
        side=curves[0].base, heights=(0.8, 1.6), marker=4,
    )  # fmt: skip

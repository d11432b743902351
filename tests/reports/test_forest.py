"""Forest plots: one axis for all of a page, arrows where intervals go on, no mean of too few treebanks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from finished_runs import hand_run, pair
from result_rows import HandRow, compared

from learnability.evidence.score_differences import Difference
from learnability.evidence.survey import combine_runs
from learnability.reports.comparison_files import treebanks_figures
from learnability.reports.figures import Figure, _draw_line, axis_of

NAMES = ("UD_Irish", "UD_Greek", "UD_Tamil", "UD_Turkish", "UD_Kazakh", "UD_French")


class Axes:
    """Axes from -2 to 3 that remember what was drawn."""

    def __init__(self) -> None:
        self.lines: list[list[float]] = []
        self.arrows: list[tuple[str, float]] = []

    def get_xlim(self) -> tuple[float, float]:
        return -2.0, 3.0

    def get_autoscalex_on(self) -> bool:
        return False

    def plot(self, x: list[float], y: list[float], marker: str = "", **looks: object) -> None:
        if marker:
            self.arrows.append((marker, x[0]))
        else:
            self.lines.append(x)


@pytest.mark.parametrize(
    ("ends", "line", "arrows"),
    [
        ((-1.0, 2.0), [-1.0, 2.0], []),
        ((-5.0, 2.0), [-2.0, 2.0], [("<", -2.0)]),
        ((-1.0, 9.0), [-1.0, 3.0], [(">", 3.0)]),
        ((-9.0, 9.0), [-2.0, 3.0], [("<", -2.0), (">", 3.0)]),
    ],
)
def test_an_interval_that_goes_on_ends_in_an_arrow(
    ends: tuple[float, float], line: list[float], arrows: list[tuple[str, float]]
) -> None:
    axes = Axes()
    _draw_line(axes, 0, ends, color="black", linewidth=1)
    assert (axes.lines, axes.arrows) == ([line], arrows)


def test_the_axis_shows_every_difference_and_most_intervals() -> None:
    differences = [Difference(None, None, d, low=d - 1, high=d + 1) for d in range(-4, 6)]
    low, high = axis_of(differences)
    assert low < -5
    assert high > 6
    wide = Difference(None, None, 9.0, low=-50.0, high=70.0)
    low, high = axis_of([*differences, wide])
    assert -7 < low < -5
    assert 9 < high < 12
    low, high = axis_of(differences, [(-8.0, 8.0)] * 3)  # prediction intervals
    assert low < -8
    assert high > 8


def figures(*rows: HandRow) -> list[Figure]:
    found = combine_runs([hand_run(Path("run"), rows=rows)])
    return treebanks_figures(found)


def ticks(figure: Figure) -> list[str]:
    return re.findall(r">(−?\d)</text>", figure.svg)


@pytest.mark.usefixtures("drawn_figures")
def test_all_forests_of_a_page_have_one_axis_and_few_treebanks_no_mean() -> None:
    case = [pair(name, "case", d) | compared(d, 0.5) for d, name in enumerate(NAMES)]
    det = [pair(name, "det", 0.1) | compared(0.1, 0.2) for name in NAMES[:2]]
    first, second = figures(*case, *det)
    assert ticks(first) == ticks(second) != ticks(figures(*det)[0])
    assert "mean of 6" in first.svg
    assert "mean of" not in second.svg
    assert ("Diamond" in first.data.note, "Diamond" in second.data.note) == (True, False)
    assert [str(row[0]) for row in second.data.rows] == ["UD_Irish@1.3", "UD_Greek@1.3"]

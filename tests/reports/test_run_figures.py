"""The figures of a run: what their data says, and SVG that follows the theme."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import pytest
from finished_runs import ROWS, config, records

from learnability.drawing.style import THEME
from learnability.evidence.rows_from_records import result_rows
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.figures import ROLES, Figure
from learnability.reports.rendering import template_text
from learnability.reports.run_figures import difference_figures, part_table
from learnability.running.records import Records

pytestmark = pytest.mark.figures


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {figure.name: figure for figure in difference_figures([(row.name, row) for row in ROWS])}


def test_parts_add_up_to_the_difference() -> None:
    (row, *_) = result_rows(config(), Records(records()))
    table = part_table([row])
    # 32 of 40 words right against 28, in each of two seeds
    for kinds in (("det", "nsubj"), ("place", "phrase", "elsewhere")):
        points = [float(line[-1].order) for line in table.rows if line[1] in kinds]
        assert sum(points) == pytest.approx(10.0)
    assert ("det", "det", "10", "90.00", "50.00") in [line[:-1] for line in table.rows]
    assert [str(line[-1]) for line in table.rows if line[1] == "det"] == ["UD +10.0"]


def interval(row: int, basis: ScoringBasis = ScoringBasis.ANNOTATION) -> tuple[str, str]:
    """Return the interval of a row from which its answer follows."""
    difference = ROWS[row].difference(Score.UAS, basis)
    assert difference is not None
    return f"{difference.low:.4f}", f"{difference.high:.4f}"


def test_the_data_of_the_figures(figures: dict[str, Figure]) -> None:
    assert list(figures) == ["differences"]
    assert figures["differences"].data.rows == (
        ("det", "own_annotation", "1.4000", *interval(0), "base"),
        ("det", "converted_back", "0.7000", *interval(0, ScoringBasis.CONVERTED), "base"),
        ("case", "own_annotation", "-0.2500", *interval(1), "none"),
        ("case", "converted_back", "0.1000", *interval(1, ScoringBasis.CONVERTED), "none"),
    )


def test_pictures_are_well_formed_named_and_themed(figures: dict[str, Figure]) -> None:
    for figure in figures.values():
        root = ElementTree.fromstring(figure.svg)
        title, description = root[0], root[1]
        assert (title.text, description.text) == (figure.data.title, figure.data.note)
        assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        assert all(str(name).startswith(f"{figure.name}-") for name in ids)
        assert len(ids) == len(set(ids))
        assert not any(colour in figure.svg for colour in ROLES)
        assert "currentColor" in figure.svg
        assert "DejaVu" not in figure.svg


def test_the_files_of_a_figure(figures: dict[str, Figure]) -> None:
    files = figures["differences"].files("figures/")
    assert set(files) == {"figures/differences.svg", "figures/differences.csv"}
    ElementTree.fromstring(files["figures/differences.svg"])
    assert b"prefers-color-scheme:dark" in files["figures/differences.svg"]
    data = list(csv.reader(io.StringIO(files["figures/differences.csv"].decode())))
    assert data[0] == ["construction", "comparison", "uas_delta", "uas_low", "uas_high", "uas_better"]
    assert len(data) == 5


@pytest.mark.parametrize("sheet", ["page", "figure"])
def test_a_style_sheet_defines_every_colour_of_a_figure(sheet: str) -> None:
    rules = template_text("page.css") if sheet == "page" else THEME
    used = re.findall(r"var\((--\w+)\)", " ".join(ROLES.values()))
    assert len(used) == 4
    assert [colour for colour in used if f"{colour}:" not in rules] == []

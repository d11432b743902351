"""The figures of a run: what their data says, and SVG that follows the theme."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import pytest
from finished_runs import ROWS, config, content_of, records

from learnability.drawing.style import THEME
from learnability.evidence.pair_evidence import PairEvidence
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.figures import ROLES, Figure
from learnability.reports.rendering import template_text
from learnability.reports.run_figures import contributions, difference_figures, run_figures

pytestmark = pytest.mark.figures


@pytest.fixture(scope="module")
def found() -> list[PairEvidence]:
    return content_of(ROWS, records(), config()).evidence


@pytest.fixture(scope="module")
def figures(found: list[PairEvidence]) -> dict[str, Figure]:
    drawn = (*difference_figures(found), *run_figures(found))
    return {figure.name: figure for figure in drawn}


def test_contributions_add_up_to_the_difference(found: list[PairEvidence]) -> None:
    for field in ("relations", "error_split"):
        parts = contributions(found[0], field)
        # 32 of 40 words right against 28, in each of two seeds
        assert sum(points for *_, points in parts.values()) == pytest.approx(10.0)
    assert contributions(found[0], "relations")["det"] == (20, 18, 10, pytest.approx(10.0))
    assert contributions(found[0], "error_split")["place"] == (20, 18, 10, pytest.approx(10.0))
    assert contributions(found[1], "error_split")["phrase"][:3] == (30, 20, 18)


def interval(row: int, basis: ScoringBasis = ScoringBasis.ANNOTATION) -> tuple[str, str]:
    """Return the interval of a row from which its answer follows."""
    difference = ROWS[row].difference(Score.UAS, basis)
    assert difference is not None
    return f"{difference.low:.4f}", f"{difference.high:.4f}"


def test_the_data_of_the_figures(figures: dict[str, Figure]) -> None:
    assert list(figures) == ["differences", "errors", "relations"]
    assert figures["differences"].data.rows == (
        ("det", "own_annotation", "1.4000", *interval(0), "base"),
        ("det", "converted_back", "0.7000", *interval(0, ScoringBasis.CONVERTED), "base"),
        ("case", "own_annotation", "-0.2500", *interval(1), "none"),
        ("case", "converted_back", "0.1000", *interval(1, ScoringBasis.CONVERTED), "none"),
    )
    assert figures["relations"].data.rows[0] == ("det", "det", "20", "18", "10", "10.0000")


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

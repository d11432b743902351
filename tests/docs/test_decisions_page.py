"""The page of decisions has the table that the code decides by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from learnability.evidence.columns import Ground, Row
from learnability.evidence.decisions import (
    CASES,
    EQUAL,
    NOT_ENOUGH_DATA,
    ONLY_PUNCTUATION,
    ORIGINAL,
    TRANSFORMED,
    TREEBANKS_DISAGREE,
    decision,
)
from learnability.metrics.scores import FEWEST_SENTENCES, FEWEST_SITES, Score

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text(encoding="utf-8")

COLUMNS = (Ground.OWN, Ground.NUCLEI, Ground.BACK)
"""The grounds of the page's table, after the decision."""


def table(heading: str) -> list[list[str]]:
    """The cells of the first table of a section, without its head."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\|(.*)\|$", section, re.MULTILINE)[2:]
    return [[cell.strip().replace("`", "") for cell in line.split(" | ")] for line in lines]


TABLE = table("The table of decisions")


def row(shown: dict[Ground, str], p_value: float | None = 0.5) -> Row:
    """A condition in which comparisons show this, and the others nothing."""
    values = Row(sites=20)
    for ground in Ground:
        for name in ("original", "transformed", "delta", "delta_low", "delta_high", "p_holm", "p_equal"):
            values[ground.column(Score.UAS, name)] = 0.0
        values[ground.column(Score.UAS, "p_value")] = p_value
        values[ground.column(Score.UAS, "better")] = shown.get(ground, "none")
    return values


def test_the_table_has_the_cases_in_their_order() -> None:
    on_page = [(cells[0], *cells[1:4]) for cells in TABLE]
    in_code = [
        (
            case.decision.format(original="UD"),
            *(" or ".join(case.shown.get(ground, ())) for ground in COLUMNS),
        )
        for case in CASES
    ]
    assert on_page == in_code
    assert {ground for case in CASES for ground in case.shown} <= {*COLUMNS}


@pytest.mark.parametrize("cells", TABLE, ids=lambda cells: cells[0])
def test_what_a_line_asks_for_gives_its_decision(cells: list[str]) -> None:
    shown = {ground: cell for ground, cell in zip(COLUMNS, cells[1:4], strict=True) if cell}
    # a side on the own references is more than punctuation only if it is there without it, too
    shown[Ground.WORDS] = shown.get(Ground.OWN, "none")
    assert decision(row(shown)) == cells[0]
    assert len(cells) == 5
    assert len(cells[4]) > 40


def test_what_comes_before_the_table() -> None:
    first, second = table("Before anything is weighed")
    assert (first[0], second[0]) == (NOT_ENOUGH_DATA, ONLY_PUNCTUATION)
    assert f"fewer than {FEWEST_SITES} sites, or fewer than {FEWEST_SENTENCES} sentences" in first[1]
    assert decision(row({}, p_value=None)) == NOT_ENOUGH_DATA
    for side, other in ((ORIGINAL, TRANSFORMED), (TRANSFORMED, ORIGINAL)):
        for words in (other, EQUAL):
            assert (
                decision(row({Ground.OWN: side, Ground.WORDS: words, Ground.BACK: side})) == ONLY_PUNCTUATION
            )


def test_what_comes_before_the_table_over_several_treebanks() -> None:
    ((disagree, when, conclude),) = table("Over several treebanks")
    assert disagree == TREEBANKS_DISAGREE
    assert "each by itself" in when
    assert len(conclude) > 40


def test_without_punctuation_nothing_shown_is_not_the_same_as_no_difference() -> None:
    assert decision(row({Ground.OWN: ORIGINAL})) == "undecided"
    shown = {Ground.OWN: TRANSFORMED, Ground.BACK: ORIGINAL}
    assert decision(row(shown)) == "undecided, but UD better for users of UD trees"

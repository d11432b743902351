"""The page of answers has the table that the code follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from result_rows import described

from learnability.evidence.answers import (
    CASES,
    PUNCTUATION_ONLY,
    TOO_FEW_EXAMPLES,
    TOO_FEW_TREEBANKS,
    TREEBANKS_DISAGREE,
    add_answer,
)
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import FEWEST_PLACES, FEWEST_SENTENCES, Score
from learnability.statistics.inference import Side

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text(encoding="utf-8")

COLUMNS = (ComparisonKind.ANNOTATION, ComparisonKind.PHRASES, ComparisonKind.CONVERTED)
"""The comparisons in the page's table, after the answer."""


def table(heading: str) -> list[list[str]]:
    """Return the cells of the first table of a section, without its head."""
    section = PAGE.partition(f"\n## {heading}")[2].partition("\n## ")[0]
    lines = re.findall(r"^\|(.*)\|$", section, re.MULTILINE)[2:]
    return [[cell.strip().replace("`", "") for cell in line.split(" | ")] for line in lines]


TABLE = table("The table of answers")


def row(shown: Mapping[ComparisonKind, str], p_value: float | None = 0.5) -> ComparisonRow:
    """A pair in which comparisons show this, and the others nothing."""
    differences = {
        (Score.UAS, basis): Difference(
            *(0.0, 0.0, 0.0, 1.0, 9.0),
            p_value=p_value,
            p_holm=0.0,
            p_equal=1.0,
            p_equal_holm=1.0,
            better=shown.get(basis, "none"),
        )
        for basis in ComparisonKind.of(Score.UAS)
    }
    return ComparisonRow(treebank="UD_X", pair=described("case"), places=20, differences=differences)


def answer(row: ComparisonRow) -> str:
    """The answer for a row."""
    return add_answer(row).answer()


def test_the_table_has_the_cases_in_their_order() -> None:
    on_page = [(cells[0], *cells[1:4]) for cells in TABLE]
    in_code = [
        (
            case.answer.format(base="UD"),
            *(" or ".join(case.shown.get(basis, ())) for basis in COLUMNS),
        )
        for case in CASES
    ]
    assert on_page == in_code
    assert {basis for case in CASES for basis in case.shown} <= {*COLUMNS}


@pytest.mark.parametrize("cells", TABLE, ids=lambda cells: cells[0])
def test_what_a_line_asks_for_gives_its_answer(cells: list[str]) -> None:
    shown = {
        comparison: cell.partition(" or ")[0]
        for comparison, cell in zip(COLUMNS, cells[1:4], strict=True)
        if cell
    }
    # a side that is ahead only with punctuation does not count
    shown[ComparisonKind.WORDS] = shown.get(ComparisonKind.ANNOTATION, "none")
    assert answer(row(shown)) == cells[0]
    assert len(cells) == 5
    assert len(cells[4]) > 20


def test_what_comes_before_the_table() -> None:
    first, second = table("Before the table")
    assert (first[0], second[0]) == (TOO_FEW_EXAMPLES, PUNCTUATION_ONLY)
    assert f"fewer than {FEWEST_PLACES} places, or fewer than {FEWEST_SENTENCES} sentences" in first[1]
    assert answer(row({}, p_value=None)) == TOO_FEW_EXAMPLES
    for side, other in ((Side.FIRST, Side.SECOND), (Side.SECOND, Side.FIRST)):
        for words in (other, Side.EQUAL):
            assert (
                answer(
                    row(
                        {
                            ComparisonKind.ANNOTATION: side,
                            ComparisonKind.WORDS: words,
                            ComparisonKind.CONVERTED: side,
                        }
                    )
                )
                == PUNCTUATION_ONLY
            )


def test_what_comes_before_the_table_over_several_treebanks() -> None:
    (disagree, when, conclude), few = table("Over several treebanks")
    assert (disagree, few[0]) == (TREEBANKS_DISAGREE, TOO_FEW_TREEBANKS)
    assert "each taken alone" in when
    assert "fewer than five languages" in few[1]
    assert len(conclude) > 40


def test_without_punctuation_nothing_shown_is_not_the_same_as_no_difference() -> None:
    assert answer(row({ComparisonKind.ANNOTATION: Side.FIRST})) == "open"
    shown = {ComparisonKind.ANNOTATION: Side.SECOND, ComparisonKind.CONVERTED: Side.FIRST}
    assert answer(row(shown)) == "open, UD output better"


def test_every_answer_has_its_old_name() -> None:
    names = {case.answer.format(base="UD") for case in CASES}
    names |= {PUNCTUATION_ONLY, TOO_FEW_EXAMPLES, TREEBANKS_DISAGREE}
    renamed = table("Old names")
    assert {cells[2].split(", if ")[0] for cells in renamed} == names
    assert len({cells[0] for cells in renamed}) == len(renamed)

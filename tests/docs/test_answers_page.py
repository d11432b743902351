"""The page of answers names the answers and the reasons of the code, and when they are given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from result_rows import compared, empty_row, finished

from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import FEWEST, Score

PAGE = (Path(__file__).parents[2] / "docs" / "answers.md").read_text(encoding="utf-8")

OWN, WORDS, PHRASES, BACK = ScoringBasis.of(Score.UAS)

CLEAR, SAME, UNCLEAR = (1.4, 0.4), (0.1, 0.2), (0.8, 1.2)


def table(heading: str) -> list[list[str]]:
    section = PAGE.partition(f"\n## {heading}")[2].partition("\n## ")[0]
    lines = re.findall(r"^\|(.*)\|$", section, re.MULTILINE)[2:]
    return [[cell.strip().replace("`", "") for cell in line.split(" | ")] for line in lines]


def test_the_page_has_every_answer_once() -> None:
    told = {Answer.NONE, Answer.TOO_FEW_TREEBANKS}  # in sentences below
    names = [answer.named("UD") for answer in Answer if answer not in told]
    assert sorted(cells[0] for cells in table("The answers")) == sorted(names)
    assert all(len(cells[2]) > 20 for cells in table("The answers"))
    assert f"`{Answer.TOO_FEW_TREEBANKS}`" in PAGE
    assert all(f"`{question}`" in PAGE for question in Question)


def test_the_page_has_every_reason_with_its_answer() -> None:
    told = {Reason.NO_CONVERSION}
    reasons = {cells[0]: cells[1] for cells in table("Reasons")}
    assert set(reasons) == {str(reason) for reason in Reason if reason not in told}
    assert "no rule converts parses back to UD" in PAGE.replace("\n", " ")
    assert set(reasons.values()) == {Answer.OPEN, Answer.SAME, Answer.ALTERNATIVE}


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (Reason.UNCLEAR, {OWN: UNCLEAR}),
        (Reason.ONLY_PUNCTUATION, {OWN: CLEAR, WORDS: SAME}),
        (Reason.AHEAD_WITH_PUNCTUATION, {OWN: CLEAR, WORDS: UNCLEAR}),
        (Reason.REVERSED_WITHOUT_PUNCTUATION, {OWN: CLEAR, WORDS: (-1.4, 0.4)}),
        (Reason.HOLDS_LESS, {OWN: (-1.4, 0.4)}),
        (Reason.INSIDE_PHRASES, {OWN: (-1.4, 0.4), PHRASES: CLEAR}),
    ],
    ids=str,
)
def test_a_reason_stands_beside_the_answer_of_its_line(
    reason: Reason, shown: dict[ScoringBasis, tuple[float, float]]
) -> None:
    row = empty_row() | {"places": 90, "test_places": 30}
    if reason is Reason.HOLDS_LESS:
        row |= {"restored": {Score.UAS: 50.0}}
    for comparison, values in shown.items():
        row |= compared(*values, comparison)
    (row,) = finished(row)
    line = next(cells for cells in table("Reasons") if cells[0] == reason)
    assert (row["easier_reason"], row["easier"]) == (line[0], line[1])


def test_too_few_examples_are_as_few_as_the_code_says() -> None:
    few = next(cells for cells in table("The answers") if cells[0] == Answer.TOO_FEW_EXAMPLES)
    assert f"fewer than {FEWEST.places} places or fewer than {FEWEST.sentences} sentences" in few[1]


def test_over_several_treebanks_the_page_says_what_a_mean_needs() -> None:
    section = PAGE.partition("\n## Over several treebanks")[2].replace("\n", " ")
    assert "fewer than five languages" in section
    assert "each taken alone" in PAGE

"""What the test set named stays, by each score alone, where all sentences were tested, too."""

from __future__ import annotations

import csv
import io

import pytest
from finished_runs import row
from result_rows import HandRow, compared, finished

from learnability.evidence.columns import results_csv
from learnability.evidence.questions import Answer
from learnability.evidence.rows import refine_rows
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.results import answer_table, title_of

NAMED, OPEN = (3.0, 0.5), (0.3, 1.0)
"""Differences that name UD, and that leave it open."""


def labelled_row(uas: tuple[float, float], las: tuple[float, float], **values: object) -> HandRow:
    """A comparison by both scores, corrected and answered."""
    (found,) = finished(
        row(
            labelled=True,
            **compared(*uas),
            **compared(*uas, ScoringBasis.CONVERTED),
            **compared(*las, score=Score.LAS),
            **compared(*las, ScoringBasis.CONVERTED, score=Score.LAS),
            **values,
        )
    )
    return found


def test_set(uas: tuple[float, float], las: tuple[float, float]) -> HandRow:
    """A comparison on a test set."""
    return labelled_row(uas, las, seeds=3, test_sentences=100, test_places=50)


test_set.__test__ = False  # type: ignore[attr-defined]


def all_sentences(uas: tuple[float, float], las: tuple[float, float]) -> HandRow:
    """A comparison over all sentences."""
    return labelled_row(uas, las, seeds=2, test_sentences=900, test_places=450, folds=5)


@pytest.mark.parametrize(("named", "left"), [(Score.UAS, Score.LAS), (Score.LAS, Score.UAS)])
def test_an_answer_rests_on_what_it_was_named_by(named: Score, left: Score) -> None:
    def of(on_named: tuple[float, float], on_left: tuple[float, float]) -> tuple[tuple[float, float], ...]:
        return (on_named, on_left) if named is Score.UAS else (on_left, on_named)

    first, later = test_set(*of(NAMED, OPEN)), all_sentences(*of(OPEN, NAMED))
    (refined,) = refine_rows([first], [later])
    assert refined.easier(named).answer is refined.easier(left).answer is Answer.BASE
    for kind in (ScoringBasis.ANNOTATION, ScoringBasis.CONVERTED):
        assert refined.difference(named, kind) == first.difference(named, kind)
        assert refined.difference(left, kind) == later.difference(left, kind)
    assert (refined.tested_on(named), refined.tested_on(left)) == ("test set", "all sentences")
    by_score = {named: "test set", left: "all sentences"}
    (line,) = csv.DictReader(io.StringIO(results_csv([refined]).decode()))
    assert line["tested_on"] == f"{by_score[Score.UAS]} (UAS), {by_score[Score.LAS]} (LAS)"
    table = answer_table([refined])
    places = {Score.UAS: "det UAS", Score.LAS: "det LAS"}
    shown = {str(cells[0]): str(cells[-1]) for cells in table.rows}
    assert shown == {f"{places[named]} (50)": "test set", f"{places[left]} (450)": "all"}
    assert title_of([refined]) == "UD_X · test set (100), all sentences (900) · 2 to 3 trainings each"


def test_what_is_left_open_by_both_scores_rests_on_all_sentences() -> None:
    (refined,) = refine_rows([test_set(OPEN, OPEN)], [all_sentences(NAMED, OPEN)])
    assert (refined.easier().answer, refined.easier(Score.LAS).answer) == (Answer.BASE, Answer.OPEN)
    assert refined.tested_on_by_score == "all sentences"


def test_what_more_seeds_named_on_the_test_set_stays() -> None:
    first = test_set(NAMED, NAMED)
    assert refine_rows([first], [all_sentences(OPEN, OPEN)]) == [first]

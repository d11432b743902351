"""The learning curves in words and tables."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from finished_runs import ROWS, config, content_of, records
from hand_made_curves import CURVES, labelled_curves

from learnability.evidence.score_differences import Difference
from learnability.metrics.scores import Score
from learnability.reports.content import Outcome
from learnability.reports.page import report_files
from learnability.statistics.inference import Side
from learnability.studies.curve.curves import Curve, LearningCurve
from learnability.studies.curve.figure import curves_figures
from learnability.studies.curve.section import curves_section


def shown_by_both(delta: float, p: float, better: str) -> dict[Score, Difference | None]:
    """A difference of scores of 79, with an interval of 0.2 points on either side, by both scores."""
    shown = Difference(
        79.0, 79.0 - delta, delta, 0.1, 9.0, delta - 0.2, delta + 0.2, p_value=p / 2, p_holm=p, p_equal=0.5,
        better=Side(better),
    )  # fmt: skip
    return {Score.UAS: shown, Score.LAS: shown}


def curve(
    base: Sequence[float],
    other: Sequence[float],
    needs: tuple[float | None, float | None] = (None, None),
    better: str = "base",
    test_places: int = 19,
) -> LearningCurve:
    """Curves of two amounts of data, one seed."""
    areas = sum(base) / 2, sum(other) / 2
    first, second = (tuple((mean,) for mean in side) for side in (base, other))
    pair = (Curve(first, areas[0], needs[0]), Curve(second, areas[1], needs[1]))
    facts = (1, test_places, (0.5, 1.0), (100.0, 200.0))
    shown = shown_by_both(areas[0] - areas[1], 0.04, better)[Score.UAS] if test_places else None
    return LearningCurve("UD_X", "", *facts, "case", {Score.UAS: pair}, {Score.UAS: shown})


AVERAGE = "case: averaged over the amounts of data,"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            curve([70, 80], [69, 79], (190.0, None)),
            f"{AVERAGE} the UD parser scores 1.0 points higher (0.8 to 1.2). With 95 % of the data (190 "
            "tokens), "
            "UD reaches the alternative's final score.",
        ),
        (
            curve([70, 80], [69, 82], (None, 170.0), "alternative"),
            f"{AVERAGE} the alternative scores 0.5 points higher (0.3 to 0.7). With 85 % of the data (170 "
            "tokens), the alternative reaches UD's final score.",
        ),
        (
            curve([70, 80], [69, 80.9], (195.0, 199.0), "none"),
            f"{AVERAGE} UD is 0.05 points ahead, but not clearly (−0.2 to 0.2).",
        ),
        (
            curve([70, 80], [71, 79], better="equal"),
            f"{AVERAGE} the difference, if any, is under half a point.",
        ),
    ],
)
def test_a_learning_curve_in_words(made: LearningCurve, said: str) -> None:
    assert curves_section([made]).sentences[0] == said


def test_a_pair_without_test_places_gets_no_verdict() -> None:
    made = curve([70, 80], [69, 79], test_places=0)
    sentences = curves_section([made, curve([70, 80], [69, 79])]).sentences
    assert len(sentences) == 3
    assert sentences[0] == "case: too few examples in the test set (0 places)."
    assert sentences[1].startswith(f"{AVERAGE} the UD parser scores 1.0")


def test_the_tables_of_the_curves() -> None:
    section = curves_section([curve([70, 80], [69, 79], (190.0, None))])
    summary, scores = section.tables
    assert summary.rows == (("case", "75.00", "74.00", "UD +1.0", "95 %", "never"),)
    assert scores.headings == ("scheme", "100", "200")
    assert scores.rows == (("UD", "70.00", "80.00"), ("case", "69.00", "79.00"))
    assert section.sentences[-1] == (
        "We trained each annotation on 1/2, all of the training data (one seed). Intervals account for "
        "testing "
        "all constructions (Holm)."
    )


def test_labelled_curves_in_words_and_tables() -> None:
    section = curves_section(labelled_curves())
    uas, las, _ = section.sentences
    assert uas.startswith("det: averaged over the amounts of data, the UD parser scores 10.0 points higher")
    assert las == uas.replace("data,", "data, with relations (LAS),")
    assert [table.title for table in section.tables] == [
        "Mean height of the learning curves, UAS", "UAS by training tokens",
        "Mean height of the learning curves, LAS", "LAS by training tokens",
    ]  # fmt: skip
    assert section.tables[1].rows[0] == ("UD", "60.50", "65.50")
    assert section.tables[3].rows[0] == ("UD", "55.50", "60.50")
    assert section.tables[2].rows == (("det", "58.00", "48.00", "UD +10.0", "45 %", "never"),)


def test_the_data_of_the_figure() -> None:
    (drawn,) = curves_figures(CURVES)
    assert drawn.name == "learning_curves"
    assert drawn.data.rows[3] == ("det", "ud", "200", "2", "66.0000")
    assert len(drawn.data.rows) == 8


@pytest.mark.usefixtures("drawn_figures")
def test_the_curves_of_labelled_parsers_are_drawn_by_uas_and_by_las() -> None:
    uas, las = (figure for figure in curves_figures(labelled_curves()))
    assert (uas.name, las.name) == ("learning_curves", "las_learning_curves")
    assert uas.data.headings[:4] == las.data.headings[:4]
    assert (uas.data.headings[4], las.data.headings[4]) == ("uas", "las")
    for one, other in zip(uas.data.rows, las.data.rows, strict=True):
        assert one[:4] == other[:4]
        assert float(one[4]) - float(other[4]) == 5
    assert "LAS, %" in las.svg
    assert uas.svg != las.svg


def test_further_trainings_have_their_section_and_figure() -> None:
    shown = Outcome(sections=[curves_section(CURVES)], figures=curves_figures(CURVES))
    made = report_files(content_of(ROWS, records(), config(), outcomes=[shown]))
    text = made["report.html"].decode()
    assert '<details class="part" id="how-much-data-does-it-take">' in text
    assert '<figure id="figure-learning_curves">' in text
    assert "figures/learning_curves.csv" in made

"""Which annotation was preferred when trained on both, beside the answer."""

from __future__ import annotations

from finished_runs import FINISHED, ROWS

from learnability.evidence.questions import Question
from learnability.reports.results import preference_table


def test_preferences_stand_beside_the_answer() -> None:
    table = preference_table(ROWS)
    assert table.headings == (
        "construction",
        "easier",
        "last iteration\nUD / alt.",
        "side over all\niterations",
    )
    preferred = [row for row in ROWS if row.trained_on_both.pick]
    assert 0 < len(preferred) < len(ROWS)
    assert [row[0] for row in table.rows] == [row.title for row in preferred]
    assert [str(cell) for cell in table.rows[0]] == [
        "det", FINISHED.name_answer(Question.EASIER), "90 % / 5 %", "UD",
    ]  # fmt: skip

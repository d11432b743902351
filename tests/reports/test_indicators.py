"""Which annotation was preferred when trained on both, and other indicators, beside the answer."""

from __future__ import annotations

from pathlib import Path

from finished_runs import write_run

from learnability.evidence.questions import Question
from learnability.evidence.stored_runs import read_run
from learnability.reports.results import indicator_table


def test_indicators_stand_beside_the_answer(tmp_path: Path) -> None:
    rows = [pair.row for pair in read_run(write_run(tmp_path / "run")).pairs]
    table = indicator_table(rows)
    assert table.headings[:3] == ("construction", "easier", "preferred\nUD / alt.")
    answers = {row.treebank: {} for row in rows}
    for row in rows:
        answers[row.treebank][row.name] = row.name_answer(Question.EASIER)
    assert len(table.rows) > 2
    for name, easier, *_ in table.rows:
        treebank, _, construction = str(name).partition(" ")
        assert easier == answers[treebank][construction]

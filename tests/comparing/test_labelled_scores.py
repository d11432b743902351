"""Labelled runs: what is scored, against what, and what stands in results.csv."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from carried_out import carried_out
from result_rows import hand_rows
from run_data import stored, training_of

from learnability.comparing.options import ExperimentOptions
from learnability.evidence.columns import row_values
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import read_run
from learnability.metrics.scores import Score
from learnability.reports.run_figures import difference_figures
from learnability.treebanks.locate import TreebankFiles

OPTIONS = ExperimentOptions.spell_annotations(("case", "det"), seeds=1, iterations=2, labels="external")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_a_labelled_run(small_files: TreebankFiles, tmp_path: Path) -> None:
    outcome = carried_out(small_files, OPTIONS, tmp_path / "labelled")
    assert not outcome.failed
    carried_out(small_files, replace(OPTIONS, labels=None), tmp_path / "plain")
    stored_rows = [pair.row for pair in read_run(tmp_path / "labelled").pairs]
    assert stored_rows == outcome.rows
    rows, plain = (rows_of(tmp_path / name / "results.csv") for name in ("labelled", "plain"))
    assert tuple(rows[0]) == tuple(plain[0])
    assert not any(value for name, value in plain[0].items() if "las" in name)
    for row in map(row_values, stored_rows):
        empty = {name for name, value in row.items() if "las" in name and value is None}
        empty -= {name for name in empty if name.startswith("own_labels")}  # relations do not merge or split
        empty -= {name for name in empty if name.endswith("_conditional")}  # nothing is clear
        empty -= {name for name in empty if name.endswith("_restored")}  # rules convert back
        empty -= {name for name in empty if name.endswith("_without_copies")}  # no tested sentence is a copy
        assert empty <= {"converted_back_las_ceiling_base"}
        assert 0 < float(row["las_alternative"]) < float(row["uas_alternative"]) < 100
        assert float(row["las_delta"]) == pytest.approx(
            float(row["las_base"]) - float(row["las_alternative"]), abs=2e-4
        )
        assert float(row["converted_back_las_alternative"]) <= float(row["converted_back_uas_alternative"])
        assert float(row["converted_back_las_ceiling"]) > 99
    assert stored_rows[0].differences[Score.LAS, ScoringBasis.ANNOTATION].better in (
        "base", "alternative", "equal", "none"
    )  # fmt: skip


@pytest.mark.usefixtures("drawn_figures")
def test_where_the_difference_in_las_comes_from(small_files: TreebankFiles, tmp_path: Path) -> None:
    outcome = carried_out(small_files, replace(OPTIONS, seeds=2), tmp_path)
    records = list(stored(tmp_path).values())
    for training in (training_of(record) for record in records if record.setting in ("a", "b")):
        uas, las = training.scores["uas"], training.scores["las"]
        for split in las.error_split.values():
            assert sum(right for right, _ in split.values()) == sum(las.correct)
            assert sum(total for _, total in split.values()) == sum(training.tokens)
        for relation, (right, total) in las.relations.items():
            assert right <= uas.relations[relation][0]
            assert total == uas.relations[relation][1]
        assert sum(right for right, _ in las.relations.values()) == sum(las.correct)
        assert sum(las.correct) < sum(uas.correct)
    rows = hand_rows(outcome)
    for row in rows:
        for field in ("las_error_split", "las_relations"):
            assert row[field].keys() == row[field.replace("las", "uas")].keys()
    figures = {figure.name: figure for figure in difference_figures([(r.name, r) for r in outcome.rows])}
    data = figures["las_differences"].data.rows
    shown = {str(row[0]): float(str(row[2])) for row in data if row[1] == "own_annotation"}
    for row in rows:
        assert shown[row["construction"]] == pytest.approx(row["las_delta"], abs=1e-4)
    assert figures["differences"].data.rows != figures["las_differences"].data.rows
    assert "LAS, points" in figures["las_differences"].svg

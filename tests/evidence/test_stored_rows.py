"""Stored rows say one thing: on no basis do interval, p value, side and decision disagree."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out
from finished_runs import FINISHED
from result_rows import HandRow, column, compared, finished, hand_row

from learnability.comparing.options import ExperimentOptions
from learnability.evidence.answers import TOO_FEW_EXAMPLES, answer
from learnability.evidence.differences import ComparisonKind
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import find_runs, read_run
from learnability.metrics.scores import Score, enough
from learnability.statistics.significance import holm
from learnability.transforms.registry import PAPER
from learnability.treebanks.locate import locate_treebank

ROUNDED, P_ROUNDED = 5e-5, 5e-7
"""How far values of results.csv may be from what they are of."""


def disagreements(rows: Sequence[ComparisonRow]) -> list[str]:
    """What contradicts what in the rows of a run."""
    wrong = []
    for score in Score:
        for basis in ComparisonKind.of(score):
            differences = [row.difference(score, basis) for row in rows]
            corrected = holm([one.p_value if one else None for one in differences])
            for row, one, p_holm in zip(rows, differences, corrected, strict=True):
                where = f"{row.treebank_label} {row.name} {score} {basis}"
                if one is None:
                    continue
                told = (one.error, one.low, one.high, one.p_value, one.p_holm, one.p_equal, one.better)
                if None in told:
                    if set(told) != {None}:
                        wrong.append(f"{where}: is tested by half")
                    continue
                assert one.error is not None
                assert one.low is not None
                assert one.high is not None
                assert one.p_value is not None
                assert one.p_holm is not None
                assert one.p_equal is not None
                assert p_holm is not None
                assert one.uncorrected_low is not None
                assert one.uncorrected_high is not None
                for low, high, p in (
                    (one.low, one.high, one.p_holm),
                    (one.uncorrected_low, one.uncorrected_high, one.p_value),
                ):
                    outside, edge = max(low, -high), abs(p - 0.05)
                    if (outside > 0) != (p < 0.05) and abs(outside) > ROUNDED and edge > P_ROUNDED:
                        wrong.append(f"{where}: {low} to {high}, p = {p}")
                if not 1.95 * one.error <= (one.high - one.low) / 2 + ROUNDED:
                    wrong.append(f"{where}: standard error {one.error}, but {one.low} to {one.high}")
                if not one.low <= one.delta <= one.high:
                    wrong.append(f"{where}: {one.delta} is not in {one.low} to {one.high}")
                if abs(one.p_holm - p_holm) > P_ROUNDED * (len(rows) + 2):
                    wrong.append(f"{where}: p is {one.p_holm} after correction, not {p_holm}")
                side = "ud" if one.delta > 0 else "alternative"
                shown = side if one.p_holm < 0.05 else "equal" if one.p_equal < 0.05 else "none"
                if shown != one.better and min(abs(p - 0.05) for p in (one.p_holm, one.p_equal)) > P_ROUNDED:
                    wrong.append(f"{where}: shows {one.better}, not {shown}")
        for row in rows:
            if score in row.scores and row.answer(score) != answer(row, score):
                told = f"{row.answer(score)!r}, not {answer(row, score)!r}"
                wrong.append(f"{row.treebank_label} {row.name}: {told}")
    return wrong


@pytest.fixture(scope="module")
def stored(small: Path, tmp_path_factory: pytest.TempPathFactory) -> list[HandRow]:
    """The rows of a labelled run, some of whose conditions have few sites."""
    out = tmp_path_factory.mktemp("stored") / "run"
    options = ExperimentOptions.spelled(tuple(PAPER), seeds=2, iterations=1, labels="external")
    carried_out(locate_treebank(small), options, out)
    return rows_of_run(out)


def rows_of_run(folder: Path) -> list[HandRow]:
    """The rows of a finished run."""
    return [hand_row(condition.row) for condition in read_run(folder).conditions]


def test_a_run(stored: list[HandRow]) -> None:
    assert disagreements(stored) == []
    tested = [enough(25, row["test_places"]) for row in stored]
    assert {True, False} == set(tested)
    assert [row["uas_p_value"] is not None for row in stored] == tested
    assert [row["uas_answer"] != TOO_FEW_EXAMPLES for row in stored] == tested


@pytest.mark.parametrize(
    ("statistic", "change", "said"),
    [
        ("delta_low", lambda value: -value, "p = "),
        ("delta_uncorrected_low", lambda value: -value, "p = "),
        ("p_value", lambda _: 0.5, "after correction"),
        ("delta_se", lambda value: 2 * value, "standard error"),
        ("better", lambda _: "equal", "shows equal"),
        ("p_equal", lambda _: None, "tested by half"),
    ],
)
@pytest.mark.parametrize("basis", ComparisonKind.of(Score.UAS))
def test_disagreements_are_seen(
    statistic: str, change: Callable[[Any], Any], said: str, basis: ComparisonKind
) -> None:
    (row,) = finished(FINISHED | compared(1.0, 0.4, basis))
    assert disagreements([row]) == []
    name = column(statistic, basis)
    assert any(said in one for one in disagreements([row | {name: change(row[name])}]))


def test_runs_of_a_folder() -> None:
    """Every run below LEARNABILITY_RUNS, for example of a `reproduce` over all treebanks."""
    given = os.environ.get("LEARNABILITY_RUNS")
    if not given:
        pytest.skip("no stored runs; set LEARNABILITY_RUNS to a folder of them")
    folders = find_runs(Path(given)).finished
    assert folders
    assert [wrong for folder in folders for wrong in disagreements(rows_of_run(folder))] == []

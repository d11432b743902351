"""Stored rows say one thing: on no basis do interval, p value, side and decision disagree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out
from finished_runs import FINISHED
from invariants import contradictions
from result_rows import HandRow, column, compared, finished, hand_row

from learnability.comparing.options import ExperimentOptions
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import read_run
from learnability.metrics.scores import Score, enough
from learnability.statistics.inference import Side
from learnability.transforms.registry import PAPER
from learnability.treebanks.locate import locate_treebank


@pytest.fixture(scope="module")
def stored(small: Path, tmp_path_factory: pytest.TempPathFactory) -> list[HandRow]:
    """The rows of a labelled run, some of whose pairs have few places."""
    out = tmp_path_factory.mktemp("stored") / "run"
    options = ExperimentOptions.spell_annotations(tuple(PAPER), seeds=2, iterations=1, labels="external")
    carried_out(locate_treebank(small), options, out)
    return rows_of_run(out)


def rows_of_run(folder: Path) -> list[HandRow]:
    """The rows of a finished run."""
    return [hand_row(pair.row) for pair in read_run(folder).pairs]


def test_a_run(stored: list[HandRow]) -> None:
    assert contradictions(stored) == []
    tested = [enough(25, row["test_places"]) for row in stored]
    assert {True, False} == set(tested)
    assert [row["uas_p_value"] is not None for row in stored] == tested
    assert [row["easier"] != "too few examples" for row in stored] == tested


@pytest.mark.parametrize(
    ("statistic", "change", "said"),
    [
        ("delta_low", lambda value: -value, "p = "),
        ("delta_uncorrected_low", lambda value: -value, "p = "),
        ("p_value", lambda _: 0.5, "after correction"),
        ("delta_se", lambda value: 2 * value, "standard error"),
        ("better", lambda _: Side.EQUAL, "shows equal"),
        ("p_equal", lambda _: None, "tested by half"),
    ],
)
@pytest.mark.parametrize("basis", ScoringBasis.of(Score.UAS))
def test_disagreements_are_seen(
    statistic: str, change: Callable[[Any], Any], said: str, basis: ScoringBasis
) -> None:
    (row,) = finished(FINISHED | compared(1.0, 0.4, basis))
    assert contradictions([row]) == []
    name = column(statistic, basis)
    assert any(said in one for one in contradictions([row | {name: change(row[name])}]))

"""The progress bar counts work, not cells, and tells what failed; the plan tells how long it takes."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from learnability.experiments.plan import ExperimentOptions, Plan, TreebankFacts
from learnability.reports.progress import CellProgress, cell_progress
from learnability.reports.tables import duration, print_plan
from learnability.treebanks.locate import TreebankFiles


class Bar:
    """Stands for rich's progress bar."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"completed": 0.0}

    def add_task(self, description: str, **fields: Any) -> int:
        self.state |= {"description": description, **fields}
        return 0

    def update(self, _task: int, *, advance: float = 0.0, **fields: Any) -> None:
        self.state["completed"] += advance
        self.state |= fields


def plan(tokens: int = 100_000, **options: Any) -> Plan:
    facts = TreebankFacts(1, (tokens,), "made up", {})
    files = TreebankFiles("UD_X", "1.3", None)
    return Plan((files,), (facts,), ExperimentOptions(("case",), **options), (("UD_Y@1.3", "no sentences"),))


def test_the_bar_is_full_when_all_cells_are_done() -> None:
    bar, p = Bar(), plan()
    progress = CellProgress(bar)
    cells = p.cells()
    progress.start(p, {cells[0].key})
    assert bar.state["total"] == pytest.approx(sum(map(p.seconds, cells[1:])))
    for done, cell in enumerate(cells[1:], start=2):
        failed = (
            {"failed": "why"} if cell.setting == "b" else {"kernel_seconds": 2, "trained_tokens": 1_800_000}
        )
        progress.advance(
            {"key": cell.key, "treebank": "UD_X", "setting": cell.setting, "condition": "case", **failed}
        )
        assert bar.state["cells"].startswith(f"{done}/4")
        assert bar.state["speed"] == ("" if failed == {"failed": "why"} else "900k tokens/s")
    assert bar.state["completed"] == pytest.approx(bar.state["total"])
    assert bar.state["cells"] == "4/4, 1 failed"
    progress.finish()
    assert bar.state["description"] == "intervals and tests"


def test_no_bar_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with cell_progress(quiet=False) as progress:
        assert progress is None


@pytest.mark.parametrize(
    ("tokens", "options", "jobs", "said"),
    [
        # (a) and (b) once, (c) 1.5 times as long, at 450,000 tokens and iterations per second; the measures
        (45_000, {"iterations": 10}, 1, "4 seconds"),
        (450_000, {"iterations": 100}, 1, "6 minutes"),
        (450_000, {"iterations": 100}, 2, "3 minutes"),
        (9_000_000, {"iterations": 100}, 1, "2.0 hours"),
        (45_000, {"iterations": 100, "system": "covington"}, 1, "2 minutes"),
        (10, {}, 1, "1 seconds"),
    ],
)
def test_duration(tokens: int, options: dict[str, Any], jobs: int, said: str) -> None:
    assert duration(plan(tokens, **options), jobs) == said


def test_the_plan_shows_what_is_made_up_and_what_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    print_plan(plan(), 2)
    printed = capsys.readouterr().out
    assert "4 cells, about" in printed
    assert "made up" in printed
    assert "cannot be used: UD_Y@1.3: no sentences" in printed
    print_plan(plan(system="arc-standard", oracle="static"), 1)
    assert "settings: a, b; conditions: case" in capsys.readouterr().out

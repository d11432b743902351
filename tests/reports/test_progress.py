"""Progress tells what is done and how long it takes: on terminals all the time, in logs now and then."""

from __future__ import annotations

import io
import re
import sys
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from carried_out import foreseen_cells

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.places import PlaceFacts
from learnability.comparing.plan import RunPlan, TreebankFacts
from learnability.reports.plan import duration, print_plan
from learnability.running.cell import COMPILATION_SECONDS, WarmUp, estimate_compiling
from learnability.running.progress_steps import kernels_step
from learnability.support import progress
from learnability.support.progress import (
    ProgressSteps,
    TimeLeft,
    amount,
    clock,
    estimate_remaining,
    shown_steps,
)
from learnability.treebanks.locate import TreebankFiles


class Bar:
    """Stands for rich's progress bar with one task."""

    def __init__(self) -> None:
        self.tasks: list[SimpleNamespace] = []
        self.steps: list[str] = []

    def add_task(self, description: str, total: float | None, **fields: Any) -> int:
        self.steps.append(description)
        task = {"id": len(self.steps), "description": description, "total": total}
        self.tasks = [SimpleNamespace(**task, completed=0.0, elapsed=2.0, fields=fields)]
        return len(self.steps)

    def remove_task(self, _: int) -> None:
        self.tasks = []

    def update(self, _task: int, *, advance: float = 0.0, description: str = "", **fields: Any) -> None:
        self.task.completed += advance
        self.task.description = description or self.task.description
        self.task.fields |= fields

    @property
    def task(self) -> SimpleNamespace:
        return self.tasks[0]


def plan(tokens: int = 100_000, **options: Any) -> RunPlan:
    facts = TreebankFacts("UD_X@1.3", "UD_X", split_policy="made up", train_tokens=(tokens,))
    files = TreebankFiles("UD_X", "1.3", None)
    return RunPlan(
        (files,),
        (facts,),
        ExperimentOptions.spell_annotations(("case",), **options),
        (("UD_Y@1.3", "no sentences"),),
    )


def test_a_stage_of_sentences() -> None:
    bar = Bar()
    shown = ProgressSteps(bar)
    assert list(shown.each("abcd", "spelling", "letters")) == list("abcd")
    assert (bar.task.description, bar.task.completed) == ("spelling", 4)
    assert amount(bar.task) == "4/4 letters"
    shown.begin("unknown")
    assert (estimate_remaining(bar.task), amount(bar.task)) == (None, "")
    told = (None, TimeLeft(0.4), TimeLeft(3), TimeLeft(65), TimeLeft(3661, is_most=True))
    assert [clock(left) for left in told] == [
        "",
        "",
        "about 0:03 left",
        "about 1:05 left",
        "at most 1:01:01 left",
    ]


def test_what_remains_is_counted_from_the_last_advance() -> None:
    task = SimpleNamespace(
        elapsed=30.0, total=10, completed=5, fields={"at": 20.0, "expected": 99, "left": None}
    )
    assert estimate_remaining(task) == TimeLeft(
        10
    )  # 20 seconds for one half, 10 of the 20 for the other have passed
    task.completed = 0
    assert estimate_remaining(task) == TimeLeft(69)
    task.fields["left"] = TimeLeft(25, is_most=True)  # told 10 seconds ago
    assert estimate_remaining(task) == TimeLeft(15, is_most=True)
    task.completed, task.fields["left"] = 5, TimeLeft(None)  # also where an amount is done
    assert estimate_remaining(task) is None
    task.fields["left"] = TimeLeft(25)
    task.elapsed = 50.0
    assert estimate_remaining(task) is None


def test_compiling_takes_as_long_as_the_longest_call_and_the_share_of_a_process() -> None:
    calls = [WarmUp("one", print, seconds=7.0), WarmUp("two", print, seconds=2.0)]
    assert estimate_compiling(calls, 1) == pytest.approx(9.0)
    assert estimate_compiling(calls, 2) == pytest.approx(7.0)
    assert estimate_compiling([], 2) == 0.0


def test_kernels_that_are_compiled_are_a_stage_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    bar = Bar()
    with kernels_step(ProgressSteps(bar), ["arc-eager"]):
        pass
    assert bar.steps == ["loading the arc-eager parser"]
    assert estimate_remaining(bar.task) is None, "other work follows"
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    with kernels_step(ProgressSteps(bar), ["arc-eager"]):
        numba.njit(lambda x: x + 1)(1)
        numba.njit(lambda x: x + 2)(1)
    assert bar.steps[-1] == f"compiling the arc-eager parser, once, about {COMPILATION_SECONDS:.0f} seconds"
    assert bar.task.completed == 0
    assert estimate_remaining(bar.task) is None
    assert len(bar.steps) == 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_narrow_terminal_the_name_of_the_stage_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "70"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    with shown_steps("starting") as steps:
        steps.begin(f"transforming {'a-long-name' * 8}", 150, unit="sentences")
        steps.advance(50, left=TimeLeft(9))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())
    (line,) = {one.rstrip() for one in re.split(r"[\r\n]", shown) if "50/150 sentences" in one}
    assert re.search(r" tr[^…]*… .*50/150 sentences about .* left", line)
    assert len(line) <= 70


def test_without_a_terminal_short_work_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for stream, quiet in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        with shown_steps("starting", quiet=quiet) as steps:
            steps.begin("working", 3, unit="things", expected=2)
            assert list(steps.each([1, 2], "counting")) == [1, 2]
            steps.advance()
        assert stream.getvalue() == ""
    assert capfd.readouterr() == ("", "")
    ProgressSteps().begin("nobody", 1)
    assert progress.EVERY < 1 < progress.LINE_EVERY


def test_without_a_terminal_long_work_leaves_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "LINE_EVERY", 0.02)
    with shown_steps("starting") as steps:
        steps.begin("training", 4, expected=9)
        steps.advance(1, title="UD_X (a)", count="1/4", left=TimeLeft(9))
        time.sleep(0.3)
        lines = stream.getvalue().splitlines()
        assert 2 <= len(lines) <= 15
        assert re.fullmatch(r"0:00 UD_X \(a\), 1/4, about 0:0\d left", lines[0])
        steps.stop()  # what is printed next stands alone
        after = stream.getvalue()
        time.sleep(0.1)
    assert stream.getvalue() == after


@pytest.mark.parametrize(
    ("tokens", "options", "jobs", "said"),
    [
        # (a) and (b) once, (c) 1.5 times as long, at 450,000 tokens and iterations per second, for each seed;
        # the measures and 6 seconds for all the rest
        (45_000, {"iterations": 10, "seeds": 1}, 1, "6 seconds"),
        (45_000, {"iterations": 10}, 1, "11 seconds"),
        (450_000, {"iterations": 100, "seeds": 1}, 1, "4 minutes"),
        (450_000, {"iterations": 100, "seeds": 1}, 2, "2 minutes"),
        (9_000_000, {"iterations": 100, "seeds": 1}, 1, "85 minutes"),
        (45_000, {"iterations": 100, "parsers": ("covington",), "seeds": 1}, 1, "84 seconds"),
        (10, {}, 1, "3 seconds"),
    ],
)
def test_duration(tokens: int, options: dict[str, Any], jobs: int, said: str) -> None:
    experiment = plan(tokens, **options)
    assert duration(experiment, foreseen_cells(experiment), jobs) == said


def test_constructions_that_do_not_occur_take_no_time() -> None:
    whole = plan(45_000)
    (facts,) = whole.facts
    absent = replace(facts, places=PlaceFacts(absent=frozenset(whole.options.alternatives)))
    without = replace(whole, facts=(absent,))
    cells = foreseen_cells(whole)
    base = [cell for cell in cells if cell.annotation is None]
    assert 0 < whole.seconds(base) < whole.seconds(cells)
    assert without.seconds(cells) == pytest.approx(whole.seconds(base))


def test_the_plan_shows_what_is_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_plan(plan(), foreseen_cells(plan()), ["a word of the study"], 2)
    printed = capsys.readouterr().out
    assert "10 trainings and measurements, about 13 seconds on 2 processors" in printed
    assert re.search(r"\nif they are not compiled yet, that takes about \d+ seconds more\n", printed)
    assert "made up" in printed
    assert "\na word of the study\n" in printed
    folds = replace(
        plan(), facts=(TreebankFacts("UD_X@1.3", "UD_X", folds=3, train_tokens=(7919, 7864, 7903)),)
    )
    print_plan(folds, foreseen_cells(folds), [], 1)
    assert re.search(r" 7864 to 7919 +3 ", capsys.readouterr().out)
    other = plan(parsers=("arc-standard:static",))
    print_plan(other, foreseen_cells(other), [], 1)
    printed = capsys.readouterr().out
    assert "on 1 processor\n" in printed
    assert "constructions: case" in printed

"""The engine, on an experiment that computes next to nothing: order, failures, dead workers, progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from learnability.errors import InputError
from learnability.running.engine import Experiment, Queue, complete, computed
from learnability.running.folder import RunFolder
from learnability.running.records import CellRecord, encode
from learnability.running.workers import Failure, Task, attempt, in_this_process, warm_up
from learnability.support.progress import Stages


@dataclass(frozen=True)
class Cell:
    """The power of two of a level; all but the first need the one of the level below."""

    level: int

    @property
    def key(self) -> str:
        return str(self.level)

    @property
    def title(self) -> str:
        return f"level {self.level}"


class Power(CellRecord, frozen=True, kw_only=True):
    value: int
    kernel_seconds: float | None = None
    trained_tokens: int | None = None


def power(cell: Cell, needed: Sequence[Power]) -> Power:
    if cell.level == 13:
        raise ZeroDivisionError("bad\nluck")
    value = 2 * needed[0].value if needed else 1
    return Power(key=cell.key, value=value, kernel_seconds=2.0, trained_tokens=1_800_000)


def experiment(*levels: int) -> Experiment[Cell, Power]:
    def task(cell: Cell, needed: Sequence[Power]) -> Callable[[], Power]:
        return partial(power, cell, needed)

    return Experiment(
        cells=[Cell(level) for level in levels],
        systems=[],
        warm_ups=[],
        task=task,
        failure=lambda cell, reason: CellRecord(key=cell.key, failed=reason),
        decode=msgspec.json.Decoder(Power).decode,
        seconds=lambda cell: float(cell.level),
        needed=lambda cell: [Cell(cell.level - 1)] if Cell(cell.level - 1).level in levels else [],
    )


def begun(folder: Path, *, resume: bool = False) -> RunFolder:
    run = RunFolder(folder)
    config = {"arguments": {}, "options": {}, "treebanks": [], "versions": {}}
    run.begin(config, resume=resume)
    return run


class Shown(Stages):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.total: float | None = 0.0
        self.done = 0.0
        self.shown: list[tuple[str, str, str]] = []

    def stage(
        self, what: str, total: float | None = None, *, unit: str = "", expected: float | None = None
    ) -> None:
        self.total, self.expected = total, expected

    def advance(self, amount: float = 1, *, what: str = "", speed: str = "", count: str = "") -> None:
        self.done += amount
        self.shown.append((what, speed, count))


def completed(
    whole: Experiment[Cell, Power], folder: RunFolder, *, jobs: int = 1, shown: Stages | None = None
) -> tuple[dict[str, int], dict[str, str]]:
    """The values of the cells that succeeded, and why the others failed."""
    records, failed = complete(whole, folder, jobs=jobs, cluster=None, stages=shown or Stages())
    return {record.key: record.value for record in records}, {record.key: record.failed for record in failed}


@pytest.mark.parametrize("jobs", [1, 2])
def test_cells_wait_for_those_they_need(tmp_path: Path, jobs: int) -> None:
    records, failed = completed(experiment(4, 3, 2, 1, 9), begun(tmp_path), jobs=jobs)
    assert records == {"4": 8, "3": 4, "2": 2, "1": 1, "9": 1}
    assert list(records) == ["4", "3", "2", "1", "9"]
    assert failed == {}


def test_tasks_are_handed_out_as_soon_as_they_are_ready() -> None:
    queue = Queue(experiment(3, 2, 1, 9), {})
    assert [key for key, _ in queue.tasks()] == ["1", "9"]
    assert len(queue) == 2
    queue.finish("1", Power(key="1", value=5))
    ((key, compute),) = queue.tasks()
    assert (key, compute()) == ("2", power(Cell(2), [Power(key="1", value=5)]))


def test_a_failure_takes_with_it_what_needs_it_and_is_tried_again(tmp_path: Path) -> None:
    whole = experiment(12, 13, 14, 15)
    run = begun(tmp_path)
    records, failed = completed(whole, run)
    assert records == {"12": 1}
    assert failed == {
        "13": "ZeroDivisionError: bad luck",
        "14": "level 13 failed",
        "15": "level 14 failed",
    }
    assert run.records.read_bytes().count(b"\n") == 4
    again = begun(tmp_path, resume=True)
    assert completed(whole, again) == (records, failed)
    assert run.records.read_bytes().count(b"\n") == 7  # what had succeeded is not computed again


def test_records_of_other_cells_are_left_alone(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.append(encode(Power(key="99", value=7)))
    run.append(encode(Power(key="1", value=10)))
    assert completed(experiment(1, 2), run) == ({"1": 10, "2": 20}, {})


def test_a_dead_worker_loses_nothing_and_a_deadly_cell_is_a_failure() -> None:
    died: list[str] = []

    def pool(tasks: Iterator[Task]) -> Iterator[tuple[str, Any]]:
        for key, compute in tasks:
            if key in ("2", "5") and (key == "5" or key not in died):
                died.append(key)
                raise RuntimeError("the worker was killed")
            yield attempt(key, compute)

    whole = experiment(1, 2, 3, 5, 6)
    results = dict(computed(whole, {}, pool))
    assert died == ["2", "5", "5"]
    assert [results[key].value for key in ("1", "2", "3")] == [1, 2, 4]
    assert results["5"] == Failure("the worker process died: the worker was killed")
    assert results["6"] == Failure("level 5 failed")


def test_progress_is_full_when_all_cells_are_done(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.append(encode(Power(key="1", value=1)))
    shown = Shown()
    completed(experiment(1, 2, 3, 13), run, jobs=1, shown=shown)
    assert (shown.total, shown.expected) == (18.0, 18.0)
    assert shown.done == shown.total
    assert shown.shown == [
        ("", "", "1/4"),
        ("level 2", "900k tokens/s", "2/4"),
        ("level 3", "900k tokens/s", "3/4"),
        ("level 13", "", "4/4, 1 failed"),
    ]


def test_nothing_is_warmed_up_if_nothing_is_missing(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.append(encode(Power(key="1", value=1)))
    whole = experiment(1)
    shown = Shown()
    broken = Experiment(**{**vars(whole), "warm_ups": [lambda: 1 / 0]})
    assert completed(broken, run, shown=shown) == ({"1": 1}, {})
    assert shown.shown == []


def leave_a_mark(folder: Path, only: int) -> None:
    """A warm-up that ends every process but one."""
    if os.getpid() != only:
        os._exit(1)
    (folder / "mark").touch()


def refuse() -> None:
    raise InputError("no")


@pytest.mark.parametrize("jobs", [1, 2])
def test_warming_up_survives_a_process_and_tells_errors(tmp_path: Path, jobs: int) -> None:
    here: list[int] = []
    warm_up(jobs, [lambda: here.append(1), partial(leave_a_mark, tmp_path, os.getpid())])
    assert here[0] == 1
    assert (tmp_path / "mark").exists()
    with pytest.raises(InputError, match="no"):
        warm_up(jobs, [lambda: None, refuse])


def test_one_process_takes_the_next_task_when_it_is_done_with_the_last() -> None:
    taken: list[str] = []

    def tasks() -> Iterator[Task]:
        for key in "ab":
            taken.append(key)
            yield key, partial(power, Cell(1), ())

    results = in_this_process(tasks())
    next(results)
    assert taken == ["a"]

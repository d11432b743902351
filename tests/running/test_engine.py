"""The engine, on cells that compute next to nothing: order, waiting, failures, dead workers, progress."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import numba
import pytest
from msgspec.structs import replace as replace_record
from run_folders import config

from learnability.errors import InputError
from learnability.running import engine, workers
from learnability.running.cell import Cell, WarmUp
from learnability.running.engine import Completed, Pace, WaitingCells, Workload, complete, compute_cells
from learnability.running.folder import RunFolder
from learnability.running.progress_steps import REPORT_SECONDS
from learnability.running.records import Record, Records, encode, read_records
from learnability.running.workers import (
    Failure,
    InThisProcess,
    Workers,
    attempt,
    compiling_processes,
    warm_up,
)
from learnability.support.progress import ProgressSteps, TimeLeft


class Power(msgspec.Struct, frozen=True):
    value: int
    iterations: int = 1
    kernel_seconds: float = 2.0
    trained_tokens: int = 1_800_000


@dataclass(frozen=True, kw_only=True)
class PowerCell(Cell[Power]):
    """The power of two of a level; `below` is what the level below gave."""

    SETTING = "power"
    RESULT = Power
    level: int
    below: int = 0

    @property
    def subject(self) -> str:
        return str(self.level)

    def compute(self, fold: Any) -> Power:
        if self.level == 13:
            raise ZeroDivisionError("bad\nluck")
        return Power(2 * self.below or 1)


def cell_of(level: int) -> PowerCell:
    return PowerCell(treebank="T", level=level)


def record_of(level: int, value: int) -> Record:
    return Record.of(cell_of(level), Power(value))


def value_of(record: Record) -> int:
    power = record.result_as(Power)
    assert power is not None
    return power.value


def computed_record(cell: PowerCell) -> Record:
    return Record.of(cell, cell.compute(None))


def task(cell: PowerCell) -> Callable[[], Record]:
    return partial(computed_record, cell)


def workload(*levels: int, warm_ups: Sequence[WarmUp] = ()) -> Workload:
    """The powers of levels, each of which waits for the level below if that is there."""

    def wanted(records: Records) -> Iterator[PowerCell]:
        for level in levels:
            if level - 1 not in levels:
                yield cell_of(level)
            elif (below := records.result(cell_of(level - 1))) is not None:
                yield replace(cell_of(level), below=below.value)

    return Workload(
        next_cells=wanted,
        planned=[cell_of(level) for level in levels],
        possible=lambda records: [cell_of(level) for level in levels],
        adapts=False,
        task=task,
        seconds=lambda cell: float(cell.level),
        warm_ups=lambda cells: warm_ups,
    )


def begun(folder: Path, *, resume: bool = False) -> RunFolder:
    run = RunFolder(folder)
    run.begin(config(), resume=resume)
    return run


class Shown(ProgressSteps):
    def __init__(self) -> None:
        self.total: float | None = 0.0
        self.done = 0.0
        self.shown: list[tuple[str, str]] = []

    def begin(
        self,
        title: str,
        total: float | None = None,
        *,
        unit: str = "",
        expected: float | None = None,
        left: TimeLeft | None = None,
    ) -> None:
        self.total, self.expected = total, left

    def advance(
        self,
        amount: float = 1,
        *,
        title: str = "",
        count: str = "",
        total: float | None = None,
        left: TimeLeft | None = None,
    ) -> None:
        self.left = left
        self.total = total if total is not None else self.total
        self.done += amount
        self.shown.append((title, count))


def test_each_parser_has_a_pace_of_its_own() -> None:
    def cell(parser: str, seed: int) -> PowerCell:
        return PowerCell(treebank="T", level=1, parser=parser, seed=seed)

    to_do = [cell("quick", 2), cell("quick", 3), cell("slow", 1)]
    pace = Pace(lambda _: 2.0)
    assert pace.seconds(to_do) == 6.0
    pace.add(cell("quick", 1), Record.of(cell("quick", 1), wall_seconds=1.0))
    assert pace.seconds(to_do) == 3.0
    pace.add(cell("slow", 2), Record.of(cell("slow", 2), failed="no memory", wall_seconds=90.0))
    assert pace.seconds(to_do) == 3.0
    pace.add(cell("slow", 2), Record.of(cell("slow", 2), wall_seconds=40.0))
    assert pace.seconds(to_do) == 42.0
    assert pace.seconds([cell("other", 1)]) == 2.0 * 41 / 4


def test_the_pace_of_what_is_done_says_what_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LOOK_AHEAD_EVERY", 0.0)
    load, shown = workload(1, 2, 3), Shown()

    def slow(cell: PowerCell) -> Callable[[], Record]:
        return lambda: replace_record(computed_record(cell), wall_seconds=10.0 * cell.level)

    run = begun(tmp_path)
    run.append(encode(replace_record(record_of(1, 2), wall_seconds=10.0)))
    complete(replace(load, task=slow), run, jobs=1, cluster=None, steps=shown)
    seconds = 50.0 + REPORT_SECONDS  # 2 and 3, at 10 seconds for each estimated one, then the report
    assert shown.expected == TimeLeft(seconds)
    assert shown.left == TimeLeft(REPORT_SECONDS)


def levels_of(completed: Completed) -> tuple[dict[str, int], dict[str, str | None]]:
    values = {record.subject: value_of(record) for record in completed.records.values()}
    return values, {record.subject: record.failed for record in completed.failed}


def completed(
    load: Workload, folder: RunFolder, *, jobs: int = 1, shown: ProgressSteps | None = None
) -> tuple[dict[str, int], dict[str, str | None]]:
    return levels_of(complete(load, folder, jobs=jobs, cluster=None, steps=shown or ProgressSteps()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_cells_wait_for_the_records_they_need(tmp_path: Path, jobs: int) -> None:
    run = begun(tmp_path)
    values, failed = completed(workload(4, 3, 2, 1, 9), run, jobs=jobs)
    assert values == {"4": 8, "3": 4, "2": 2, "1": 1, "9": 1}
    assert failed == {}
    assert {record.subject for record in read_records(run.records).values()} == set(values)


@contextmanager
def two_threads() -> Iterator[Workers]:
    """Two workers."""
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        yield Workers([one, other])


def test_what_is_wanted_first_is_computed_first(tmp_path: Path) -> None:
    run = begun(tmp_path)
    completed(workload(4, 3, 9, 2, 1), run)
    # one process: after each record the first cell in the order of the workload that is ready
    assert [record.subject for record in read_records(run.records).values()] == ["9", "1", "2", "3", "4"]


def test_a_cell_that_becomes_wanted_is_started_while_others_are_under_way() -> None:
    """Level 20 ends only once level 3 has been computed, which waits for level 2, and that for level 1: an
    engine with rounds would leave a processor idle, and come to no end."""
    third = Event()

    def slow(cell: PowerCell) -> Record:
        if cell.level == 20 and not third.wait(timeout=20):
            raise TimeoutError("level 3 was not computed beside level 20")
        if cell.level == 3:
            third.set()
        return computed_record(cell)

    records = Records()
    load = replace(workload(20, 1, 2, 3), task=lambda cell: partial(slow, cell))
    order = []
    with two_threads() as workers:
        for cell, result in compute_cells(load, records, workers):
            assert isinstance(result, Record), result
            records.add(result)
            order.append(cell.subject)
    assert order[:2] == ["1", "2"]
    assert sorted(order[2:]) == ["20", "3"]


@pytest.mark.parametrize("cells", [20, 100])
def test_what_is_wanted_is_not_asked_after_every_record(cells: int) -> None:
    questions = 0
    load = workload(*range(20, 20 + 2 * cells, 2))

    def wanted(records: Records) -> Iterable[Cell[Any]]:
        nonlocal questions
        questions += 1
        return load.next_cells(records)

    records = Records()
    with two_threads() as workers:
        counted = replace(load, next_cells=wanted)
        for _, result in compute_cells(counted, records, workers):
            assert isinstance(result, Record), result
            records.add(result)
    assert len(records) == cells
    # each worker as finely as what cells share is looked at, and once for each of the last, after which none
    # follows
    assert questions <= 2 * 4 + 4


def waiting_cells(*cells: PowerCell) -> WaitingCells:
    return WaitingCells(replace(workload(), next_cells=lambda records: cells), Records())


def taken(waiting: WaitingCells, worker: str, *, is_idle: bool = True) -> tuple[str, int, int] | None:
    cell = waiting.take_next(worker, is_idle=is_idle)
    if cell is None:
        return None
    assert isinstance(cell, PowerCell)
    return cell.treebank, cell.fold, cell.level


def test_a_worker_takes_treebanks_of_its_own_then_subjects_folds_and_single_cells() -> None:
    places = (("T", 0), ("T", 1), ("U", 0))
    waiting = waiting_cells(
        *(
            PowerCell(treebank=treebank, fold=fold, level=level, seed=seed)
            for treebank, fold in places
            for level in (1, 2)
            for seed in (1, 2)
        )
    )
    assert taken(waiting, "A") == ("T", 0, 1)
    assert [taken(waiting, "B") for _ in range(4)] == [("U", 0, 1)] * 2 + [("U", 0, 2)] * 2
    assert [taken(waiting, "B") for _ in range(3)] == [("T", 0, 2)] * 2 + [("T", 1, 2)]
    assert taken(waiting, "C") == ("T", 1, 1)
    assert [taken(waiting, "A") for _ in range(2)] == [("T", 0, 1), ("T", 1, 1)]
    assert [taken(waiting, worker) for worker in "AB"] == [("T", 1, 2), None]
    assert [taken(waiting, worker) for worker in "ABC"] == [None] * 3


def test_a_worker_with_work_leaves_to_others_what_they_work_on() -> None:
    waiting = waiting_cells(*(PowerCell(treebank="T", level=1, seed=seed) for seed in range(4)))
    assert taken(waiting, "A") is not None
    assert taken(waiting, "A", is_idle=False) is not None
    assert [taken(waiting, "B", is_idle=False) for _ in range(4)] == [None] * 4
    assert taken(waiting, "B") is not None


class Noting(InThisProcess):
    def __init__(self) -> None:
        self.treebanks: list[str] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.treebanks.append(args[0].args[0].treebank)
        return super().submit(fn, *args, **kwargs)


def test_each_treebank_has_a_worker_and_none_waits() -> None:
    cells = [PowerCell(treebank=name, level=1, seed=seed) for name in "TUV" for seed in range(8)]
    records = Records()
    one, other = Noting(), Noting()
    load = replace(workload(), next_cells=lambda records: cells)
    for _, result in compute_cells(load, records, Workers([one, other])):
        assert isinstance(result, Record), result
        records.add(result)
    assert (one.treebanks, other.treebanks) == (["T"] * 8 + ["V"] * 4, ["U"] * 8 + ["V"] * 4)


def test_what_waits_for_a_failure_is_not_computed_and_a_failure_is_tried_again(tmp_path: Path) -> None:
    load = workload(12, 13, 14, 15)
    run = begun(tmp_path)
    values, failed = completed(load, run)
    assert values == {"12": 1}
    assert failed == {"13": "ZeroDivisionError: bad luck"}
    assert run.records.read_bytes().count(b"\n") == 2
    again = begun(tmp_path, resume=True)
    assert completed(load, again) == (values, failed)
    assert run.records.read_bytes().count(b"\n") == 3  # what had succeeded is not computed again


def test_records_of_other_cells_are_left_alone(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.append(encode(record_of(99, 7)))
    run.append(encode(record_of(1, 10)))
    assert completed(workload(1, 2), run) == ({"99": 7, "1": 10, "2": 20}, {})


@dataclass(eq=False)
class Deadly(Executor):
    """An executor whose worker dies with level 2 once, and with level 5 always."""

    died: list[str]

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        level = args[0].args[0].subject
        future: Future[Any] = Future()
        if level == "5" or (level == "2" and level not in self.died):
            self.died.append(level)
            future.set_exception(RuntimeError("the worker was killed"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("slots", [1, 3])
def test_a_dead_worker_loses_nothing_and_a_deadly_cell_is_a_failure(workers: int, slots: int) -> None:
    died: list[str] = []
    executors = [Deadly(died) for _ in range(workers)]
    records, failures = Records(), {}
    for cell, result in compute_cells(workload(1, 2, 3, 5, 6, 8), records, Workers(executors, slots)):
        if isinstance(result, Failure):
            failures[cell.subject] = result
        else:
            records.add(result)
    assert sorted(died) == ["2", "5", "5"]
    assert {record.subject: value_of(record) for record in records.values()} == {
        "1": 1, "2": 2, "3": 4, "8": 1,
    }  # fmt: skip
    assert failures == {"5": Failure("the worker process died: the worker was killed")}


def test_what_a_dead_worker_leaves_is_computed_again_with_nothing_beside() -> None:
    """The memory that it lacked is there when the others are done."""
    busy = Event()
    beside: list[bool] = []

    def slow(cell: PowerCell) -> Record:
        if cell.level == 20:
            busy.set()
            time.sleep(0.2)
            busy.clear()
        if cell.level == 2:
            beside.append(busy.is_set())
        return computed_record(cell)

    load = replace(workload(20, 2), task=lambda cell: partial(slow, cell))
    records = Records()
    with ThreadPoolExecutor(1) as other:
        for _, result in compute_cells(load, records, Workers([other, Deadly([])], slots=1)):
            assert isinstance(result, Record), result
            records.add(result)
    assert (len(records), beside) == (2, [False])


def test_what_was_under_way_beside_a_dead_worker_is_computed_once(tmp_path: Path) -> None:
    """A killed process takes the pool with it: whatever it was computing is handed out again."""
    load = replace(workload(*range(1, 9)), next_cells=lambda records: map(cell_of, range(1, 9)))
    only_once = tmp_path / "killed"

    def dying(cell: PowerCell) -> Record:
        if cell.level == 3 and not only_once.exists():
            only_once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return computed_record(cell)

    run = begun(tmp_path / "run")
    values, failed = completed(replace(load, task=lambda cell: partial(dying, cell)), run, jobs=2)
    assert only_once.exists()
    assert (values, failed) == ({str(level): 1 for level in range(1, 9)}, {})
    assert run.records.read_bytes().count(b"\n") == 8


def test_progress_is_full_when_all_cells_are_done(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.append(encode(record_of(1, 1)))
    shown = Shown()
    completed(workload(1, 2, 3, 13), run, jobs=1, shown=shown)
    assert (shown.total, shown.expected) == (4, TimeLeft(None))
    assert shown.done == shown.total
    assert shown.shown == [
        ("", "1/4 steps"),
        ("T (power) 2", "2/4 steps"),
        ("T (power) 3", "3/4 steps"),
        ("T (power) 13", "4/4 steps, 1 failed"),
    ]


def test_what_results_decide_is_ahead_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of five cells turn out not to be wanted; the bar ends with the work."""
    monkeypatch.setattr(engine, "LOOK_AHEAD_EVERY", 0.0)

    def possible(records: Records) -> list[PowerCell]:
        return [cell_of(level) for level in ((1, 2, 3, 5, 6) if len(records) < 2 else (1, 2, 3))]

    shown = Shown()
    load = replace(workload(1, 2, 3), planned=(), possible=possible, adapts=True)
    completed(load, begun(tmp_path), jobs=1, shown=shown)
    assert [count for _, count in shown.shown] == [
        "0 of at most 5 steps",
        "1 of at most 5 steps",
        "2 of at most 3 steps",
        "3/3 steps",
    ]
    assert shown.done == shown.total == 3
    assert shown.left == TimeLeft(REPORT_SECONDS, is_most=True)


def test_of_what_nobody_knows_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LOOK_AHEAD_EVERY", 0.0)
    shown = Shown()
    load = replace(
        workload(1, 2, 3), possible=lambda records: [cell_of(3)] if len(records) > 1 else None, adapts=True
    )
    completed(load, begun(tmp_path), jobs=1, shown=shown)
    counts = [count for _, count in shown.shown]
    assert counts == ["0 steps", "1 step", "2 of at most 3 steps", "3/3 steps"]
    assert shown.expected == TimeLeft(None)


def never() -> None:
    raise AssertionError("warmed up")


def test_nothing_is_warmed_up_if_nothing_is_missing(tmp_path: Path) -> None:
    run = begun(tmp_path)
    shown = Shown()
    warm_ups = [WarmUp("arc-eager", never)]
    with pytest.raises(AssertionError, match="warmed up"):
        completed(workload(1, warm_ups=warm_ups), run)
    run.append(encode(record_of(1, 1)))
    assert completed(workload(1, warm_ups=warm_ups), run, shown=shown) == ({"1": 1}, {})
    assert shown.shown == []


def leave_a_mark(folder: Path, only: int) -> None:
    """A warm-up that ends every process but one."""
    if os.getpid() != only:
        os._exit(1)
    (folder / "mark").touch()


def refuse() -> None:
    raise InputError("no")


def compile_something() -> None:
    numba.njit(lambda x: x + 1)(1)


@pytest.mark.parametrize("first", [time.monotonic, compile_something])
@pytest.mark.parametrize("jobs", [1, 2])
def test_warming_up_survives_a_process_and_tells_errors(
    tmp_path: Path, jobs: int, first: Callable[[], object]
) -> None:
    here: list[object] = []
    warm_up(jobs, [lambda: here.append(first()), partial(leave_a_mark, tmp_path, os.getpid())])
    assert here
    assert (tmp_path / "mark").exists()
    with pytest.raises(InputError, match="no"):
        warm_up(jobs, [first, refuse])


def note_process(folder: Path, name: str) -> None:
    (folder / name).write_text(str(os.getpid()))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("compiles", [True, False])
def test_others_warm_up_meanwhile_if_something_is_compiled(tmp_path: Path, compiles: bool) -> None:
    """A process takes longer to start than kernels to load."""

    def first() -> None:
        if compiles:
            compile_something()
            deadline = time.monotonic() + 120
            while not (tmp_path / "second").exists() and time.monotonic() < deadline:
                time.sleep(0.05)

    warm_up(2, [first, partial(note_process, tmp_path, "second"), partial(note_process, tmp_path, "third")])
    assert ((tmp_path / "second").read_text() == str(os.getpid())) is not compiles
    assert (tmp_path / "third").exists()


def test_a_run_of_one_process_compiles_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "default_jobs", lambda: 4)
    assert [compiling_processes(jobs) for jobs in (1, 2, 3)] == [2, 2, 3]
    monkeypatch.setattr(workers, "default_jobs", lambda: 1)
    assert compiling_processes(1) == 1


def test_one_process_takes_the_next_task_when_it_is_done_with_the_last() -> None:
    taken: list[str] = []

    def noted(cell: PowerCell) -> Record:
        taken.append(cell.subject)
        return computed_record(cell)

    load = replace(workload(1, 9), task=lambda cell: partial(noted, cell))
    results = compute_cells(load, Records(), Workers([InThisProcess()], slots=1))
    next(results)
    assert taken == ["1"]


def test_an_error_of_a_cell_is_told_with_its_kind_unless_it_is_ours() -> None:
    assert attempt(refuse) == Failure("no")
    assert attempt(task(cell_of(13))) == Failure("ZeroDivisionError: bad\nluck")

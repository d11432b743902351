"""Compute the cells of a run that are wanted and not recorded yet, and record them.

A run is a loop. It determines which cells are wanted, given the records so far. It hands them to workers,
adds each record as it arrives, and looks again when all that were wanted are handed out. So the choice of
trainings may depend on earlier results, no processor waits for a round to end, and what a record costs does
not grow with the number of cells. Wherever cells are computed (`workers`), the records are the same. No cell
is computed twice, not even after an interruption or when a worker dies.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from learnability.running.cell import Cell, WarmUp, estimate_compiling
from learnability.running.folder import RunFolder
from learnability.running.records import Record, Records, encode, read_records
from learnability.running.stages import REPORT_SECONDS, kernels_stage
from learnability.running.workers import Failure, Workers, attempt, compiling_processes, worker_pool
from learnability.support.nouns import count_noun
from learnability.support.progress import Stages, TimeLeft
from learnability.support.signals import describe_kept

AnyCell = Cell[Any]


@dataclass(frozen=True)
class Workload:
    """Describe a run to the engine.

    Attributes:
        wanted: returns the cells to compute, the best first, given the records so far; it may return cells
            that are recorded already, and returns no cell that needs a record which is not there. Records
            may be added while the cells are taken; the engine asks again when the last of them is taken.
        foreseen: the cells that will be wanted as far as it is known from the beginning; for estimates, and
            to load kernels.
        task: returns what computes a cell, in any process.
        ahead: returns all cells that may be wanted yet, given the records so far, and any that are recorded;
            None while that is unknown.
        adapts: whether records decide what else is wanted, so that fewer cells than are ahead may be enough.
        seconds: returns about how long a cell takes on one processor.
        warm_ups: what compiles or loads the kernels that cells need.
        so_far: returns what the records show so far: headings and rows of a table.
    """

    wanted: Callable[[Records], Iterable[AnyCell]]
    foreseen: Sequence[AnyCell]
    ahead: Callable[[Records], Iterable[AnyCell] | None]
    adapts: bool
    task: Callable[[AnyCell], Callable[[], Record]]
    seconds: Callable[[AnyCell], float]
    warm_ups: Callable[[Iterable[AnyCell]], Sequence[WarmUp]]
    so_far: Callable[[Records], Sequence[Sequence[str]]] = lambda records: ()


@dataclass(frozen=True)
class Completed:
    """Hold what a run has computed: its records, and those of cells that failed."""

    records: Records
    failed: tuple[Record, ...]


def compute_cells(
    workload: Workload, records: Records, workers: Workers
) -> Generator[tuple[AnyCell, Record | Failure]]:
    """Compute the cells that are wanted; yield each cell with its record, or the reason why it failed.

    The caller adds each record to `records` before it requests the next. If a worker dies (out of memory,
    killed), the cells under way are computed again, one by one. A cell during which the worker dies again has
    failed.
    """
    executor = workers.executor()
    under_way: dict[Future[Record | Failure], AnyCell] = {}
    failed: set[str] = set()

    def noted(cell: AnyCell, result: Record | Failure) -> tuple[AnyCell, Record | Failure]:
        if isinstance(result, Failure):
            failed.add(cell.key)
        return cell, result

    try:
        waiting = WaitingCells(workload, records)
        while True:
            busy = {cell.key for cell in under_way.values()} | failed
            while len(under_way) < workers.slots and (cell := waiting.take_next(busy)) is not None:
                under_way[_submit_call(executor, workload.task(cell))] = cell
                busy.add(cell.key)
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            lost: list[tuple[AnyCell, BaseException]] = []
            for future in [future for future in under_way if future in done]:
                cell, error = under_way.pop(future), future.exception()
                if error is None:
                    yield noted(cell, future.result())
                else:  # a cell's own errors are failures: this one is the worker's
                    lost.append((cell, error))
            if lost:
                lost += [(cell, lost[0][1]) for cell in under_way.values()]
                under_way.clear()
                for cell, error in lost:
                    yield noted(cell, _compute_again(workers.executor(), workload.task(cell), error))
                executor = workers.executor()
    finally:
        for future in under_way:
            future.cancel()


class WaitingCells:
    """Hand out the cells that are wanted, and ask which ones these are when there is none left."""

    def __init__(self, workload: Workload, records: Records) -> None:
        self._workload, self._records = workload, records
        self._cells: Iterator[AnyCell] = iter(())
        self._records_when_asked = -1

    def take_next(self, busy: Collection[str]) -> AnyCell | None:
        """Return the next cell that is neither recorded nor `busy`; None if no other is wanted by now.

        Args:
            busy: the keys of cells that are under way or have failed.
        """
        while True:
            for cell in self._cells:
                if cell.key not in self._records and cell.key not in busy:
                    return cell
            if self._records_when_asked == len(self._records):
                return None
            self._records_when_asked = len(self._records)
            self._cells = iter(self._workload.wanted(self._records))


def _submit_call(executor: Executor, task: Callable[[], Record]) -> Future[Record | Failure]:
    """Submit a call; one that comes when a worker has died already fails like those that were under way."""
    try:
        return executor.submit(attempt, task)
    except BrokenExecutor as error:
        future: Future[Record | Failure] = Future()
        future.set_exception(error)
        return future


def _compute_again(executor: Executor, task: Callable[[], Record], error: BaseException) -> Record | Failure:
    """Compute a cell whose worker was lost once more, with nothing beside it."""
    try:
        return executor.submit(attempt, task).result()
    except Exception as second:
        return Failure(f"the worker process died: {second or error}")


class Pace:
    """Learn from finished cells how long the others take.

    Estimates of different parsers and settings are wrong in different ways, so each has a rate of its own.
    """

    def __init__(self, seconds: Callable[[AnyCell], float]) -> None:
        self._seconds = seconds
        self._estimated: defaultdict[str, float] = defaultdict(float)
        self._taken: defaultdict[str, float] = defaultdict(float)

    def add(self, cell: AnyCell, record: Record) -> None:
        """Learn from a cell that is done."""
        if record.failed is None and record.wall_seconds > 0:
            for kind in _kinds(cell):
                self._estimated[kind] += self._seconds(cell)
                self._taken[kind] += record.wall_seconds

    def seconds(self, cells: Iterable[AnyCell]) -> float:
        """Return the processor seconds that these cells will take."""
        return sum(self._seconds(cell) * self._rate(cell) for cell in cells)

    def is_known(self, cells: Iterable[AnyCell]) -> bool:
        """Return whether cells like most of these are done, by the time that they take."""
        known = unknown = 0.0
        for cell in cells:
            seconds = self._seconds(cell)
            if self._estimated[_kinds(cell)[0]]:
                known += seconds
            else:
                unknown += seconds
        return known >= unknown

    def _rate(self, cell: AnyCell) -> float:
        """Return the ratio of the time taken to the estimate: of cells like this one, else of all, else 1."""
        for kind in _kinds(cell):
            if self._estimated[kind]:
                return self._taken[kind] / self._estimated[kind]
        return 1.0


def _kinds(cell: AnyCell) -> tuple[str, str, str]:
    """Return which cells are like a cell: those of its parser and setting, of its parser, all."""
    return f"{cell.parser} {cell.SETTING}", cell.parser, ALL_CELLS


ALL_CELLS = "*"
"""Stands for cells of all kinds."""

LOOK_AHEAD_EVERY = 1.0
"""Seconds between two looks at what is ahead of a run."""


class Outlook:
    """Know which cells of a run may still be computed.

    Attributes:
        to_do: these cells, by key; None while nobody can tell.
    """

    def __init__(self, workload: Workload, records: Records, failed: Collection[Record]) -> None:
        self._workload, self._records, self._failed = workload, records, failed
        self.to_do: dict[str, AnyCell] | None = None
        self._look()

    def _look(self) -> None:
        """Ask the run what is ahead of it."""
        ahead = self._workload.ahead(self._records)
        done = self._records.keys() | {record.key for record in self._failed}
        self.to_do = None if ahead is None else {cell.key: cell for cell in ahead if cell.key not in done}
        self._looked_at = time.monotonic()

    def note(self, cell: AnyCell) -> None:
        """Note that a cell was computed."""
        if self._workload.adapts and time.monotonic() - self._looked_at > LOOK_AHEAD_EVERY:
            self._look()
        elif self.to_do is not None:
            self.to_do.pop(cell.key, None)

    @property
    def total(self) -> int | None:
        """Return the number of cells that are done or may be wanted yet; None while nobody can tell."""
        done = len(self._records) + len(self._failed)
        return None if self.to_do is None else done + len(self.to_do)

    def count(self) -> str:
        """Return how much of the run is done: ``3/12 steps``, ``3 of at most 12 steps``, ``3 steps``."""
        done = len(self._records) + len(self._failed)
        text = count_noun(done, "step")
        if self.total is not None:
            of = " of at most " if self._workload.adapts and self.to_do else "/"
            text = f"{done}{of}{count_noun(self.total, 'step')}"
        return text + (f", {len(self._failed)} failed" if self._failed else "")


def complete(
    workload: Workload, folder: RunFolder, *, jobs: int, cluster: str | None, stages: Stages
) -> Completed:
    """Compute what a folder lacks; records are appended to it as they come.

    A cell that fails is recorded with its reason and the others go on.

    Args:
        workload: the run.
        folder: where it is recorded; it was begun.
        jobs: processes.
        cluster: address of a dask cluster that takes the place of processes.
        stages: shows progress.
    """
    records = Records(read_records(folder.records).values())
    failed: list[Record] = []
    first = [cell for cell in workload.wanted(records) if cell.key not in records]
    if not first:
        return Completed(records, ())
    pace = Pace(workload.seconds)
    for cell in workload.foreseen:
        if cell.key in records:
            pace.add(cell, records[cell.key])
    expected = {cell.key: cell for cell in (*workload.foreseen, *first) if cell.key not in records}
    outlook = Outlook(workload, records, failed)

    told, told_at = TimeLeft(None), -math.inf

    def time_left() -> TimeLeft:
        nonlocal told, told_at
        passed = time.monotonic() - told_at
        if outlook.to_do and passed < LOOK_AHEAD_EVERY:  # a survey has thousands of cells and of records
            return told.after(passed) or TimeLeft(None)
        told, told_at = TimeLeft(None), time.monotonic()
        if outlook.to_do is not None and pace.is_known(outlook.to_do.values()):
            seconds = pace.seconds(outlook.to_do.values()) / jobs + REPORT_SECONDS
            told = TimeLeft(seconds, is_most=workload.adapts)
        return told

    with ExitStack() as stack:
        stack.enter_context(describe_kept(lambda: kept_trainings(folder, records)))
        warm_ups = workload.warm_ups(expected.values())
        systems = list(dict.fromkeys(warm_up.system for warm_up in warm_ups))
        processes = min(jobs, len(expected))
        compiling = estimate_compiling(warm_ups, compiling_processes(processes))
        with kernels_stage(stages, systems, compiling):
            workers = stack.enter_context(worker_pool(processes, cluster, warm_ups))
        stages.stage("training", len(records) + len(outlook.to_do or expected), left=time_left())
        stages.advance(len(records), count=outlook.count(), left=time_left())
        for cell, result in stack.enter_context(closing(compute_cells(workload, records, workers))):
            if isinstance(result, Failure):
                reason = " ".join(result.reason.split()) or "unknown"
                record = Record.of(cell, failed=reason)
                failed.append(record)
            else:
                record = result
                records.add(record)
            folder.append(encode(record))
            pace.add(cell, record)
            outlook.note(cell)
            stages.show_table(lambda: workload.so_far(records))
            stages.advance(
                title=cell.title, speed=_speed(record), count=outlook.count(),
                total=outlook.total, left=time_left(),
            )  # fmt: skip
    return Completed(records, tuple(sorted(failed, key=lambda record: record.key)))


def kept_trainings(folder: RunFolder, records: Records) -> str:
    """Return what the folder holds if the run is interrupted now."""
    if not folder.records.exists():
        return ""
    trainings = sum(record.work is not None for record in list(records.values()))
    return f"{count_noun(trainings, 'training')} kept" if trainings else "all finished trainings are kept"


def _speed(record: Record) -> str:
    work = record.work
    if work is None or not work.kernel_seconds or not work.trained_tokens:
        return ""
    return f"{work.trained_tokens / work.kernel_seconds / 1000:,.0f}k tokens/s"

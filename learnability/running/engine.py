"""Compute the cells of a run that are wanted and not recorded yet, and record them.

A run is a loop. It determines which cells are wanted, given the records so far. It hands them to workers,
adds each record as it arrives, and looks again when all that were wanted are handed out. So the choice of
trainings may depend on earlier results, no processor waits for a round to end, and what a record costs does
not grow with the number of cells. Each worker gets the cells of a treebank as long as others have enough to
do, so that only one reads and prepares it. Wherever cells are computed (`workers`), the records are the same.
No cell is computed twice, not even after an interruption or when a worker dies.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from learnability.running.cell import Cell, WarmUp, estimate_compiling
from learnability.running.folder import RunFolder
from learnability.running.progress_steps import REPORT_SECONDS, kernels_step
from learnability.running.records import Record, Records, encode, read_records
from learnability.running.workers import Failure, Workers, attempt, compiling_processes, worker_pool
from learnability.support.nouns import count_noun
from learnability.support.progress import ProgressSteps, TimeLeft
from learnability.support.signals import describe_kept

AnyCell = Cell[Any]
Shared = tuple[Hashable, ...]
"""What cells share, or the beginning of it (`Cell.shared`)."""


@dataclass(frozen=True)
class Workload:
    """Describe a run to the engine.

    `next_cells` returns the cells to compute, the best first, given the records so far; it may return cells
    that are recorded, and returns none that needs a record which is not there. Records may be added while the
    cells are taken; each worker takes from an answer of its own, and the engine asks again when it has come
    to the end. `planned` are those wanted as far as it is known from the beginning; `possible` returns all
    that may be wanted yet, and any that are recorded, None while that is unknown. It `adapts` if records
    decide what else is wanted.
    """

    next_cells: Callable[[Records], Iterable[AnyCell]]
    planned: Sequence[AnyCell]
    possible: Callable[[Records], Iterable[AnyCell] | None]
    adapts: bool
    task: Callable[[AnyCell], Callable[[], Record]]
    seconds: Callable[[AnyCell], float]
    warm_ups: Callable[[Iterable[AnyCell]], Sequence[WarmUp]]


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
    killed), its cells are computed again, one by one, when all others are done. A cell during which a worker
    dies again has failed.
    """
    waiting = WaitingCells(workload, records)
    under_way: dict[Future[Record | Failure], tuple[Executor, AnyCell]] = {}
    try:
        while True:
            calls = Counter(executor for executor, _ in under_way.values())
            for number, executor in product(range(workers.slots), workers.executors):
                if calls[executor] > number:
                    continue
                cell = waiting.take_next(executor, is_idle=number == 0)
                if cell is not None:
                    under_way[executor.submit(attempt, workload.task(cell))] = executor, cell
                    calls[executor] += 1
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            lost: list[tuple[Executor, AnyCell]] = []
            while done:
                for future in [future for future in under_way if future in done]:
                    executor, cell = under_way.pop(future)
                    if future.exception() is None:
                        yield cell, future.result()
                    else:  # a cell's own errors are failures: this one is the worker's
                        lost.append((executor, cell))
                done = wait(under_way).done if lost else set()
            for executor, cell in lost:
                yield cell, _compute_again(executor, workload.task(cell))
    finally:
        for future in under_way:
            future.cancel()


@dataclass
class OfferedCells:
    """Hold the cells that are left for a worker to take.

    `depth`: how much of `Cell.shared` they may not have in common with what other workers have begun;
    `passed`: whether there was a cell that does.
    """

    cells: Iterator[AnyCell] = field(default_factory=lambda: iter(()))
    depth: int = 0
    passed: bool = False


class WaitingCells:
    """Hand out the cells that are wanted.

    What cells share (`Cell.shared`) is made once by each worker that gets one of them. So a worker gets,
    in the order in which they are wanted, the cells of treebanks on which no other works; when there are none
    left, those of subjects that no other has begun there, then those of folds, and at last all.
    """

    def __init__(self, workload: Workload, records: Records) -> None:
        self._workload, self._records = workload, records
        self._taken: set[str] = set()
        self._offers: defaultdict[Hashable, OfferedCells] = defaultdict(OfferedCells)
        self._begun: defaultdict[Hashable, set[Shared]] = defaultdict(set)
        self._workers_on: Counter[Shared] = Counter()
        self._records_when_none = -1

    def take_next(self, worker: Hashable, *, is_idle: bool) -> AnyCell | None:
        """Return the next cell for a worker that is neither recorded nor taken; None if there is none by now,
        or, unless the worker `is_idle`, if another may do it with less work."""
        while True:
            offer = self._offers[worker]
            for cell in offer.cells:
                self._note(worker, cell)
                return cell
            # nothing was left to others, and nothing has been recorded since: there is nothing new to find
            if not is_idle or (not offer.passed and self._records_when_none == len(self._records)):
                return None
            # cells that were left to others are offered again, each time to share one thing more
            self._offers[worker] = following = OfferedCells(depth=offer.depth + 1 if offer.passed else 1)
            following.cells = self._list_cells(worker, following)

    def _list_cells(self, worker: Hashable, offer: OfferedCells) -> Iterator[AnyCell]:
        asked = len(self._records)
        for cell in self._workload.next_cells(self._records):
            if cell.key in self._records or cell.key in self._taken:
                continue
            if self._is_with_others(worker, cell.shared, offer.depth):
                offer.passed = True
            else:
                yield cell
        if not offer.passed:
            self._records_when_none = asked

    def _is_with_others(self, worker: Hashable, shared: Shared, depth: int) -> bool:
        if depth > len(shared):
            return False
        part = shared[:depth]
        return self._workers_on[part] > (part in self._begun[worker])

    def _note(self, worker: Hashable, cell: AnyCell) -> None:
        self._taken.add(cell.key)
        parts = {cell.shared[:depth] for depth in range(1, len(cell.shared) + 1)}
        begun = self._begun[worker]
        if cell.shared[:1] not in begun:
            self._workers_on.subtract(begun)
            begun.clear()
        self._workers_on.update(parts - begun)
        begun |= parts


def _compute_again(executor: Executor, task: Callable[[], Record]) -> Record | Failure:
    try:
        return executor.submit(attempt, task).result()
    except Exception as error:
        return Failure(f"the worker process died: {error}")


class Pace:
    """Learn from finished cells how long the others take.

    Estimates of different parsers and settings are wrong in different ways, so each has a rate of its own.
    """

    def __init__(self, seconds: Callable[[AnyCell], float]) -> None:
        self._seconds = seconds
        self._estimated: defaultdict[str, float] = defaultdict(float)
        self._taken: defaultdict[str, float] = defaultdict(float)

    def add(self, cell: AnyCell, record: Record) -> None:
        if record.failed is None and record.wall_seconds > 0:
            for kind in _kinds(cell):
                self._estimated[kind] += self._seconds(cell)
                self._taken[kind] += record.wall_seconds

    def seconds(self, cells: Iterable[AnyCell]) -> float:
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
        for kind in _kinds(cell):
            if self._estimated[kind]:
                return self._taken[kind] / self._estimated[kind]
        return 1.0


def _kinds(cell: AnyCell) -> tuple[str, str, str]:
    return f"{cell.parser} {cell.SETTING}", cell.parser, ALL_CELLS


ALL_CELLS = "*"
"""Stands for cells of all kinds."""

LOOK_AHEAD_EVERY = 1.0
"""Seconds between two looks at what is ahead of a run."""


class Outlook:
    """Know which cells of a run may still be computed, by key (`to_do`; None while nobody can tell)."""

    def __init__(self, workload: Workload, records: Records, failed: Collection[Record]) -> None:
        self._workload, self._records, self._failed = workload, records, failed
        self.to_do: dict[str, AnyCell] | None = None
        self._look()

    def _look(self) -> None:
        possible = self._workload.possible(self._records)
        done = self._records.keys() | {record.key for record in self._failed}
        self.to_do = (
            None if possible is None else {cell.key: cell for cell in possible if cell.key not in done}
        )
        self._looked_at = time.monotonic()

    def note(self, cell: AnyCell) -> None:
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
    workload: Workload, folder: RunFolder, *, jobs: int, cluster: str | None, steps: ProgressSteps
) -> Completed:
    """Compute what a folder lacks; records are appended to it as they come.

    A cell that fails is recorded with its reason and the others go on."""
    records = Records(read_records(folder.records).values())
    failed: list[Record] = []
    first = [cell for cell in workload.next_cells(records) if cell.key not in records]
    if not first:
        return Completed(records, ())
    pace = Pace(workload.seconds)
    for cell in workload.planned:
        if cell.key in records:
            pace.add(cell, records[cell.key])
    expected = {cell.key: cell for cell in (*workload.planned, *first) if cell.key not in records}
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
        with kernels_step(steps, systems, compiling):
            workers = stack.enter_context(worker_pool(processes, cluster, warm_ups))
        steps.begin("training", len(records) + len(outlook.to_do or expected), left=time_left())
        steps.advance(len(records), count=outlook.count(), left=time_left())
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
            steps.advance(title=cell.title, count=outlook.count(), total=outlook.total, left=time_left())
    return Completed(records, tuple(sorted(failed, key=lambda record: record.key)))


def kept_trainings(folder: RunFolder, records: Records) -> str:
    """Return what the folder holds if the run is interrupted now."""
    if not folder.records.exists():
        return ""
    trainings = sum(record.work is not None for record in list(records.values()))
    return f"{count_noun(trainings, 'training')} kept" if trainings else "all finished trainings are kept"

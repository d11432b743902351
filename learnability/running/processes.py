"""Share work among processes of this machine, and begin and end such a process."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import islice
from typing import ParamSpec, TypeVar

from learnability.support.memory import collect_rarely

T = TypeVar("T")
Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

IDLE_SECONDS = 300
"""After so long without work a process ends; the next work starts a new one."""

MOST_GROWTH = 600 << 20
"""The bytes by which a process may grow until another takes its place: below a gigabyte in all."""


def begin_worker() -> None:
    """Make this process a worker: it leaves Ctrl-C, which a terminal sends to all processes, to its parent,
    and ends within a second of its parent, whatever ended that."""
    from joblib.externals.loky import process_executor

    collect_rarely()
    # loky would renew a process that grows by 300 MB, as by the folds of one treebank of 20,000 words;
    # the new one reads, prepares and loads kernels again
    process_executor._MAX_MEMORY_LEAK_SIZE = MOST_GROWTH
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    started_by = multiprocessing.parent_process()
    parent = (started_by.pid if started_by else None) or os.getppid()

    def watch() -> None:  # kernels do not hold the interpreter's lock: this runs beside them
        while os.getppid() == parent:  # another process adopts an orphan
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def start_trackers() -> None:
    """Start the processes that remove semaphores and shared memory after a killed command.

    They print nothing, and they survive when a terminal hangs up.
    """
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as of_loky

    before = os.environ.get("PYTHONWARNINGS")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker:UserWarning"]))
    try:
        for tracker in (resource_tracker, of_loky):
            tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class LocalProcess(Executor):
    """Execute calls in a process of this machine, one after the other; if it dies, the next starts another.

    It is a pool of one process, because any process of a larger pool may take a call.
    """

    def __init__(self) -> None:
        self._pool = _start_pool()

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self._pool = _start_pool()
            return self._pool.submit(fn, *args, **kwargs)


def _start_pool() -> Executor:
    from joblib.externals.loky import ProcessPoolExecutor

    start_trackers()
    pool: Executor = ProcessPoolExecutor(max_workers=1, timeout=IDLE_SECONDS, initializer=begin_worker)
    return pool


_processes: list[LocalProcess] = []
"""The processes that this one has started."""

atexit.register(_processes.clear)  # later, when modules are gone, loky would fail at it and say so


def local_processes(jobs: int) -> list[LocalProcess]:
    """Return `jobs` processes; those that there are already come first."""
    while len(_processes) < jobs:
        _processes.append(LocalProcess())
    return _processes[:jobs]


def map_in_processes(function: Callable[[T], Result], items: Sequence[T], jobs: int) -> Iterator[Result]:
    """Yield what the function gives for each item, in order, computed by `jobs` processes.

    If a process dies, this one computes its item.
    """
    if jobs == 1 or len(items) < 2:
        yield from map(function, items)
        return
    waiting = iter(range(len(items)))
    under_way: dict[Future[Result], tuple[int, LocalProcess]] = {}
    results: dict[int, Result] = {}

    def give(process: LocalProcess) -> None:
        for number in islice(waiting, 1):
            under_way[process.submit(function, items[number])] = number, process

    for process in local_processes(jobs):
        give(process)
    for wanted in range(len(items)):
        while wanted not in results:
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                number, process = under_way.pop(future)
                give(process)
                try:
                    results[number] = future.result()
                except BrokenExecutor:
                    results[number] = function(items[number])
        yield results.pop(wanted)

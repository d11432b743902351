"""Share work among processes of this machine, and begin and end such a process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from typing import TypeVar

from learnability.support.memory import collect_rarely

T = TypeVar("T")
Result = TypeVar("Result")

IDLE_SECONDS = 300
"""After so long without work a process ends; the next work starts a new one."""


def begin_worker() -> None:
    """Make this process a worker.

    It leaves Ctrl-C, which a terminal sends to all processes, to its parent, and ends within a second of its
    parent, whatever ended that.
    """
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    started_by = multiprocessing.parent_process()
    parent = (started_by.pid if started_by else None) or os.getppid()

    def watch() -> None:  # kernels do not hold the interpreter's lock: this runs beside them
        while is_running(parent):
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def is_running(parent: int) -> bool:
    """Tell whether the process that started this one still runs."""
    if os.name == "posix":
        return os.getppid() == parent  # another process adopts an orphan
    import psutil

    return bool(psutil.pid_exists(parent))


def start_trackers() -> None:
    """Start the processes that remove semaphores and shared memory after a killed command.

    They print nothing, and they survive when a terminal hangs up. Systems other than POSIX remove both with
    the last process that uses them.
    """
    if os.name != "posix":
        return
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


def local_executor(jobs: int) -> Executor:
    """Return loky's pool of `jobs` processes; the same again for the same number, unless a process died."""
    from joblib.externals.loky import get_reusable_executor

    start_trackers()
    executor: Executor = get_reusable_executor(
        max_workers=jobs, timeout=IDLE_SECONDS, initializer=begin_worker
    )
    return executor


def map_in_processes(function: Callable[[T], Result], items: Sequence[T], jobs: int) -> Iterator[Result]:
    """Yield what the function gives for each item, in order, computed by `jobs` processes.

    If a process dies, this one computes what is left.
    """
    if jobs == 1 or len(items) < 2:
        yield from map(function, items)
        return
    done = 0
    try:
        for result in local_executor(jobs).map(function, items):
            done += 1
            yield result
    except BrokenExecutor:
        yield from map(function, items[done:])

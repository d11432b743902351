"""Compute cells in this process, or in others (loky)."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from learnability.errors import InputError, RunError
from learnability.parsing.jit import noticed_compilation
from learnability.running.processes import local_processes
from learnability.running.workforce import default_jobs

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

MOST_COMPILING = 2
"""The most processes that compile for a run of one process: it needs the kernels of two kinds of training."""


@dataclass(frozen=True)
class Failure:
    """Take the place of a record that could not be computed."""

    reason: str


def attempt(compute: Callable[[], Result]) -> Result | Failure:
    """Return what `compute` returns, or why it failed: a failed cell must leave the others alone."""
    try:
        return compute()
    except Exception as error:
        kind = "" if isinstance(error, InputError | RunError) else f"{type(error).__name__}: "
        return Failure(f"{kind}{error}")


class InThisProcess(Executor):
    """Execute the calls of a single job, each when it is submitted."""

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        """Call the function now."""
        future: Future[Result] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@dataclass(frozen=True)
class Workers:
    """Workers that compute cells.

    Attributes:
        executors: what takes the calls of each worker; it takes others when the worker was lost.
        slots: the calls of each that are under way at most: with two, none has to wait for the next.
    """

    executors: Sequence[Executor]
    slots: int = 2


def start_workers(jobs: int, warm_ups: Sequence[Callable[[], object]]) -> Workers:
    """Return workers; one job is done in this process.

    Args:
        jobs: processes.
        warm_ups: are called once before, so that not every worker compiles.
    """
    warm_up(compiling_processes(jobs), warm_ups)
    if jobs == 1:
        return Workers([InThisProcess()], slots=1)
    # loky renews workers whose memory has grown and says so; nothing is lost by that
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
    return Workers(local_processes(jobs))


def warm_up(jobs: int, warm_ups: Sequence[Callable[[], object]]) -> None:
    """Call them here; as soon as one of them compiles, other processes take their share.

    Args:
        jobs: processes that may be busy at once.
        warm_ups: what compiles kernels, or loads those that the cache has.
    """
    waiting, lock = list(warm_ups), threading.Lock()
    others: list[Future[object]] = []

    def take() -> Callable[[], object] | None:
        with lock:
            return waiting.pop(0) if waiting else None

    def give(executor: Executor, last: Future[object] | None = None) -> None:
        """Let another process make the next call, and once it has returned, the one after it."""
        if last is not None and last.exception() is not None:
            return  # which is raised below
        if (call := take()) is not None:
            others.append(executor.submit(call))
            others[-1].add_done_callback(partial(give, executor))

    def share() -> None:
        if not others and waiting:
            for process in local_processes(jobs - 1):
                give(process)

    with suppress(BrokenProcessPool):
        with noticed_compilation(share) if jobs > 1 else nullcontext():
            while (call := take()) is not None:
                call()
        for other in others:
            other.result()
        return
    _call(warm_ups)  # also what a process that died has not compiled: else every worker would compile it


def compiling_processes(jobs: int) -> int:
    """Return the number of processes that compile for a run of `jobs` processes.

    A short run in one process would wait longer for its kernels than it takes.
    """
    return max(jobs, min(default_jobs(), MOST_COMPILING))


def _call(functions: Sequence[Callable[[], object]]) -> None:
    for function in functions:
        function()

"""Compute cells in this process, in local ones (loky), or on a `dask.distributed` cluster."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

from learnability.errors import InputError, RunError
from learnability.parsing.jit import noticed_compilation
from learnability.running.processes import local_processes, start_trackers
from learnability.running.versions import installed_versions
from learnability.running.workforce import default_jobs
from learnability.support.extras import check_extra

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

MOST_COMPILING = 2
"""The most processes that compile for a run of one process: it needs the kernels of two kinds of training."""


@dataclass(frozen=True)
class Failure:
    """Take the place of a record that could not be computed."""

    reason: str


def attempt(compute: Callable[[], Result]) -> Result | Failure:
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
    """Hold what takes the calls of each worker, and how many of each are under way at most: with two, none
    has to wait for the next."""

    executors: Sequence[Executor]
    slots: int = 2


@contextmanager
def worker_pool(
    jobs: int, cluster: str | None, warm_ups: Sequence[Callable[[], object]]
) -> Iterator[Workers]:
    """Yield workers: `jobs` local processes, or those of a dask cluster (`tcp://host:port` of a scheduler, or
    `local:N`). On every machine `warm_ups` are called once before; InputError if the cluster cannot be
    used."""
    if cluster is None:
        warm_up(compiling_processes(jobs), warm_ups)
        if jobs == 1:
            yield Workers([InThisProcess()], slots=1)
            return
        # loky renews workers whose memory has grown and says so; nothing is lost by that
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
        yield Workers(local_processes(jobs))
        return
    with _dask_client(cluster) as client:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise InputError(f"the scheduler of `jobs={cluster!r}` has no workers; start some")
        check_versions(cluster, client.run(installed_versions))
        first_of_host = {about["host"]: address for address, about in workers.items()}
        client.run(warm_up, 1, warm_ups, workers=sorted(first_of_host.values()))
        of_workers = [
            client.get_executor(pure=False, workers=[address], allow_other_workers=True)
            for address, about in workers.items()
            for _ in range(about["nthreads"])
        ]
        yield Workers(of_workers)


def warm_up(jobs: int, warm_ups: Sequence[Callable[[], object]]) -> None:
    """Call what compiles or loads kernels; as soon as one call compiles, other processes take their share."""
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
    return max(jobs, min(default_jobs(), MOST_COMPILING))


def _call(functions: Sequence[Callable[[], object]]) -> None:
    for function in functions:
        function()


def check_versions(cluster: str, versions_of: Mapping[str, Mapping[str, str]]) -> None:
    """InputError if a worker has other versions than this process; `versions_of`: those of each worker."""
    here = installed_versions()
    for worker, versions in sorted(versions_of.items()):
        other = [f"{name} {versions.get(name)}" for name in here if versions.get(name) != here[name]]
        if other:
            raise InputError(
                f"worker {worker} of `jobs={cluster!r}` has {', '.join(other)}; install the versions of this "
                f"machine ({', '.join(f'{name} {version}' for name, version in here.items())})"
            )


@contextmanager
def _dask_client(cluster: str) -> Iterator[Any]:
    check_extra("distributed", "cluster", f"`jobs={cluster!r}`")
    from distributed import Client, LocalCluster

    kind, _, number = cluster.partition(":")
    if kind == "local":
        start_trackers()
        with (
            LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=int(number),
                threads_per_worker=1,
                dashboard_address=":0",  # any port: without one a second cluster on the machine is warned of
                memory_limit=None,
                silence_logs=logging.ERROR,
            ) as local_cluster,
            Client(local_cluster) as client,  # type: ignore[no-untyped-call]
        ):
            yield client
        return
    try:
        client = Client(cluster, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"no scheduler answers at `jobs={cluster!r}` ({error}); start one, or correct the address"
        ) from None
    with client:
        yield client

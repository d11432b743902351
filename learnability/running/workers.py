"""Where cells are computed: in this process, in local ones (loky), or on a `dask.distributed` cluster."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any

from learnability.errors import InputError, RunError
from learnability.running.configuration import installed_versions
from learnability.running.processes import local_processes, start_trackers

UNORDERED = "generator_unordered"


@dataclass(frozen=True)
class Failure:
    """What stands in the place of a record where computing it failed."""

    reason: str


Task = tuple[str, Callable[[], Any]]
"""The key of a cell, and what computes its record."""

Pool = Callable[[Iterator[Task]], Iterator[tuple[str, Any]]]
"""Computes tasks, which it takes as it has room for them; keys and records (or failures) as they finish."""


def attempt(key: str, compute: Callable[[], Any]) -> tuple[str, Any]:
    """The key with the record, or with a :class:`Failure`."""
    try:
        return key, compute()
    except Exception as error:  # any failure of one cell must leave the others alone
        kind = "" if isinstance(error, InputError | RunError) else f"{type(error).__name__}: "
        return key, Failure(f"{kind}{error}")


def in_this_process(tasks: Iterator[Task]) -> Iterator[tuple[str, Any]]:
    """The pool of a single job: one task after the other."""
    return starmap(attempt, tasks)


@contextmanager
def worker_pool(jobs: int, cluster: str | None, warm_ups: Sequence[Callable[[], object]]) -> Iterator[Pool]:
    """Workers that compute tasks: `jobs` local processes, or those of a dask cluster (`tcp://host:port` of a
    scheduler, or `local:N` for N processes started here). `warm_ups` are called once on every machine before
    it gets work, so that kernels are not compiled by every worker. InputError for a cluster that cannot be
    used."""
    if cluster is None:
        warm_up(jobs, warm_ups)
        if jobs > 1:
            # loky renews workers whose memory has grown and says so; nothing is lost by that
            warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
        yield in_this_process if jobs == 1 else _pool(partial(local_processes, jobs, UNORDERED))
        return
    import joblib

    with _dask_client(cluster) as client:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise InputError(f"--cluster {cluster}: the scheduler has no workers; start some")
        check_versions(cluster, client.run(installed_versions))
        first_of_host = {about["host"]: address for address, about in workers.items()}
        client.run(warm_up, 1, warm_ups, workers=sorted(first_of_host.values()))
        with joblib.parallel_config(backend="dask"):
            yield _pool(partial(joblib.Parallel, n_jobs=-1, return_as=UNORDERED, batch_size=1))


def warm_up(jobs: int, warm_ups: Sequence[Callable[[], object]]) -> None:
    """Call them: the first here, the others meanwhile in other processes if there may be any."""
    if jobs > 1 and len(warm_ups) > 1:
        import joblib

        shares = [warm_ups[i :: jobs - 1] for i in range(1, jobs)]
        results = local_processes(jobs, UNORDERED)(joblib.delayed(_call)(own) for own in shares if own)
        with _closing(results), suppress(BrokenProcessPool):
            warm_ups[0]()
            for _ in results:
                """Each is there when its kernels are."""
            return
    _call(warm_ups)


def _call(functions: Sequence[Callable[[], object]]) -> None:
    for function in functions:
        function()


@contextmanager
def _closing(results: Any) -> Iterator[None]:
    """Give up the results of joblib that are not there yet when the block is left."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib warns of the tasks that a stopped run gives up
            results.close()


def _pool(new: Callable[[], Any]) -> Pool:
    """Each call on `new` workers of joblib: those of which one died compute nothing any more."""
    import joblib

    def pool(tasks: Iterator[Task]) -> Iterator[tuple[str, Any]]:
        results: Any = new()(joblib.delayed(attempt)(*task) for task in tasks)
        with _closing(results):
            for result in results:  # noqa: UP028 (`yield from` would close it outside the block)
                yield result

    return pool


def check_versions(cluster: str, versions_of: Mapping[str, Mapping[str, str]]) -> None:
    """InputError if a worker has other versions than this process; `versions_of`: those of each worker."""
    here = installed_versions()
    for worker, versions in sorted(versions_of.items()):
        other = [f"{name} {versions.get(name)}" for name in here if versions.get(name) != here[name]]
        if other:
            raise InputError(
                f"--cluster {cluster}: worker {worker} has {', '.join(other)}; install the versions of this "
                f"machine ({', '.join(f'{name} {version}' for name, version in here.items())})"
            )


@contextmanager
def _dask_client(cluster: str) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("--cluster: dask is not installed; pip install 'learnability[cluster]'") from None
    kind, _, number = cluster.partition(":")
    if kind == "local":
        if not (number.isascii() and number.isdigit() and int(number) > 0):
            raise InputError(f"--cluster {cluster}: give local:N with N of at least 1")
        start_trackers()
        with (
            LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=int(number),
                threads_per_worker=1,
                dashboard_address=":0",  # any port: without one a second cluster on the machine is warned of
                memory_limit=None,
                silence_logs=logging.ERROR,
            ) as own,
            Client(own) as client,  # type: ignore[no-untyped-call]
        ):
            yield client
        return
    if "://" not in cluster:
        raise InputError(f"--cluster {cluster}: give tcp://HOST:PORT of a dask scheduler, or local:N")
    try:
        client = Client(cluster, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(f"--cluster {cluster}: no scheduler answers ({error})") from None
    with client:
        yield client

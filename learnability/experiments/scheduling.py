"""Computing cells in parallel: what is ready, what is under way, and what a crash takes with it.

One engine, `joblib`, runs the cells: in this process, in local processes (loky), or on the workers of a
`dask.distributed` cluster. Whatever runs them, the records are the same.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from learnability.errors import InputError
from learnability.experiments.cells import identity, run_cell
from learnability.experiments.options import ExperimentOptions
from learnability.experiments.plan import Cell, Plan
from learnability.experiments.records import Record
from learnability.experiments.versions import installed_versions
from learnability.treebanks.locate import TreebankFiles

Task = tuple[TreebankFiles, ExperimentOptions, Cell, tuple[Record, ...], Mapping[str, str]]
Pool = Callable[[Iterator[Any]], Iterator[Any]]

NAMES_OF_NEEDED = {"a": "setting (a) of the same seed", "joint": "a joint training"}
"""What is said of a cell that others need."""


class Queue:
    """The cells still to be computed, handed out in the order of the plan as soon as they are ready.

    A cell is ready when those it needs are done (`Plan.needed`): (c) waits for (a) of the same treebank, seed
    and fold, which says how long to train. Tasks may be taken in another thread than the one that gives
    results back.
    """

    def __init__(self, plan: Plan, done: Mapping[str, Record]) -> None:
        self._plan = plan
        self._done = dict(done)
        self._waiting = [cell for cell in plan.cells() if cell.key not in done]
        self._under_way: dict[str, Cell] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """How many cells were not handed out, or were given back."""
        return len(self._waiting)

    def tasks(self) -> Iterator[Task]:
        """The cells that are ready, until none is; what then still waits needs results of others first."""
        while True:
            with self._lock:
                cell = next((cell for cell in self._waiting if self._is_ready(cell)), None)
                if cell is None:
                    return
                self._waiting.remove(cell)
                self._under_way[cell.key] = cell
                task = self._task(cell)
            yield task

    def _is_ready(self, cell: Cell) -> bool:
        missing: Record = {"failed": "not done"}
        return all("failed" not in self._done.get(one.key, missing) for one in self._plan.needed(cell))

    def _task(self, cell: Cell) -> Task:
        files, facts = self._plan.by_label[cell.treebank]
        needed = tuple(self._done[one.key] for one in self._plan.needed(cell))
        return files, self._plan.options, cell, needed, facts.sha256

    def finish(self, record: Record) -> Record:
        """Note a result and return it."""
        with self._lock:
            self._done[record["key"]] = record
            self._under_way.pop(record["key"], None)
        return record

    def hopeless(self) -> list[Record]:
        """Take out the cells of which a needed one has failed; their records."""
        with self._lock:
            found = {
                cell.key: failure(cell, f"{NAMES_OF_NEEDED[one.setting]} failed")
                for cell in self._waiting
                for one in self._plan.needed(cell)
                if "failed" in self._done.get(one.key, {})
            }
            self._waiting = [cell for cell in self._waiting if cell.key not in found]
        return list(found.values())

    def lost(self) -> list[Task]:
        """The tasks that were under way when the workers were lost."""
        with self._lock:
            return [self._task(cell) for cell in self._under_way.values()]


def computed_here(plan: Plan, done: Mapping[str, Record]) -> Iterator[Record]:
    """The records of the missing cells, computed one after the other in this process."""
    queue = Queue(plan, done)
    while len(queue):
        for task in queue.tasks():
            yield queue.finish(guarded_cell(*task))
        yield from map(queue.finish, queue.hopeless())


def computed(plan: Plan, done: Mapping[str, Record], pool: Pool) -> Iterator[Record]:
    """The records of the missing cells as they finish, computed by the workers of `pool`.

    If a worker dies (out of memory, killed), what was under way is computed again, cell by cell; a cell that
    takes its worker with it again is recorded as failed.
    """
    import joblib

    call = joblib.delayed(guarded_cell)
    queue = Queue(plan, done)
    while len(queue):
        try:
            for record in pool(call(*task) for task in queue.tasks()):
                yield queue.finish(record)
        except Exception as error:  # a cell's own errors are records: this is the pool's
            for task in queue.lost():
                yield queue.finish(_alone(task, pool, error))
        yield from map(queue.finish, queue.hopeless())


def _alone(task: Task, pool: Pool, error: Exception) -> Record:
    import joblib

    try:
        return next(iter(list(pool(iter([joblib.delayed(guarded_cell)(*task)])))))
    except Exception as again:
        return failure(task[2], f"the worker process died: {again or error}")


def guarded_cell(
    files: TreebankFiles,
    options: ExperimentOptions,
    cell: Cell,
    needed: tuple[Record, ...],
    sha256: Mapping[str, str],
) -> Record:
    """`run_cell`, with an exception turned into a record."""
    _leave_interrupts_to_parent()
    try:
        return run_cell(files, options, cell, needed, sha256)
    except Exception as error:  # any failure of one cell must leave the others alone
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        return failure(cell, f"{kind}{error}")


def _leave_interrupts_to_parent() -> None:
    """A terminal sends Ctrl-C to workers too; what it means is for the parent to say, in one line."""
    in_worker = multiprocessing.current_process().name != "MainProcess"
    if in_worker and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def failure(cell: Cell, reason: str) -> Record:
    """The record of a cell that failed."""
    return {**identity(cell), "failed": " ".join(reason.split()) or "unknown"}


@contextmanager
def worker_pool(jobs: int, cluster: str | None, prepare: Callable[[], None]) -> Iterator[Pool]:
    """Workers that compute tasks: `jobs` local processes, or those of a dask cluster.

    `cluster`: `tcp://host:port` of a scheduler, or `local:N` for N processes started here. `prepare` is run
    once on every machine before it gets work, so that kernels are compiled once and not by every worker.

    Raises:
        InputError: no scheduler answers, it has no workers or workers of other versions, or dask is not
            installed.
    """
    import joblib

    def pool(tasks: Iterator[Any]) -> Iterator[Any]:
        workers = -1 if cluster else jobs
        parallel = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
        found: Any = parallel(tasks)
        try:
            for record in found:  # noqa: UP028 (`yield from` would close it outside the block below)
                yield record
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib deplores the tasks that a stopped run gives up
                found.close()

    if cluster is None:
        # loky renews workers whose memory has grown and says so; nothing is lost by that
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
        prepare()
        yield pool
        return
    with _dask_client(cluster) as client:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise InputError(f"--cluster {cluster}: the scheduler has no workers; start some")
        _check_versions(cluster, client.run(installed_versions))
        first_of_host = {about["host"]: address for address, about in workers.items()}
        client.run(prepare, workers=sorted(first_of_host.values()))
        with joblib.parallel_config(backend="dask"):
            yield pool


def _check_versions(cluster: str, found: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse workers that would compute something else; `found`: versions by worker."""
    here = installed_versions()
    for worker, versions in sorted(found.items()):
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
        with (
            LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=int(number),
                threads_per_worker=1,
                dashboard_address=None,
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

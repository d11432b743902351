"""The engine of every experiment: what a run's folder lacks is computed, here or elsewhere, and added to it.

An experiment consists of cells, each a unit of work that gives one record; some need the records of others.
Whatever computes them (`workers`), the records are the same, and none is computed twice: not after an
interruption, and not when a worker dies.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from learnability.running.folder import RunFolder
from learnability.running.records import R, encode, read_records
from learnability.running.stages import kernels_stage
from learnability.running.workers import Failure, Pool, Task, worker_pool
from learnability.support.progress import Stages


class AnyCell(Protocol):
    """A unit of work: the key of its record, and its name for people."""

    @property
    def key(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102


C = TypeVar("C", bound=AnyCell)


@dataclass(frozen=True)
class Experiment(Generic[C, R]):
    """What the engine has to know of an experiment.

    Attributes:
        cells: in the order in which they are best computed.
        warm_ups: what compiles or loads the kernels of `systems`, on every machine; none needs another.
        task: what computes a cell, in any process, from the records of the cells it needs.
        failure: the record of a cell that failed for a reason.
        seconds: about how long a cell takes on one processor.
        blocks: why a cell that needs this one fails if this one failed.
    """

    cells: Sequence[C]
    systems: Sequence[str]
    warm_ups: Sequence[Callable[[], object]]
    task: Callable[[C, Sequence[R]], Callable[[], R]]
    failure: Callable[[C, str], Any]
    decode: Callable[[bytes], R]
    seconds: Callable[[C], float]
    needed: Callable[[C], Sequence[C]] = lambda _: ()
    blocks: Callable[[C], str] = lambda cell: f"{cell.title} failed"


class Queue(Generic[C, R]):
    """The cells still to be computed, handed out in their order as soon as those they need are done. Tasks
    may be taken in another thread than the one that gives results back."""

    def __init__(self, experiment: Experiment[C, R], done: Mapping[str, R]) -> None:
        self._experiment, self._needed = experiment, experiment.needed
        self._done, self._failed = dict(done), set[str]()
        self._waiting = [cell for cell in experiment.cells if cell.key not in done]
        self._under_way: dict[str, C] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._waiting)

    def tasks(self) -> Iterator[Task]:
        """The cells that are ready, until none is; what then still waits needs results of others first."""
        while True:
            with self._lock:
                ready = (c for c in self._waiting if all(o.key in self._done for o in self._needed(c)))
                if (cell := next(ready, None)) is None:
                    return
                self._waiting.remove(cell)
                self._under_way[cell.key] = cell
                task = self._task(cell)
            yield task

    def _task(self, cell: C) -> Task:
        return cell.key, self._experiment.task(cell, [self._done[o.key] for o in self._needed(cell)])

    def finish(self, key: str, result: R | Failure) -> tuple[str, R | Failure]:
        """Note a result and return it."""
        with self._lock:
            if isinstance(result, Failure):
                self._failed.add(key)
            else:
                self._done[key] = result
            self._under_way.pop(key, None)
        return key, result

    def blocked(self) -> dict[str, Failure]:
        """Take out the cells of which a needed one has failed."""
        with self._lock:
            blocked = {
                cell.key: Failure(self._experiment.blocks(other))
                for cell in self._waiting
                for other in self._needed(cell)
                if other.key in self._failed
            }
            self._waiting = [cell for cell in self._waiting if cell.key not in blocked]
        return blocked

    def lost(self) -> list[Task]:
        """The tasks that were under way when the workers were lost."""
        with self._lock:
            return [self._task(cell) for cell in self._under_way.values()]


def computed(
    experiment: Experiment[C, R], done: Mapping[str, R], pool: Pool
) -> Generator[tuple[str, R | Failure]]:
    """The keys and results of the missing cells as they finish. If a worker dies (out of memory, killed),
    what was under way is computed again, cell by cell; a cell that takes its worker with it again has
    failed."""
    queue = Queue(experiment, done)
    while len(queue):
        try:
            for key, result in pool(queue.tasks()):
                yield queue.finish(key, result)
        except Exception as error:  # a cell's own errors are failures: this is the pool's
            for key, compute in queue.lost():
                try:
                    ((_, result),) = pool(iter([(key, compute)]))
                except Exception as again:
                    result = Failure(f"the worker process died: {again or error}")
                yield queue.finish(key, result)
        for key, failure in queue.blocked().items():
            yield queue.finish(key, failure)


def complete(
    experiment: Experiment[C, R], folder: RunFolder, *, jobs: int, cluster: str | None, stages: Stages
) -> tuple[list[R], list[Any]]:
    """Compute what the folder, which was begun, lacks of the experiment; records are kept as they finish. A
    cell that fails is recorded with its reason and the others go on. Returns the records in the order of the
    cells, and apart from them those of the cells that failed."""
    kept = read_records(folder.records, experiment.decode)
    cells = {cell.key: cell for cell in experiment.cells}
    done = {key: kept[key] for key in cells if key in kept}
    failed: dict[str, Any] = {}
    work = {key: experiment.seconds(cell) for key, cell in cells.items() if key not in done}
    if work:
        with ExitStack() as stack:
            with kernels_stage(stages, experiment.systems):
                jobs_needed = min(jobs, len(work))
                pool = stack.enter_context(worker_pool(jobs_needed, cluster, experiment.warm_ups))
            total = sum(work.values())
            stages.stage("training", total, expected=total / jobs)
            stages.advance(0, count=f"{len(done)}/{len(cells)}")
            for key, result in stack.enter_context(closing(computed(experiment, done, pool))):
                if isinstance(result, Failure):
                    reason = " ".join(result.reason.split()) or "unknown"
                    record = failed[key] = experiment.failure(cells[key], reason)
                else:
                    record = done[key] = result
                folder.append(encode(record))
                seconds, tokens = record.kernel_seconds, record.trained_tokens
                speed = f"{tokens / seconds / 1000:,.0f}k tokens/s" if seconds and tokens else ""
                count = f"{len(done) + len(failed)}/{len(cells)}"
                count += f", {len(failed)} failed" if failed else ""
                stages.advance(work[key], what=cells[key].title, speed=speed, count=count)
    return [done[key] for key in cells if key in done], [failed[key] for key in cells if key in failed]

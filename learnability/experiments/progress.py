"""Telling how far an experiment is; who shows it, and where, is decided above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from learnability.experiments.plan import Plan
from learnability.parsing.warm_up import COMPILATION_SECONDS, KERNELS, noticed_compilation

T = TypeVar("T")

START_SECONDS, CONDITION_SECONDS, REPORT_SECONDS = 3.0, 0.5, 3.0
"""About how long it takes to import, to read and to start workers; to compute the intervals and tests of a
condition; to write a report; only for estimates."""


class Stages(Protocol):
    """Who wants to know what is being done, stage by stage."""

    def stage(
        self, what: str, total: float | None = None, *, unit: str = "", expected: float | None = None
    ) -> None:
        """A stage begins, of `total` units of work where that is known; `expected`: its seconds, roughly."""

    def advance(self, amount: float = 1, *, what: str = "", speed: str = "", count: str = "") -> None:
        """So much of the stage is done; `what`, `speed` and `count` replace what is shown of it."""


class Progress(Stages, Protocol):
    """Who wants to know how far a run is."""

    def start(self, plan: Plan, done: set[str]) -> None:
        """The trainings and measures begin; the cells with these keys are done."""

    def record(self, record: dict[str, Any]) -> None:
        """A cell is done."""


class Silence:
    """Nobody wants to know."""

    def stage(
        self, what: str, total: float | None = None, *, unit: str = "", expected: float | None = None
    ) -> None:
        """Not told."""

    def advance(self, amount: float = 1, *, what: str = "", speed: str = "", count: str = "") -> None:
        """Not told."""

    def start(self, plan: Plan, done: set[str]) -> None:
        """Not told."""

    def record(self, record: dict[str, Any]) -> None:
        """Not told."""


def told(found: Iterable[T], stages: Stages, amounts: Iterable[float]) -> Iterator[T]:
    """The items, the stage advancing by its amount after each."""
    for item, amount in zip(found, amounts, strict=True):
        stages.advance(amount)
        yield item


@contextmanager
def kernels_stage(stages: Stages, systems: Sequence[str]) -> Iterator[None]:
    """A stage in which kernels are loaded; it says so if they have to be compiled first."""
    names = ", ".join(systems)
    stages.stage(f"loading {names} kernels", expected=3)

    compiled = 0

    def tell() -> None:
        nonlocal compiled
        if compiled == 0:
            seconds = COMPILATION_SECONDS * len(systems)
            stages.stage(f"compiling {names} kernels, once", KERNELS * len(systems), expected=seconds)
        else:
            stages.advance()
        compiled += 1

    with noticed_compilation(tell):
        yield


def in_order(jobs: int) -> Callable[[Callable[[Any], T], Iterable[Any]], Iterable[T]]:
    """The built-in map, or one that uses `jobs` processes; results in order, each as soon as it is there."""
    if jobs == 1:
        return map

    def each(function: Callable[[Any], T], items: Iterable[Any]) -> Iterable[T]:
        import joblib

        work = list(items)
        if len(work) < 2:
            return map(function, work)
        found: Iterable[T] = joblib.Parallel(n_jobs=jobs, return_as="generator")(
            joblib.delayed(function)(item) for item in work
        )
        return found

    return each

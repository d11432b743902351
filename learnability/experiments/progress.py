"""Stages of experiments: how long they take, roughly, and work that is shared out while one advances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from learnability.parsing.jit import COMPILATION_SECONDS, KERNELS, noticed_compilation
from learnability.progress import Stages

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""A function like the built-in map."""

START_SECONDS, CONDITION_SECONDS, REPORT_SECONDS = 3.0, 0.01, 3.0
"""About how long it takes to import, to read and to start workers; to compute the intervals and tests of a
condition; to write a report; only for estimates."""


@contextmanager
def kernels_stage(stages: Stages, systems: Sequence[str]) -> Iterator[None]:
    """A stage in which kernels are loaded; it says so if they have to be compiled first."""
    names = ", ".join(systems)
    stages.stage(f"loading {names} kernels", expected=3)

    compiled = 0

    def notice() -> None:
        nonlocal compiled
        if compiled == 0:
            seconds = COMPILATION_SECONDS * len(systems)
            stages.stage(f"compiling {names} kernels, once", KERNELS * len(systems), expected=seconds)
        else:
            stages.advance()
        compiled += 1

    with noticed_compilation(notice):
        yield


def tracked_map(jobs: int, stages: Stages, amounts: Sequence[float] = ()) -> Map:
    """A map that uses `jobs` processes and gives results in order, each as soon as it is there. The stage
    advances after each: by its amount, or by 1 if there are none."""

    def each(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        work = list(items)
        if jobs == 1 or len(work) < 2:
            results: Iterable[Any] = map(function, work)
        else:
            import joblib

            parallel = joblib.Parallel(n_jobs=jobs, return_as="generator")
            results = parallel(joblib.delayed(function)(item) for item in work)
        for result, amount in zip(results, amounts or [1.0] * len(work), strict=True):
            stages.advance(amount)
            yield result

    return each

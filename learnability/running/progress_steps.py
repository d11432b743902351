"""List the steps of experiments, and estimate roughly how long they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from learnability.parsing.jit import noticed_compilation
from learnability.running.cell import COMPILATION_SECONDS
from learnability.support.progress import ProgressSteps

START_SECONDS, PAIR_SECONDS, REPORT_SECONDS = 1.5, 0.01, 1.5
"""Rough seconds to import, to read and to start workers; to compute the intervals and tests of a
pair; to write a report. Only for estimates."""

WORKER_SECONDS = 5.0
"""The seconds of work that make another process worth its start."""


@contextmanager
def kernels_step(
    steps: ProgressSteps, systems: Sequence[str], seconds: float = COMPILATION_SECONDS
) -> Iterator[None]:
    """Show a step in which kernels are loaded; it changes to compiling if they are not in the cache.

    How long is left of the command is not said: it is known when the first work is done. `seconds`: a rough
    estimate of what compiling takes.
    """
    names = " and ".join(systems) + (" parsers" if len(systems) > 1 else " parser")
    steps.begin(f"loading the {names}")

    compiling = False

    def notice() -> None:
        nonlocal compiling
        if not compiling:  # kernels take from a tenth of a second to five seconds: their number says little
            compiling = True
            steps.begin(f"compiling the {names}, once, about {seconds:.0f} seconds")

    with noticed_compilation(notice):
        yield

"""List the stages of experiments, and estimate roughly how long they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from learnability.parsing.jit import COMPILATION_SECONDS, noticed_compilation
from learnability.support.progress import Stages, TimeLeft

START_SECONDS, PAIR_SECONDS, REPORT_SECONDS = 3.0, 0.01, 3.0
"""Rough seconds to import, to read and to start workers; to compute the intervals and tests of a
pair; to write a report. Only for estimates."""

WORKER_SECONDS = 5.0
"""The seconds of work that make another process worth its start."""


@contextmanager
def kernels_stage(
    stages: Stages,
    systems: Sequence[str],
    then: TimeLeft | None = TimeLeft(0),  # noqa: B008 (a value)
) -> Iterator[None]:
    """Show a stage in which kernels are loaded; it changes to compiling if they are not in the cache.

    Args:
        stages: shows progress.
        systems: the transition systems.
        then: what takes how long afterwards; None if that is unknown.
    """
    names = " and ".join(systems) + (" parsers" if len(systems) > 1 else " parser")

    def begin(title: str, seconds: float) -> None:
        left = None if then is None else replace(then, seconds=then.seconds + seconds)
        stages.stage(f"{title} the {names}", left=left)

    begin("loading", 3)
    compiling = False

    def notice() -> None:
        nonlocal compiling
        if not compiling:  # kernels take from a tenth of a second to five seconds: their number says little
            compiling = True
            begin("before its first use: compiling", COMPILATION_SECONDS * len(systems))

    with noticed_compilation(notice):
        yield

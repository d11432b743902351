"""Choose what computes a run: processes of this machine, or a cluster."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from learnability.errors import InputError
from learnability.running.progress_steps import WORKER_SECONDS
from learnability.support.options import shorten_value

MOST_JOBS = 1000
"""The most processes on this machine."""


@dataclass(frozen=True)
class Workforce:
    """Name what computes a run: processes of this machine (None: as many as there are processors and work),
    or the address of a dask cluster."""

    jobs: int | None = None
    cluster: str | None = None

    @classmethod
    def from_jobs(cls, jobs: int | str | None) -> Workforce:
        """Return the workforce that a user means: a number of processes, or the address of a cluster, else
        InputError."""
        if jobs is None:
            return cls()
        if re.fullmatch(r"\w+://.+", str(jobs)):
            return cls(cluster=str(jobs))
        number = re.fullmatch(r"(local:)?0*([1-9][0-9]{0,8})", str(jobs))
        if number is None or int(number[2]) > MOST_JOBS:
            raise InputError(
                f"`jobs={shorten_value(jobs)}` is not accepted; use a number from 1 to {MOST_JOBS:,}, "
                "tcp://HOST:PORT of a dask scheduler, or local:N with such a number"
            )
        return cls(cluster=str(jobs)) if number[1] else cls(int(number[2]))

    def processes(self, seconds: float) -> int:
        """Return the number of processes for this many seconds of work."""
        if self.jobs is not None:
            return self.jobs
        return max(1, min(default_jobs(), int(seconds / WORKER_SECONDS)))

    @property
    def readers(self) -> int:
        return self.jobs or default_jobs()


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

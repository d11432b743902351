"""Report how much memory this process has used, and set how often Python collects garbage."""

from __future__ import annotations

import gc
import resource
import sys

RARELY = (1_000_000, 20, 20)
"""After how many new objects Python looks for garbage, and how often among older ones."""


def collect_rarely() -> None:
    """Collect garbage after every 1,000,000 new objects: searching all trees for cycles, which they do not
    form, took as long as the work itself."""
    gc.set_threshold(*RARELY)


def collect_garbage() -> None:
    """Free objects that only refer to each other.

    In a process of our own, what is left is not looked at again: modules and kernels are there to the end.
    """
    gc.collect()
    if gc.get_threshold() == RARELY:
        gc.freeze()


def peak_memory() -> int:
    """Return the largest resident memory of this process so far, in megabytes."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit

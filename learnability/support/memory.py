"""Report how much memory this process has used, and set how often Python collects garbage."""

from __future__ import annotations

import gc
import os
import sys


def collect_rarely() -> None:
    """Collect garbage after every 100,000 new objects instead of every 700.

    The many small objects of a treebank form no cycles. Searching all its trees for cycles again and again
    took as long as the work itself.
    """
    gc.set_threshold(100_000, 20, 20)


def total_memory() -> int | None:
    """Return the memory of this machine in bytes; None where it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def peak_memory() -> int | None:
    """Return the largest resident memory of this process so far, in megabytes; None if it is unknown."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit

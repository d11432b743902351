"""The memory of this process: how much it has used, and how often garbage is looked for."""

from __future__ import annotations

import gc
import os
import sys


def collect_rarely() -> None:
    """Look for cycles of objects that nobody uses after 100,000 new objects, not 700. Of what there are many
    of, nothing has cycles, and to look through all trees of a treebank time and again took as long as what is
    done with them."""
    gc.set_threshold(100_000, 20, 20)


def total_memory() -> int | None:
    """Return the memory of this machine in bytes; None where it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def peak_memory() -> int | None:
    """The largest resident memory of this process so far, in megabytes; None where it is not known."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit

"""The memory of this process: how much it has used, and how often garbage is looked for."""

from __future__ import annotations

import gc
import sys


def collect_rarely() -> None:
    """Look for cycles of objects that nobody uses after 100,000 new objects, not 700. Of what there are many
    of, nothing has cycles, and to look through all trees of a treebank time and again took as long as what is
    done with them."""
    gc.set_threshold(100_000, 20, 20)


def peak_memory() -> int | None:
    """The largest resident memory of this process so far, in megabytes; None where it is not known."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit

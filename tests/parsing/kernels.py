"""Kernels that walk a derivation and report what the package says along it."""

from __future__ import annotations

import numpy as np

from learnability.parsing import oracle, systems
from learnability.parsing.configuration import Configuration, new_configuration
from learnability.parsing.encoding import UNLABELLED
from learnability.parsing.jit import njit
from learnability.parsing.oracle import Gold, new_gold


@njit
def _walk(system, n, path, c: Configuration, mask) -> bool:
    systems.initial(system, c, n)
    for transition in path:
        systems.legal(system, c, mask)
        if mask[transition] == 0:
            return False
        systems.apply(system, c, transition, 0)
    systems.legal(system, c, mask)
    return True


@njit
def _costs(system, n, path, golds, c: Configuration, gold: Gold, mask, out) -> bool:
    """Costs of the transitions after `path`, for each gold tree (rows of `golds`: heads of 0..n)."""
    if not _walk(system, n, path, c, mask):
        return False
    for g in range(golds.shape[0]):
        oracle.set_gold(gold, n, systems.root_position(system, n), golds[g], UNLABELLED, 0)
        oracle.costs(system, c, gold, mask, out[g])
    return True


def padded(golds) -> np.ndarray:
    """int32[trees, n + 3]: heads of the positions 0..n + 2."""
    golds = np.asarray(golds, np.int32)
    wide = np.zeros((golds.shape[0], golds.shape[1] + 3), np.int32)
    wide[:, 1:-2] = golds
    return wide


def costs_after(name: str, n: int, path, golds) -> tuple[np.ndarray, np.ndarray, Configuration]:
    """The mask of legal transitions after `path` and int32[trees, 4], what each costs."""
    c, gold = new_configuration(n), new_gold(n)
    mask = np.zeros(4, np.uint8)
    wide = padded(golds)
    out = np.zeros((len(wide), 4), np.int32)
    done = _costs(systems.SYSTEMS[name], n, np.array(path, np.int64), wide, c, gold, mask, out)
    assert done, f"illegal transition on {path}"
    return mask, out, c


def heads_of(c: Configuration, n: int) -> tuple:
    """The arcs of a configuration as the twins write them."""
    missing, root = n + 2, int(c.at[3])
    return tuple(None if h == missing else 0 if h == root else int(h) for h in c.head[1 : n + 1])

"""What the package's kernels say along a derivation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.oracle import commit
from learnability.parsing import oracle, transitions
from learnability.parsing.configuration import ROOT, KernelConfiguration, new_configuration
from learnability.parsing.encoding import UNLABELLED
from learnability.parsing.jit import njit
from learnability.parsing.oracle import Gold, new_gold
from learnability.parsing.perceptron import CLASSES, ROWS, Perceptron
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.training import total_cost


def weights_of(p: Perceptron) -> np.ndarray:
    """float32[features, classes]: the weights of a perceptron's features."""
    return p.weight[1 : p.meta[ROWS], : p.meta[CLASSES]]


@njit
def legal_mask(system, c: KernelConfiguration, mask) -> None:
    for t in range(mask.shape[0]):
        mask[t] = transitions.is_legal(system, c, t)


@njit
def all_costs(supervision, system, c: KernelConfiguration, gold: Gold, base: int, mask, out) -> None:
    """Write the cost of each transition of the mask to `out`."""
    for t in range(mask.shape[0]):
        if mask[t] == 1:
            out[t] = total_cost(supervision, system, c, gold, base, t)


@njit
def look(supervision, system, c: KernelConfiguration, gold: Gold, base: int, mask, out) -> bool:
    """Write which transitions are legal and what each costs, unless the configuration is final."""
    if transitions.is_final(system, c):
        return False
    legal_mask(system, c, mask)
    all_costs(supervision, system, c, gold, base, mask, out)
    return True


@njit
def take(references, system, c: KernelConfiguration, base: int, transition: int) -> None:
    """Take a transition, and keep the references that it leaves."""
    commit(references, system, c, base, transition)
    transitions.apply(system, c, transition, 0)


@njit
def costs(system, c: KernelConfiguration, gold: Gold, mask, out) -> None:
    """Write the cost of each transition of the mask with respect to the gold tree to `out`."""
    for t in range(mask.shape[0]):
        out[t] = oracle.cost(system, c, gold, t) if mask[t] == 1 else 0


@njit
def follow(system, n: int, path, transition: int, c: KernelConfiguration) -> tuple[int, int]:
    """Take a path of transitions and labels; the arc (head, dependent) that `transition` would add then."""
    transitions.initial(system, c, n)
    for i in range(path.shape[0]):
        transitions.apply(system, c, path[i, 0], path[i, 1])
    return transitions.arc(system, c, transition)


@njit
def _walk(system, n, path, c: KernelConfiguration, mask) -> bool:
    transitions.initial(system, c, n)
    for transition in path:
        if not transitions.is_legal(system, c, transition):
            return False
        transitions.apply(system, c, transition, 0)
    legal_mask(system, c, mask)
    return True


@njit
def _costs(system, n, path, golds, c: KernelConfiguration, gold: Gold, mask, out) -> bool:
    """Costs of the transitions after `path`, for each gold tree (rows of `golds`: heads of 0..n)."""
    if not _walk(system, n, path, c, mask):
        return False
    for g in range(golds.shape[0]):
        oracle.set_gold(gold, n, transitions.root_position(system, n), golds[g], UNLABELLED, 0)
        costs(system, c, gold, mask, out[g])
    return True


def padded(golds) -> np.ndarray:
    """int32[trees, n + 3]: heads of the positions 0..n + 2."""
    golds = np.asarray(golds, np.int32)
    wide = np.zeros((golds.shape[0], golds.shape[1] + 3), np.int32)
    wide[:, 1:-2] = golds
    return wide


def costs_after(name: str, n: int, path, golds) -> tuple[NDArray, NDArray, KernelConfiguration]:
    """The mask of legal transitions after `path` and int32[trees, transitions], what each costs."""
    c, gold, most = new_configuration(n), new_gold(n), SYSTEMS[name].most_numbers(n)
    mask = np.zeros(most, np.uint8)
    wide = padded(golds)
    out = np.zeros((len(wide), most), np.int32)
    done = _costs(SYSTEMS[name].kernels, n, np.array(path, np.int64), wide, c, gold, mask, out)
    assert done, f"illegal transition on {path}"
    return mask, out, c


def heads_of(c: KernelConfiguration, n: int) -> tuple:
    """The arcs of a configuration as the twins write them."""
    missing, root = n + 2, int(c.at[ROOT])
    return tuple(None if h == missing else 0 if h == root else int(h) for h in c.head[1 : n + 1])

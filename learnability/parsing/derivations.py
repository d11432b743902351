"""The gold derivation of a tree: the transitions of a system's static oracle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import transitions
from learnability.parsing.arrays import Ints
from learnability.parsing.configuration import Configuration, new_configuration
from learnability.parsing.encoding import UNLABELLED
from learnability.parsing.jit import njit
from learnability.parsing.oracle import Gold, new_gold, set_gold
from learnability.parsing.systems import system_named
from learnability.parsing.transitions import System


def static_sequences(
    trees: Sequence[Sequence[int]], system: str = "arc-eager-root-first"
) -> list[NDArray[np.int8]]:
    """The static oracle's transitions (int8) for each projective tree, given as its heads (0: the root).

    The default is Algorithm 1 of Goldberg & Nivre (2012): arc-eager, ROOT first.
    """
    derived_by = system_named(system)
    if not derived_by.has_static_oracle:
        raise InputError(f"{system} has no static oracle; choose a system that works from left to right")
    kernels = derived_by.kernels
    longest = max((len(heads) for heads in trees), default=0)
    configuration, gold = new_configuration(longest), new_gold(longest)
    out = np.zeros(transitions.most_transitions(kernels, longest) + 1, np.int8)
    sequences = []
    for i, heads in enumerate(trees):
        padded = np.array((0, *heads), np.int32)
        length = _derive(kernels, len(heads), padded, UNLABELLED, configuration, gold, out)
        if length < 0:
            raise InputError(f"tree {i + 1} has no {system} derivation: it is not projective")
        sequences.append(out[:length].copy())
    return sequences


@njit
def _derive(
    system: System, n: int, heads: Ints, labels: Ints, c: Configuration, gold: Gold, out: NDArray[np.int8]
) -> int:
    """Write the static oracle's transitions to `out`; their number, or -1 if they miss the tree."""
    set_gold(gold, n, transitions.root_position(system, n), heads, labels, 0)
    transitions.initial(system, c, n)
    length = 0
    while not transitions.is_final(system, c):
        transition = transitions.static_transition(system, c, gold.head)
        if not transitions.is_legal(system, c, transition) or length == out.shape[0]:
            return -1
        transitions.apply(system, c, transition, 0)
        out[length] = transition
        length += 1
    for d in range(1, n + 1):
        # where the root comes first, a word without a head belongs to it
        if c.head[d] != gold.head[d] and not (gold.head[d] == 0 and c.head[d] == n + 2):
            return -1
    return length

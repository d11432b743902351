"""Compute the dynamic oracle of every system: one sum over the gold arcs that a transition loses.

cost(t; c, T) = number of arcs (head_T(d), d) that are reachable in c and no longer after t (Goldberg &
Nivre 2013, 4.4). A transition can only lose arcs that touch one of two words (`transitions.words`), so the
sum runs over the gold heads and dependents of these two. Covington's system is not arc-decomposable: it adds
the change of the number of cycles (`transitions.cycle_cost`).

On a non-projective gold tree the costs of the projective systems are not exact: each arc may be reachable
alone, but not all of them together (tests/parsing/test_oracles_exhaustive.py counts how often).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from learnability.parsing import transitions
from learnability.parsing.bundles import bundle
from learnability.parsing.configuration import KernelConfiguration, N
from learnability.parsing.jit import Ints, njit
from learnability.parsing.transitions import System

UNKNOWN = -1
"""Gold head of a token whose arc the oracle ignores."""


@bundle
class Gold(NamedTuple):
    """Hold the gold tree of one sentence, indexed for the oracle; scratch space for n tokens.

    Attributes:
        head: int32[n + 3], the position of each token's gold head; UNKNOWN where the arc does not count.
        label: int32[n + 3], the label of each token's gold arc.
        start: int32[n + 4], where each position's dependents begin in `dependents`.
        dependents: int32[n + 3], the dependents of all positions, in the order of the sentence.
    """

    head: Ints
    label: Ints
    start: Ints
    dependents: Ints


def new_gold(longest: int) -> Gold:
    return Gold(*(np.zeros(longest + extra, np.int32) for extra in (3, 3, 4, 3)))


@njit
def set_gold(gold: Gold, n: int, root: int, heads: Ints, labels: Ints, base: int) -> None:
    """Fill `gold` from heads[base + 1 .. base + n] (0 is the root, UNKNOWN allowed); labels may be empty."""
    for i in range(n + 4):
        gold.start[i] = 0
    for d in range(1, n + 1):
        h = heads[base + d]
        if h == 0:
            h = root
        gold.head[d] = h
        if labels.shape[0] > 0:
            gold.label[d] = labels[base + d]
        if h >= 0:
            gold.start[h] += 1
    for i in range(n + 3):
        gold.start[i + 1] += gold.start[i]
    # counting sort from the right, so that each list is in the order of the sentence
    for d in range(n, 0, -1):
        h = gold.head[d]
        if h >= 0:
            gold.start[h] -= 1
            gold.dependents[gold.start[h]] = d


@njit
def cost(system: System, c: KernelConfiguration, gold: Gold, transition: int) -> int:
    """Return the number of gold arcs that a legal transition loses (Goldberg & Nivre 2013, 4.4).

    For Covington's system, add the change of the number of cycles (Gómez-Rodríguez & Fernández-González 2015,
    Theorem 1).
    """
    n = c.at[N]
    s, b = transitions.words(system, c, transition)
    count = 0
    for word in (s, b):
        if 1 <= word <= n and gold.head[word] >= 0:
            h = int(np.int64(gold.head[word]))  # as `word` below, so that `loses_arc` is compiled once
            count += transitions.loses_arc(system, c, transition, h, word)
        if word <= n + 1:
            for i in range(gold.start[word], gold.start[word + 1]):
                d = int(np.int64(gold.dependents[i]))
                if d not in (s, b):  # s and b are counted as dependents above
                    count += transitions.loses_arc(system, c, transition, word, d)
    return int(count + transitions.cycle_cost(system, c, gold.head, transition))

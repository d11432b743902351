"""The dynamic oracle of every system: one sum over the gold arcs a transition loses.

cost(t; c, T) = number of arcs (head_T(d), d) that are reachable in c and no longer after t (Goldberg &
Nivre 2013, 4.4). Only arcs that touch two words (`transitions.words`) can be lost, so the sum runs over the
gold heads and dependents of these two. Covington's system, which is not
arc-decomposable, adds the change of the number of cycles (`transitions.cycle_cost`).

On a non-projective gold tree the costs of the projective systems are not exact: each arc may be reachable
and all of them not (tests/parsing/test_oracles_exhaustive.py counts how often).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from learnability.parsing import transitions
from learnability.parsing.configuration import KernelConfiguration, N
from learnability.parsing.jit import Ints, njit
from learnability.parsing.transitions import System

UNKNOWN = -1
"""Gold head of a token whose arc is none of the oracle's business."""


class Gold(NamedTuple):
    """The gold tree of one sentence, indexed for the oracle; scratch space for n tokens.

    Attributes:
        head, label: int32[n + 3], position of each token's gold head, UNKNOWN where it does not count; label.
        start: int32[n + 4], where each position's dependents begin in `dependents` (int32[n + 3]).
    """

    head: Ints
    label: Ints
    start: Ints
    dependents: Ints


def new_gold(longest: int) -> Gold:
    """Room for sentences of up to `longest` tokens."""
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
    """The number of gold arcs that a legal transition loses, in a system with cycles one more for each."""
    n = c.at[N]
    s, b = transitions.words(system, c, transition)
    count = 0
    for word in (s, b):
        if 1 <= word <= n and gold.head[word] >= 0:
            count += transitions.lost(system, c, transition, gold.head[word], word)
        if word <= n + 1:
            for i in range(gold.start[word], gold.start[word + 1]):
                d = gold.dependents[i]
                if d not in (s, b):  # those two are counted as dependents
                    count += transitions.lost(system, c, transition, word, d)
    return int(count + transitions.cycle_cost(system, c, gold.head, transition))

"""The easy-first system (Goldberg & Elhadad 2010) with its non-deterministic and dynamic oracles.

A configuration is c = (lambda, A), lambda the list of the words that have no head yet, ROOT first (Goldberg &
Nivre 2013, 2.2). Item k stands left of item k + 1, k from 0; transition 2k is LEFT at k, 2k + 1 RIGHT at k.

LEFT at k
    Validity: item k is not ROOT.
    Action:   (lambda, A) => (lambda - l_k, A + (l_k+1, l_k))
    Cost:     gold arcs (h, l_k), h in the list other than l_k+1, and (l_k, d), d in the list.
RIGHT at k
    Validity: always.
    Action:   (lambda, A) => (lambda - l_k+1, A + (l_k, l_k+1))
    Cost:     gold arcs (h, l_k+1), h in the list other than l_k, and (l_k+1, d), d in the list.

Costs as in Goldberg & Nivre 2013, 4.5. The oracle that returns the transitions of cost 0 is the
non-deterministic one while the gold tree is reachable, and the dynamic one everywhere: there is no static
oracle. The list is kept on the stack of the configuration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.configuration import (
    FRONT,
    LAST_FRONT,
    ROOT,
    SIZE,
    Configuration,
    N,
    add_arc,
    clear,
    push,
)
from learnability.parsing.jit import njit


class EasyFirst(NamedTuple):
    """The system; its root is always first."""

    root_first: bool = True


@njit
def initial(c: Configuration, n: int) -> None:
    """(ROOT 1..n, {})."""
    clear(c, n)
    c.at[ROOT] = 0
    c.at[FRONT] = n + 1
    c.at[LAST_FRONT] = n
    for i in range(n + 1):
        push(c, i)


@njit
def is_final(c: Configuration) -> bool:
    """(ROOT, A)."""
    return bool(c.at[SIZE] == 1)


@njit
def is_legal(c: Configuration, transition: int) -> bool:
    """Whether the transition is valid in c (headings Validity above)."""
    k = transition >> 1
    return bool(k + 1 < c.at[SIZE] and (transition & 1 == 1 or c.stack[k] != c.at[ROOT]))


@njit
def arc(c: Configuration, transition: int) -> tuple[int, int]:
    """Head and dependent of the arc that the transition adds."""
    k = transition >> 1
    if transition & 1 == 1:
        return c.stack[k], c.stack[k + 1]
    return c.stack[k + 1], c.stack[k]


@njit
def apply(c: Configuration, transition: int, label: int) -> None:
    """Take the transition (headings Action above)."""
    head, dependent = arc(c, transition)
    add_arc(c, head, dependent, label)
    c.stacked[dependent] = 0
    c.at[SIZE] -= 1
    for k in range((transition >> 1) + (transition & 1), c.at[SIZE]):
        c.stack[k] = c.stack[k + 1]


@njit
def lost(system: EasyFirst, c: Configuration, transition: int, head: int, dependent: int) -> bool:
    """Whether the transition makes the so far reachable arc unreachable.

    Only arcs that touch the dependent of the transition's arc can be lost.
    """
    if c.stacked[head] == 0 or c.stacked[dependent] == 0:
        return False
    h, d = arc(c, transition)
    return bool(head == d or (dependent == d and head != h))


@njit
def count_pending(c: Configuration, gold: NDArray[np.int32], pending: NDArray[np.int32]) -> None:
    """Write the number of gold dependents in the list of each position to `pending` (int32[n + 3])."""
    n = c.at[N]
    for i in range(n + 3):
        pending[i] = 0
    for d in range(1, n + 1):
        if c.stacked[d] == 1 and gold[d] >= 0:
            pending[gold[d]] += 1


@njit
def cost(c: Configuration, gold: NDArray[np.int32], pending: NDArray[np.int32], transition: int) -> int:
    """The cost of a legal transition, in constant time: the number of gold arcs that it loses.

    `gold`: int32[n + 3], the position of each token's gold head; `pending`: as `count_pending` leaves it.
    """
    head, dependent = arc(c, transition)
    count = np.int64(pending[dependent])
    owner = gold[dependent]
    if owner >= 0 and owner != head and c.stacked[owner] == 1:
        count += 1
    return int(count)

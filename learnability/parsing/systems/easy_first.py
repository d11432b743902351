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

Costs as in Goldberg & Nivre 2013, 4.5. The oracle returns the transitions of cost 0. It is the
non-deterministic oracle while the gold tree is reachable, and the dynamic oracle everywhere. There is no
static oracle. The list is kept on the stack of the configuration.

Training stays in a configuration until the prediction is correct (2013, Algorithm 2 with NEXT(c, t_o) = c),
so static, ambiguity and dynamic are the same training. From iteration k + 1 on, `explore` follows a wrong
prediction with probability p, else it stays (Algorithm 3). Training would never leave a configuration in
which it learns nothing. So it takes the right transition after 100 updates, or where an update would change
nothing because the right and the wrong transition have the same features. These cases are counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from learnability.parsing.configuration import ROOT, SIZE, KernelConfiguration, absent, add_arc, clear, push
from learnability.parsing.features import fill_keys
from learnability.parsing.jit import Flags, Ints, Keys, njit
from learnability.parsing.perceptron import Perceptron, add, find_rows, score
from learnability.parsing.templates import EASY_FIRST, feature_sets
from learnability.parsing.training import total_cost
from learnability.parsing.transitions import LEFT, RIGHT, TransitionSystem
from learnability.parsing.workspace import STAYED, Model, Workspace, next_random

MOST_UPDATES = 100
"""The largest number of updates in one configuration."""

WINDOW = 4
"""Items at this distance from a change of the list keep their features."""

ADDRESSES = (
    *("P", "A1", "A2", "Q", "B1", "B2"),
    *("Pl", "Pl2", "Pr", "Pr2", "Ql", "Ql2", "Qr", "Qr2", "A1l", "A1r", "B1l", "B1r"),
)
"""The addresses of the feature templates in the order in which `fill_addresses` writes them."""

SAME_ADDRESSES = {"S0h": "A1", "S1": "A1", "S0l": "Pl", "S0r": "Pr", "N0l": "Ql"}
SAME_ADDRESSES |= {"S0": "P", "N0": "Q", "N1": "B1", "N2": "B2"}


class EasyFirst(NamedTuple):
    """Define the easy-first system; its root is always first."""

    root_first: bool = True


@njit
def initial(system: EasyFirst, c: KernelConfiguration, n: int) -> None:
    """Set c to (ROOT 1..n, {})."""
    clear(c, n, 0, n + 1, n)
    for i in range(n + 1):
        push(c, i)


@njit
def is_legal(system: EasyFirst, c: KernelConfiguration, transition: int) -> bool:
    """Return whether the transition is valid in c (see Validity above)."""
    k = transition >> 1
    return bool(k + 1 < c.at[SIZE] and (transition & 1 == 1 or c.stack[k] != c.at[ROOT]))


@njit
def legal(system: EasyFirst, c: KernelConfiguration, out: Flags) -> int:
    """Return the number of transitions, without a mask.

    ROOT's LEFT is included, although it is not valid, so that the last step counts as a choice, too.
    """
    return int(2 * (c.at[SIZE] - 1))


@njit
def arc(system: EasyFirst, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Return head and dependent of the arc that the transition adds."""
    k = transition >> 1
    if transition & 1 == 1:
        return c.stack[k], c.stack[k + 1]
    return c.stack[k + 1], c.stack[k]


@njit
def apply(system: EasyFirst, c: KernelConfiguration, transition: int, label: int) -> None:
    """Take the transition (see Action above)."""
    head, dependent = arc(system, c, transition)
    add_arc(c, head, dependent, label)
    c.stacked[dependent] = 0
    c.at[SIZE] -= 1
    for k in range((transition >> 1) + (transition & 1), c.at[SIZE]):
        c.stack[k] = c.stack[k + 1]


@njit
def words(system: EasyFirst, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Return the dependent of the transition's arc, and the absent position: no other word loses arcs."""
    return int(np.int64(arc(system, c, transition)[1])), absent(c)


@njit
def loses_arc(system: EasyFirst, c: KernelConfiguration, transition: int, head: int, dependent: int) -> bool:
    """Return whether the transition makes a reachable arc unreachable (see Cost above)."""
    if c.stacked[head] == 0 or c.stacked[dependent] == 0:
        return False
    h, d = arc(system, c, transition)
    return bool(head == d or (dependent == d and head != h))


@njit
def rows_per_update(system: EasyFirst) -> int:
    return 2


@njit
def kind_of(system: EasyFirst, transition: int) -> int:
    return RIGHT if transition & 1 == 1 else LEFT


@njit
def fill_addresses(c: KernelConfiguration, k: int, out: Ints) -> None:
    """Write the position of every address (absent: n + 2) for the items k and k + 1 of the list."""
    missing, size = absent(c), c.at[SIZE]
    p, q = c.stack[k], c.stack[k + 1]
    out[0] = p
    out[1] = a1 = c.stack[k - 1] if k >= 1 else missing
    out[2] = c.stack[k - 2] if k >= 2 else missing
    out[3] = q
    out[4] = b1 = c.stack[k + 2] if k + 2 < size else missing
    out[5] = c.stack[k + 3] if k + 3 < size else missing
    out[6], out[7], out[8], out[9] = c.left1[p], c.left2[p], c.right1[p], c.right2[p]
    out[10], out[11], out[12], out[13] = c.left1[q], c.left2[q], c.right1[q], c.right2[q]
    out[14], out[15], out[16], out[17] = c.left1[a1], c.right1[a1], c.left1[b1], c.right1[b1]


@njit
def observe(
    system: EasyFirst, transition: int, model: Model, attributes: Keys, base: int,
    work: Workspace,
) -> None:  # fmt: skip
    """Compute features and scores of the pairs that the transition has changed (-1: of all pairs)."""
    c = work.configuration
    first, last = 0, c.at[SIZE] - 1
    if transition >= 0:
        first = max((transition >> 1) - WINDOW, first)
        last = min((transition >> 1) + WINDOW + 1, last)
    for k in range(first, last):
        fill_addresses(c, k, work.addresses)
        keys = work.pair_keys[c.stack[k]]
        fill_keys(c, attributes, base, model.templates, work.addresses, work.atoms, keys)
        score(model.learner, keys, work.rows, work.pair_scores[c.stack[k]])


@njit
def score_of(system: EasyFirst, transition: int, work: Workspace) -> np.float32:
    """Return the score of a transition."""
    pair = work.configuration.stack[transition >> 1]
    return np.float32(work.pair_scores[pair, kind_of(system, transition)])


@njit
def predict(system: EasyFirst, model: Model, attributes: Keys, base: int, work: Workspace) -> int:
    """Return the legal transition with the highest score; among equals the leftmost, LEFT before RIGHT."""
    c = work.configuration
    best, highest = -1, np.float32(0)
    for transition in range(2 * (c.at[SIZE] - 1)):
        if is_legal(system, c, transition):
            value = score_of(system, transition, work)
            if best < 0 or value > highest:
                best, highest = transition, value
    return best


@njit
def correct(
    system: EasyFirst, supervision: Any, regime: int, predicted: int, base: int, work: Workspace
) -> int:
    """Return the prediction if it has the least cost, else the best-scoring transition of least cost."""
    best, highest = predicted, np.float32(0)
    c = work.configuration
    least = total_cost(supervision, system, c, work.gold, base, predicted)
    if least == 0:
        return predicted
    for transition in range(2 * (c.at[SIZE] - 1)):
        if is_legal(system, c, transition):
            cost = total_cost(supervision, system, c, work.gold, base, transition)
            value = score_of(system, transition, work)
            if cost < least or (cost == least and best != predicted and value > highest):
                least, best, highest = cost, transition, value
    return best


@njit
def learn(system: EasyFirst, wanted: int, predicted: int, p: Perceptron, work: Workspace) -> bool:
    """Update towards `wanted` and away from `predicted`; return False if that would change nothing."""
    c, keys = work.configuration, work.pair_keys
    a, b = c.stack[wanted >> 1], c.stack[predicted >> 1]
    kind, other = kind_of(system, wanted), kind_of(system, predicted)
    if kind == other and is_same(keys[a], keys[b]):
        return False
    find_rows(p, keys[a], work.rows)
    add(p, keys[a], work.rows, kind, 1.0)
    find_rows(p, keys[b], work.rows)
    add(p, keys[b], work.rows, other, -1.0)
    for k in range(c.at[SIZE] - 1):
        score(p, keys[c.stack[k]], work.rows, work.pair_scores[c.stack[k]])
    return True


@njit
def is_same(keys: Keys, others: Keys) -> bool:
    """Return whether two pairs have the same features."""
    for f in range(keys.shape[0]):  # noqa: SIM110 (a kernel knows no generators)
        if keys[f] != others[f]:
            return False
    return True


@njit
def choose(
    system: EasyFirst, regime: int, exploration: float, predicted: int, wanted: int, learnt: bool,
    work: Workspace,
) -> tuple[int, bool]:  # fmt: skip
    """Return the transition to take, and whether it explores; -1 stays in the configuration.

    A correct prediction is taken, and a wrong one to explore. Else training stays as long as updates help,
    and then takes the correct transition.
    """
    stayed = work.progress[STAYED] + 1
    work.progress[STAYED] = 0
    if predicted == wanted:
        return predicted, False
    if exploration > 0.0 and next_random(work.random) < exploration:
        return predicted, True
    if learnt and stayed < MOST_UPDATES:
        work.progress[STAYED] = stayed
        return -1, False
    return wanted, False


SYSTEM = TransitionSystem(
    name="easy-first",
    kernels=EasyFirst(),
    transitions=("LEFT", "RIGHT"),
    features=feature_sets(EASY_FIRST, **SAME_ADDRESSES),
    addresses=ADDRESSES,
    in_list=True,
    has_static_oracle=False,
    regimes=("static", "explore"),
)

"""What a parser is trained on: one tree per sentence, or (`multiref.oracle`) a set of references.

A kind of supervision is a named tuple; training asks it these questions (see `dispatch`). The answers here
are those of a tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from learnability.parsing.arrays import Flags, Ints
from learnability.parsing.configuration import Configuration
from learnability.parsing.dispatch import dispatched
from learnability.parsing.jit import njit
from learnability.parsing.oracle import Gold, costs, set_gold
from learnability.parsing.perceptron import STEP, Learner, Perceptron, add_scores, find_rows, update
from learnability.parsing.transitions import System
from learnability.parsing.workspace import Workspace

LABEL_SALT = np.uint64(0x9E3779B97F4A7C15)
"""Added to the feature keys once per transition number to tell the labels of RIGHT from those of LEFT."""


class Trees(NamedTuple):
    """One tree per sentence: heads (0 is the root) and labels (none if unlabelled), int32[rows]."""

    heads: Ints
    labels: Ints


@dispatched
def begin(supervision: Trees, sentence: int, n: int, root: int, base: int, gold: Gold) -> None:
    """Set `gold` to the arcs that are certain in a sentence; `base`: the corpus row of its position 0."""
    set_gold(gold, n, root, supervision.heads, supervision.labels, base)


@dispatched
def open_cost(supervision: Trees, system: System, c: Configuration, base: int, transition: int) -> int:
    """What a legal transition costs besides the certain arcs that it loses."""
    return 0


@njit
def all_costs(
    supervision: Any, system: System, c: Configuration, gold: Gold, base: int, mask: Flags,
    out: Ints,
) -> None:  # fmt: skip
    """Write the cost of each legal transition to `out` (int32[as mask]); `gold` as `begin` leaves it."""
    costs(system, c, gold, mask, out)
    for t in range(mask.shape[0]):
        if mask[t] == 1:
            out[t] += open_cost(supervision, system, c, base, t)


@dispatched
def commit(supervision: Trees, system: System, c: Configuration, base: int, transition: int) -> None:
    """Note that the transition is about to be taken in c."""


@dispatched
def learn_label(
    supervision: Trees, base: int, head: int, dependent: int, kind: int, exploring: bool, labeller: Learner,
    work: Workspace,
) -> int:  # fmt: skip
    """Predict the label of the arc about to be added by a transition of this kind, learn, and return it."""
    gold = work.gold
    label = gold.label[dependent] if gold.head[dependent] == head else -1
    return int(learn_known_label(label, kind, exploring, labeller, work))


@njit
def learn_known_label(label: int, kind: int, exploring: bool, labeller: Learner, work: Workspace) -> int:
    """Update the labels' perceptron towards `label` (-1: not gold, any will do); return the one to give."""
    predicted = predict_label(kind, labeller.perceptron, work)
    labeller.perceptron.meta[STEP] += 1
    if label < 0 or predicted == label:
        return int(predicted)
    update(labeller, work.label_keys, work.rows, label, predicted)
    return int(predicted if exploring else label)


@njit
def predict_label(kind: int, p: Perceptron, work: Workspace) -> int:
    """The best label for the arc of a transition of this kind, whose features are in `work.keys`."""
    for f in range(work.keys.shape[0]):
        work.label_keys[f] = work.keys[f] + np.uint64(kind) * LABEL_SALT
    find_rows(p.slots, work.label_keys, work.rows)
    add_scores(p.weight, work.rows, work.label_scores)
    return int(np.argmax(work.label_scores))

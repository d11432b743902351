"""Labels in multi-reference training: those a surviving reference gives to an arc, and pruning by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.arrays import References
from learnability.multiref.oracle import reconcile
from learnability.parsing.configuration import ROOT
from learnability.parsing.jit import njit
from learnability.parsing.perceptron import STEP, update
from learnability.parsing.training import Learner, Workspace, learn_label, predict_label


@njit
def allowed_labels(
    references: References, base: int, root: int, head: int, dependent: int, out: NDArray[np.uint8]
) -> int:
    """Mark the labels that a surviving reference gives to the arc (out: uint8[labels]); their number.

    Only for a dependent whose head some factor decides.
    """
    for i in range(out.shape[0]):
        out[i] = 0
    count = 0
    row = base + dependent
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        factor, where = deciding(references, references.touch[i], dependent)
        if where < 0:
            continue
        width = references.token_start[factor + 1] - references.token_start[factor]
        for option in range(references.option_start[factor], references.option_start[factor + 1]):
            at = references.head_start[factor] + (option - references.option_start[factor]) * width + where
            h = references.head[at] if references.head[at] != 0 else root
            if references.alive[option] == 1 and h == head and out[references.label[at]] == 0:
                out[references.label[at]] = 1
                count += 1
    return count


@njit
def prune_labels(references: References, base: int, root: int, head: int, dependent: int, label: int) -> None:
    """Remove the references that give the arc another label, if any reference gives it this one."""
    row = base + dependent
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        factor, where = deciding(references, references.touch[i], dependent)
        if where < 0:
            continue
        width = references.token_start[factor + 1] - references.token_start[factor]
        for option in range(references.option_start[factor], references.option_start[factor + 1]):
            at = references.head_start[factor] + (option - references.option_start[factor]) * width + where
            h = references.head[at] if references.head[at] != 0 else root
            if h == head and references.label[at] != label:
                references.alive[option] = 0
        if references.first_part[references.touch[i]] != references.touch[i]:
            reconcile(references, references.touch[i])


@njit
def deciding(references: References, factor: int, token: int) -> tuple[int, int]:
    """The factor, or the one of its parts, that decides the token, and the token's index there; -1 if none.

    A factor that is not in parts is its own only part.
    """
    for part in range(references.first_part[factor], factor + 1):
        first = references.token_start[part]
        for i in range(references.token_start[part + 1] - first):
            if references.token[first + i] == token:
                return part, int(i)
    return factor, -1


@njit
def step_label(
    base: int,
    head: int,
    dependent: int,
    transition: int,
    references: References,
    labeller: Learner,
    allowed: NDArray[np.uint8],
    work: Workspace,
) -> int:
    """The label of the arc about to be added: the predicted one if a surviving reference has it.

    Else the labels' perceptron is updated towards the best that one has. References with another label go.
    """
    gold, root = work.gold, work.configuration.at[ROOT]
    if gold.head[dependent] >= 0:
        known = gold.label[dependent] if gold.head[dependent] == head else -1
        return int(learn_label(transition, known, False, labeller, work))
    if allowed_labels(references, base, root, head, dependent, allowed) == 0:
        return int(learn_label(transition, -1, False, labeller, work))
    p = labeller.perceptron
    label = predict_label(transition, p, work)
    p.meta[STEP] += 1
    if allowed[label] == 0:
        best = -1
        for other in range(allowed.shape[0]):
            if allowed[other] == 1 and (best < 0 or work.label_scores[other] > work.label_scores[best]):
                best = other
        update(p, labeller.row_keys, work.label_keys, work.rows, best, label)
        label = best
    prune_labels(references, base, root, head, dependent, label)
    return int(label)

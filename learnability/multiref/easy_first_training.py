"""Training the easy-first system against all references of every sentence.

Algorithm 1 of NAACL 2018 with the easy-first rule for a wrong prediction: update and stay in the
configuration until the prediction is correct (Goldberg & Nivre 2013, 3.1). References are pruned by the
transitions that are taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.arrays import References
from learnability.multiref.labels import step_label
from learnability.multiref.oracle import least_option_cost, prune_word, revive
from learnability.parsing.configuration import SIZE
from learnability.parsing.easy_first import (
    EasyFirst,
    arc,
    cost,
    count_pending,
    initial,
    is_final,
    is_legal,
)
from learnability.parsing.easy_first_training import (
    LEFT_BY_FORCE,
    MOST_UPDATES,
    RESUME,
    STAYED,
    Points,
    best,
    class_of,
    learn,
    look,
    show,
    take,
)
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates
from learnability.parsing.jit import njit
from learnability.parsing.oracle import set_gold
from learnability.parsing.perceptron import ROWS, STEP
from learnability.parsing.training import Learner, Workspace


@njit
def reference_cost(
    system: EasyFirst, references: References, base: int, points: Points, work: Workspace, transition: int
) -> int:
    """The cost of a legal transition with respect to the surviving references."""
    c = work.configuration
    _, dependent = arc(c, transition)
    total = cost(c, work.gold.head, points.pending, transition)
    row = base + dependent
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        total += least_option_cost(
            system, c, references, references.touch[i], transition, dependent, dependent
        )
    return int(total)


@njit
def best_correct(
    system: EasyFirst, references: References, base: int, points: Points, work: Workspace, price: int
) -> tuple[int, int]:
    """The least cost of a legal transition, and the one with the highest score among those that have it.

    `price`: an upper bound, the cost of some legal transition. Among equals the leftmost, LEFT before RIGHT.
    """
    c = work.configuration
    least, found, highest = price + 1, -1, np.float32(0)
    for transition in range(2 * (c.at[SIZE] - 1)):
        if is_legal(c, transition):
            value = points.scores[c.stack[transition >> 1], class_of(transition)]
            own = reference_cost(system, references, base, points, work, transition)
            if own < least or (own == least and value > highest):
                least, found, highest = own, transition, value
    return least, found


@njit
def step(
    system: EasyFirst, attributes: NDArray[np.uint64], base: int, references: References, labelled: bool,
    templates: Templates, learner: Learner, labeller: Learner, allowed: NDArray[np.uint8], points: Points,
    work: Workspace,
) -> None:  # fmt: skip
    """Predict; update and stay if wrong, else prune the references and take the transition."""
    c, p = work.configuration, learner.perceptron
    predicted = best(c, work.gold.head, points, -1)
    p.meta[STEP] += 1
    chosen = predicted
    price = reference_cost(system, references, base, points, work, predicted)
    if price > 0:
        least, wanted = best_correct(system, references, base, points, work, price)
        if price > least:
            learnt = learn(wanted, predicted, learner, points, work)
            points.state[STAYED] += 1
            if learnt and points.state[STAYED] < MOST_UPDATES:
                return
            points.state[LEFT_BY_FORCE] += 1
            chosen = wanted
    head, dependent = arc(c, chosen)
    prune_word(system, c, references, base + dependent, chosen, dependent, dependent)
    label = 0
    if labelled:
        show(c.stack[chosen >> 1], points, work)
        label = step_label(base, head, dependent, class_of(chosen), references, labeller, allowed, work) + 1
    take(chosen, label, work.gold.head, attributes, base, templates, p, points, work)


@njit
def train_sentences(
    system: EasyFirst, order: NDArray[np.int64], first: int, corpus: Corpus, references: References,
    labelled: bool, templates: Templates, learner: Learner, labeller: Learner, allowed: NDArray[np.uint8],
    points: Points, work: Workspace,
) -> int:  # fmt: skip
    """Train on the sentences order[first], order[first + 1], ... while the learners have room.

    Returns the index in `order` of the first sentence not finished; called again with it, goes on where it
    stopped, in the middle of that sentence.
    """
    room = 2 * templates.terms.shape[0]
    c = work.configuration
    for position in range(first, order.shape[0]):
        sentence = order[position]
        n = corpus.length[sentence]
        base = corpus.start[sentence]
        if points.state[RESUME] == 0:
            set_gold(work.gold, n, 0, references.fixed, references.fixed_label, base)
            revive(references, sentence)
            initial(c, n)
            count_pending(c, work.gold.head, points.pending)
            points.state[STAYED] = 0
            look(0, n, corpus.attributes, base, templates, learner.perceptron, points, work)
        points.state[RESUME] = 0
        while not is_final(c):
            full = learner.perceptron.meta[ROWS] + room > learner.row_keys.shape[0]
            if labelled and labeller.perceptron.meta[ROWS] + room > labeller.row_keys.shape[0]:
                full = True
            if full:
                points.state[RESUME] = 1
                return position
            step(
                system, corpus.attributes, base, references, labelled, templates, learner, labeller,
                allowed, points, work,
            )  # fmt: skip
    return int(order.shape[0])

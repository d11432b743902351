"""Train in all regimes of the papers with one kernel, for every system and every kind of supervision.

static     follows the static oracle (Goldberg & Nivre 2012, Algorithm 2)
ambiguity  follows the prediction if it is correct, else a random correct transition (2012, Algorithm 3,
           CHOOSE_NEXT_AMB)
explore    from iteration k + 1 follows the prediction with probability p even if it is wrong, else the best
           correct transition (Goldberg & Nivre 2013, Algorithm 3; in the 2012 paper p is the probability of
           *not* exploring)
dynamic    follows the prediction if it is correct, else the best correct transition (Wisniewski, Lacroix &
           Yvon 2018, Algorithm 1; with a single gold tree, or several)

The supervision of a sentence is a tree or, in `multiref.oracle`, a reference set. A kind of supervision is a
named tuple with kernels of its own (see `jit`); the kernels here are those of a tree.

The default kernels of prediction and learning serve the systems that work from left to right, which score
the transitions of one configuration. Easy-first has its own (see `jit`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import transitions
from learnability.parsing.bundles import bundle
from learnability.parsing.configuration import ROOT, KernelConfiguration, N, headless
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import fill_addresses, fill_arc_keys, fill_between, fill_keys
from learnability.parsing.jit import Flags, Ints, Keys, dispatch_kernel, njit
from learnability.parsing.oracle import Gold, cost, set_gold
from learnability.parsing.perceptron import (
    STEP,
    Perceptron,
    best_class,
    best_of,
    first_of,
    score,
    update,
)
from learnability.parsing.transitions import CLASSES, System
from learnability.parsing.workspace import (
    RESUME,
    Labeller,
    Model,
    Workspace,
    has_room_for,
    has_room_for_labels,
    next_random,
)

STATIC, AMBIGUITY, EXPLORE, DYNAMIC = range(4)
"""The regimes, by their index in `parser_options.REGIMES`."""


@bundle
class Trees(NamedTuple):
    """Hold one tree per sentence.

    Attributes:
        heads: int32[rows], 0 for the root.
        labels: int32[rows]; empty if unlabelled.
    """

    heads: Ints
    labels: Ints


@dispatch_kernel
def begin(supervision: Trees, sentence: int, n: int, root: int, base: int, gold: Gold) -> None:
    """Set `gold` to the certain arcs of a sentence; `base`: the corpus row of its position 0."""
    set_gold(gold, n, root, supervision.heads, supervision.labels, base)


@dispatch_kernel
def open_cost(supervision: Trees, system: System, c: KernelConfiguration, base: int, transition: int) -> int:
    """Return the cost of a legal transition beyond the certain arcs that it loses."""
    return 0


@njit
def total_cost(
    supervision: Any, system: System, c: KernelConfiguration, gold: Gold, base: int, transition: int
) -> int:
    """Return the cost of a legal transition; `begin` must have set `gold`."""
    return int(cost(system, c, gold, transition) + open_cost(supervision, system, c, base, transition))


@dispatch_kernel
def commit(supervision: Trees, system: System, c: KernelConfiguration, base: int, transition: int) -> None:
    """Record that the transition is about to be taken in c."""


@dispatch_kernel
def learn_label(
    supervision: Trees, base: int, head: int, dependent: int, exploring: bool, learner: Perceptron,
    work: Workspace,
) -> int:  # fmt: skip
    """Predict the label of the arc in `work`, learn from it, and return the label to assign."""
    gold = work.gold
    label = gold.label[dependent] if gold.head[dependent] == head else -1
    return int(learn_known_label(label, exploring, learner, work))


@njit
def learn_known_label(label: int, exploring: bool, learner: Perceptron, work: Workspace) -> int:
    """Update the labels' perceptron towards `label` and return the label to assign.

    -1 stands for an arc that is not gold: it has no correct label, so the prediction is returned.
    """
    predicted = predict_label(learner, work)
    learner.meta[STEP] += 1
    if label < 0 or predicted == label:
        return int(predicted)
    update(learner, work.label_keys, work.label_rows, label, predicted)
    return int(predicted if exploring else label)


@njit
def predict_label(learner: Perceptron, work: Workspace) -> int:
    """Return the best label for the arc whose keys are in `work.label_keys`."""
    return int(best_class(learner, work.label_keys, work.label_rows, work.label_scores))


@njit
def look_at_arc(
    labeller: Labeller, attributes: Keys, base: int, head: int, dependent: int, work: Workspace
) -> None:
    """Write the keys of the features from which the label of an arc about to be added is predicted."""
    c, templates = work.configuration, labeller.templates
    fill_arc_keys(
        c, attributes, base, templates, head, dependent, work.addresses, work.atoms, work.label_keys
    )


@dispatch_kernel
def rows_per_update(system: System) -> int:
    """Return the largest number of rows of weights that an update adds for each template."""
    return 1


@dispatch_kernel
def observe(
    system: System, transition: int, model: Model, attributes: Keys, base: int, work: Workspace
) -> None:
    """Update the state of the system after a transition; -1 stands for the start of a sentence."""


@dispatch_kernel
def predict(system: System, model: Model, attributes: Keys, base: int, work: Workspace) -> int:
    """Return the legal transition (`work.mask`) with the highest score, and leave its keys for `learn`."""
    c = work.configuration
    fill_addresses(c, work.addresses)
    if model.templates.between[0]:
        fill_between(c, work.addresses)
    fill_keys(c, attributes, base, model.templates, work.addresses, work.atoms, work.keys)
    score(model.learner, work.keys, work.rows, work.scores)
    return int(best_of(work.scores, work.mask))


@dispatch_kernel
def correct(system: System, supervision: Any, regime: int, predicted: int, base: int, work: Workspace) -> int:
    """Return the prediction if it is correct, else the best-scoring correct transition.

    The correct transitions are those of least cost. If the prediction is wrong, only these stay in
    `work.mask`.
    """
    c, mask, costs = work.configuration, work.mask, work.cost
    if regime == STATIC:
        return transitions.static_transition(system, c, work.gold.head)
    least = 0
    for i in range(-1, CLASSES):  # the prediction first, in the same loop, so that the cost is inlined once
        t = predicted if i < 0 else i
        if mask[t] == 1:
            costs[t] = total_cost(supervision, system, c, work.gold, base, t)
            if i < 0 and costs[t] == 0:
                return predicted  # nothing costs less
            least = costs[t] if i < 0 else min(least, costs[t])
    if costs[predicted] == least:
        return predicted
    for t in range(CLASSES):
        if costs[t] > least:
            mask[t] = 0
    return int(best_of(work.scores, mask))


@dispatch_kernel
def learn(system: System, wanted: int, predicted: int, learner: Perceptron, work: Workspace) -> bool:
    """Update towards `wanted` and away from `predicted`; return False if that would change nothing."""
    update(learner, work.keys, work.rows, wanted, predicted)
    return True


@dispatch_kernel
def choose(
    system: System, regime: int, exploration: float, predicted: int, wanted: int, learnt: bool,
    work: Workspace,
) -> tuple[int, bool]:  # fmt: skip
    """Return the transition to take (-1: stay in the configuration), and whether it is taken to explore."""
    if regime == AMBIGUITY and predicted != wanted:
        return random_transition(work.random, work.mask), False
    if exploration > 0.0 and next_random(work.random) < exploration:
        return predicted, True
    return wanted, False


@njit
def random_transition(random: Keys, mask: Flags) -> int:
    """Return a transition of the mask, each with the same probability."""
    choices = 0
    for t in range(mask.shape[0]):
        choices += mask[t]
    choice = int(next_random(random) * choices)
    for t in range(mask.shape[0]):
        if mask[t] == 1:
            if choice == 0:
                return t
            choice -= 1
    return -1


@njit
def train_sentences(
    system: System, supervision: Any, regime: int, exploration: float, order: NDArray[np.int64], first: int,
    corpus: Corpus, model: Model, work: Workspace,
) -> int:  # fmt: skip
    """Train on the sentences order[first], order[first + 1], ... while the learners have room.

    `order`: int64. `regime`: see `STATIC`. `exploration`: the probability of following a wrong prediction.
    Returns the index in `order` of the first unfinished sentence. A call that begins there continues where
    this call stopped, even in the middle of the sentence.
    """
    c = work.configuration
    for position in range(first, order.shape[0]):
        sentence = order[position]
        n, base = corpus.length[sentence], corpus.start[sentence]
        if work.progress[RESUME] == 0:
            root = transitions.root_position(system, n)
            begin(supervision, sentence, n, root, base, work.gold)
            transitions.initial(system, c, n)
            observe(system, -1, model, corpus.attributes, base, work)
        work.progress[RESUME] = 0
        while not transitions.is_final(system, c):
            if not has_room_for(model, rows_per_update(system)):
                work.progress[RESUME] = 1
                return position
            step(system, supervision, regime, exploration, corpus.attributes, base, model, work)
        if not learn_root_labels(model.labeller, corpus.attributes, base, work):
            work.progress[RESUME] = 1
            return position
    return int(order.shape[0])


@dispatch_kernel
def learn_root_labels(labeller: Labeller, attributes: Keys, base: int, work: Workspace) -> bool:
    """Learn the labels of root words that no transition has attached, where root words have several labels.

    In such systems as Covington's the root word is what is left without a head; `decoding` looks at its arc
    in the final configuration, too. Returns False if the weights have no room; a call that follows continues.
    """
    if labeller.root_labels.shape[0] == 0:
        return True
    c, gold = work.configuration, work.gold
    for d in range(1, c.at[N] + 1):
        if headless(c, d) and c.label[d] == 0 and gold.head[d] == c.at[ROOT]:
            if not has_room_for_labels(labeller, 1):
                return False
            look_at_arc(labeller, attributes, base, c.at[ROOT], d, work)
            c.label[d] = 1 + learn_known_label(gold.label[d], False, labeller.learner, work)
    return True


@njit
def step(
    system: System, supervision: Any, regime: int, exploration: float, attributes: Keys,
    base: int, model: Model, work: Workspace,
) -> None:  # fmt: skip
    """Predict, update if the prediction is wrong, choose the next transition and take it."""
    c = work.configuration
    choices = transitions.legal(system, c, work.mask)
    exploring = False
    if choices == 1:
        chosen = first_of(work.mask)
    else:
        predicted = predict(system, model, attributes, base, work)
        wanted = predicted
        if choices > 1:
            wanted = correct(system, supervision, regime, predicted, base, work)
            model.learner.meta[STEP] += 1
        learnt = False
        if wanted != predicted:
            learnt = learn(system, wanted, predicted, model.learner, work)
        chosen, exploring = choose(system, regime, exploration, predicted, wanted, learnt, work)
        if chosen < 0:
            return
    commit(supervision, system, c, base, chosen)
    label = learn_label_of(model.labeller, supervision, system, chosen, exploring, attributes, base, work)
    transitions.apply(system, c, chosen, label)
    observe(system, chosen, model, attributes, base, work)


@dispatch_kernel
def learn_label_of(
    labeller: Labeller, supervision: Any, system: System, transition: int, exploring: bool, attributes: Keys,
    base: int, work: Workspace,
) -> int:  # fmt: skip
    """Learn the label of the arc that a transition is about to add; return its number + 1 (0: no arc)."""
    c = work.configuration
    head, dependent = transitions.arc(system, c, transition)
    if dependent > c.at[N]:
        return 0
    look_at_arc(labeller, attributes, base, head, dependent, work)
    return int(1 + learn_label(supervision, base, head, dependent, exploring, labeller.learner, work))

"""Training on one tree per sentence: the regimes of the papers, as one kernel.

static     follows the static oracle (Goldberg & Nivre 2012, Algorithm 2)
ambiguity  follows the prediction if it is correct, else a random correct transition (2012, Algorithm 3,
           CHOOSE_NEXT_AMB)
explore    from iteration k + 1 follows the prediction with probability p even if it is wrong, else the best
           correct transition (Goldberg & Nivre 2013, Algorithm 3; in the 2012 paper p is the probability of
           *not* exploring)
dynamic    follows the prediction if it is correct, else the best correct transition (Wisniewski, Lacroix &
           Yvon 2018, Algorithm 1, with one reference)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import systems
from learnability.parsing.configuration import Configuration, N, new_configuration
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates, fill_addresses, fill_between, fill_keys, mix
from learnability.parsing.jit import njit
from learnability.parsing.oracle import Gold, costs, new_gold, set_gold
from learnability.parsing.perceptron import (
    ROWS,
    STEP,
    Perceptron,
    add_four_scores,
    add_scores,
    find_rows,
    grown,
    new_perceptron,
    update,
)
from learnability.parsing.systems import System

STATIC, AMBIGUITY, EXPLORE, DYNAMIC = range(4)
REGIMES = {"static": STATIC, "ambiguity": AMBIGUITY, "explore": EXPLORE, "dynamic": DYNAMIC}
"""The training regimes by their names on the command line."""

LABEL_SALT = np.uint64(0x9E3779B97F4A7C15)
"""Added to the feature keys once per transition number to tell the labels of RIGHT from those of LEFT."""


class Learner(NamedTuple):
    """A perceptron that grows, together with the key of every row."""

    perceptron: Perceptron
    row_keys: NDArray[np.uint64]


class Workspace(NamedTuple):
    """Scratch arrays of one worker; nothing is allocated inside a sentence."""

    configuration: Configuration
    gold: Gold
    addresses: NDArray[np.int32]
    atoms: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    label_keys: NDArray[np.uint64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float32]
    label_scores: NDArray[np.float32]
    mask: NDArray[np.uint8]
    cost: NDArray[np.int32]
    random: NDArray[np.uint64]


def new_learner(classes: int, rows: int = 1 << 16) -> Learner:
    """A learner without weights."""
    return Learner(new_perceptron(classes, rows), np.zeros(rows, np.uint64))


def with_room(learner: Learner, features: int) -> Learner:
    """The same learner with room for at least `features` more features."""
    rows = learner.row_keys.shape[0]
    needed = int(learner.perceptron.meta[ROWS]) + features
    if needed <= rows:
        return learner
    while rows < needed:
        rows *= 2
    keys = np.zeros(rows, np.uint64)
    keys[: learner.row_keys.shape[0]] = learner.row_keys
    return Learner(grown(learner.perceptron, keys, rows), keys)


def new_workspace(longest: int, templates: Templates, labels: int, seed: int = 0) -> Workspace:
    """Scratch space for sentences of up to `longest` tokens."""
    features = templates.terms.shape[0]
    return Workspace(
        configuration=new_configuration(longest),
        gold=new_gold(longest),
        addresses=np.zeros(32, np.int32),
        atoms=np.zeros(templates.salt.shape[0], np.uint64),
        keys=np.zeros(features, np.uint64),
        label_keys=np.zeros(features, np.uint64),
        rows=np.zeros(features, np.int32),
        scores=np.zeros(systems.TRANSITIONS, np.float32),
        label_scores=np.zeros(max(labels, 1), np.float32),
        mask=np.zeros(systems.TRANSITIONS, np.uint8),
        cost=np.zeros(systems.TRANSITIONS, np.int32),
        random=np.array([seed], np.uint64),
    )


@njit
def next_random(state: NDArray[np.uint64]) -> float:
    """A number in [0, 1) and the next state of the generator (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit
def best_transition(scores: NDArray[np.float32], mask: NDArray[np.uint8]) -> int:
    """The legal transition with the highest score; among equals the lowest number."""
    best = -1
    for t in range(mask.shape[0]):
        if mask[t] == 1 and (best < 0 or scores[t] > scores[best]):
            best = t
    return best


@njit
def best_correct(
    scores: NDArray[np.float32], mask: NDArray[np.uint8], cost: NDArray[np.int32], least: int
) -> int:
    """The legal transition of cost `least` with the highest score."""
    best = -1
    for t in range(mask.shape[0]):
        if mask[t] == 1 and cost[t] == least and (best < 0 or scores[t] > scores[best]):
            best = t
    return best


@njit
def random_correct(
    random: NDArray[np.uint64], mask: NDArray[np.uint8], cost: NDArray[np.int32], least: int
) -> int:
    """A legal transition of cost `least`, each with the same probability."""
    count = 0
    for t in range(mask.shape[0]):
        if mask[t] == 1 and cost[t] == least:
            count += 1
    choice = int(next_random(random) * count)
    for t in range(mask.shape[0]):
        if mask[t] == 1 and cost[t] == least:
            if choice == 0:
                return t
            choice -= 1
    return -1


@njit
def least_cost(mask: NDArray[np.uint8], cost: NDArray[np.int32]) -> int:
    """The least cost of a legal transition."""
    least = -1
    for t in range(mask.shape[0]):
        if mask[t] == 1 and (least < 0 or cost[t] < least):
            least = cost[t]
    return least


@njit
def only_legal(mask: NDArray[np.uint8]) -> int:
    """The first legal transition."""
    for t in range(mask.shape[0]):
        if mask[t] == 1:
            return t
    return -1


@njit
def predict(
    attributes: NDArray[np.uint64], base: int, templates: Templates, p: Perceptron, work: Workspace
) -> int:
    """Extract the features of the configuration, score the transitions, return the best legal one."""
    fill_addresses(work.configuration, work.addresses)
    if templates.between[0]:
        fill_between(work.configuration, work.addresses)
    fill_keys(work.configuration, attributes, base, templates, work.addresses, work.atoms, work.keys)
    find_rows(p.slots, work.keys, work.rows)
    add_four_scores(p.weight, work.rows, work.scores)
    return int(best_transition(work.scores, work.mask))


@njit
def predict_label(transition: int, p: Perceptron, work: Workspace) -> int:
    """The best label for the arc of `transition`; after `predict` in the same configuration."""
    for f in range(work.keys.shape[0]):
        work.label_keys[f] = work.keys[f] + np.uint64(transition) * LABEL_SALT
    find_rows(p.slots, work.label_keys, work.rows)
    add_scores(p.weight, work.rows, work.label_scores)
    return int(np.argmax(work.label_scores))


@njit
def learn_label(transition: int, gold_label: int, exploring: bool, learner: Learner, work: Workspace) -> int:
    """Update the labels' perceptron on an arc about to be added and return the label to give it.

    `gold_label` is -1 where the arc is not gold: then every label is as good, and the prediction is taken.
    """
    p = learner.perceptron
    predicted = predict_label(transition, p, work)
    p.meta[STEP] += 1
    if gold_label < 0 or predicted == gold_label:
        return int(predicted)
    update(p, learner.row_keys, work.label_keys, work.rows, gold_label, predicted)
    return int(predicted if exploring else gold_label)


@njit
def train_sentences(
    system: System,
    regime: int,
    exploration: float,
    order: NDArray[np.int64],
    first: int,
    corpus: Corpus,
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    labelled: bool,
    templates: Templates,
    learner: Learner,
    labeller: Learner,
    work: Workspace,
) -> int:
    """Train on the sentences order[first], order[first + 1], ... while the learners have room.

    `exploration` is the probability to follow a wrong prediction. Returns the index in `order` of the first
    sentence not trained on. `heads`, `labels`: int32[rows of the corpus].
    """
    features = templates.terms.shape[0]
    for position in range(first, order.shape[0]):
        sentence = order[position]
        n = corpus.length[sentence]
        room = systems.most_transitions(system, n) * features
        if learner.perceptron.meta[ROWS] + room > learner.row_keys.shape[0]:
            return position
        if labelled and labeller.perceptron.meta[ROWS] + room > labeller.row_keys.shape[0]:
            return position
        base = corpus.start[sentence]
        set_gold(work.gold, n, systems.root_position(system, n), heads, labels, base)
        systems.initial(system, work.configuration, n)
        while not systems.is_final(system, work.configuration):
            step(
                system, regime, exploration, corpus.attributes, base, labelled, templates, learner,
                labeller, work,
            )  # fmt: skip
    return int(order.shape[0])


@njit
def step(
    system: System,
    regime: int,
    exploration: float,
    attributes: NDArray[np.uint64],
    base: int,
    labelled: bool,
    templates: Templates,
    learner: Learner,
    labeller: Learner,
    work: Workspace,
) -> None:
    """Predict, update if wrong, choose the next transition and take it."""
    c, gold, p = work.configuration, work.gold, learner.perceptron
    choices = systems.legal(system, c, work.mask)
    if choices == 1 and not labelled:
        systems.apply(system, c, only_legal(work.mask), 0)
        return
    predicted = predict(attributes, base, templates, p, work)
    if regime == STATIC:
        best = systems.static_transition(system, c, gold.head)
        correct = predicted == best
        least = 0
    else:
        costs(system, c, gold, work.mask, work.cost)
        least = least_cost(work.mask, work.cost)
        correct = work.cost[predicted] == least
        best = predicted if correct else best_correct(work.scores, work.mask, work.cost, least)
    if choices > 1:
        p.meta[STEP] += 1
    if not correct:
        update(p, learner.row_keys, work.keys, work.rows, best, predicted)
    chosen = best
    exploring = False
    if regime == AMBIGUITY and not correct:
        chosen = random_correct(work.random, work.mask, work.cost, least)
    elif regime == EXPLORE and exploration > 0.0:
        exploring = next_random(work.random) < exploration
        if exploring:
            chosen = predicted
    label = 0
    if labelled:
        head, dependent = systems.arc(system, c, chosen)
        if dependent <= c.at[N]:
            gold_label = gold.label[dependent] if gold.head[dependent] == head else -1
            label = learn_label(chosen, gold_label, exploring, labeller, work) + 1
    systems.apply(system, c, chosen, label)

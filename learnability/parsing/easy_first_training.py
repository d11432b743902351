"""Training and parsing with the easy-first system: its transitions are scored all over the list.

The regimes are those of `training`; static, ambiguity and dynamic are one here: training with the
non-deterministic oracle, which stays in a configuration until the prediction is correct (Goldberg & Nivre
2013, Algorithm 2 with NEXT(c, t_o) = c). `explore` follows a wrong prediction with probability p from
iteration k + 1 on, else stays (Algorithm 3).

A configuration in which nothing is learnt would never be left: after 100 updates, or instead of an update
that would change nothing (t_o and t_p have the same features), t_o is taken, and this is counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.configuration import SIZE, Configuration
from learnability.parsing.decoding import single_root
from learnability.parsing.easy_first import (
    apply,
    arc,
    cost,
    count_pending,
    initial,
    is_final,
    is_legal,
)
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates, fill_easy_first, fill_keys
from learnability.parsing.jit import njit
from learnability.parsing.oracle import set_gold
from learnability.parsing.perceptron import (
    ROWS,
    STEP,
    Perceptron,
    add_four_scores,
    find_rows,
    update_one,
)
from learnability.parsing.training import Learner, Workspace, learn_label, next_random, predict_label

RIGHT, LEFT = 1, 2
"""Classes of the perceptron, numbered as in the other systems."""

MOST_UPDATES = 100
"""Updates in one configuration before it is left."""

RESUME, STAYED, LEFT_BY_FORCE = range(3)
"""Entries of `Points.state`: 1 in the middle of a sentence; updates made in this configuration;
configurations left by taking t_o without a correct prediction."""

WINDOW = 4
"""Items so far from a change of the list have the same features as before."""


class Points(NamedTuple):
    """What is known of each pair of neighbours, by the position of the left one.

    Attributes:
        keys: uint64[n + 2, f], the features.
        scores: float32[n + 2, 4], the score of each class.
        pending: int32[n + 3], gold dependents in the list.
        state: int64[3], see the constants above.
    """

    keys: NDArray[np.uint64]
    scores: NDArray[np.float32]
    pending: NDArray[np.int32]
    state: NDArray[np.int64]


def new_points(longest: int, templates: Templates) -> Points:
    """Room for sentences of up to `longest` tokens."""
    return Points(
        keys=np.zeros((longest + 2, templates.terms.shape[0]), np.uint64),
        scores=np.zeros((longest + 2, 4), np.float32),
        pending=np.zeros(longest + 3, np.int32),
        state=np.zeros(3, np.int64),
    )


@njit
def score(point: int, p: Perceptron, points: Points, work: Workspace) -> None:
    """Compute the scores of one pair from its features."""
    find_rows(p.slots, points.keys[point], work.rows)
    add_four_scores(p.weight, work.rows, points.scores[point])


@njit
def look(
    first: int, last: int, attributes: NDArray[np.uint64], base: int, templates: Templates, p: Perceptron,
    points: Points, work: Workspace,
) -> None:  # fmt: skip
    """Extract features and compute scores for the pairs first <= k <= last that exist."""
    c = work.configuration
    for k in range(max(first, 0), min(last + 1, c.at[SIZE] - 1)):
        fill_easy_first(c, k, work.addresses)
        fill_keys(c, attributes, base, templates, work.addresses, work.atoms, points.keys[c.stack[k]])
        score(c.stack[k], p, points, work)


@njit
def rescore(p: Perceptron, points: Points, work: Workspace) -> None:
    """Compute all scores again after the weights have changed."""
    c = work.configuration
    for k in range(c.at[SIZE] - 1):
        score(c.stack[k], p, points, work)


@njit
def class_of(transition: int) -> int:
    """The class of the perceptron: RIGHT or LEFT."""
    return RIGHT if transition & 1 == 1 else LEFT


@njit
def best(c: Configuration, gold: NDArray[np.int32], points: Points, most: int) -> int:
    """The legal transition with the highest score among those that cost at most `most` (-1: among all).

    Among equals the leftmost one, LEFT before RIGHT.
    """
    found = -1
    highest = np.float32(0)
    for k in range(c.at[SIZE] - 1):
        for transition in (2 * k, 2 * k + 1):
            if is_legal(c, transition):
                value = points.scores[c.stack[k], class_of(transition)]
                if (found < 0 or value > highest) and (
                    most < 0 or cost(c, gold, points.pending, transition) <= most
                ):
                    found = transition
                    highest = value
    return found


@njit
def least_cost(c: Configuration, gold: NDArray[np.int32], points: Points) -> int:
    """The least cost of a legal transition: 0 wherever the gold tree is projective."""
    least = -1
    for transition in range(2 * (c.at[SIZE] - 1)):
        if is_legal(c, transition):
            price = cost(c, gold, points.pending, transition)
            if least < 0 or price < least:
                least = price
                if least == 0:
                    break
    return least


@njit
def is_same(points: Points, a: int, b: int) -> bool:
    """Whether two pairs have the same features."""
    for f in range(points.keys.shape[1]):  # noqa: SIM110 (a kernel knows no generators)
        if points.keys[a, f] != points.keys[b, f]:
            return False
    return True


@njit
def show(point: int, points: Points, work: Workspace) -> None:
    """Copy the features of a pair to where the labels' perceptron looks."""
    for f in range(work.keys.shape[0]):
        work.keys[f] = points.keys[point, f]


@njit
def take(
    transition: int, label: int, gold: NDArray[np.int32], attributes: NDArray[np.uint64], base: int,
    templates: Templates, p: Perceptron, points: Points, work: Workspace,
) -> None:  # fmt: skip
    """Take the transition and look at the pairs that it has changed."""
    c = work.configuration
    _, dependent = arc(c, transition)
    if gold[dependent] >= 0:
        points.pending[gold[dependent]] -= 1
    apply(c, transition, label)
    points.state[STAYED] = 0
    k = transition >> 1
    look(k - WINDOW, k + WINDOW, attributes, base, templates, p, points, work)


@njit
def learn(wanted: int, predicted: int, learner: Learner, points: Points, work: Workspace) -> bool:
    """Update towards `wanted` and away from `predicted`; False if that would change nothing."""
    c = work.configuration
    p = learner.perceptron
    a, b = c.stack[wanted >> 1], c.stack[predicted >> 1]
    if class_of(wanted) == class_of(predicted) and is_same(points, a, b):
        return False
    find_rows(p.slots, points.keys[a], work.rows)
    update_one(p, learner.row_keys, points.keys[a], work.rows, class_of(wanted), 1.0)
    find_rows(p.slots, points.keys[b], work.rows)
    update_one(p, learner.row_keys, points.keys[b], work.rows, class_of(predicted), -1.0)
    rescore(p, points, work)
    return True


@njit
def step(
    exploration: float, attributes: NDArray[np.uint64], base: int, labelled: bool, templates: Templates,
    learner: Learner, labeller: Learner, points: Points, work: Workspace,
) -> None:  # fmt: skip
    """Predict; update and stay if wrong, else take the transition."""
    c, gold, p = work.configuration, work.gold, learner.perceptron
    predicted = best(c, gold.head, points, -1)
    least = least_cost(c, gold.head, points)
    p.meta[STEP] += 1
    chosen = predicted
    exploring = False
    if cost(c, gold.head, points.pending, predicted) > least:
        wanted = best(c, gold.head, points, least)
        learnt = learn(wanted, predicted, learner, points, work)
        exploring = exploration > 0.0 and next_random(work.random) < exploration
        if not exploring:
            points.state[STAYED] += 1
            if learnt and points.state[STAYED] < MOST_UPDATES:
                return
            points.state[LEFT_BY_FORCE] += 1
            chosen = wanted
    label = 0
    if labelled:
        head, dependent = arc(c, chosen)
        gold_label = gold.label[dependent] if gold.head[dependent] == head else -1
        show(c.stack[chosen >> 1], points, work)
        label = learn_label(class_of(chosen), gold_label, exploring, labeller, work) + 1
    take(chosen, label, gold.head, attributes, base, templates, p, points, work)


@njit
def train_sentences(
    exploration: float, order: NDArray[np.int64], first: int, corpus: Corpus, heads: NDArray[np.int32],
    labels: NDArray[np.int32], labelled: bool, templates: Templates, learner: Learner, labeller: Learner,
    points: Points, work: Workspace,
) -> int:  # fmt: skip
    """Train on the sentences order[first], order[first + 1], ... while the learners have room.

    `exploration` is the probability to follow a wrong prediction. Returns the index in `order` of the first
    sentence not finished; called again with it, goes on where it stopped, in the middle of that sentence.
    """
    room = 2 * templates.terms.shape[0]
    c = work.configuration
    for position in range(first, order.shape[0]):
        sentence = order[position]
        n = corpus.length[sentence]
        base = corpus.start[sentence]
        if points.state[RESUME] == 0:
            set_gold(work.gold, n, 0, heads, labels, base)
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
                exploration, corpus.attributes, base, labelled, templates, learner, labeller, points, work
            )  # fmt: skip
    return int(order.shape[0])


@njit
def parse_sentences(
    corpus: Corpus, templates: Templates, p: Perceptron, labelled: bool, label_weights: Perceptron,
    multiple_roots: bool, points: Points, work: Workspace, heads: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> None:  # fmt: skip
    """Parse every sentence greedily; writes what `decoding.parse_sentences` writes."""
    c = work.configuration
    for sentence in range(corpus.length.shape[0]):
        n = corpus.length[sentence]
        base = corpus.start[sentence]
        initial(c, n)
        look(0, n, corpus.attributes, base, templates, p, points, work)
        while not is_final(c):
            transition = best(c, c.head, points, -1)
            label = 0
            if labelled:
                show(c.stack[transition >> 1], points, work)
                label = predict_label(class_of(transition), label_weights, work) + 1
            apply(c, transition, label)
            k = transition >> 1
            look(k - WINDOW, k + WINDOW, corpus.attributes, base, templates, p, points, work)
        root_word = single_root(c, multiple_roots)
        for d in range(1, n + 1):
            h = c.head[d]
            heads[base + d] = 0 if h == 0 or d == root_word else h
            labels[base + d] = c.label[d]

"""Find the weights of a log-linear model of relations given a tree, the only optimum of a convex function.

The features are those of `token_classifier`; the function and its dual are those of `dual_ascent`, with
relations in the place of heads. Each relation has weights of its own. So a step of a token raises the dual as
much as any change of the distribution of that token can.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.distribution_steps import move_distribution
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import scatter
from learnability.parsing.jit import Ints, Scores, njit
from learnability.parsing.perceptron import ROWS, Perceptron, new_perceptron
from learnability.parsing.token_classifier import (
    ENDING_TEMPLATES,
    Counts,
    empty_slots,
    enter_rows,
    feature_keys,
    gather,
    number_keys,
    sum_marks,
)

UNSURE = 1e-4
"""The probability of all wrong relations of a token at first."""


def train_labeller(
    corpus: Corpus, heads: Ints, gold: Ints, classes: int, *, l2: float, gap: float, seed: int, most: int
) -> Perceptron:
    """Return the weights as `token_classifier.classify` reads them.

    Args:
        corpus: the training sentences.
        heads: int32[rows of the corpus], their trees (0: the root).
        gold: int32[tokens], the class of each token.
        classes: the number of classes 0, 1, ...
        l2: how much large weights cost.
        gap: the distance from the optimum at which training stops, for each token.
        seed: of the order of the tokens.
        most: passes at most.
    """
    keys = feature_keys(corpus, heads, ENDING_TEMPLATES)
    tokens, features = keys.shape
    number, known = np.zeros(keys.shape, np.int32), np.zeros(keys.size, np.uint64)
    known = known[: number_keys(keys, empty_slots(keys.size), number, known)].copy()
    del keys
    marks = np.zeros((len(known), 1), np.uint64)
    sum_marks(number, scatter(np.arange(1, tokens + 1, dtype=np.uint64)), marks)
    group = np.zeros(marks.shape, np.int32)
    groups = number_keys(marks, empty_slots(2 * len(marks)), group, np.zeros(len(marks), np.uint64))
    times, length = np.zeros(number.shape, np.uint8), np.zeros(tokens, np.int32)
    gather(number, group[:, 0], np.zeros(groups, np.int32), times, length)
    p = new_perceptron(classes, groups + 1)
    p.meta[ROWS] = groups + 1
    number += 1  # row 0 belongs to no feature
    prob, log_prob = (np.zeros((tokens, classes), np.float32) for _ in range(2))
    if classes > 1:
        begin_classes(gold, prob, log_prob)
        change, scores = np.zeros(classes, np.float32), np.zeros(p.weight.shape[1], np.float32)
        for token in range(tokens):
            change[:] = prob[token]
            change[gold[token]] -= 1
            change_weights(number[token], times[token], length[token], change, l2, p.weight)
        generator = np.random.default_rng(seed)
        for _ in range(most):
            order = generator.permutation(tokens).astype(np.int64)
            left = pass_over_tokens(
                order, number, times, length, features, l2, p.weight, prob, log_prob, scores, change
            )
            if left / max(1, tokens) <= gap:
                break
    slots = empty_slots(2 * len(known))
    enter_rows(known, group[:, 0] + 1, slots)
    return p._replace(slots=slots, total=p.total[:0].copy(), keys=p.keys[:0].copy())


def begin_classes(gold: Ints, prob: Scores, log_prob: Scores) -> None:
    """Set the distributions of tokens close to their gold classes."""
    prob[:] = UNSURE / (prob.shape[1] - 1)
    prob[np.arange(len(gold)), gold] = 1 - UNSURE
    log_prob[:] = np.log(prob)


@njit
def change_weights(rows: Ints, times: Counts, length: int, change: Scores, l2: float, weight: Scores) -> None:
    """Change the weights of the features of a token as its distribution has changed."""
    for f in range(length):
        for k in range(change.shape[0]):
            weight[rows[f], k] -= change[k] / np.float32(l2)


@njit
def pass_over_tokens(
    order: NDArray[np.int64], rows: Ints, times: Counts, length: Ints, features: int, l2: float,
    weight: Scores, prob: Scores, log_prob: Scores, scores: Scores, change: Scores,
) -> float:  # fmt: skip
    """Make a step for each token, in this order; return the sum of the gaps before.

    Args:
        order: int64, the tokens.
        rows: int32[tokens, features], the rows of the groups of features of each.
        times: uint8[tokens, features], how many features are in each group.
        length: int32[tokens], the groups.
        features: how many features a token has.
        l2: how much large weights cost.
        weight: float32[rows, as a row of weights], that of each member of a group.
        prob: float32[tokens, classes], the distributions.
        log_prob: float32[tokens, classes], their logarithms.
        scores: scratch space, a row of weights.
        change: scratch space, float32[classes].
    """
    gaps, classes = 0.0, change.shape[0]
    for token in order:
        for k in range(classes):
            scores[k] = 0.0
        for f in range(length[token]):
            count = np.float32(times[token, f])
            for k in range(classes):
                scores[k] += count * weight[rows[token, f], k]
        gaps += move_distribution(scores[:classes], prob[token], -1, features / l2, log_prob[token])
        moved = False
        for k in range(classes):
            new = np.float32(exp(float(log_prob[token, k])))
            change[k] = new - prob[token, k]
            moved = moved or abs(change[k]) > 1e-6
        if moved:
            for k in range(classes):
                prob[token, k] += change[k]
            change_weights(rows[token], times[token], length[token], change, l2, weight)
    return gaps

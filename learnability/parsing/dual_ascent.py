"""Find the weights of a log-linear model of heads, the only optimum of a convex function.

The probability of a head is exp(its score) / sum over all heads of exp(score), each word by itself.
With weights w, the gold head g of each word and L2 regularisation, training minimises

    primal(w) = sum over words of (log sum over h of exp(score(h)) - score(g)) + l2 / 2 |w|^2.

It maximises the dual, a function of a distribution a over the heads of each word (Collins, Globerson, Koo,
Carreras & Bartlett 2008, sections 3 and 4):

    dual(a) = sum over words of entropy(a) - l2 / 2 |w(a)|^2,
    w(a) = 1 / l2 * sum over words of (features of the gold head - mean of the features of the heads by a).

Both optima are equal, and primal(w(a)) - dual(a) is the sum of the Kullback-Leibler divergences of a from the
distributions of w(a): the gap says how far a training is from the optimum. A step moves the distributions of
one sentence towards those of the weights, by as much as raises the dual: a step that lowers it is taken back.
Sentences near their optimum rest for some passes; before training stops, all are looked at again.

Several annotations of the same sentences are trained together, each in lanes of its own. None changes what
another one learns, to the last bit.
"""

from __future__ import annotations

from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.arc_numbering import Long, end_part, pair_part, parts_of
from learnability.parsing.arc_parts import ArcParts
from learnability.parsing.bundles import bundle
from learnability.parsing.distribution_steps import NEGLIGIBLE, move_distribution
from learnability.parsing.features import bucket
from learnability.parsing.jit import Flags, Ints, Scores, njit
from learnability.parsing.vectors import pad_row, sum_rows

Table = NDArray[np.float64]

SMALL = 1e-6
"""A change of a probability below which the weights stay: it is made up for in a later step."""

FIRST_STIFFNESS = 200.0
"""The stiffness of a sentence before it was measured: more than usual."""

SAFETY = 0.8
"""The share of a measured stiffness that the next step assumes; a larger one makes shorter steps."""

REST = 4
"""The passes for which a sentence rests whose gap is a quarter of what it may be, or less."""

TOLERANCE = 1e-4
"""By how much the dual may fall in a step for each word, because of rounding errors."""

UNSURE = 1e-4
"""The probability of all wrong heads of a word at first."""


@bundle
class Duals(NamedTuple):
    """Hold weights and distributions of several annotations.

    Attributes:
        weight: float32[groups, lanes], of each group; lane 2k + direction is that of annotation k.
        log_prob: float32[annotations, arcs], the logarithm of each distribution.
        prob: float32[annotations, arcs], the distributions that the weights follow from, up to `SMALL`.
        stiffness: float32[annotations, sentences], the growth of |l2 w|^2 by the squared changes of a step.
        gap: float64[annotations, sentences], the gap of each sentence when it was last looked at.
        rest: uint8[annotations, sentences], the passes for which it rests.
    """

    weight: Scores
    log_prob: Scores
    prob: Scores
    stiffness: Scores
    gap: Table
    rest: Flags


@bundle
class StepSpace(NamedTuple):
    """Scratch arrays of a step.

    Attributes:
        part: float32[parts of the longest sentence, lanes], scores of parts, then changes.
        score: float32[annotations, arcs of the longest sentence], the scores.
        before: float32[annotations, arcs], the logarithms before the step.
        change: float32[annotations, arcs], the changes of the probabilities.
        line: float32[lanes], of one part.
        norm: float64[lanes], the growth of the squared norm of the weights.
        entropy: float64[annotations], by how much entropies grew.
        pull: float64[annotations], by how much mean scores grew.
        square: float64[annotations], the sum of the squared changes.
        moving: uint8[annotations], 1 for those that make a step in the sentence.
        refused: uint8[annotations], 1 where the step is taken back.
    """

    part: Scores
    score: Scores
    before: Scores
    change: Scores
    line: Scores
    norm: Table
    entropy: Table
    pull: Table
    square: Table
    moving: Flags
    refused: Flags


def new_step_space(longest: int, annotations: int) -> StepSpace:
    """Allocate scratch space for sentences of up to `longest` tokens."""
    lanes, arcs = pad_row(2 * annotations), longest * (longest + 1)
    squares = np.zeros((3, annotations, arcs), np.float32)
    numbers, flags = np.zeros((3, annotations)), np.zeros((2, annotations), np.uint8)
    return StepSpace(
        np.zeros((int(parts_of(longest)), lanes), np.float32), squares[0], squares[1], squares[2],
        np.zeros(lanes, np.float32), np.zeros(lanes), numbers[0], numbers[1], numbers[2], flags[0], flags[1],
    )  # fmt: skip


@njit
def score_parts(n: int, first: int, parts: ArcParts, weight: Scores, out: Scores) -> None:
    """Write the sum of the weights of each part of a sentence to `out`, float32[parts, lanes]."""
    for part in range(parts_of(n)):
        begin, end = parts.start[first + part], parts.start[first + part + 1]
        sum_rows(weight, parts.group[begin:end], out[part])


@njit
def fill_scores(n: int, annotation: int, part: Scores, score: Scores) -> None:
    """Write the scores of the arcs by one annotation, by dependent - 1 and head; those of no arc are -inf."""
    lane = 2 * annotation
    for left in range(n + 1):
        if left > 0:
            score[(left - 1) * (n + 1) + left] = -np.inf
        for right in range(left + 1, n + 1):
            b = bucket(right - left)
            p, first, last = pair_part(n, left, right), end_part(n, 0, left, b), end_part(n, 1, right, b)
            score[(right - 1) * (n + 1) + left] = part[p, lane] + part[first, lane] + part[last, lane]
            if left > 0:
                score[(left - 1) * (n + 1) + right] = (
                    part[p, lane + 1] + part[first, lane + 1] + part[last, lane + 1]
                )


@njit
def move_sentence(
    n: int, sentence: int, base: int, k: int, l2: float, duals: Duals, space: StepSpace
) -> float:  # fmt: skip
    """Move the distributions of a sentence in annotation k; return its gap before."""
    stiffness = float(duals.stiffness[k, sentence]) / l2
    gap, pull, entropy, square = 0.0, 0.0, 0.0, 0.0
    score, kept, change = space.score[k], space.before[k], space.change[k]
    log_prob, prob = duals.log_prob[k], duals.prob[k]
    for d in range(n):
        row, at = d * (n + 1), base + d * (n + 1)
        for h in range(n + 1):
            kept[row + h] = log_prob[at + h]
        gap += move_distribution(
            score[row : row + n + 1], prob[at : at + n + 1], d + 1, stiffness, log_prob[at : at + n + 1]
        )
        for h in range(n + 1):
            change[row + h] = 0.0
            if h != d + 1:
                before, after = float(kept[row + h]), float(log_prob[at + h])
                new = exp(after) if after > NEGLIGIBLE else 0.0
                if abs(new - float(prob[at + h])) >= SMALL:
                    change[row + h] = new - float(prob[at + h])
                    prob[at + h] += change[row + h]
                    delta = float(change[row + h])
                    square += delta * delta
                    pull += delta * float(score[row + h])
                    entropy -= delta * before + new * (after - before) - delta
    space.entropy[k], space.pull[k], space.square[k] = entropy, pull, square
    return gap


@njit
def spread_changes(n: int, annotation: int, sign: float, part: Scores, change: Scores) -> None:
    """Add the changes of the probabilities of arcs to the parts of the arcs."""
    lane = 2 * annotation
    for left in range(n):
        for right in range(left + 1, n + 1):
            b = bucket(right - left)
            p, first, last = pair_part(n, left, right), end_part(n, 0, left, b), end_part(n, 1, right, b)
            for direction in range(2 if left > 0 else 1):
                dependent, head = (left, right) if direction else (right, left)
                delta = np.float32(sign) * change[(dependent - 1) * (n + 1) + head]
                if delta != 0:
                    part[p, lane + direction] += delta
                    part[first, lane + direction] += delta
                    part[last, lane + direction] += delta


@njit
def apply_changes(
    n: int, first: int, parts: ArcParts, l2: float, duals: Duals, space: StepSpace
) -> None:  # fmt: skip
    """Change the weights as the distributions have changed; write the growth of |w|^2 to `space.norm`."""
    lanes = duals.weight.shape[1]
    for k in range(lanes):
        space.norm[k] = 0.0
    for part in range(parts_of(n)):
        moved = False
        for k in range(lanes):
            moved = moved or space.part[part, k] != 0
        if not moved:
            continue
        for k in range(lanes):
            space.line[k] = space.part[part, k] / np.float32(l2)
        for i in range(parts.start[first + part], parts.start[first + part + 1]):
            g = parts.group[i]
            members = parts.members[g]
            for k in range(lanes):
                before, delta = duals.weight[g, k], space.line[k]
                duals.weight[g, k] = before - members * delta
                space.norm[k] += delta * (members * delta - np.float32(2) * before)


@njit
def clear_parts(n: int, part: Scores) -> None:
    """Set the changes of the parts of a sentence to zero."""
    for p in range(parts_of(n)):
        for lane in range(part.shape[1]):
            part[p, lane] = 0


@njit
def assess_step(n: int, sentence: int, base: int, k: int, l2: float, duals: Duals, space: StepSpace) -> bool:
    """Return whether the dual fell, and take the distributions back if it did; adapt the stiffness."""
    if space.square[k] < 1e-8:
        return False
    norm = space.norm[2 * k] + space.norm[2 * k + 1]
    measured = (l2 * l2 * norm + 2 * l2 * space.pull[k]) / space.square[k]
    stiffness = float(duals.stiffness[k, sentence])
    if space.entropy[k] - l2 / 2 * norm < -TOLERANCE * n:
        for i in range(n * (n + 1)):
            duals.log_prob[k, base + i] = space.before[k, i]
            duals.prob[k, base + i] -= space.change[k, i]
        duals.stiffness[k, sentence] = max(measured, 2 * stiffness)
        return True
    duals.stiffness[k, sentence] = max(SAFETY * measured, stiffness / 2)
    return False


@njit
def choose_moving(sentence: int, active: Flags, duals: Duals, space: StepSpace) -> bool:
    """Write which annotations make a step in the sentence to `space.moving`; return whether any does."""
    found = False
    for k in range(active.shape[0]):
        space.moving[k] = 0
        if active[k] == 1 and duals.rest[k, sentence] > 0:
            duals.rest[k, sentence] -= 1
        elif active[k] == 1:
            space.moving[k], found = 1, True
    return found


@njit
def pass_over(
    order: Long, active: Flags, parts: ArcParts, l2: float, gap: float, duals: Duals, space: StepSpace
) -> None:
    """Make a step in each sentence that does not rest, in this order.

    Args:
        order: int64, the sentences.
        active: uint8[annotations], 1 for those that are trained.
        parts: the features.
        l2: how much large weights cost.
        gap: that for each word at which training stops.
        duals: changes.
        space: scratch space.
    """
    annotations = active.shape[0]
    for sentence in order:
        if not choose_moving(sentence, active, duals, space):
            continue
        n = int(parts.length[sentence])
        first, base = parts.part_start[sentence], parts.arc_start[sentence]
        score_parts(n, first, parts, duals.weight, space.part)
        for k in range(annotations):
            if space.moving[k] == 1:
                fill_scores(n, k, space.part, space.score[k])
        clear_parts(n, space.part)
        for k in range(annotations):
            if space.moving[k] == 1:
                duals.gap[k, sentence] = move_sentence(n, sentence, base, k, l2, duals, space)
                if duals.gap[k, sentence] < gap * n / 4:
                    duals.rest[k, sentence] = REST
                spread_changes(n, k, 1.0, space.part, space.change[k])
        apply_changes(n, first, parts, l2, duals, space)
        back = False
        for k in range(annotations):
            space.refused[k] = 0
            if space.moving[k] == 1 and assess_step(n, sentence, base, k, l2, duals, space):
                space.refused[k], back = 1, True
        if back:
            clear_parts(n, space.part)
            for k in range(annotations):
                if space.refused[k] == 1:
                    spread_changes(n, k, -1.0, space.part, space.change[k])
            apply_changes(n, first, parts, l2, duals, space)


@njit
def begin_duals(gold: Ints, k: int, parts: ArcParts, corpus_start: Long, l2: float, duals: Duals,
    space: StepSpace) -> None:  # fmt: skip
    """Set the distributions of annotation k close to its gold heads, and the weights to what follows.

    Args:
        gold: int32[rows of the corpus], the gold heads.
        k: the annotation.
        parts: the features.
        corpus_start: int64[sentences], the row of each sentence's position 0.
        l2: how much large weights cost.
        duals: changes.
        space: scratch space.
    """
    for sentence in range(parts.length.shape[0]):
        n = int(parts.length[sentence])
        first, base = parts.part_start[sentence], parts.arc_start[sentence]
        rest = np.float32(UNSURE / max(1, n - 1))
        clear_parts(n, space.part)
        for d in range(n):
            g = gold[corpus_start[sentence] + d + 1]
            for h in range(n + 1):
                at = d * (n + 1) + h
                p = np.float32(0) if h == d + 1 else (np.float32(1 - UNSURE) if h == g else rest)
                if n == 1 and h == g:
                    p = np.float32(1)
                duals.prob[k, base + at] = p
                duals.log_prob[k, base + at] = log(float(p)) if p > 0 else 0.0
                space.change[k, at] = p - np.float32(1) if h == g else p
        spread_changes(n, k, 1.0, space.part, space.change[k])
        apply_changes(n, first, parts, l2, duals, space)

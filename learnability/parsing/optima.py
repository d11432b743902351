"""Train several annotations of the same sentences until each is near its optimum (see `dual_ascent`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnability.parsing.arc_numbering import Long
from learnability.parsing.arc_parts import ArcParts
from learnability.parsing.dual_ascent import FIRST_STIFFNESS, Duals, begin_duals, new_step_space, pass_over
from learnability.parsing.jit import Ints, Scores
from learnability.parsing.vectors import aligned_zeros, pad_row


@dataclass(frozen=True)
class Optimum:
    """Hold the weights of an annotation.

    Attributes:
        weight: float32[groups, 2], of each group by direction.
        passes: the passes over the sentences.
        gap: by how much the primal exceeds its minimum at most, for each word, as the last pass met it.
    """

    weight: Scores
    passes: int
    gap: float


def find_optima(
    parts: ArcParts, corpus_start: Long, golds: Sequence[Ints], *, l2: float, gap: float, seed: int, most: int
) -> list[Optimum]:
    """Return the optimum of each annotation of the same sentences.

    Args:
        parts: the features of the sentences.
        corpus_start: int64[sentences], the row of each sentence's position 0.
        golds: int32[rows of the corpus] each, the heads.
        l2: how much large weights cost.
        gap: the gap for each word at which training stops.
        seed: of the order of the sentences.
        most: passes at most.
    """
    words, annotations = int(parts.length.sum()), len(golds)
    arcs = int((parts.length.astype(np.int64) * (parts.length + 1)).sum())
    duals = Duals(
        aligned_zeros(len(parts.members), pad_row(2 * annotations)),
        np.zeros((annotations, arcs), np.float32), np.zeros((annotations, arcs), np.float32),
        np.full((annotations, len(parts.length)), FIRST_STIFFNESS, np.float32),
        np.zeros((annotations, len(parts.length))), np.zeros((annotations, len(parts.length)), np.uint8),
    )  # fmt: skip
    space = new_step_space(int(parts.length.max(initial=0)), annotations)
    for k, gold in enumerate(golds):
        begin_duals(gold, k, parts, corpus_start, l2, duals, space)
    generator = np.random.default_rng(seed)
    active, passes, last = np.ones(annotations, np.uint8), np.zeros(annotations, int), np.zeros(annotations)
    while active.any() and passes.max() < most:
        order = generator.permutation(len(parts.length)).astype(np.int64)
        awake = (duals.rest == 0).all(axis=1)
        pass_over(order, active, parts, l2, gap, duals, space)
        for k in np.flatnonzero(active).tolist():
            passes[k] += 1
            last[k] = float(duals.gap[k].sum()) / words
            if last[k] <= gap and awake[k]:
                active[k] = 0
            elif last[k] <= gap:
                duals.rest[k] = 0
    weights = duals.weight
    return [
        Optimum(weights[:, 2 * k : 2 * k + 2].copy(), int(passes[k]), float(last[k]))
        for k in range(annotations)
    ]

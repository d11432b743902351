"""Kernels of the log-linear parser against finite differences, and steps against the dual in plain numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from corpora import random_treebank
from scipy.special import logsumexp

from learnability.parsing.arc_parts import ArcParts, arc_features
from learnability.parsing.dual_ascent import (
    FIRST_STIFFNESS,
    Duals,
    StepSpace,
    apply_changes,
    begin_duals,
    clear_parts,
    fill_scores,
    new_step_space,
    pass_over,
    score_parts,
    spread_changes,
)
from learnability.parsing.encoding import encode_labels, encode_tokens, encode_trees
from learnability.parsing.graph import encoder
from learnability.parsing.jit import Ints
from learnability.parsing.loglinear_labels import change_weights, train_labeller
from learnability.parsing.perceptron import find_rows
from learnability.parsing.token_classifier import ENDING_TEMPLATES, feature_keys, score_classes
from learnability.parsing.vectors import aligned_zeros, pad_row

L2, LANES, EPSILON = 2.0, 2, 0.03
"""Two annotations, so that each has lanes of its own; a step so large that float32 tells the scores apart."""


@dataclass
class Heads:
    """A treebank as the kernels hold it, in two annotations with the same heads."""

    parts: ArcParts
    start: np.ndarray
    gold: Ints
    duals: Duals
    space: StepSpace

    def scores(self, sentence: int, k: int) -> np.ndarray:
        """float64[words, heads]: the scores of the arcs by the kernels, -inf for no arc."""
        n = int(self.parts.length[sentence])
        first = self.parts.part_start[sentence]
        score_parts(n, first, self.parts, self.duals.weight, self.space.part)
        fill_scores(n, k, self.space.part, self.space.score[k])
        return self.space.score[k][: n * (n + 1)].reshape(n, n + 1).astype(float)

    def gold_of(self, sentence: int) -> np.ndarray:
        n = int(self.parts.length[sentence])
        return self.gold[self.start[sentence] + 1 : self.start[sentence] + 1 + n]

    def loss(self, k: int) -> float:
        """Minus the log-likelihood of the heads, word by word."""
        total = 0.0
        for sentence in range(len(self.parts.length)):
            scores, gold = self.scores(sentence, k), self.gold_of(sentence)
            total += float((logsumexp(scores, axis=1) - scores[np.arange(len(gold)), gold]).sum())
        return total

    def square(self, k: int) -> float:
        """The squared norm of the weights of the features: those of a group are equal."""
        of_annotation = self.duals.weight[:, 2 * k : 2 * k + 2].astype(float)
        return float((of_annotation**2 / self.parts.members[:, None]).sum())

    def probabilities(self, sentence: int, k: int) -> np.ndarray:
        """float64[words, heads]: the distributions of the dual, 0 for no arc."""
        n, base = int(self.parts.length[sentence]), int(self.parts.arc_start[sentence])
        found = np.exp(self.duals.log_prob[k, base : base + n * (n + 1)].reshape(n, n + 1).astype(float))
        found[np.arange(n), np.arange(1, n + 1)] = 0
        return found

    def dual(self, k: int) -> float:
        """The sum of the entropies, less half the weights' squared norm."""
        total = -L2 / 2 * self.square(k)
        for sentence in range(len(self.parts.length)):
            p = self.probabilities(sentence, k)
            total -= float((p[p > 0] * np.log(p[p > 0])).sum())
        return total


def heads_of(seed: int, sentences: int, longest: int) -> Heads:
    trees = random_treebank(seed, sentences, longest=longest, projective=False)
    corpus, gold = encode_trees(trees, encode_tokens)
    parts = arc_features(corpus).parts
    arcs = int((parts.length.astype(int) * (parts.length + 1)).sum())
    duals = Duals(
        aligned_zeros(len(parts.members), pad_row(2 * LANES)),
        np.zeros((LANES, arcs), np.float32), np.zeros((LANES, arcs), np.float32),
        np.full((LANES, len(trees)), FIRST_STIFFNESS, np.float32), np.zeros((LANES, len(trees))),
        np.zeros((LANES, len(trees)), np.uint8),
    )  # fmt: skip
    return Heads(parts, corpus.start, gold, duals, new_step_space(int(parts.length.max()), LANES))


@pytest.mark.parametrize("k", range(LANES))
def test_kernels_change_weights_by_the_gradient_of_finite_differences(k: int) -> None:
    heads = heads_of(11, 4, longest=5)
    weight = heads.duals.weight
    lanes = slice(2 * k, 2 * k + 2)
    weight[:, : 2 * LANES] = np.random.default_rng(1).normal(0, 0.5, (len(weight), 2 * LANES))
    expected = np.zeros((len(weight), 2))
    for group in range(len(weight)):
        for direction in range(2):
            lane, there = 2 * k + direction, weight[group, 2 * k + direction]
            losses = []
            for step in (EPSILON, -EPSILON):
                weight[group, lane] = there + step
                losses.append(heads.loss(k))
            weight[group, lane] = there
            expected[group, direction] = (losses[0] - losses[1]) / (2 * EPSILON)
    before, change = weight.copy(), np.zeros_like(heads.space.change[k])
    scored = [heads.scores(sentence, k) for sentence in range(len(heads.parts.length))]
    for sentence, scores in enumerate(scored):
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        p[np.arange(len(p)), heads.gold_of(sentence)] -= 1
        change[: p.size] = p.ravel()
        clear_parts(len(p), heads.space.part)
        spread_changes(len(p), k, 1.0, heads.space.part, change)
        apply_changes(len(p), heads.parts.part_start[sentence], heads.parts, L2, heads.duals, heads.space)
    found = -L2 * (weight - before)[:, lanes] / heads.parts.members[:, None]
    assert np.abs(expected).max() > 0.3
    assert found == pytest.approx(expected, abs=2e-3)
    others = np.delete(weight - before, lanes, axis=1)
    assert not others.any()  # each annotation has lanes of its own


def test_a_step_knows_the_gap_and_by_how_much_the_dual_grows() -> None:
    """Weights that follow from the distributions make primal - dual the sum of the divergences."""
    heads, active = heads_of(12, 6, longest=6), np.ones(LANES, np.uint8)
    for k in range(LANES):
        begin_duals(heads.gold, k, heads.parts, heads.start, L2, heads.duals, heads.space)
    grown = 0.0
    for sentence in [*range(len(heads.parts.length))] * 3:
        divergences = []
        for each in range(len(heads.parts.length)):
            p, scores = heads.probabilities(each, 0), heads.scores(each, 0)
            log_p = np.log(np.where(p > 0, p, 1))
            mean = np.where(p > 0, p * (log_p - np.where(p > 0, scores, 0)), 0).sum()
            divergences.append(float(mean + logsumexp(scores, axis=1).sum()))
        before, square = heads.dual(0), heads.square(0)
        primal = heads.loss(0) + L2 / 2 * square
        assert primal - before == pytest.approx(sum(divergences), abs=2e-3)
        pass_over(
            np.array([sentence]), active, heads.parts, L2, -1.0, heads.duals, heads.space
        )  # a negative gap: no sentence rests
        assert heads.duals.gap[0, sentence] == pytest.approx(divergences[sentence], abs=2e-3)
        growth = heads.space.entropy[0] - L2 / 2 * (heads.space.norm[0] + heads.space.norm[1])
        if not heads.space.refused[0]:
            assert heads.dual(0) - before == pytest.approx(growth, abs=2e-3)
        assert heads.dual(0) >= before - 1e-3
        grown += heads.dual(0) - before
    assert grown > 0.5


def test_the_gradient_of_relations_is_that_of_finite_differences_and_none_is_left_at_the_optimum() -> None:
    trees = random_treebank(13, 6)
    corpus, heads = encode_trees(trees, encoder(labelled=True))
    labels = sorted({deprel for tree in trees for deprel in tree.deprels})
    gold = encode_labels(corpus, [t.deprels for t in trees], labels)[corpus.rows_of_tokens()]
    keys = feature_keys(corpus, heads, ENDING_TEMPLATES)
    p = train_labeller(corpus, heads, gold, len(labels), l2=L2, gap=1e-9, seed=1, most=500)
    rows = np.zeros(keys.shape, np.int32)
    for token in range(len(keys)):
        find_rows(p, keys[token], rows[token])
    distinct, first = np.unique(keys, return_index=True)
    members = np.bincount(rows.ravel()[first], minlength=len(p.weight))
    assert members.sum() == len(distinct)

    def loss() -> float:
        scores = score_classes(p, keys).astype(float)
        return float((logsumexp(scores, axis=1) - scores[np.arange(len(gold)), gold]).sum())

    def differences(chosen: np.ndarray, k: int) -> np.ndarray:
        found = []
        for row in chosen:
            there, losses = p.weight[row, k], []
            for step in (EPSILON, -EPSILON):
                p.weight[row, k] = there + step / members[row]
                losses.append(loss())
            p.weight[row, k] = there
            found.append((losses[0] - losses[1]) / (2 * EPSILON))
        return np.array(found)

    used = np.flatnonzero(members)
    chosen = np.random.default_rng(2).choice(used, min(60, len(used)), replace=False)
    for k in range(len(labels)):
        assert differences(chosen, k) + L2 * p.weight[chosen, k] == pytest.approx(0, abs=5e-3)
    p.weight[used, : len(labels)] = np.random.default_rng(3).normal(0, 0.2, (len(used), len(labels)))
    expected = np.array([differences(chosen, k) for k in range(len(labels))]).T
    scores = score_classes(p, keys).astype(float)
    probabilities = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    probabilities[np.arange(len(gold)), gold] -= 1
    before = p.weight.copy()
    for token in range(len(keys)):
        groups, times = np.unique(rows[token], return_counts=True)
        change = probabilities[token].astype(np.float32)
        change_weights(groups.astype(np.int32), times.astype(np.uint8), len(groups), change, L2, p.weight)
    found = -L2 * (p.weight - before)[chosen, : len(labels)]
    assert np.abs(expected).max() > 0.3
    assert found == pytest.approx(expected, abs=5e-3)

"""The log-linear parser against plain Python and scipy: the same features, optimum and probabilities."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from arc_twins import classes, features
from corpora import random_treebank
from scipy.optimize import approx_fprime, minimize
from scipy.special import logsumexp, wrightomega
from trees import is_projective, is_tree
from twins import bucket

from learnability.errors import InputError
from learnability.parsing.arc_numbering import pairs_at_end
from learnability.parsing.arc_parts import arc_features
from learnability.parsing.distribution_steps import move_distribution, omega
from learnability.parsing.encoding import encode_labels, encode_tokens, encode_trees
from learnability.parsing.graph import Decoder, GraphParser, encoder
from learnability.parsing.graph_features import compile_arc_templates, fill_halves, new_arc_space, score_arcs
from learnability.parsing.loglinear import LoglinearOptions, train_loglinear_parsers
from learnability.parsing.loglinear_labels import train_labeller
from learnability.parsing.loglinear_probabilities import arc_probabilities, label_probabilities
from learnability.parsing.optima import find_optima
from learnability.parsing.token_classifier import ENDING_TEMPLATES, feature_keys
from learnability.treebanks.sentence import Tree

PROJECTIVE, ANY = Decoder(True, False), Decoder(False, False)
L2 = 2.0
EXACTLY = {"method": "L-BFGS-B", "jac": True, "options": {"gtol": 1e-7, "ftol": 1e-15, "maxiter": 2000}}


def candidates(tree: Tree, d: int) -> list[int]:
    return [h for h in range(len(tree) + 1) if h != d]


def of_arc(tree: Tree, h: int, d: int) -> set[tuple]:
    """Features with their class: direction, or direction and distance."""
    return {(f, k) for f in features(tree, h, d) for k in classes(h, d)}


def counted(trees: list[Tree]) -> set[tuple]:
    """Features, of all distances (0) or one, that occur with two pairs of words."""
    count: Counter = Counter()
    for tree in trees:
        for right in range(1, len(tree) + 1):
            for left in range(right):
                for f in features(tree, left, right):
                    count[f, 0] += 1
                    count[f, bucket(right - left)] += 1
    return {feature for feature, times in count.items() if times > 1}


def design(trees: list[Tree]) -> tuple[list[np.ndarray], list[int], int]:
    """For each word the features of its candidate heads, and which candidate is right."""
    kept, number, words, golds = counted(trees), {}, [], []
    for tree in trees:
        for d in range(1, len(tree) + 1):
            of_heads = []
            for h in candidates(tree, d):
                found = [(f, k) for f, k in of_arc(tree, h, d) if (f, k // 2) in kept]
                of_heads.append([number.setdefault(f, len(number)) for f in found])
            words.append(of_heads)
            golds.append(candidates(tree, d).index(tree.heads[d - 1]))
    matrices = []
    for of_heads in words:
        matrix = np.zeros((len(of_heads), len(number)))
        for i, found in enumerate(of_heads):
            matrix[i, found] = 1
        matrices.append(matrix)
    return matrices, golds, len(number)


def primal(
    w: np.ndarray, matrices: list[np.ndarray], golds: list[int], l2: float
) -> tuple[float, np.ndarray]:
    value, gradient = l2 / 2 * w @ w, l2 * w
    for matrix, gold in zip(matrices, golds, strict=True):
        scores = matrix @ w
        total = logsumexp(scores)
        value += total - scores[gold]
        gradient = gradient + matrix.T @ np.exp(scores - total) - matrix[gold]
    return value, gradient


def arc_scores(parser: GraphParser, trees: list[Tree]) -> list[np.ndarray]:
    """For each word the scores of its candidate heads, less their mean."""
    corpus, templates = encode_tokens(trees), compile_arc_templates()
    space, found = new_arc_space(int(corpus.length.max()), templates), []
    for tree, base in zip(trees, corpus.start, strict=True):
        n = np.int32(len(tree))
        fill_halves(n, base, corpus.attributes, templates, space)
        score_arcs(n, parser.weights, templates, space)
        for d in range(1, len(tree) + 1):
            scores = space.score[d, candidates(tree, d)].astype(float)
            found.append(scores - scores.mean())
    return found


def trained(trees: list[Tree], decoder: Decoder = PROJECTIVE, **options: object) -> GraphParser:
    encode = encoder(labelled=bool(options.get("labelled")))
    corpus = encode(trees)
    (training,) = train_loglinear_parsers(
        [trees], corpus, arc_features(corpus), LoglinearOptions(decoder, **options)
    )
    return training.parser


def test_features_are_those_that_occur_with_two_pairs_of_words() -> None:
    trees = random_treebank(3, 6)
    assert len(arc_features(encode_tokens(trees)).key) == len(counted(trees))


def test_the_gradient_of_the_twin_is_that_of_finite_differences() -> None:
    matrices, golds, size = design(random_treebank(4, 3, longest=4))
    w = np.random.default_rng(1).normal(size=size)
    numerically = approx_fprime(w, lambda w: primal(w, matrices, golds, L2)[0], 1e-6)
    assert numerically == pytest.approx(primal(w, matrices, golds, L2)[1], abs=1e-3)


@pytest.mark.parametrize("l2", [0.5, 5.0])
def test_the_optimum_of_heads_is_that_of_scipy(l2: float) -> None:
    trees = random_treebank(5, 12, projective=False)
    matrices, golds, size = design(trees)
    best = minimize(primal, np.zeros(size), (matrices, golds, l2), **EXACTLY)
    corpus, gold = encode_trees(trees, encode_tokens)
    found = arc_features(corpus)
    (optimum,) = find_optima(found.parts, corpus.start, [gold], l2=l2, gap=2e-6, seed=1, most=500)
    assert optimum.gap <= 2e-6
    ours = arc_scores(GraphParser(ANY, found.weights(optimum.weight)), trees)
    for scores, matrix in zip(ours, matrices, strict=True):
        expected = matrix @ best.x
        assert scores == pytest.approx(expected - expected.mean(), abs=0.02)


def test_the_optimum_of_relations_is_that_of_scipy() -> None:
    trees = random_treebank(6, 10)
    encode = encoder(labelled=True)
    corpus, heads = encode_trees(trees, encode)
    labels = sorted({deprel for tree in trees for deprel in tree.deprels})
    gold = encode_labels(corpus, [t.deprels for t in trees], labels)[corpus.rows_of_tokens()]
    keys = feature_keys(corpus, heads, ENDING_TEMPLATES)
    number = np.unique(keys, return_inverse=True)[1].reshape(keys.shape)
    matrix = np.zeros((len(keys), number.max() + 1))
    np.put_along_axis(matrix, number, 1, axis=1)

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        w = flat.reshape(matrix.shape[1], len(labels))
        scores = matrix @ w
        total = logsumexp(scores, axis=1)
        p = np.exp(scores - total[:, None])
        p[np.arange(len(gold)), gold] -= 1
        loss = (total - scores[np.arange(len(gold)), gold]).sum() + L2 / 2 * flat @ flat
        return loss, (matrix.T @ p + L2 * w).ravel()

    best = minimize(value, np.zeros(matrix.shape[1] * len(labels)), **EXACTLY)
    expected = matrix @ best.x.reshape(-1, len(labels))
    weights = train_labeller(corpus, heads, gold, len(labels), l2=L2, gap=1e-8, seed=1, most=300)
    parser = GraphParser(PROJECTIVE, weights, tuple(labels), label_weights=weights)
    found = label_probabilities(parser, corpus, heads, gold)
    right = np.exp(expected - logsumexp(expected, axis=1)[:, None])[np.arange(len(gold)), gold]
    assert found == pytest.approx(right, abs=1e-4)


def test_a_step_is_the_highest_point_of_its_part_of_the_dual() -> None:
    generator = np.random.default_rng(2)
    for stiffness in (0.5, 20.0, 400.0):
        score = generator.normal(size=6).astype(np.float32) * 5
        prob = generator.dirichlet(np.ones(6)).astype(np.float32)
        new = np.log(prob)
        gap = move_distribution(score, prob, -1, stiffness, new)
        p = np.exp(new.astype(float))
        assert p.sum() == pytest.approx(1, abs=1e-5)
        same = new - score - stiffness * (prob - p)
        assert same == pytest.approx(same.mean(), abs=1e-2)
        assert gap == pytest.approx((prob * (np.log(prob) - score)).sum() + logsumexp(score), abs=1e-4)


def test_omega_is_that_of_scipy() -> None:
    for z in np.linspace(-30, 600, 400):
        assert omega(float(z)) == pytest.approx(float(wrightomega(z)), rel=1e-8)


def test_parts_of_ends_count_their_pairs() -> None:
    for n in range(1, 16):
        for side in range(2):
            for word in range(n + 1):
                others = range(word + 1, n + 1) if side == 0 else range(word)
                for b in range(1, 7):
                    pairs = sum(bucket(abs(other - word)) == b for other in others)
                    assert pairs_at_end(n, side, word, b) == pairs


def test_two_orders_find_the_same_heads() -> None:
    trees, test = random_treebank(7, 40), random_treebank(8, 60)
    parsed = [trained(trees, seed=seed).parse_encoded(test, encode_tokens(test)) for seed in (1, 2)]
    heads = [[h for tree in parse for h in tree.heads] for parse in parsed]
    assert np.mean(np.equal(*heads)) >= 0.99  # of 240 words


@pytest.mark.parametrize("decoder", [PROJECTIVE, ANY])
def test_no_tree_has_a_higher_product_of_probabilities(decoder: Decoder) -> None:
    parser, tests = (
        trained(random_treebank(14, 12, projective=False), decoder),
        random_treebank(15, 25, longest=5),
    )
    parsed = parser.parse_encoded(tests, encode_tokens(tests))
    scores = iter(arc_scores(parser, tests))
    for tree, found in zip(tests, parsed, strict=True):
        words = range(1, len(tree) + 1)
        of_arcs = [dict(zip(candidates(tree, d), next(scores), strict=True)) for d in words]
        products = {
            heads: sum(
                of_heads[h] - logsumexp(list(of_heads.values()))
                for of_heads, h in zip(of_arcs, heads, strict=True)
            )
            for heads in product(range(len(tree) + 1), repeat=len(tree))
            if all(h != d for d, h in zip(words, heads, strict=True))
            and is_tree(heads)
            and (is_projective(heads) or not decoder.projective)
        }
        assert products[tuple(found.heads)] == pytest.approx(max(products.values()), abs=1e-4)


def test_annotations_trained_together_learn_what_each_learns_alone() -> None:
    trees = random_treebank(9, 15)
    others = [tree.with_heads(other.heads) for tree, other in zip(trees, trees, strict=True)]
    others = [tree.with_heads([0, *range(1, len(tree))]) for tree in others]
    right = [tree.with_heads([*range(2, len(tree) + 1), 0]) for tree in trees]
    corpus = encode_tokens(trees)
    found, options = arc_features(corpus), LoglinearOptions(PROJECTIVE)
    together = train_loglinear_parsers([trees, others, right], corpus, found, options)
    for annotation, training in zip((trees, others, right), together, strict=True):
        (alone,) = train_loglinear_parsers([annotation], corpus, found, options)
        assert alone.iterations == training.iterations
        assert np.array_equal(alone.parser.weights.weight, training.parser.weights.weight)


def test_probabilities_of_heads_are_those_of_the_scores() -> None:
    trees = random_treebank(10, 8, projective=False)
    parser = trained(trees, ANY)
    corpus, heads = encode_trees(trees, encode_tokens)
    expected = [
        np.exp(scores - logsumexp(scores))[candidates(tree, d).index(tree.heads[d - 1])]
        for (tree, d), scores in zip(
            [(tree, d) for tree in trees for d in range(1, len(tree) + 1)],
            arc_scores(parser, trees),
            strict=True,
        )
    ]
    assert arc_probabilities(parser, corpus, heads) == pytest.approx(np.array(expected), abs=1e-4)


def test_sentences_of_one_word_and_of_many() -> None:
    one = Tree(("a",), ("X",), (0,), ("root",))
    n = 120
    long = Tree(
        [f"w{i % 7}" for i in range(n)],
        ["X", "Y"] * (n // 2),
        [0, *range(1, n)],
        ["root"] + ["dep"] * (n - 1),
    )
    parser = trained([one, long, long], labelled=True)
    encode = encoder(labelled=True)
    parsed = parser.parse_encoded([one, long], encode([one, long]))
    assert [tuple(tree.heads) for tree in parsed] == [(0,), tuple(long.heads)]
    assert trained([one]).parse_encoded([one], encode_tokens([one]))[0].heads == (0,)


def test_without_sentences_there_is_nothing_to_learn() -> None:
    corpus = encode_tokens([])
    with pytest.raises(InputError, match="no training sentences"):
        train_loglinear_parsers([[]], corpus, arc_features(corpus), LoglinearOptions(PROJECTIVE))

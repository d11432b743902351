"""The graph-based parser against plain Python: the same weights, the same trees."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from arc_twins import classes, features
from corpora import random_treebank
from kernels import weights_of

from learnability.parsing.encoding import encode_tokens
from learnability.parsing.graph import (
    MARGIN,
    Decoder,
    GraphParser,
    find_tree,
    new_graph_space,
    train_graph_parser,
)
from learnability.parsing.graph_features import CLASSES, compile_arc_templates, fill_halves, score_arcs
from learnability.parsing.iterations import MAX_ITERATIONS, PATIENCE, Training
from learnability.treebanks.sentence import Tree

PROJECTIVE, ANY = Decoder(True, False), Decoder(False, False)


def trained(
    trees: list[Tree], decoder: Decoder, iterations: int | None, seed: int = 1, dev: list[Tree] | None = None
) -> Training[GraphParser]:
    return train_graph_parser(
        trees, dev or [], encode_tokens, decoder, labelled=False, iterations=iterations, seed=seed
    )


class Twin:
    """Weights by feature and class, in dictionaries; `late`: sums of step x update."""

    def __init__(self) -> None:
        self.weights: dict[tuple, list[float]] = {}
        self.late: dict[tuple, list[float]] = defaultdict(lambda: [0.0] * CLASSES)
        self.steps = 0

    def scores(self, tree: Tree) -> np.ndarray:
        """float32[n + 1, n + 1], by dependent and head."""
        n = len(tree)
        out = np.zeros((n + 1, n + 1), np.float32)
        for d in range(1, n + 1):
            for h in range(n + 1):
                if h != d:
                    rows = [self.weights[f] for f in features(tree, h, d) if f in self.weights]
                    out[d, h] = sum(row[k] for row in rows for k in classes(h, d))
        return out

    def learn(self, tree: Tree, h: int, d: int, amount: float) -> None:
        for feature in features(tree, h, d):
            row = self.weights.setdefault(feature, [0.0] * CLASSES)
            for k in classes(h, d):
                row[k] += amount
                self.late[feature][k] += amount * self.steps

    def averaged(self) -> Twin:
        result = Twin()
        for feature, row in self.weights.items():
            result.weights[feature] = [
                w - u / self.steps for w, u in zip(row, self.late[feature], strict=True)
            ]
        return result


def tree_by(scores: np.ndarray, decoder: Decoder) -> tuple[int, ...]:
    n = len(scores) - 1
    space = new_graph_space(n, compile_arc_templates(), decoder)
    space.arcs.score[:] = scores
    find_tree(np.int32(n), decoder, space)
    return tuple(space.heads[1:].tolist())


def twin_of(trees: list[Tree], decoder: Decoder, iterations: int, seed: int) -> Twin:
    twin, order = Twin(), np.random.default_rng(seed)
    for _ in range(iterations):
        for index in order.permutation(len(trees)):
            tree = trees[index]
            scores = twin.scores(tree)
            for d, h in enumerate(tree.heads, start=1):
                scores[d, h] -= MARGIN
            predicted = tree_by(scores, decoder)
            twin.steps += 1
            for d, (right, wrong) in enumerate(zip(tree.heads, predicted, strict=True), start=1):
                if right != wrong:
                    twin.learn(tree, right, d, 1.0)
                    twin.learn(tree, wrong, d, -1.0)
    return twin


def sorted_rows(rows: np.ndarray) -> np.ndarray:
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("decoder", [PROJECTIVE, ANY, Decoder(False, True)])
def test_weights_and_parses_equal_the_twins(decoder: Decoder) -> None:
    """Weights as multisets, since the twin has no keys; words and tags come again, so features do."""
    trees = random_treebank(seed=4, sentences=20, longest=14, projective=decoder.projective)
    parser = trained(trees, decoder, 3, seed=5).parser
    twin = twin_of(trees, decoder, 3, 5).averaged()
    expected = np.array(list(twin.weights.values()), np.float32)
    assert len(expected) > 1000
    assert np.array_equal(sorted_rows(weights_of(parser.weights)), sorted_rows(expected))
    unseen = random_treebank(seed=6, sentences=30, longest=16)
    parsed = parser.parse_encoded(unseen, encode_tokens(unseen))
    assert [t.heads for t in parsed] == [tree_by(twin.scores(t), decoder) for t in unseen]


def test_any_number_of_tags_may_stand_between() -> None:
    """As XPOS has them: more different ones than the templates leave room for."""
    tags = tuple(f"T{number % 28}" for number in range(36))
    words = Tree(tuple(f"w{number % 7}" for number in range(36)), tags, tuple(range(36)), ("dep",) * 36)
    trees = [words, words.with_heads([0] + [1] * 35, words.deprels)]
    parser = trained(trees, PROJECTIVE, 2).parser
    corpus, templates = encode_tokens([words]), compile_arc_templates()
    space = new_graph_space(36, templates, PROJECTIVE).arcs
    fill_halves(36, 0, corpus.attributes, templates, space)
    score_arcs(36, parser.weights, templates, space)
    expected = twin_of(trees, PROJECTIVE, 2, 1).averaged().scores(words)
    between = ~np.eye(37, dtype=bool)[1:]
    assert np.allclose(space.score[1:][between], expected[1:][between], atol=1e-3)


def test_training_stops_by_dev_and_keeps_the_best() -> None:
    trees, dev = random_treebank(seed=2, sentences=30), random_treebank(seed=52, sentences=15)
    run = trained(trees, PROJECTIVE, None, dev=dev)
    assert run.iterations == len(run.dev_uas)
    assert run.best_iteration > 1
    assert run.iterations in (run.best_iteration + PATIENCE, MAX_ITERATIONS)
    assert run.best_iteration == 1 + run.dev_uas.index(max(run.dev_uas))
    again = trained(trees, PROJECTIVE, run.best_iteration)
    assert again.iterations == run.best_iteration
    assert again.parser.weights.weight.tobytes() == run.parser.weights.weight.tobytes()
    parsed = run.parser.parse_encoded(dev, encode_tokens(dev))
    right = sum(
        h == g for p, t in zip(parsed, dev, strict=True) for h, g in zip(p.heads, t.heads, strict=True)
    )
    assert 100 * right / sum(map(len, dev)) == pytest.approx(max(run.dev_uas))

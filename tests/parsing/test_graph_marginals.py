"""The best tree with each arc and without it, against all trees of short sentences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest
from corpora import random_treebank

from learnability.parsing.encoding import Corpus, encode_tokens, encode_trees
from learnability.parsing.graph import Decoder, GraphParser, train_graph_parser
from learnability.parsing.graph_features import compile_arc_templates, fill_halves, new_arc_space, score_arcs
from learnability.parsing.graph_marginals import (
    arc_margin,
    arc_margins,
    best_heads,
    new_marginal_space,
    projective_marginals,
)
from learnability.parsing.projectivity import is_projective
from learnability.treebanks.sentence import find_cycle


@cache
def trees(n: int, roots: bool) -> list[tuple[int, ...]]:
    """All projective trees over n words, also with several root words if `roots`."""
    return [
        heads
        for heads in product(range(n + 1), repeat=n)
        if not find_cycle(heads) and is_projective(heads) and (roots or heads.count(0) == 1)
    ]


def best(score: np.ndarray, roots: bool, word: int, head: int, *, wanted: bool) -> float:
    """The score of the best tree with (or without) an arc, by looking at all trees."""
    totals = [
        sum(score[d, h] for d, h in enumerate(heads, start=1))
        for heads in trees(len(score) - 1, roots)
        if (heads[word - 1] == head) == wanted
    ]
    return max(totals, default=-np.inf)


def arcs(n: int) -> Iterator[tuple[int, int]]:
    """Word and head of every arc over n words."""
    return ((word, head) for word in range(1, n + 1) for head in range(n + 1) if head != word)


@pytest.mark.parametrize("roots", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_margins_are_those_of_all_trees(roots: bool, n: int) -> None:
    generator = np.random.default_rng(n)
    space = new_marginal_space(n)
    for _ in range(3):
        score = generator.integers(-9, 10, (n + 1, n + 1)).astype(np.float32)
        projective_marginals(n, score, roots, space)
        for word, head in arcs(n):
            with_arc, without = (best(score, roots, word, head, wanted=wanted) for wanted in (True, False))
            assert space.marginal[word, head] == with_arc
            if with_arc == -np.inf:
                continue
            margin, rival = arc_margin(n, word, head, space)
            assert margin == with_arc - without
            if without > -np.inf:
                assert best(score, roots, word, rival, wanted=True) == without


@pytest.mark.slow
def test_margins_of_a_parser_are_positive_where_it_agrees() -> None:
    sentences = random_treebank(3, 40)
    for roots in (True, False):
        parser = train_graph_parser(
            sentences, [], encode_tokens, Decoder(True, roots), labelled=False, iterations=1, seed=1
        ).parser
        corpus, gold = encode_trees(sentences, encode_tokens)
        found, _ = parser.parse_corpus(corpus)
        tokens = corpus.rows_of_tokens()
        margins = arc_margins(parser, corpus, gold)
        agrees = found[tokens] == gold[tokens]
        assert 0 < agrees.sum() < len(agrees)
        assert (margins.margin[agrees] >= 0).all()
        assert (margins.margin[~agrees] <= 0).all()
        assert (margins.rival[~agrees] == found[tokens][~agrees]).mean() > 0.9  # but for equally good trees


def test_the_best_heads_are_those_of_all_trees() -> None:
    sentences = [tree for tree in random_treebank(3, 40) if len(tree) < 6]
    for roots in (True, False):
        parser = train_graph_parser(
            sentences, [], encode_tokens, Decoder(True, roots), labelled=False, iterations=1, seed=1
        ).parser
        corpus, _ = encode_trees(sentences, encode_tokens)
        found, token = best_heads(parser, corpus, 3), 0
        for sentence, tree in enumerate(sentences):
            score = scores_of(parser, corpus, sentence)
            for word in range(1, len(tree) + 1):
                heads = [head for head in range(len(tree) + 1) if head != word]
                totals = {head: best(score, roots, word, head, wanted=True) for head in heads}
                order = sorted((head for head in heads if totals[head] > -np.inf), key=lambda h: -totals[h])
                expected = [totals[head] - totals[order[0]] for head in order[:3]]
                kept = found.heads[token][found.heads[token] >= 0].tolist()
                assert len(kept) == len(set(kept)) == len(expected)
                assert np.allclose([totals[head] - totals[order[0]] for head in kept], expected)
                assert np.allclose(found.scores[token][: len(kept)], expected, atol=1e-3)
                assert (found.scores[token][len(kept) :] == -np.inf).all()
                token += 1
        assert token == len(found.heads) > 20


def scores_of(parser: GraphParser, corpus: Corpus, sentence: int) -> np.ndarray:
    """The scores of all arcs of a sentence, float[dependents, heads]."""
    templates, n = compile_arc_templates(), int(corpus.length[sentence])
    space = new_arc_space(n, templates)
    fill_halves(n, int(corpus.start[sentence]), corpus.attributes, templates, space)
    score_arcs(n, parser.weights, templates, space)
    return space.score[: n + 1, : n + 1].astype(np.float64)

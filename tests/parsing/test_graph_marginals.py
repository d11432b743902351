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
from learnability.parsing.graph_decoders import new_cycle_space
from learnability.parsing.graph_features import compile_arc_templates, fill_halves, new_arc_space, score_arcs
from learnability.parsing.graph_marginals import (
    arc_margin,
    arc_margins,
    best_heads,
    constrained_tree,
    new_marginal_space,
    projective_marginals,
)
from learnability.parsing.projectivity import is_projective
from learnability.treebanks.sentence import find_cycle

DECODERS = [Decoder(projective, roots) for projective in (True, False) for roots in (True, False)]


@cache
def trees(n: int, decoder: Decoder) -> list[tuple[int, ...]]:
    """All trees over n words that the decoder may return."""
    return list(_trees(n, decoder))


def _trees(n: int, decoder: Decoder) -> Iterator[tuple[int, ...]]:
    for heads in product(range(n + 1), repeat=n):
        if any(head == word for word, head in enumerate(heads, start=1)) or find_cycle(heads):
            continue
        if heads.count(0) > 1 and not decoder.multiple_roots:
            continue
        if not decoder.projective or is_projective(heads):
            yield heads


def best(score: np.ndarray, decoder: Decoder, word: int, head: int, *, wanted: bool) -> float:
    """The score of the best tree with (or without) an arc, by looking at all trees."""
    totals = [
        sum(score[d, h] for d, h in enumerate(heads, start=1))
        for heads in trees(len(score) - 1, decoder)
        if (heads[word - 1] == head) == wanted
    ]
    return max(totals, default=-np.inf)


def arcs(n: int) -> Iterator[tuple[int, int]]:
    """Word and head of every arc over n words."""
    return ((word, head) for word in range(1, n + 1) for head in range(n + 1) if head != word)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_margins_are_those_of_all_trees(decoder: Decoder, n: int) -> None:
    generator = np.random.default_rng(n)
    space, heads = new_marginal_space(n), np.zeros(n + 1, np.int32)
    cycles = None if decoder.projective else new_cycle_space(n)
    for _ in range(3):
        score = generator.integers(-9, 10, (n + 1, n + 1)).astype(np.float32)
        if decoder.projective:
            projective_marginals(n, score, decoder.multiple_roots, space)
        for word, head in arcs(n):
            with_arc, without = (best(score, decoder, word, head, wanted=wanted) for wanted in (True, False))
            if decoder.projective:
                assert space.marginal[word, head] == with_arc
            elif cycles is not None and with_arc > -np.inf:
                found = constrained_tree(
                    n, score, word, head, True, decoder.multiple_roots, cycles, space, heads
                )
                assert found == with_arc
            if with_arc == -np.inf:
                continue
            margin, rival = arc_margin(n, score, word, head, decoder, cycles, space, heads)
            assert margin == with_arc - without
            if without > -np.inf:
                assert best(score, decoder, word, rival, wanted=True) == without


@pytest.mark.slow
def test_margins_of_a_parser_are_positive_where_it_agrees() -> None:
    sentences = random_treebank(3, 40)
    for decoder in DECODERS:
        parser = train_graph_parser(
            sentences, [], encode_tokens, decoder, labelled=False, iterations=1, seed=1
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
        decoder = Decoder(projective=True, multiple_roots=roots)
        parser = train_graph_parser(
            sentences, [], encode_tokens, decoder, labelled=False, iterations=1, seed=1
        ).parser
        corpus, _ = encode_trees(sentences, encode_tokens)
        found, token = best_heads(parser, corpus, 3), 0
        for sentence, tree in enumerate(sentences):
            score = scores_of(parser, corpus, sentence)
            for word in range(1, len(tree) + 1):
                heads = [head for head in range(len(tree) + 1) if head != word]
                totals = {head: best(score, decoder, word, head, wanted=True) for head in heads}
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

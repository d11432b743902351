"""Give the probabilities of heads, and of relations given heads, by a log-linear parser.

A head has its probability among all heads of the word, whatever tree the others make.
"""

from __future__ import annotations

from math import exp

import numpy as np

from learnability.parsing.encoding import Corpus
from learnability.parsing.graph import GraphParser
from learnability.parsing.graph_features import (
    ArcSpace,
    ArcTemplates,
    compile_arc_templates,
    fill_halves,
    new_arc_space,
    score_arcs,
)
from learnability.parsing.jit import Ints, Keys, Scores, njit
from learnability.parsing.perceptron import CLASSES, Perceptron, score
from learnability.parsing.token_classifier import ENDING_TEMPLATES, feature_keys


def arc_probabilities(parser: GraphParser, corpus: Corpus, heads: Ints) -> Scores:
    """Return float32[tokens], the probability of each head.

    Args:
        parser: a log-linear parser.
        corpus: the sentences, encoded.
        heads: int32[rows of the corpus], their trees.
    """
    templates, longest = compile_arc_templates(), int(corpus.length.max(initial=0))
    found = np.zeros(len(heads), np.float32)
    probabilities_of_heads(corpus, heads, parser.weights, templates, new_arc_space(longest, templates), found)
    return found[corpus.rows_of_tokens()]


def label_probabilities(parser: GraphParser, corpus: Corpus, heads: Ints, labels: Ints) -> Scores:
    """Return float32[tokens], the probability of each label given the tree; 0 for an unknown one.

    Args:
        parser: a labelled log-linear parser.
        corpus: the sentences, encoded.
        heads: int32[rows of the corpus], their trees.
        labels: int32[tokens], the numbers of the labels; -1 for one that the parser does not know.
    """
    weights = parser.label_weights
    assert weights is not None  # a parser without labels has none
    keys = feature_keys(corpus, heads, ENDING_TEMPLATES)
    rows, scores = np.zeros(keys.shape[1], np.int32), np.zeros(weights.weight.shape[1], np.float32)
    found = np.zeros(len(keys), np.float32)
    probabilities_of_classes(weights, keys, labels, rows, scores, found)
    return found


@njit
def probabilities_of_heads(
    corpus: Corpus, heads: Ints, p: Perceptron, t: ArcTemplates, arcs: ArcSpace, found: Scores
) -> None:
    """Write the probability of the head of each word to `found`, float32[rows]."""
    for sentence in range(corpus.length.shape[0]):
        n, base = corpus.length[sentence], corpus.start[sentence]
        fill_halves(n, base, corpus.attributes, t, arcs)
        score_arcs(n, p, t, arcs)
        for d in range(1, n + 1):
            gold, total = float(arcs.score[d, heads[base + d]]), 0.0
            for h in range(n + 1):
                if h != d:
                    total += exp(min(700.0, float(arcs.score[d, h]) - gold))
            found[base + d] = 1.0 / total


@njit
def probabilities_of_classes(
    p: Perceptron, keys: Keys, classes: Ints, rows: Ints, scores: Scores, found: Scores
) -> None:
    """Write the probability of the class of each token to `found`, float32[tokens]."""
    for token in range(keys.shape[0]):
        own = classes[token]
        if own < 0:
            continue
        score(p, keys[token], rows, scores)
        total = 0.0
        for k in range(p.meta[CLASSES]):
            total += exp(min(700.0, float(scores[k]) - float(scores[own])))
        found[token] = 1.0 / total

"""Train a first-order graph-based parser, which finds the tree with the highest sum of arc scores.

An averaged perceptron scores the arcs: McDonald, Crammer & Pereira (2005) for projective trees, McDonald,
Pereira, Ribarov & Hajič (2005) for all trees. A classifier labels the arcs afterwards, when the whole tree
is known (`token_classifier`). See docs/rules.md, Graph-based parsing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing.bundles import bundle
from learnability.parsing.encoding import (
    Corpus,
    Encode,
    Labels,
    encode_labels,
    encode_tokens,
    encode_trees,
)
from learnability.parsing.features import COLUMNS
from learnability.parsing.graph_decoders import (
    CycleSpace,
    SpanSpace,
    any_tree,
    new_cycle_space,
    new_span_space,
    projective_tree,
)
from learnability.parsing.graph_features import (
    CLASSES,
    ArcSpace,
    ArcTemplates,
    compile_arc_templates,
    fill_halves,
    learn_arc,
    most_rows,
    new_arc_space,
    score_arcs,
)
from learnability.parsing.iterations import CorpusParser, Training, iterate
from learnability.parsing.jit import Ints, Scores, njit
from learnability.parsing.perceptron import (
    STEP,
    Perceptron,
    average_weights,
    features_of,
    has_room,
    new_perceptron,
    with_room,
)
from learnability.parsing.token_classifier import (
    COLUMNS_WITH_ENDINGS,
    ENDING_TEMPLATES,
    classify,
    train_classifier,
)
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import Tree

MARGIN = 40.0
"""The margin by which the score of a right arc must exceed that of a wrong arc in training (docs/rules.md,
Graph-based parsing)."""


class Decoder(NamedTuple):
    """Hold the set of trees that a decoder may return."""

    projective: bool
    multiple_roots: bool


def encoder(*, labelled: bool, tags: str = "gold") -> Encode:
    """Return what encodes sentences for the parser; a `labelled` one also reads the endings of forms."""
    return partial(encode_tokens, tags=tags, columns=COLUMNS_WITH_ENDINGS if labelled else COLUMNS)


@bundle
class GraphSpace(NamedTuple):
    """Scratch arrays of one worker: one of `spans` and `cycles` is None, and `heads` is int32[n + 1]."""

    arcs: ArcSpace
    spans: SpanSpace | None
    cycles: CycleSpace | None
    heads: Ints


def new_graph_space(longest: int, templates: ArcTemplates, decoder: Decoder) -> GraphSpace:
    return GraphSpace(
        new_arc_space(longest, templates),
        new_span_space(longest) if decoder.projective else None,
        None if decoder.projective else new_cycle_space(longest),
        np.zeros(longest + 1, np.int32),
    )


@njit
def find_tree(n: int, decoder: Decoder, space: GraphSpace) -> None:
    """Write the best tree by the scores of `space.arcs` to `space.heads`."""
    decode(n, space.arcs.score, decoder.multiple_roots, space.spans, space.cycles, space.heads)


@njit
def decode(
    n: int, score: Scores, multiple_roots: bool, spans: SpanSpace | None, cycles: CycleSpace | None,
    heads: Ints,
) -> None:  # fmt: skip
    """Write the best tree to `heads`, by the decoder whose space is there: only that one is compiled."""
    if spans is not None:
        projective_tree(n, score, multiple_roots, spans, heads)
    elif cycles is not None:
        any_tree(n, score, multiple_roots, cycles, heads)


@njit
def parse_sentences(
    order: NDArray[np.int64], first: int, corpus: Corpus, heads: Ints, learning: bool, p: Perceptron,
    t: ArcTemplates, decoder: Decoder, space: GraphSpace,
) -> int:  # fmt: skip
    """Parse the sentences order[first], order[first + 1], ..., or learn from them.

    `order`: int64. `heads`: int32[rows]; receives the predicted heads or, with `learning`, holds the gold
    heads. Returns the index in `order` of the first sentence for which the weights had no room; else its
    length.
    """
    for position in range(first, order.shape[0]):
        n, base = corpus.length[order[position]], corpus.start[order[position]]
        if learning and not has_room(p, most_rows(n, t)):
            return position
        fill_halves(n, base, corpus.attributes, t, space.arcs)
        score_arcs(n, p, t, space.arcs)
        if learning:
            p.meta[STEP] += 1
            for d in range(1, n + 1):
                space.arcs.score[d, heads[base + d]] -= np.float32(MARGIN)
        find_tree(n, decoder, space)
        for d in range(1, n + 1):
            predicted = space.heads[d]
            if not learning:
                heads[base + d] = predicted
            elif predicted != heads[base + d]:
                learn_arc(heads[base + d], d, 1.0, n + 2 * d, p, t, space.arcs)
                learn_arc(predicted, d, -1.0, n + 2 * d + 1, p, t, space.arcs)
    return int(order.shape[0])


@dataclass(frozen=True)
class GraphParser(CorpusParser):
    """Represent a trained graph-based parser; `label_weights` are those of `token_classifier`, or None."""

    decoder: Decoder
    weights: Perceptron
    labels: tuple[str, ...] = ()
    root_labels: tuple[str, ...] = (ROOT_LABEL,)
    label_weights: Perceptron | None = None

    def parse_corpus(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and label numbers as :class:`CorpusParser` defines them."""
        templates = compile_arc_templates()
        space = new_graph_space(int(corpus.length.max(initial=0)), templates, self.decoder)
        heads, labels = (np.zeros(len(corpus.attributes), np.int32) for _ in range(2))
        order = np.arange(len(corpus.length))
        parse_sentences(order, 0, corpus, heads, False, self.weights, templates, self.decoder, space)
        if self.label_weights is not None:
            mask = Labels(self.labels, self.root_labels).root_mask
            classes = classify(self.label_weights, corpus, heads, templates=ENDING_TEMPLATES, at_roots=mask)
            labels[corpus.rows_of_tokens()] = classes + 1
        return heads, labels


def train_graph_parser(
    trees: Sequence[Tree], dev: Sequence[Tree], encode: Encode, decoder: Decoder, *,
    labelled: bool, iterations: int | None, seed: int,
) -> Training[GraphParser]:  # fmt: skip
    """Train on trees; from a tree that the decoder cannot produce, the parser learns what it can.

    `dev` decides when to stop where `iterations` is None. InputError if there is no training tree.
    """
    if not trees:
        raise InputError("there are no training sentences; pass at least one")
    corpus, gold = encode_trees(trees, encode)
    templates, longest = compile_arc_templates(), int(corpus.length.max())
    space, room = new_graph_space(longest, templates, decoder), most_rows(longest, templates)
    weights = new_perceptron(CLASSES, 16)  # so small that it grows at once: warming up compiles this, too

    def train_once(_: int, order: NDArray[np.int64]) -> None:
        nonlocal weights
        done = 0
        while done < len(order):
            weights = with_room(weights, room)
            done = parse_sentences(order, done, corpus, gold, True, weights, templates, decoder, space)

    def learned() -> GraphParser:
        return GraphParser(decoder, average_weights(weights))

    training = iterate(
        train_once, learned, corpus, encode_trees(dev, encode) if dev else None, iterations, seed
    )
    training.features = features_of(training.parser.weights)
    if not labelled:
        return training
    began = time.perf_counter()
    labels = Labels.of(trees)
    of_tokens = encode_labels(corpus, [tree.deprels for tree in trees], labels.names)[corpus.rows_of_tokens()]
    labeller = train_classifier(corpus, gold, of_tokens, len(labels.names), seed, templates=ENDING_TEMPLATES)
    training.parser = replace(
        training.parser, labels=labels.names, root_labels=labels.of_roots, label_weights=labeller
    )
    training.seconds += time.perf_counter() - began
    return training

"""Train the log-linear parser: the graph-based parser with weights that do not depend on any order.

Training minimises a convex function with one minimum, for heads (`dual_ascent`) and for relations given heads
(`loglinear_labels`). The trained parser is a :class:`~learnability.parsing.graph.GraphParser`, with the same
features, decoders and margins. See docs/rules.md, Log-linear parsing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from learnability.errors import InputError
from learnability.parsing.arc_parts import ArcFeatures
from learnability.parsing.encoding import Corpus, Labels, encode_heads, encode_labels
from learnability.parsing.graph import Decoder, GraphParser
from learnability.parsing.iterations import Training
from learnability.parsing.loglinear_labels import train_labeller
from learnability.parsing.optima import find_optima
from learnability.parsing.perceptron import features_of
from learnability.treebanks.sentence import Tree

L2 = 5.0
"""How much large weights cost (research/loglinear)."""

GAP = 1e-5
"""The distance from the optimum at which training stops, for each word (research/loglinear)."""

MOST_PASSES = 200
"""The passes after which training stops in any case."""

LANES = 8
"""The most annotations that are trained together: their weights for a group fill a cache line."""


@dataclass(frozen=True)
class LoglinearOptions:
    """Hold what a training depends on besides its trees.

    Attributes:
        decoder: the trees to choose from.
        labelled: whether to learn relations, too.
        passes: the exact number of passes; None: until `GAP`.
        seed: of the order of the sentences, on which the optimum does not depend.
    """

    decoder: Decoder
    labelled: bool = False
    passes: int | None = None
    seed: int = 1


def train_loglinear_parsers(
    annotations: Sequence[Sequence[Tree]], corpus: Corpus, features: ArcFeatures, options: LoglinearOptions
) -> list[Training[GraphParser]]:
    """Train a parser for each annotation of the same sentences, all in the same passes.

    What a parser learns does not depend on which annotations are trained together.

    Args:
        annotations: the trees of each annotation.
        corpus: the sentences, encoded.
        features: those of the corpus (`arc_parts.arc_features`).
        options: the rest.

    Raises:
        InputError: there is no training tree.
    """
    if not len(corpus.length):
        raise InputError("there are no training sentences; pass at least one")
    trained = []
    for begin in range(0, len(annotations), LANES):
        together = annotations[begin : begin + LANES]
        began = time.perf_counter()
        golds = [encode_heads(corpus, [tree.heads for tree in trees]) for trees in together]
        gap, most = (GAP, MOST_PASSES) if options.passes is None else (-1.0, options.passes)
        optima = find_optima(
            features.parts, corpus.start, golds, l2=L2, gap=gap, seed=options.seed, most=most
        )
        seconds = (time.perf_counter() - began) / len(together)
        for trees, gold, optimum in zip(together, golds, optima, strict=True):
            began = time.perf_counter()
            parser = GraphParser(options.decoder, features.weights(optimum.weight))
            if options.labelled:
                labels = Labels.of(trees)
                classes = encode_labels(corpus, [tree.deprels for tree in trees], labels.names)
                labeller = train_labeller(
                    corpus, gold, classes[corpus.rows_of_tokens()], len(labels.names), l2=L2, gap=gap,
                    seed=options.seed, most=most,
                )  # fmt: skip
                parser = GraphParser(options.decoder, parser.weights, labels.names, labels.of_roots, labeller)
            training = Training(parser, optimum.passes, optimum.passes)
            training.seconds = seconds + time.perf_counter() - began
            training.features = features_of(parser.weights)
            trained.append(training)
    return trained

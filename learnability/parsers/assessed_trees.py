"""Ask a graph-based parser how it sees trees of others, and which arcs it would rather have."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus, encode_labels, encode_trees
from learnability.parsing.graph import Decoder, GraphParser, encoder, train_graph_parser
from learnability.parsing.graph_marginals import arc_margins, best_heads
from learnability.parsing.jit import Ints
from learnability.parsing.token_classifier import (
    ENDING_TEMPLATES,
    class_margins,
    feature_keys,
    score_classes,
)
from learnability.treebanks.sentence import Tree

OTHERS, RELATIONS = 5, 3
"""The heads beside the annotated one that are kept of each word, and the relations of each of these arcs."""

NONE = -1
"""Stands for a head or a relation where there are no more."""


class ScoredArcs(NamedTuple):
    """The best heads of each word by a graph-based parser, and its best relations at each.

    Attributes:
        heads: int16[words, 1 + OTHERS], the annotated head, then the others, the best first; `NONE` where
            there are no more.
        scores: float16[words, 1 + OTHERS], the score of the best tree with the arc, minus that of the best
            tree.
        relations: int16[words, 1 + OTHERS, RELATIONS], the best relations at each head, as numbers of the
            labels of the parser.
        relation_scores: float16[words, 1 + OTHERS, RELATIONS], their scores, minus that of the best.
        kept: float16[words, 1 + OTHERS], the score of the annotated relation at each head, minus that of the
            best.
    """

    heads: NDArray[np.int16]
    scores: NDArray[np.float16]
    relations: NDArray[np.int16]
    relation_scores: NDArray[np.float16]
    kept: NDArray[np.float16]

    def pack(self) -> bytes:
        return zlib.compress(b"".join(array.tobytes() for array in self))

    @classmethod
    def unpack(cls, data: bytes, words: int) -> ScoredArcs:
        """Return the arrays of `pack` for a number of words."""
        raw, slots, start = zlib.decompress(data), 1 + OTHERS, 0

        def read(dtype: type[np.generic], *shape: int) -> NDArray[Any]:
            nonlocal start
            count = int(np.prod(shape))
            array = np.frombuffer(raw, dtype, count, start).reshape(shape)
            start += array.nbytes
            return array

        return cls(
            read(np.int16, words, slots),
            read(np.float16, words, slots),
            read(np.int16, words, slots, RELATIONS),
            read(np.float16, words, slots, RELATIONS),
            read(np.float16, words, slots),
        )


def score_arcs_of_words(
    parser: GraphParser, corpus: Corpus, heads: Ints, annotated: Ints, margins: Sequence[float]
) -> ScoredArcs:
    """Return what the parser says of other arcs of the words of trees (`heads`: int32[rows of the corpus]).

    `annotated`: int32[tokens], their labels as numbers of the parser; -1: one that it does not know.
    `margins`: float[tokens], by how much it prefers each annotated arc.
    """
    words, slots, weights = len(annotated), 1 + OTHERS, parser.label_weights
    assert weights is not None
    own = heads[corpus.rows_of_tokens()]
    found = best_heads(parser, corpus, slots)
    slot_heads = np.full((words, slots), NONE, np.int32)
    scores = np.full((words, slots), -np.inf, np.float32)
    slot_heads[:, 0], scores[:, 0] = own, np.minimum(np.asarray(margins, np.float32), 0)
    others = (found.heads != own[:, None]) & (found.heads >= 0)
    place = np.cumsum(others, axis=1)  # of each other head among them, from 1
    others &= place < slots
    rows, columns = np.nonzero(others)
    slot_heads[rows, place[rows, columns]] = found.heads[rows, columns]
    scores[rows, place[rows, columns]] = found.scores[rows, columns]
    relations = np.full((words, slots, RELATIONS), NONE, np.int16)
    relation_scores = np.full((words, slots, RELATIONS), -np.inf, np.float32)
    kept = np.zeros((words, slots), np.float32)
    most = min(RELATIONS, len(parser.labels))
    for slot in range(slots):
        above = np.maximum(slot_heads[:, slot], 0)
        keys = feature_keys(corpus, heads, ENDING_TEMPLATES, above)
        of_labels = score_classes(weights, keys)  # the label of an arc in place of that in the tree
        of_annotated = np.zeros(words, np.float32)
        known = np.flatnonzero(annotated >= 0)
        of_annotated[known] = of_labels[known, annotated[known]]
        best = np.argsort(-of_labels, axis=1, kind="stable")[:, :most]
        of_best = np.take_along_axis(of_labels, best, axis=1)
        is_there = (slot_heads[:, slot] >= 0)[:, None]
        relations[:, slot, :most] = np.where(is_there, best, NONE)
        relation_scores[:, slot, :most] = np.where(is_there, of_best - of_best[:, :1], -np.inf)
        kept[:, slot] = of_annotated - of_best[:, 0]
    return ScoredArcs(
        slot_heads.astype(np.int16), scores.astype(np.float16), relations,
        relation_scores.astype(np.float16), kept.astype(np.float16),
    )  # fmt: skip


class AssessedTrees(NamedTuple):
    """Trees as a graph-based parser sees them that learned from others.

    Attributes:
        parsed: its own trees of these sentences.
        labels: the relations that it knows, by number.
        arc_margin: float[words], the score of the best tree with the annotated arc, minus that without.
        rival: int[words], the head in the best tree without it.
        relation_margin: float[words], the score of the annotated relation, minus that of the best other.
        rival_relation: int[words], that other relation.
    """

    parsed: Sequence[Tree]
    labels: Sequence[str]
    arc_margin: NDArray[np.floating]
    rival: NDArray[np.integer]
    relation_margin: NDArray[np.floating]
    rival_relation: NDArray[np.integer]
    others: ScoredArcs


def assess_trees(
    train: Sequence[Tree],
    test: Sequence[Tree],
    *,
    tags: str,
    iterations: int | None,
    multiple_roots: bool,
    seed: int,
) -> AssessedTrees:
    """Train the graph-based parser on trees with relations, and return how it sees others.

    Args:
        train: the trees that it learns from.
        test: the trees that it sees.
        tags: the tags that it reads: gold, xpos or none.
        iterations: passes over the training trees.
        multiple_roots: allow several root words in a tree.
        seed: the seed of the training.
    """
    decoder = Decoder(projective=True, multiple_roots=multiple_roots)
    encode = encoder(labelled=True, tags=tags)
    parser = train_graph_parser(
        train, (), encode, decoder, labelled=True, iterations=iterations, seed=seed
    ).parser
    corpus, heads = encode_trees(test, encode)
    arcs = arc_margins(parser, corpus, heads)
    annotated = encode_labels(corpus, [tree.deprels for tree in test], parser.labels)
    of_tokens = annotated[corpus.rows_of_tokens()]
    assert parser.label_weights is not None
    keys = feature_keys(corpus, heads, ENDING_TEMPLATES)
    relations = class_margins(parser.label_weights, keys, of_tokens)
    return AssessedTrees(
        parser.parse_encoded(test, corpus),
        parser.labels,
        arcs.margin,
        arcs.rival,
        relations.margin,
        relations.rival,
        score_arcs_of_words(parser, corpus, heads, of_tokens, arcs.margin.tolist()),
    )

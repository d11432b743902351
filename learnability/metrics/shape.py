"""Measure how long, deep, wide, crossing and one-sided the trees of a treebank are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnability.errors import InputError
from learnability.metrics.flat import FlatTrees, IntArray, depths, sentence_sums
from learnability.metrics.predictability import conditional_entropy, encode
from learnability.treebanks.sentence import AnyTrees, have_upos, trees_of


@dataclass(frozen=True)
class TreeShape:
    """Hold the shape of a set of trees.

    Attributes:
        mean_dependency_length: mean of |i - head(i)| in tokens, over all tokens but root words.
        nonprojective_sentences, nonprojective_arcs: shares in 0..1 of the sentences, and of the arcs
            that are not root arcs. An arc is non-projective if a word between its ends is no
            descendant of its head.
        mean_depth: mean number of arcs from a token up to its root word (which has depth 0).
        mean_height: mean over sentences of the depth of the deepest token.
        mean_arity: mean number of dependents of the tokens that have any.
        direction_entropy: H(direction | UPOS of dependent, UPOS of head) in bits over the arcs that
            are not root arcs; direction = dependent left or right of its head (after Rehbein et
            al. 2017, without the deprel); None where no token has a UPOS tag.
    """

    sentences: int
    tokens: int
    mean_dependency_length: float
    nonprojective_sentences: float
    nonprojective_arcs: float
    mean_depth: float
    mean_height: float
    mean_arity: float
    max_arity: int
    direction_entropy: float | None


def _direction_entropy(sides: IntArray, pairs: IntArray) -> float:
    return conditional_entropy(sides, pairs) if len(sides) else 0.0


def tree_shape(trees: AnyTrees) -> TreeShape:
    """Measure the shape of trees: lengths in tokens, shares in 0..1, entropy in bits.

    Args:
        trees: trees or sentences, or a single one.

    Returns:
        The measures together.

    Raises:
        InputError: there is no token, or the heads form a cycle.
    """
    trees = trees_of(trees)
    flat = FlatTrees.of(trees)
    if flat.tokens == 0:
        raise InputError("there are no tokens to measure; pass at least one sentence")
    depth = depths(flat)
    crossing = flat.nonprojective_arcs()
    is_arc = flat.heads > 0
    parent = flat.parent[is_arc]
    arity = np.bincount(parent, minlength=flat.tokens)
    tags = encode(tag for tree in trees for tag in tree.upos)
    pairs = tags[is_arc] * (int(tags.max()) + 1) + tags[parent]
    to_the_left = (flat.position < flat.heads)[is_arc].astype(np.int64)
    lengths = np.abs(flat.position - flat.heads)[is_arc]
    height = np.zeros(len(flat), dtype=np.int64)
    np.maximum.at(height, flat.sentence, depth)
    arcs = int(is_arc.sum())
    return TreeShape(
        sentences=len(flat),
        tokens=flat.tokens,
        mean_dependency_length=float(lengths.mean()) if arcs else 0.0,
        nonprojective_sentences=float((sentence_sums(crossing, flat.offsets) > 0).mean()),
        nonprojective_arcs=float(crossing.sum() / arcs) if arcs else 0.0,
        mean_depth=float(depth.mean()),
        mean_height=float(height.mean()),
        mean_arity=float(arity[arity > 0].mean()) if arcs else 0.0,
        max_arity=int(arity.max()),
        direction_entropy=_direction_entropy(to_the_left, pairs) if have_upos(trees) else None,
    )

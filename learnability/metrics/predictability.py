"""Measure how well the head's part of speech predicts the dependent's.

Wisniewski, Lacroix & Yvon (2018).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from learnability.errors import InputError
from learnability.metrics.flat import FlatTrees, IntArray
from learnability.treebanks.sentence import AnyTrees, have_upos, trees_of

WITHOUT_UPOS = "no token has a UPOS tag; choose a tagged treebank"
"""Why measures of tags are undefined, and what to do."""


def predictability(trees: AnyTrees) -> float:
    """Return H(D | H) in bits: the entropy of the dependent's UPOS given the head's, over all arcs.

    H(D|H) = - sum over (h, d) of p(h, d) log2 p(d | h), where p are unsmoothed relative frequencies; the arc
    into a root word has the tag ROOT as its head. Wisniewski, Lacroix & Yvon (2018) call it the "entropy of
    the conditional distribution of the dependent PoS knowing the head PoS". A lower value predicts a more
    learnable scheme.

    Args:
        trees: the trees or sentences.

    Raises:
        InputError: there is no arc, or no token has a UPOS.
    """
    trees = trees_of(trees)
    flat = FlatTrees.of(trees)
    if flat.tokens and not have_upos(trees):
        raise InputError(WITHOUT_UPOS)
    tags = encode(chain.from_iterable(tree.upos for tree in trees))
    return conditional_entropy(tags, np.where(flat.heads > 0, tags[flat.parent] + 1, 0))


def encode(symbols: Iterable[str]) -> IntArray:
    """Return int64[N], symbols as numbers, assigned in order of first occurrence."""
    symbols = list(symbols)
    numbers = {symbol: number for number, symbol in enumerate(dict.fromkeys(symbols))}
    return np.fromiter(map(numbers.__getitem__, symbols), np.int64, len(symbols))


def conditional_entropy(outcome: IntArray, pair: IntArray) -> float:
    """Return H(outcome | pair) in bits of paired non-negative numbers, int[N] each, N > 0."""
    if len(outcome) == 0:
        raise InputError("there are no arcs to measure; pass trees with words")
    width = int(outcome.max()) + 1
    pairs, joint = np.unique(pair.astype(np.int64) * width + outcome, return_counts=True)
    _, of_pair = np.unique(pairs // width, return_inverse=True)
    marginal = np.bincount(of_pair, weights=joint)
    surprise = -joint * np.log2(joint / marginal[of_pair])
    return float(surprise.sum() / joint.sum()) + 0.0

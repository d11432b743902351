"""Measure how well the head's part of speech predicts the dependent's.

Wisniewski, Lacroix & Yvon (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal

import numpy as np

from learnability.errors import InputError
from learnability.metrics.flat import FlatTrees, IntArray
from learnability.treebanks.sentence import AnyTrees, Tree, have_upos, trees_of

WITHOUT_UPOS = "no token has a UPOS tag; choose a tagged treebank"
"""Why measures of tags are undefined, and what to do."""

RootPolicy = Literal["special", "exclude"]


def predictability(
    trees: AnyTrees, *, direction: bool = False, root: RootPolicy = "special", macro: bool = False
) -> float:
    """Return H(D | H) in bits: the entropy of the dependent's UPOS given the head's, over all arcs.

    H(D|H) = - sum over (h, d) of p(h, d) log2 p(d | h), where p are unsmoothed relative frequencies.
    Wisniewski, Lacroix & Yvon (2018) call it the "entropy of the conditional distribution of the dependent
    PoS knowing the head PoS". A lower value predicts a more learnable scheme.

    Args:
        trees: the trees or sentences.
        direction: pair on the pair (head's UPOS, whether the dependent stands left or right of its
            head): H(D | H, dir). Root arcs form one class, without a direction.
        root: "special" counts the arc into a root word with the tag ROOT as its head; "exclude" leaves
            root arcs out.
        macro: return the unweighted mean of H(D | h) over the observed head tags h (with `direction`: over
            the observed pairs), instead of weighting by p(h).

    Raises:
        InputError: no arc is left, no token has a UPOS, or `root` does not exist.
    """
    dependents, heads = _arcs(trees_of(trees), direction, root)
    return conditional_entropy(dependents, heads, macro=macro)


def head_given_dependent(
    trees: AnyTrees, *, direction: bool = False, root: RootPolicy = "special", macro: bool = False
) -> float:
    """Return H(H | D) in bits: the entropy of the head's UPOS given the dependent's (not in the paper).

    This is `predictability` with the roles exchanged.

    Args:
        trees: the trees or sentences.
        direction: predict the pair (head's UPOS, direction): H(H, dir | D).
        root: as for :func:`predictability`.
        macro: return the unweighted mean over the dependents' tags.

    Raises:
        InputError: no arc is left, no token has a UPOS, or `root` does not exist.
    """
    dependents, heads = _arcs(trees_of(trees), direction, root)
    return conditional_entropy(heads, dependents, macro=macro)


def encode(symbols: Iterable[str]) -> IntArray:
    """Return int64[N], symbols as numbers, assigned in order of first occurrence."""
    symbols = list(symbols)
    numbers = {symbol: number for number, symbol in enumerate(dict.fromkeys(symbols))}
    return np.fromiter(map(numbers.__getitem__, symbols), np.int64, len(symbols))


def conditional_entropy(outcome: IntArray, pair: IntArray, *, macro: bool = False) -> float:
    """Return H(outcome | pair) in bits of paired non-negative numbers, int[N] each.

    Args:
        outcome: the numbers to predict.
        pair: the numbers to predict from.
        macro: return the unweighted mean over the observed pairs.

    Raises:
        InputError: there are no observations.
    """
    if len(outcome) == 0:
        raise InputError("there are no arcs to measure; pass trees with words, or exclude fewer arcs")
    width = int(outcome.max()) + 1
    pairs, joint = np.unique(pair.astype(np.int64) * width + outcome, return_counts=True)
    _, of_pair = np.unique(pairs // width, return_inverse=True)
    marginal = np.bincount(of_pair, weights=joint)
    surprise = -joint * np.log2(joint / marginal[of_pair])
    if macro:
        return float(np.mean(np.bincount(of_pair, weights=surprise) / marginal)) + 0.0
    return float(surprise.sum() / joint.sum()) + 0.0


def _arcs(trees: Sequence[Tree], direction: bool, root: RootPolicy) -> tuple[IntArray, IntArray]:
    """Return the dependents' and the heads' classes of all arcs; class 0 of the heads is ROOT."""
    flat = FlatTrees.of(trees)
    if flat.tokens and not have_upos(trees):
        raise InputError(WITHOUT_UPOS)
    if root not in ("special", "exclude"):
        raise InputError(f"`root={root!r}` is not accepted; use special or exclude")
    tags = encode(chain.from_iterable(tree.upos for tree in trees))
    is_arc = flat.heads > 0
    heads = np.where(is_arc, tags[flat.parent] + 1, 0)
    if direction:
        heads = 2 * heads + (flat.position > flat.heads)
    if root == "exclude":
        return tags[is_arc], heads[is_arc]
    return tags, heads

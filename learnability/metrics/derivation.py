"""Measure derivation perplexity: how regular the derivations of a treebank's trees are.

It (Wisniewski, Lacroix & Yvon 2018, after Søgaard & Haulrich 2010) is the perplexity of a
trigram model "estimated on a corpus in which the words of a sentence appear in the order in which
they are attached to their head". Lower values predict a more learnable scheme.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnability.errors import InputError
from learnability.metrics.flat import FlatTrees, IntArray, projective_sentences
from learnability.metrics.ngrams import WittenBellTrigrams
from learnability.treebanks.sentence import AnyTrees, Tree, is_known, trees_of


def derivation_perplexity(train: AnyTrees, dev: AnyTrees, *, unknown_below: int = 2) -> float:
    """Return the perplexity of the derivations of `dev` under a trigram model of the derivations of `train`.

    A sentence becomes the sequence of its lower-cased words in the order in which the derivation attaches
    them to their heads (`attachment_order`; Wisniewski, Lacroix & Yvon 2018, after Søgaard & Haulrich 2010).
    The model (`ngrams.WittenBellTrigrams`) is an interpolated Witten-Bell trigram model, whose unigrams are
    interpolated with the uniform distribution. Two begin symbols precede each sentence as context only; one
    end symbol follows and is predicted. So perplexity = 2 ** (-1/M sum log2 p(event)), M = tokens + sentences
    of dev. Sentences that are not projective have no derivation and are left out. To compare two schemes,
    pass the sentences that are projective in both.

    Args:
        train: the trees on which the model is estimated.
        dev: the trees whose perplexity is measured.
        unknown_below: training words with a lower frequency are read as the unknown symbol, as are unseen
            words of dev.

    Returns:
        The perplexity per event.

    Raises:
        InputError: train or dev has no projective sentence, or no words.
    """
    model = WittenBellTrigrams(_derivations(trees_of(train), "train"), unknown_below=unknown_below)
    return model.perplexity(_derivations(trees_of(dev), "dev"))


def attachment_order(trees: FlatTrees) -> IntArray:
    """Return int64[N], the flat indices of all tokens, sentence by sentence, in order of attachment.

    The order is that of the static arc-eager oracle of Goldberg & Nivre 2012, Algorithm 1. When word j comes
    to the front of the buffer, its left dependents get their heads from right to left, and then j does if its
    head is on its left. ROOT stands at the end of the buffer, so root words come last. Sentences that are not
    projective have no derivation; the order of their tokens is arbitrary.
    """
    position, heads = trees.position, trees.heads
    time = np.where(heads == 0, np.diff(trees.offsets)[trees.sentence] + 1, np.maximum(position, heads))
    order_of_tokens: IntArray = np.lexsort((-position, heads <= position, time, trees.sentence))
    return order_of_tokens


def _derivations(trees: Sequence[Tree], part: str) -> list[list[str]]:
    flat = FlatTrees.of(trees)
    used = projective_sentences(flat)
    if not used.any():
        raise InputError(
            f"{part} has no projective sentence to measure derivations on; pass projective sentences"
        )
    if not any(is_known(tree.forms) for tree in trees):
        raise InputError(f"every form of {part} is _ (text not included); add the words, or pass other trees")
    of_tokens = np.empty(flat.tokens, object)
    of_tokens[:] = [form.lower() for tree in trees for form in tree.forms]
    in_order = of_tokens[attachment_order(flat)].tolist()
    ends = flat.offsets.tolist()
    return [in_order[ends[s] : ends[s + 1]] for s in np.flatnonzero(used).tolist()]

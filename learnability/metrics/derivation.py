"""Measure derivation perplexity and complexity: how regular the derivations of a treebank's trees are.

Derivation perplexity (Wisniewski, Lacroix & Yvon 2018, after Søgaard & Haulrich 2010) is the perplexity of a
trigram model "estimated on a corpus in which the words of a sentence appear in the order in which
they are attached to their head". Derivation complexity is the number of distinct substrings of the gold
transition sequences (counted after Gusfield 1997). Lower values predict a more learnable scheme.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
    """Return the words of each projective sentence, in order of attachment."""
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


def derivation_complexity(sequences: Sequence[Sequence[int] | NDArray[np.integer]]) -> int:
    """Return the number of distinct non-empty substrings of the sequences (Gusfield 1997).

    A substring lies within one sequence; a substring of several sequences counts once. The 2018 comparison
    (Wisniewski, Lacroix & Yvon) uses the unlabelled arc-eager transitions of Goldberg & Nivre 2012, Algorithm
    1 (`parsing.stepwise.static_sequences`), of training sentences that are projective in both schemes.

    The count comes from the suffix array of all sequences, each closed by a distinct end symbol, by prefix
    doubling (O(n log n log l), l = longest repetition). Each suffix adds one
    substring for each symbol after the prefix that it shares with its predecessor in the array.

    Args:
        sequences: per sentence, its transitions as integers of any values.
    """
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    if lengths.sum() == 0:
        return 0
    levels = _rank_short(np.concatenate([np.asarray(s, np.int64) for s in sequences]), lengths)
    ranks, n = levels[-1], len(levels[-1])
    while int(ranks.max()) + 1 < n:
        # Beyond the last end symbol any value will do, because end symbols are distinct.
        _, ranks = np.unique(ranks * n + _ahead(ranks, 1 << (len(levels) - 1)), return_inverse=True)
        levels.append(ranks)
    suffixes = np.empty(n, dtype=np.int64)
    suffixes[ranks] = np.arange(n, dtype=np.int64)
    a, b = suffixes[:-1].copy(), suffixes[1:].copy()
    substrings = int((lengths * (lengths + 1) // 2).sum())
    # Two suffixes differ at an end symbol at the latest, so no common prefix reaches into the next sequence.
    for k in range(len(levels) - 2, -1, -1):  # levels[k] tells suffixes apart by their first 2**k symbols
        step = (levels[k][a] == levels[k][b]).astype(np.int64) << k
        substrings -= int(step.sum())
        a += step
        b += step
    return substrings


LARGEST = 1 << 62
"""Numbers that tell suffixes apart stay below this."""


def _rank_short(symbols: IntArray, lengths: IntArray) -> list[IntArray]:
    """Return numbers that order suffixes by their first 1, 2, 4, ... symbols, while these fit into one.

    Args:
        symbols: int64[symbols], those of all sequences.
        lengths: int64[sequences].

    Returns:
        int64[symbols + sequences] each, with an end symbol after each sequence, that ranks above all others
        and is unlike any other end symbol. The numbers of the last are ranks from 0.
    """
    kinds, coded = np.unique(symbols, return_inverse=True)
    ends = np.cumsum(lengths) + np.arange(len(lengths))
    code = np.insert(coded, np.cumsum(lengths), len(kinds))
    until_end = np.repeat(ends, lengths + 1) - np.arange(len(code))
    sequence = np.repeat(np.arange(1, len(lengths) + 1), lengths + 1)
    levels: list[IntArray] = []
    width, size = 1, len(kinds) + 1
    while True:
        # of equal beginnings that hold an end symbol, those of earlier sequences come first
        levels.append(code * (len(lengths) + 1) + np.where(until_end < width, sequence, 0))
        if size * size * (len(lengths) + 1) >= LARGEST:
            break
        code = code * size + np.where(until_end >= width, _ahead(code, width), 0)
        width, size = 2 * width, size * size
    levels[-1] = np.unique(levels[-1], return_inverse=True)[1]
    return levels


def _ahead(values: IntArray, step: int) -> IntArray:
    """Return the values that stand `step` places later, 0 beyond the last."""
    shifted = np.zeros_like(values)
    shifted[: max(len(values) - step, 0)] = values[step:]
    return shifted

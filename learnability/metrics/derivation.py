"""Measure derivation perplexity and complexity: how regular the derivations of a treebank's trees are.

Derivation perplexity (Wisniewski, Lacroix & Yvon 2018, after Søgaard & Haulrich 2010) is the perplexity of a
trigram model "estimated on a corpus in which the words of a sentence appear in the order in which
they are attached to their head". Derivation complexity is the number of distinct substrings of the gold
transition sequences (counted after Gusfield 1997). Lower values predict a more learnable scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.metrics.flat import BoolArray, FlatTrees, IntArray, projective_sentences, spans
from learnability.metrics.ngrams import WittenBellTrigrams
from learnability.metrics.predictability import WITHOUT_UPOS
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import AnyTrees, Tree, have_upos, is_known, trees_of

Order = Literal["arc-eager", "arc-standard"]
Symbols = Literal["forms", "tags"]


@dataclass(frozen=True)
class DerivationPerplexity:
    """Represent a derivation perplexity and everything that determines it.

    Attributes:
        perplexity: 2 ** cross-entropy in bits per event; an event is a token or a sentence's end.
        order: the system whose order of attachments was used.
        symbols: the symbols of the model, lower-cased forms or UPOS tags.
        unknown_below: training symbols rarer than this were read as unknown, and so were unseen symbols.
        vocabulary: V, the number of symbols that the model can predict, with the unknown and the end symbol.
        train_sentences, dev_sentences: the numbers of sentences used.
        train_left_out, dev_left_out: the numbers of sentences not used (masked, or not projective).
        train_tokens, dev_tokens: the numbers of tokens in the sentences used.
    """

    perplexity: float
    order: Order
    symbols: Symbols
    unknown_below: int
    vocabulary: int
    train_sentences: int
    dev_sentences: int
    train_left_out: int
    dev_left_out: int
    train_tokens: int
    dev_tokens: int


def derivation_perplexity(
    train: AnyTrees,
    dev: AnyTrees,
    *,
    order: Order = "arc-eager",
    symbols: Symbols = "forms",
    unknown_below: int | None = None,
    train_mask: Sequence[bool] | BoolArray | None = None,
    dev_mask: Sequence[bool] | BoolArray | None = None,
) -> DerivationPerplexity:
    """Return the perplexity of the derivations of `dev` under a trigram model of the derivations of `train`.

    A sentence becomes the sequence of its words in the order in which the derivation attaches them to their
    heads (`attachment_order`; Wisniewski, Lacroix & Yvon 2018, after Søgaard & Haulrich 2010). The model
    (`ngrams.WittenBellTrigrams`) is an interpolated Witten-Bell trigram model, whose unigrams are
    interpolated with the uniform distribution. Two begin symbols precede each sentence as context only; one
    end symbol follows and is predicted. So perplexity = 2 ** (-1/M sum log2 p(event)), M = tokens + sentences
    of dev.

    Args:
        train: the trees on which the model is estimated.
        dev: the trees whose perplexity is measured.
        order: the order of attachments: "arc-eager" or "arc-standard".
        symbols: "forms" (lower-cased) or "tags" (UPOS).
        unknown_below: training symbols with a lower frequency are read as the unknown symbol, as are unseen
            symbols of dev; default 2 for forms, 1 for tags.
        train_mask: bool[sentences of train], the sentences to use. To compare two schemes, use the
            sentences projective in both. Default: the projective sentences.
        dev_mask: the same for dev.

    Returns:
        The perplexity per event and the counts that determine it.

    Raises:
        InputError: a mask has the wrong length or selects a non-projective sentence, nothing is left of train
            or dev, or an option does not exist.
    """
    if symbols not in get_args(Symbols):
        raise InputError(f"`symbols={symbols!r}` is not accepted; use forms or tags")
    if unknown_below is None:
        unknown_below = 2 if symbols == "forms" else 1
    train, dev = trees_of(train), trees_of(dev)
    train_words = _derivations(train, order, symbols, train_mask, "train")
    dev_words = _derivations(dev, order, symbols, dev_mask, "dev")
    model = WittenBellTrigrams(train_words, unknown_below=unknown_below)
    return DerivationPerplexity(
        perplexity=model.perplexity(dev_words),
        order=order,
        symbols=symbols,
        unknown_below=unknown_below,
        vocabulary=model.size,
        train_sentences=len(train_words),
        dev_sentences=len(dev_words),
        train_left_out=len(train) - len(train_words),
        dev_left_out=len(dev) - len(dev_words),
        train_tokens=sum(map(len, train_words)),
        dev_tokens=sum(map(len, dev_words)),
    )


def attachment_order(trees: FlatTrees, order: Order = "arc-eager") -> IntArray:
    """Return int64[N], the flat indices of all tokens, sentence by sentence, in order of attachment.

    arc-eager: the static oracle of Goldberg & Nivre 2012, Algorithm 1. When word j comes to the front of
    the buffer, its left dependents get their heads from right to left, and then j does if its head is
    on its left. ROOT stands at the end of the buffer, so root words come last.

    arc-standard: the static bottom-up oracle. When j is shifted, its left dependents get their heads from
    right to left. A word with its head on the left gets it when the last word of its subtree has been
    attached, inner words first. Root words come last.

    Non-projective sentences have no derivation; the order of their tokens is arbitrary.

    Args:
        trees: the trees in flat form.
        order: "arc-eager" or "arc-standard".

    Raises:
        InputError: `order` does not exist, or the heads form a cycle.
    """
    position, heads = trees.position, trees.heads
    leftward = heads > position
    if order == "arc-eager":
        time = np.maximum(position, heads)
    elif order == "arc-standard":
        time = np.where(leftward, heads, position[spans(trees)[1]])
    else:
        raise InputError(f"`order={order!r}` is not accepted; use arc-eager or arc-standard")
    time = np.where(heads == 0, np.diff(trees.offsets)[trees.sentence] + 1, time)
    order_of_tokens: IntArray = np.lexsort((-position, ~leftward, time, trees.sentence))
    return order_of_tokens


def _derivations(
    trees: Sequence[Tree], order: Order, symbols: Symbols, mask: Sequence[bool] | BoolArray | None, part: str
) -> list[list[str]]:
    """Return the symbols of each sentence in use, in order of attachment."""
    flat = FlatTrees.of(trees)
    projective = projective_sentences(flat)
    used = projective if mask is None else np.asarray(mask, dtype=np.bool_)
    if len(used) != len(trees):
        raise InputError(
            f"the mask of {part} has {count_noun(len(used), 'value')} for "
            f"{count_noun(len(trees), 'sentence')}; pass one value per sentence"
        )
    crossing = np.flatnonzero(used & ~projective)
    if len(crossing):
        raise InputError(
            f"sentence {crossing[0] + 1} of {part} is not projective and has no derivation; leave it out"
        )
    if not used.any():
        raise InputError(
            f"{part} has no projective sentence to measure derivations on; pass projective sentences"
        )
    if symbols == "tags" and not have_upos(trees):
        raise InputError(WITHOUT_UPOS)
    if symbols == "forms" and not any(is_known(tree.forms) for tree in trees):
        raise InputError(f"every form of {part} is _ (text not included); add the words, or pass other trees")
    texts = chain.from_iterable(tree.upos if symbols == "tags" else tree.forms for tree in trees)
    of_tokens = np.empty(flat.tokens, object)
    of_tokens[:] = list(texts if symbols == "tags" else map(str.lower, texts))
    in_order = of_tokens[attachment_order(flat, order)].tolist()
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

"""An interpolated Witten-Bell trigram model whose unigram level knows unseen symbols.

The model of `nltk.lm.WittenBellInterpolated` with one repair: there an unseen symbol has
probability 0 at the unigram level, so one such symbol makes a perplexity infinite; here the unigram level
is interpolated with the uniform distribution, by the same rule. The tests pin equality with nltk.
It is written on sorted arrays because a run scores hundreds of corpora (see `docs/performance.md`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.metrics.flat import IntArray

BEGIN, END, UNKNOWN = 0, 1, 2
"""The numbers of the begin symbol (context only), the end symbol and the unknown symbol."""


@dataclass(frozen=True, eq=False)
class Events:
    """What a trigram model predicts: int64[M] each, the symbol and the two before it.

    Attributes:
        symbols: the symbols predicted, never BEGIN.
        previous: the symbol before each, BEGIN at a sentence's start.
        before_previous: the one before that.
    """

    symbols: IntArray
    previous: IntArray
    before_previous: IntArray


def events_of(sentences: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> Events:
    """The events of sentences: every symbol and one END per sentence, after two BEGINs.

    Symbols that are not in `vocabulary` are read as UNKNOWN.
    """
    coded: list[int] = []
    for sentence in sentences:
        coded += (BEGIN, BEGIN)
        coded.extend(vocabulary.get(symbol, UNKNOWN) for symbol in sentence)
        coded.append(END)
    row = np.array(coded, dtype=np.int64)
    at = np.flatnonzero(row != BEGIN)
    return Events(row[at], row[at - 1], row[at - 2])


@dataclass(frozen=True, eq=False)
class _Level:
    """The n-grams of one order: sorted keys with counts, and per context its count and its types."""

    ngrams: IntArray
    counts: IntArray
    contexts: IntArray
    totals: IntArray
    types: IntArray


@dataclass(frozen=True, eq=False)
class WittenBell:
    """p(w | u v) = (c(u v w) + T(u v) p(w | v)) / (c(u v) + T(u v)), down to the uniform 1/V.

    c counts n-grams of training events, T(context) is the number of different symbols that follow the
    context. A context that was never seen leaves all the mass to the next lower order. V counts the
    symbols that can be predicted: the vocabulary, UNKNOWN and END, not BEGIN.
    (Witten & Bell 1991; interpolated form: Chen & Goodman 1999.)

    Attributes:
        vocabulary: the known symbols and their numbers.
    """

    vocabulary: Mapping[str, int]
    levels: tuple[_Level, ...]

    @property
    def size(self) -> int:
        """V, the number of symbols that can be predicted."""
        return len(self.vocabulary) + 2

    @classmethod
    def fit(cls, sentences: Sequence[Sequence[str]], *, unknown_below: int = 1) -> WittenBell:
        """The model of sentences, whose symbols rarer than `unknown_below` are read as UNKNOWN.

        Raises InputError if there is no sentence, or if the vocabulary is too large for 64-bit keys
        (2,097,150 symbols).
        """
        if not sentences:
            raise InputError("no sentences: an n-gram model needs some")
        counts = Counter(symbol for sentence in sentences for symbol in sentence)
        known = [symbol for symbol, count in counts.items() if count >= unknown_below]
        if len(known) + 3 >= 1 << 21:
            raise InputError(f"{len(known)} different symbols are too many: raise unknown_below")
        vocabulary = {symbol: number for number, symbol in enumerate(known, UNKNOWN + 1)}
        model = cls(vocabulary, ())
        keys = model._keys(events_of(sentences, vocabulary))
        return cls(vocabulary, tuple(_count(ngrams, contexts) for ngrams, contexts in keys))

    def log2_probabilities(self, events: Events) -> NDArray[np.float64]:
        """float64[M]: the binary logarithm of each event's probability."""
        p = np.full(len(events.symbols), 1.0 / self.size)
        for level, (ngrams, contexts) in zip(self.levels, self._keys(events), strict=True):
            total = _look_up(contexts, level.contexts, level.totals)
            types = _look_up(contexts, level.contexts, level.types)
            count = _look_up(ngrams, level.ngrams, level.counts)
            seen = total > 0
            p[seen] = (count[seen] + types[seen] * p[seen]) / (total[seen] + types[seen])
        logarithms: NDArray[np.float64] = np.log2(p)
        return logarithms

    def _keys(self, events: Events) -> list[tuple[IntArray, IntArray]]:
        """Per order 1, 2, 3: one number for each event's n-gram and one for its context."""
        base = len(self.vocabulary) + 3
        empty = np.zeros(len(events.symbols), dtype=np.int64)
        bigram_context = events.previous
        trigram_context = events.before_previous * base + events.previous
        contexts = (empty, bigram_context, trigram_context)
        return [(context * base + events.symbols, context) for context in contexts]


def _count(ngrams: IntArray, contexts: IntArray) -> _Level:
    distinct, first, counts = np.unique(ngrams, return_index=True, return_counts=True)
    # Keys sort by context first, so the contexts of the distinct n-grams are sorted, too.
    context_of, starts, types = np.unique(contexts[first], return_index=True, return_counts=True)
    return _Level(distinct, counts, context_of, np.add.reduceat(counts, starts), types)


def _look_up(keys: IntArray, sorted_keys: IntArray, values: IntArray) -> IntArray:
    """The value of each key, 0 for keys that are not there."""
    at = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[at] == keys, values[at], 0)

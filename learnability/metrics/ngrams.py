"""Estimate an interpolated Witten-Bell trigram model whose unigram level covers unseen symbols."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.metrics.flat import BoolArray
from learnability.support.options import check_number, shorten_value

Events = NDArray[np.int64]
"""int64[events, 3]: the number of a symbol to predict, after those of the two that it is predicted from."""

BEGIN, END, UNKNOWN = range(3)
"""The numbers of the begin symbol (context only), the end symbol and the unknown symbol."""


class WittenBellTrigrams:
    """Estimate p(w | u v) = (c(u v w) + T(u v) p(w | v)) / (c(u v) + T(u v)), down to the uniform 1/V.

    c counts n-grams of training events, T(context) is the number of different symbols that follow the
    context. V counts the symbols that can be predicted: the known symbols, UNKNOWN and END, not BEGIN.
    (Witten & Bell 1991; interpolated form: Chen & Goodman 1999.)

    The events are every symbol and one END per sentence, after two BEGINs.

    Args:
        unknown_below: symbols with a lower frequency in `sentences` are read as UNKNOWN; 1: none.

    Attributes:
        numbers: the number of each known symbol, from 3.

    Raises:
        InputError: there is no sentence, or `unknown_below` is below 1.
    """

    def __init__(self, sentences: Sequence[Sequence[str]], *, unknown_below: int = 1) -> None:
        if not sentences:
            raise InputError("there are no sentences to estimate an n-gram model from; pass at least one")
        check_number(f"`unknown_below={shorten_value(unknown_below)}`", unknown_below, 1)
        frequencies = Counter(chain.from_iterable(sentences))
        known = (symbol for symbol, count in frequencies.items() if count >= unknown_below)
        self.numbers = {symbol: number for number, symbol in enumerate(known, start=UNKNOWN + 1)}
        self._trained = self.events(sentences)

    @property
    def size(self) -> int:
        """Return V, the number of symbols that can be predicted."""
        return len(self.numbers) + 2

    def events(self, sentences: Sequence[Sequence[str]]) -> Events:
        """Return the events of sentences, int64[events, 3]."""
        row = list[int]()
        for sentence in sentences:
            row += (BEGIN, BEGIN)
            row += map(self.numbers.get, sentence, repeat(UNKNOWN))
            row.append(END)
        symbols = np.array(row, np.int64)
        predicted = np.flatnonzero(symbols != BEGIN)
        return np.stack((symbols[predicted - 2], symbols[predicted - 1], symbols[predicted]), axis=1)

    def probabilities(self, events: Events) -> NDArray[np.float64]:
        """Return float64[events], p(w | u v) of each event."""
        width = self.size + 1
        p = np.zeros(len(events))
        for context in ((), (1,), (0, 1)):
            contexts, of_event, seen = np.unique(
                _code(self._trained, context, width), return_inverse=True, return_counts=True
            )
            ngrams, counts = np.unique(of_event * width + self._trained[:, 2], return_counts=True)
            types = np.bincount(ngrams // width)
            at, known = _find(contexts, _code(events, context, width))
            t, n = types[at], seen[at]
            at, counted = _find(ngrams, at * width + events[:, 2])
            c = np.where(counted, counts[at], 0)
            if not context:
                p = (c + t / self.size) / (n + t)
                continue
            share = t / (t + n)  # the weight of the shorter context
            p = np.where(known, (1 - share) * (c / n) + share * p, p)
        return p

    def perplexity(self, sentences: Sequence[Sequence[str]]) -> float:
        """Return 2 ** the mean of -log2 p over the events of the sentences."""
        logs = [math.log(p, 2) for p in self.probabilities(self.events(sentences)).tolist()]
        return math.pow(2.0, -math.fsum(logs) / len(logs))


def _code(events: Events, context: Sequence[int], width: int) -> NDArray[np.int64]:
    """Return int64[events], one number for the symbols in these columns, each below `width`."""
    code = np.zeros(len(events), np.int64)
    for column in context:
        code = code * width + events[:, column]
    return code


def _find(among: NDArray[np.int64], values: NDArray[np.int64]) -> tuple[NDArray[np.int64], BoolArray]:
    """Return the index of each value among the ascending ones, and whether it occurs; else any index."""
    at = np.minimum(np.searchsorted(among, values), len(among) - 1)
    return at, among[at] == values

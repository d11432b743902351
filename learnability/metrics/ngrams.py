"""An interpolated Witten-Bell trigram model (`nltk.lm`) whose unigram level knows unseen symbols.

In `nltk.lm.WittenBellInterpolated` the recursion ends at relative frequencies of unigrams. A symbol
that training never saw has probability 0 there, and one such symbol makes a perplexity infinite. Here
the unigrams are interpolated with the uniform distribution, by the same rule as every other level.

Importing this module imports all of nltk (about a second); import it where a model is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from nltk.lm import NgramCounter, Vocabulary, WittenBellInterpolated
from nltk.lm.smoothing import WittenBell
from nltk.util import ngrams

from learnability.errors import InputError

BEGIN, END, UNKNOWN = "\tbegin", "\tend", "\tunknown"
"""The begin symbol (context only), the end symbol and the unknown symbol.

No column of a CoNLL-U file holds a tab, so no form or tag is ever taken for one of them.
"""

_ORDER = 3

Event = tuple[str, str, str]
"""A symbol to predict and, before it, the two symbols it is predicted from."""


class _UniformBase(WittenBell):  # type: ignore[misc]
    """nltk's Witten-Bell smoothing with unigrams that are interpolated with 1/V; counts are final."""

    def __init__(self, vocabulary: Vocabulary, counter: NgramCounter) -> None:
        super().__init__(vocabulary, counter)
        self._gamma = cache(super()._gamma)  # nltk counts a context's types anew for each n-gram

    def unigram_score(self, word: str) -> float:
        """(c(w) + T / V) / (N + T), where N events of T types were seen."""
        unigrams = self.counts.unigrams
        size, types = len(self.vocab) - 1, unigrams.B()  # all but BEGIN can be predicted
        return float((unigrams[word] + types / size) / (unigrams.N() + types))


class WittenBellTrigrams(WittenBellInterpolated):  # type: ignore[misc]
    """p(w | u v) = (c(u v w) + T(u v) p(w | v)) / (c(u v) + T(u v)), down to the uniform 1/V.

    c counts n-grams of training events, T(context) is the number of different symbols that follow the
    context. V counts the symbols that can be predicted: the known ones, UNKNOWN and END, not BEGIN.
    (Witten & Bell 1991; interpolated form: Chen & Goodman 1999.)

    The events are every symbol and one END per sentence, after two BEGINs. (nltk's own padding would
    make events of the begin symbols and of a second end symbol.)

    Symbols with a frequency below `unknown_below` in the training `sentences` are read as UNKNOWN.

    Raises InputError if there is no sentence, if `unknown_below` is below 1, or if the n-grams are more
    than nltk is willing to count (10 million different ones in nltk 3.10).
    """

    def __init__(self, sentences: Sequence[Sequence[str]], *, unknown_below: int = 1) -> None:
        if not sentences:
            raise InputError("no sentences: an n-gram model needs some")
        if unknown_below < 1:
            raise InputError(f"unknown_below={unknown_below}: give 1 (all symbols are known) or more")
        frequencies = Counter(symbol for sentence in sentences for symbol in sentence)
        frequencies[BEGIN] = frequencies[END] = unknown_below  # known, however few sentences there are
        vocabulary = Vocabulary(frequencies, unk_cutoff=unknown_below, unk_label=UNKNOWN)
        super().__init__(_ORDER, vocabulary=vocabulary)
        events = self.events(sentences)
        try:
            self.counts.update([event[i:] for i in range(_ORDER)] for event in events)
        except ValueError as error:
            raise InputError(
                f"{len(events)} events have more different n-grams than nltk counts: "
                "raise unknown_below or measure fewer sentences"
            ) from error
        self.estimator = _UniformBase(self.vocab, self.counts)
        # Events recur, and the lower orders are shared by many.
        self.unmasked_score = cache(super().unmasked_score)

    @property
    def size(self) -> int:
        """V, the number of symbols that can be predicted."""
        return len(self.vocab) - 1

    def events(self, sentences: Sequence[Sequence[str]]) -> list[Event]:
        """The events of sentences as trigrams, as nltk's `perplexity` and `entropy` take them."""
        known = self.vocab.lookup
        return [
            event for sentence in sentences for event in ngrams((BEGIN, BEGIN, *known(sentence), END), _ORDER)
        ]

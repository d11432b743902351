"""Say whether the forms in a context agree that sides differ, and how sure this is.

Words are compared form by form, so that other texts are no other conventions, and a form counts once for each
document in which it occurs, because words come in documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Contexts, WordTable
from learnability.extensions.harmonise.kept_contexts import Codes, Flags, KeptContexts, Words

FEWEST_DOCUMENTS = 2
"""The documents of each side in which a convention has to be seen."""

FORM_FOREIGN = 0.1
"""The largest share with the value among words of a form that agrees with its context."""

CONSISTENT = 0.9
"""The share of the words with the value whose forms agree with the context."""

STEPS = np.logspace(-1.5, 1.6, 16)
"""The exponents among which the bound chooses the best one."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FormsInContexts:
    """Hold the forms of the words of contexts, and how much each word counts, in the order of `words`.

    Attributes:
        form: int32, the number of the form; 0 where the context is one.
        weight: float64, 1 divided by the words of the form in the context in the same document.
    """

    form: Codes
    weight: Floats

    @classmethod
    def of(cls, table: WordTable, contexts: KeptContexts, form_in_document: Codes) -> FormsInContexts:
        """Return the forms of words in their contexts.

        `form_in_document` is equal where form and document are; tokens are numbered here.
        """
        words, last = contexts.words, contexts.columns[-1]
        is_of_tokens = last == "surface" or last.startswith("token_ending")
        forms = table.column("surface" if is_of_tokens else "form").codes
        form = np.zeros(len(words), np.int32) if last in ("form", "surface") else forms[words]
        if is_of_tokens:
            form_in_document = Contexts.number_together(forms, table.document, words=len(table))
        # most forms are alone in their document, and need no counting
        repeated = np.flatnonzero(np.bincount(form_in_document)[form_in_document[words]] > 1)
        chosen = words[repeated]
        same = Contexts.number_together(contexts.number[chosen], form_in_document[chosen], words=len(chosen))
        weight = np.ones(len(words))
        weight[repeated] = 1 / np.bincount(same)[same]
        return cls(form, weight)


@dataclass(frozen=True)
class SidesOfForms:
    """Hold the forms of the words of pairs of contexts and values, and which side has the value how often.

    Attributes:
        form: int64[words], the number of the form of each word; forms of different pairs are different.
        pair_of_form: int32[forms].
        is_home: bool[words], whether a word is of the side whose value it is.
        has: bool[words], whether a word has the value.
    """

    form: Words
    pair_of_form: Codes
    is_home: Flags
    has: Flags

    @classmethod
    def of(cls, pair: Words, form: Codes, has: Flags, is_home: Flags) -> SidesOfForms:
        """Tell the forms of the words of pairs apart."""
        more = int(form.max(initial=0)) + 1
        names, number = np.unique(pair * more + form, return_inverse=True)
        return cls(number.ravel(), (names // more).astype(np.int32), is_home, has)

    def _count(self, chosen: Flags) -> Floats:
        return np.bincount(self.form[chosen], minlength=len(self.pair_of_form)).astype(np.float64)

    def find_agreeing(self, pairs: int, fewest: int) -> Flags:
        """Return bool[pairs], of which enough forms, and the forms of enough words, agree."""
        home_with = self._count(self.is_home & self.has)
        away, away_with = self._count(~self.is_home), self._count(~self.is_home & self.has)
        testable = (away > 0) & (home_with > 0)
        agrees = testable & (away_with <= FORM_FOREIGN * away)
        tested = np.bincount(self.pair_of_form, np.where(testable, home_with, 0), minlength=pairs)
        agreed = np.bincount(self.pair_of_form, np.where(agrees, home_with, 0), minlength=pairs)
        forms = np.bincount(self.pair_of_form[agrees], minlength=pairs)
        enough: Flags = (forms >= fewest) & (tested > 0) & (agreed >= CONSISTENT * tested)
        return enough

    def find_documented(self, documents: Codes, pairs: int) -> Flags:
        """Return bool[pairs], which are seen in enough documents of both sides."""
        enough = np.ones(pairs, np.bool_)
        more = int(documents.max(initial=0)) + 1
        for chosen in (self.is_home & self.has, ~self.is_home & ~self.has):
            keys = self.pair_of_form[self.form[chosen]] * np.int64(more) + documents[chosen]
            enough &= np.bincount(np.unique(keys) // more, minlength=pairs) >= FEWEST_DOCUMENTS
        return enough

    def find_sureness(self, weight: Floats, pairs: int) -> Floats:
        """Return float64[pairs]: how sure it is that sides differ, as `sureness_of` gives it."""

        def weigh(chosen: Flags) -> Floats:
            return np.bincount(self.form[chosen], weight[chosen], len(self.pair_of_form)).astype(np.float64)

        home, has = self.is_home, self.has
        sides = weigh(home), weigh(home & has), weigh(~home), weigh(~home & has)
        return sureness_of(self.pair_of_form, pairs, sides)


def bound_chance(
    contexts: NDArray[np.int32], size: int, counts: Floats, rates: Floats, found: Floats
) -> Floats:
    """Return float64[contexts]: minus the decimal logarithm of a bound on the probability of as many.

    It is Chernoff's bound for a sum of binomial counts, which is also one for hypergeometric counts of the
    same means (Hoeffding 1963, section 6).

    Args:
        contexts: int32[forms], the context of each form.
        size: the number of contexts.
        counts: float64[forms], the trials of each form on one side.
        rates: float64[forms], the probability of each, from both sides together.
        found: float64[forms], how many came out so.
    """
    best = np.zeros(size)
    total = np.bincount(contexts, found, minlength=size)
    for step in STEPS:
        logs = np.bincount(contexts, counts * np.log1p(rates * np.expm1(step)), minlength=size)
        np.maximum(best, step * total - logs, out=best)
    bound: Floats = best / np.log(10)
    return bound


def sureness_of(
    contexts: NDArray[np.int32], size: int, sides: tuple[Floats, Floats, Floats, Floats]
) -> Floats:
    """Return float64[contexts]: how sure it is that a value is more frequent on the first side.

    Args:
        contexts: int32[forms], the context of each form.
        size: the number of contexts.
        sides: float64[forms] each: the first side, its words with the value, the second side, and its words
            with the value; in documents.
    """
    first, first_with, second, second_with = sides
    compared = (first > 0) & (second > 0)
    contexts, (first, first_with, second, second_with) = (
        contexts[compared],
        [each[compared] for each in sides],
    )
    rates = np.clip((first_with + second_with) / (first + second), 0.0, 1.0)
    more = bound_chance(contexts, size, first, rates, first_with)
    fewer = bound_chance(contexts, size, second, 1 - rates, second - second_with)
    either: Floats = np.maximum(np.maximum(more, fewer) - np.log10(2), 0.0)
    return either

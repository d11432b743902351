"""Hold the contexts in which sides can be compared, and count the values of their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Contexts, WordTable

Codes = NDArray[np.int32]
Words = NDArray[np.int64]
Flags = NDArray[np.bool_]

DENSE = 8
"""Combinations that are counted in an array, for each word; more are sorted."""


@dataclass(frozen=True)
class KeptContexts:
    """Hold some of the contexts of words by some columns, and their words.

    Attributes:
        size: the number of contexts that are kept.
        number: int32[words], the context of each word; `size` for the words of all others.
        first_word: int64[size], the first word in each.
    """

    columns: tuple[str, ...]
    size: int
    number: Codes
    first_word: Words
    treebank: Codes
    treebanks: int

    @classmethod
    def comparable(cls, table: WordTable, columns: tuple[str, ...], fewest: int, others: int) -> KeptContexts:
        """Keep the contexts with enough words of a treebank and of the others, for any of the treebanks.

        Those without a feature are left out, because sides may differ in it.
        """
        contexts = Contexts.of(table, columns)
        counts = _count_by_treebank(table, contexts)
        enough = (counts >= fewest) & (counts.sum(axis=1, keepdims=True) - counts >= others)
        keeps = enough.any(axis=1)
        name = columns[-1]
        if name.startswith(("feats:", "ending", "token_ending")) or name in ("lemma", "xpos"):
            column = table.column(name)
            has = np.array([value not in ("", "_") for value in column.names], np.bool_)
            keeps &= has[column.codes[contexts.first_word]]
        size = int(keeps.sum())
        numbers = np.where(keeps, np.cumsum(keeps) - 1, size).astype(np.int32)
        return cls(
            contexts.columns, size, numbers[contexts.number], contexts.first_word[keeps], table.treebank,
            int(table.treebank.max()) + 1,
        )  # fmt: skip

    @cached_property
    def keys(self) -> Words:
        """Return int64[words]: the context of each word times the number of treebanks, plus its treebank."""
        return self.number * np.int64(self.treebanks) + self.treebank

    @cached_property
    def words(self) -> Words:
        """Return the words of the contexts, context by context."""
        small = self.number.astype(np.uint16) if self.size < 1 << 16 else self.number  # sorted much faster
        return np.argsort(small, kind="stable")[: int(self.starts[-1])]

    @cached_property
    def starts(self) -> Words:
        """Return int64[size + 1]: where the words of each context begin in `words`."""
        counts = np.bincount(self.number, minlength=self.size + 1)[: self.size]
        return np.concatenate([[0], np.cumsum(counts)])

    def places_of(self, contexts: Words) -> tuple[Words, Words]:
        """Return where the words of some contexts are in `words`, and to which of these each belongs."""
        first, counts = self.starts[contexts], self.starts[contexts + 1] - self.starts[contexts]
        which = np.repeat(np.arange(len(contexts)), counts)
        before = np.concatenate([[0], np.cumsum(counts)])[:-1]
        return np.arange(len(which)) - before[which] + first[which], which

    def words_of(self, contexts: Words) -> Words:
        return self.words[self.places_of(contexts)[0]]

    def count(self, words: Words) -> Words:
        """Return int64[size, treebanks]: how many of some words each context has."""
        each = np.bincount(self.keys[words], minlength=(self.size + 1) * self.treebanks)
        return each.reshape(-1, self.treebanks)[: self.size]

    def count_values(self, words: Words, values: Codes) -> PairCounts:
        """Return how many of some words have each value in each context."""
        keys = self.keys[words]
        more, groups = int(values.max(initial=0)) + 1, self.treebanks
        if (self.size + 1) * more * groups <= DENSE * len(values):
            joint = values * np.int64((self.size + 1) * groups) + keys
            every = np.bincount(joint, minlength=(self.size + 1) * more * groups)
            every = every.reshape(more, -1, groups)[:, : self.size]
            found, contexts = np.nonzero(every.any(axis=2).T)[::-1]
            return PairCounts(contexts, found, every[found, contexts], every.sum(axis=0))
        inside = keys < self.size * groups
        keys, values = keys[inside], values[inside]
        contexts = keys // groups
        pairs, number = np.unique(contexts * more + values, return_inverse=True)
        joint = number.ravel() * np.int64(groups) + keys - contexts * groups
        counts = np.bincount(joint, minlength=len(pairs) * groups).reshape(-1, groups)
        totals = np.bincount(keys, minlength=self.size * groups).reshape(-1, groups)
        return PairCounts(pairs // more, pairs % more, counts, totals)


def _count_by_treebank(table: WordTable, contexts: Contexts) -> Words:
    """Return int64[contexts, treebanks]: how many words of each treebank each context has."""
    treebanks = int(table.treebank.max()) + 1
    keys = contexts.number * np.int64(treebanks) + table.treebank
    return np.bincount(keys, minlength=len(contexts) * treebanks).reshape(-1, treebanks)


@dataclass(frozen=True)
class PairCounts:
    """Hold how many words of each context and treebank have each value that occurs there.

    Attributes:
        contexts, values: int64[pairs].
        words: int64[pairs, treebanks].
        totals: int64[contexts, treebanks].
    """

    contexts: Words
    values: Words
    words: Words
    totals: Words

    @classmethod
    def of_two(cls, there: Words, totals: Words) -> PairCounts:
        """Return the counts of the two values 0 and 1."""
        contexts = np.arange(len(totals))
        values = np.repeat([0, 1], len(totals))
        words = np.concatenate([totals - there, there])
        return cls(np.concatenate([contexts, contexts]), values, words, totals)

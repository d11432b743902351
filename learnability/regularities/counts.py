"""Count the values of a column in each context."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.regularities.word_table import Codes, WordTable

DENSE = 8
"""Combinations that are marked in an array, for each word; more are sorted."""


@dataclass(frozen=True)
class Contexts:
    """Hold the context of each word: its values in some columns.

    Attributes:
        columns: whose values are a context; none for one context of all words.
        number: int32[words], the number of the context of each word.
        first_word: int64[contexts], the first word in each.
    """

    columns: tuple[str, ...]
    number: Codes
    first_word: NDArray[np.int64]

    @classmethod
    def of(cls, table: WordTable, columns: tuple[str, ...]) -> Contexts:
        """Return the contexts of words by these columns.

        Args:
            table: the words.
            columns: by their names.
        """
        number = cls.number_together(*(table.column(name).codes for name in columns), words=len(table))
        first_word = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
        first_word[number[::-1]] = np.arange(len(number))[::-1]
        return cls(columns, number, first_word)

    def __len__(self) -> int:
        return len(self.first_word)

    @staticmethod
    def number_together(*columns: Codes, words: int) -> Codes:
        """Return numbers from 0 that are equal where all columns are; without columns all are 0."""
        together: Codes = np.zeros(words, np.int32)
        size = min(1, words)
        for codes in columns:
            more = int(codes.max(initial=0)) + 1
            joint = together * np.int64(more) + codes
            if size * more <= DENSE * words:
                occurs = np.zeros(size * more, np.bool_)
                occurs[joint] = True
                numbers = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
                together = numbers[joint]
            else:
                together = np.unique(joint, return_inverse=True)[1].ravel().astype(np.int32)
            size = int(together.max(initial=-1)) + 1
        return together


@dataclass(frozen=True)
class ContextCounts:
    """Hold how many words of each context have each value, in each group of words.

    A pair is a context with one of the values that words have in it.

    Attributes:
        contexts, values: int32[pairs], the numbers of the context and of the value.
        words: int64[pairs, groups], how many words have the value in the context.
        totals: int64[contexts, groups], how many words are in the context.
        pair: int32[words], the pair of each word.
    """

    contexts: Codes
    values: Codes
    words: NDArray[np.int64]
    totals: NDArray[np.int64]
    pair: Codes


def count_values(contexts: Contexts, values: Codes, groups: Codes) -> ContextCounts:
    """Return how often each value occurs in each context.

    Args:
        contexts: of all words.
        values: int32[words], a column.
        groups: int32[words], which are counted apart, for example treebanks.
    """
    pair = Contexts.number_together(contexts.number, values, words=len(values))
    first = np.full(int(pair.max(initial=-1)) + 1, -1, np.int64)
    first[pair[::-1]] = np.arange(len(pair))[::-1]
    size = int(groups.max(initial=0)) + 1
    words = np.bincount(pair * np.int64(size) + groups, minlength=len(first) * size).reshape(-1, size)
    totals = np.bincount(contexts.number * np.int64(size) + groups, minlength=len(contexts) * size).reshape(
        -1, size
    )
    return ContextCounts(contexts.number[first], values[first], words, totals, pair)

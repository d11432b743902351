"""Tell which sentences are copies of each other (docs/rules.md, Treebanks and splits).

A parser that has seen a sentence parses its copy better than others. So copies stay together wherever
sentences are divided into those that are learned from and those that are tested: all that divides them asks
here.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.support.nouns import choose_verb, count_noun
from learnability.treebanks.sentence import Tree

SHARE, FEWEST_WORDS = 0.7, 8
"""Two sentences of at least so many words are copies if they have this share of their words in common
(research/copies)."""

LARGEST = 0.05
"""The share of all words that a group has at most if only near copies hold it together, so that a chain of
them does not make folds unequal."""

Places = NDArray[np.int64]

Words = tuple[Hashable, ...]
"""The words of a sentence as they are compared."""


def comparable_words(tree: Tree) -> Words:
    """Return the words of a sentence as they are compared: without case, marks, and digits of numbers.

    A sentence of punctuation alone keeps it. A word that is withheld equals no other.
    """
    words: list[Hashable] = []
    for form, is_withheld in zip(tree.forms, tree.find_withheld(), strict=True):
        word = object() if is_withheld else _comparable_word(form)
        if word:
            words.append(word)
    return tuple(words) or tree.forms


@lru_cache(maxsize=100_000)
def _comparable_word(form: str) -> str:
    """Return a word in lower case, without punctuation; of a number how many digits it has."""
    letters = unicodedata.normalize("NFKC", form).casefold()
    word = "".join(letter for letter in letters if unicodedata.category(letter)[0] not in "PSZC")
    return "0" * len(word) if word.isdecimal() else word


class CopyGroups(NamedTuple):
    """Hold the groups of copies of sentences.

    Attributes:
        numbers: for each sentence the place of the first sentence of its group.
        divided: how many sentences have a near copy in another group, because one group would be too large.
    """

    numbers: tuple[int, ...]
    divided: int

    @property
    def remark(self) -> str:
        """Return how many sentences have a near copy in another group, in words."""
        if not self.divided:
            return ""
        return (
            f"{count_noun(self.divided, 'sentence')} {choose_verb(self.divided, 'has', 'have')} near copies "
            "that may be in another part, because near copies stay together only up to "
            f"{100 * LARGEST:.0f} % of all words"
        )


def group_copies(trees: Iterable[Tree]) -> CopyGroups:
    """Return the groups of sentences: their copies, and the copies of these.

    A sentence without copies is a group by itself. Sentences with the same words are always in one group.
    Near copies join groups, the nearest first, as long as the group has at most `LARGEST` of all words.
    """
    return _group(tuple(map(comparable_words, trees)))


def number_groups(trees: Iterable[Tree]) -> list[int]:
    return list(group_copies(trees).numbers)


@lru_cache(maxsize=8)  # a tagger divides the same sentences for each seed
def _group(words: tuple[Words, ...]) -> CopyGroups:
    groups = _Groups(list(map(len, words)))
    first: dict[Words, int] = {}
    for place, of_sentence in enumerate(words):
        groups.join(first.setdefault(of_sentence, place), place)
    firsts = list(first.values())
    most = LARGEST * sum(map(len, words))
    near = [(firsts[one], firsts[other]) for one, other in _near_pairs(list(first))]
    for one, other in near:
        groups.join(one, other, most)
    divided = {place for pair in near if groups.find(pair[0]) != groups.find(pair[1]) for place in pair}
    numbers = tuple(map(groups.find, range(len(words))))
    return CopyGroups(numbers, sum(first[of_sentence] in divided for of_sentence in words))


class _Groups:
    """Join sentences into groups; each is called by its first sentence."""

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes
        self._first = list(range(len(sizes)))

    def find(self, place: int) -> int:
        while self._first[place] != place:
            self._first[place] = self._first[self._first[place]]
            place = self._first[place]
        return place

    def join(self, one: int, other: int, most: float = math.inf) -> None:
        one, other = sorted((self.find(one), self.find(other)))
        if one != other and self._sizes[one] + self._sizes[other] <= most:
            self._first[other] = one
            self._sizes[one] += self._sizes[other]


def _near_pairs(words: Sequence[Words]) -> list[tuple[int, int]]:
    places = range(len(words))
    found = [near for near in _find_near(words, places, places) if near.one < near.other]
    return [(near.one, near.other) for near in sorted(found, key=lambda near: (-near.share, near))]


class _Near(NamedTuple):
    """Hold the places of two near copies, and the share of words that they have in common."""

    one: int
    other: int
    share: float


ROWS_AT_ONCE, PAIRS_AT_ONCE = 200, 200_000
"""How many sentences are looked up at once, and the most pairs that are compared at once; for memory."""


def _find_near(words: Sequence[Words], ones: Sequence[int], others: Sequence[int]) -> Iterator[_Near]:
    """Yield the near copies of some sentences (`ones`, their places) among `others`.

    Of two sentences with at least k words in common, the one with n words has one of these among its
    n - k + 1 rarest. So only sentences that share one of them are compared.
    """
    lengths = np.array(list(map(len, words)), np.int64)
    is_long = lengths >= FEWEST_WORDS
    first = np.array([place for place in ones if is_long[place]], np.int64)
    second = np.array([place for place in others if is_long[place]], np.int64)
    if not len(first) or not len(second):
        return
    every, rarest = _incidence(words)
    known = rarest[second].T.tocsc()
    for start in range(0, len(first), ROWS_AT_ONCE):
        block = first[start : start + ROWS_AT_ONCE]
        rows, columns = (rarest[block] @ known).nonzero()
        one, other = block[rows], second[columns]
        shorter = np.minimum(lengths[one], lengths[other])
        possible = np.flatnonzero(2 * shorter >= SHARE * (lengths[one] + lengths[other]) - 1e-9)
        for at in range(0, len(possible), PAIRS_AT_ONCE):
            pairs = possible[at : at + PAIRS_AT_ONCE]
            yield from _compare(every, lengths, one[pairs], other[pairs])


def _compare(every: Any, lengths: Places, one: Places, other: Places) -> Iterator[_Near]:
    """Yield those of the pairs `one`, `other` that are near copies; `every`: the words of each sentence."""
    common = np.asarray(every[one].multiply(every[other]).sum(axis=1)).ravel()
    both = lengths[one] + lengths[other]
    near = np.flatnonzero(2 * common >= SHARE * both - 1e-9)
    shares = (2 * common[near] / both[near]).tolist()
    yield from map(_Near, one[near].tolist(), other[near].tolist(), shares)


def _incidence(words: Sequence[Words]) -> tuple[Any, Any]:
    """Return which words each sentence has, and which are its rarest; a repeated word has several columns."""
    from scipy.sparse import csr_matrix  # slow to import

    numbers: dict[Hashable, int] = {}
    items = [
        [numbers.setdefault(item, len(numbers)) for item in _numbered(of_sentence)] for of_sentence in words
    ]
    counts = np.bincount([item for of_sentence in items for item in of_sentence], minlength=len(numbers))
    rank = np.empty(len(numbers), np.int64)
    rank[np.argsort(counts, kind="stable")] = np.arange(len(numbers))
    rare = [
        sorted(of_sentence, key=rank.__getitem__)[: _count_rarest(len(of_sentence))] for of_sentence in items
    ]

    def matrix(rows: Sequence[Sequence[int]]) -> Any:
        ends = np.cumsum([0, *map(len, rows)])
        columns = np.array([item for row in rows for item in row], np.int64)
        return csr_matrix((np.ones(len(columns), np.int32), columns, ends), (len(rows), len(numbers)))

    return matrix(items), matrix(rare)


def _count_rarest(length: int) -> int:
    """Return how many of the rarest words of a sentence there have to be one that each near copy has."""
    shortest = SHARE * length / (2 - SHARE)  # a near copy has no fewer words
    common = math.ceil(SHARE * (length + shortest) / 2 - 1e-9)
    return length - common + 1


def _numbered(words: Words) -> Iterator[Hashable]:
    """Yield the words, each with how often it occurred before, so that no two are the same."""
    seen: Counter[Hashable] = Counter()
    for word in words:
        yield word, seen[word]
        seen[word] += 1


def find_copies(tested: Iterable[Tree], learned: Iterable[Tree]) -> list[bool]:
    """Return for each tested sentence whether a sentence that is learned from is a copy of it."""
    of_tested, of_learned = (list(map(comparable_words, trees)) for trees in (tested, learned))
    known = set(of_learned)
    is_copy = [words in known for words in of_tested]
    every = [*of_tested, *known]
    left = [place for place, copy in enumerate(is_copy) if not copy]
    for near in _find_near(every, left, range(len(of_tested), len(every))):
        is_copy[near.one] = True
    return is_copy

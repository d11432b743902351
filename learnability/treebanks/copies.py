"""Tell which sentences are copies of each other (docs/rules.md, Treebanks and splits).

A parser that has seen a sentence parses its copy better than others. So copies stay together wherever
sentences are divided into those that are learned from and those that are tested: all that divides them asks
here.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache

from learnability.treebanks.sentence import Tree, find_withheld

SHARE, FEWEST_WORDS = 0.7, 8
"""Two sentences of at least so many words are copies if they have this share of their words in common
(research/copies)."""

LARGEST = 0.05
"""The share of all words that a group has at most if only near copies hold it together, so that a chain of
them does not make folds unequal."""

Words = tuple[Hashable, ...]
"""The words of a sentence as they are compared."""


def comparable_words(tree: Tree) -> Words:
    """Return the words of a sentence as they are compared: without case, marks, and digits of numbers.

    A sentence of punctuation alone keeps it. A word that is withheld equals no other.
    """
    words: list[Hashable] = []
    for form, is_withheld in zip(tree.forms, find_withheld(tree), strict=True):
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


def are_near(first: Words, second: Words) -> bool:
    """Return whether two sentences have so many words in common, in any order, that they are near copies."""
    if min(len(first), len(second)) < FEWEST_WORDS:
        return False
    return _reach(_count_common(first, second), len(first) + len(second))


def _count_common(first: Words, second: Words) -> int:
    return (Counter(first) & Counter(second)).total()


def _reach(common: int, both: int) -> bool:
    """Return whether two sentences with so many words, taken together, have enough of them in common."""
    return 2 * common >= SHARE * both - 1e-9


def number_groups(trees: Iterable[Tree]) -> list[int]:
    """Return for each sentence the place of the first sentence of its group: its copies, and their copies.

    A sentence without copies is a group by itself. Sentences with the same words are always in one group.
    Near copies join groups, the nearest first, as long as the group has at most `LARGEST` of all words.
    """
    return list(_number_groups(tuple(map(comparable_words, trees))))


@lru_cache(maxsize=8)  # a tagger divides the same sentences for each seed
def _number_groups(words: tuple[Words, ...]) -> tuple[int, ...]:
    groups = _Groups(list(map(len, words)))
    first: dict[Words, int] = {}
    for place, of_sentence in enumerate(words):
        groups.join(first.setdefault(of_sentence, place), place)
    firsts = list(first.values())
    most = LARGEST * sum(map(len, words))
    for one, other in _near_pairs(list(first)):
        groups.join(firsts[one], firsts[other], most)
    return tuple(map(groups.find, range(len(words))))


class _Groups:
    """Join sentences into groups; each is called by its first sentence."""

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes
        self._first = list(range(len(sizes)))

    def find(self, place: int) -> int:
        """Return the first sentence of the group of a sentence."""
        while self._first[place] != place:
            self._first[place] = self._first[self._first[place]]
            place = self._first[place]
        return place

    def join(self, one: int, other: int, most: float = math.inf) -> None:
        """Join the groups of two sentences, unless they would have more than so many words."""
        one, other = sorted((self.find(one), self.find(other)))
        if one != other and self._sizes[one] + self._sizes[other] <= most:
            self._first[other] = one
            self._sizes[one] += self._sizes[other]


def _near_pairs(words: Sequence[Words]) -> list[tuple[int, int]]:
    """Return the pairs of near copies among sentences, those with the largest share in common first."""
    index = _Index(words)
    shares: dict[tuple[int, int], float] = {}
    for place in sorted(range(len(words)), key=lambda place: len(words[place])):
        for other in index.find_near(words[place]):
            both = len(words[place]) + len(words[other])
            pair = min(place, other), max(place, other)
            shares[pair] = 2 * _count_common(words[place], words[other]) / both
        index.add(place)
    return sorted(shares, key=lambda pair: (-shares[pair], pair))


class _Index:
    """Find near copies by their rarest words.

    Of two sentences with at least k words in common, the one with n words has one of these among its
    n − k + 1 rarest. So only sentences that share one of them are compared.
    """

    def __init__(self, words: Sequence[Words]) -> None:
        self._words = words
        counts = Counter(item for of_sentence in words for item in _numbered(of_sentence))
        self._rank = {item: (count, number) for number, (item, count) in enumerate(counts.items())}
        self._places: defaultdict[Hashable, list[int]] = defaultdict(list)

    def add(self, place: int) -> None:
        """Add a sentence."""
        words = self._words[place]
        if len(words) >= FEWEST_WORDS:
            for item in self._rarest(words):
                self._places[item].append(place)

    def find_near(self, words: Words) -> list[int]:
        """Return the places of the sentences added that are near copies, in order."""
        if len(words) < FEWEST_WORDS:
            return []
        found = {place for item in self._rarest(words) for place in self._places.get(item, ())}
        return sorted(place for place in found if are_near(words, self._words[place]))

    def _rarest(self, words: Words) -> list[Hashable]:
        """Return the rarest words of a sentence, one of which every near copy has."""
        shortest = SHARE * len(words) / (2 - SHARE)  # a near copy has no fewer words
        common = math.ceil(SHARE * (len(words) + shortest) / 2 - 1e-9)
        items = sorted(_numbered(words), key=lambda item: self._rank.get(item, (0, 0)))
        return items[: len(words) - common + 1]


def _numbered(words: Words) -> Iterator[Hashable]:
    """Yield the words, each with how often it occurred before, so that no two are the same."""
    seen: Counter[Hashable] = Counter()
    for word in words:
        yield word, seen[word]
        seen[word] += 1


def find_copies(tested: Iterable[Tree], learned: Sequence[Tree]) -> list[bool]:
    """Return for each tested sentence whether a sentence that is learned from is a copy of it."""
    known = [comparable_words(tree) for tree in learned]
    same = set(known)
    index = _Index(list(same))
    for place in range(len(same)):
        index.add(place)
    words = map(comparable_words, tested)
    return [of_sentence in same or bool(index.find_near(of_sentence)) for of_sentence in words]

"""Align the words of a sentence in two annotations, which may be spelled or divided differently.

Words are put into *units*. A unit of one word on each side is a pair of words that can be compared. A unit
with more words on a side was divided differently. A unit with words on one side only was inserted or deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from learnability.treebanks.sentence import without_spaces

Words = tuple[str, ...]

NO_WORD = -1
"""The first word of a unit on a side where it has none."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Hold which words of two annotations of a sentence are the same.

    Attributes:
        words: pairs of token numbers (from 1), in order: words that can be compared.
        base_units: the unit of each token of the base, entry 0 for the root (always unit 0).
        alternative_units: the same for the alternative.
        identical: whether every word is paired with the word of the same number.
    """

    words: tuple[tuple[int, int], ...]
    base_units: tuple[int, ...]
    alternative_units: tuple[int, ...]
    identical: bool

    def first_in_base(self, unit: int) -> int:
        """Return the first token of a unit in the base; NO_WORD if it has none there."""
        if self.identical:
            return unit
        return self.base_units.index(unit) if unit in self.base_units else NO_WORD

    def first_in_alternative(self, unit: int) -> int:
        """Return the first token of a unit in the alternative; NO_WORD if it has none there."""
        if self.identical:
            return unit
        return self.alternative_units.index(unit) if unit in self.alternative_units else NO_WORD


@lru_cache(maxsize=1024)
def same_words(length: int) -> Alignment:
    """Return the alignment of two sentences of this length with the same words."""
    units = tuple(range(length + 1))
    return Alignment(tuple((token, token) for token in units[1:]), units, units, True)


def align(base: Words, alternative: Words) -> Alignment:
    """Return the alignment of the words of a sentence; that of the reverse order is its mirror image."""
    if base == alternative:
        return same_words(len(base))
    # SequenceMatcher prefers its first sequence, so the order must not depend on the side
    is_swapped = alternative < base
    first, second = (alternative, base) if is_swapped else (base, alternative)
    words: list[tuple[int, int]] = []
    first_units, second_units = [0] * (len(first) + 1), [0] * (len(second) + 1)
    for unit, (i, i_end, j, j_end) in enumerate(_units(first, second), start=1):
        first_units[i + 1 : i_end + 1] = [unit] * (i_end - i)
        second_units[j + 1 : j_end + 1] = [unit] * (j_end - j)
        if i_end - i == j_end - j == 1:
            words.append((i + 1, j + 1))
    if is_swapped:
        words = [(right, left) for left, right in words]
        first_units, second_units = second_units, first_units
    identical = len(words) == len(base) == len(alternative)
    return Alignment(tuple(words), tuple(first_units), tuple(second_units), identical)


Span = tuple[int, int, int, int]
"""From and to (exclusive) in the first sequence, and in the second."""


def _units(first: Words, second: Words) -> Iterator[Span]:
    start, end = _common_ends(first, second)
    for token in range(start):
        yield token, token + 1, token, token + 1
    middle = first[start : len(first) - end], second[start : len(second) - end]
    for tag, i, i_end, j, j_end in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
        if tag == "equal":
            for token in range(i_end - i):
                yield start + i + token, start + i + token + 1, start + j + token, start + j + token + 1
        else:
            for a, a_end, b, b_end in _by_characters(middle[0][i:i_end], middle[1][j:j_end]):
                yield start + i + a, start + i + a_end, start + j + b, start + j + b_end
    for token in range(end, 0, -1):
        i, j = len(first) - token, len(second) - token
        yield i, i + 1, j, j + 1


def _common_ends(first: Words, second: Words) -> tuple[int, int]:
    shorter = min(len(first), len(second))
    start = 0
    while start < shorter and first[start] == second[start]:
        start += 1
    end = 0
    while end < shorter - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return start, end


def _by_characters(first: Sequence[str], second: Sequence[str]) -> Iterator[Span]:
    """Yield the units of words that are not the same.

    If both sides have the same characters, a unit ends wherever a word ends on both sides. Otherwise as many
    words on both sides are spelled differently, word by word; any other number is one unit.
    """
    texts = [[without_spaces(form).casefold() for form in forms] for forms in (first, second)]
    if "".join(texts[0]) == "".join(texts[1]) != "":
        yield from _at_common_ends(*texts)
    elif len(first) == len(second):
        for token in range(len(first)):
            yield token, token + 1, token, token + 1
    else:
        yield 0, len(first), 0, len(second)


def _at_common_ends(first: Sequence[str], second: Sequence[str]) -> Iterator[Span]:
    i = j = start_i = start_j = 0
    length = [0, 0]
    while i < len(first) or j < len(second):
        if length[0] <= length[1] and i < len(first):
            length[0] += len(first[i])
            i += 1
        else:
            length[1] += len(second[j])
            j += 1
        if length[0] == length[1] and i > start_i and j > start_j:
            yield start_i, i, start_j, j
            start_i, start_j = i, j
    if i > start_i or j > start_j:
        yield start_i, i, start_j, j


def divided_words(alignment: Alignment, base: Words, alternative: Words) -> Iterator[tuple[Words, Words]]:
    """Yield the words of each unit that cannot be compared: divided differently, inserted or deleted."""
    if alignment.identical:
        return
    compared = {alignment.base_units[i] for i, _ in alignment.words}
    for unit in range(1, max(*alignment.base_units, *alignment.alternative_units) + 1):
        if unit in compared:
            continue
        yield (
            _words_of(unit, base, alignment.base_units),
            _words_of(unit, alternative, alignment.alternative_units),
        )


def _words_of(unit: int, words: Words, units: Sequence[int]) -> Words:
    return tuple(form for form, of in zip(words, units[1:], strict=True) if of == unit)

"""Find sentences that occur more than once and are annotated in different ways; this needs no parser."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from learnability.extending import Sentence
from learnability.extensions.doubts.columns import DEPREL, FEATS, HEAD, LEMMA, UPOS, XPOS, values_in

FEWEST_WORDS = 2
"""A sentence of one word says nothing of its arcs."""

COMPARED = (LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL)


@dataclass(frozen=True)
class Duplicate:
    """Hold what sentences with the same words say differently of one word.

    Attributes:
        word: its number.
        values: what they say, the most frequent value first, then in the order of the treebank.
        sentences: for each value, the numbers of the sentences that have it.
        places: for each value, the file and the line of the word in the first of these sentences.
        words: those of the sentence.
    """

    form: str
    word: int
    column: str
    values: tuple[str, ...]
    sentences: tuple[tuple[int, ...], ...]
    places: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def doubted(self) -> str:
        """Return the column that is doubted; a relation is with its head."""
        return HEAD if self.column == DEPREL else self.column


def find_duplicates(sentences: Sequence[Sentence]) -> list[Duplicate]:
    """Return what sentences with the same words say differently, sentence by sentence and word by word.

    Sentences with withheld words are left out: nobody knows whether their words are the same.
    """
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        tree = sentence.tree
        if len(tree) >= FEWEST_WORDS and not any(tree.find_withheld()):
            groups[tree.forms].append(number)
    found: list[Duplicate] = []
    for group in groups.values():
        if len(group) > 1:
            found += _compare([sentences[number] for number in group], group)
    return found


def _compare(sentences: Sequence[Sentence], numbers: Sequence[int]) -> Iterator[Duplicate]:
    forms = sentences[0].tree.forms
    rows = {column: [values_in(each.tree, column) for each in sentences] for column in COMPARED}
    for word, form in enumerate(forms, start=1):
        for column, of_sentences in rows.items():
            if not all(map(any, of_sentences)):  # one of them lacks the column
                continue
            said = [values[word - 1] for values in of_sentences]
            counts = Counter(said)  # the most frequent first; of equals the first in the treebank
            if len(counts) == 1:
                continue
            ordered = [value for value, _ in counts.most_common()]
            having = [[n for n, value in enumerate(said) if value == wanted] for wanted in ordered]
            yield Duplicate(
                form,
                word,
                column,
                tuple(ordered),
                tuple(tuple(numbers[n] for n in some) for some in having),
                tuple(_place_of(sentences[some[0]], word) for some in having),
                forms,
            )


def _place_of(sentence: Sentence, word: int) -> str:
    return f"{sentence.file}:{sentence.line + sentence.rows[word - 1]}" if sentence.rows else sentence.name

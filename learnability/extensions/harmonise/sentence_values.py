"""Propose values that depend on the sentence, by what is learned from the other treebanks.

This is the second stage of proposals: a classifier of the column is trained on words of four of five
sentences of the others. Where it finds no more values of the fifth than the most frequent value of form and
tag does, of words with the tags in question, that is proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from learnability import extending
from learnability.extending import Contexts, WordTable

if TYPE_CHECKING:
    from learnability.extending import ClassifiedWords

Words = NDArray[np.int64]

HELD_OUT = 5
"""One in five sentences of the others shows how many values are found."""

MOST_TAUGHT = 40_000
"""The words that a classifier learns from, at most; form and tag count all."""

SEED = 1
"""Of the order in which a classifier learns."""

Origin = Literal["context", "classifier", "form", "parsers"]
"""Where a proposed value comes from."""


@dataclass(frozen=True)
class SentenceValues:
    """Hold what words should have in a column by their sentences.

    Attributes:
        by_classifier: what a classifier gives, by the number of the word in the table.
        by_form: the most frequent value of form and tag.
        share: the share of the held-out words of the others whose value the classifier finds.
        share_of_form: the share that form and tag find.
        held: how many words were held out.
        taught: how many words the classifier learned from.
    """

    by_classifier: dict[int, str]
    by_form: dict[int, str]
    share: float
    share_of_form: float
    held: int
    taught: int

    @property
    def origin(self) -> Origin:
        return "classifier" if self.share > self.share_of_form else "form"

    @property
    def values(self) -> dict[int, str]:
        """Return those of the two that find more of the held-out words."""
        return self.by_classifier if self.origin == "classifier" else self.by_form

    @property
    def best_share(self) -> float:
        return max(self.share, self.share_of_form)


@dataclass(frozen=True)
class SentenceReader:
    """Propose values by sentences for the words of a table."""

    table: WordTable

    @cached_property
    def _words(self) -> ClassifiedWords:
        return extending.ClassifiedWords(self.table.trees, 0)  # imported when something is learned

    @cached_property
    def can_read(self) -> bool:
        """Return whether all trees are annotated, so that sentences can be read."""
        return all(len(tree.heads) == len(tree) for tree in self.table.trees)

    def propose(self, column: str, treebank: int, places: Words) -> SentenceValues:
        """Return what words should have, learned from the words of the other treebanks that have a value.

        Args:
            column: `upos`, `xpos`, `lemma`, or a feature: `feats:Number`.
            treebank: the number of the treebank.
            places: words of it, as numbers in the table.
        """
        codes, names = self.table.column(column)
        values: list[str] = np.array(names, np.object_)[codes].tolist()
        has = np.array([name not in ("", "_") for name in names], np.bool_)[codes]
        others = np.flatnonzero(has & (self.table.treebank != treebank))
        is_held = self.table.sentence[others] % HELD_OUT == 0
        taught, held = others[~is_held], others[is_held]
        # words like those in question: of tags, what the same forms have elsewhere says most
        alike = self.table.column("form" if column == "upos" else "upos").codes
        held = held[np.isin(alike[held], alike[places])]
        asked = np.concatenate([held, places])
        seen = codes.copy()
        seen[asked] = -1  # so a classifier does not read it beside another word, either
        is_alike = np.isin(alike[taught], alike[places])
        some = _thin(taught[is_alike], MOST_TAUGHT)
        if column == "upos":  # their contexts are those of all words
            some = np.sort(np.append(some, _thin(taught[~is_alike], MOST_TAUGHT - len(some))))
        scored = self._words.score_values(column, values, some, asked, SEED, seen).best_values()
        by_form = self._values_by_form(column, taught, asked)
        gold = [values[word] for word in held.tolist()]
        first = len(held)
        return SentenceValues(
            dict(zip(places.tolist(), scored[first:], strict=True)),
            dict(zip(places.tolist(), by_form[first:], strict=True)),
            _share(scored[:first], gold),
            _share(by_form[:first], gold),
            held=len(held),
            taught=len(some),
        )

    def _values_by_form(self, column: str, taught: Words, asked: Words) -> list[str]:
        """Return the most frequent value of form and tag; of unknown forms that of the ending, or of the tag;
        a tag is found by the form alone, and the lemma of an unknown form is the form."""
        keys: list[tuple[str, ...]] = [(), ("upos",), ("ending3", "upos"), ("form", "upos")]
        if column == "upos":
            keys = [(), ("ending3",), ("form",)]
        codes, names = self.table.column(column)
        found = [""] * len(asked)
        if column == "lemma":
            keys = keys[-1:]
            found = [self.table.value("form", word) for word in asked.tolist()]
        for key in keys:
            contexts = Contexts.of(self.table, key)
            best = most_frequent(contexts.number[taught], codes[taught], len(contexts))
            found = [
                earlier if value < 0 else names[value]
                for value, earlier in zip(best[contexts.number[asked]].tolist(), found, strict=True)
            ]
        return found


def most_frequent(contexts: NDArray[np.int32], values: NDArray[np.int32], size: int) -> Words:
    """Return int64[size]: the most frequent value of each context, the first of equally frequent ones.

    Args:
        contexts: int32[words], the context of each word.
        values: int32[words], its value.
        size: how many contexts there are; -1 is returned of those without words.
    """
    more = int(values.max(initial=0)) + 1
    pairs, first, counts = np.unique(
        contexts * np.int64(more) + values, return_index=True, return_counts=True
    )
    order = pairs[np.lexsort((-first, counts))]  # of a context, what is last stays
    best = np.full(size, -1, np.int64)
    best[order // more] = order % more
    return best


def _thin(words: Words, most: int) -> Words:
    """Return every word, every second, or every third, and so on, so that they are not too many."""
    return words[:: max(1, -(-len(words) // most))] if most else words[:0]


def _share(found: Sequence[str], gold: Sequence[str]) -> float:
    return sum(map(str.__eq__, found, gold)) / max(1, len(gold))

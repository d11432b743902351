"""Propose values that depend on the sentence, by what is learned from the other treebanks.

This is the second stage of proposals: a classifier of the column is trained on words of four of five
sentences of the others. On the fifth, it shows how many values it finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from learnability import extending
from learnability.extending import WordTable

if TYPE_CHECKING:
    from learnability.extending import ClassifiedWords

Words = NDArray[np.int64]

HELD_OUT = 5
"""One in five sentences of the others shows how many values are found."""

MOST_TAUGHT = 40_000
"""The words that a classifier learns from, at most."""

SEED = 1
"""Of the order in which a classifier learns."""

Origin = Literal["context", "classifier"]
"""Where a proposed value comes from."""


@dataclass(frozen=True)
class SentenceValues:
    """Hold what words should have in a column by their sentences.

    Attributes:
        values: what a classifier gives, by the number of the word in the table.
        share: the share of the held-out words of the others whose value the classifier finds.
    """

    values: dict[int, str]
    share: float
    held: int
    taught: int


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
        """Return what words should have, learned from the words of the other treebanks that have a value."""
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
        right = sum(found == values[word] for found, word in zip(scored, held.tolist(), strict=False))
        return SentenceValues(
            dict(zip(places.tolist(), scored[len(held) :], strict=True)),
            right / max(1, len(held)),
            held=len(held),
            taught=len(some),
        )


def _thin(words: Words, most: int) -> Words:
    """Return every word, every second, or every third, and so on, so that they are not too many."""
    return words[:: max(1, -(-len(words) // most))] if most else words[:0]

"""Say in words, and in queries for Grew-match, what a pattern is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnability.extending import movement_of, query_for_words
from learnability.extensions.harmonise.patterns import ARC, ArcChange, DifferingPattern, PairPatterns
from learnability.extensions.harmonise.words import TreebankWords

if TYPE_CHECKING:
    from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

MOSTLY = 0.5
"""The share of the words of a pattern that have the same tag, or lemma, for it to be named."""


@dataclass(frozen=True)
class PatternSide:
    """Describe what words a pattern is about in one treebank.

    Attributes:
        treebank: the number of the treebank.
        change: what parsers of the other treebank make of its words.
        tag, lemma: those that most of the words have; empty if they differ.
        examples: the numbers of words.
    """

    treebank: int
    change: ArcChange
    tag: str
    lemma: str
    examples: Sequence[int]

    @property
    def query(self) -> str:
        """Return a query for Grew-match that finds words which are annotated like these."""
        if self.change.about == ARC:
            return query_for_words(tag=self.tag, lemma=self.lemma, deprel=self.change.annotated, side="")
        return f'pattern {{ W [upos="{self.change.annotated}"] }}'


def describe_change(change: ArcChange) -> str:
    """Return what a pattern changes, ``nmod → obl``, ``cc: to another dependent of its head``."""
    if change.annotated != change.other:
        return f"{change.annotated} → {change.other}"
    return f"{change.annotated}: {movement_of(*change.place)}"


def describe_pattern(sides: Sequence[PatternSide], change: ArcChange) -> str:
    """Return what a pattern changes, and at which words: ``nmod → obl (NOUN)``."""
    side = max(sides, key=lambda each: len(each.examples))
    where = side.tag if side.change.about == ARC else ""
    what = " ".join(filter(None, [where, f"“{side.lemma}”" if side.lemma else ""]))
    return f"{describe_change(change)}{f' ({what})' if what else ''}"


def sides_of(
    pair: PairPatterns, pattern: DifferingPattern, words: Sequence[TreebankWords]
) -> tuple[PatternSide, PatternSide]:
    """Return the words of a pattern in each of its treebanks.

    Args:
        pair: the treebanks.
        pattern: one of their patterns.
        words: those of all treebanks.
    """
    return (
        _side(pair.first, pattern.change, pattern.first.examples, words[pair.first]),
        _side(pair.second, pattern.change.mirrored, pattern.second.examples, words[pair.second]),
    )


def _side(number: int, change: ArcChange, examples: Sequence[int], words: TreebankWords) -> PatternSide:
    tag = _most_common([words.tags[word] for word in examples])
    lemma = _most_common([words.function_lemmas[word] for word in examples])
    return PatternSide(number, change, tag, lemma, examples)


def _most_common(values: Sequence[str]) -> str:
    """Return the value that most have; empty if there is none."""
    ((value, count),) = Counter(values).most_common(1) or [("", 0)]
    return value if count > MOSTLY * len(values) else ""


def scored_names(comparison: TreebankComparison, numbers: Sequence[int]) -> str:
    return " + ".join(comparison.names[number] for number in numbers)

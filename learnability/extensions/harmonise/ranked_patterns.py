"""Rank the patterns in which one treebank differs from all others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from learnability.extensions.harmonise.patterns import TAG, PairPatterns

TAG_WEIGHT = 0.1
"""What a word with another tag counts, where one with another head or relation counts 1
(research/harmonise)."""

CONVENTION_WEIGHT = 2.0
"""What a word counts if the pattern is a convention of its pair of treebanks, where others count 1
(research/harmonise)."""


class PatternValues(NamedTuple):
    """Hold what patterns have in common that differ in where heads go.

    Attributes:
        about: `arc` or `tag`.
        annotated: the relation or the tag in the treebank.
        other: that in others.
    """

    about: str
    annotated: str
    other: str


class RankedPattern(NamedTuple):
    """Hold how much a treebank differs from all others in a pattern.

    Attributes:
        values: what differs.
        weight: of the words that show it (`Excess.weight`), summed over the other treebanks; tags and
            conventions count as above.
        is_convention: whether it is a convention in which it differs from another treebank.
    """

    values: PatternValues
    weight: float
    is_convention: bool


def rank_patterns(pairs: Iterable[PairPatterns], treebank: int) -> list[RankedPattern]:
    """Return the patterns in which a treebank differs from others, those with most weight first.

    Args:
        pairs: the patterns of all pairs of treebanks, of trees and of tags.
        treebank: the number of the treebank.
    """
    weights: dict[PatternValues, float] = defaultdict(float)
    conventions: set[PatternValues] = set()
    for pair in pairs:
        if treebank not in (pair.first, pair.second):
            continue
        for pattern in pair.patterns:
            is_first = pair.first == treebank
            change = pattern.change if is_first else pattern.change.mirrored
            values = PatternValues(change.about, change.annotated, change.other)
            weight = (pattern.first if is_first else pattern.second).weight
            weights[values] += weight * (TAG_WEIGHT if change.about == TAG else 1.0)
            if pattern.is_convention:
                conventions.add(values)
    ranked = [
        RankedPattern(
            values, weight * (CONVENTION_WEIGHT if values in conventions else 1.0), values in conventions
        )
        for values, weight in weights.items()
    ]
    return sorted(ranked, key=lambda each: (-round(each.weight, 9), each.values))

"""Rank the patterns in which one treebank differs from all others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from learnability.extensions.harmonise.patterns import PairPatterns


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
        weight: of the words that show it (`Excess.weight`), summed over the other treebanks.
        is_convention: whether it is a convention in which it differs from another treebank.
    """

    values: PatternValues
    weight: float
    is_convention: bool


def rank_patterns(pairs: Iterable[PairPatterns], treebank: int) -> list[RankedPattern]:
    """Return the patterns in which a treebank differs from others: conventions first, then by weight.

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
            weights[values] += (pattern.first if is_first else pattern.second).weight
            if pattern.is_convention:
                conventions.add(values)
    ranked = [RankedPattern(values, weight, values in conventions) for values, weight in weights.items()]
    return sorted(ranked, key=lambda each: (not each.is_convention, -each.weight, each.values))

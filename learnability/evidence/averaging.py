"""Average the differences of pairs over treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnability.evidence.score_differences import Difference
from learnability.statistics.meta_analysis import RandomEffects, can_be_averaged
from learnability.treebanks.families import Origin

if TYPE_CHECKING:
    from learnability.evidence.stored_runs import StoredPair

TreebankDifference = tuple["StoredPair", Difference]
"""A pair, and its difference by a score in a comparison."""


@dataclass(frozen=True)
class FamilyMean:
    """Hold a family of languages: its treebanks and languages, and their mean difference if it has one."""

    name: str
    treebanks: int
    languages: int
    mean: RandomEffects | None

    @classmethod
    def of(cls, name: str, tested: Sequence[TreebankDifference]) -> FamilyMean:
        return cls(name, len(tested), len({c.language for c, _ in tested}), mean_of(tested))


def mean_of(tested: Sequence[TreebankDifference]) -> RandomEffects | None:
    """Return the random-effects mean of differences; None where there are too few treebanks or languages.

    Differences without a standard error, as a file of answers has them, do not count.
    """
    tested = with_errors(tested)
    columns = columns_of(tested)
    return RandomEffects.combine(*columns) if can_be_averaged(columns[2]) else None


def with_errors(tested: Sequence[TreebankDifference]) -> list[TreebankDifference]:
    return [(pair, difference) for pair, difference in tested if difference.error is not None]


def columns_of(tested: Sequence[TreebankDifference]) -> tuple[list[float], list[float], list[Origin]]:
    return (
        [difference.delta for _, difference in tested],
        [difference.error or 0.0 for _, difference in tested],
        [c.origin for c, _ in tested],
    )

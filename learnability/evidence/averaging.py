"""Average the differences of pairs over treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from learnability.evidence.score_differences import Difference
from learnability.statistics.meta_analysis import RandomEffects, can_be_averaged

if TYPE_CHECKING:
    from learnability.evidence.stored_runs import StoredPair


def mean_of(tested: Sequence[tuple[StoredPair, Difference]]) -> RandomEffects | None:
    """Return the random-effects mean of differences; None where there are too few treebanks or languages.

    Differences without a standard error, as a file of answers has them, do not count.
    """
    tested = [(pair, difference) for pair, difference in tested if difference.error is not None]
    origins = [pair.origin for pair, _ in tested]
    if not can_be_averaged(origins):
        return None
    deltas = [difference.delta for _, difference in tested]
    errors = [difference.error or 0.0 for _, difference in tested]
    return RandomEffects.combine(deltas, errors, origins)

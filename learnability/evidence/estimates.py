"""Estimate the difference in one treebank from those in many.

The answers of a treebank are corrected for its constructions alone, so of many treebanks some have a false
one. For a survey the false discovery rate is stated beside: the expected share of false ones among the
differences that withstand testing all of them (Benjamini & Hochberg 1995).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.evidence.score_differences import Difference
from learnability.metrics.scores import ANSWERED, Score
from learnability.statistics.inference import ALPHA
from learnability.statistics.meta_analysis import (
    Shrunken,
    can_be_averaged,
    false_discovery_rates,
    shrink_differences,
)
from learnability.treebanks.families import Origin


@dataclass(frozen=True)
class Estimate:
    """Hold the difference in one treebank, seen among those of all.

    Attributes:
        q_value: the smallest false discovery rate, over all pairs, which it withstands.
        given_all: its estimate given the differences in all treebanks; None where these have no mean.
    """

    q_value: float
    given_all: Shrunken | None = None

    @property
    def withstands(self) -> bool:
        return self.q_value < ALPHA

    def columns(self) -> dict[str, float | None]:
        """Return the values of `COLUMNS`."""
        values = self.given_all
        of_all = (None, None, None) if values is None else (values.delta, values.low, values.high)
        return dict(zip(COLUMNS, (self.q_value, *of_all), strict=True))


COLUMNS = ("uas_q_value", "uas_delta_given_all", "uas_given_all_low", "uas_given_all_high")
"""What other treebanks add to the difference in UAS in one."""

Estimates = Mapping[tuple[str, str, Score], Estimate]
"""By treebank, construction (with the parser, if there are several) and score."""


Compared = tuple[str, Score, Sequence[tuple[str, Origin, Difference]]]
"""A construction, the score, and the treebanks with their languages and differences."""


def estimates(constructions: Sequence[Compared]) -> Estimates:
    """Return the estimate of every difference that was tested, each parser on its own annotation."""
    found: dict[tuple[str, str, Score], Estimate] = {}
    for score in ANSWERED:
        compared: list[tuple[str, str, Difference]] = []
        given_all: dict[tuple[str, str], Shrunken] = {}
        for name, by, tested in constructions:
            if by is not score:
                continue
            # what a file of answers has without standard errors cannot be weighed
            tested = [each for each in tested if each[2].error is not None]
            compared += [(treebank, name, difference) for treebank, _, difference in tested]
            origins = [origin for _, origin, _ in tested]
            if can_be_averaged(origins):
                deltas = [difference.delta for *_, difference in tested]
                errors = [difference.error or 0.0 for *_, difference in tested]
                for (treebank, *_), estimate in zip(
                    tested, shrink_differences(deltas, errors, origins), strict=True
                ):
                    given_all[treebank, name] = estimate
        p_values = [difference.p_of_two_tests for *_, difference in compared]
        for (treebank, name, _), q_value in zip(compared, false_discovery_rates(p_values), strict=True):
            found[treebank, name, score] = Estimate(q_value, given_all.get((treebank, name)))
    return found

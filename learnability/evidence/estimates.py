"""Estimate the difference in one treebank from those in many.

Within a treebank, Holm's procedure bounds the probability of any false alarm. Over hundreds of conditions
that would be too strict for a survey. So over all conditions the false discovery rate is stated: the expected
share of false ones among the differences that are called clear (Benjamini & Hochberg 1995).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.evidence.differences import Difference
from learnability.metrics.scores import Score
from learnability.statistics.meta_analysis import Shrunken, false_discovery_rates, shrunken
from learnability.statistics.significance import ALPHA

FEWEST_TREEBANKS = 3
"""Treebanks from which on the others inform the estimate in one."""


@dataclass(frozen=True)
class Estimate:
    """Hold the difference in one treebank, seen among those of all.

    Attributes:
        q_value: the smallest false discovery rate, over all conditions, at which it is clear.
        given_all: its estimate given the differences in all treebanks; None with fewer than three.
    """

    q_value: float
    given_all: Shrunken | None = None

    @property
    def clear(self) -> bool:
        """Return whether it is clear at a false discovery rate of `ALPHA`."""
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


Compared = tuple[str, Score, Sequence[tuple[str, Difference]]]
"""A construction, the score, and the treebanks with their differences."""


def estimates(constructions: Sequence[Compared]) -> Estimates:
    """Return the estimate of every difference that was tested, each parser on its own annotation."""
    found: dict[tuple[str, str, Score], Estimate] = {}
    for score in Score:
        compared: list[tuple[str, str, Difference]] = []
        given_all: dict[tuple[str, str], Shrunken] = {}
        for name, by, tested in constructions:
            if by is not score:
                continue
            compared += [(treebank, name, difference) for treebank, difference in tested]
            if len(tested) >= FEWEST_TREEBANKS:
                deltas = [difference.delta for _, difference in tested]
                errors = [difference.error or 0.0 for _, difference in tested]
                for (treebank, _), estimate in zip(tested, shrunken(deltas, errors), strict=True):
                    given_all[treebank, name] = estimate
        p_values = [1.0 if difference.p_value is None else difference.p_value for *_, difference in compared]
        for (treebank, name, _), q_value in zip(compared, false_discovery_rates(p_values), strict=True):
            found[treebank, name, score] = Estimate(q_value, given_all.get((treebank, name)))
    return found

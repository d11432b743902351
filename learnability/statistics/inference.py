"""Infer from a difference and its standard error: interval, p values, and what they show.

Interval and p value are those of Student's t. So an interval excludes 0 exactly where p is below its level.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from learnability.statistics.boundaries import Look


class Side(StrEnum):
    """Name what a difference shows: the first or the second of two systems ahead, equal, or none.

    Where two annotations are compared, the base is the first and the alternative the second.
    """

    FIRST = "base"
    SECOND = "alternative"
    EQUAL = "equal"
    NONE = "none"


AHEAD = (Side.FIRST, Side.SECOND)
"""What a difference shows where a system is ahead."""

ALPHA = 0.05
"""The level of p values; intervals have the confidence 1 - ALPHA."""

EFFECT = 0.5
"""The smallest difference that matters, in points: the bound of `equal`."""


class Testing:
    """Represent the test of a difference that is looked at once; several looks: `statistics.sequential`."""

    def p_value(self, tail: float) -> float:
        return min(1.0, 2 * tail)

    def quantile(self, level: float) -> float:
        """Return the probability whose quantile, in standard errors, is half of the interval at a level."""
        return 1 - level / 2

    def conditional_ratio(self, statistic: float, level: float) -> float:
        """Return the conditional estimate of a difference that is clear at a level, as a share of it.

        See :class:`~learnability.statistics.boundaries.Look`. `statistic`: the difference in standard errors.
        """
        from scipy.special import ndtri

        alone = Look(float(ndtri(self.quantile(level))), np.zeros(1), 1.0, np.ones(1))
        return alone.conditional_ratio(statistic)


ONE_LOOK = Testing()


@dataclass(frozen=True)
class Inference:
    """Hold the interval and the p values of a difference.

    Attributes:
        error, degrees: the standard error of the difference, infinite with a single sentence, and its degrees
            of freedom.
        low, high: the 95 % interval.
        p_value: of no difference, two-sided; below 0.05 exactly where the interval excludes 0.
        p_equal: of a difference of `EFFECT` points or more, by two one-sided tests (Schuirmann 1987): below
            0.05 exactly where the 90 % interval lies within `EFFECT` on both sides of 0.
    """

    error: float
    degrees: float
    low: float
    high: float
    p_value: float
    p_equal: float

    @classmethod
    def of(cls, delta: float, error: float, degrees: float, testing: Testing = ONE_LOOK) -> Inference:
        """Return the interval and the p values by Student's t."""
        from scipy.special import stdtr  # as scipy.stats.t does, whose checks take 300 times as long

        low, high = interval(delta, error, degrees, testing=testing)
        no_difference = float(stdtr(degrees, -abs(delta) / error))
        an_effect = float(stdtr(degrees, (abs(delta) - EFFECT) / error))
        return cls(
            error=error,
            degrees=degrees,
            low=low,
            high=high,
            p_value=min(1.0, testing.p_value(no_difference)),
            p_equal=min(1.0, max(an_effect, testing.p_value(an_effect) / 2)),
        )


def interval(
    delta: float, error: float, degrees: float, comparisons: float = 1, testing: Testing = ONE_LOOK
) -> tuple[float, float]:
    """Return the interval of a difference that holds for several comparisons together (Bonferroni).

    `delta` is in points, `degrees` are those of the standard error (Student's t). `comparisons` is not a
    whole number where p values are held to such a level (`holm_factors`), and below 1 for a lower confidence.
    """
    from scipy.special import stdtrit

    half = float(stdtrit(degrees, testing.quantile(ALPHA / comparisons))) * error
    return delta - half, delta + half


def answering_interval(
    delta: float, error: float, degrees: float, factor: float, shown: Side, testing: Testing = ONE_LOOK
) -> tuple[float, float]:
    """Return the interval from which `shown` follows: what to print beside a difference.

    It excludes 0 exactly where `shown` names a side, because it has the level to which Holm's procedure holds
    the p value: 1 - ALPHA / `factor` (:func:`holm_factors`). Where `shown` is `equal`, `factor` is that of
    `p_equal`, and the interval is that of the two one-sided tests, which lies within `EFFECT` on both sides
    of 0 and contains 0 (Hsu, Hwang, Liu & Ruberg 1994).
    """
    if shown is not Side.EQUAL:
        return interval(delta, error, degrees, factor, testing)
    low, high = interval(delta, error, degrees, factor / 2, testing)
    return min(0.0, low), max(0.0, high)


def conditional_estimate(
    delta: float, error: float, degrees: float, factor: float, testing: Testing = ONE_LOOK
) -> float:
    """Return what a difference (in points) that is clear is estimated to be, given that it is clear.

    Where a test finds few of the differences that exist, those that it finds are too large on average. In at
    least half of the cases the true difference is larger than the estimate (research/neighbours). It is
    tested at the level ALPHA / `factor`.
    """
    from scipy.special import ndtri, stdtr

    statistic = -float(ndtri(stdtr(degrees, -abs(delta) / error)))
    return delta * testing.conditional_ratio(statistic, ALPHA / factor)


def winner(delta: float | None) -> Side:
    """Return the side that is ahead by the sign of delta = UD - alternative.

    It is none if the difference is 0 or was not computed.
    """
    if delta is None or not delta:
        return Side.NONE
    return Side.FIRST if delta > 0 else Side.SECOND


def side(won: Side, p_value: float | None, p_equal: float | None) -> Side:
    """Return what a difference shows: its winner, `equal` (under `EFFECT` points), or none."""
    if p_value is not None and p_value < ALPHA:
        return won
    return Side.EQUAL if p_equal is not None and p_equal < ALPHA else Side.NONE

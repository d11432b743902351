"""Test a difference several times as trainings are added, with no more false alarms than a single test.

A difference that is tested again after every training crosses 1.96 standard errors too often by chance. So
the level of the test is spent over the looks: at each one a little of it, by a schedule that is fixed before
the first (Lan & DeMets 1983). The estimates of the looks are correlated as the positions of a Brownian motion
at the times of their information, 1 / variance: every look has all data of the one before (Jennison &
Turnbull 2000, ch. 3 and 11). The boundaries are those of `statistics.boundaries`. The
same boundaries, around the difference, are intervals that hold at all looks together, so they serve both
questions: whether a side is ahead, and whether the difference is below half a point.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import exp, inf, log, sqrt

from learnability.statistics.boundaries import Look, find_looks
from learnability.statistics.inference import ALPHA, EFFECT, Testing
from learnability.statistics.spread import Spread

SMALLEST_LEVEL = 1e-12
"""The smallest p value that is looked for."""


@dataclass(frozen=True)
class Looks(Testing):
    """Hold the looks at a difference so far: one after each seed, from the first look on.

    Attributes:
        spread: the variance of the difference as estimated at the latest look.
        most: the seeds of the last look that may come.
    """

    spread: Spread
    first: int
    most: int

    def boundary(self, level: float, seeds: int | None = None) -> float:
        """Return the normal quantile that takes the place of 1.96 at the latest look, or after `seeds`.

        A look spends the share of the level that its information has in that of the last look. So nothing is
        kept for looks that would tell nothing new.
        """
        return self._look(level, seeds).boundary

    def _look(self, level: float, seeds: int | None = None) -> Look:
        last = self.spread.variance(self.most)
        variances = [
            self.spread.variance(count) for count in range(self.first, (seeds or self.spread.tested) + 1)
        ]
        if not 0 < last < inf:
            return find_looks([1.0], level, [1.0])[0]
        information = list(accumulate((1 / variance for variance in variances), max))  # up to rounding
        return find_looks(information, level, [min(1.0, last * known) for known in information])[-1]

    def chance_of_answer(self, delta: float, level: float) -> float:
        """Return how probable it is that a difference which is open now has an answer by the last look.

        The estimate of the last look is that of this one and what the trainings until then change: normal,
        with the difference of the two variances.
        """
        from scipy.special import ndtr

        last = self.spread.variance(self.most)
        if self.spread.tested >= self.most or not 0 < last < inf:
            return 0.0
        half = self.boundary(level, self.most) * sqrt(last)
        equal_half = self.boundary(ALPHA, self.most) * sqrt(last)
        change = sqrt(max(self.spread.variance() - last, 1e-12))

        def below(value: float) -> float:
            return float(ndtr((value - delta) / change))

        side_ahead = below(-half) + 1 - below(half)
        room = EFFECT - equal_half
        equal = below(room) - below(-room) if room > 0 else 0.0
        return min(1.0, side_ahead + equal)

    def p_value(self, tail: float) -> float:
        """Return the smallest level at which the latest look crosses its boundary.

        It takes the place of a p value: it can be corrected for several comparisons (Holm's procedure over
        group-sequential tests: Ye et al. 2013).
        """
        from scipy.optimize import brentq
        from scipy.special import ndtri

        statistic = -float(ndtri(max(tail, 1e-17)))

        def excess(log_level: float) -> float:
            return self.boundary(exp(log_level)) - statistic

        if excess(0.0) >= 0:
            return 1.0
        if excess(log(SMALLEST_LEVEL)) <= 0:
            return SMALLEST_LEVEL
        return exp(float(brentq(excess, log(SMALLEST_LEVEL), 0.0, xtol=1e-6)))

    def quantile(self, level: float) -> float:
        """Return the probability whose quantile, in standard errors, is half of the interval at a level.

        The interval holds at all looks together. Student's t takes the place of the normal distribution at
        the same probability (Jennison & Turnbull 2000, ch. 3.8).
        """
        from scipy.special import ndtr

        return float(ndtr(self.boundary(level)))

    def conditional_ratio(self, statistic: float, level: float) -> float:
        """Return the conditional estimate of a difference as a share of it (:class:`Look`)."""
        return self._look(level).conditional_ratio(statistic)

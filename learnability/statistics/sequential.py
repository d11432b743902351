"""Test a difference several times as trainings are added, with no more false alarms than a single test.

A difference that is tested again after every training crosses 1.96 standard errors too often by chance. So
the level of the test is spent over the looks: at each one a little of it, by a schedule that is fixed before
the first (Lan & DeMets 1983). The estimates of the looks are correlated as the positions of a Brownian motion
at the times of their information, 1 / variance: every look has all data of the one before (Jennison &
Turnbull 2000, ch. 3 and 11). The boundary of each look follows from the density of the statistic among the
comparisons that have not crossed an earlier one (recursive integration: Armitage, McPherson & Rowe 1969). The
same boundaries, around the difference, are intervals that hold at all looks together, so they serve both
questions: whether a side is ahead, and whether the difference is below half a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.statistics.significance import ALPHA, EFFECT, Spread

Floats = NDArray[np.float64]

FURTHEST = 8.5
"""Standard errors beyond which nothing is told apart: a level of 2e-17."""

SMALLEST_LEVEL = 1e-12
"""The smallest p value that is looked for."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
"""Where densities are known, and what each node counts for, on an interval from -1 to 1."""

SAME = 0.01
"""The share of new information below which a look has the boundary of the one before, and spends nothing."""


def boundaries(information: Sequence[float], level: float, shares: Sequence[float]) -> list[float]:
    """Return how many standard errors a difference must be from 0 at each look, two-sided.

    Args:
        information: 1 / variance of the estimate of each look so far, ascending.
        level: of all looks together.
        shares: the share of the level that is spent by each look, ascending, at most 1.

    Raises:
        InputError: the lengths or the order do not fit.
    """
    if len(information) != len(shares) or list(information) != sorted(information) or not information:
        raise InputError(
            "`information` does not fit the looks; pass one value for each look, ascending, with its share"
        )
    crossed_before = 0.0
    found: list[float] = []
    z, density = np.zeros(1), np.ones(1)  # before the first look the process is at 0
    before = 0.0
    for now, share in zip(information, shares, strict=True):
        correlation = sqrt(before / now)
        spread = sqrt(1 - before / now)
        wanted = max(level * share - crossed_before, 0.0)
        if found and spread**2 < SAME:  # the same estimate once more
            boundary = found[-1]
        else:
            boundary = _boundary(correlation * z, spread, density, wanted)
            crossed_before = level * share
            following = boundary * _NODES
            steps = (following[:, None] - correlation * z) / spread
            density = boundary * _WEIGHTS * (_normal_density(steps) @ density / spread)
            z, before = following, now
        found.append(boundary)
    return found


@dataclass(frozen=True)
class Looks:
    """Hold the looks at a difference so far: one after each seed, from the first look on.

    Attributes:
        spread: the variance of the difference as estimated at the latest look.
        first: the seeds of the first look.
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
        last = self.spread.variance(self.most)
        variances = [
            self.spread.variance(count) for count in range(self.first, (seeds or self.spread.tested) + 1)
        ]
        if not 0 < last < inf:
            return boundaries([1.0], level, [1.0])[0]
        information = list(accumulate((1 / variance for variance in variances), max))  # up to rounding
        return boundaries(information, level, [min(1.0, last * known) for known in information])[-1]

    def chance_of_answer(self, delta: float, level: float) -> float:
        """Return how probable it is that a difference which is open now has an answer by the last look.

        The estimate of the last look is that of this one and what the trainings until then change: normal,
        with the difference of the two variances.

        Args:
            delta: the difference now, in points.
            level: the level of the test of this difference.
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

        Args:
            tail: the one-sided p value of a single look.
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


def _boundary(centers: Floats, spread: float, density: Floats, wanted: float) -> float:
    """Return the boundary that a share `wanted` of all comparisons crosses now, and not before."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    def excess(boundary: float) -> float:
        outside = ndtr((-boundary - centers) / spread) + ndtr((centers - boundary) / spread)
        return float(outside @ density) - wanted

    if excess(FURTHEST) >= 0:
        return FURTHEST
    return 0.0 if excess(0.0) <= 0 else float(brentq(excess, 0.0, FURTHEST, xtol=1e-7))


def _normal_density(z: Floats) -> Floats:
    """Return the density of the normal distribution."""
    density: Floats = np.exp(-0.5 * z * z) / sqrt(2 * np.pi)
    return density

"""Find the boundaries of a test that looks at a difference several times.

The estimates of the looks are correlated as the positions of a Brownian motion at the times of their
information, 1 / variance: every look has all data of the one before (Jennison & Turnbull 2000, ch. 3 and 11).
The boundary of each look follows from the density of the statistic among the comparisons that have not
crossed an earlier one (recursive integration: Armitage, McPherson & Rowe 1969).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError

Floats = NDArray[np.float64]

FURTHEST = 8.5
"""Standard errors beyond which nothing is told apart: a level of 2e-17."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
"""Where densities are known, and what each node counts for, on an interval from -1 to 1."""

SAME = 0.01
"""The share of new information below which a look has the boundary of the one before, and spends nothing."""


@dataclass(frozen=True)
class Look:
    """Hold the distribution of the statistic at a look, among comparisons that crossed no earlier boundary.

    Where both annotations are equal it is a mixture of normal distributions with the same deviation.

    Attributes:
        boundary: how many standard errors a difference must be from 0, two-sided.
        centers, density: float64[nodes], the means of the mixture, in standard errors, and its weights.
        spread: its deviation, in standard errors.
    """

    boundary: float
    centers: Floats
    spread: float
    density: Floats

    def conditional_ratio(self, statistic: float) -> float:
        """Return the conditional estimate of a difference as a share of the difference itself.

        A difference that has crossed a boundary is too large on average, most of all where few do. The
        estimate is the difference with which half of those that cross at this look are larger than what was
        found, but no larger than that. So in at least half of all cases in which a side is named, the true
        difference is larger than the estimate, however few there are (a median-unbiased estimate, conditional
        as in Fan, DeMets & Lan 2004).
        """
        from scipy.optimize import brentq

        if not self.boundary <= statistic < FURTHEST or self._share_above(statistic, statistic) <= 0.5:
            return 1.0
        drift = brentq(lambda drift: self._share_above(statistic, drift) - 0.5, 0.0, statistic, xtol=1e-7)
        return float(drift) / statistic

    def _share_above(self, statistic: float, drift: float) -> float:
        """Return how many of the comparisons that cross at this look are above a statistic.

        The density with a drift (in standard errors) is that without, times exp(drift * statistic), up to a
        constant.
        """
        from scipy.special import ndtr

        centers = self.centers + drift * self.spread**2
        logs = drift * self.centers + np.log(np.maximum(self.density, 1e-300))
        weights = np.exp(logs - logs.max())
        above = ndtr((centers - self.boundary) / self.spread)
        below = ndtr((-self.boundary - centers) / self.spread)
        higher = ndtr((centers - statistic) / self.spread)
        return float(weights @ higher / (weights @ (above + below)))


def find_looks(information: Sequence[float], level: float, shares: Sequence[float]) -> tuple[Look, ...]:
    """Return the looks, each with the boundary that a difference must cross.

    `information`: 1 / variance of the estimate of each look so far, ascending. `level`: of all looks
    together. `shares`: of the level, spent by each look, ascending, at most 1. InputError if these do not
    fit.
    """
    return _find_looks(tuple(information), level, tuple(shares))


@lru_cache(maxsize=1024)  # every score and every report asks for the same looks again
def _find_looks(information: tuple[float, ...], level: float, shares: tuple[float, ...]) -> tuple[Look, ...]:
    if len(information) != len(shares) or list(information) != sorted(information) or not information:
        raise InputError(
            "`information` does not fit the looks; pass one value for each look, ascending, with its share"
        )
    crossed_before = 0.0
    found: list[Look] = []
    z, density = np.zeros(1), np.ones(1)  # before the first look the process is at 0
    before = 0.0
    for now, share in zip(information, shares, strict=True):
        correlation = sqrt(before / now)
        spread = sqrt(1 - before / now)
        if found and spread**2 < SAME:  # the same estimate once more
            found.append(found[-1])
            continue
        wanted = max(level * share - crossed_before, 0.0)
        boundary = _boundary(correlation * z, spread, density, wanted)
        found.append(Look(boundary, correlation * z, spread, density))
        crossed_before = level * share
        following = boundary * _NODES
        steps = (following[:, None] - correlation * z) / spread
        density = boundary * _WEIGHTS * (_normal_density(steps) @ density / spread)
        z, before = following, now
    return tuple(found)


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
    density: Floats = np.exp(-0.5 * z * z) / sqrt(2 * np.pi)
    return density

"""Hold expectations against measured differences: hits, Brier score, and the error that they remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from learnability.statistics.inference import ALPHA

Floats = NDArray[np.float64]

DRAWS = 2000
"""Samples of families for an interval."""

FEWEST_FAMILIES = 3
"""The fewest families from which an interval is made."""


@dataclass(frozen=True)
class Judged:
    """Hold the expectations of N pairs, and what was measured.

    Attributes:
        expected, variances: float64[N], mean and variance of the expected differences, in points.
        measured, errors: float64[N], the measured differences and their standard errors, in points.
        clear: bool[N], whether the measured difference is clear.
        families: the family of each.
    """

    expected: Floats
    variances: Floats
    measured: Floats
    errors: Floats
    clear: NDArray[np.bool_]
    families: Sequence[str]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.expected)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Judged:
        """Return some of the pairs; `rows`: bool[N], or their numbers."""
        numbers = np.arange(len(self))[rows]
        return Judged(
            self.expected[numbers],
            self.variances[numbers],
            self.measured[numbers],
            self.errors[numbers],
            self.clear[numbers],
            [self.families[number] for number in numbers],
        )

    def expect(self, expected: Floats, variances: Floats) -> Judged:
        """Return the same pairs with other expectations."""
        return replace(self, expected=expected, variances=variances)

    @property
    def probabilities(self) -> Floats:
        """Return float64[N], the probabilities that UD is measured to be ahead."""
        found: Floats = ndtr(self.expected / np.sqrt(self.variances + np.square(self.errors)))
        return found

    def hits(self) -> Floats:
        """Return float64[N], 1 where the expected side is the measured one."""
        found: Floats = ((self.expected > 0) == (self.measured > 0)).astype(np.float64)
        return found

    def brier(self) -> Floats:
        """Return float64[N], the squared error of each probability (Brier 1950)."""
        return np.square(self.probabilities - (self.measured > 0))

    def covered(self) -> Floats:
        """Return float64[N], 1 where the 95 % interval of measured differences contains the measured one."""
        deviations = np.sqrt(self.variances + np.square(self.errors))
        found: Floats = (np.abs(self.measured - self.expected) < 1.96 * deviations).astype(np.float64)
        return found

    def excess(self) -> Floats:
        """Return float64[N], the squared error beyond the noise of measuring, in squared points."""
        return np.square(self.measured - self.expected) - np.square(self.errors)


@dataclass(frozen=True)
class Interval95:
    """Hold a value with its 95 % interval; none for fewer than three families."""

    value: float
    low: float | None
    high: float | None


def over_families(families: Sequence[str], statistic: Callable[[NDArray[np.int64]], float]) -> Interval95:
    """Return a statistic with an interval from samples of families, drawn with replacement.

    Args:
        families: the family of each pair.
        statistic: a function of the numbers of pairs.
    """
    names = list(dict.fromkeys(families))
    value = statistic(np.arange(len(families)))
    if len(names) < FEWEST_FAMILIES:
        return Interval95(value, None, None)
    members = [np.array([i for i, family in enumerate(families) if family == name]) for name in names]
    random = np.random.default_rng(1)
    drawn = random.integers(0, len(names), (DRAWS, len(names)))
    values = [statistic(np.concatenate([members[number] for number in numbers])) for numbers in drawn]
    low, high = np.quantile(values, (ALPHA / 2, 1 - ALPHA / 2))
    return Interval95(value, float(low), float(high))


def mean_over_families(values: Floats, families: Sequence[str]) -> Interval95:
    """Return the mean of values with its interval over families."""
    return over_families(families, lambda rows: float(values[rows].mean()))


def explained_share(judged: Judged, other: Judged, importance: Floats) -> Interval95:
    """Return the share of the error of other expectations, beyond noise, that these remove.

    Args:
        judged: the expectations.
        other: those of the same pairs that they are held against.
        importance: float64[N], what each pair counts.
    """
    error, of_other = importance * judged.excess(), importance * other.excess()

    def share(rows: NDArray[np.int64]) -> float:
        removed, whole = float((of_other - error)[rows].sum()), float(of_other[rows].sum())
        return removed / whole if whole > 0 else 0.0

    return over_families(judged.families, share)

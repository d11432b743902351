"""Correct p values for several tests by the procedure of Holm (1979)."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.errors import InputError


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's (1979) adjusted p values, in the same order; None (not tested) stays None."""
    return [None if adjusted is None else min(1.0, adjusted) for adjusted in _times_tests(p_values)]


def holm_factors(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the factor by which Holm's procedure multiplies each p value, between 1 and the number of tests.

    An interval of the level 1 - ALPHA / factor excludes 0 exactly where the adjusted p is below ALPHA.
    Adjusted p values end at 1. The factors ignore that end; otherwise the interval of a large p would be too
    short.
    """
    remaining = len([p for p in p_values if p is not None])
    factors: list[float | None] = []
    for p, adjusted in zip(p_values, _times_tests(p_values), strict=True):
        if p is None or adjusted is None:
            factors.append(None)
        else:
            factors.append(adjusted / p if p else float(remaining))
    return factors


def _times_tests(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p values without their end at 1; InputError for one outside 0..1."""
    tested = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(tested):
        if not 0 <= p <= 1:
            raise InputError(f"the p value {p} of test {i + 1} is outside 0..1; use values from 0 to 1")
        largest = max(largest, (len(tested) - rank) * p)
        adjusted[i] = largest
    return adjusted

"""Bound how likely chance alone would make two sides differ as much in a context.

Words are compared form by form, so that other texts are no other conventions, and a form counts once for each
document in which it occurs, because words come in documents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = np.logspace(-1.5, 1.6, 16)
"""The exponents among which the bound chooses the best one."""


def bound_chance(
    contexts: NDArray[np.int32], size: int, counts: Floats, rates: Floats, found: Floats
) -> Floats:
    """Return float64[contexts]: minus the decimal logarithm of a bound on the probability of as many.

    It is Chernoff's bound for a sum of binomial counts, which is also one for hypergeometric counts of the
    same means (Hoeffding 1963, section 6).

    Args:
        contexts: int32[forms], the context of each form.
        size: the number of contexts.
        counts: float64[forms], the trials of each form on one side.
        rates: float64[forms], the probability of each, from both sides together.
        found: float64[forms], how many came out so.
    """
    best = np.zeros(size)
    total = np.bincount(contexts, found, minlength=size)
    for step in STEPS:
        logs = np.bincount(contexts, counts * np.log1p(rates * np.expm1(step)), minlength=size)
        np.maximum(best, step * total - logs, out=best)
    bound: Floats = best / np.log(10)
    return bound


def sureness_of(
    contexts: NDArray[np.int32], size: int, sides: tuple[Floats, Floats, Floats, Floats]
) -> Floats:
    """Return float64[contexts]: how sure it is that a value is more frequent on the first side.

    Args:
        contexts: int32[forms], the context of each form.
        size: the number of contexts.
        sides: float64[forms] each: the first side, its words with the value, the second side, and its words
            with the value; in documents.
    """
    first, first_with, second, second_with = sides
    compared = (first > 0) & (second > 0)
    contexts, (first, first_with, second, second_with) = (
        contexts[compared],
        [each[compared] for each in sides],
    )
    rates = np.clip((first_with + second_with) / (first + second), 0.0, 1.0)
    more = bound_chance(contexts, size, first, rates, first_with)
    fewer = bound_chance(contexts, size, second, 1 - rates, second - second_with)
    either: Floats = np.maximum(np.maximum(more, fewer) - np.log10(2), 0.0)
    return either

"""Choose how many iterations a training of the neural parser has."""

from __future__ import annotations

from math import ceil

FEWEST_ITERATIONS, FEWEST_WORDS = 15, 350_000
"""The fewest iterations of a training, and the fewest words that it reads in all of them."""

MOST_ITERATIONS = 30
"""Even on a small treebank."""


def usual_iterations(tokens: int) -> int:
    """Return the number of iterations on a treebank, by its number of tokens."""
    return min(MOST_ITERATIONS, max(FEWEST_ITERATIONS, ceil(FEWEST_WORDS / max(tokens, 1))))

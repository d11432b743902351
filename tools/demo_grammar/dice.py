"""Random choices that are the same on every machine and in every version of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Random choices drawn from `random.random` alone, whose sequence Python guarantees for a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, all equally likely."""
        return options[int(self._random() * len(options))]

    def weighted(self, options: Sequence[tuple[T, float]]) -> T:
        """Return one of the options, with probabilities proportional to the weights."""
        at = self._random() * sum(weight for _, weight in options)
        for option, weight in options:
            at -= weight
            if at < 0:
                return option
        return options[-1][0]

"""Settle a family of constructions from counts alone, as `settle` does after a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from learnability.statistics.holm import holm
from learnability.statistics.inference import ALPHA
from learnability.statistics.sequential import Looks
from learnability.statistics.significance import Comparison, compare
from learnability.studies.settle.study import WORTHWHILE
from learnability.studies.settle.trainings import FIRST_LOOK
from research.settling.settling import QuickLooks


@dataclass(frozen=True)
class LooksAtLevels(QuickLooks):
    """Looks whose p values are known only as below one of the levels to which a family is held, or not.

    That is enough for Holm's procedure, and few boundaries are computed.

    Attributes:
        levels: those to which p values are held, ascending.
    """

    levels: tuple[float, ...] = ()

    def p_value(self, tail: float) -> float:
        """Return a value just below the smallest level that the latest look crosses; 1 if it crosses none."""
        statistic = -float(ndtri(max(tail, 1e-17)))
        for level in self.levels:
            if 2 * tail < level and statistic > self.boundary(level):
                return 0.999 * level
        return 1.0


@dataclass
class Settled:
    """How a construction ended: its p value and its equivalence, after how many passes."""

    comparison: Comparison
    passes: int
    alarm: bool = False
    equal: bool = False
    given_up: bool = False

    @property
    def has_ended(self) -> bool:
        """Return whether it is trained no further."""
        return self.alarm or self.equal or self.given_up

    @property
    def covered(self) -> bool:
        """Return whether the interval at the last look contains 0, the truth."""
        return self.comparison.low <= 0 <= self.comparison.high


def settled(
    groups: NDArray[np.int64],
    tokens: NDArray[np.int64],
    sizes: list[int],
    documents: NDArray[np.int64] | None = None,
) -> list[Settled]:
    """Return how each construction of a family ends."""
    first, *others = groups
    fold = np.repeat(np.arange(len(sizes)), sizes)
    most = groups.shape[1]
    levels = *(ALPHA / count for count in range(len(others), 0, -1)), 2 * ALPHA
    testing = partial(LooksAtLevels, first=FIRST_LOOK, most=most, levels=levels)
    family: list[Settled] = []
    for passes in range(FIRST_LOOK, most + 1):
        for number, other in enumerate(others):
            if passes > FIRST_LOOK and family[number].has_ended:
                continue
            beside = [known[:passes] for known in others if known is not other]
            found = compare(
                first[:passes],
                other[:passes],
                tokens,
                folds=fold,
                documents=documents,
                beside=beside,
                testing=testing,
            )
            if passes == FIRST_LOOK:
                family.append(Settled(found, passes))
            else:
                family[number] = Settled(found, passes)
        corrected = holm([construction.comparison.p_value for construction in family])
        for construction, p_holm in zip(family, corrected, strict=True):
            construction.alarm = p_holm is not None and p_holm < ALPHA
            construction.equal = not construction.alarm and construction.comparison.p_equal < ALPHA
            if construction.has_ended or passes == most:
                continue
            looks = construction.comparison.testing
            assert isinstance(looks, Looks)
            chance = looks.chance_of_answer(construction.comparison.delta, ALPHA / len(family))
            construction.given_up = chance < WORTHWHILE
    return family

"""Settle what a run leaves open: test every sentence of the treebank, with as many trainings as it takes."""

import math
from dataclasses import dataclass
from typing import ClassVar

from learnability.errors import InputError
from learnability.studies.declaration import SEVEN, Declaration
from learnability.support.options import option, shorten_value

SECONDS = {"s": 1, "m": 60, "h": 3600}

YEAR = 365 * 24 * SECONDS["h"]
"""The seconds of the largest budget."""


def seconds_typed(text: str) -> float:
    """Return the seconds of a time as it is typed: 90s, 10m, 1.5h; InputError if it is none."""
    number, unit = text[:-1], text[-1:]
    try:
        seconds = float(number) * SECONDS[unit]
    except (KeyError, ValueError):
        seconds = 0.0
    if not 0 < seconds <= YEAR:
        raise InputError(
            f"`budget={shorten_value(text)}` is not a time of up to a year; write a time with its unit, for "
            "example 90s, 10m or 2h"
        )
    return seconds


FOLDS = 5
"""The folds of a treebank unless `--folds` says otherwise; keys of records do not name this number."""

TRAININGS = 4 * FOLDS
"""How often an annotation is usually trained: about four times on each fold."""


@dataclass(frozen=True)
class SettleOptions:
    """Choose how far `settle` goes.

    `planned_seeds`: the most trainings that an earlier command planned for, if it was more: looks that were
    taken stay what they were; 0 if none did.
    """

    PANEL: ClassVar[str] = "How far the run goes"

    most_seeds: int = option(
        10,
        "Train each fold of all sentences at most this many times per annotation.",
        metavar="N",
        least=2,
        most=100,
    )
    folds: int = option(
        FOLDS,
        "Cut the treebank into this many folds, each of which is tested once.",
        metavar="K",
        least=3,
        most=20,
    )
    budget: float | None = option(
        10.0 * SECONDS["m"],
        "Begin no further training on every sentence that would take more processor time than this in all, "
        "for example 90s or 2h. The time is estimated, so that the result does not depend on the machine.",
        metavar="TIME",
        parse=seconds_typed,
        typed="10m",
        least=0.0,
        most=float(YEAR),
    )
    planned_seeds: int = 0

    def budget_of(self, share: float) -> float:
        return math.inf if self.budget is None else self.budget * share

    @property
    def last_look(self) -> int:
        """Return the trainings before the last look that may come, for which the level of the test lasts."""
        return max(self.most_seeds, self.planned_seeds)


NEXT_STEP = "test every sentence, and train more often where that helps"
"""What it does about constructions that the test set leaves open, as a sentence says it."""

DECLARATION = Declaration(
    name="settle",
    study="learnability.studies.settle.study:SettleStudy",
    options=SettleOptions,
    cross_validates=True,
    several=True,
    default=SEVEN,
)

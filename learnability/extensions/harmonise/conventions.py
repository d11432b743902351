"""Represent in which conventions a treebank differs from the others of its language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Context

THERE, ABSENT = "there", "not there"
"""The values of a feature as one that is there or not."""

Kind = Literal["own", "missing"]
"""Whether the treebank has a value that the others lack, or lacks one that they have."""


@dataclass(frozen=True)
class ParserCost:
    """Hold what a convention costs parsers of the other treebanks, at the words that it concerns.

    Attributes:
        words: at how many of these words they find what the others have, minus those at which parsers of
            the treebank do.
        points: these words in percent of all words of the treebank: points of LAS, or of UPOS.
        low, high: the ends of the 95 % interval.
        measure: `LAS`, of lines on tags `UPOS`.
    """

    words: float
    points: float
    low: float
    high: float
    measure: Literal["LAS", "UPOS"]


@dataclass(frozen=True)
class Convention:
    """Represent a convention in which a treebank differs from the others.

    Attributes:
        columns: the columns that differ alike, `feats:Number` and `feats:Person`; nearly always one.
        kind: whether the treebank has a value that the others lack there, or lacks one that they have.
        value: the value; of a feature that differs in being there, `there` or `not there`.
        instead: what the other side has most in its place.
        contexts: where it holds: words of any of these contexts.
        counts: for each treebank how many words there have the value, and how many have any.
        words_there: for each treebank how many words there are, those without a value, too.
        instead_counts: how many have what the other side has most.
        places: int64[words], the words of the treebank that it concerns, as numbers in the table.
        sureness: minus the decimal logarithm of a bound on the probability that chance did it, after a
            correction for the contexts that were tested.
        cost: what it costs parsers; None if none were trained, or if they do not see it.
    """

    columns: tuple[str, ...]
    kind: Kind
    value: str
    instead: str
    contexts: tuple[Context, ...]
    counts: tuple[tuple[int, int], ...]
    words_there: tuple[int, ...]
    instead_counts: tuple[int, ...]
    places: NDArray[np.int64]
    sureness: float
    cost: ParserCost | None = None

    @property
    def is_presence(self) -> bool:
        return self.value in (THERE, ABSENT)

    @property
    def group(self) -> tuple[object, ...]:
        """Return what lines have in common that stand together: a value of a feature or of XPOS."""
        name = self.columns[0]
        is_grouped = not self.is_presence and (name == "xpos" or name.startswith("feats:"))
        return (name, self.kind, self.value, *(() if is_grouped else (self.instead, self.contexts)))

    @property
    def weight(self) -> float:
        """Return by how much it comes before others: how many words it concerns, times how sure it is."""
        return len(self.places) * self.sureness


@dataclass(frozen=True)
class InventoryDifference:
    """Represent a value that the treebank has and the others lack, or the reverse.

    Attributes:
        column: `upos`, `xpos`, `feats` (a feature), `feats:NAME` (a value), `relation`, or `deprel` (a
            subtype).
        counts: how many words of each treebank have it.
        places: int64, the words of the treebank that have it, or whose forms have it elsewhere.
        sureness: minus the decimal logarithm of a bound on the probability that chance did it.
        details: in which contexts the other side has what in its place.
        cost: what it costs parsers; None if none were trained, or if they do not see it.
    """

    column: str
    value: str
    is_own: bool
    counts: tuple[int, ...]
    places: NDArray[np.int64]
    sureness: float
    details: tuple[Convention, ...] = ()
    cost: ParserCost | None = None


@dataclass(frozen=True)
class TreebankConventions:
    """Hold in what a treebank differs from the others.

    Attributes:
        treebank: its number.
        inventories: what one side has and the other lacks.
        conventions: in order: those that concern most words come first.
    """

    treebank: int
    inventories: tuple[InventoryDifference, ...]
    conventions: tuple[Convention, ...]

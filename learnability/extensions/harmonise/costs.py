"""Hold what conventions cost parsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learnability.extending import format_signed

FoundBy = Literal["counting", "parsers"]
"""What found a convention."""


@dataclass(frozen=True)
class ParserCost:
    """Hold what a convention costs parsers of the other treebanks, at the words that it concerns.

    Attributes:
        words: at how many of these words they find what the others have, beyond parsers of the treebank.
        points: these words in percent of all words of the treebank: points of LAS, or of UPOS.
        low, high: the ends of the 95 % interval.
        measure: `LAS`, of lines on tags `UPOS`.
    """

    words: float
    points: float
    low: float
    high: float
    measure: Literal["LAS", "UPOS"]


def describe_cost(cost: ParserCost | None) -> str:
    """Return what a convention costs, as the end of a sentence; empty if that is not known."""
    if cost is None:
        return ""
    interval = f"({format_signed(cost.low, 2)} to {format_signed(cost.high, 2)})"
    return f"; it costs parsers of the others {cost.points:.2f} points of {cost.measure} {interval}"

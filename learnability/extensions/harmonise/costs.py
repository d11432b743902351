"""Hold what parsers say of conventions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Context, format_signed
from learnability.extensions.harmonise.cross_parses import ArcVote


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
class ParserEvidence:
    """Hold the evidence of a convention that only parsers find.

    Attributes:
        others_places: int64, the words of the others in which parsers of the treebank find the reverse, as
            numbers in the table.
        mostly: what most of the words have: a tag, the lemma of a function word.
        votes: by the numbers of words of the treebank, the head and the relation that most parsers of the
            others find, where this leaves a tree; none of tags.
    """

    others_places: NDArray[np.int64]
    mostly: Context = field(default_factory=Context)
    votes: Mapping[int, ArcVote] = field(default_factory=dict)


def cost_values(cost: ParserCost | None) -> dict[str, Any] | None:
    return None if cost is None else asdict(cost)


def describe_cost(cost: ParserCost | None) -> str:
    """Return what a convention costs, as the end of a sentence; empty if that is not known."""
    if cost is None:
        return ""
    interval = f"({format_signed(cost.low, 2)} to {format_signed(cost.high, 2)})"
    return f"; it costs parsers of the others {cost.points:.2f} points of {cost.measure} {interval}"

"""What the cells of `doubts` record."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

LARGEST_MARGIN = 9999.0
"""Takes the place of an infinite margin, that of a value without an alternative."""


def finite(margins: NDArray[np.floating]) -> list[float]:
    """Return margins with two decimals; infinite ones become `LARGEST_MARGIN`."""
    clipped = np.clip(margins.astype(np.float64), -LARGEST_MARGIN, LARGEST_MARGIN)
    return [round(margin, 2) for margin in clipped.tolist()]


class ValidatorResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the official validator finds: the file, the line and the name of each error.

    `is_complete`: whether it is installed and came to its end.
    """

    is_complete: bool = False
    incidents: list[tuple[str, int, str]] = []

    def errors_by_line(self) -> dict[tuple[str, int], str]:
        """Return the names of the errors at each line of a file, ``leaf-det; rel-upos-det``."""
        names: dict[tuple[str, int], list[str]] = {}
        for file, line, name in self.incidents:
            names.setdefault((file, line), []).append(name)
        return {place: "; ".join(each) for place, each in names.items()}


class VotesResult(msgspec.Struct, frozen=True, kw_only=True):
    """The trees that a parser found for the sentences of a fold; one entry per token.

    Attributes:
        heads: the heads (0: the root).
        relations: as indices in `names`.
        arc_margins: how much the parser prefers the annotated arc (`parsing.transition_margins`); empty for a
            parser that cannot say.
        relation_margins: the same of the annotated relation.
    """

    heads: list[int]
    relations: list[int]
    names: list[str]
    arc_margins: list[float] = []
    relation_margins: list[float] = []


class MarginsResult(VotesResult, frozen=True, kw_only=True):
    """The trees that the graph-based parser found, and how it sees the annotated trees.

    Its arc margins say by how much the best tree with the annotated arc exceeds the best tree without, its
    relation margins by how much the annotated relation exceeds any other in the annotated tree.

    Attributes:
        rivals: the head in the best tree without the annotated arc.
        rival_relations: the next relation, as an index in `names`.
        others: its best heads and relations (`scored_arcs.ScoredArcs.pack`).
    """

    rivals: list[int]
    rival_relations: list[int]
    others: bytes


class ColumnScores(msgspec.Struct, frozen=True, kw_only=True):
    """How a classifier sees the values of a column in the sentences of a fold.

    There is an entry for each word that can be doubted there (`columns.doubted_words`).

    Attributes:
        margins: how much the annotated value exceeds the best other one.
        rivals: that other value, as an index in `names`.
    """

    column: str
    margins: list[float]
    rivals: list[int]
    names: list[str]


class ColumnsResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the classifiers see the columns of a fold that are no arcs."""

    columns: list[ColumnScores]

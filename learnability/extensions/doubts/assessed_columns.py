"""The columns that are no arcs with a score for each value, and the doubts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from learnability.extending import Tree
from learnability.extensions.doubts.column_evidence import DoubtedColumn, doubt_column
from learnability.extensions.doubts.columns import LEMMA, group_of
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.results import ColumnsResult
from learnability.extensions.doubts.words import Codes, ColumnWords, Floats

DAMPING = 500
"""What is added to the ranks of lemmas, so that the first of one order are not before all others."""


@dataclass(frozen=True, eq=False)
class AssessedColumn(DoubtedColumn):
    """A column with the scores of its doubts.

    Attributes:
        score: float64[items].
    """

    score: Floats


def assess_columns(
    trees: Sequence[Tree],
    folds: Sequence[ColumnsResult],
    models: Mapping[str, LogisticModel],
    places: Codes | None = None,
) -> list[AssessedColumn]:
    """Return the columns of a treebank that are no arcs.

    Args:
        trees: the treebank.
        folds: what the classifiers say of each fold.
        models: the weights by group of columns.
        places: int64[words], where each word is in what is said of the folds.
    """
    words = ColumnWords(trees)
    found = []
    for of_column in zip(*(fold.columns for fold in folds), strict=True):
        doubted = doubt_column(words, of_column, places)
        if len(doubted.words) and (model := models.get(group_of(doubted.column))):
            score = fuse_orders(doubted.column, model.probabilities(doubted.evidence), doubted.evidence)
            found.append(AssessedColumn(**vars(doubted), score=score))
    return found


def fuse_orders(column: str, score: Floats, evidence: Mapping[str, Floats]) -> Floats:
    """Return float64[items], the scores of a column; those of lemmas in an order that joins three.

    A lemma counts 1 / (`DAMPING` + rank) in each (reciprocal rank fusion, Cormack et al. 2009): by its score,
    by the margin of the classifier, and by how improbable it is, if its form and tag mostly have the proposed
    one (research/doubts says what that finds).

    Args:
        column: the column.
        score: float64[items].
        evidence: float64[items] by name.
    """
    if column != LEMMA:
        return score
    unusual = usual_order(evidence)
    fused = np.where(unusual > 0, 1 / (DAMPING + _rank(unusual)), 0.0)
    fused += 1 / (DAMPING + _rank(score)) + 1 / (DAMPING + _rank(evidence["margin rank"]))
    found = np.empty(len(score))
    found[np.argsort(-fused, kind="stable")] = np.sort(score)[::-1]
    return found


def usual_order(evidence: Mapping[str, Floats]) -> Floats:
    """Return float64[items], how improbable a value is where its form mostly has the proposed one, or 0."""
    return evidence["value by form"] * evidence["mostly as proposed by form"]


def _rank(values: Floats) -> Codes:
    """Return int64[items], how many values are higher, or as high and before."""
    ranks = np.empty(len(values), np.int64)
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return ranks

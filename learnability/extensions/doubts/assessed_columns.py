"""The columns that are no arcs with a score for each value, and the doubts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.extending import Tree, is_specified
from learnability.extensions.doubts.column_evidence import ColumnWords, DoubtedColumn, doubt_column
from learnability.extensions.doubts.columns import describe_value, group_of
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.results import ColumnsResult
from learnability.extensions.doubts.words import Codes, Floats


@dataclass(frozen=True, eq=False)
class AssessedColumn:
    """A column with what is proposed for each value in doubt, and the score of the doubt.

    Attributes:
        doubted: the values.
        score: float64[items].
    """

    doubted: DoubtedColumn
    score: Floats

    @property
    def name(self) -> str:
        return self.doubted.column

    def value(self, item: int) -> str:
        return self.doubted.names[int(self.doubted.values[item])]

    def proposed_value(self, item: int) -> str:
        return self.doubted.names[int(self.doubted.proposed[item])]

    def pattern(self, item: int, tag: str, lemma: str) -> str:
        """Return the pattern of a doubt, ``NOUN:house Gender=Fem -> Gender=Masc``."""
        kind = ":".join(text for text in (tag, lemma) if is_specified(text))
        old, new = (describe_value(self.name, text) for text in (self.value(item), self.proposed_value(item)))
        return f"{kind} {old} -> {new}"


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
            found.append(AssessedColumn(doubted, model.probabilities(doubted.evidence)))
    return found

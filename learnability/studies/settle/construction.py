"""Hold what the test of every sentence says of one construction."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.comparing.annotation import Annotation
from learnability.evidence.answers import is_left_open
from learnability.evidence.rows import ComparisonRow, refine_row


@dataclass(frozen=True)
class SettledConstruction:
    """Hold the results for a construction after some passes.

    Attributes:
        row: the comparison over all sentences of the treebank, corrected for all constructions of the run;
            without scores before the first look.
        of_run: the comparison of the run, on its test set.
        passes: the trainings per fold and annotation.
        chance: the probability that the remaining passes give an answer; 0 where there is one.
        limit: the option because of which it was not trained further; empty if that was not worthwhile.
    """

    annotation: Annotation
    row: ComparisonRow
    of_run: ComparisonRow
    passes: int = 0
    chance: float = 1.0
    limit: str = ""

    @property
    def open(self) -> bool:
        return is_left_open(self.refined)

    @property
    def refined(self) -> ComparisonRow:
        """Return the comparison over all sentences, with what the test set named already."""
        return refine_row(self.of_run, self.row)

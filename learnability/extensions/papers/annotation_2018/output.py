"""Add the tables and figures of the 2018 paper to comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from learnability.errors import InputError
from learnability.evidence.survey import Evidence
from learnability.extensions.papers.annotation_2018 import tables
from learnability.extensions.papers.annotation_2018.declaration import PaperOptions
from learnability.extensions.papers.annotation_2018.section import supplement
from learnability.reports.comparison_output import ComparisonOutput, Supplement

if TYPE_CHECKING:
    import pandas


class PaperTables(ComparisonOutput[PaperOptions]):
    """Show the tables over runs that compare with UD."""

    @property
    def is_of_first_answers(self) -> bool:
        """Return whether the tables were asked for: they are about test sets, as those of the paper."""
        return self.options.tables_2018

    def supplement(self, evidence: Evidence) -> Supplement | None:
        """Return the tables, if they were asked for.

        Raises:
            InputError: the runs compare with another annotation than UD.
        """
        if not self.options.tables_2018:
            return None
        if evidence.base != "UD":
            problem = f"the paper's tables compare with UD, but these runs compare with {evidence.base}"
            raise InputError(f"{problem}; leave out `tables_2018=True`")
        return supplement(evidence)

    @classmethod
    def of_report(cls, evidence: Evidence) -> Supplement | None:
        """Return the tables where runs compare with UD."""
        return supplement(evidence) if evidence.base == "UD" else None

    @classmethod
    def tables(cls, evidence: Evidence) -> Mapping[str, object]:
        """Return the tables as frames: ``table_2``, ``table_3``, ``correlations``; and what sums them up.

        ``summary`` is the mean and the largest UAS difference, ``commitment`` how far a parser trained on
        both annotations commits itself to one of them.
        """
        return {
            "table_2": _frame(tables.table_2(evidence)),
            "table_3": _frame(tables.table_3(evidence)),
            "correlations": _frame(tables.correlations(evidence)),
            "summary": tables.differences(evidence),
            "commitment": tables.commitment(evidence),
        }


def _frame(values: Sequence[Any]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame([asdict(value) for value in values])

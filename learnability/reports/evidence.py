"""The rows of a run, each with the records it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from learnability.comparing.results import Record
from learnability.evidence.grouping import ConditionRecords, by_key
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows
from learnability.evidence.stored_runs import design_of


@dataclass(frozen=True, kw_only=True)
class ConditionEvidence(ConditionRecords):
    """The records of a condition, its row, and its name (with the treebank, of several)."""

    row: ComparisonRow
    name: str


def evidence_of(
    rows: Sequence[ComparisonRow], records: Sequence[Record], config: dict[str, Any]
) -> list[ConditionEvidence]:
    """The rows with their records."""
    several = len({row.treebank for row in rows}) > 1
    of_rows = records_of_rows(design_of(config, records), rows, by_key(records))
    return [
        ConditionEvidence(row=row, name=f"{row.treebank}, {row.title}" if several else row.title, **vars(own))
        for row, own in zip(rows, of_rows, strict=True)
    ]

"""The rows of a run, each with the records it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from learnability.comparing.results import Record
from learnability.evidence.columns import Row
from learnability.evidence.grouping import ConditionRecords
from learnability.evidence.stored_runs import records_of_stored_rows


@dataclass(frozen=True, kw_only=True)
class ConditionEvidence(ConditionRecords):
    """The records of a condition, its row of results.csv, and its name (with the treebank, of several)."""

    row: Row
    name: str


def evidence_of(
    rows: Sequence[Row], records: Sequence[Record], config: dict[str, Any]
) -> list[ConditionEvidence]:
    """The rows with their records."""
    several = len({row["treebank"] for row in rows}) > 1
    return [
        ConditionEvidence(
            row=row, name=f"{row['treebank']}, {row.title}" if several else row.title, **vars(own)
        )
        for row, own in zip(rows, records_of_stored_rows(config, rows, records), strict=True)
    ]

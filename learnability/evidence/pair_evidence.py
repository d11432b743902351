"""Pair the rows of a run with the records that they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.evidence.grouping import PairRecords
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows
from learnability.running.config import RunConfig
from learnability.running.records import Records


@dataclass(frozen=True, kw_only=True)
class PairEvidence(PairRecords):
    """Hold the records of a pair, its row, and its name (with the treebank, of several)."""

    row: ComparisonRow
    name: str


def evidence_of(config: RunConfig, rows: Sequence[ComparisonRow], records: Records) -> list[PairEvidence]:
    """Return the rows of a run with their records."""
    several = len({row.treebank for row in rows}) > 1
    of_rows = records_of_rows(config, rows, records)
    return [
        PairEvidence(row=row, name=f"{row.treebank}, {row.title}" if several else row.title, **vars(found))
        for row, found in zip(rows, of_rows, strict=True)
    ]

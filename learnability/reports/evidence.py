"""The rows of a run, each with the records it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from learnability.experiments.columns import Row
from learnability.experiments.condition import Annotation
from learnability.experiments.grouping import ConditionRecords, GroupedRecords
from learnability.experiments.judging import ALONE
from learnability.experiments.run_records import Record


@dataclass(frozen=True, kw_only=True)
class ConditionEvidence(ConditionRecords):
    """The records of a condition, its row of results.csv, and its name (with the treebank, of several)."""

    row: Row
    name: str


def evidence_of(
    rows: Sequence[Row], records: Sequence[Record], config: dict[str, Any]
) -> list[ConditionEvidence]:
    """The rows with their records; `rows` in the order of the configuration's treebanks and conditions (of a
    search, which combines these: of its finalists)."""
    grouped = GroupedRecords(records)
    options = config["options"]
    conditions = options["conditions"]
    if options.get("search"):
        conditions = [Annotation.named(row.name).spelling for row in rows]
    compared = product(config["treebanks"], conditions, options.get("judges") or [ALONE])
    several = len({row["treebank"] for row in rows}) > 1
    names = [f"{row['treebank']}, {row.title}" if several else row.title for row in rows]
    return [
        ConditionEvidence(
            row=row,
            name=name,
            **vars(grouped.of(treebank["label"], condition, judge, config["seeds"], treebank["folds"])),
        )
        for row, name, (treebank, condition, judge) in zip(rows, names, compared, strict=True)
    ]

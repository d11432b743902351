"""The rows of a run, each with the records it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from learnability.experiments.columns import Row
from learnability.experiments.grouping import ConditionRecords, GroupedRecords
from learnability.experiments.run_records import Record


@dataclass(frozen=True, kw_only=True)
class Found(ConditionRecords):
    """The records of one condition, and its row in results.csv."""

    row: Row

    @property
    def name(self) -> str:
        """The transformation with its variant, as on the command line."""
        return self.row.name

    @property
    def scored(self) -> bool:
        """Whether there is a difference between (a) and (b)."""
        return self.row["uas_delta"] is not None

    @property
    def test_sentences(self) -> int | None:
        """How many sentences were tested on; None without records."""
        return sum(len(fold.tokens) for fold in self.a[0]) if self.a else None


def find_records(rows: Sequence[Row], records: Sequence[Record], config: dict[str, Any]) -> list[Found]:
    """The rows with their records; `rows` in the order of the configuration's treebanks and conditions."""
    grouped = GroupedRecords(records)
    pairs = product(config["treebanks"], config["options"]["conditions"])
    return [
        Found(row=row, **vars(grouped.of(treebank["label"], condition, config["seeds"], treebank["folds"])))
        for row, (treebank, condition) in zip(rows, pairs, strict=True)
    ]

"""The rows of a run, each with the records it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from learnability.experiments.columns import Row
from learnability.experiments.grouping import GroupedRecords, Record, Seeds


@dataclass(frozen=True)
class Found:
    """One condition: its row and its records.

    Attributes:
        row: the row of results.csv, as values.
        condition: as in the records (`case`, `scheme:all`).
        a, b, c: records of the trainings per seed, per fold; empty unless all seeds and folds are there and
            had something to train on.
        measures: records of the measures, per fold.
    """

    row: Row
    condition: str
    a: Seeds
    b: Seeds
    c: Seeds
    measures: list[Record]

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
        return sum(len(fold["tokens"]) for fold in self.a[0]) if self.a else None


def find_records(rows: Sequence[Row], records: Sequence[Record], config: dict[str, Any]) -> list[Found]:
    """The rows with their records; `rows` in the order of the configuration's treebanks and conditions."""
    grouped = GroupedRecords(records)
    found = []
    pairs = product(config["treebanks"], config["options"]["conditions"])
    for row, (treebank, condition) in zip(rows, pairs, strict=True):
        own = grouped.of(treebank["label"], condition, config["seeds"], treebank["folds"])
        found.append(Found(row, condition, own.a, own.b, own.c, own.measures))
    return found

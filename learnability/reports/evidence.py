"""The rows of a run, each with the records it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from learnability.experiments.finished import name_of

Row = dict[str, Any]
Record = dict[str, Any]
Seeds = list[list[Record]]
"""Records per seed, per fold."""

CRITERIA = {
    "multiref": "multi-reference training",
    "predictability": "predictability",
    "perplexity": "derivation perplexity",
    "complexity": "derivation complexity",
}
"""The criteria of the columns `pick_*` and what they are called."""


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
        return name_of(self.row)

    @property
    def scored(self) -> bool:
        """Whether there is a difference between (a) and (b)."""
        return self.row["uas_delta"] is not None

    @property
    def test_sentences(self) -> int | None:
        """How many sentences were tested on; None without records."""
        return sum(len(fold["tokens"]) for fold in self.a[0]) if self.a else None


def find_records(rows: Sequence[Row], records: Sequence[Record], config: Row) -> list[Found]:
    """The rows with their records; `rows` in the order of the configuration's treebanks and conditions."""
    by_key: dict[tuple[str, str, str], dict[int, dict[int, Record]]] = {}
    for record in records:
        if "failed" not in record and "fold" in record:
            key = (record["treebank"], record["setting"], record["condition"])
            by_key.setdefault(key, {}).setdefault(record["seed"], {})[record["fold"]] = record
    found = []
    pairs = product(config["treebanks"], config["options"]["conditions"])
    for row, (treebank, condition) in zip(rows, pairs, strict=True):
        folds = range(treebank["folds"])

        def trainings(
            setting: str, of: str, label: str = treebank["label"], folds: range = folds
        ) -> list[list[Record]]:
            kept = by_key.get((label, setting, of), {})
            seeds = [[kept.get(seed, {}).get(fold) for fold in folds] for seed in config["seeds"]]
            whole = [[r for r in seed if r is not None and "kernel_seconds" in r] for seed in seeds]
            return whole if all(len(seed) == len(folds) for seed in whole) else []

        measures = by_key.get((treebank["label"], "measures", condition), {}).get(0, {})
        found.append(
            Found(
                row,
                condition,
                trainings("a", ""),
                trainings("b", condition),
                trainings("c", condition),
                [measures[fold] for fold in sorted(measures)],
            )
        )
    return found

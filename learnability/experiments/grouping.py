"""The records of a run, grouped once: by treebank, setting and condition, then by seed and fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
Seeds = list[list[Record]]
"""Records per seed, per fold."""


@dataclass(frozen=True)
class ConditionRecords:
    """The records of one condition.

    Attributes:
        condition: as in the records (`case`, `scheme:all`).
        measures: those of the measures, per fold; empty unless all folds are there.
        a, b, c: those of the trainings of a setting; empty unless all seeds and folds are there and had
            something to train on (lifting may take away the only sites of a treebank).
    """

    condition: str
    measures: list[Record]
    a: Seeds
    b: Seeds
    c: Seeds


class GroupedRecords:
    """The records of a run without those of failures, found by what they are of."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._groups: dict[tuple[str, str, str], dict[tuple[int, int], Record]] = {}
        for record in records:
            if "failed" not in record:
                key = (record["treebank"], record["setting"], record["condition"])
                self._groups.setdefault(key, {})[record["seed"], record["fold"]] = record

    def __contains__(self, treebank_and_condition: tuple[str, str]) -> bool:
        treebank, condition = treebank_and_condition
        return (treebank, "b", condition) in self._groups

    def of(self, treebank: str, condition: str, seeds: Sequence[int], folds: int) -> ConditionRecords:
        """The records of one condition of the treebank with this label."""

        def find(setting: str, condition: str, seeds: Sequence[int]) -> Seeds:
            group = self._groups.get((treebank, setting, condition), {})
            keys = [[(seed, fold) for fold in range(folds)] for seed in seeds]
            whole = all(key in group for seed in keys for key in seed)
            return [[group[key] for key in seed] for seed in keys] if whole else []

        def trainings(setting: str, condition: str) -> Seeds:
            found = find(setting, condition, seeds)
            return found if all("kernel_seconds" in fold for seed in found for fold in seed) else []

        measures = find("measures", condition, (0,))
        return ConditionRecords(
            condition,
            measures[0] if measures else [],
            trainings("a", ""),
            trainings("b", condition),
            trainings("c", condition),
        )

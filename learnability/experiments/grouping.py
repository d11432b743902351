"""The records of a run, grouped once: by treebank, setting and condition, then by seed and fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from learnability.experiments.run_records import Measures, Record, Survival, Training

T = TypeVar("T")
Seeds = list[list[T]]
"""What came out, per seed, per fold."""


@dataclass(frozen=True)
class ConditionRecords:
    """What came out for one condition (`case`, `scheme:all`): measures per fold, and what the settings gave.
    Empty unless all seeds and folds are there and had something to train on (lifting may take away a
    treebank's only sites)."""

    condition: str
    measures: list[Measures]
    a: Seeds[Training]
    b: Seeds[Training]
    c: Seeds[Survival]


class GroupedRecords:
    """The records of a run without those of failures, found by what they are of."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._groups: dict[tuple[str, str, str, str], dict[tuple[int, int], Record]] = {}
        for record in records:
            if record.failed is None:
                key = (record.treebank, record.setting, record.condition, record.judge)
                self._groups.setdefault(key, {})[record.seed, record.fold] = record

    def __contains__(self, treebank_condition_judge: tuple[str, str, str]) -> bool:
        treebank, condition, judge = treebank_condition_judge
        return (treebank, "b", condition, judge) in self._groups

    def of(
        self, treebank: str, condition: str, judge: str, seeds: Sequence[int], folds: int
    ) -> ConditionRecords:
        """The records of one condition and judge of the treebank with this label."""

        def whole(
            setting: str,
            condition: str,
            part: Callable[[Record], T | None],
            judge: str = judge,
            seeds: Sequence[int] = seeds,
        ) -> Seeds[T]:
            group = self._groups.get((treebank, setting, condition, judge), {})
            records = [[group.get((seed, fold)) for fold in range(folds)] for seed in seeds]
            results = [[None if own is None else part(own) for own in seed] for seed in records]
            there = [[result for result in seed if result is not None] for seed in results]
            return there if all(len(seed) == folds for seed in there) else []

        measures = whole("measures", condition, lambda record: record.measures, "", (0,))
        return ConditionRecords(
            condition,
            measures[0] if measures else [],
            whole("a", "", lambda record: record.training),
            whole("b", condition, lambda record: record.training),
            whole("c", condition, lambda record: record.survival),
        )

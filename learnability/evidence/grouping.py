"""What the records of a run hold of a condition, per seed and fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeVar

from learnability.comparing.annotation import Annotation
from learnability.comparing.results import Measures, Record, Survival, Training
from learnability.running.plan import Cell

T = TypeVar("T")
Seeds = list[list[T]]
"""What came out, per seed, per fold."""

Records = Mapping[str, Record]
"""The records of a run by key, without those of failures."""

Place = tuple[str, str, str, str, int, int]
"""Where a record of settings (a), (b), (c) or of measures belongs: treebank, setting, condition, judge, seed
and fold."""


def by_key(records: Iterable[Record]) -> dict[str, Record]:
    """See :data:`Records`."""
    return {record.key: record for record in records if record.failed is None}


def whole(
    records: Records, cell: Cell, part: Callable[[Record], T | None], seeds: Sequence[int], folds: int = 1
) -> Seeds[T]:
    """A part of the records of the cell with each seed and fold; empty unless all of them have it."""
    results = [
        [
            result
            for fold in range(folds)
            if (record := records.get(replace(cell, seed=seed, fold=fold).key)) is not None
            and (result := part(record)) is not None
        ]
        for seed in seeds
    ]
    return results if all(len(seed) == folds for seed in results) else []


def trainings(records: Records, cell: Cell, seeds: Sequence[int]) -> list[Training]:
    """The trainings of the cell with each seed; empty unless all are there."""
    return [training for (training,) in whole(records, cell, attrgetter("training"), seeds)]


def per_sentence(seeds: Seeds[T], counts: Callable[[T], Sequence[int]]) -> list[list[int]]:
    """Per seed the counts of the test sentences of all folds."""
    return [[count for fold in seed for count in counts(fold)] for seed in seeds]


def mean(values: Iterable[float]) -> float:
    """The plain sum by the count: `statistics.fmean` rounds otherwise, and joint.json has every digit."""
    known = list(values)
    return sum(known) / len(known)


def test_sites(records: Records, treebank: str, annotation: Annotation) -> int | None:
    """The sites of the annotation in the test part; None where they were not counted."""
    record = records.get(Cell(treebank, "measures", annotation).key)
    return record.measures.test_sites if record is not None and record.measures is not None else None


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


def by_place(records: Iterable[Record]) -> dict[Place, Record]:
    """Return the records of settings (a), (b), (c) and of measures by their places, without failures."""
    return {
        (record.treebank, record.setting, record.condition, record.judge, record.seed, record.fold): record
        for record in records
        if record.failed is None and record.setting in ("a", "b", "c", "measures")
    }


def condition_records(
    places: Mapping[Place, Record],
    treebank: str,
    condition: str,
    judge: str,
    seeds: Sequence[int],
    folds: int,
) -> ConditionRecords:
    """Return what came out for a condition and judge of a treebank, all as records spell them."""

    def every(
        setting: str, part: Callable[[Record], T | None], condition: str, judge: str, seeds: Sequence[int]
    ) -> Seeds[T]:
        """Return a part of all records of a setting, by seed and fold; nothing unless all have it."""
        found: Seeds[T] = []
        for seed in seeds:
            of_folds = []
            for fold in range(folds):
                record = places.get((treebank, setting, condition, judge, seed, fold))
                result = None if record is None else part(record)
                if result is None:
                    return []
                of_folds.append(result)
            found.append(of_folds)
        return found

    measures = every("measures", lambda record: record.measures, condition, "", (0,))
    return ConditionRecords(
        condition=condition,
        measures=measures[0] if measures else [],
        a=every("a", lambda record: record.training, "", judge, seeds),
        b=every("b", lambda record: record.training, condition, judge, seeds),
        c=every("c", lambda record: record.survival, condition, judge, seeds),
    )

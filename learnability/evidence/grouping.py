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


def condition_records(
    records: Records, treebank: str, annotation: Annotation, judge: str, seeds: Sequence[int], folds: int
) -> ConditionRecords:
    """What came out for a condition and judge of the treebank with this label."""
    measures = whole(
        records, Cell(treebank, "measures", annotation), lambda record: record.measures, (0,), folds
    )
    training, survival = attrgetter("training"), attrgetter("survival")
    return ConditionRecords(
        annotation.spelling,
        measures[0] if measures else [],
        whole(records, Cell(treebank, "a", judge=judge), training, seeds, folds),
        whole(records, Cell(treebank, "b", annotation, judge=judge), training, seeds, folds),
        whole(records, Cell(treebank, "c", annotation, judge=judge), survival, seeds, folds),
    )

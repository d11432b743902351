"""Group the records of a run by pair, seed and fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import msgspec

from learnability.comparing.results import BothResult, Measures, TrainingResult
from learnability.running.cell import Cell, key_of
from learnability.running.records import Records
from learnability.statistics.spread import scale_seed_ratio

T = TypeVar("T")
Result = TypeVar("Result", bound=msgspec.Struct)

Seeds = list[list[T]]
"""What came out, per seed, per fold."""


def find_results(records: Records, cell: Cell[Result], seeds: Sequence[int], folds: int = 1) -> Seeds[Result]:
    """Return what came out of a cell with each seed and fold; empty unless all of them are there."""
    results: Seeds[Result] = []
    for seed in seeds:
        of_folds = [records.result(replace(cell, seed=seed, fold=fold)) for fold in range(folds)]
        results.append([result for result in of_folds if result is not None])
    return results if all(len(of_folds) == folds for of_folds in results) else []


def per_sentence(seeds: Seeds[T], counts: Callable[[T], Sequence[int]]) -> list[list[int]]:
    """Per seed the counts of the test sentences of all folds."""
    return [[count for fold in seed for count in counts(fold)] for seed in seeds]


class TestedSentences(Protocol):
    """Represent what came out for the sentences that a fold tests."""

    @property
    def tokens(self) -> Sequence[int]:
        """Return the tokens of each sentence."""

    @property
    def documents(self) -> Sequence[int]:
        """Return the sentences of each document; empty where none is marked."""


def fold_numbers(seeds: Sequence[Sequence[TestedSentences]]) -> list[int]:
    return [number for number, fold in enumerate(seeds[0]) for _ in fold.tokens]


def document_numbers(seeds: Sequence[Sequence[TestedSentences]]) -> list[int]:
    """Return the number of the document of each test sentence; other folds have others."""
    lengths = [length for fold in seeds[0] for length in fold.documents or [len(fold.tokens)]]
    return [number for number, length in enumerate(lengths) for _ in range(length)]


def mean(values: Iterable[float]) -> float:
    """Return the plain sum by the count: `statistics.fmean` rounds otherwise, and files have every digit."""
    known = list(values)
    return sum(known) / len(known)


def test_places(records: Records, treebank: str, alternative: str) -> int | None:
    """Return the test places of an alternative, by its spelling; None if they were not counted."""
    measures = records.at(key_of(treebank, "measures", alternative), Measures)
    return None if measures is None else measures.test_places


@dataclass(frozen=True)
class PairRecords:
    """What came out for one pair (`case`, `scheme:all`): measures per fold, and what the settings gave.
    Empty unless all seeds and folds are there and had something to train on (lifting may take away a
    treebank's only places)."""

    alternative: str
    measures: list[Measures]
    a: Seeds[TrainingResult]
    b: Seeds[TrainingResult]
    c: Seeds[BothResult]

    def scale_ratio(self, seed_ratio: float) -> float:
        """Return the prior ratio of training noise for the sizes of the training and the test set.

        In cross-validation parsers learn from most of the treebank, so it stays as it is.
        """
        if len(self.a[0]) > 1 or not self.measures:
            return seed_ratio
        tested = sum(self.a[0][0].tokens)
        return scale_seed_ratio(seed_ratio, tested, self.measures[0].train_tokens)


def pair_records(
    records: Records, treebank: str, alternative: str, parser: str, seeds: Sequence[int], folds: int
) -> PairRecords:
    """Return what came out for an alternative and parser of a treebank, all as records spell them."""

    def every(
        setting: str, kind: type[Result], alternative: str, parser: str, seeds: Sequence[int]
    ) -> Seeds[Result]:
        results: Seeds[Result] = []
        for seed in seeds:
            keys = (
                key_of(treebank, setting, alternative, seed, fold, parser=parser) for fold in range(folds)
            )
            of_folds = [result for key in keys if (result := records.at(key, kind)) is not None]
            if len(of_folds) < folds:
                return []
            results.append(of_folds)
        return results

    measures = every("measures", Measures, alternative, "", (0,))
    return PairRecords(
        alternative=alternative,
        measures=measures[0] if measures else [],
        a=every("a", TrainingResult, "", parser, seeds),
        b=every("b", TrainingResult, alternative, parser, seeds),
        c=every("c", BothResult, alternative, parser, seeds),
    )

"""Train for `settle` on the folds of a treebank, whatever training and test sets it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import AlternativeCell, BaseCell, ComparisonCell
from learnability.comparing.fold import Fold
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.comparing.results import Struct
from learnability.studies.settle import FOLDS


@dataclass(frozen=True, kw_only=True)
class _OnFold(ComparisonCell):  # type: ignore[type-arg]
    """A training that finds the treebank cut into folds."""

    folds: int = FOLDS

    @cached_property
    def key(self) -> str:
        """Return the key of the record: fold 0 of three is not fold 0 of five."""
        cut = "" if self.folds == FOLDS else f"/folds={self.folds}"
        return f"{super().key}{cut}"

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the run, but for a treebank that is cross-validated and draws nothing."""
        options = super().fold_options(options)
        data = replace(options.data, splits="released", cross_validate=self.folds)
        return replace(options, data=data, trees=False)


@dataclass(frozen=True, kw_only=True)
class FoldBase(_OnFold, BaseCell):
    """Setting (a) on a fold."""

    SETTING: ClassVar[str] = "fold-a"


@dataclass(frozen=True, kw_only=True)
class FoldAlternative(_OnFold, AlternativeCell):
    """Setting (b) on a fold."""

    SETTING: ClassVar[str] = "fold-b"


class PlaceCounts(Struct, frozen=True, kw_only=True):
    """Hold the places of a construction in the sentences that a fold tests."""

    test_places: int


@dataclass(frozen=True, kw_only=True)
class FoldPlaces(_OnFold):
    """Count the places in the sentences that a fold tests."""

    SETTING: ClassVar[str] = "fold-places"
    RESULT: ClassVar[type[PlaceCounts]] = PlaceCounts
    COST = 0.01

    def compute(self, fold: Fold) -> PlaceCounts:
        return PlaceCounts(test_places=sum(map(len, fold.compare_pair(self.pair_on(fold)).test_places)))


FIRST_LOOK = 2
"""The passes before the first look: with one, training noise could not be measured."""


class PassTrainings:
    """List the trainings of each pass.

    A pass is one training of each annotation on each fold; the first has two, which come before the first
    look. What is listed is kept, because the engine asks again and again.
    """

    def __init__(self, plan: RunPlan, folds: int) -> None:
        self._plan, self._folds = plan, folds
        self._cells: dict[tuple[str, Annotation | None, int], list[list[ComparisonCell[Any]]]] = {}
        self._seconds: dict[tuple[str, Annotation | None, int], float] = {}

    def list_cells(
        self, treebank: str, annotations: Sequence[Annotation], number: int
    ) -> Iterator[ComparisonCell[Any]]:
        """Yield the trainings of alternatives and of the base in a pass, fold by fold: a process reads each
        once."""
        parts = [self._list_of(treebank, annotation, number) for annotation in (None, *annotations)]
        for of_fold in zip(*parts, strict=True):
            for cells in of_fold:
                yield from cells

    def seconds(self, treebank: str, annotations: Sequence[Annotation], number: int) -> float:
        """Return the processor seconds that these trainings take, as estimated."""
        seconds = 0.0
        for annotation in (None, *annotations):
            key = treebank, annotation, number
            if key not in self._seconds:
                self._seconds[key] = self._plan.seconds(cell for fold in self._list_of(*key) for cell in fold)
            seconds += self._seconds[key]
        return seconds

    def base(self, treebank: str) -> FoldBase:
        return FoldBase(**self._shared(treebank))

    def alternative(self, treebank: str, annotation: Annotation) -> FoldAlternative:
        return FoldAlternative(**self._shared(treebank), annotation=annotation)

    def places(self, treebank: str, annotation: Annotation) -> FoldPlaces:
        return FoldPlaces(**self._shared(treebank), annotation=annotation)

    def _shared(self, treebank: str) -> dict[str, Any]:
        return {
            "treebank": treebank,
            "alternatives": self._plan.options.alternatives,
            "folds": self._folds,
            "parser": self._plan.parsers[0],
        }

    def _list_of(
        self, treebank: str, annotation: Annotation | None, number: int
    ) -> list[list[ComparisonCell[Any]]]:
        key = treebank, annotation, number
        if key not in self._cells:
            seeds = range(1 if number == FIRST_LOOK else number, number + 1)
            self._cells[key] = [
                list(self._list_of_fold(treebank, annotation, fold, seeds)) for fold in range(self._folds)
            ]
        return self._cells[key]

    def _list_of_fold(
        self, treebank: str, annotation: Annotation | None, fold: int, seeds: range
    ) -> Iterator[ComparisonCell[Any]]:
        if annotation is None:
            for seed in seeds:
                yield replace(self.base(treebank), fold=fold, seed=seed)
            return
        if seeds.start == 1:  # places are counted once
            yield replace(self.places(treebank, annotation), fold=fold)
        for seed in seeds:
            yield replace(self.alternative(treebank, annotation), fold=fold, seed=seed)

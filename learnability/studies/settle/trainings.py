"""Train for `settle` on the folds of a treebank, whatever training and test sets it has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from learnability.comparing.cells import AlternativeCell, BaseCell, ComparisonCell
from learnability.comparing.fold import Fold
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import Struct
from learnability.studies.settle import FOLDS


@dataclass(frozen=True, kw_only=True)
class _OnFold(ComparisonCell):  # type: ignore[type-arg]
    """A training that finds the treebank cut into folds.

    Attributes:
        folds: how many there are.
    """

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
        """Count them."""
        return PlaceCounts(test_places=sum(map(len, fold.compare_pair(self.on(fold)).test_places())))

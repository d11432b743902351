"""What is to be run: a frozen configuration, and the cells it consists of.

A *condition* is treebank x transformation (or scheme). For each condition, seed and fold there is one
training of setting (b), on transformed trees, and one of setting (c), against all references; setting (a),
on the original trees, is shared by all conditions of a treebank. The measures need no training.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.splits import MissingTrain

Setting = Literal["a", "b", "c", "measures"]

NONPROJECTIVE = ("lift", "drop", "min-cost")
"""What is done with non-projective training trees under a projective system (design section 7)."""


@dataclass(frozen=True)
class DataOptions:
    """How splits are made up where they are missing (design section 4)."""

    missing_train: MissingTrain = "error"
    split: tuple[int, int, int] = (80, 10, 10)
    folds: int = 10
    multiple_roots: bool = False


@dataclass(frozen=True)
class ExperimentOptions:
    """Everything besides the treebanks that determines the results.

    Attributes:
        conditions: what is compared with UD: transformations (`case`, `cop:reattach=clause`) and
            schemes (`scheme:all`), in the order of the rows.
        seeds: how many seeds; they are 1, 2, ...
        iterations: exactly so many; None: until dev UAS has not improved for 3, at most 15.
        oracle: training regime of (a) and (b): dynamic or explore (static for arc-standard).
        max_options: see `multiref.references.MAX_OPTIONS`.
    """

    conditions: tuple[str, ...]
    seeds: int = 1
    iterations: int | None = None
    system: str = "arc-eager"
    oracle: str = "dynamic"
    tags: str = "gold"
    nonprojective: str = "lift"
    max_options: int = 4096
    data: DataOptions = field(default_factory=DataOptions)

    def as_json(self) -> dict[str, Any]:
        """A JSON-serialisable dictionary of the fields."""
        return asdict(self)


@dataclass(frozen=True, order=True)
class Cell:
    """One unit of work, and the key of its record.

    `condition` is empty for setting (a); `seed` is 0 for the measures.
    """

    treebank: int
    setting: Setting
    condition: str = ""
    seed: int = 0
    fold: int = 0

    @property
    def key(self) -> str:
        """The key under which the cell's record is found again."""
        return f"{self.treebank}/{self.setting}/{self.condition}/{self.seed}/{self.fold}"


@dataclass(frozen=True)
class Plan:
    """The treebanks, the options, and how many folds each treebank has."""

    treebanks: tuple[TreebankFiles, ...]
    options: ExperimentOptions
    folds: tuple[int, ...]

    @property
    def has_multiref(self) -> bool:
        """Whether setting (c) exists: not for arc-standard, which has no dynamic oracle."""
        return self.options.system != "arc-standard"

    def first_phase(self) -> list[Cell]:
        """The measures and setting (a), which tells setting (c) how long to train."""
        cells = []
        for t, folds in enumerate(self.folds):
            for fold in range(folds):
                cells += [Cell(t, "a", "", seed, fold) for seed in self._seeds()]
                cells += [Cell(t, "measures", c, 0, fold) for c in self.options.conditions]
        return cells

    def second_phase(self) -> list[Cell]:
        """Settings (b) and (c)."""
        settings: tuple[Setting, ...] = ("b", "c") if self.has_multiref else ("b",)
        return [
            Cell(t, setting, condition, seed, fold)
            for t, folds in enumerate(self.folds)
            for fold in range(folds)
            for condition in self.options.conditions
            for seed in self._seeds()
            for setting in settings
        ]

    def cells(self) -> list[Cell]:
        """All cells."""
        return self.first_phase() + self.second_phase()

    def _seeds(self) -> range:
        return range(1, self.options.seeds + 1)

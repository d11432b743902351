"""Train parsers on other languages in each annotation: which cells that takes, and what comes out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from learnability.extending import (
    Cell,
    ComparisonCell,
    ExperimentOptions,
    Fold,
    MainStudy,
    Outcome,
    Records,
    RunConfig,
    WarmUp,
)
from learnability.extensions.transfer.declaration import TransferOptions
from learnability.extensions.transfer.outcome import transfer_outcome
from learnability.extensions.transfer.targets import TransferTreebank

TRAINED_ON_BOTH = "c"
"""The setting of trainings on both annotations."""

DRAW_RATIO = 3.0
"""How much scores change with the drawn sentences and the seed, in place of `ParserKind.seed_ratio`; measured
on two practice treebanks (research/transfer)."""

SHARE_WITHOUT_WORDS = 0.5
"""The share of the usual processor time of trainings without words: 0.34 to 0.55 (research/transfer)."""


class TransferStudy(MainStudy[TransferOptions]):
    """Compare annotations as a run does, with sentences of other languages to learn from.

    Each seed draws sentences of its own. Nothing is trained on both annotations at once: what survives there
    would be about the sources.
    """

    @cached_property
    def config(self) -> RunConfig:
        """Return what is known of the run: drawn sentences add to what seeds change."""
        config = self.plan.config
        parsers = (replace(parser, seed_ratio=DRAW_RATIO) for parser in config.parsers)
        return replace(config, parsers=tuple(parsers))

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return those of a run but the trainings on both annotations."""
        cells = (cell for cell in self.cells if cell.SETTING != TRAINED_ON_BOTH)
        return [
            AbroadCell(treebank=cell.treebank, seed=cell.seed, parser=cell.parser, cell=cell)
            for cell in cells
        ]

    def next_cells(self, records: Records) -> Iterable[Cell[Any]]:
        return [cell for cell in self.plan_cells() if cell.key not in records]

    def interim(self, records: Records) -> Iterator[Any]:
        """Yield nothing: the words for comparisons are about what is easier at home."""
        yield from ()

    def outcome(self, records: Records) -> Outcome:
        return transfer_outcome(super().outcome(records).rows, self.plan, self.options)


@dataclass(frozen=True, kw_only=True)
class AbroadCell(Cell[Any]):
    """Represent a training or a measurement of a comparison, on sentences that its seed draws of sources.

    `cell`: what is done with them.
    """

    SETTING = "abroad"
    RESULT = object

    cell: ComparisonCell[Any]

    @property
    def subject(self) -> str:
        return self.cell.subject

    @cached_property
    def key(self) -> str:
        """Return the key of the record: that of a run, from which comparisons are made."""
        return self.cell.key

    @property
    def shared(self) -> tuple[Hashable, ...]:
        return self.cell.shared

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        return replace(self.cell.fold_options(options), trees=False)

    def compute(self, fold: Fold) -> Any:
        """Train and test, or measure; None without places."""
        return self.cell.compute(fold.make_once(Draws).of_seed(self.seed or 1))

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return SHARE_WITHOUT_WORDS * self.cell.seconds(options, tokens)

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return self.cell.kernels(self.fold_options(options))


class Draws:
    """Hold the folds of the draws of a target: made once, all annotations of a seed learn from the same
    sentences."""

    def __init__(self, fold: Fold) -> None:
        assert isinstance(fold.treebank, TransferTreebank)
        self._treebank, self._options = fold.treebank, fold.options
        self._of_seed = {1: fold}  # it holds the first draw

    def of_seed(self, seed: int) -> Fold:
        """Return the fold of a draw, made once."""
        if seed not in self._of_seed:
            treebank = self._treebank.of_draw(seed)
            self._of_seed[seed] = Fold(treebank, self._options, cross_validated=False)
        return self._of_seed[seed]

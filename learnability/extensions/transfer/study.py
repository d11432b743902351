"""Train parsers on other languages in each annotation: which cells that takes, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from learnability.extending import (
    AlternativeCell,
    BaseCell,
    ComparisonCell,
    ExperimentOptions,
    Fold,
    InputError,
    MainStudy,
    Outcome,
    Records,
    RunConfig,
    TrainingResult,
)
from learnability.extensions.transfer.declaration import TransferOptions
from learnability.extensions.transfer.outcome import transfer_outcome
from learnability.extensions.transfer.targets import TransferTreebank

TRAINED_ON_BOTH = "c"
"""The setting of trainings on both annotations."""


DRAW_RATIO = 3.0
"""How much scores change with the drawn sentences and the seed, in place of `ParserKind.seed_ratio`; measured
on two practice treebanks (research/transfer)."""


class TransferStudy(MainStudy[TransferOptions]):
    """Compare annotations as a run does, with sentences of other languages to learn from.

    Each seed draws sentences of its own. Nothing is trained on both annotations at once: what survives there
    would be about the sources.
    """

    @classmethod
    def check(cls, run: ExperimentOptions, options: TransferOptions) -> None:
        """Refuse parsers that see words, with an InputError."""
        super().check(run, options)
        if run.tags != "only":
            raise InputError("parsers of other languages see tags and no words; leave out `tags`")

    @cached_property
    def config(self) -> RunConfig:
        """Return what is known of the run: drawn sentences add to what seeds change."""
        config = self.plan.config
        parsers = (replace(parser, seed_ratio=DRAW_RATIO) for parser in config.parsers)
        return replace(config, parsers=tuple(parsers))

    @cached_property
    def cells(self) -> list[ComparisonCell[Any]]:
        return [with_draws(cell) for cell in super().cells if cell.SETTING != TRAINED_ON_BOTH]

    def outcome(self, records: Records) -> Outcome:
        return transfer_outcome(super().outcome(records).rows, self.plan, self.options)


class Draws:
    """Hold the folds of the draws of a target, so that all annotations of a seed learn from the same ones."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._of_seed = {1: fold}  # it holds the first draw

    def of_seed(self, seed: int) -> Fold:
        """Return the fold of a draw, made once."""
        if seed not in self._of_seed:
            treebank = self._fold.treebank
            assert isinstance(treebank, TransferTreebank)
            self._of_seed[seed] = Fold(treebank.of_draw(seed), self._fold.options, cross_validated=False)
        return self._of_seed[seed]


@dataclass(frozen=True, kw_only=True)
class DrawnBaseCell(BaseCell):
    """Train on the original annotation of the sentences that the seed draws."""

    def compute(self, fold: Fold) -> TrainingResult | None:
        """Train and test."""
        return super().compute(fold.make_once(Draws).of_seed(self.seed))


@dataclass(frozen=True, kw_only=True)
class DrawnAlternativeCell(AlternativeCell):
    """Train on the alternative annotation of the sentences that the seed draws."""

    def compute(self, fold: Fold) -> TrainingResult | None:
        """Train and test; None without places."""
        return super().compute(fold.make_once(Draws).of_seed(self.seed))


def with_draws(cell: ComparisonCell[Any]) -> ComparisonCell[Any]:
    """Return a training that learns from the sentences of its seed; other cells as they are."""
    kinds = {BaseCell: DrawnBaseCell, AlternativeCell: DrawnAlternativeCell}
    kind = kinds.get(type(cell))
    if kind is None:
        return cell
    return kind(**{field.name: getattr(cell, field.name) for field in fields(cell)})

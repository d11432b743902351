"""Train parsers on other languages in each annotation: which cells that takes, and what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from msgspec.structs import replace as replace_fields

from learnability.extending import (
    Cell,
    ComparisonCell,
    ComparisonRow,
    ExperimentOptions,
    Fold,
    InputError,
    MainStudy,
    Outcome,
    Records,
    RunConfig,
    RunPlan,
    WarmUp,
)
from learnability.extensions.transfer.declaration import TransferOptions
from learnability.extensions.transfer.outcome import beside_home, transfer_outcome
from learnability.extensions.transfer.targets import TransferFiles, TransferTarget, TransferTreebank

TRAINED_ON_BOTH = "c"
"""The setting of trainings on both annotations."""

DRAW_RATIO = 3.0
"""How much scores change with the drawn sentences and the seed, in place of `ParserKind.seed_ratio`; measured
on two practice treebanks (research/transfer)."""

SHARE_WITHOUT_WORDS = 0.5
"""The share of the usual processor time of trainings without words: 0.34 to 0.55 (research/transfer)."""

USUAL_SOURCES = 50
"""Sources of a treebank in a run, whose number is not known yet; only for estimates."""


class TransferStudy(MainStudy[TransferOptions]):
    """Compare annotations as a run does, with sentences of other languages to learn from.

    Each seed draws sentences of its own. Nothing is trained on both annotations at once: what survives there
    would be about the sources. As part of a run, it stands beside what parsers learn at home.
    """

    @classmethod
    def find_obstacle(cls, run: ExperimentOptions) -> str:
        """Return that no rule makes an alternative of the sources, if none does."""
        for annotation in run.alternatives:
            if not annotation.has_rule:
                return (
                    f"{annotation.name} has no rules that could rewrite other languages; leave out `transfer`"
                )
        return ""

    @classmethod
    def check_plan(cls, plan: RunPlan, options: TransferOptions) -> None:
        """Refuse treebanks without sources, before anything is written, with an InputError."""
        for files in plan.treebanks:
            if not isinstance(files, TransferFiles):
                TransferTarget.beside(files.folder, options).files()

    @cached_property
    def config(self) -> RunConfig:
        """Return what is known of the run: drawn sentences add to what seeds change."""
        config = self.plan.config
        parsers = (replace(parser, seed_ratio=DRAW_RATIO) for parser in config.parsers)
        return replace(config, parsers=tuple(parsers))

    def plan_cells(self) -> Sequence[Cell[Any]]:
        return [self._abroad(cell) for cell in self.cells if cell.SETTING != TRAINED_ON_BOTH]

    def _abroad(self, cell: ComparisonCell[Any]) -> AbroadCell:
        files, _ = self.plan.by_label[cell.treebank]
        tokens = self.plan.tokens(cell.treebank, 0)
        if not isinstance(files, TransferFiles):
            tokens = USUAL_SOURCES * self.options.words
        return AbroadCell(
            treebank=cell.treebank,
            seed=cell.seed,
            parser=cell.parser,
            cell=cell,
            options=self.options,
            tokens=tokens,
        )

    def next_cells(self, records: Records) -> Iterable[Cell[Any]]:
        return [cell for cell in self.plan_cells() if cell.key not in records]

    def outcome(self, records: Records) -> Outcome:
        return transfer_outcome(self._compare(records), self.plan, self.options)

    @classmethod
    def combine(cls, runs: Sequence[tuple[Self, Records]]) -> Outcome:
        """Return what runs over several targets show together.

        Raises:
            InputError: sources were chosen in different ways, or a target is in two runs.
        """
        first, _ = runs[0]
        if any(study.options.choice_of_sources != first.options.choice_of_sources for study, _ in runs):
            raise InputError(
                "the runs differ in sources, families left out or words; compare runs that do not"
            )
        rows = [row for study, records in runs for row in study._compare(records)]
        twice = Counter((row.treebank_label, row.name, row.parser) for row in rows).most_common(1)
        if twice and twice[0][1] > 1:
            raise InputError(f"{' '.join(twice[0][0]).strip()} is in two runs; compare only one of them")
        plans = [study.plan for study, _ in runs]
        facts = {id_: each for plan in plans for id_, each in plan.by_label.items()}
        treebanks, known = zip(*facts.values(), strict=True)
        return transfer_outcome(rows, replace(first.plan, treebanks=treebanks, facts=known), first.options)

    def _compare(self, records: Records) -> Sequence[ComparisonRow]:
        return super().outcome(without_setting(records)).rows

    def complete_outcome(self, outcome: Outcome, rows: Sequence[ComparisonRow], records: Records) -> Outcome:
        """Return the outcome; in a run, beside what the run says of each construction."""
        return beside_home(outcome, self._compare(records), rows) if rows else outcome


SETTING = "abroad"
"""That of all cells, which stands in their keys before the setting at home."""


def without_setting(records: Records) -> Records:
    """Return the records of parsers of other languages, under the keys that those at home would have."""
    return Records(
        replace_fields(record, key=record.key.replace(f"/{SETTING}/", "/", 1))
        for record in records.values()
        if record.setting == SETTING
    )


@dataclass(frozen=True, kw_only=True)
class AbroadCell(Cell[Any]):
    """Represent a training or a measurement of a comparison, on sentences that its seed draws of sources.

    `tokens`: about how many words are learned from; only for estimates.
    """

    SETTING = SETTING
    RESULT = object

    cell: ComparisonCell[Any]
    options: TransferOptions
    tokens: int

    @property
    def subject(self) -> str:
        return self.cell.subject

    @cached_property
    def key(self) -> str:
        return self.cell.key.replace("/", f"/{SETTING}/", 1)

    @property
    def shared(self) -> tuple[Hashable, ...]:
        return (*self.cell.shared, SETTING)

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        return replace(self.cell.fold_options(options), tags="only", trees=False)

    def compute(self, fold: Fold) -> Any:
        """Train and test, or measure; None without places."""
        return self.cell.compute(fold.make_once(DrawsOf(self.options)).of_seed(self.seed or 1))

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return SHARE_WITHOUT_WORDS * self.cell.seconds(options, self.tokens)

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return self.cell.kernels(self.fold_options(options))


@dataclass(frozen=True)
class DrawsOf:
    """Make the folds of the draws of a target: made once, all annotations of a seed learn from the same
    sentences.

    `options`: which sources they are of, where the fold is one of the target alone.
    """

    options: TransferOptions

    def __call__(self, fold: Fold) -> Draws:
        return Draws(fold, self.options)


class Draws:
    """Hold the folds of the draws of a target."""

    def __init__(self, fold: Fold, options: TransferOptions) -> None:
        self._options = fold.options
        treebank = fold.treebank
        if not isinstance(treebank, TransferTreebank):
            treebank = TransferTarget.add_sources(treebank, options, fold.options.data.reading)
        self._treebank = treebank
        self._of_seed: dict[int, Fold] = {}
        if treebank is fold.treebank:
            self._of_seed[1] = fold  # it holds the first draw

    def of_seed(self, seed: int) -> Fold:
        """Return the fold of a draw, made once."""
        if seed not in self._of_seed:
            treebank = self._treebank.of_draw(seed)
            self._of_seed[seed] = Fold(treebank, self._options, cross_validated=False)
        return self._of_seed[seed]

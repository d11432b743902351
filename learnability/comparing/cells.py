"""Define the cells of a comparison: what to train and measure of two annotations on one fold of a treebank.

Setting (a) trains on the original annotation, (b) on the alternative, (c) once against both, and the measures
need no training (Wisniewski, Lacroix & Yvon 2018, Section 4). Any study can use them.
"""

from __future__ import annotations

import os
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, ClassVar, TypeVar

import msgspec

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.fold_trees import Sets
from learnability.comparing.measures import measure
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.plan import RunPlan
from learnability.comparing.results import BothResult, Measures, TrainingResult
from learnability.comparing.run_parsers import parser_options_of, trainer_of
from learnability.comparing.scoring import score_training
from learnability.comparing.short_trainings import ShortResult, train_short
from learnability.comparing.trainings import train_and_test, train_annotation, train_on_both
from learnability.multiref.references import LabelOption
from learnability.parsers.trainer import TrainedParser
from learnability.parsing.parser import SMALL, ParserOptions, warm_up_classifier
from learnability.running.cell import Cell, WarmUp
from learnability.running.records import Record, Records
from learnability.support.memory import peak_memory
from learnability.treebanks.locate import TreebankFiles

Result = TypeVar("Result", bound=msgspec.Struct)

COSTLY = 2.0
"""Processor seconds of a training on 1,000 tokens from which on a parser is trained after all others."""


@dataclass(frozen=True, kw_only=True)
class ComparisonCell(Cell[Result]):
    """Represent a cell of a comparison.

    `annotation` is None if the original is trained alone, `alternatives` are what else the original is
    compared with, by whose parts (a) is scored; None: those of the run.
    """

    COST: ClassVar[float] = 1.0
    """How long it takes, as a multiple of a training on one annotation; only for estimates."""

    MARGINS: ClassVar[bool] = False
    """Whether it asks for the margins of arcs and labels."""

    annotation: Annotation | None = None
    alternatives: tuple[Annotation, ...] | None = None

    @property
    def subject(self) -> str:
        return self.annotation.spelling if self.annotation else ""

    def pair_on(self, fold: Fold) -> Pair[Annotation]:
        """Return the pair: the original annotation of the fold, and that of the cell."""
        assert self.annotation is not None
        return Pair(fold.base.annotation, self.annotation)

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        return self._options_of_parser(options, self.parser)

    def _options_of_parser(self, options: ExperimentOptions, parser: str) -> ExperimentOptions:
        if self.alternatives is not None:
            options = replace(options, alternatives=self.alternatives)
        return options.with_parser(parser)

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        """Return a rough estimate of the processor seconds."""
        parser = next(parser for parser in options.parsers if parser.spelling == self.parser)
        return self.COST * parser.kind.estimated_seconds(
            round(tokens * self.share), labelled=options.labels is not None, iterations=options.iterations
        )

    def train_and_score(self, fold: Fold, sets: Sets) -> TrainingResult:
        """Train, parse the test set, and return the scores on its annotation; RunError if it failed."""
        return score_training(train_and_test(fold, sets, self.seed))

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        """Return what compiles the kernels of the parser."""
        of_parser = self.fold_options(options)
        (parser,) = of_parser.parsers
        if not parser.kind.compiled:
            return ()
        function = warm_up_margins if self.MARGINS else warm_up_parser
        return (WarmUp(parser.kind.name, function, (kernel_options(of_parser),)),)


def kernel_options(options: ExperimentOptions) -> ExperimentOptions:
    return ExperimentOptions((), parsers=options.parsers, labels=options.labels, tags=options.tag_column)


@dataclass(frozen=True, kw_only=True)
class BaseCell(ComparisonCell[TrainingResult]):
    """Setting (a): train on the original annotation."""

    SETTING = "a"
    RESULT = TrainingResult

    def compute(self, fold: Fold) -> TrainingResult | None:
        return train_annotation(fold, None, self.seed, keep=_keeps_examples(self, fold))


@dataclass(frozen=True, kw_only=True)
class AlternativeCell(ComparisonCell[TrainingResult]):
    """Setting (b): train on the alternative."""

    SETTING = "b"
    RESULT = TrainingResult

    def compute(self, fold: Fold) -> TrainingResult | None:
        return train_annotation(fold, self.pair_on(fold), self.seed, keep=_keeps_examples(self, fold))


def _keeps_examples(cell: Cell[Any], fold: Fold) -> bool:
    return fold.options.trees and cell.seed == 1 and cell.fold == 0


@dataclass(frozen=True, kw_only=True)
class BothCell(ComparisonCell[BothResult]):
    """Setting (c): train once against all references between the two; as long as (a) trained."""

    SETTING = "c"
    RESULT = BothResult
    COST = 0.5
    iterations: int = 0

    def compute(self, fold: Fold) -> BothResult | None:
        return train_on_both(fold, self.pair_on(fold), self.seed, self.iterations)

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (multiref_kernels(self.fold_options(options)),)


@dataclass(frozen=True, kw_only=True)
class MeasuresCell(ComparisonCell[Measures]):
    """Hold the counts and the measures of a pair, which need no training."""

    SETTING = "measures"
    RESULT = Measures

    def compute(self, fold: Fold) -> Measures:
        return measure(fold, self.pair_on(fold))

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        return self._options_of_parser(options, options.parsers[0].spelling)

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return tokens / 120_000

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (WarmUp("arc-eager", warm_up_classifier, seconds=1.5),)


@dataclass(frozen=True, kw_only=True)
class ShortCell(ComparisonCell[ShortResult]):
    """Represent a short training of both annotations by our own parser, on a share of a sample drawn by the
    seed."""

    SETTING = "short"
    RESULT = ShortResult

    def compute(self, fold: Fold) -> ShortResult | None:
        return train_short(fold, self.pair_on(fold), self.share, self.seed)

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the usual parser, and no pairs: the fold serves all of them."""
        return replace(options, parsers=(), alternatives=())

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return 0.1


def comparison_cells(plan: RunPlan, *, both: bool = True) -> list[ComparisonCell[Any]]:
    """Return all cells that compare the alternatives of a run with the original annotation.

    Setting (c) is among them if the plan has a parser that can be trained against `both` annotations.

    The order is the one in which they are best computed: parsers that cost much come last; the largest
    treebanks first, so that no long training is left for the end; those of one treebank and fold together, so
    that a process reads it once.
    """
    cells: list[ComparisonCell[Any]] = []
    labelled = plan.options.labels is not None
    costly = [parser.spelling for parser in plan.options.parsers if parser.kind.seconds[labelled] >= COSTLY]
    cheap = [parser for parser in plan.parsers if parser not in costly]
    for parsers, name in product((cheap, costly), plan.largest_first()):
        for fold, parser in product(plan.folds(name), parsers):
            of_fold: dict[str, Any] = {
                "treebank": name,
                "fold": fold,
                "alternatives": plan.options.alternatives,
            }
            cells += [BaseCell(**of_fold, parser=parser, seed=seed) for seed in plan.seeds]
            for annotation in plan.options.alternatives:
                if parser == plan.parsers[0]:
                    cells.append(MeasuresCell(**of_fold, annotation=annotation))
                train_alternative = partial(AlternativeCell, **of_fold, parser=parser, annotation=annotation)
                cells += [train_alternative(seed=seed) for seed in plan.seeds]
                if (
                    both
                    and parser == plan.multiref_parser
                    and Pair(plan.options.against, annotation).can_train_on_both
                ):
                    train_both = partial(BothCell, **of_fold, parser=parser, annotation=annotation)
                    cells += [train_both(seed=seed) for seed in plan.seeds]
    return cells


def computable(cells: Iterable[ComparisonCell[Any]], records: Records) -> Iterator[ComparisonCell[Any]]:
    """Yield the cells that are not recorded and can be computed.

    Setting (c) trains as long as (a) of its seed did, so it waits for that. It comes as soon as (a) is
    recorded, while the process that trained (a) still has the fold.
    """
    held: defaultdict[BaseCell, list[BothCell]] = defaultdict(list)
    seen = len(records)
    for cell in cells:
        if held and len(records) > seen:
            seen = len(records)
            yield from _release_held(held, records)
        if cell.key in records:
            continue
        if not isinstance(cell, BothCell):
            yield cell
            continue
        held[_base_cell(cell)].append(cell)
        if _base_cell(cell).key in records:
            yield from _release_held(held, records)
    yield from _release_held(held, records)


def _base_cell(cell: BothCell) -> BaseCell:
    return BaseCell(treebank=cell.treebank, seed=cell.seed, fold=cell.fold, parser=cell.parser)


def _release_held(held: dict[BaseCell, list[BothCell]], records: Records) -> Iterator[ComparisonCell[Any]]:
    for base in [base for base in held if base.key in records]:
        result = records.result(base)
        for cell in held.pop(base):
            if result is not None:
                yield replace(cell, iterations=result.iterations)


def run_cell(
    files: TreebankFiles, options: ExperimentOptions, cell: Cell[Any], sha256: Mapping[str, str]
) -> Record:
    """Return the record of a cell; InputError if the files are not those of the plan any more."""
    began = time.perf_counter()
    fold = fold_of(files, cell.fold_options(options), cell.fold)
    fold.check_unchanged(sha256)
    prepared = time.perf_counter()
    result = cell.compute(fold)
    return Record.of(
        cell,
        result,
        wall_seconds=round(time.perf_counter() - began, 3),
        read_seconds=round(prepared - began, 3),
        worker=f"{socket.gethostname()}:{os.getpid()}",
        peak_memory_mb=peak_memory(),
    )


def task_of(plan: RunPlan, cell: Cell[Any]) -> Callable[[], Record]:
    """Return what computes a cell of a plan, in any process."""
    files, facts = plan.by_label[cell.treebank]
    return partial(run_cell, files, plan.options, cell, facts.sha256)


def warm_up_parser(options: ExperimentOptions) -> TrainedParser:
    """Compile (or load) the kernels of the parser of the options; return the parser that it took."""
    trained = trainer_of(options).train([SMALL], [SMALL], 1)
    trained.parse([SMALL])
    return trained


def warm_up_margins(options: ExperimentOptions) -> None:
    """Compile (or load) the kernels of the parser of the options, and those of the margins that it has."""
    trained = warm_up_parser(options)
    if trained.margins is not None:
        trained.margins([SMALL])


def multiref_kernels(options: ExperimentOptions) -> WarmUp:
    """Return what compiles the kernels of training against sets of references by the parser of the
    options."""
    (parser,) = options.parsers
    encoding = parser_options_of(trainer_of(options), options.tag_column)
    return WarmUp(parser.kind.name, warm_up_multiref, (encoding, options.labels), seconds=7.0)


def warm_up_multiref(options: ParserOptions, labels: LabelOption | None) -> None:
    """Compile (or load) the kernels of training against sets of references."""
    from learnability.multiref.arrays import encode_references, labels_of
    from learnability.multiref.references import reference_set
    from learnability.multiref.training import train_on_references
    from learnability.parsing.encoding import NO_LABELS
    from learnability.transforms.registry import get_transformation

    corpus = options.encode([SMALL])
    sets = [reference_set(SMALL, get_transformation("det"), labels=labels)]
    known = labels_of(sets) if labels else NO_LABELS
    references, table = encode_references(corpus, sets, known)
    train_on_references(corpus, references, table, options, 1, labels=known)

"""What is to be run: a frozen configuration, and the cells it consists of.

A *condition* is treebank x transformation (or scheme). For each condition, seed and fold there is one
training of setting (b), on transformed trees, and one of setting (c), against all references; setting (a),
on the original trees (or those of another scheme), is shared by all conditions of a treebank. The measures
need no training. Each judge trains (a) and (b); the other trainings have one (`judging`).

On request there are further trainings of a treebank (one that is not cross-validated): `joint` against the
references of all single transformations at once; `verify`, on the schemes that agree best with what survived
there; and `curve`, settings (a) and (b) on parts of the training data. A run that predicts (`quick`) has
cells of the setting `short` instead, which train both annotations on small samples; judges are asked only
about what these leave undecided. A `search` has such cells, too; which ones depends on what was found, so
its plan grows from round to round (`studies.search.study`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from learnability.comparing.annotation import Annotation
from learnability.comparing.condition import Condition, transformed_of
from learnability.comparing.fold import read_folds
from learnability.comparing.judging import judged_by, judges_of, multiref_judge
from learnability.comparing.options import DataOptions, ExperimentOptions, OracleOptions
from learnability.comparing.results import Record
from learnability.comparing.sites import SiteFacts, site_facts
from learnability.errors import InputError
from learnability.judges.registry import judge_named
from learnability.treebanks.locate import TreebankFiles

if TYPE_CHECKING:
    from learnability.studies.search.space import Space

Setting = Literal["a", "b", "c", "measures", "joint", "verify", "curve", "short"]

CURVE_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""The shares of the training tokens in a learning curve; of the last, (a) and (b) are the trainings."""

ROUNDS = ((1 / 8, 1), (1 / 4, 1), (1 / 4, 2))
"""The short trainings of a condition: the share of a sample, and the seed that draws it."""


@dataclass(frozen=True)
class Cell:
    """One unit of work, and the key of its record. `treebank` is a :func:`label`; `annotation` that of
    setting (b), None in settings (a), joint and verify. The measures have seed 0 and no judge. `share`: of
    the training data in a `curve`, of a sample of it in a `short` training; `rank`: that of the scheme to
    `verify`, from 1; `judge`: who trains, empty in a run that was given none."""

    treebank: str
    setting: Setting
    annotation: Annotation | None = None
    seed: int = 0
    fold: int = 0
    share: float = 1.0
    rank: int = 0
    judge: str = ""

    @property
    def key(self) -> str:
        """The key under which the cell's record is found again."""
        part = "" if self.share == 1 else f"/{self.share}"
        judge = f"/judge={self.judge}" if self.judge else ""
        return f"{self.treebank}/{self.setting}/{self._condition}/{self.seed}/{self.fold}{part}{judge}"

    @property
    def _condition(self) -> str:
        if self.rank:
            return str(self.rank)
        return self.annotation.spelling if self.annotation else ""

    def record(self, **result: Any) -> Record:
        """The record of the cell with these results."""
        same = {name: value for name, value in vars(self).items() if name != "annotation"}
        condition = self.annotation.spelling if self.annotation else ""
        return Record(key=self.key, condition=condition, **same, **result)

    @property
    def title(self) -> str:
        """What progress calls the cell."""
        return " ".join(filter(None, (self.treebank, f"({self.setting})", self._condition, self.judge)))


def short_trainings(
    treebank: str, annotation: Annotation, rounds: Iterable[tuple[float, int]] = ROUNDS
) -> list[Cell]:
    """The short trainings of a condition."""
    return [Cell(treebank, "short", annotation, seed, share=share) for share, seed in rounds]


def label(files: TreebankFiles) -> str:
    """What identifies a treebank in a plan: its name, with the release where it is known."""
    return label_of(files.name, files.release)


def label_of(name: str, release: str) -> str:
    """:func:`label`, from name and release."""
    return f"{name}@{release}" if release else name


@dataclass(frozen=True)
class TreebankFacts:
    """What is known of a treebank once it was read: `folds` is 1 unless it is cross-validated, `train_tokens`
    are those of each fold, `split_policy` says how missing splits were made up, `sha256` is of every file
    read, `warnings` are what a user should know, one line each, `sites` are facts about the annotations."""

    folds: int
    train_tokens: tuple[int, ...]
    split_policy: str
    sha256: dict[str, str]
    warnings: tuple[str, ...] = ()
    sites: SiteFacts = field(default_factory=SiteFacts)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The split policy, if any, and the warnings."""
        return (*([self.split_policy] if self.split_policy else []), *self.warnings)


def facts_of(
    files: TreebankFiles, options: DataOptions, annotations: Sequence[Annotation] = ()
) -> TreebankFacts:
    """What a plan has to know of a treebank, and of the annotations there; InputError if a fold has nothing
    to train or to test on."""
    folds = read_folds(files, options)
    if not all(fold.train and fold.dev and fold.test for fold in folds):
        raise InputError(f"{files.name}: no sentences in train, dev or test; give other files")
    return TreebankFacts(
        folds=len(folds),
        train_tokens=tuple(sum(map(len, fold.train)) for fold in folds),
        split_policy=folds[0].split_policy,
        sha256=dict(folds[0].files),
        warnings=folds[0].warnings,
        sites=site_facts(folds[0], annotations) if annotations else SiteFacts(),
    )


@dataclass(frozen=True)
class TreebankPlan:
    """The treebanks of an experiment in the order of the rows, what is known of each, and the options."""

    treebanks: tuple[TreebankFiles, ...]
    facts: tuple[TreebankFacts, ...]
    options: ExperimentOptions | OracleOptions

    @cached_property
    def by_label(self) -> dict[str, tuple[TreebankFiles, TreebankFacts]]:
        """The treebanks and their facts by label."""
        pairs = zip(self.treebanks, self.facts, strict=True)
        return {label(files): (files, facts) for files, facts in pairs}

    @property
    def seeds(self) -> range:
        """The seeds."""
        return range(1, self.options.seeds + 1)


@dataclass(frozen=True)
class Plan(TreebankPlan):
    """The treebanks, the options, and the cells of a run; `unusable`: labels of unreadable treebanks with the
    reason. Of a search `space` is what it chooses between, and `searched` are its cells so far; when these
    are all, the conditions of the options are its finalists, and before that there are none."""

    options: ExperimentOptions
    unusable: tuple[tuple[str, str], ...] = ()
    space: Space | None = None
    searched: tuple[Cell, ...] = ()

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges, as cells name them; the first draws learning curves."""
        return judges_of(self.options)

    @cached_property
    def multiref_judge(self) -> str | None:
        """The judge of settings (c) and joint, None where they do not exist (`judging.multiref_judge`); a
        search has no setting (c)."""
        return None if self.options.search else multiref_judge(self.options)

    @property
    def has_joint_references(self) -> bool:
        """Whether the parser of a search can be trained against the references of all transformations."""
        return multiref_judge(self.options) is not None

    def cells(self) -> list[Cell]:
        """All cells in the order in which they are best computed: largest treebanks first, so that no long
        training is left for the end; those of one treebank and fold together, so that a process reads it
        once; those that others need before all others."""
        largest = sorted(self.by_label, key=lambda name: (-sum(self.by_label[name][1].train_tokens), name))
        if self.space is not None and not self.options.conditions:  # its finalists are not known yet
            largest = []
        own = (
            cell
            for name in largest
            for fold, judge in product(range(self.by_label[name][1].folds), self.judges)
            for cell in self._cells_of(name, fold, judge)
        )
        return [*self.searched, *own]

    def _cells_of(self, name: str, fold: int, judge: str) -> Iterator[Cell]:
        annotations = transformed_of(self.options)
        first, multiref = judge == self.judges[0], judge == self.multiref_judge
        of = partial(Cell, name, fold=fold, judge=judge)
        if self.options.quick and first and fold == 0:
            for annotation in annotations:
                yield from short_trainings(name, annotation)
        if self.options.quick and not self.options.judges:
            return
        yield from (of("a", seed=seed) for seed in self.seeds)
        if self.options.joint and multiref:
            yield from (of("joint", seed=seed) for seed in self.seeds)
            ranks = range(1, self.options.verify + 1)
            yield from (of("verify", seed=seed, rank=rank) for rank in ranks for seed in self.seeds)
        for annotation in annotations:
            if first:
                yield Cell(name, "measures", annotation, fold=fold)
            yield from (of("b", annotation, seed) for seed in self.seeds)
            if multiref and Condition(self.options.against, annotation).has_survival:
                yield from (of("c", annotation, seed) for seed in self.seeds)
        if self.options.learning_curve and first:
            parts = product(reversed(CURVE_SHARES[:-1]), (None, *annotations), self.seeds)
            yield from (of("curve", annotation, seed, share=share) for share, annotation, seed in parts)

    def needed(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells whose records this one needs: setting (a) tells (c) and `joint` of the same seed how long
        to train, the joint trainings of all seeds which schemes to verify, the short trainings so far
        whether more is to be trained. What a search needs is there before its plan grows."""
        if self.space is not None:
            return ()
        same = replace(cell, annotation=None, rank=0)
        short = self._short_trainings(cell) if self.options.quick else ()
        if cell.setting in ("c", "joint"):
            return (replace(same, setting="a"), *short)
        if cell.setting == "verify":
            return tuple(replace(same, setting="joint", seed=seed) for seed in self.seeds)
        return short

    def _short_trainings(self, cell: Cell) -> tuple[Cell, ...]:
        """Those that come before a cell: of its condition, or of all if it serves all."""
        rounds = ROUNDS[: ROUNDS.index((cell.share, cell.seed))] if cell.setting == "short" else ROUNDS
        annotations = transformed_of(self.options) if cell.annotation is None else [cell.annotation]
        return tuple(
            short
            for annotation in annotations
            for short in short_trainings(cell.treebank, annotation, rounds)
        )

    def options_of(self, cell: Cell) -> ExperimentOptions:
        """The options with the cell's judge alone; what needs no training goes by the first judge's trees.
        Short trainings are always of our own parser."""
        if cell.setting == "short":
            return replace(self.options, judges=(), conditions=())
        if cell.setting == "joint" and self.space is not None:
            return replace(self.options, conditions=self.space.first_choices())
        return judged_by(self.options, cell.judge or self.judges[0])

    def seconds(self, cell: Cell) -> float:
        """A rough estimate of the time a cell takes, in seconds of one processor."""
        tokens = self.by_label[cell.treebank][1].train_tokens[cell.fold]
        if cell.setting == "measures":
            return tokens / 120_000
        if cell.setting == "short":
            return 0.1
        labelled = self.options.labels is not None
        seconds = judge_named(cell.judge or self.options.system).kind.seconds[labelled]
        # one training against many trees costs as much as one and a half, or two
        cost = {"c": 1.5, "joint": 2.0}.get(cell.setting, 1.0)
        if self.options.iterations:
            cost *= self.options.iterations / 12  # about when dev decides to stop
        return tokens * cell.share * seconds * cost / 1000

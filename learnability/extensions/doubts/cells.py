"""The cells of `doubts`: what the validator and each parser say of the sentences.

A parser of a fold is trained on all other folds, with a fixed number of iterations, so that no sentence is
needed as a development set.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from learnability.extending import (
    Cell,
    ClassifiedWords,
    ComparisonCell,
    ExperimentOptions,
    Fold,
    SentenceChecker,
    Tree,
    WarmUp,
    assess_trees,
)
from learnability.extensions.doubts.columns import (
    LEMMA,
    are_alternatives,
    doubted_words,
    value_columns,
    values_in,
)
from learnability.extensions.doubts.results import (
    ColumnScores,
    ColumnsResult,
    MarginsResult,
    ValidatorResult,
    VotesResult,
    finite,
)

TREE = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
"""A tree that is large enough to call every kernel."""

ITERATIONS = 10
"""Passes over the training sentences."""

FORMS, LEMMAS = "forms", "lemmas"
READINGS = (FORMS, LEMMAS)
"""What the graph-based parser reads: forms and tags, or lemmas and tags with `FEATURES`. Parsers that see
different columns err on different words, so they know more together than two trainings of one of them."""

FEATURES = frozenset({"Case", "Mood", "PronType", "Voice", "VerbForm"})
"""The features that say most about heads and relations; with all others, tags become too rare."""


@dataclass(frozen=True, kw_only=True)
class ValidatorCell(Cell[ValidatorResult]):
    """Validate the files of the treebank, if the official validator is installed."""

    SETTING: ClassVar[str] = "validator"
    RESULT: ClassVar[type[ValidatorResult]] = ValidatorResult

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the first parser, as for `FilesCell`."""
        return options.with_parser(options.parsers[0].spelling)

    def compute(self, fold: Fold) -> ValidatorResult:
        """Return what the validator finds in the files; nothing if it is missing, or breaks off."""
        found = SentenceChecker.check_files([Path(path) for path in fold.treebank.files])
        return ValidatorResult() if found is None else ValidatorResult(is_complete=True, incidents=found)

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return tokens * 0.2 / 1000 if shutil.which(SentenceChecker.PROGRAM) else 0.0


@dataclass(frozen=True, kw_only=True)
class VotesCell(ComparisonCell[VotesResult]):
    """Train a labelled parser on the other folds, parse this one, and ask how it sees the annotation."""

    SETTING = "votes"
    RESULT: ClassVar[type[Any]] = VotesResult
    MARGINS: ClassVar[bool] = True

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the run, with relations and a fixed number of iterations."""
        iterations = options.iterations or ITERATIONS
        return replace(super().fold_options(options), labels="keep", iterations=iterations, trees=False)

    def compute(self, fold: Fold) -> VotesResult:
        """Train and parse."""
        (parser,) = fold.options.parsers
        seen = fold.base.of_seed(self.seed).inputs
        if parser.kind.compiled:  # our parsers need no development set when the iterations are fixed
            trained = fold.trainer.train((*seen.train, *fold.make_ready(seen.dev)), (), self.seed)
        else:
            trained = fold.trainer.train(seen.train, seen.dev, self.seed)
        parsed = fold.parse(trained, seen.test)
        votes = votes_of(parsed)
        if trained.margins is None:
            return votes
        margins = trained.margins(seen.test)
        return msgspec.structs.replace(
            votes, arc_margins=finite(margins.arcs), relation_margins=finite(margins.relations)
        )

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return super().seconds(self.fold_options(options), tokens)


@dataclass(frozen=True, kw_only=True)
class MarginsCell(Cell[MarginsResult]):
    """Train the graph-based parser on the other folds, and compare the annotation of this one with it."""

    SETTING = "margins"
    RESULT: ClassVar[type[Any]] = MarginsResult

    reads: str = FORMS

    @property
    def subject(self) -> str:
        return "" if self.reads == FORMS else self.reads

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the run with the graph-based parser."""
        iterations = options.iterations or ITERATIONS
        return replace(options, parsers=("graph",), labels="keep", iterations=iterations, trees=False)  # type: ignore[arg-type]

    def compute(self, fold: Fold) -> MarginsResult:
        """Train, parse, and compare."""
        options = fold.options
        seen, tags = fold.base.of_seed(self.seed).inputs, options.tag_column
        return margins_of(
            as_read((*seen.train, *fold.make_ready(seen.dev)), self.reads, tags),
            as_read(seen.test, self.reads, tags),
            tags=tags,
            iterations=options.iterations,
            multiple_roots=options.data.multiple_roots,
            seed=self.seed,
        )

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return tokens * 0.08 / 1000

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (WarmUp("graph", warm_up_margins, (options.data.multiple_roots,)),)


@dataclass(frozen=True, kw_only=True)
class ColumnsCell(Cell[ColumnsResult]):
    """Train classifiers of tags, lemmas and features on the other folds, and compare the annotation of this
    one with them."""

    SETTING: ClassVar[str] = "columns"
    RESULT: ClassVar[type[Any]] = ColumnsResult

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the first parser, whose fold is there anyway."""
        return options.with_parser(options.parsers[0].spelling)

    def compute(self, fold: Fold) -> ColumnsResult:
        """Train, and compare: all columns as they are annotated, whatever the parsers see."""
        train, dev, test = ([s.tree for s in part] for _, part in fold.treebank.splits())
        train += dev
        columns = value_columns([*train, *test])
        return ColumnsResult(columns=score_columns(train, test, columns, self.seed))

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return tokens * 0.1 / 1000

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (WarmUp("columns", warm_up_columns, seconds=1.5),)


def warm_up_columns() -> None:
    score_columns([TREE], [TREE], value_columns([TREE]), seed=1)


def score_columns(
    train: Sequence[Tree], test: Sequence[Tree], columns: Sequence[str], seed: int
) -> list[ColumnScores]:
    """Train a classifier for each column, and return how it sees the values of the test sentences."""
    words = ClassifiedWords([*train, *test], len(train))
    return [score_column(words, column, seed) for column in columns]


def score_column(words: ClassifiedWords, column: str, seed: int) -> ColumnScores:
    """Train the classifier of a column, and return how it sees the values of the test sentences."""
    values = [value for tree in words.trees for value in values_in(tree, column)]
    doubted = np.flatnonzero(doubted_words(words.trees, column))
    before = int(np.searchsorted(doubted, words.in_training))
    tested = doubted[before:]
    scored = words.score_values(column, values, doubted[:before], tested, seed)
    could_stand = are_alternatives(column)
    order = np.argsort(-scored.scores, axis=1, kind="stable")
    rivals: dict[str, int] = {}
    margins: list[float] = []
    chosen: list[int] = []
    for i, word in enumerate(tested.tolist()):
        annotated, rival, best = values[word], None, 0.0
        for k in order[i].tolist():
            value = scored.value(i, k)
            if could_stand(value, annotated) and (value or column != LEMMA):
                rival, best = value, float(scored.scores[i, k])
                break
        number = scored.annotated[i]
        own = float(scored.scores[i, number]) if number >= 0 else 0.0
        if rival is None:
            margins.append(np.inf)
            chosen.append(rivals.setdefault(annotated, len(rivals)))
        else:
            margins.append(own - best)
            chosen.append(rivals.setdefault(rival, len(rivals)))
    return ColumnScores(column=column, margins=finite(np.array(margins)), rivals=chosen, names=list(rivals))


def margins_of(
    train: Sequence[Tree], test: Sequence[Tree], *, tags: str, iterations: int | None, multiple_roots: bool,
    seed: int,
) -> MarginsResult:  # fmt: skip
    """Train the graph-based parser, parse with it, and compare."""
    seen = assess_trees(
        train, test, tags=tags, iterations=iterations, multiple_roots=multiple_roots, seed=seed
    )
    votes = votes_of(seen.parsed, seen.labels)
    return MarginsResult(
        heads=votes.heads,
        relations=votes.relations,
        names=votes.names,
        arc_margins=finite(seen.arc_margin),
        rivals=seen.rival.tolist(),
        relation_margins=finite(seen.relation_margin),
        rival_relations=seen.rival_relation.tolist(),
        others=seen.others.pack(),
    )


def warm_up_margins(multiple_roots: bool) -> None:
    margins_of([TREE], [TREE], tags="gold", iterations=1, multiple_roots=multiple_roots, seed=1)


def as_read(trees: Sequence[Tree], reads: str, tags: str) -> Sequence[Tree]:
    """Return the trees with what the graph-based parser reads in place of forms and tags (`READINGS`)."""
    if reads == FORMS:
        return trees
    return [
        replace(tree, forms=tuple(tree.lemmas_or_forms()), upos=tags_with_features(tree, tags), xpos=())
        for tree in trees
    ]


def tags_with_features(tree: Tree, tags: str) -> tuple[str, ...]:
    """Return the tag of each word with its `FEATURES`, such as ``NOUN Case=Acc``."""
    seen = tree.as_seen(tags).upos
    if not tree.feats:
        return seen
    kept = ([item for item in feats.split("|") if item.partition("=")[0] in FEATURES] for feats in tree.feats)
    return tuple(" ".join((tag, *items)) for tag, items in zip(seen, kept, strict=True))


def votes_of(parsed: Sequence[Tree], names: Sequence[str] = ()) -> VotesResult:
    """Return the trees as votes; relations that are not among the `names` are added at their end."""
    found = sorted({deprel for tree in parsed for deprel in tree.deprels})
    every = [*names, *(name for name in found if name not in names)]
    number = {name: i for i, name in enumerate(every)}
    return VotesResult(
        heads=[head for tree in parsed for head in tree.heads],
        relations=[number[deprel] for tree in parsed for deprel in tree.deprels],
        names=every,
    )

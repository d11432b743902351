"""List the words whose annotation contradicts that of the rest of the treebank.

The treebank is cut into folds of whole documents, or of sentences. Parsers that were trained on the others
parse each fold. What they say of a word, and what the treebank says of words like it, gives the score
by which doubts are ordered (`features`, `logistic`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from learnability.extending import (
    Cell,
    Column,
    ConlluFile,
    ExperimentOptions,
    FilesCell,
    InputError,
    Outcome,
    Records,
    RunPlan,
    Sentence,
    SentenceChecker,
    Study,
    Tree,
)
from learnability.extensions.doubts.cells import READINGS, ColumnsCell, MarginsCell, ValidatorCell, VotesCell
from learnability.extensions.doubts.column_evidence import assess_columns
from learnability.extensions.doubts.columns import FEATURE, HEAD, XPOS, value_columns
from learnability.extensions.doubts.declaration import DoubtsOptions
from learnability.extensions.doubts.doubt import Doubt, mark_breaking
from learnability.extensions.doubts.duplicates import find_duplicates
from learnability.extensions.doubts.files import (
    COLUMNS,
    DOUBTS,
    doubt_values,
    list_sentences,
    read_beside,
    read_files,
)
from learnability.extensions.doubts.in_lines import WIDTH, group_by_cause, lines_of_causes
from learnability.extensions.doubts.listing import AssessedTreebank, list_doubts
from learnability.extensions.doubts.logistic import load_all_weights
from learnability.extensions.doubts.merging import DecidedDoubts, known_doubts
from learnability.extensions.doubts.page import PAGE, make_page
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.extensions.doubts.reasons import Reasons, with_reasons
from learnability.extensions.doubts.results import ValidatorResult
from learnability.extensions.doubts.section import FIRST_CAUSES, doubts_section, limits_of, next_section
from learnability.extensions.doubts.words import AssessedWords

LISTED = 1000
"""The doubts that are listed unless all are asked for."""


class DoubtsStudy(Study[DoubtsOptions]):
    """Doubt the annotation of a treebank."""

    @classmethod
    def check(cls, run: ExperimentOptions, options: DoubtsOptions) -> None:
        """Refuse a treebank that is not cut into folds, with an InputError."""
        if run.data.cross_validate is None:
            raise InputError("doubts parses every sentence; give `cross_validate=5`")

    @classmethod
    def check_plan(cls, plan: RunPlan, options: DoubtsOptions) -> None:
        """Refuse a column that the treebank does not have, and unknown treebanks, before training."""
        if any(column.startswith((FEATURE, XPOS)) for column in options.column):
            check_columns([sentence.tree for sentence in current_sentences(plan)], options.column)
        read_treebanks_beside(plan, options)

    @classmethod
    def follows_changes(cls, plan: RunPlan, records: Records) -> bool:
        """Return whether the sentences have the words that they had: what changed in them is left out."""
        kept, now = conllu_files(plan, records), current_sentences(plan)
        return [s.content for s in list_sentences(kept)] == [s.content for s in now]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the cells fold by fold, so that a process reads each once."""
        yield files_cell(self.plan)
        yield ValidatorCell(treebank=self.plan.single())
        for fold in self.plan.folds(self.plan.single()):
            yield from margins_cells(self.plan, fold)
            yield from columns_cells(self.plan, fold)
            for parser in self.plan.parsers:
                yield from votes_cells(self.plan, parser, fold)

    def notes(self) -> Sequence[str]:
        """Return what counting alone finds first, while parsers are still to be trained."""
        found = self._counted(current_sentences(self.plan), known_doubts(self.options.decisions))
        causes = group_by_cause(found)
        if not causes:
            return ()
        trees = [sentence.tree for sentence in current_sentences(self.plan)]
        first = lines_of_causes(causes[:FIRST_CAUSES], trees, WIDTH)
        return ("First, what counting alone finds (--quick lists more):", *first)

    def _counted(self, sentences: Sequence[Sentence], known: DecidedDoubts) -> list[Doubt]:
        beside = read_treebanks_beside(self.plan, self.options)
        return list_quick_doubts(sentences, known, columns=self.options.column, beside=beside)

    def outcome(self, records: Records) -> Outcome | None:
        """Return the doubts; None if a training has failed."""
        if any(cell.key not in records for cell in self.next_cells(records)):
            return None
        files = conllu_files(self.plan, records)
        validated = records.result(ValidatorCell(treebank=self.plan.single())) or ValidatorResult()
        errors = validated.errors_by_line() if validated.is_complete else None
        assessed = assess_treebank(self.plan, records, files, errors)
        most = None if self.options.every else LISTED
        known = known_doubts(self.options.decisions)
        now = current_sentences(self.plan) or assessed.words.sentences
        counted = self._counted(now, DecidedDoubts())
        chosen = self.options.column
        listed = list_doubts(assessed, known, most=most, columns=chosen, now=now, counted=counted)
        checker = SentenceChecker.of(file.name for file in files)
        listed = listed.complete(lambda doubts: mark_breaking(doubts, now, checker))
        beside = read_treebanks_beside(self.plan, self.options)
        reasons = Reasons.of(now, find_duplicates(now), beside)
        listed = listed.complete(lambda doubts: with_reasons(doubts, reasons, assessed))
        trees = [sentence.tree for sentence in now]
        name = self.plan.by_label[self.plan.single()][0].name
        about = limits_of([parser.title for parser in self.plan.options.parsers])
        return Outcome(
            files={
                DOUBTS: Column.csv(COLUMNS, map(doubt_values, listed.doubts)),
                PAGE: make_page(name, listed.pool, now, known.decisions, about),
            },
            values={"doubts": list(map(doubt_values, listed.doubts))},
            answers=(doubts_section(listed, trees), next_section(listed)),
            replaces_rows=True,
            page=PAGE,
        )


def margins_cells(plan: RunPlan, fold: int) -> list[MarginsCell]:
    """Return the trainings of the graph-based parser for a fold, always in the same order."""
    name = plan.single()
    return [
        MarginsCell(treebank=name, fold=fold, seed=seed, reads=reads)
        for reads in READINGS
        for seed in plan.seeds
    ]


def check_columns(trees: Sequence[Tree], columns: Sequence[str]) -> None:
    """Refuse, by an InputError, a feature that no word has, and an XPOS that says no more than UPOS."""
    there = value_columns(trees)
    for column in columns:
        if column.startswith((FEATURE, XPOS)) and column not in there:
            raise InputError(
                f"{column[:40]!r} is there in no word, or says no more than UPOS; choose one of "
                f"{', '.join(there)}"
            )


def files_cell(plan: RunPlan) -> FilesCell:
    return FilesCell(treebank=plan.single(), located=plan.treebanks)


def votes_cells(plan: RunPlan, parser: str, fold: int) -> list[VotesCell]:
    """Return the trainings of a parser for a fold, one for each seed."""
    name = plan.single()
    return [VotesCell(treebank=name, parser=parser, fold=fold, seed=seed) for seed in plan.seeds]


def columns_cells(plan: RunPlan, fold: int) -> list[ColumnsCell]:
    """Return the trainings of the classifiers for a fold; those of one seed are enough."""
    return [ColumnsCell(treebank=plan.single(), fold=fold, seed=seed) for seed in plan.seeds[:1]]


def conllu_files(plan: RunPlan, records: Records) -> list[ConlluFile]:
    """Return the files of the treebank of a plan from its records."""
    kept = records.result(files_cell(plan))
    assert kept is not None  # the cell returns something for every treebank
    (treebank,) = kept.treebanks
    return treebank.read_files(**plan.options.data.reading)


def read_treebanks_beside(plan: RunPlan, options: DoubtsOptions) -> list[list[Sentence]]:
    """Return the sentences of the other treebanks that a run names, as :func:`read_beside` does."""
    doubted = plan.treebanks[0].paths() if plan.treebanks else ()
    return read_beside(options.beside, doubted, **plan.options.data.reading)


def current_sentences(plan: RunPlan) -> list[Sentence]:
    return list_sentences(read_files(plan.treebanks[0], **plan.options.data.reading))


def assess_treebank(
    plan: RunPlan,
    records: Records,
    files: Sequence[ConlluFile],
    errors: Mapping[tuple[str, int], str] | None = None,
) -> AssessedTreebank:
    """Return the treebank of a plan with its doubts by the weights of the package; its records are complete.

    `errors`: what the official validator finds, by file and line; None if it did not run.
    """
    words, weights = assessed_words(plan, records, files), load_all_weights()
    cells = chain.from_iterable(columns_cells(plan, fold) for fold in plan.folds(plan.single()))
    scores = [found for cell in cells if (found := records.result(cell)) is not None]
    columns = assess_columns(words.trees, scores, weights)
    return AssessedTreebank.of(words, weights[HEAD], errors, columns)


def assessed_words(plan: RunPlan, records: Records, files: Sequence[ConlluFile]) -> AssessedWords:
    """Return the words of the treebank of a plan with what its parsers say; its records are complete."""
    folds = plan.folds(plan.single())

    def results(cells: Sequence[Cell[Any]]) -> list[Any]:
        return [records.result(cell) for cell in cells]

    votes: list[Sequence[Any]] = []
    for parser in plan.parsers:
        votes += zip(*(results(votes_cells(plan, parser, fold)) for fold in folds), strict=True)
    margins = list(zip(*(results(margins_cells(plan, fold)) for fold in folds), strict=True))
    sentences = list_sentences(files)
    return AssessedWords.of(sentences, votes, margins)

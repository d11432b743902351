"""Tell what a run found: once, for the terminal, the page and the card, which only draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from learnability.comparing.annotation import SCHEME
from learnability.comparing.names import annotation_spelled
from learnability.comparing.pair import AnnotationFacts
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError
from learnability.evidence.all_parsers import AllParsers, combine_parsers
from learnability.evidence.columns import row_details, row_values
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import PairEvidence, join_records
from learnability.reports.all_parsers import all_parsers_table, explain_sentences, tell_common_answer
from learnability.reports.caveats import RunCaveats, list_caveats
from learnability.reports.change_kinds import changes_section
from learnability.reports.content import NextStage, Outcome, PageHeader
from learnability.reports.next_steps import NextStep, find_next_step
from learnability.reports.paths import command_without_folders, names_apart
from learnability.reports.results import (
    answer_table,
    comparison_table,
    describe_size,
    preference_table,
    title_of,
)
from learnability.reports.section import Section
from learnability.reports.text import Table, join_names, join_signs
from learnability.reports.verdicts import (
    describe_open,
    explain_reading,
    name_construction,
    summarise,
    summarise_treebanks,
    verdicts,
)
from learnability.running.config import RunConfig
from learnability.running.records import Record, Records
from learnability.schemes.catalogue import describe_construction
from learnability.support.toml_section import SUFFIX
from learnability.support.values import JsonObject


@dataclass(frozen=True)
class RunOrigin:
    """Hold how the run can be repeated."""

    command: str
    hashes: Table
    version: str


def describe_origin(config: RunConfig) -> RunOrigin:
    """Return how a run can be repeated."""
    files = tuple(
        (name, treebank.sha256[path])
        for treebank in config.treebanks
        for path, name in sorted(zip(treebank.sha256, names_apart(treebank.sha256), strict=True))
    )
    return RunOrigin(
        command=command_without_folders(config.command_line),
        hashes=Table("SHA-256 of the files read", ("file", "SHA-256"), files),
        version=config.versions.get("learnability", ""),
    )


MOST_ROWS = 40
"""The comparisons of single treebanks that a terminal and a report list one by one."""

QUESTION = "which annotation is easier to learn?"
"""What a run asks that compares annotations."""


@dataclass(frozen=True)
class ToldConstruction:
    """Hold the sentences on a construction: of all parsers for each score, where there are several, the
    answers by each parser and treebank with their `evidence`, and what the alternative changes in UD, where
    known."""

    evidence: Sequence[PairEvidence]
    of_all_parsers: Sequence[str]
    sentences: Sequence[str]
    description: str

    @property
    def summaries(self) -> list[str]:
        """Return the answers in a sentence: of several treebanks for each parser, else of all parsers."""
        rows = [pair.row for pair in self.evidence]
        if self.has_several_treebanks:
            of_parsers = groupby(sorted(rows, key=_parser_of), _parser_of)
            found = [list(of_parser) for _, of_parser in of_parsers]
            sentences = [f"{name_construction(each[0])}: {summarise_treebanks(each)}." for each in found]
            return [
                " ".join(filter(None, pair))
                for pair in zip(sentences, map(describe_open, found), strict=True)
            ]
        return [f"{self.heading}."] if self.of_all_parsers else [summarise(rows[0])]

    @property
    def heading(self) -> str:
        """Return the answer, without a full stop; the name where several parsers answer for treebanks."""
        if self.has_several_treebanks:
            summary, *others = self.summaries
            return self.evidence[0].row.name if others else summary.partition(". ")[0].rstrip(".")
        return (self.of_all_parsers or self.sentences)[0].partition(". ")[0].rstrip(".")

    @property
    def reasons(self) -> list[str]:
        """Return what is said besides, with all parsers where there are several."""
        texts = [*(self.of_all_parsers or self.sentences)]
        if self.has_several_treebanks:
            name = self.evidence[0].row.name
            texts = [text.replace(f": {name}: ", ": ", 1) for text in texts]
        else:
            texts[0] = texts[0].partition(". ")[2]
        return [join_signs(text) for text in texts if text]

    @property
    def has_several_treebanks(self) -> bool:
        return len({pair.row.treebank_label for pair in self.evidence}) > 1

    @property
    def side(self) -> str:
        """Return which side is clearly ahead wherever one is; empty where none is, or treebanks differ."""
        differences = [pair.row.difference() for pair in self.evidence]
        sides = {found.better for found in differences if found is not None and found.is_clear}
        return str(sides.pop()) if len(sides) == 1 else ""


@dataclass(frozen=True)
class Comparisons:
    """Hold the tables of the comparisons: both answers, those of all parsers (None with one), every
    comparison, what a parser prefers that is trained on both, and what differs (None where rules say it)."""

    answers: Table
    all_parsers: Table | None
    common: Table
    preferred: Table
    changes: Section | None


@dataclass(frozen=True, kw_only=True)
class RunStory:
    """Hold what a run found, and its sentences.

    Attributes:
        typed_folder: the folder as its command was typed: alike wherever pages are made again.
        records, failed: all that came out; the records of what did not.
        outcomes: those of its studies.
        rows: the comparisons, each on the most sentences on which it was made; none in a run that makes none.
        title: the treebanks, and the question.
        summary: what was compared on how much data, in one line.
        reading: how to read the answers.
        next_step: what to do first about the constructions without a clear answer.
        written: the names of the files that the run has written.
    """

    plan: RunPlan
    config: RunConfig
    folder: Path
    typed_folder: str
    records: Records
    failed: Sequence[Record]
    outcomes: Sequence[Outcome]
    rows: Sequence[ComparisonRow]
    all_parsers: Sequence[AllParsers]
    title: str
    summary: str
    constructions: Sequence[ToldConstruction]
    reading: Sequence[str]
    comparisons: Comparisons
    caveats: RunCaveats
    origin: RunOrigin
    next_step: NextStep | None
    written: Sequence[str] = ()

    @property
    def evidence(self) -> list[PairEvidence]:
        return [pair for construction in self.constructions for pair in construction.evidence]

    @property
    def sentences(self) -> list[str]:
        return [text for construction in self.constructions for text in construction.sentences]

    @property
    def answers(self) -> list[Section]:
        return [section for outcome in self.outcomes for section in outcome.answers]

    @property
    def sections(self) -> list[Section]:
        return [section for outcome in self.outcomes for section in outcome.sections]

    @property
    def details(self) -> list[Section]:
        """Return the sections that the terminal shows on request only."""
        return [section for outcome in self.outcomes for section in outcome.details]

    @property
    def replaces_rows(self) -> bool:
        return any(outcome.replaces_rows for outcome in self.outcomes)

    @property
    def is_survey(self) -> bool:
        """Return whether the run has so many comparisons that what treebanks say together comes first."""
        return len(self.config.treebanks) > 1 and len(self.rows) > MOST_ROWS

    @property
    def opening_table(self) -> Table:
        return self.comparisons.all_parsers or self.comparisons.answers

    @property
    def header(self) -> PageHeader | None:
        """Return what the page says of itself; None: that it compares annotations."""
        return _opening(self.outcomes)

    @property
    def page(self) -> str:
        """Return the file to open first; empty: the report."""
        return next((outcome.page for outcome in reversed(self.outcomes) if outcome.page), "")

    @property
    def values(self) -> JsonObject:
        """Return what `--json` prints."""
        values: JsonObject = {}
        if self.rows:
            values["rows"] = [{**row_values(row), **row_details(row)} for row in self.rows]
        if self.all_parsers:
            values["parsers"] = [answer.values() for answer in self.all_parsers]
        for outcome in self.outcomes:
            values.update(outcome.values)
        return values


def tell_story(
    *,
    plan: RunPlan,
    config: RunConfig,
    folder: Path,
    typed_folder: str,
    records: Records,
    failed: Sequence[Record] = (),
    outcomes: Sequence[Outcome] = (),
    rows: Sequence[ComparisonRow] = (),
    offer: NextStage | None = None,
) -> RunStory:
    """Return what a run found, in words and tables; `offer`: what it would do next about what is open."""
    header = _opening(outcomes)
    names = join_names(sorted({treebank.name for treebank in config.treebanks}), "treebank")
    pairs = join_records(config, rows, records)
    all_parsers = combine_parsers(rows) if len(config.parsers) > 1 else []
    sentences, reading = verdicts(rows), explain_reading(rows, len(config.seeds))
    constructions = _tell_constructions(pairs, sentences, all_parsers)
    reading += explain_sentences(all_parsers)
    next_step = find_next_step(config, rows, offer)
    size = describe_size(pairs, config)
    comparisons = Comparisons(
        answers=answer_table(rows),
        all_parsers=all_parsers_table(all_parsers, title_of(rows)) if all_parsers else None,
        common=comparison_table(rows),
        preferred=preference_table(rows),
        changes=changes_section(rows),
    )
    return RunStory(
        plan=plan,
        config=config,
        folder=folder,
        typed_folder=typed_folder,
        records=records,
        failed=failed,
        outcomes=outcomes,
        rows=rows,
        all_parsers=all_parsers,
        title=f"{names}: {header.question if header else QUESTION}",
        summary=header.summary if header else size,
        constructions=constructions,
        reading=reading,
        comparisons=comparisons,
        caveats=list_caveats(plan, config, pairs, failed, header.limits if header else None),
        origin=describe_origin(config),
        next_step=next_step,
    )


def _opening(outcomes: Sequence[Outcome]) -> PageHeader | None:
    return next((outcome.header for outcome in reversed(outcomes) if outcome.header), None)


def _parser_of(row: ComparisonRow) -> str:
    return row.parser


def _tell_constructions(
    pairs: Sequence[PairEvidence], sentences: Sequence[str], all_parsers: Sequence[AllParsers]
) -> list[ToldConstruction]:
    told: dict[str, list[tuple[PairEvidence, str]]] = {}
    for pair, text in zip(pairs, sentences, strict=True):
        told.setdefault(pair.row.name, []).append((pair, text))
    described = {
        name: describe_annotation(found[0][0].row.pair.alternative)
        for name, found in told.items()
        if found[0][0].row.pair.base.is_ud
    }
    of_all_parsers: dict[str, list[str]] = {}
    several = len({pair.row.treebank_label for pair in pairs}) > 1
    for answer in all_parsers:
        row = answer.rows[0]
        start = f"{row.treebank}: " if several else ""
        of_all_parsers.setdefault(row.name, []).append(start + tell_common_answer(answer))
    constructions = []
    for name, group in told.items():
        evidence, texts = zip(*group, strict=True)
        all_say = of_all_parsers.get(name, ())
        constructions.append(ToldConstruction(evidence, all_say, texts, described.get(name, "")))
    return constructions


def describe_annotation(annotation: AnnotationFacts) -> str:
    """Return what an annotation changes in UD, and of which constructions a user's scheme consists."""
    known = describe_construction(annotation.spelling.removeprefix(SCHEME))
    if known:
        return known
    try:
        described = annotation_spelled(annotation.spelling).description
    except InputError:  # its file is gone
        parts = (": ".join(filter(None, (spec, describe_construction(spec)))) for spec in annotation.specs)
        return "; ".join(parts)
    is_file = annotation.spelling.endswith(SUFFIX)
    return f"{described} ({', '.join(annotation.specs)})" if is_file and annotation.specs else described

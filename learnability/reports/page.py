"""Write report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from learnability.comparing.annotation import SCHEME
from learnability.evidence.pair_evidence import PairEvidence
from learnability.reports.changes import changes_section
from learnability.reports.content import RunContent
from learnability.reports.examples import opening_pairs
from learnability.reports.limits import limits, tested_sentences
from learnability.reports.panel import panel_figure, panel_section
from learnability.reports.panel import sentence as panel_sentence
from learnability.reports.paths import command_without_folders, names_apart, without_folders
from learnability.reports.quotes import paper_section
from learnability.reports.rendering import render
from learnability.reports.results import (
    answer_table,
    comparison_table,
    criteria_table,
    full_table,
    parsers_of,
)
from learnability.reports.run_figures import difference_figures, run_figures
from learnability.reports.section import Section
from learnability.reports.text import Table, join_names, join_signs
from learnability.reports.trees import DrawnSentence, drawn_example
from learnability.reports.verdicts import explain_reading, next_steps, verdicts, with_same_heads
from learnability.running.config import RunConfig
from learnability.running.records import Record
from learnability.schemes.catalogue import describe_construction
from learnability.support.nouns import count_noun

FIGURES, REPORT = "figures", "report.html"

QUESTION = "which annotation is easier to learn?"
"""What a page asks that compares annotations."""


@dataclass(frozen=True)
class ShownConstruction:
    """Hold what the page says and draws of a construction.

    Attributes:
        heading: its name and the answer.
        description: what the alternative changes; empty where that is not known.
        texts: the evidence, and the next step.
        side: which side is ahead, for the colour of the heading.
        sentences: drawn, each with an explanation.
    """

    heading: str
    description: str
    texts: Sequence[str]
    side: str
    sentences: Sequence[DrawnSentence]


@dataclass(frozen=True)
class PageAnswers:
    """Hold what opens the page.

    Attributes:
        studies: the answers of studies that rank before the comparisons, each with its name in links.
        answers: the table of answers; None without comparisons.
        note: how to read it.
        next_steps: what to do next, each a reason and a command.
    """

    studies: list[tuple[str, Section]]
    answers: Table | None
    note: Sequence[str]
    next_steps: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class PageConstructions:
    """Hold what the page says and draws of the constructions, and how to read the drawings.

    Attributes:
        constructions: each of them.
        base: the name of the annotation that the others are compared with.
        drawn: whether any sentence is drawn.
        unlearned: whether relations are drawn that no parser learned.
        each_parser: with several parsers, the sentence of each.
    """

    constructions: Sequence[ShownConstruction]
    base: str
    drawn: bool
    unlearned: bool
    each_parser: Sequence[str]


@dataclass(frozen=True)
class PageCaveats:
    """Hold what a reader has to know before using the answers, and what the numbers do not tell.

    Attributes:
        failed: what failed, how many trainings, and the first reason.
        remarks: on the treebanks.
        limits: the most important first.
        skipped: by construction, how often it was left unchanged for which reason.
        unmixed: constructions with the number of sentences in which two schemes cannot be mixed.
        without_training_on_both: whether the only parser cannot be trained on both annotations.
        parser: the title of the first parser.
    """

    failed: Sequence[tuple[str, int, str]]
    remarks: Sequence[str]
    limits: Sequence[str]
    skipped: Mapping[str, Mapping[str, int]]
    unmixed: Sequence[tuple[str, int]]
    without_training_on_both: bool
    parser: str


@dataclass(frozen=True)
class PageDetails:
    """Hold the tables and sections that the page folds.

    Attributes:
        changes: what differs between the annotations; None where rules say it.
        labelled: whether parsers are labelled.
        has_rules: whether rules made any of the alternatives.
        common, criteria, columns: all comparisons, the indirect indicators, and all columns of results.csv.
        sections: of studies, each with its name in links.
        first_parser: the parser of the figures; empty if there is no other.
    """

    changes: Section | None
    labelled: bool
    has_rules: bool
    common: Table
    criteria: Table
    columns: Table
    sections: list[tuple[str, Section]]
    first_parser: str


@dataclass(frozen=True)
class PageOrigin:
    """Hold how the run can be repeated.

    Attributes:
        command: the command line; empty if there was none.
        facts: options, treebanks and versions, as name and value.
        hashes: the files that were read.
        version: of this package.
    """

    command: str
    facts: Sequence[tuple[str, str]]
    hashes: Table
    version: str


def report_files(content: RunContent) -> dict[str, bytes]:
    """Return report.html and the files of its figures, by name; the same input gives the same bytes."""
    pairs = content.evidence
    first_parser = [c for c in pairs if c.row.parser == pairs[0].row.parser]
    intervals = difference_figures(pairs)
    explaining = [
        *([panel_figure(content.panels)] if content.panels else []),
        *run_figures(first_parser),
        *content.figures,
    ]
    names = join_names(sorted({treebank.name for treebank in content.config.treebanks}), "treebank")
    opening = content.opening
    page = render(
        "report.html.jinja",
        title=f"{names}: {opening.question if opening else QUESTION}",
        summary=opening.summary if opening else _summary(pairs, content.config),
        intervals=intervals,
        figures=explaining,
        **vars(_answers(content)),
        **vars(_constructions(content, first_parser)),
        **vars(_caveats(content, pairs)),
        **vars(_details(content)),
        **vars(_origin(content.config)),
    )
    in_sections = [figure for section in (*content.answers, *content.sections) for figure in section.figures]
    files = [figure.files(f"{FIGURES}/") for figure in (*intervals, *explaining, *in_sections)]
    return {REPORT: page, **{name: data for pictures in files for name, data in pictures.items()}}


def _answers(content: RunContent) -> PageAnswers:
    rows = content.rows
    answers: Table | None = None
    if content.panels:
        answers = panel_section(content.panels).tables[0]
    elif rows:
        answers = answer_table(rows)
    return PageAnswers(
        studies=_with_ids(content.answers),
        answers=answers,
        note=explain_reading(rows, len(content.config.seeds)) if rows else [],
        next_steps=next_steps(content, content.folder),
    )


def _constructions(content: RunContent, evidence: Sequence[PairEvidence]) -> PageConstructions:
    sentences = verdicts(content.rows)
    by_row = {id(row): sentence for row, sentence in zip(content.rows, sentences, strict=True)}
    drawn = [_construction(content, shown, by_row[id(shown.row)]) for shown in evidence]
    return PageConstructions(
        constructions=drawn,
        base=content.rows[0].base if content.rows else "UD",
        drawn=any(construction.sentences for construction in drawn),
        unlearned=any(
            not example.pair.learned_relations for construction in drawn for example in construction.sentences
        ),
        each_parser=[join_signs(sentence) for sentence in sentences] if content.panels else [],
    )


def _construction(content: RunContent, evidence: PairEvidence, sentence: str) -> ShownConstruction:
    """Return the sentences and drawings of a construction; with several parsers, of all parsers together."""
    row = evidence.row
    together = [
        panel_sentence(panel)
        for panel in content.panels
        if (panel.rows[0].treebank_label, panel.rows[0].name) == (row.treebank_label, row.name)
    ]
    heading, _, reason = (together[0] if together else sentence).partition(". ")
    examples = [
        drawn_example(evidence, number, pair) for number, pair in enumerate(opening_pairs(evidence), start=1)
    ]
    difference = row.difference()
    side = (difference and difference.better) or ""
    texts = (reason, *together[1:])
    paragraphs = [join_signs(text) for text in texts if text]
    description = describe_construction(row.name) if row.pair.base.is_ud else ""
    return ShownConstruction(heading.rstrip("."), description, paragraphs, side, examples)


def _caveats(content: RunContent, pairs: Sequence[PairEvidence]) -> PageCaveats:
    rows, config = content.rows, content.config
    parsers = parsers_of(rows)
    titles = {parser.spelling: parser.title for parser in content.design.parsers}
    imported = bool(rows) and not any(row.pair.has_rules for row in rows)
    base = rows[0].base if rows else "UD"
    trained_on_both = any(c.c for c in pairs)
    return PageCaveats(
        failed=failures_of(content.failed, titles),
        remarks=list(dict.fromkeys(r for treebank in config.treebanks for r in treebank.remarks)),
        limits=content.opening.limits
        if content.opening
        else limits(
            base,
            parsers or [content.parser],
            config.options,
            is_given=imported,
            same_heads=with_same_heads(rows),
            sentences=tested_sentences(rows),
        ),
        skipped={c.name: c.measures[0].skipped for c in pairs if c.measures and c.measures[0].skipped},
        unmixed=[(c.name, int(count)) for c in pairs if (count := c.row.sentences_unmixed)],
        without_training_on_both=bool(pairs) and len(parsers) < 2 and not trained_on_both,
        parser=content.parser,
    )


def _details(content: RunContent) -> PageDetails:
    rows = content.rows
    parsers = parsers_of(rows)
    sections = [*content.sections, *content.details]
    if not parsers and (quotes := paper_section(rows, content.parser)):
        sections.append(quotes)
    return PageDetails(
        changes=changes_section(rows),
        labelled=any(row.labelled for row in rows),
        has_rules=any(row.pair.has_rules for row in rows),
        common=comparison_table(rows),
        criteria=criteria_table(rows),
        columns=full_table(rows),
        sections=_with_ids(sections),
        first_parser=parsers[0] if len(parsers) > 1 else "",
    )


def _origin(config: RunConfig) -> PageOrigin:
    files = tuple(
        (name, treebank.sha256[path])
        for treebank in config.treebanks
        for path, name in sorted(zip(treebank.sha256, names_apart(treebank.sha256), strict=True))
    )
    return PageOrigin(
        command=command_without_folders(config.command_line),
        facts=_facts(config),
        hashes=Table("SHA-256 of the files read", ("file", "SHA-256"), files),
        version=config.versions.get("learnability", ""),
    )


def _with_ids(sections: Sequence[Section]) -> list[tuple[str, Section]]:
    return [(slug(section.heading), section) for section in sections]


def slug(heading: str) -> str:
    """Return the name of a heading in links."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def failures_of(failed: Sequence[Record], titles: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Return what failed: the parser (by `titles`, else the treebank), how many trainings, and the first
    reason."""
    by_parser: dict[str, list[Record]] = {}
    for record in failed:
        by_parser.setdefault(titles.get(record.parser) or record.treebank, []).append(record)
    return [(name, len(records), str(records[0].failed)) for name, records in by_parser.items()]


def _summary(pairs: Sequence[PairEvidence], config: RunConfig) -> str:
    """Return in one line what was compared on how much data."""
    parts = sorted({f"UD {c.row.release}" for c in pairs if c.row.release})
    first = next((c for c in pairs if c.row.train_tokens), None)
    if first is not None and len(config.treebanks) == 1:
        parts.append(count_noun(first.row.train_tokens or 0, "training token"))
        if first.a:
            parts.append(count_noun(sum(len(fold.tokens) for fold in first.a[0]), "test sentence"))
    parsers = len(config.options["parsers"])
    parts.append(count_noun(len(pairs) // parsers, "construction"))
    if parsers > 1:
        parts.append(count_noun(parsers, "parser"))
    parts.append(f"{count_noun(len(config.seeds), 'training')} each")
    folded = [c.row for c in pairs if c.row.tests_all_places and c.a and len(c.a[0]) == 1]
    if folded:  # the records are those of the test set
        names = " and ".join(sorted({f"{row.test_sentences or 0:,}" for row in folded}))
        parts.append(f"then all {names} sentences for what was open")
    return " · ".join(parts)


def _facts(config: RunConfig) -> list[tuple[str, str]]:
    """Return options, treebanks and versions, as name and value."""
    facts = []
    for treebank in config.treebanks:
        folds = f", {count_noun(treebank.folds, 'fold')}" if treebank.folds > 1 else ""
        facts.append(("treebank", f"{treebank.label}{folds}"))
    for name, value in config.options.items():
        if isinstance(value, dict):
            facts += [(f"{name}: {key.replace('_', ' ')}", _plain(inner)) for key, inner in value.items()]
        else:
            facts.append((name.replace("_", " "), _plain(value)))
    return [*facts, *((f"version of {name}", version) for name, version in config.versions.items())]


def _plain(value: Any) -> str:
    """Return the value of an option in words, without the folders of files."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "yes" if value else "no"
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(without_folders(str(item).removeprefix(SCHEME)) for item in values)

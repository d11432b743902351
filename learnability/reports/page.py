"""Write report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.evidence.pair_evidence import PairEvidence
from learnability.reports.caveats import caveats_of
from learnability.reports.changes import changes_section
from learnability.reports.constructions import show_constructions
from learnability.reports.content import RunContent
from learnability.reports.origin import describe_origin
from learnability.reports.panel import panel_figure, panel_table
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
from learnability.reports.text import Table, join_names
from learnability.reports.verdicts import explain_reading, next_steps
from learnability.running.config import RunConfig
from learnability.support.nouns import count_noun

FIGURES, REPORT = "figures", "report.html"

QUESTION = "which annotation is easier to learn?"
"""What a page asks that compares annotations."""


@dataclass(frozen=True)
class PageTables:
    """Hold the tables of the comparisons.

    Attributes:
        answers: of all parsers together, where there are several; None without comparisons.
        common, criteria, columns: all comparisons, the indirect indicators, and all columns of results.csv.
    """

    answers: Table | None
    common: Table
    criteria: Table
    columns: Table


@dataclass(frozen=True)
class PageTexts:
    """Hold what the page says beside the tables.

    Attributes:
        studies: the answers of studies that rank before the comparisons.
        note: how to read the answers.
        next_steps: what to do next, each a reason and a command.
        changes: what differs between the annotations; None where rules say it.
        sections: of studies; they are folded.
        labelled: whether parsers are labelled.
        has_rules: whether rules made any of the alternatives.
        first_parser: the parser of the figures; empty if there is no other.
    """

    studies: Sequence[Section]
    note: Sequence[str]
    next_steps: Sequence[tuple[str, str]]
    changes: Section | None
    sections: Sequence[Section]
    labelled: bool
    has_rules: bool
    first_parser: str


def report_files(content: RunContent) -> dict[str, bytes]:
    """Return report.html and the files of its figures, by name; the same input gives the same bytes."""
    rows, pairs, opening = content.rows, content.evidence, content.opening
    summary = opening.summary if opening else _summary(pairs, content.config)
    names = join_names(sorted({treebank.name for treebank in content.config.treebanks}), "treebank")
    intervals = difference_figures(pairs)
    first_parser = [c for c in pairs if c.row.parser == pairs[0].row.parser]
    explaining = [*run_figures(first_parser), *content.figures]
    answers: Table | None = None
    if content.panels:
        explaining.insert(0, panel_figure(content.panels))
        answers = panel_table(content.panels)
    elif rows:
        answers = answer_table(rows)
    origin = describe_origin(content.config)
    page = render(
        "report.html.jinja",
        title=f"{names}: {opening.question if opening else QUESTION}",
        summary=summary,
        intervals=intervals,
        figures=explaining,
        tables=PageTables(answers, comparison_table(rows), criteria_table(rows), full_table(rows)),
        shown=show_constructions(content, first_parser),
        texts=_texts(content),
        caveats=caveats_of(content, pairs),
        origin=origin,
        version=origin.version,
    )
    in_sections = [figure for section in (*content.answers, *content.sections) for figure in section.figures]
    files = [figure.files(f"{FIGURES}/") for figure in (*intervals, *explaining, *in_sections)]
    return {REPORT: page, **{name: data for pictures in files for name, data in pictures.items()}}


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


def _texts(content: RunContent) -> PageTexts:
    rows = content.rows
    parsers = parsers_of(rows)
    note = explain_reading(rows, len(content.config.seeds)) if rows else []
    steps = next_steps(content, content.folder)
    sections = [*content.sections, *content.details]
    return PageTexts(
        studies=content.answers,
        note=note,
        next_steps=steps,
        changes=changes_section(rows),
        sections=sections,
        labelled=any(row.labelled for row in rows),
        has_rules=any(row.pair.has_rules for row in rows),
        first_parser=parsers[0] if len(parsers) > 1 else "",
    )

"""Print what a run found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from learnability.reports.caveats import describe_copies
from learnability.reports.changes import changes_section
from learnability.reports.comparison_tables import MOST_ROWS, describe_unlisted, evidence_of, print_answers
from learnability.reports.content import RunContent
from learnability.reports.page import REPORT
from learnability.reports.panel import panel_section
from learnability.reports.results import parsers_of, print_rows
from learnability.reports.section import print_section
from learnability.reports.text import print_json, print_sentences
from learnability.reports.verdicts import explain_reading, next_steps, verdicts
from learnability.support.terminal import print_line


def print_content(
    content: RunContent,
    folder: Path,
    written: Sequence[str],
    *,
    as_json: bool,
    details: bool,
    explain: bool = False,
) -> None:
    """Print the answers of a run, its comparisons, and its other sections.

    Args:
        content: the content of the run.
        folder: where its files are.
        written: the names of these files.
        as_json: print everything as JSON instead; a list where there is nothing but rows.
        details: also print every comparison, and the sections on how the run went.
        explain: also print how to read each table.
    """
    if as_json:
        values = dict(content.values)
        print_json(values["rows"] if values.keys() == {"rows"} else values)
        return
    for section in content.answers:
        print_section(section, explain=explain)
    if content.panels:
        print_section(panel_section(content.panels), explain=explain)
        print_line("")
    if content.rows and (details or not content.says_all):
        _print_comparisons(content, details=details, explain=explain)
    for section in (*content.sections, *(content.details if details else ())):
        print_section(section, explain=explain)
    for why, command in next_steps(content, str(folder)):
        print_sentences([f"{why}:"])
        print_line(f"  {command}")
    if written:
        print_sentences([f"Wrote {', '.join(written)} and records.jsonl to {folder}"])
        page = content.page or REPORT
        if page in written:
            print_line(f"Open {folder / page}")
    else:
        print_line(f"Wrote records.jsonl to {folder}")


def _print_comparisons(content: RunContent, *, details: bool, explain: bool) -> None:
    rows, parsers = content.rows, parsers_of(content.rows)
    if len(content.config.treebanks) > 1 and len(rows) > MOST_ROWS and not details:
        evidence = evidence_of(content)
        print_answers(evidence, explain=explain)
        print_sentences([describe_unlisted(evidence), *explain_reading(rows, len(content.config.seeds))])
        return
    print_rows(rows, details=details, explain=explain)
    if details and all(row.survival.base is None for row in rows):
        print_sentences(
            [
                "No parser was trained on both annotations at once, because this training needs a parser "
                f"with a dynamic oracle. {' and '.join(parsers or [content.parser])} has none."
            ]
        )
    if len({row.treebank_label for row in rows}) == 1 and (details or not content.panels):
        print_sentences(verdicts(rows))
    print_sentences([*describe_copies(rows), *explain_reading(rows, len(content.config.seeds))])
    changes = changes_section(rows)
    if changes is not None:
        print_section(changes if details else replace(changes, tables=()), explain=explain)
    if details and any(row.tested for row in rows):
        print_sentences(
            ["For a paper, report --paper DIR writes a table, figures, paragraphs and references in LaTeX."]
        )

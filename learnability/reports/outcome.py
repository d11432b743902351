"""Print what a run found."""

from __future__ import annotations

from dataclasses import replace

from learnability.reports.comparison_tables import MOST_ROWS, describe_unlisted, evidence_of, print_answers
from learnability.reports.page import REPORT
from learnability.reports.section import print_section
from learnability.reports.story import RunStory
from learnability.reports.text import print_json, print_sentences, print_tables
from learnability.support.terminal import print_line


def print_story(story: RunStory, *, as_json: bool, details: bool, explain: bool = False) -> None:
    """Print the answers of a run, its comparisons, and its other sections.

    Args:
        story: what the run found.
        as_json: print everything as JSON instead; a list where there is nothing but rows.
        details: also print every comparison, and the sections on how the run went.
        explain: also print how to read each table.
    """
    if as_json:
        values = story.values
        print_json(values["rows"] if values.keys() == {"rows"} else values)
        return
    for section in story.answers:
        print_section(section, explain=explain)
    if story.of_all_parsers is not None:
        print_section(story.of_all_parsers, explain=explain)
        print_line("")
    shows_rows = bool(story.rows) and (details or not story.replaces_rows)
    if shows_rows:
        _print_comparisons(story, details=details, explain=explain)
    for section in (*story.sections, *(story.details if details else ())):
        print_section(section, explain=explain)
    if not shows_rows:
        print_sentences(story.caveats.copies)
    for step in story.next_steps:
        print_sentences([f"{step.why}:"])
        print_line(f"  {step.command(str(story.folder))}")
    if not story.written:
        print_line(f"Wrote records.jsonl to {story.folder}")
        return
    print_sentences([f"Wrote {', '.join(story.written)} and records.jsonl to {story.folder}"])
    page = story.page or REPORT
    if page in story.written:
        print_line(f"Open {story.folder / page}")


def _print_comparisons(story: RunStory, *, details: bool, explain: bool) -> None:
    rows, tables = story.rows, story.comparisons
    if len(story.config.treebanks) > 1 and len(rows) > MOST_ROWS and not details:
        evidence = evidence_of(story)
        print_answers(evidence, explain=explain)
        print_sentences([describe_unlisted(evidence), *story.caveats.copies, *story.reading])
        return
    more = (tables.common, tables.indicators) if details else ()
    print_tables((tables.answers, *more), explain=explain)
    if details and story.caveats.untrained:
        print_sentences([story.caveats.untrained])
    if len({row.treebank_label for row in rows}) == 1 and (details or not story.all_parsers):
        print_sentences(story.sentences)
    print_sentences([*story.caveats.copies, *story.reading])
    if tables.changes is not None:
        print_section(tables.changes if details else replace(tables.changes, tables=()), explain=explain)
    if details and any(row.tested for row in rows):
        print_sentences(
            ["For a paper, report --paper DIR writes a table, figures, paragraphs and references in LaTeX."]
        )

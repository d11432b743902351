"""Print what a run found."""

from __future__ import annotations

from learnability.reports.comparison_tables import combine_treebanks, describe_unlisted, print_answers
from learnability.reports.page import REPORT
from learnability.reports.section import print_section
from learnability.reports.story import RunStory
from learnability.reports.text import print_json, print_sentences, print_tables
from learnability.support.terminal import print_line


def print_story(story: RunStory, *, as_json: bool, details: bool, explain: bool = False) -> None:
    """Print the answers of a run, its comparisons, and its other sections; as JSON, a list where there is
    nothing but rows.

    `details`: also every comparison, and the sections on how the run went; `explain`: also how to read each.
    """
    if as_json:
        values = story.values
        print_json(values["rows"] if values.keys() == {"rows"} else values)
        return
    for section in story.answers:
        print_section(section, explain=explain)
    shows_rows = bool(story.rows) and (details or not story.replaces_rows)
    if shows_rows:
        _print_comparisons(story, details=details, explain=explain)
    for section in (*story.sections, *(story.details if details else ())):
        print_section(section, explain=explain)
    print_sentences(story.caveats.copies)
    if (step := story.next_step) is not None:
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
    tables = story.comparisons
    if story.is_survey and not details:
        evidence = combine_treebanks(story)
        print_answers(evidence, explain=explain)
        print_sentences([describe_unlisted(evidence)])
        return
    print_tables([story.opening_table], explain=explain)
    if not details:
        print_sentences([text for construction in story.constructions for text in construction.summaries])
        return
    print_tables((tables.common, tables.preferred), explain=explain)
    told = [text for construction in story.constructions for text in construction.of_all_parsers]
    print_sentences([*filter(None, [story.caveats.untrained]), *told, *story.sentences, *story.reading])
    if tables.changes is not None:
        print_section(tables.changes, explain=explain)
    if any(row.tested for row in story.rows):
        print_sentences(
            ["For a paper, report --paper DIR writes a table, figures, paragraphs and references in LaTeX."]
        )

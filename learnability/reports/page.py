"""Write report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

from learnability.reports.constructions import show_constructions
from learnability.reports.panel import panel_figure
from learnability.reports.rendering import render
from learnability.reports.results import parsers_of
from learnability.reports.run_figures import difference_figures, run_figures
from learnability.reports.story import RunStory

FIGURES, REPORT = "figures", "report.html"


def report_files(story: RunStory) -> dict[str, bytes]:
    """Return report.html and the files of its figures, by name; the same input gives the same bytes."""
    rows, parsers = story.rows, parsers_of(story.rows)
    first_parser = [construction.evidence[0] for construction in story.constructions]
    intervals, figures = difference_figures(story.evidence), run_figures(first_parser)
    panel = [panel_figure(story.panels)] if story.panels else []
    explaining = [*panel, *figures, *story.figures]
    answers = story.comparisons.answers if rows else None
    page = render(
        "report.html.jinja",
        story=story,
        answers=story.all_parsers.tables[0] if story.all_parsers else answers,
        intervals=intervals,
        figures=explaining,
        shown=show_constructions(story),
        labelled=any(row.labelled for row in rows),
        has_rules=any(row.pair.has_rules for row in rows),
        first_parser=parsers[0] if len(parsers) > 1 else "",
        title=story.title,
        version=story.origin.version,
    )
    in_sections = [figure for section in (*story.answers, *story.sections) for figure in section.figures]
    files = [figure.files(f"{FIGURES}/") for figure in (*intervals, *explaining, *in_sections)]
    return {REPORT: page, **{name: data for pictures in files for name, data in pictures.items()}}

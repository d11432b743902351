"""Write a comparison as one page that needs no network."""

from __future__ import annotations

from importlib.metadata import version

from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.difference_kinds import Group
from learnability.reports.annotation_diffs.changelog import changelog
from learnability.reports.annotation_diffs.descriptions import explanation_of
from learnability.reports.annotation_diffs.drawings import drawn_group, heading_of
from learnability.reports.annotation_diffs.rules import LearnedRules
from learnability.reports.annotation_diffs.tables import (
    agreement_table,
    columns_table,
    features_table,
    groups_table,
    parts_table,
)
from learnability.reports.annotation_diffs.terminal import summary, trees_line
from learnability.reports.rendering import render
from learnability.reports.section import Section

MOST_DRAWN = 40
"""The groups that a page draws; its table has all."""


def page_of(comparison: AnnotationDiff, rules: LearnedRules | None = None) -> bytes:
    """Return the page as UTF-8 bytes, with the rules that were learned, if any were."""
    numbered = list(enumerate(comparison.groups, start=1))
    agreement, tables = comparison.agreement, [columns_table(comparison)]
    if comparison.features:
        tables.append(features_table(comparison))
    parts = [parts_table(agreement, by) for by in ("length", "relation", "document")]
    sections = [
        Section("What differs", tuple(summary(comparison)), tuple(tables)),
        Section("Changelog", (changelog(comparison).replace("\n", " "),)),
        *([rules.section] if rules is not None else []),
        Section("All groups", (), (groups_table(numbered),)),
        *(_group(comparison, group, number) for number, group in numbered[:MOST_DRAWN]),
        Section(
            "Agreement",
            (trees_line(agreement),),
            (agreement_table(agreement), *(table for table in parts if table.rows)),
        ),
    ]
    return render(
        "diff.html.jinja",
        title=f"{comparison.base.name} and {comparison.alternative.name}",
        here=comparison.base.name,
        there=comparison.alternative.name,
        sections=[(f"section-{number}", section) for number, section in enumerate(sections, start=1)],
        version=version("learnability"),
    )


def _group(comparison: AnnotationDiff, group: Group, number: int) -> Section:
    queries = zip((comparison.base.name, comparison.alternative.name), group.queries, strict=True)
    lines = tuple(f"{name}: {query}" for name, query in queries if query)
    drawings = drawn_group(comparison, group, number)
    names = ", ".join(example.pair.base.name for example in group.examples)
    sentences = (*explanation_of(group), *([] if drawings else [f"For example: {names}."]))
    return Section(heading_of(group, number), sentences, lines=lines, drawings=drawings)

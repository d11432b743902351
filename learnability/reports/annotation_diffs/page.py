"""Write a comparison as one page that needs no network: its groups beside the words that show them."""

from __future__ import annotations

from collections.abc import Iterator

from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.difference_kinds import Example, Group
from learnability.reports.annotation_diffs.changelog import changelog
from learnability.reports.annotation_diffs.descriptions import explanation_of, heading_of
from learnability.reports.annotation_diffs.drawings import DRAWN, describe_values
from learnability.reports.annotation_diffs.rules import LearnedRules
from learnability.reports.annotation_diffs.tables import columns_table, features_table
from learnability.reports.annotation_diffs.terminal import summary
from learnability.reports.decision_page import DecisionPage, ShownWord, WordExamples
from learnability.reports.section import Section


def page_of(comparison: AnnotationDiff, rules: LearnedRules | None = None) -> bytes:
    """Return the page as UTF-8 bytes, with the rules that were learned, if any were."""
    here, there = comparison.base.name, comparison.alternative.name
    tables = [columns_table(comparison)]
    if comparison.features:
        tables.append(features_table(comparison))
    page = DecisionPage(
        title=f"{here} (here) and {there} (there)",
        key=f"diff {here} {there}",
        sides=("here", "there"),
        sections=(
            Section("Columns", tuple(summary(comparison)), tuple(tables)),
            Section("Changelog", (changelog(comparison).replace("\n", " "),)),
            *([rules.section] if rules is not None else []),
        ),
        about=(
            f"Here is {here}, there is {there}. Drawings have here above the words, and there below.",
            "A group has all words that differ in the same way. J and K go to the next group, and back.",
            "agreement.csv has how far the two agree, groups.csv all groups.",
        ),
    )
    for number, group in enumerate(comparison.groups, start=1):
        title = f"{heading_of(group, number)} ({group.words:,})"
        page.add_cause(title, (), explanation_of(group), list(_examples(group)))
    return page.render()


def _examples(group: Group) -> Iterator[WordExamples]:
    words = [_show_word(example, group) for example in group.examples]
    here, there = group.queries
    yield WordExamples("For example", words, here)
    if there:
        yield WordExamples("The same words there", (), there)


def _show_word(example: Example, group: Group) -> ShownWord:
    base, alternative = example.pair.base, example.pair.alternative
    if group.kind.column not in DRAWN:
        remark = " → ".join(describe_values(example, group))
        return ShownWord.of(base.name, base.tree, example.base, draws_arc=False, remark=remark)
    if not example.pair.alignment.identical:
        remark = " → ".join(
            tree.deprels[word - 1]
            for tree, word in ((base.tree, example.base), (alternative.tree, example.alternative))
        )
        return ShownWord.of(base.name, base.tree, example.base, draws_arc=False, remark=remark)
    return ShownWord.of(base.name, base.tree, example.base, draws_arc=True, other=alternative.tree)

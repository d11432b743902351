"""Print a comparison on a terminal: what differs first, then how far the annotations agree."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from learnability.annotation_diffs.agreement import Agreement
from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.difference_kinds import Group
from learnability.annotation_diffs.rules import LearnedRule
from learnability.reports.annotation_diffs.beside_words import (
    not_compared_sentences,
    other_sentences,
    same_sentence,
)
from learnability.reports.annotation_diffs.descriptions import (
    explanation_of,
    fates_of,
    here_and_there,
    per_cent,
    shown_counts,
)
from learnability.reports.annotation_diffs.drawings import lines_of_group
from learnability.reports.annotation_diffs.rules import rules_note, rules_table
from learnability.reports.annotation_diffs.tables import (
    SCORES,
    columns_table,
    features_table,
    groups_table,
    pairs_table,
)
from learnability.reports.text import number, print_table
from learnability.support.nouns import choose_verb, count_noun
from learnability.support.terminal import console

COLUMNS_OF_SCREEN = 80
"""The width of what is printed into files and pipes."""

MOST_LETTERS = 24
"""The most letters of a word in the table of groups; --out has all."""

MOST_FEATURES = 8
"""The most features that are listed."""


def print_comparison(comparison: AnnotationDiff, groups: list[tuple[int, Group]], left_out: int) -> None:
    """Print what differs, and the agreement by column."""
    _print([f"here: {comparison.base.name}, there: {comparison.alternative.name}"])
    _print_wrapped(summary(comparison))
    if not comparison.groups:
        return
    on = console(COLUMNS_OF_SCREEN)
    on.print()
    print_table(columns_table(comparison), on, "bold", tight=True)
    if has_trees(comparison):
        _print([trees_line(comparison.agreement)])
    if len(comparison.features) > 1:
        on.print()
        table = features_table(comparison)
        rows = table.rows[:MOST_FEATURES]
        print_table(type(table)(table.title, table.headings, rows), on, "bold", tight=True)
        if len(table.rows) > len(rows):
            _print(
                [f"and {count_noun(len(table.rows) - len(rows), 'other feature')} (features.csv of --out)"]
            )
    on.print()
    table = groups_table(groups)
    rows = tuple((*row[:3], _shorten_words(str(row[3])), *row[4:]) for row in table.rows)
    print_table(replace(table, rows=rows), on, "bold", tight=True)
    more = [f"and {count_noun(left_out, 'smaller group')} (--max, or --out for all)"] if left_out else []
    _print(
        [
            *more,
            *_describe_apart(comparison),
            *_explain_counts(groups),
        ]
    )


def _shorten_words(text: str) -> str:
    return " ".join(
        word if len(word) <= MOST_LETTERS else f"{word[: MOST_LETTERS - 1]}…" for word in text.split(" ")
    )


def _explain_counts(groups: list[tuple[int, Group]]) -> list[str]:
    for counts in filter(None, (shown_counts(group) for _, group in groups)):
        words, have = count_noun(counts.of_base, "word"), choose_verb(counts.base, "has", "have")
        return [
            f"{here_and_there(counts)[0]}: of {words} in question, {counts.base:,} {have} the old value, "
            "or else the new"
        ]
    return []


def _describe_apart(comparison: AnnotationDiff) -> list[str]:
    marks = sum(group.words for group in comparison.groups if group.kind.punctuation)
    parts = [f"{marks:,} in punctuation"] if marks else []
    for column, name in (("DEPS", "enhanced graphs"), ("MISC", "MISC")):
        words = sum(g.words for g in comparison.groups if g.kind.column == column and not g.kind.punctuation)
        parts += [f"{words:,} in {name}"] if words else []
    return [f"Differences that come last: {', '.join(parts)}."] if parts else []


def summary(comparison: AnnotationDiff) -> list[str]:
    """Return in sentences how much differs."""
    if not comparison.differs:
        return [same_sentence(comparison), *not_compared_sentences(comparison)]
    both, differing = len(comparison.matching.pairs), comparison.sentences_differing
    differ = choose_verb(differing, "differs", "differ")
    lines = [
        f"Both have {count_noun(both, 'sentence')}, of which {differing:,} {differ}"
        + (f" ({per_cent(differing, both)})." if both else "."),
        *(fate.sentence() for fate in fates_of(comparison)),
        *other_sentences(comparison),
        *not_compared_sentences(comparison),
    ]
    return lines


def has_trees(comparison: AnnotationDiff) -> bool:
    return comparison.agreement.trees.tokens > 0


def trees_line(agreement: Agreement) -> str:
    """Return the scores of the trees of the alternative against those of the base."""
    scores = ", ".join(f"{name.upper()} {number(getattr(agreement.trees, name))}" for name in SCORES)
    return f"trees: {scores}"


def print_group(comparison: AnnotationDiff, group: Group) -> None:
    """Print one group: counts, queries for Grew-match, and sentences drawn in both versions."""
    _print([group.title])
    _print_wrapped(explanation_of(group))
    for name, query in zip(("here", "there"), group.queries, strict=True):
        if query:
            _print([f"Grew-match {name}: {query}"])
    drawn = lines_of_group(group, (comparison.base.name, comparison.alternative.name))
    _print(drawn or ["", *(example.pair.base.name for example in group.examples)])


def print_pairs(comparisons: Sequence[AnnotationDiff], details: str) -> None:
    """Print a row for every two annotations."""
    print_table(pairs_table(comparisons), console(COLUMNS_OF_SCREEN), "bold", tight=True)
    for line in dict.fromkeys(line for each in comparisons for line in not_compared_sentences(each)):
        _print_wrapped([line])
    _print([f"Details of two: {details}"])


def print_rules(comparison: AnnotationDiff, rules: Sequence[LearnedRule], seed: int) -> None:
    """Print the rules that make B of A, and how well they do on other sentences."""
    _print([f"here: {comparison.base.name}, there: {comparison.alternative.name}"])
    if rules:
        on = console(COLUMNS_OF_SCREEN)
        on.print()
        print_table(rules_table(rules), on, "bold", tight=True)
    _print_wrapped([rules_note(rules, seed)])


def _print(lines: list[str]) -> None:
    on = console(COLUMNS_OF_SCREEN)
    for line in lines:
        on.print(line, markup=False, soft_wrap=True)


def _print_wrapped(sentences: list[str]) -> None:
    width = console(COLUMNS_OF_SCREEN).width
    for sentence in sentences:
        _print(textwrap.wrap(sentence, width, break_on_hyphens=False, break_long_words=False))

"""Describe what differs between two annotations of the same sentences, in words and tables of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from learnability.evidence.rows import ComparisonRow
from learnability.reports.annotation_diffs.tables import groups_table
from learnability.reports.section import Section
from learnability.reports.text import Table, number
from learnability.support.nouns import count_noun

SHOWN = 20
"""The most groups that a table shows."""


def changes_section(rows: Sequence[ComparisonRow]) -> Section | None:
    """Return what differs in the training set of each comparison of imported annotations.

    None if rules make the alternative, and so tell what differs.
    """
    imported: dict[tuple[str, str], ComparisonRow] = {}
    for row in rows:
        if row.changes is not None:
            imported.setdefault((row.treebank_label, row.name), row)
    if not imported:
        return None
    several = len({treebank for treebank, _ in imported}) > 1
    sentences = (f"{treebank}: " * several + describe_changes(row) for (treebank, _), row in imported.items())
    tables = (_groups_table(row) for row in imported.values() if row.groups)
    return Section("What differs", tuple(sentences), tuple(tables))


def _groups_table(row: ComparisonRow) -> Table:
    groups = list(enumerate(row.groups[:SHOWN], start=1))
    title = f"What differs between {row.base} (here) and {row.name} (there), in the training set"
    return replace(groups_table(groups), title=title)


def describe_changes(row: ComparisonRow) -> str:
    """Return how many training tokens have another head, and how many another relation only."""
    changes, tokens = (row.changes or {}).values(), row.train_tokens or 0
    heads = sum(counts.heads for counts in changes)
    relations = sum(counts.relations_only for counts in changes)
    if not heads + relations:
        same = f"the same heads and relations as {row.base} (subtypes aside)"
        return f"{row.name} has {same} in all compared training sentences."
    return (
        f"{_share(heads, tokens)} have another head in {row.name} than in {row.base}, "
        f"in {row.sentences_changed:,} of {count_noun(row.sentences or 0, 'sentence')}. "
        f"{relations:,} ({per_thousand(relations, tokens)} per 1,000) differ in the relation only."
    )


def describe_rewriting(row: ComparisonRow) -> str:
    """Return how many training tokens get another head, tag or relation by the rules of the alternative."""
    if not row.train_tokens:
        return "This construction does not occur in this treebank."
    if "head" not in row.pair.changed_columns:
        columns = " or ".join(name.upper() for name in row.pair.changed_columns)
        return (
            f"{_share(row.places or 0, row.train_tokens)} have another {columns} in the alternative, in "
            f"{row.sentences_changed:,} of {count_noun(row.sentences or 0, 'sentence')}. "
            "No word has another head."
        )
    return (
        f"{_share(row.tokens_changed or 0, row.train_tokens)} have another head in the alternative, at "
        f"{count_noun(row.places or 0, 'place')} in {row.sentences_changed:,} of "
        f"{count_noun(row.sentences or 0, 'sentence')}."
    )


def _share(count: int, tokens: int) -> str:
    return f"{count:,} of {count_noun(tokens, 'training token')} ({per_thousand(count, tokens)} per 1,000)"


def per_thousand(count: int, tokens: int) -> str:
    return number(1000 * count / tokens, ".1f") if tokens else ""

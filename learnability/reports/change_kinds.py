"""Describe what differs between two annotations of the same sentences, in words and a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from learnability.evidence.rows import ChangeCounts, ComparisonRow
from learnability.metrics.scores import FIRST_SCORE
from learnability.reports.annotation_diffs.tables import groups_table
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, number
from learnability.reports.verdicts import name_leader
from learnability.statistics.inference import Side
from learnability.support.nouns import count_noun

SHOWN = 20
"""The table shows the most frequent kinds of change, and the others together."""

OTHERS = "all other changes"

UNCHANGED = "unchanged"
"""What records call the tokens that are the same in both (`multiref.contrasts`)."""


def changes_section(rows: Sequence[ComparisonRow]) -> Section | None:
    """Return what differs in the training set of each comparison of imported annotations.

    All parsers have the same trees, so the scores are those of the first parser. None if rules make the
    alternative, and so tell what differs.
    """
    imported: dict[tuple[str, str], ComparisonRow] = {}
    for row in rows:
        if row.changes is not None:
            imported.setdefault((row.treebank_label, row.name), row)
    if not imported:
        return None
    several = len({treebank for treebank, _ in imported}) > 1
    sentences = (f"{treebank}: " * several + summary(row) for (treebank, _), row in imported.items())
    tables: list[Table] = []
    for row in imported.values():
        by_relation = _table(row)
        tables += [*_groups_tables(row), by_relation]
    return Section("What differs", tuple(sentences), tuple(tables))


def _groups_tables(row: ComparisonRow) -> list[Table]:
    if not row.groups:
        return []
    groups = list(enumerate(row.groups[:SHOWN], start=1))
    title = f"What differs between {row.base} (here) and {row.name} (there), in the training set"
    return [replace(groups_table(groups), title=title)]


def summary(row: ComparisonRow) -> str:
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


def changed_by_rules(row: ComparisonRow) -> str:
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


def _table(row: ComparisonRow) -> Table:
    changes, split = row.changes or {}, row.error_split.get(FIRST_SCORE, {})
    same, tokens_tested = (
        ("the same in both", "such tokens of the test set")
        if row.labelled
        else ("the same head in both", "such tokens of the test set with another head")
    )
    rows = [
        _table_row(name, kinds, row, counts_changes=name != same)
        for name, kinds in _kinds(changes, split, same).items()
    ]
    return Table(
        f"What differs between {row.base} and {row.name}, by relation",
        (
            *("relation", "another\nhead", "another\nrelation only", "test\ntokens"),
            *(f"UAS\n{row.base}", f"UAS\n{row.name}", "points"),
        ),
        tuple(rows),
        explanation=f"Relation: that of {row.base}, followed by that of {row.name} where it differs "
        "(subtypes aside). Another head, another relation only: training tokens. UAS: both parsers, each "
        "tested on its own annotation, on "
        f"{tokens_tested}. Points: the contribution to the difference, with the side that gains; they add up "
        "to it.",
    )


def _kinds(changes: Collection[str], split: Collection[str], same: str) -> dict[str, list[str]]:
    """Return by name in the table the kinds of change: the frequent ones, all others, and no change."""
    ordered = [*changes, *(kind for kind in split if kind not in changes and kind != UNCHANGED)]
    kinds = {kind: [kind] for kind in ordered[:SHOWN]}
    if rest := ordered[SHOWN:]:
        kinds[OTHERS] = rest
    if UNCHANGED in split:
        kinds[same] = [UNCHANGED]
    return kinds


def _table_row(
    name: str, kinds: Sequence[str], row: ComparisonRow, *, counts_changes: bool
) -> tuple[str | TableCell, ...]:
    changes, split = row.changes or {}, row.error_split.get(FIRST_SCORE, {})
    counts = [changes.get(kind, ChangeCounts(0, 0)) for kind in kinds]
    in_training = ["", ""]
    if counts_changes:
        in_training = [
            f"{sum(count.heads for count in counts):,}",
            f"{sum(count.relations_only for count in counts):,}",
        ]
    parts = [split[kind] for kind in kinds if kind in split and split[kind].tokens]
    tokens = sum(part.tokens for part in parts)
    if not tokens:
        return (name, *in_training, "0", "", "", "")
    first = sum(part.tokens * (part.base or 0.0) for part in parts)
    second = sum(part.tokens * (part.alternative or 0.0) for part in parts)
    tested = sum(part.tokens for part in split.values())
    scores = number(first / tokens), number(second / tokens)
    points = (first - second) / tested
    names = {Side.FIRST: row.base, Side.SECOND: row.name}
    cell = TableCell(name_leader(points, names), f"{points:.6f}")
    return (name, *in_training, f"{tokens:,}", *scores, cell)

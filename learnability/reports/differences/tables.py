"""Put a comparison into tables: for a terminal, a page, and CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learnability.differences.agreement import Agreement, PartAgreement
from learnability.differences.changes import COLUMNS
from learnability.differences.comparison import AnnotationDiff
from learnability.differences.groups import Group, ValueCounts
from learnability.reports.differences.descriptions import (
    fates_of,
    here_and_there,
    shown_counts,
    what_differs,
)
from learnability.reports.text import Table, number, percentage

SCORES = ("uas", "las", "clas")
"""The scores of trees."""


def groups_table(groups: Sequence[tuple[int, Group]]) -> Table:
    """Return a row per group, each with its number."""
    rows = []
    for position, group in groups:
        counts = shown_counts(group)
        here, there = here_and_there(counts) if counts else ("", "")
        mark = " (punctuation)" if group.kind.punctuation else ""
        what = what_differs(group.kind) + mark
        rows.append((str(position), f"{group.words:,}", group.kind.column, what, here, there))
    return Table("", ("", "words", "column", "what differs", "here", "there"), tuple(rows), align=">><<>>")


def features_table(comparison: AnnotationDiff) -> Table:
    """Return a row per feature that differs."""
    rows = tuple(
        (row.name, *(f"{n:,}" for n in (row.base, row.alternative, row.removed, row.added, row.changed)))
        for row in comparison.features
    )
    return Table("Features that differ", ("feature", "here", "there", "removed", "added", "changed"), rows)


def columns_table(comparison: AnnotationDiff, agreement: Agreement) -> Table:
    """Return a row per column: how many words differ, and the agreement."""
    measured = {row.column: row for row in agreement.columns}
    rows = []
    for column in COLUMNS:
        if column not in comparison.unchanged and not comparison.words_differing[column]:
            continue
        found = measured.get(column)
        values = ("", "", "")
        if found is not None:
            values = percentage(found.share, 2), number(found.kappa, ".3f"), number(found.alpha, ".3f")
        rows.append((column, f"{comparison.words_differing[column]:,}", *values))
    return Table("", ("column", "words that differ", "same", "kappa", "alpha"), tuple(rows))


def agreement_table(agreement: Agreement) -> Table:
    """Return the agreement on each column and feature."""
    rows = tuple(
        (
            row.column,
            f"{row.words:,}",
            percentage(row.share, 2),
            number(row.kappa, ".3f"),
            number(row.alpha, ".3f"),
        )
        for row in agreement.columns
    )
    return Table("Agreement by column and feature", ("column", "words", "same", "kappa", "alpha"), rows)


def parts_table(agreement: Agreement, by: str, most: int | None = None) -> Table:
    """Return the agreement by sentence length, relation or document; `most`: only the first rows."""
    parts = [part for part in agreement.parts if part.by == by][:most]
    rows = tuple(
        (
            part.part,
            f"{part.words:,}",
            *(percentage(same / part.words, 2) if part.words else "" for same in _same(part)),
        )
        for part in parts
    )
    return Table(f"Agreement by {_TITLES[by]}", (_TITLES[by], "words", "UPOS", "UAS", "LAS"), rows)


_TITLES = {"length": "words of the sentence", "relation": "relation", "document": "document"}


def _same(part: PartAgreement) -> tuple[int, int, int]:
    return part.upos, part.heads, part.labelled


GROUP_COLUMNS = (
    *("group", "column", "detail", "tags", "base", "alternative", "punctuation", "words", "sentences"),
    *("value", "base_words", "base_of", "alternative_words", "alternative_of"),
    *("base_query", "alternative_query", "examples"),
)
"""The columns of groups.csv."""


def group_record(group: Group, number_of_group: int) -> dict[str, Any]:
    """Return a group for JSON and CSV: its kind, counts, queries, and sentences that show it."""
    kind, counts = group.kind, shown_counts(group)
    value = kind.base or kind.alternative
    numbers = counts or ValueCounts(0, 0, 0, 0)
    known = counts is not None
    return {
        "group": number_of_group,
        "column": kind.column,
        "detail": kind.detail,
        "tags": kind.tags,
        "base": kind.base,
        "alternative": kind.alternative,
        "punctuation": kind.punctuation,
        "words": group.words,
        "sentences": group.sentences,
        "value": value if known else "",
        "base_words": numbers.base if known else None,
        "base_of": numbers.of_base if known else None,
        "alternative_words": numbers.alternative if known else None,
        "alternative_of": numbers.of_alternative if known else None,
        "base_query": group.queries[0],
        "alternative_query": group.queries[1],
        "examples": [example.pair.base.name for example in group.examples],
    }


def csv_files(comparison: AnnotationDiff, agreement: Agreement) -> dict[str, bytes]:
    """Return groups.csv, features.csv, agreement.csv, agreement_by_part.csv and sentences.csv."""
    records = [group_record(group, position) for position, group in enumerate(comparison.groups, start=1)]
    groups = [tuple(_cell(record[name]) for name in GROUP_COLUMNS) for record in records]
    features = [
        (row.name, *map(str, (row.base, row.alternative, row.removed, row.added, row.changed)))
        for row in comparison.features
    ]
    columns = [
        (row.column, str(row.words), str(row.same), number(row.kappa, ".6f"), number(row.alpha, ".6f"))
        for row in agreement.columns
    ]
    parts = [(part.by, part.part, *map(str, (part.words, *_same(part)))) for part in agreement.parts]
    sentences = [(fate.name, name) for fate in fates_of(comparison) for name in fate.names]
    tables: dict[str, tuple[tuple[str, ...], Sequence[tuple[str, ...]]]] = {
        "groups.csv": (GROUP_COLUMNS, groups),
        "features.csv": (("feature", "base", "alternative", "removed", "added", "changed"), features),
        "agreement.csv": (("column", "words", "same", "kappa", "alpha"), columns),
        "agreement_by_part.csv": (("by", "part", "words", "upos", "heads", "labelled"), parts),
        "sentences.csv": (("fate", "sentence"), sentences),
    }
    return {name: Table("", headings, tuple(rows)).csv() for name, (headings, rows) in tables.items()}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(value) if isinstance(value, list) else str(value)


def as_record(
    comparison: AnnotationDiff, agreement: Agreement, rules: Sequence[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Return everything for JSON, with the records of `rules` if some were learned."""
    learned = {} if rules is None else {"rules": list(rules)}
    matching = comparison.matching
    versions = (("base", comparison.base), ("alternative", comparison.alternative))
    alpha = agreement.alpha
    return {
        **{
            role: {"name": version.name, "sentences": len(version), "words": version.words}
            for role, version in versions
        },
        "sentences": {
            "both": len(matching.pairs),
            "differing": comparison.sentences_differing,
            **{fate.name: list(fate.names) for fate in fates_of(comparison)},
        },
        "words": {
            "compared": comparison.words,
            "base_left_out": comparison.base_left_out,
            "alternative_left_out": comparison.alternative_left_out,
            "differing": comparison.words_differing,
        },
        "groups": [group_record(group, number) for number, group in enumerate(comparison.groups, start=1)],
        "features": [
            {
                "feature": row.name,
                "base": row.base,
                "alternative": row.alternative,
                "removed": row.removed,
                "added": row.added,
                "changed": row.changed,
            }
            for row in comparison.features
        ],
        **learned,
        "agreement": {
            "columns": [
                {
                    "column": row.column,
                    "words": row.words,
                    "same": row.same,
                    "kappa": row.kappa,
                    "alpha": row.alpha,
                }
                for row in agreement.columns
            ],
            "trees": {name: getattr(agreement.trees, name) for name in SCORES},
            "tree_alpha": None
            if alpha is None
            else {
                "alpha_plain": alpha.alpha,
                "sentences": alpha.sentences,
                "pairs": alpha.pairs,
                "sampled": alpha.sampled,
                "left_out": alpha.left_out,
            },
            "parts": [
                {
                    "by": part.by,
                    "part": part.part,
                    "words": part.words,
                    "upos": part.upos,
                    "heads": part.heads,
                    "labelled": part.labelled,
                }
                for part in agreement.parts
            ],
        },
    }

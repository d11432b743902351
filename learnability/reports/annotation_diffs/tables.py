"""Put a comparison into tables: for a terminal, a page, and CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

from learnability.annotation_diffs.agreement import ColumnAgreement, PartAgreement
from learnability.annotation_diffs.changes import COLUMNS
from learnability.annotation_diffs.difference_kinds import Group
from learnability.reports.annotation_diffs.descriptions import fates_of, here_and_there, shown_counts
from learnability.reports.text import Table, number, percentage
from learnability.support.values import JsonObject

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from learnability.annotation_diffs.annotation_diff import AnnotationDiff

SCORES = ("uas", "las", "clas")
"""The scores of trees."""


def groups_table(groups: Sequence[tuple[int, Group]]) -> Table:
    """Return a row per group, each with its number."""
    rows = []
    for position, group in groups:
        counts = shown_counts(group)
        here, there = here_and_there(counts) if counts else ("", "")
        mark = " (punctuation)" if group.kind.punctuation else ""
        what = group.kind.describe() + mark
        rows.append((str(position), f"{group.words:,}", ", ".join(group.columns), what, here, there))
    return Table("", ("", "words", "column", "what differs", "here", "there"), tuple(rows), align=">><<>>")


def pairs_table(comparisons: Sequence[AnnotationDiff]) -> Table:
    """Return a row for every two annotations: how much differs, and how far they agree."""
    rows = []
    unmatched = list(map(_count_unmatched, comparisons))
    for each, only_one in zip(comparisons, unmatched, strict=True):
        measured = {row.column: row for row in each.agreement.columns}
        upos = number(measured["UPOS"].kappa, ".3f") if "UPOS" in measured else ""
        rows.append(
            (
                each.base.name,
                each.alternative.name,
                f"{len(each.matching.pairs):,}",
                f"{each.sentences_differing:,}",
                *([f"{only_one:,}"] if any(unmatched) else []),
                f"{each.words:,}",
                f"{each.differences:,}",
                upos,
                *(number(getattr(each.agreement.trees, name)) for name in SCORES[:2]),
            )
        )
    headings = (
        *("here", "there", "sentences", "differ"),
        *(["only in one"] if any(unmatched) else []),
        *("words", "differences", "UPOS kappa", "UAS", "LAS"),
    )
    return Table("", headings, tuple(rows))


def _count_unmatched(comparison: AnnotationDiff) -> int:
    found = comparison.matching
    both = 2 * len(found.pairs)
    return len(comparison.base) + len(comparison.alternative) - both


def features_table(comparison: AnnotationDiff) -> Table:
    """Return a row per feature that differs."""
    rows = tuple(
        (row.name, *(f"{n:,}" for n in (row.base, row.alternative, row.removed, row.added, row.changed)))
        for row in comparison.features
    )
    return Table("Features that differ", ("feature", "here", "there", "removed", "added", "changed"), rows)


def columns_table(comparison: AnnotationDiff) -> Table:
    """Return a row per column: how many words differ, and the agreement."""
    measured = {row.column: row for row in comparison.agreement.columns}
    rows = []
    for column in COLUMNS:
        if column not in comparison.unchanged and not comparison.words_differing[column]:
            continue
        found = measured.get(column)
        values = ("", "")
        if found is not None:
            values = percentage(found.share, 2), number(found.kappa, ".3f")
        rows.append((column, f"{comparison.words_differing[column]:,}", *values))
    return Table("", ("column", "words that differ", "same", "kappa"), tuple(rows))


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """Hold a group as JSON and a row of groups.csv show it; the columns are explained in docs/numbers.md."""

    group: int
    column: str
    detail: str
    tags: str
    base: str
    alternative: str
    punctuation: bool
    words: int
    enhanced: int
    sentences: int
    value: str
    base_words: int | None
    base_of: int | None
    alternative_words: int | None
    alternative_of: int | None
    base_query: str
    alternative_query: str
    examples: list[str]

    @classmethod
    def of(cls, number_of_group: int, group: Group) -> GroupRecord:
        """Return the record of a group: its kind, counts, queries, and sentences that show it."""
        kind, counts = group.kind, shown_counts(group)
        value = (kind.base or kind.alternative) if counts else ""
        numbers: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
        if counts:
            numbers = counts.base, counts.of_base, counts.alternative, counts.of_alternative
        examples = [example.pair.base.name for example in group.examples]
        figures = group.words, group.enhanced, group.sentences
        return cls(number_of_group, *kind, *figures, value, *numbers, *group.queries, examples)


def _records_of(groups: Sequence[Group]) -> list[GroupRecord]:
    return [GroupRecord.of(number_of_group, group) for number_of_group, group in enumerate(groups, start=1)]


def csv_files(comparison: AnnotationDiff) -> dict[str, bytes]:
    """Return groups.csv, features.csv, agreement.csv, agreement_by_part.csv, sentences.csv and
    beside_words.csv."""
    sentences = [(fate.name, name) for fate in fates_of(comparison) for name in fate.names]
    sentences += [("words_left_out", words) for words in comparison.words_left_out]
    for columns, names in comparison.not_compared.items():
        sentences += [("not_compared", f"{name}: {' '.join(columns)}") for name in names]
    others = [
        (*each.kind, each.count, len(each.sentences), " ".join(each.sentences)) for each in comparison.others
    ]
    agreement = comparison.agreement
    return {
        "groups.csv": records_csv(names_of(GroupRecord), map(astuple, _records_of(comparison.groups))),
        "features.csv": records_csv(FEATURE_COLUMNS, map(astuple, comparison.features)),
        "agreement.csv": records_csv(names_of(ColumnAgreement), map(astuple, agreement.columns)),
        "agreement_by_part.csv": records_csv(names_of(PartAgreement), map(astuple, agreement.parts)),
        "sentences.csv": records_csv(("fate", "sentence"), sentences),
        "beside_words.csv": records_csv(
            ("thing", "fate", "detail", "count", "sentences", "examples"), others
        ),
    }


FEATURE_COLUMNS = ("feature", "base", "alternative", "removed", "added", "changed")
"""The columns of features.csv."""


def names_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(column.name for column in fields(kind))


def records_csv(names: Sequence[str], records: Iterable[Sequence[Any]]) -> bytes:
    return Table("", tuple(names), tuple(tuple(map(_cell, record)) for record in records)).csv()


def _cell(value: float | str | list[str] | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value, ".6f")
    return " ".join(value) if isinstance(value, list) else str(value)


def as_record(comparison: AnnotationDiff, rules: Sequence[DataclassInstance] | None = None) -> JsonObject:
    """Return everything for JSON, with the records of `rules` if some were learned."""
    learned = {} if rules is None else {"rules": [asdict(rule) for rule in rules]}
    matching, agreement = comparison.matching, comparison.agreement
    versions = (("base", comparison.base), ("alternative", comparison.alternative))
    return {
        **{
            role: {"name": version.name, "sentences": len(version), "words": version.words}
            for role, version in versions
        },
        "sentences": {
            "both": len(matching.pairs),
            "differing": comparison.sentences_differing,
            "not_compared": [
                {"columns": list(columns), "sentences": list(names)}
                for columns, names in comparison.not_compared.items()
            ],
            **{fate.name: list(fate.names) for fate in fates_of(comparison)},
        },
        "words": {
            "compared": comparison.words,
            "base_left_out": comparison.base_left_out,
            "alternative_left_out": comparison.alternative_left_out,
            "left_out": list(comparison.words_left_out),
            "differing": comparison.words_differing,
        },
        "beside_words": [
            {**each.kind._asdict(), "count": each.count, "sentences": list(each.sentences)}
            for each in comparison.others
        ],
        "same_files": comparison.are_same_files,
        "groups": [asdict(record) for record in _records_of(comparison.groups)],
        "features": [dict(zip(FEATURE_COLUMNS, astuple(row), strict=True)) for row in comparison.features],
        **learned,
        "agreement": {
            "columns": list(map(asdict, agreement.columns)),
            "trees": {name: getattr(agreement.trees, name) for name in SCORES},
            "parts": list(map(asdict, agreement.parts)),
        },
    }

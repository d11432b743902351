"""The scores of a run that can be compared across references, beside those that each parser has on its own.

One table for the terminal and for the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from learnability.experiments.finished import name_of, original_of
from learnability.experiments.results import Row, columns_of
from learnability.reports.sections import Section, TextTable
from learnability.reports.tables import number

COMMON_GROUND = (
    ("UAS UD", "uas_original"),
    ("UAS alternative", "uas_transformed"),
    ("nucleus UD", "nucleus_uas_original"),
    ("nucleus alternative", "nucleus_uas_transformed"),
    ("first to UD", "uas_back_original"),
    ("its ceiling", "back_ceiling_original"),
    ("alternative to UD", "uas_back_transformed"),
    ("ceiling", "back_ceiling"),
    ("by gold sites", "back_ceiling_gold_sites"),
    ("closest UD", "closest_uas_original"),
    ("closest alternative", "closest_uas_transformed"),
    ("closest both", "closest_uas_multiref"),
    ("LAS UD", "las_original"),
    ("LAS alternative", "las_transformed"),
    ("LAS, first to UD", "las_back_original"),
    ("LAS, its ceiling", "las_back_ceiling_original"),
    ("LAS, alternative to UD", "las_back_transformed"),
    ("LAS, ceiling", "las_back_ceiling"),
    ("LAS, closest UD", "closest_las_original"),
    ("LAS, closest alternative", "closest_las_transformed"),
    ("LAS, closest both", "closest_las_multiref"),
)
"""Headings and columns of the table of scores on common ground."""


def common_ground_section(rows: Sequence[Row]) -> Section | None:
    """The table of one treebank, and how to read it; None where no row has scores."""
    table = common_ground_table(rows, name_of)
    return Section("On common ground", (), (table,)) if table.rows else None


def common_ground_table(rows: Sequence[Row], named: Callable[[Row], str]) -> TextTable:
    """The rows with scores; `named`: what a row is called."""
    original = original_of(rows[0]) if rows else "UD"
    shown = headed(COMMON_GROUND, columns_of(rows), original)
    return TextTable(
        "Scores on common ground, percent",
        ("transform", *(heading for heading, _ in shown)),
        tuple(
            (named(row), *(number(row[column]) for _, column in shown))
            for row in rows
            if row["uas_delta"] is not None
        ),
        "UAS is against different references. Nucleus: arcs between phrases, which both annotations share "
        "(not defined with cc). To UD: parses converted to UD; the ceiling is what the conversion makes of "
        "gold trees, by the sites it finds or by the gold ones. Closest: against the mixture of both "
        "annotations that a parse is nearest to; both: of the parser trained on all mixtures.",
    )


def headed(table: Sequence[tuple[str, str]], columns: Sequence[str], original: str) -> list[tuple[str, str]]:
    """The headings and columns that there are; they name the scheme that stands in the place of UD."""
    found = [(heading, column) for heading, column in table if column in columns]
    if original == "UD":
        return found
    # where parses are converted to UD, UD is UD
    return [(h if h.endswith("to UD") else h.replace("UD", original), column) for h, column in found]

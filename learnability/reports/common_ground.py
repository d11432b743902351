"""The scores of a run that can be compared across references, beside those that each parser has on its own.

One table for the terminal and for the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from learnability.experiments.columns import SCORE_COLUMNS, Row, columns_of
from learnability.metrics.scores import Score
from learnability.reports.sections import Section, TextTable
from learnability.reports.tables import number

HEADINGS = {
    "original": "{score} UD",
    "transformed": "{score} alternative",
    "nucleus_original": "nucleus UD",
    "nucleus_transformed": "nucleus alternative",
    "back_original": "first to UD",
    "back_ceiling_original": "its ceiling",
    "back_transformed": "alternative to UD",
    "back_ceiling": "ceiling",
    "back_ceiling_gold_sites": "by gold sites",
    "closest_original": "closest UD",
    "closest_transformed": "closest alternative",
    "closest_multiref": "closest both",
}
"""Headings of the table of scores on common ground; those of LAS say so."""

COMMON_GROUND = [
    (
        heading.format(score=score.upper())
        if "{score}" in heading or score is Score.UAS
        else f"{score.upper()}, {heading}",
        SCORE_COLUMNS[score][name].name,
    )
    for score in Score
    for name, heading in HEADINGS.items()
    if name in SCORE_COLUMNS[score]
]
"""The headings and their columns."""


def common_ground_section(rows: Sequence[Row]) -> Section | None:
    """The table of one treebank, and how to read it; None where no row has scores."""
    table = common_ground_table(rows, lambda row: row.name)
    return Section("On common ground", (), (table,)) if table.rows else None


def common_ground_table(rows: Sequence[Row], named: Callable[[Row], str]) -> TextTable:
    """The rows with scores; `named`: what a row is called."""
    original = rows[0].original if rows else "UD"
    shown = headed(COMMON_GROUND, [column.name for column in columns_of(rows)], original)
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

"""The rows of a run as tables, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.experiments.columns import Difference, Ground, Row, columns_of
from learnability.experiments.criteria import CRITERIA
from learnability.metrics.scores import Score
from learnability.reports.text import Cell, Table, console, drawn, number, signed

SYMBOL = {"original": "UD", "transformed": "alt", "equal": "equal", "none": "–", None: ""}
"""How a winner or a pick is shown."""

GROUNDS = {
    Ground.OWN: "own references",
    Ground.WORDS: "without punctuation",
    Ground.NUCLEI: "between nuclei",
    Ground.BACK: "converted to UD",
    Ground.CLOSEST: "closest reference",
}
"""What the grounds are called in tables."""


def print_rows(rows: Sequence[Row], *, details: bool = False) -> None:
    """Print the rows of results.csv for people: the decisions, and with `details` what else there is."""
    on = console()
    on.print(drawn(decision_table(rows), framed=True, wraps=True))
    if details:
        for table in (ground_table(rows), criteria_table(rows)):
            if table.rows:
                on.print(drawn(table, framed=True, wraps=True))


def names_of(rows: Sequence[Row]) -> list[str]:
    """What the rows are called: by the transformation, and by the treebank where there are several."""
    several = len({row.treebank_label for row in rows}) > 1
    return [f"{row.treebank_label} {row.name}" if several else row.name for row in rows]


def decision_table(rows: Sequence[Row]) -> Table:
    """One row per condition: the decision, and what it rests on most."""
    ud = rows[0].original if rows else "UD"
    return Table(
        ", ".join(dict.fromkeys(row["treebank"] for row in rows)),
        (
            "transform",
            "decision",
            "test sites",
            f"UAS {ud}",
            "UAS alt",
            "difference [95 %]",
            "converted to UD",
        ),
        tuple(
            (
                name,
                row["decision"] or "not computed",
                number(row["test_sites"], ".0f"),
                number(row["uas_original"]),
                number(row["uas_transformed"]),
                interval(row.difference()),
                interval(row.difference(ground=Ground.BACK)),
            )
            for name, row in zip(names_of(rows), rows, strict=True)
        ),
        f"Difference: UAS on {ud} minus UAS on the alternative, each against its own reference; positive: "
        f"{ud} is ahead. Converted to UD: the same against UD's trees, after conversion of the parses.",
        "<<>>>>>",
    )


def interval(difference: Difference | None) -> str | Cell:
    """A difference with its interval, sorted by the difference."""
    if difference is None:
        return ""
    shown = signed(difference.delta)
    if difference.low is not None and difference.high is not None:
        shown += f" [{signed(difference.low)}, {signed(difference.high)}]"
    return Cell(shown, f"{difference.delta:.6f}")


def ground_table(rows: Sequence[Row]) -> Table:
    """One row per condition, score and ground: the scores of both, their difference, and what it shows."""
    ud = rows[0].original if rows else "UD"
    return Table(
        "On every ground",
        ("transform", "score", "compared", ud, "alternative", "difference [95 %]", "p", "corrected", "shows"),
        tuple(
            (
                name,
                score.upper(),
                GROUNDS[ground],
                number(difference.original),
                number(difference.transformed),
                interval(difference),
                number(difference.p_value, ".4f"),
                number(difference.p_holm, ".4f"),
                shown_side(row, difference.better),
            )
            for name, row in zip(names_of(rows), rows, strict=True)
            for score in Score
            for ground, difference in row.differences(score)
        ),
        "Between nuclei: arcs between phrases, which both annotations share (not defined with cc). Converted "
        "to UD: against UD's trees; the conversion itself loses something (the ceiling in results.csv). "
        "Closest reference: against the mixture of both annotations that a parse is nearest to.",
        "<<<>>>>>^",
    )


def criteria_table(rows: Sequence[Row]) -> Table:
    """Which annotation survives a training against both, and what each criterion picks."""
    ud = rows[0].original if rows else "UD"
    return Table(
        "Without comparing two parsers",
        ("transform", f"survival {ud} / alt", *(criterion.heading for criterion in CRITERIA)),
        tuple(
            (name, _survival(row), *(shown_side(row, row[criterion.pick_column]) for criterion in CRITERIA))
            for name, row in zip(names_of(rows), rows, strict=True)
            if any(row[criterion.pick_column] for criterion in CRITERIA)
        ),
        f"Survival: share of training sentences in which {ud} (the alternative) survived training against "
        "both. Then the annotation that each criterion picks. None of them decides anything.",
        "<" + "^" * (1 + len(CRITERIA)),
    )


def _survival(row: Row) -> str | Cell:
    share = row["multiref_original_share"]
    return (
        ""
        if share is None
        else Cell(f"{share:.0%} / {row['multiref_transformed_share']:.0%}", f"{share:.6f}")
    )


def shown_side(row: Row, side: str | None) -> str:
    """A side as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    return row.original if side == "original" else SYMBOL[side]


def full_table(rows: Sequence[Row]) -> Table:
    """All columns of results.csv; the one that names the row comes first."""
    columns = sorted(columns_of(rows), key=lambda column: column.name != "transform")
    cells = tuple(tuple(column.text(row[column.name]) for column in columns) for row in rows)
    return Table("All columns of results.csv", tuple(column.name for column in columns), cells)

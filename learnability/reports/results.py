"""The rows of a run as tables, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from learnability.comparing.criteria import CRITERIA
from learnability.evidence.columns import Difference, Ground, Row, columns_of, decision_column
from learnability.metrics.scores import Score, scores_of
from learnability.reports.text import Cell, Table, drawn, estimate, listed, number, probability
from learnability.support.terminal import console

SYMBOL = {"original": "UD", "transformed": "alt", "equal": "equal", "none": "–", None: ""}
"""How a winner or a pick is shown."""

WITH_RULES = (
    "Between nuclei: arcs between phrases, which both annotations share (not defined with cc, conj, "
    "punct). Converted to UD: against UD's trees; the conversion itself loses something (back_ceiling in "
    "results.csv). "
)
WITHOUT_RULES = (
    "Scores between nuclei and after conversion to UD are left out: they need rules that lead from one "
    "annotation to the other. "
)
"""What is said of the grounds that not every run has."""

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
    for table in (decision_table(rows), *((ground_table(rows), criteria_table(rows)) if details else ())):
        if table.rows:
            on.print(drawn(table, tight=True))
            on.print()


def names_of(rows: Sequence[Row]) -> list[str]:
    """What the rows are called: by transformation and judge, and by the treebank where there are several."""
    several = len({row.treebank_label for row in rows}) > 1
    return [f"{row.treebank_label} {row.title}" if several else row.title for row in rows]


def judges_of(rows: Iterable[Row]) -> list[str]:
    """All judges of the rows, in the order in which they come; none in a run that was given none."""
    return list(dict.fromkeys(row.judge for row in rows if row.judge))


def _by_score(rows: Sequence[Row]) -> list[tuple[str, Row, Score]]:
    """Name, row and score of all that was compared; in labelled runs the names have the score."""
    labelled = any("las_delta" in row for row in rows)
    return [
        (f"{name} {score.upper()}" if labelled else name, row, score)
        for name, row in zip(names_of(rows), rows, strict=True)
        for score in scores_of(labelled=labelled)
    ]


def decision_table(rows: Sequence[Row], *, p_values: bool = False) -> Table:
    """One row per condition and score: the decision, and what it rests on most.

    `p_values`: the p of both differences, too, corrected for several comparisons.
    """
    ud = rows[0].original if rows else "UD"
    unit = "" if any("las_delta" in row for row in rows) else "UAS\n"
    converted = not all(row.is_given for row in rows)
    grounds = {Ground.OWN: "difference\n± 95 %"} | ({Ground.BACK: "converted\nto UD"} if converted else {})

    def differences(row: Row, score: Score) -> Iterator[str | Cell]:
        for difference in (row.difference(score, ground) for ground in grounds):
            yield interval(difference)
            if p_values:
                yield probability(difference.p_holm if difference else None)

    return Table(
        listed(dict.fromkeys(row.treebank_label for row in rows), "treebank"),
        (
            *("transform", "decision", "test\nsites", f"{unit}{ud}", f"{unit}alt"),
            *(heading for own in grounds.values() for heading in (own, *(["p\nHolm"] if p_values else []))),
        ),
        tuple(
            (
                name,
                row[decision_column(score)] or "not computed",
                number(row["test_sites"], ".0f"),
                number(own.original if own else None),
                number(own.transformed if own else None),
                *differences(row, score),
            )
            for name, row, score in _by_score(rows)
            for own in [row.difference(score)]
        ),
        f"Difference: {ud} minus alternative, each against its own reference; positive: {ud} is ahead. "
        + ("Converted to UD: the same against UD's trees, after conversion of the parses. " * converted)
        + "*: p < 0.05 after correction for several conditions; intervals are not corrected.",
        "<<>",
    )


def interval(difference: Difference | None) -> str | Cell:
    """A difference, half the width of its interval, and a star if it is shown; sorted by the difference."""
    if difference is None:
        return ""
    star = "*" if difference.better in ("original", "transformed") else "\N{NO-BREAK SPACE}"
    return estimate(difference.delta, difference.low, difference.high, star)


def ground_table(rows: Sequence[Row]) -> Table:
    """One row per condition, score and ground: the scores of both, their difference, and what it shows."""
    ud = rows[0].original if rows else "UD"
    compared = [(name, row, *own) for name, row, score in _by_score(rows) for own in row.differences(score)]
    judged = any(row.judge for row in rows)
    return Table(
        "Every score, with its uncertainty",
        ("transform", "scored", ud, "alt", "difference\n± 95 %", "p", "p\nHolm", "shows"),
        tuple(
            (
                name,
                GROUNDS[ground],
                number(difference.original),
                number(difference.transformed),
                interval(difference),
                probability(difference.p_value),
                probability(difference.p_holm),
                shown_side(row, difference.better),
            )
            for name, row, ground, difference in compared
        ),
        (WITHOUT_RULES if all(row.is_given for row in rows) else WITH_RULES)
        + "Closest reference: against that mixture of both annotations to which a parse is "
        f"closest. Holm: p corrected for all conditions of the {'judge' if judged else 'run'}, on each score "
        "by itself. Shows: the side that is ahead (corrected p < 0.05), equal (half a point or more is "
        "excluded), or –.",
        "<<>",
        groups=[name for name, *_ in compared],
    )


def criteria_table(rows: Sequence[Row]) -> Table:
    """Which annotation survives a training against both, and what each criterion picks."""
    ud = rows[0].original if rows else "UD"
    return Table(
        "What the criteria pick that need no second parser",
        ("transform", f"survival\n{ud} / alt", *(criterion.heading for criterion in CRITERIA)),
        tuple(
            (name, _survival(row), *(shown_side(row, row[criterion.pick_column]) for criterion in CRITERIA))
            for name, row in zip(names_of(rows), rows, strict=True)
            if any(row[criterion.pick_column] for criterion in CRITERIA)
        ),
        f"Survival: share of the training sentences with sites in which {ud} / the alternative survived "
        "training against both. The others: which annotation the criterion picks. They are weak evidence and "
        "do not enter the decision.",
        "<" + "^" * (1 + len(CRITERIA)),
    )


def _survival(row: Row) -> str | Cell:
    ours, theirs = row["multiref_original_share"], row["multiref_transformed_share"]
    return "" if ours is None else Cell(f"{ours:.0%} / {theirs:.0%}", f"{ours:.6f}")


def shown_side(row: Row, side: str | None) -> str:
    """A side as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    return row.original if side == "original" else SYMBOL[side]


def full_table(rows: Sequence[Row]) -> Table:
    """All columns of results.csv; the one that names the row comes first."""
    columns = sorted(columns_of(rows), key=lambda column: column.name != "transform")
    cells = tuple(tuple(column.text(row[column.name]) for column in columns) for row in rows)
    return Table("All columns of results.csv", tuple(column.name for column in columns), cells)

"""The rows of a run as tables, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from learnability.comparing.criteria import CRITERIA
from learnability.evidence.columns import RESULTS, result_values
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score
from learnability.reports.text import Table, TableCell, drawn, estimate, listed, number, probability
from learnability.statistics.significance import Side
from learnability.support.terminal import console

SYMBOL: dict[str | None, str] = {
    Side.UD: "UD",
    Side.ALTERNATIVE: "alt",
    Side.EQUAL: "equal",
    Side.NONE: "–",
    None: "",
}
"""How a winner or a pick is shown."""

WITH_RULES = (
    "Between nuclei: arcs between phrases, which both annotations share (not defined with cc, conj, "
    "punct). Converted to UD: against UD's trees; the conversion itself loses something (ceiling in "
    "scores.csv). "
)
WITHOUT_RULES = (
    "Scores between nuclei and after conversion to UD are left out: they need rules that lead from one "
    "annotation to the other. "
)
"""What is said of the bases that not every run has."""

BASES = {
    ComparisonKind.ANNOTATION: "own references",
    ComparisonKind.WORDS: "without punctuation",
    ComparisonKind.PHRASES: "between nuclei",
    ComparisonKind.CONVERTED: "converted to UD",
    ComparisonKind.MIXTURE: "closest reference",
}
"""What the bases are called in tables."""


def print_rows(rows: Sequence[ComparisonRow], *, details: bool = False) -> None:
    """Print the rows of results.csv for people: the decisions, and with `details` what else there is."""
    on = console()
    for table in (answer_table(rows), *((comparison_table(rows), criteria_table(rows)) if details else ())):
        if table.rows:
            on.print(drawn(table, tight=True))
            on.print()


def names_of(rows: Sequence[ComparisonRow]) -> list[str]:
    """What the rows are called: by transformation and judge, and by the treebank where there are several."""
    several = len({row.treebank_label for row in rows}) > 1
    return [f"{row.treebank_label} {row.title}" if several else row.title for row in rows]


def judges_of(rows: Iterable[ComparisonRow]) -> list[str]:
    """All judges of the rows, in the order in which they come; none in a run that was given none."""
    return list(dict.fromkeys(row.parser for row in rows if row.parser))


def _by_score(rows: Sequence[ComparisonRow]) -> list[tuple[str, ComparisonRow, Score]]:
    """Name, row and score of all that was compared; in labelled runs the names have the score."""
    labelled = any(row.labelled for row in rows)
    return [
        (f"{name} {score.upper()}" if labelled else name, row, score)
        for name, row in zip(names_of(rows), rows, strict=True)
        for score in row.scores
    ]


def answer_table(rows: Sequence[ComparisonRow], *, p_values: bool = False) -> Table:
    """One row per condition and score: the decision, and what it rests on most.

    `p_values`: the p of both differences, too, corrected for several comparisons.
    """
    ud = rows[0].original if rows else "UD"
    unit = "" if any(row.labelled for row in rows) else "UAS\n"
    converted = any(row.has_conversion_back for row in rows)
    bases = {ComparisonKind.ANNOTATION: "difference\n± 95 %"} | (
        {ComparisonKind.CONVERTED: "converted\nto UD"} if converted else {}
    )

    def differences(row: ComparisonRow, score: Score) -> Iterator[str | TableCell]:
        for difference in (row.difference(score, basis) for basis in bases):
            yield interval(difference)
            if p_values:
                yield probability(difference.p_holm if difference else None)

    return Table(
        listed(dict.fromkeys(row.treebank_label for row in rows), "treebank"),
        (
            *("construction", "answer", "test\nsites", f"{unit}{ud}", f"{unit}alt"),
            *(heading for own in bases.values() for heading in (own, *(["p\nHolm"] if p_values else []))),
        ),
        tuple(
            (
                name,
                row.answer(score) or "not computed",
                number(row.test_places, ".0f"),
                number(own.ud if own else None),
                number(own.alternative if own else None),
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


def interval(difference: Difference | None) -> str | TableCell:
    """A difference, half the width of its interval, and a star if it is shown; sorted by the difference."""
    if difference is None:
        return ""
    star = "*" if difference.better in (Side.UD, Side.ALTERNATIVE) else "\N{NO-BREAK SPACE}"
    return estimate(difference.delta, difference.low, difference.high, star)


def comparison_table(rows: Sequence[ComparisonRow]) -> Table:
    """One row per condition, score and basis: the scores of both, their difference, and what it shows."""
    ud = rows[0].original if rows else "UD"
    compared = [
        (name, row, basis, difference)
        for name, row, score in _by_score(rows)
        for basis, difference in row.by_comparison(score).items()
    ]
    judged = any(row.parser for row in rows)
    return Table(
        "Every score, with its uncertainty",
        ("construction", "scored", ud, "alt", "difference\n± 95 %", "p", "p\nHolm", "shows"),
        tuple(
            (
                name,
                BASES[basis],
                number(difference.ud),
                number(difference.alternative),
                interval(difference),
                probability(difference.p_value),
                probability(difference.p_holm),
                shown_side(row, difference.better),
            )
            for name, row, basis, difference in compared
        ),
        (WITHOUT_RULES if not any(row.has_rules for row in rows) else WITH_RULES)
        + "Closest reference: against that mixture of both annotations to which a parse is "
        f"closest. Holm: p corrected for all conditions of the {'judge' if judged else 'run'}, on each score "
        "by itself. Shows: the side that is ahead (corrected p < 0.05), equal (half a point or more is "
        "excluded), or –.",
        "<<>",
        groups=[name for name, *_ in compared],
    )


def criteria_table(rows: Sequence[ComparisonRow]) -> Table:
    """Which annotation survives a training against both, and what each criterion picks."""
    ud = rows[0].original if rows else "UD"
    return Table(
        "What the criteria pick that need no second parser",
        ("construction", f"survival\n{ud} / alt", *(criterion.heading for criterion in CRITERIA)),
        tuple(
            (name, _survival(row), *(shown_side(row, row.criterion(c.key).pick) for c in CRITERIA))
            for name, row in zip(names_of(rows), rows, strict=True)
            if any(row.criterion(criterion.key).pick for criterion in CRITERIA)
        ),
        f"Survival: share of the training sentences with sites in which {ud} / the alternative survived "
        "training against both. The others: which annotation the criterion picks. They are weak evidence and "
        "do not enter the decision.",
        "<" + "^" * (1 + len(CRITERIA)),
    )


def _survival(row: ComparisonRow) -> str | TableCell:
    ours, theirs = row.survival.ud, row.survival.alternative
    return "" if ours is None else TableCell(f"{ours:.0%} / {theirs:.0%}", f"{ours:.6f}")


def shown_side(row: ComparisonRow, side: str | None) -> str:
    """A side as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    return row.original if side == Side.UD else SYMBOL[side]


def full_table(rows: Sequence[ComparisonRow]) -> Table:
    """All columns of results.csv; the one that names the row comes first."""
    columns = sorted(RESULTS, key=lambda column: column.name != "construction")
    cells = []
    for row in rows:
        values = result_values(row)
        cells.append(tuple(column.text(values[column.name]) for column in columns))
    return Table("All columns of results.csv", tuple(column.name for column in columns), tuple(cells))

"""The rows of a run as tables: for the terminal, for the page, and the scores on common ground for both."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.experiments.columns import SCORE_COLUMNS, Row, columns_of
from learnability.experiments.criteria import CRITERIA
from learnability.metrics.scores import Score
from learnability.reports.text import Cell, Section, Table, console, drawn, fits, number, signed

LAYOUTS = (
    ("scores las survival picks",),
    ("scores las survival", "picks"),
    ("scores", "las survival picks"),
    ("scores", "las survival", "picks"),
)
"""Which groups of columns stand in one table; the first layout that fits the terminal is shown."""

PICKS = {criterion.narrow: criterion.pick_column for criterion in CRITERIA}
"""The columns of what the criteria pick, by their headings on the terminal."""

SYMBOL = {"original": "UD", "transformed": "alt", "none": "–", None: ""}
"""How a winner or a pick is shown."""

SCORES = (
    ("UAS UD", "uas_original"),
    ("UAS alternative", "uas_transformed"),
    ("difference [95 %]", "uas_delta"),
    ("better", "better"),
    ("LAS UD", "las_original"),
    ("LAS alternative", "las_transformed"),
    ("LAS difference [95 %]", "las_delta"),
    ("survival UD / alternative", "multiref_original_share"),
    *((criterion.heading, criterion.pick_column) for criterion in CRITERIA),
)
"""Headings of the page's table of results, and the columns they show and are sorted by."""

GROUND_HEADINGS = {
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
"""Headings of the scores that can be compared across references, beside each parser's own."""

COMMON_GROUND = [
    (
        heading.format(score=score.upper())
        if "{score}" in heading or score is Score.UAS
        else f"{score.upper()}, {heading}",
        SCORE_COLUMNS[score][name].name,
    )
    for score in Score
    for name, heading in GROUND_HEADINGS.items()
    if name in SCORE_COLUMNS[score]
]
"""The headings, which say so where it is LAS, and their columns."""


def print_rows(rows: Sequence[Row]) -> None:
    """Print the rows of results.csv for people: as one table, or as several where the terminal is narrow."""
    on = console()
    for layout in LAYOUTS:
        single = len(layout) == 1
        tables = [_terminal_table(rows, groups, single) for groups in layout]
        shown = [drawn(table, framed=single, tight=not single) for table in tables]
        if all(fits(table, on) for table in shown):
            break
    for table in shown:
        on.print(table)


def _terminal_table(rows: Sequence[Row], groups: str, single: bool) -> Table:
    """A table of these groups of columns, with the names of the rows."""
    treebanks = list(dict.fromkeys(row["treebank"] for row in rows))
    ud = rows[0].original if rows else "UD"
    title = ", ".join(treebanks) if len(treebanks) <= 3 else f"{len(treebanks)} treebanks"
    note = (
        f"Difference: UAS on {ud} minus UAS on the alternative, each against its own reference; "
        f"positive: {ud} is better. In brackets the 95 % interval. Survival: share of training sentences in "
        f"which {ud} (the alternative) survived training against both."
    )
    names = ("treebank", "transform")[len(treebanks) < 2 :]
    headings = list(_cells(rows[0], groups)) if rows else []
    with_scores = "scores" in groups
    return Table(
        title if with_scores else "What each criterion picks" if groups == "picks" else "",
        (*names, *(heading if single else heading.replace(" ", "\n") for heading in headings)),
        tuple((*(row["treebank"], row.name)[-len(names) :], *_cells(row, groups).values()) for row in rows),
        note if with_scores else "",
        "<" * len(names) + "".join("^" if heading in PICKS else ">" for heading in headings),
        len(names),
    )


def _cells(row: Row, groups: str) -> dict[str, str]:
    """The cells of one row in these groups of columns, by their headings."""
    ud, sites, shares = row.original, row["sites"], ""
    if row["multiref_original_share"] is not None:
        shares = f"{row['multiref_original_share']:.0%} / {row['multiref_transformed_share']:.0%}"

    def pair(score: Score) -> dict[str, str]:
        sides = {ud: "original", "alt": "transformed"}
        return {f"{score.upper()} {name}": number(row[f"{score}_{side}"]) for name, side in sides.items()}

    uas = row.score(Score.UAS)
    difference = f"{uas.delta:+.2f} [{uas.low:+.2f}, {uas.high:+.2f}]" if uas else ""
    scores = {"sites": "none" if sites == 0 else str(sites)} | pair(Score.UAS)
    cells = {
        "scores": scores | {"difference": difference, "better": shown_choice(row, "better")},
        "las": pair(Score.LAS) if "las_original" in row else {},
        "survival": {f"survival {ud}/alt": shares},
        "picks": {heading: shown_choice(row, column) for heading, column in PICKS.items()},
    }
    return {heading: cell for group in groups.split() for heading, cell in cells[group].items()}


def shown_choice(row: Row, column: str) -> str:
    """The winner or pick in this column, as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    choice = row[column]
    return row.original if choice == "original" else SYMBOL[choice]


def page_table(rows: Sequence[Row], names: Sequence[str]) -> Table:
    """The results as the page shows them; `names`: what the rows are called."""
    scores = _headed(SCORES, rows)
    return Table(
        "One row per transformation",
        ("transform", "sites", *(heading for heading, _ in scores)),
        tuple(
            (name, number(row["sites"], ".0f"), *(_page_cell(row, column) for _, column in scores))
            for name, row in zip(names, rows, strict=True)
        ),
    )


def _page_cell(row: Row, column: str) -> str | Cell:
    value = row[column]
    if column == "better" or column.startswith("pick_"):
        return shown_choice(row, column)
    if value is None:
        return ""
    if column.endswith("_delta"):
        interval = f"{signed(value)} [{signed(row[f'{column}_low'])}, {signed(row[f'{column}_high'])}]"
        return Cell(interval, f"{value:.6f}")
    if column == "multiref_original_share":
        return Cell(f"{value:.0%} / {row['multiref_transformed_share']:.0%}", f"{value:.6f}")
    return number(value)


def full_table(rows: Sequence[Row]) -> Table:
    """All columns of results.csv; the one that names the row comes first."""
    columns = sorted(columns_of(rows), key=lambda column: column.name != "transform")
    cells = tuple(tuple(column.text(row[column.name]) for column in columns) for row in rows)
    return Table("All columns of results.csv", tuple(column.name for column in columns), cells)


def common_ground_section(rows: Sequence[Row]) -> Section | None:
    """The scores on common ground of one treebank, and how to read them; None where no row has scores."""
    table = common_ground_table(rows, [row.name for row in rows])
    return Section("On common ground", (), (table,)) if table.rows else None


def common_ground_table(rows: Sequence[Row], names: Sequence[str]) -> Table:
    """The rows with scores; `names`: what the rows are called."""
    shown = _headed(COMMON_GROUND, rows)
    return Table(
        "Scores on common ground, percent",
        ("transform", *(heading for heading, _ in shown)),
        tuple(
            (name, *(number(row[column]) for _, column in shown))
            for name, row in zip(names, rows, strict=True)
            if row["uas_delta"] is not None
        ),
        "UAS is against different references. Nucleus: arcs between phrases, which both annotations share "
        "(not defined with cc). To UD: parses converted to UD; the ceiling is what the conversion makes of "
        "gold trees, by the sites it finds or by the gold ones. Closest: against the mixture of both "
        "annotations that a parse is nearest to; both: of the parser trained on all mixtures.",
    )


def _headed(table: Sequence[tuple[str, str]], rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The headings and columns that these rows have; headings name the scheme in the place of UD."""
    columns, original = {c.name for c in columns_of(rows)}, rows[0].original if rows else "UD"
    # where parses are converted to UD, UD is UD
    return [
        (heading if heading.endswith("to UD") else heading.replace("UD", original), column)
        for heading, column in table
        if column in columns
    ]

"""The tables of `learnability oracles` on stdout, in the form of the papers' tables. Reads rows only."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

Row = dict[str, Any]

TITLES = {
    "uas": "UAS, punctuation included",
    "las": "LAS, punctuation included",
    "uas_without_punctuation": "UAS, without punctuation",
    "las_without_punctuation": "LAS, without punctuation",
}

WIDE = 10_000
"""Columns of a table that goes to a file or a pipe: nothing is cut or wrapped."""

_FIRST, _COLUMN = 28, 11
"""Room for the first column and for every other where tables have to fit a terminal."""


def print_oracle_tables(rows: Sequence[Row], averages: Sequence[Row], notes: Sequence[str]) -> None:
    """A table per score (2012, Table 2; 2013, Table 1), one of the differences to static, and the notes."""
    width = _width()
    for score in TITLES:
        if any(row[score] is not None for row in rows):
            for table in score_tables(rows, averages, score, width):
                _print(table, width)
    if any(row[f"{score}_delta"] is not None for row in rows for score in TITLES):
        print(
            "* differs from static training of the same system, p < 0.05; ** after Holm's correction as well "
            "(paired permutation test over sentences)\n"
        )
        several = averages[0]["treebanks"] > 1
        _print(difference_table(averages if several else rows, averages), width)
        if several:
            print(
                "interval: bootstrap over treebanks; p: sign-flip permutation test over treebanks; better, "
                "worse: number of treebanks, in brackets those with p < 0.05"
            )
        else:
            print("interval: paired bootstrap over sentences and seeds; p: permutation test over sentences")
    explored = {(row["k"], row["p"]) for row in rows if row["oracle"] == "explore"}
    for k, p in sorted(explored):
        print(f"explore: a wrong prediction is followed with probability p = {p:g} after iteration k = {k}")
    for note in notes:
        print(note)


def print_grid(rows: Sequence[Row], averages: Sequence[Row], notes: Sequence[str]) -> None:
    """A table of k x p per treebank and one of their averages (2013, Figure 1), UAS, per system."""
    width = _width()
    for system in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == system]
        treebanks = dict.fromkeys(treebank_name(row) for row in own)
        for name in treebanks:
            _print(grid_table(f"{system}, {name}", [r for r in own if treebank_name(r) == name]), width)
        if len(treebanks) > 1:
            mean = [average for average in averages if average["system"] == system]
            _print(grid_table(f"{system}, average of {len(treebanks)} treebanks", mean), width)
    for note in notes:
        print(note)


def score_tables(rows: Sequence[Row], averages: Sequence[Row], score: str, width: int) -> list[Table]:
    """Settings in rows, treebanks in columns, the average last; several tables where one is too wide."""
    from rich.text import Text

    names = list(dict.fromkeys(treebank_name(row) for row in rows))
    cells = {(_setting(row), treebank_name(row)): _cell(row, score) for row in rows}
    if len(names) > 1:
        cells.update({(_setting(a), "average"): _number(a[score]) for a in averages})
        names.append("average")
    settings = list(dict.fromkeys(_setting(row) for row in rows))
    room = max(1, (width - _FIRST) // _COLUMN)
    tables = []
    for start in range(0, len(names), room):
        part = names[start : start + room]
        table = _table(f"{TITLES[score]}, mean over {rows[0]['seeds']} seeds" if not start else "")
        table.add_column("system: oracle", no_wrap=True)
        for name in part:
            table.add_column(Text("\n".join(re.split("[ -]", name))), no_wrap=True)
        for i, setting in enumerate(settings):
            last = i + 1 == len(settings) or settings[i + 1][0] != setting[0]
            values = [cells[setting, name] for name in part]
            table.add_row(setting_name(setting), *values, end_section=last)
        tables.append(table)
    return tables


def difference_table(rows: Sequence[Row], averages: Sequence[Row]) -> Table:
    """Differences to static, the scores of a setting below each other.

    `rows`: whose intervals and p values are shown, the averages or, with one treebank, its own rows.
    """
    treebanks = averages[0]["treebanks"]
    over = f"average over {treebanks} treebanks" if treebanks > 1 else treebank_name(rows[0])
    table = _table(f"Difference to static, {over}")
    table.add_column("system: oracle", no_wrap=True)
    table.add_column("score", no_wrap=True)
    for name in ("difference", "95 % interval", "p", "better", "worse", "sd of seeds"):
        table.add_column(name, justify="right", no_wrap=True)
    for row, average in zip(rows, averages, strict=True):
        compared = [score for score in TITLES if average[f"{score}_delta"] is not None]
        for score in compared:
            low, high, p = (row[f"{score}_{name}"] for name in ("delta_low", "delta_high", "p_value"))
            table.add_row(
                setting_name(_setting(average)) if score == compared[0] else "",
                TITLES[score],
                f"{average[f'{score}_delta']:+.2f}",
                "" if low is None else f"{low:+.2f} to {high:+.2f}",
                "" if p is None else f"{p:.4f}",
                f"{average[f'{score}_better']} ({average[f'{score}_significantly_better']})",
                f"{average[f'{score}_worse']} ({average[f'{score}_significantly_worse']})",
                _number(average[f"{score}_sd"]),
                end_section=score == compared[-1],
            )
    return table


def grid_table(title: str, rows: Sequence[Row]) -> Table:
    """UAS, k in rows, p in columns, the highest in bold."""
    from rich.text import Text

    table = _table(f"UAS, {title}")
    probabilities = list(dict.fromkeys(row["p"] for row in rows))
    table.add_column("k", justify="right")
    for p in probabilities:
        table.add_column(f"p = {p:g}", justify="right", no_wrap=True)
    values = {(row["k"], row["p"]): row["uas"] for row in rows}
    highest = max((v for v in values.values() if v is not None), default=None)
    for k in dict.fromkeys(row["k"] for row in rows):
        cells = [values[k, p] for p in probabilities]
        table.add_row(
            str(k), *(Text(_number(v), style="bold" if v is not None and v == highest else "") for v in cells)
        )
    return table


def treebank_name(row: Row) -> str:
    """`Greek-GDT 2.16` for UD_Greek-GDT of release 2.16; in words that become the lines of a heading."""
    return f"{row['treebank'].removeprefix('UD_')} {row['release']}".strip()


def setting_name(setting: tuple[Any, ...]) -> str:
    """`arc-eager: explore`."""
    return f"{setting[0]}: {setting[1]}"


def _setting(row: Row) -> tuple[Any, ...]:
    return row["system"], row["oracle"], row["k"], row["p"]


def _cell(row: Row, score: str) -> str:
    """The score with the mark of its difference to static."""
    p, corrected = row[f"{score}_p_value"], row[f"{score}_p_holm"]
    mark = "" if p is None or p >= 0.05 else "**" if corrected < 0.05 else "*"
    return _number(row[score]) + mark


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _table(title: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(title=title or None, box=SIMPLE_HEAD)


def _width() -> int:
    from rich.console import Console

    return Console(file=sys.stdout).width if sys.stdout.isatty() else WIDE


def _print(table: Table, width: int) -> None:
    from rich.console import Console

    console = Console(file=sys.stdout, width=width, highlight=False)
    if table.title:  # rich would wrap it to the width of the table
        console.print(table.title, style="bold")
        table.title = None
    console.print(table)

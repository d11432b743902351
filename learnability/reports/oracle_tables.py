"""The tables of `learnability oracles` on stdout, in the form of the papers' tables. Reads rows only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from learnability.reports.text import WIDE, Cell, Table, console, number, print_parts

Row = dict[str, Any]

TITLES = {
    "uas": "UAS, punctuation included",
    "las": "LAS, punctuation included",
    "uas_without_punctuation": "UAS, without punctuation",
    "las_without_punctuation": "LAS, without punctuation",
}


def print_oracle_tables(rows: Sequence[Row], averages: Sequence[Row], notes: Sequence[str]) -> None:
    """A table per score (2012, Table 2; 2013, Table 1), one of the differences to static, and the notes."""
    for score in TITLES:
        if any(row[score] is not None for row in rows):
            _print(score_table(rows, averages, score))
    if any(row[f"{score}_delta"] is not None for row in rows for score in TITLES):
        print(
            "* differs from static training of the same system, p < 0.05; ** after Holm's correction as well "
            "(paired permutation test over sentences)\n"
        )
        several = averages[0]["treebanks"] > 1
        _print(difference_table(averages if several else rows, averages))
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
    for system in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == system]
        treebanks = dict.fromkeys(treebank_name(row) for row in own)
        for name in treebanks:
            _print(grid_table(f"{system}, {name}", [row for row in own if treebank_name(row) == name]))
        if len(treebanks) > 1:
            mean = [average for average in averages if average["system"] == system]
            _print(grid_table(f"{system}, average of {len(treebanks)} treebanks", mean))
    for note in notes:
        print(note)


def score_table(rows: Sequence[Row], averages: Sequence[Row], score: str) -> Table:
    """Settings in rows, treebanks in columns, the average last."""
    names = list(dict.fromkeys(treebank_name(row) for row in rows))
    cells = {(_setting(row), treebank_name(row)): _marked(row, score) for row in rows}
    if len(names) > 1:
        cells |= {(_setting(average), "average"): number(average[score]) for average in averages}
        names.append("average")
    settings = list(dict.fromkeys(_setting(row) for row in rows))
    return Table(
        f"{TITLES[score]}, mean over {rows[0]['seeds']} seeds",
        ("system: oracle", *("\n".join(re.split("[ -]", name)) for name in names)),
        tuple(
            (f"{setting[0]}: {setting[1]}", *(cells[setting, name] for name in names)) for setting in settings
        ),
        align="<",
        ruled=_ends([system for system, *_ in settings]),
    )


def difference_table(rows: Sequence[Row], averages: Sequence[Row]) -> Table:
    """Differences to static, the scores of a setting below each other, intervals and p values of `rows`."""
    treebanks = averages[0]["treebanks"]
    over = f"average over {treebanks} treebanks" if treebanks > 1 else treebank_name(rows[0])
    cells: list[tuple[str, ...]] = []
    settings: list[str] = []
    for row, average in zip(rows, averages, strict=True):
        for score in (score for score in TITLES if average[f"{score}_delta"] is not None):
            name = f"{average['system']}: {average['oracle']}"
            low, high = (number(row[f"{score}_delta_{end}"], "+.2f") for end in ("low", "high"))
            counts = [
                f"{average[f'{score}_{side}']} ({average[f'{score}_significantly_{side}']})"
                for side in ("better", "worse")
            ]
            delta, p = number(average[f"{score}_delta"], "+.2f"), number(row[f"{score}_p_value"], ".4f")
            shown, interval = "" if name in settings else name, f"{low} to {high}" if low else ""
            cells.append((shown, TITLES[score], delta, interval, p, *counts, number(average[f"{score}_sd"])))
            settings.append(name)
    headings = (
        "system: oracle",
        "score",
        "difference",
        "95 % interval",
        "p",
        "better",
        "worse",
        "sd of seeds",
    )
    title = f"Difference to static, {over}"
    return Table(title, headings, tuple(cells), align="<<>", names=2, ruled=_ends(settings))


def _ends(groups: Sequence[str]) -> frozenset[int]:
    """The last row of each group."""
    return frozenset(i for i, group in enumerate(groups) if groups[i + 1 : i + 2] != [group])


def grid_table(title: str, rows: Sequence[Row]) -> Table:
    """UAS, k in rows, p in columns, the highest in bold."""
    probabilities = list(dict.fromkeys(row["p"] for row in rows))
    values = {(row["k"], row["p"]): row["uas"] for row in rows}
    highest = max((value for value in values.values() if value is not None), default=None)

    def cell(value: float | None) -> Cell:
        return Cell(number(value), bold=value is not None and value == highest)

    return Table(
        f"UAS, {title}",
        ("k", *(f"p = {p:g}" for p in probabilities)),
        tuple(
            (str(k), *(cell(values[k, p]) for p in probabilities))
            for k in dict.fromkeys(row["k"] for row in rows)
        ),
        align=">",
    )


def treebank_name(row: Row) -> str:
    """`Greek-GDT 2.16` for UD_Greek-GDT of release 2.16; in words that become the lines of a heading."""
    return f"{row['treebank'].removeprefix('UD_')} {row['release']}".strip()


def _setting(row: Row) -> tuple[Any, ...]:
    return row["system"], row["oracle"], row["k"], row["p"]


def _marked(row: Row, score: str) -> str:
    """The score with the mark of its difference to static."""
    p, corrected = row[f"{score}_p_value"], row[f"{score}_p_holm"]
    mark = "" if p is None or p >= 0.05 else "**" if corrected < 0.05 else "*"
    return number(row[score]) + mark


def _print(table: Table) -> None:
    print_parts(table, console(WIDE), "bold")

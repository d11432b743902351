"""Count the cases of checks, and write the tables of research/verification."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

SHOWN = 5
"""So many differences are kept in words."""


@dataclass
class Tally:
    """The cases of one check, and the differences found in them."""

    cases: int = 0
    differences: int = 0
    seen: list[str] = field(default_factory=list)

    def same(self, found: object, expected: object, *where: object) -> None:
        """One case: are these two equal?"""
        self.count(1, int(found != expected), f"{found!r} is not {expected!r}", *where)

    def true(self, holds: object, *where: object) -> None:
        """One case: does this hold?"""
        self.count(1, int(not holds), *where)

    def count(self, cases: int, differences: int = 0, *where: object) -> None:
        """So many cases with so many differences; `where` says which."""
        self.cases += cases
        self.differences += differences
        if differences and len(self.seen) < SHOWN:
            self.seen.append(" ".join(map(str, where))[:400])


@dataclass(frozen=True, order=True)
class Row:
    """One check as it ran: `place` is its line in the file, `note` why it has no figures.

    `parameters` names the case of a check that runs several times.
    """

    place: int
    what: str
    parameters: str = ""
    cases: int = 0
    differences: int = 0
    seconds: float = 0.0
    note: str = ""


def summed(rows: Iterable[Row]) -> list[Row]:
    """Return one row for each check: the sum over the cases that it ran with."""
    sums: dict[tuple[str, str], Row] = {}
    for row in sorted(rows):
        before = sums.get((row.what, row.note), Row(row.place, row.what, note=row.note))
        sums[row.what, row.note] = replace(
            before,
            cases=before.cases + row.cases,
            differences=before.differences + row.differences,
            seconds=before.seconds + row.seconds,
        )
    return list(sums.values())


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table, with their sum."""
    found = sorted(rows)
    lines = ["| what was tried | cases | differences | seconds |", "|---|---:|---:|---:|"]
    for row in found:
        figures = f"{row.cases:,} | {row.differences:,} | {row.seconds:,.0f}"
        what = f"{row.what}: {row.parameters}" if row.parameters else row.what
        lines.append(f"| {what} | {(row.note and f'{row.note} | |') or figures} |")
    cases, differences = sum(row.cases for row in found), sum(row.differences for row in found)
    lines.append(f"| **sum** | {cases:,} | {differences:,} | {sum(row.seconds for row in found):,.0f} |")
    return "\n".join(lines)


def with_table(page: str, name: str, text: str) -> str:
    """The page with the table between `<!-- table NAME -->` and `<!-- end -->` replaced."""
    marked = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not marked.search(page):
        raise ValueError(f"the page has no <!-- table {name} --> … <!-- end -->")
    return marked.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)


def write_tables(page: Path, rows: dict[str, list[Row]]) -> None:
    """Put a table with the sums of each file of checks in the page."""
    text = page.read_text()
    for name, checks in rows.items():
        text = with_table(text, name, table(summed(checks)))
    page.write_text(text)

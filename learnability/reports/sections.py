"""A part of a report as plain data: a heading, sentences and tables, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


@dataclass(frozen=True)
class TextTable:
    """A table of texts.

    Attributes:
        title: what it shows.
        headings: one per column; the first column names the row, the others are aligned to the right.
        rows: one text per column.
        note: how to read it; may be empty.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A heading with its sentences, the most important first, and its tables."""

    heading: str
    sentences: tuple[str, ...]
    tables: tuple[TextTable, ...]


def scheme_name(transforms: Sequence[str]) -> str:
    """The transformations of a scheme joined with ``+``; UD without any."""
    return "+".join(transforms) or "UD"


def counted(number: int, unit: str) -> str:
    """A number with its unit in the singular or plural."""
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def gain(points: float) -> str:
    """A difference in points with its sign; what rounds to zero is +0.00."""
    return f"{round(points, 2) + 0.0:+.2f}"


def percent(share: float | None) -> str:
    """A share as a whole percentage; empty where there is none."""
    return "" if share is None else f"{share:.0%}"


def print_section(section: Section) -> None:
    """Print a section on stdout; a table that is wider than the terminal goes on below."""
    import textwrap

    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:  # a file or a pipe has no width: nothing is cut off
        console.width = 200
    console.print(f"\n{section.heading}", style="bold", markup=False)
    for sentence in section.sentences:
        wrapped = textwrap.fill(
            f"- {sentence}", console.width, subsequent_indent="  ", break_on_hyphens=False
        )
        console.print(wrapped, markup=False, soft_wrap=True)
    for table in section.tables:
        console.print(f"\n{table.title}", style="italic", markup=False)
        for part in _parts(table, console):
            console.print(part, end="")
        if table.note:
            console.print(table.note, style="dim italic", markup=False)


def _parts(table: TextTable, console: Console) -> list[Table]:
    """The table, or as many tables as its columns need in this terminal, each with the names of the rows."""
    unlimited = console.options.update_width(10_000)

    def fits(drawn: Table) -> bool:
        return console.measure(drawn, options=unlimited).maximum <= console.width

    columns = list(range(1, len(table.headings)))
    for headings in (table.headings, [heading.replace(" ", "\n") for heading in table.headings]):
        whole = _drawn(table, headings, columns)
        if fits(whole):
            return [whole]
    parts: list[list[int]] = [[]]
    for column in columns:
        if parts[-1] and not fits(_drawn(table, headings, [*parts[-1], column])):
            parts.append([])
        parts[-1].append(column)
    return [_drawn(table, headings, part) for part in parts]


def _drawn(table: TextTable, headings: Sequence[str], columns: Sequence[int]) -> Table:
    """The first column and these others."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    drawn.add_column(Text(headings[0]), overflow="fold")
    for column in columns:
        drawn.add_column(Text(headings[column]), justify="right", no_wrap=True)
    for row in table.rows:
        drawn.add_row(*(Text(row[column]) for column in (0, *columns)))
    return drawn

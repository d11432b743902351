"""A part of a report as plain data: a heading, sentences and tables, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
    """Print a section on stdout."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:  # a file or a pipe has no width: nothing is cut off
        console.width = 200
    console.print(f"\n{section.heading}", style="bold", markup=False)
    for sentence in section.sentences:
        console.print(f"- {sentence}", markup=False)
    for table in section.tables:
        console.print(f"\n{table.title}", style="italic", markup=False)
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for i, heading in enumerate(table.headings):
            shown.add_column(Text(heading), justify="right" if i else "left")
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown, end="")
        if table.note:
            console.print(table.note, style="dim italic", markup=False)

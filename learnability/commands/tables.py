"""Results on stdout: a table for people, TSV or JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

WIDE = 10_000
"""Columns of a table that goes to a file or a pipe: nothing is cut or wrapped."""

_SPACES = str.maketrans("\t\n\r", "   ")


def print_json(value: Any) -> None:
    """Print `json_text`."""
    sys.stdout.write(json_text(value))


def json_text(value: Any) -> str:
    """`value` as JSON, numbers unrounded; nan and infinity become null, as JSON has neither."""
    return json.dumps(_clean(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print `tsv_text`."""
    sys.stdout.write(tsv_text(columns, rows))


def tsv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A header and rows, separated by tabs; tabs and line ends within a cell become spaces."""
    lines = ["\t".join(columns)]
    lines += ["\t".join(str(cell).translate(_SPACES) for cell in row) for row in rows]
    return "\n".join(lines) + "\n"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """A rich table; numbers are right-aligned, floats have four decimals, None and nan are empty."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [list(row) for row in rows]
    table = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    for index, column in enumerate(columns):
        numeric = bool(cells) and all(
            isinstance(row[index], int | float) or row[index] is None for row in cells
        )
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(shown(cell)) for cell in row))
    terminal = sys.stdout.isatty()
    Console(file=sys.stdout, width=None if terminal else WIDE, highlight=False).print(table)


def shown(cell: Any) -> str:
    """A cell's text."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)

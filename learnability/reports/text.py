"""Hold tables and sections as data, and print them on terminals and into files; pages have a macro for them.

Tables hold texts: numbers become texts by :func:`number` and :func:`format_signed`, which leave
a cell empty if there is no value.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from learnability.support.nouns import count_noun
from learnability.support.terminal import console, print_line, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


T = TypeVar("T")

Column = tuple[str, Callable[[T], "str | int | float | TableCell | None"]]
"""A column of a table of such items: its heading, and what stands in it."""

SHORT_NAME = 28
"""The width up to which names stay in one line in a table that keeps them."""

_JUSTIFY: dict[str, Literal["left", "right", "center"]] = {"<": "left", ">": "right", "^": "center"}


@dataclass(frozen=True)
class TableCell:
    """Represent a text with what a page sorts it by."""

    text: str
    order: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Table:
    """Represent a table of texts, with its title, a note on the signs that occur, and an explanation.

    The note is one line. The explanation says the rest; a terminal prints it with `--explain` only.

    `align`: ``<``, ``>`` or ``^`` per column; the last one holds for all columns that follow. `groups`: that
    of each row, if a line is drawn below each group. `keeps_names`: whether, on a narrow terminal, other
    columns go on in a second line before the first one does.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str | TableCell, ...], ...]
    note: str = ""
    align: str = "<>"
    groups: Sequence[object] = ()
    keeps_names: bool = False
    explanation: str = ""

    @property
    def legend(self) -> str:
        return " ".join(filter(None, (self.note, self.explanation)))

    @property
    def ruled(self) -> set[int]:
        """Return the rows below which a line is drawn."""
        groups = self.groups
        return {i for i, group in enumerate(groups) if [group] != list(groups[i + 1 : i + 2])}

    @classmethod
    def of(
        cls,
        title: str,
        items: Iterable[T],
        columns: Sequence[Column[T]],
        note: str = "",
        align: str = "<>",
        explanation: str = "",
    ) -> Table:
        """Return a table with a row per item."""
        rows = tuple(tuple(format_cell(value(item)) for _, value in columns) for item in items)
        headings = tuple(heading for heading, _ in columns)
        return cls(title, headings, rows, note, align, explanation=explanation)

    def select_columns(self, columns: Sequence[int]) -> Table:
        return replace(
            self,
            headings=tuple(self.headings[i] for i in columns),
            rows=tuple(tuple(row[i] for i in columns) for row in self.rows),
            align="".join(self.align[min(i, len(self.align) - 1)] for i in columns),
        )

    def csv(self) -> bytes:
        """Return headings and rows as a CSV file."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.headings, *self.rows])
        return out.getvalue().encode()

    def tsv(self) -> str:
        """Return headings and rows separated by tabs; tabs and line ends within a cell become spaces."""
        spaces = str.maketrans("\t\n\r", "   ")
        rows = (self.headings, *self.rows)
        return "".join(visible("\t".join(str(cell).translate(spaces) for cell in row)) + "\n" for row in rows)


def number(value: float | None, form: str = ".2f", unit: str = "") -> str:
    """Return a number for people, in this format, with its unit; empty for None and nan."""
    return "" if value is None or math.isnan(value) else format(value, form) + unit


def percentage(share: float | None, decimals: int = 0) -> str:
    """Return a share from 0 to 1 in percent for people; empty for None and nan."""
    return "" if share is None or math.isnan(share) else f"{100 * share:.{decimals}f} %"


def format_signed(value: float, decimals: int = 2) -> str:
    """Return a number with its sign; a true minus, and no sign for what rounds to zero."""
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def estimate(value: float, low: float | None, high: float | None) -> TableCell:
    """Return a value with its sign and half the width of its interval; sorted by the value."""
    half = "" if low is None or high is None else f" ± {(high - low) / 2:.2f}"
    return TableCell(format_signed(value) + half, f"{value:.6f}")


def probability(p: float | None) -> str:
    """Return a p value in three decimals: `<.001`, and `<.050` where rounding would reach the level."""
    if p is not None and (p < 0.001 or 0.0495 <= p < 0.05):
        return "<.001" if p < 0.001 else "<.050"
    return number(p, ".3f")


def time_in_words(seconds: float) -> str:
    """Return a rough time in seconds, minutes or hours."""
    if seconds < 90:
        return count_noun(round(seconds), "second")
    return count_noun(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def enumerate_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def points(value: float) -> str:
    """Return a number of points: one decimal, or as many as it takes not to show 0 (up to three)."""
    for decimals in (1, 2, 3):
        text = f"{value:.{decimals}f}"
        if float(text):
            return text.replace("-", "−")
    return "0.0"


def join_names(names: Collection[str], unit: str) -> str:
    """Return up to three names; for more names, their number with its unit."""
    return ", ".join(names) if len(names) < 4 else count_noun(len(names), unit)


_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def in_words(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def draw_table(table: Table, widths: Sequence[int], *, tight: bool) -> RichTable:
    """Return the rows for a terminal, in columns of these widths (:func:`fit_columns`)."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    rich_table = RichTable(
        box=box.SIMPLE_HEAD,
        pad_edge=not tight,
        show_edge=not tight,
        padding=(0, 1, 0, 0) if tight else (0, 1),
    )
    for i, heading in enumerate(table.headings):
        side = _JUSTIFY[table.align[min(i, len(table.align) - 1)]]
        rich_table.add_column(Text(heading), justify=side, overflow="fold", width=widths[i])
    for i, row in enumerate(table.rows):
        cells = [Text(_wrap_cell(str(cell), width)) for cell, width in zip(row, widths, strict=True)]
        rich_table.add_row(*cells, end_section=i in table.ruled)
    return rich_table


def _wrap_cell(text: str, width: int) -> str:
    """Return the text of a cell in lines that break an interval in brackets only where it is too long."""

    def keep_together(bracket: re.Match[str]) -> str:
        return bracket[0].replace(" ", "\N{NO-BREAK SPACE}") if len(bracket[0]) <= width else bracket[0]

    kept = re.sub(r"\([^()]*\)\*?", keep_together, text)
    lines = [line for part in kept.split("\n") for line in wrap_text(part, max(1, width), below="")]
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


SHORT_CELL = 12
"""The width up to which a cell stays in one line, such as ``94 % / 2 %``."""

BETWEEN = 2
"""The blanks between two columns of a tight table; others have one more."""


def fit_columns(table: Table, width: int, *, tight: bool = False) -> list[int] | None:
    """Return widths of the columns with which the table has at most `width` columns and breaks no word.

    None if there are none: its longest words are too long.
    """
    from rich.cells import cell_len

    columns = [[heading, *(str(row[i]) for row in table.rows)] for i, heading in enumerate(table.headings)]
    whole = [max(cell_len(line) for cell in column for line in cell.split("\n")) for column in columns]
    short = [[cell for cell in column[1:] if cell_len(cell) <= SHORT_CELL] for column in columns]
    least = [
        max(map(cell_len, [*" ".join(column).split(), *cells]), default=0)
        for column, cells in zip(columns, short, strict=True)
    ]
    if table.keeps_names and whole and whole[0] <= SHORT_NAME:
        least[0] = whole[0]
    room = width - (BETWEEN * (len(columns) - 1) if tight else (BETWEEN + 1) * len(columns) + 1)
    if sum(whole) <= room:
        return whole
    if sum(least) > room:
        return None
    widths = list(least)
    for _ in range(room - sum(least)):  # a column more where the most is missing
        narrowest = max(range(len(widths)), key=lambda i: whole[i] - widths[i])
        widths[narrowest] += 1
    return widths


def list_rows(table: Table, width: int) -> list[str]:
    """Return the rows one below the other, each value behind its heading, in lines of at most `width`."""
    names = [" ".join(heading.split()) for heading in table.headings]
    longest = max(map(len, names[1:]), default=0)
    lines = []
    for row in table.rows:
        lines += wrap_text(str(row[0]) or names[0], width)
        for name, cell in zip(names[1:], row[1:], strict=True):
            if str(cell):
                lines += wrap_text(f"{name:{longest}}  {cell}", width, indent="  ", below=" " * (longest + 4))
    return lines


def wrap_text(text: str, width: int, *, indent: str = "", below: str = "  ") -> list[str]:
    """Return a text in lines of at most `width` that break no word: the first indented, others `below`."""
    longest = max(map(len, text.split()), default=0)
    if len(below) + longest > width:
        below = indent
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=below,
        break_on_hyphens=False,
        break_long_words=False,
        replace_whitespace=False,
    )


def print_table(table: Table, on: Console, style: str, *, tight: bool = False, explain: bool = False) -> None:
    """Print a table with its title and note in lines of their own, which may be longer than the table.

    `explain`: print its explanation, too.
    """
    if table.title:
        on.print(table.title, style=style, markup=False)
    _print_rows(table, on, tight=tight)
    for text in (table.note, table.explanation if explain else ""):
        if text:
            on.print(text, style="dim italic", markup=False)


def print_tables(tables: Iterable[Table], *, explain: bool = False) -> None:
    """Print tables on stdout, but for those without rows, each with a line below it."""
    on = console()
    for table in tables:
        if table.rows:
            print_table(table, on, "bold", tight=True, explain=explain)
            on.print()


def _print_rows(table: Table, on: Console, *, tight: bool) -> None:
    widths = fit_columns(table, on.width, tight=tight)
    if widths is not None:
        on.print(draw_table(table, widths, tight=tight))
        return
    for line in list_rows(table, on.width):
        on.print(line, markup=False, soft_wrap=True)


def explain_signs(cells: Iterable[str | TableCell], signs: Mapping[str, str]) -> str:
    """Return the meaning of the signs that occur in these cells, for the note of a table."""
    text = "\n".join(map(str, cells))
    found = [f"{sign}: {meaning}" for sign, meaning in signs.items() if sign in text]
    return f"{'; '.join(found)}." if found else ""


LONGEST_LINE = 100
"""The columns of a line of sentences, also where there is room for more."""


def print_sentences(sentences: Sequence[str], bullet: str = "") -> None:
    """Print sentences on stdout; long ones go on below their beginning."""
    on = console()
    for sentence in sentences:
        text = "\n".join(wrap_text(join_signs(bullet + sentence), min(on.width, LONGEST_LINE)))
        on.print(text.replace("\N{NO-BREAK SPACE}", " "), markup=False, soft_wrap=True)


def join_signs(sentence: str) -> str:
    """Return the sentence with unbreakable spaces around the signs that belong to a number."""
    return re.sub(r" (?=[±=<%])|(?<=[±=<]) ", "\N{NO-BREAK SPACE}", sentence)


def print_list(
    headings: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "", decimals: int = 4
) -> None:
    """Print values on stdout: numbers at the right, floats with these decimals, nothing for None and nan."""
    columns = list(zip(*rows, strict=True)) or [()] * len(headings)
    numeric = [
        bool(column) and all(isinstance(v, int | float | TableCell | None) for v in column)
        for column in columns
    ]
    table = Table(
        title,
        tuple(headings),
        tuple(tuple(format_cell(value, decimals) for value in row) for row in rows),
        align="".join(">" if is_number else "<" for is_number in numeric),
    )
    print_table(table, console(), "bold")


def format_cell(value: Any, decimals: int = 4) -> str | TableCell:
    """Return a value as a cell: floats with these decimals, nothing for None and nan."""
    if value is None or isinstance(value, float):
        return number(value, f".{decimals}f")
    return value if isinstance(value, TableCell) else str(value)


def print_json(value: Any) -> None:
    print_line(json_text(value), end="")


def json_text(value: Any) -> str:
    """Return the value as JSON, numbers unrounded; nan and infinity become null, as JSON has neither."""
    return visible(json.dumps(_finite(value), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

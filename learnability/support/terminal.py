"""Print all lines in one place, which shows control characters instead of sending them to the terminal.

Arguments, files, model headers and records of downloads may contain control characters, which can make a
terminal display anything. Data that a command writes as CoNLL-U does not pass through here and stays
unchanged.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PAGE, WIDE = 200, 10_000
"""Columns if nothing is known of a terminal, and where nothing may be wrapped."""

# C0 and C1 except tab and line end; line separators and changes of direction. Joiners and marks are spelling.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return the text with control characters written as in JSON, ``\u001b``; JSON keeps its meaning."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_line(text: str, *, error: bool = False, end: str = "\n") -> None:
    """Print one or more whole lines on stdout, or on stderr without buffering."""
    # a single write, even without buffering: lines of two threads or processes do not mix
    print(visible(text) + end, file=sys.stderr if error else sys.stdout, end="", flush=error)


def width_in_pipe() -> int:
    """Return the columns of a line of text if stdout is not a terminal.

    They are those of `COLUMNS`, else of the terminal that shows errors, because a pager shows the lines
    there, too; `PAGE` if there is none.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or PAGE
    except (AttributeError, OSError, ValueError):  # no terminal, or no file at all
        return PAGE


def console(width: int | None = None, *, stderr: bool = False) -> Console:
    """Return a console for styled text on standard output or error; files and pipes get this `width`, or that
    of :func:`width_in_pipe`."""
    from rich.console import Console
    from rich.segment import Segment

    class Safe(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=visible(segment.text))

    safe = Safe(highlight=False, stderr=stderr)
    if not safe.is_terminal:
        safe.width = width_in_pipe() if width is None else width
    return safe

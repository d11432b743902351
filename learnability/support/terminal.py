"""The one place where lines are printed: what comes from outside is shown there, and never obeyed.

Arguments, files, model headers and records of downloads may hold control characters, with which a terminal
can be made to say anything. Data that a command writes as CoNLL-U is no line and stays as it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PAGE, WIDE = 200, 10_000
"""Columns where stdout is no terminal: for sentences and their tables, and where nothing may be wrapped."""

# C0 and C1 but for tab and line end; ends of lines and changes of direction. Joiners and marks are spelling.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""The text with control characters written as in JSON, ``\u001b``, so that JSON means the same."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_line(text: str, *, error: bool = False, end: str = "\n") -> None:
    """Print a line, or whole lines, on stdout, or on stderr at once."""
    # one write, also where nothing is buffered: lines of two threads or processes do not mix
    print(visible(text) + end, file=sys.stderr if error else sys.stdout, end="", flush=error)


def console(width: int = PAGE, *, stderr: bool = False) -> Console:
    """Standard output (or error) for what has styles; a file or a pipe, which has no width, gets this one."""
    from rich.console import Console
    from rich.segment import Segment

    class Safe(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=visible(segment.text))

    made = Safe(highlight=False, stderr=stderr)
    if not made.is_terminal:
        made.width = width
    return made

"""Hold sections of reports: sentences and tables under a heading; print them on terminals."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from learnability.reports.figures import Figure
from learnability.reports.text import Table, print_sentences, print_table
from learnability.support.terminal import console


@dataclass(frozen=True)
class Section:
    """Represent a heading with its sentences, the most important first, its tables, and lines to copy as
    they are. Pages also show its `figures`.

    `laid_out`: returns what a terminal shows in place of the tables, as lines of at most this many columns.
    """

    heading: str
    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    lines: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    laid_out: Callable[[int], Sequence[str]] | None = None

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.heading.lower()).strip("-")


def print_section(section: Section, *, explain: bool = False) -> None:
    """Print a section on stdout; with `explain` also the explanations of its tables."""
    on = console()
    on.print(f"\n{section.heading}", style="bold", markup=False)
    print_sentences(section.sentences, bullet="- ")
    if section.laid_out is not None:
        for line in ("", *section.laid_out(on.width)):
            on.print(line, markup=False, soft_wrap=True)
    for table in section.tables if section.laid_out is None else ():
        on.print()
        print_table(table, on, "italic", tight=True, explain=explain)
    for line in ("", *section.lines) if section.lines else ():
        on.print(line, markup=False, soft_wrap=True)

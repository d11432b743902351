"""Progress of long operations on stderr, where it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from learnability.experiments.plan import Cell, Plan


class CellProgress:
    """A bar over the estimated work of a run's cells, with the time that remains."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("reading", total=None, speed="", cells="")
        self._work: dict[str, float] = {}
        self._done = self._failed = 0

    def start(self, plan: Plan, done: set[str]) -> None:
        """Size the bar; what is done already does not count as work."""
        cells: list[Cell] = plan.cells()
        self._work = {cell.key: plan.seconds(cell) for cell in cells if cell.key not in done}
        self._done = len(cells) - len(self._work)
        self._bar.update(self._task, total=sum(self._work.values()), description="compiling")

    def advance(self, record: dict[str, Any]) -> None:
        """One cell more."""
        self._done += 1
        self._failed += "failed" in record
        name = f"{record['treebank']} ({record['setting']}) {record['condition']}".strip()
        seconds, tokens = record.get("kernel_seconds"), record.get("trained_tokens")
        count = f"{self._done}/{self._done + len(self._work) - 1}" if self._work else ""
        work = self._work.pop(record["key"], 0.0)
        self._bar.update(
            self._task,
            advance=work,
            description=name,
            speed=f"{tokens / seconds / 1000:,.0f}k tokens/s" if seconds and tokens else "",
            cells=f"{count}, {self._failed} failed" if self._failed else count,
        )

    def finish(self) -> None:
        """The bar is full; the results are being computed."""
        self._bar.update(self._task, description="intervals and tests", speed="")


@contextmanager
def cell_progress(*, quiet: bool) -> Iterator[CellProgress | None]:
    """A progress bar over the cells of a run; nothing if quiet or stderr is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[cells]}"),
        TimeElapsedColumn(),
        TextColumn("elapsed, left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[speed]}"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as bar:
        yield CellProgress(bar)

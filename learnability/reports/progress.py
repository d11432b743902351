"""Progress of long operations on stderr, where it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def cell_progress(total: int, *, quiet: bool) -> Iterator[Callable[[int, int, dict[str, Any]], None] | None]:
    """A progress bar over the cells of a run; nothing if quiet or stderr is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("preparing", total=total, speed="")

        def advance(done: int, _: int, record: dict[str, Any]) -> None:
            name = f"({record['setting']}) {record['condition']}".strip()
            seconds, tokens = record.get("kernel_seconds"), record.get("trained_tokens")
            speed = f"{tokens / seconds / 1000:,.0f}k tokens/s" if seconds and tokens else ""
            bar.update(task, completed=done, description=name, speed=speed)

        yield advance

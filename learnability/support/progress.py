"""Show the progress of long operations on stderr: step, amount done, remaining time.

On a terminal it is a bar. In files, pipes and logs it is a line from time to time. With `--quiet` there is
nothing. Imports are light, so that the first step is visible before numpy and numba are imported.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import Any, TypeVar

from learnability.support.signals import cleaned_up
from learnability.support.terminal import console, print_line

T = TypeVar("T")

EVERY = 0.1
"""Seconds between two updates of a step that advances with each sentence."""

LINE_EVERY = 30.0
"""Seconds before the first line in a log, and the least between two lines.

Later the gap is a twentieth of the time that has passed.
"""


@dataclass(frozen=True)
class TimeLeft:
    """Say how long work takes yet: None if nobody can tell, not even from the amount that is done; `is_most`:
    it may be less, because results decide."""

    seconds: float | None
    is_most: bool = False

    def after(self, passed: float) -> TimeLeft | None:
        """Return what is left when some seconds have passed; None if nobody can tell, or it took longer."""
        if self.seconds is None or self.seconds < passed:
            return None
        return replace(self, seconds=self.seconds - passed)


class ProgressSteps:
    """Consecutive steps on a progress bar of `rich`; without a bar nothing is shown."""

    _bar: Any = None
    _task: Any = None

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar

    def begin(
        self,
        title: str,
        total: float | None = None,
        *,
        unit: str = "",
        expected: float | None = None,
        left: TimeLeft | None = None,
    ) -> None:
        """Begin a step."""
        if self._bar is None:
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        fields = {"unit": unit, "expected": expected, "count": "", "at": 0.0, "left": left}
        self._task = self._bar.add_task(title, total=total, **fields)

    def advance(
        self,
        amount: float = 1,
        *,
        title: str = "",
        count: str = "",
        total: float | None = None,
        left: TimeLeft | None = None,
    ) -> None:
        """Add to the amount of the step that is done."""
        if self._bar is None:
            return
        texts = {"description": title, "count": count}
        fields: dict[str, Any] = {name: text for name, text in texts.items() if text}
        fields["left"] = left
        if total is not None:
            fields["total"] = total
        self._bar.update(self._task, advance=amount, at=self._bar.tasks[-1].elapsed or 0.0, **fields)

    def each(self, items: Sequence[T], title: str, unit: str = "sentences") -> Iterator[T]:
        """Yield the items one by one, and show them as a new step."""
        self.begin(title, len(items), unit=unit)
        advanced, last = 0, time.monotonic()
        for number, item in enumerate(items):
            if time.monotonic() - last > EVERY:
                self.advance(number - advanced)
                advanced, last = number, time.monotonic()
            yield item
        self.advance(len(items) - advanced)

    def say(self, line: str) -> None:
        if self._bar is not None:
            self._bar.console.print(line, markup=False, soft_wrap=True)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def line(self, passed: float) -> str:
        """Return the step in words after `passed` seconds, ``1:30 training, 3/12 steps, about 4:10 left``.

        The line is empty when the step is over.
        """
        bar = self._bar  # another thread may remove it
        for task in bar.tasks[-1:] if bar is not None else ():
            begin = f"{_minutes(passed)} {task.description}"
            return ", ".join(filter(None, (begin, amount(task), clock(estimate_remaining(task)))))
        return ""


def estimate_remaining(task: Any) -> TimeLeft | None:
    """Return how long a step still takes: as it was last told, by what is done of it, or as expected.

    None if that is not known, or where it takes longer than that already.
    """
    elapsed, at = task.elapsed or 0.0, task.fields["at"]
    told: TimeLeft | None = task.fields["left"]
    if told is None and task.total and task.completed and at:
        seconds: float = at * (task.total - task.completed) / task.completed - (elapsed - at)
        return TimeLeft(max(seconds, 0.0))
    if told is None:
        expected, at = task.fields["expected"], 0.0
        told = None if expected is None else TimeLeft(expected)
    return None if told is None else told.after(elapsed - at)


def clock(left: TimeLeft | None) -> str:
    """Return ``about 1:05 left``, or ``at most``; empty if the time is unknown, or under half a second."""
    if left is None or left.seconds is None or round(left.seconds) == 0:
        return ""
    return f"{'at most' if left.is_most else 'about'} {_minutes(left.seconds)} left"


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def amount(task: Any) -> str:
    """Return how much of a step is done, ``120/600 sentences``."""
    if task.fields["count"] or not task.fields["unit"]:
        return str(task.fields["count"])
    of = f"/{task.total:,.0f}" if task.total else ""
    return f"{task.completed:,.0f}{of} {task.fields['unit']}"


@contextmanager
def shown_steps(title: str, *, quiet: bool = False) -> Iterator[ProgressSteps]:
    """Yield steps shown on stderr, the first of them `title`; call `stop` before printing to stdout."""
    if quiet or sys.stderr is None:
        yield ProgressSteps()
        return
    if not sys.stderr.isatty():
        with _lines(title) as steps:
            yield steps
        return
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn
    from rich.table import Column
    from rich.text import Text

    class Computed(ProgressColumn):
        """Represent a column filled by a function of the task; `gives_way`: shortened if the terminal is
        narrow."""

        def __init__(self, text: Any, *, gives_way: bool = False) -> None:
            super().__init__(Column(no_wrap=not gives_way))
            self.text = text

        def render(self, task: Any) -> Text:
            return Text(self.text(task), no_wrap=True, overflow="ellipsis")

    name = Computed(lambda task: task.description, gives_way=True)
    left = Computed(lambda task: clock(estimate_remaining(task)))

    bar = Progress(
        *(SpinnerColumn(), name, BarColumn(bar_width=20), Computed(amount), left),
        console=console(stderr=True), transient=True, redirect_stdout=False, refresh_per_second=5,
    )  # fmt: skip
    steps = ProgressSteps(bar)
    steps.begin(title)
    with bar, cleaned_up(steps.stop):  # a bar that is left hides the cursor
        try:
            yield steps
        finally:
            steps.stop()


@contextmanager
def _lines(title: str) -> Iterator[ProgressSteps]:
    from rich.progress import Progress

    steps, over = ProgressSteps(Progress(console=console(stderr=True), disable=True)), Event()
    begin = time.monotonic()
    steps.begin(title)

    def write() -> None:
        while not over.wait(max(LINE_EVERY, (time.monotonic() - begin) / 20)):
            if line := steps.line(time.monotonic() - begin):
                with suppress(OSError):  # the reader of stderr has gone
                    print_line(line, error=True)

    writer = Thread(target=write, daemon=True)
    writer.start()
    try:
        yield steps
    finally:
        over.set()
        writer.join()

"""The two kinds of failure a user sees, and nothing else of the package's own.

`learnability.cli` turns them into one line on stderr: :class:`InputError` ends the command with exit
code 2 (wrong usage or wrong input: what, where, what to do), :class:`RunError` with exit code 1 (the
input was fine, the work failed).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Wrong usage or input; the message is one line that says what, where and what to do."""


class RunError(RuntimeError):
    """The run failed although its input was fine; the message is one line."""


@contextmanager
def explained(problem: str, advice: str, kind: type[Exception] = InputError) -> Iterator[None]:
    """Turn an error of the operating system into one line: the problem, its reason, and what to do."""
    try:
        yield
    except OSError as error:
        raise kind(f"{problem} ({reason_of(error)}); {advice}") from None


def reason_of(error: OSError) -> str:
    """What the operating system says, as part of a sentence."""
    return (error.strerror or str(error)).lower()

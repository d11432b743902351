"""Define the two kinds of failure that a user sees, and word their messages.

`learnability.cli` prints either as one line on stderr. :class:`InputError` ends the command with exit code 2:
the usage or the input is wrong. :class:`RunError` ends it with exit code 1: the input was fine, but the
work failed.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from difflib import get_close_matches

WRONG_PATH = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR,
    errno.ENAMETOOLONG, errno.ELOOP, errno.EEXIST, errno.EINVAL,
}  # fmt: skip
"""Errors that the user can avoid by giving another path; all others are failures of the work."""


class ExplainedError(Exception):
    """Signal a failure that one line explains."""

    @classmethod
    def explain(cls, problem: str, advice: str) -> AbstractContextManager[None]:
        """Turn an error of the operating system into one line: the problem, the reason, and what to do.

        Args:
            problem: what failed.
            advice: what to do.

        Returns:
            A context; errors within become this one.
        """
        return _explain(cls, problem, advice)


@contextmanager
def _explain(kind: type[ExplainedError], problem: str, advice: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise kind(f"{problem} ({reason_of(error)}); {advice}") from None


class InputError(ExplainedError, ValueError):
    """Signal wrong usage or wrong input; the message is one line that says what, where and what to do.

    A message names parameters in backticks, as Python does: `` `cross_validate=2` ``. The command line
    replaces them by its options (`commands.messages`).

    Args:
        problem: what is wrong, and what to do if there is only one way.
        ways: several things to do, of which a command names only those for which it has options.
    """

    def __init__(self, problem: str, ways: Sequence[str] = ()) -> None:
        super().__init__(f"{problem}; use {_alternatives(ways)}" if ways else problem)
        self.problem, self.ways = problem, tuple(ways)


class RunError(ExplainedError, RuntimeError):
    """Signal that a run failed although its input was fine; the message is one line."""


def _alternatives(ways: Sequence[str]) -> str:
    """Return ``A``, ``A, or B`` or ``A, B, or C``."""
    *others, last = ways
    return f"{', '.join(others)}, or {last}" if others else last


def meant(wrong: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name, ``did you mean 'sud'?``: the only name that begins
    so, else the most similar one; if nothing is similar, all known names."""
    names = list(known)
    for written in (wrong, wrong.lower(), wrong.upper()):
        longer = [name for name in names if len(written) > 2 and name.startswith(written)]
        if near := longer if len(longer) == 1 else get_close_matches(written, names, n=1):
            return f"did you mean {near[0]!r}?"
    return f"choose from {', '.join(names)}" if names else "nothing is known here"


def without_marks(error: Exception) -> str:
    """Return what another library says without its backticks, in which our messages name parameters."""
    return str(error).replace("`", "")


def reason_of(error: OSError) -> str:
    """Return what the operating system says about the error, in a form that fits into a sentence."""
    return (error.strerror or str(error)).lower()

"""The two kinds of failure a user sees, and nothing else of the package's own.

`learnability.cli` turns them into one line on stderr: :class:`InputError` ends the command with exit
code 2 (wrong usage or wrong input: what, where, what to do), :class:`RunError` with exit code 1 (the
input was fine, the work failed).
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

WRONG_PATH = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR,
    errno.ENAMETOOLONG, errno.ELOOP, errno.EEXIST, errno.EINVAL,
}  # fmt: skip
"""Errors that another path would avoid, so that the user can; all others are failures of the work."""


class InputError(ValueError):
    """Wrong usage or input; the message is one line that says what, where and what to do.

    A message names parameters as Python has them, in backticks: `` `cross_validate=2` ``. The command line
    says them as options (`commands.messages`).
    """


class RunError(RuntimeError):
    """The run failed although its input was fine; the message is one line."""


def meant(wrong: str, known: Iterable[str]) -> str:
    """``did you mean 'sud-like'?``: the only known name that begins so, else the most similar one; if there
    is neither, all of them."""
    names = list(known)
    for written in (wrong, wrong.lower(), wrong.upper()):
        longer = [name for name in names if len(written) > 2 and name.startswith(written)]
        if near := longer if len(longer) == 1 else get_close_matches(written, names, n=1):
            return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names) or 'none'}"


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

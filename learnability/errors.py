"""The two kinds of failure a user sees, and nothing else of the package's own.

`learnability.cli` turns them into one line on stderr: :class:`InputError` ends the command with exit
code 2 (wrong usage or wrong input: what, where, what to do), :class:`RunError` with exit code 1 (the
input was fine, the work failed).
"""


class InputError(ValueError):
    """Wrong usage or input; the message is one line that says what, where and what to do."""


class RunError(RuntimeError):
    """The run failed although its input was fine; the message is one line."""

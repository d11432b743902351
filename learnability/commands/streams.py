"""Read standard input and write standard output as bytes, with ``-`` for the streams."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import rich_click as click

from learnability.commands.messages import with_options
from learnability.support.files import Write, check_writable, file_atomically
from learnability.support.terminal import print_line

if TYPE_CHECKING:
    from learnability.support.progress import ProgressSteps
    from learnability.treebanks.conllu_io import ConlluFile, Reading

STDIN = "<stdin>"


def check_input(path: str | None) -> None:
    """Refuse to wait for a person to type CoNLL-U, or to read a closed standard input."""
    if path in (None, "-") and sys.stdin is None:
        raise click.UsageError("there is no input, because standard input is closed; use a CoNLL-U file")
    if path is None and sys.stdin.isatty():
        raise click.UsageError("there is no input; use a CoNLL-U file, or - for standard input")


def read_input(
    path: str | None,
    *,
    steps: ProgressSteps,
    quiet: bool = False,
    require_trees: bool = True,
    **reading: Unpack[Reading],
) -> ConlluFile:
    """Return the CoNLL-U file at `path`, or standard input for ``-`` and None, as one of the `steps`."""
    from learnability.treebanks.conllu_io import read_conllu, reading_seconds

    check_input(path)
    if path is None or path == "-":
        steps.begin(f"reading {STDIN}")
        file = read_conllu(sys.stdin.buffer, name=STDIN, require_trees=require_trees, **reading)
    else:
        steps.begin(f"reading {Path(path).name}", expected=reading_seconds([Path(path)]))
        file = read_conllu(path, require_trees=require_trees, **reading)
    for line in file.describe_skipped():
        note(line, quiet=quiet)
    return file


def check_output(path: str | None) -> None:
    if path is not None and path != "-":
        check_writable(path)


def on_screen(output: str | None) -> bool:
    return output in (None, "-") and sys.stdout.isatty()


@contextlib.contextmanager
def open_output(path: str | None) -> Iterator[Write]:
    """Yield a function that writes bytes to standard output, or to a file that appears when complete."""
    if path is not None and path != "-":
        with file_atomically(path) as write:
            yield write
        return
    sys.stdout.flush()
    yield sys.stdout.buffer.write
    sys.stdout.buffer.flush()


def note(message: str, *, quiet: bool = False) -> None:
    if not quiet:
        context = click.get_current_context(silent=True)
        print_line(with_options(message, context.command if context else None), error=True)

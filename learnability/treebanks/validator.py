"""Ask the official validator of UD, where it is installed, which words it finds errors at.

It is run as a program (`udvalidate` of udtools) at level 3, the last that no language decides about.
"""

from __future__ import annotations

import gzip
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from learnability.errors import InputError, RunError
from learnability.support.programs import find_program, run_command

PROGRAM = "udvalidate"
ARGUMENTS = ("--lang", "ud", "--level", "3", "--no-warnings", "--max-err", "0")

OF_A_LANGUAGE = "5"
"""The level of what the lists of a language decide about; those of `ud` end with level 3."""

_INCIDENT = re.compile(r"\[(?:File (.+?) )?Line (\d+)\b.*?\]: \[L\d \S+ (\S+)\] (.*)")
_END = re.compile(r"^\*\*\* (PASSED|FAILED) \*\*\*", re.MULTILINE)


class Incident(NamedTuple):
    """Represent an error that a check finds: at which line, by which test, and its message."""

    line: int
    test: str
    message: str


def is_installed() -> bool:
    """Return whether the validator is there; whether it works, only a check shows."""
    try:
        find_program("the check", (PROGRAM,), Path())
    except InputError:
        return False
    return True


def _program_for(language: str) -> tuple[str, ...]:
    level = ("--level", OF_A_LANGUAGE) if language != "ud" else ()
    return (PROGRAM, *ARGUMENTS, "--lang", language, *level)


def validate_text(text: bytes, language: str) -> list[Incident]:
    """Return the errors that the installed validator finds in a file of one language; `ud` is none.

    Raises:
        RunError: it breaks off.
    """
    with tempfile.TemporaryDirectory() as name:
        path, log = Path(name, "sentences.conllu"), Path(name, "log")
        path.write_bytes(text)
        run_command(
            (*_program_for(language), str(path)), {}, Path(name), log
        )  # its exit code is 1 if it finds an error
        messages = log.read_text(encoding="utf-8", errors="replace")
    if not _END.search(messages):
        raise RunError(f"{PROGRAM} broke off: {messages[-200:].strip()}; try it on the files, or remove it")
    matches = map(_INCIDENT.match, messages.split("\n"))
    return [Incident(int(match[2]), match[3], match[4]) for match in matches if match]


def validate_files(paths: Sequence[Path]) -> list[tuple[str, int, str]] | None:
    """Return file, line and name of each error; None if the validator is missing, or breaks off."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "log"
        # the validator reads no compressed files
        plain = [_decompress(path, Path(name)) if path.suffix == ".gz" else path for path in paths]
        command = (PROGRAM, *ARGUMENTS, *(str(path.resolve()) for path in plain))
        run_command(command, {}, Path(name), log)  # its exit code is 1 if it finds an error
        text = log.read_text(encoding="utf-8", errors="replace")
    return read_messages(text, paths[0].name)


def _decompress(path: Path, folder: Path) -> Path:
    """Return the path of a copy in another folder that is not compressed, but has the same name."""
    copy = folder / path.name
    copy.write_bytes(gzip.decompress(path.read_bytes()))
    return copy


def read_messages(text: str, file: str) -> list[tuple[str, int, str]] | None:
    """Return what the messages of the validator say, as `validate_files` does.

    Args:
        text: the messages.
        file: the name of the file where they name none, because there is but one.
    """
    if not _END.search(text):
        return None
    found = {
        (match[1] or file, int(match[2]), match[3])
        for match in map(_INCIDENT.match, text.split("\n"))
        if match
    }
    return sorted(found)

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
ARGUMENTS = ("--no-warnings", "--max-err", "0")

LEVEL, LEVEL_OF_A_LANGUAGE = "3", "5"
"""The last level that no language decides about, and that of what the lists of a language decide about."""

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


def validate_text(text: bytes, language: str) -> list[Incident]:
    """Return the errors that the validator finds in a file of a language (`ud`: of none); RunError if it
    breaks off."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "sentences.conllu")
        path.write_bytes(text)
        messages = _run([path], language)
    if not _END.search(messages):
        raise RunError(f"{PROGRAM} broke off: {messages[-200:].strip()}; try it on the files, or remove it")
    matches = map(_INCIDENT.match, messages.split("\n"))
    return [Incident(int(match[2]), match[3], match[4]) for match in matches if match]


def validate_files(paths: Sequence[Path]) -> list[tuple[str, int, str]] | None:
    """Return file, line and name of each error; None if the validator is missing, or breaks off."""
    return read_messages(_run(paths, "ud"), paths[0].name)


def _run(paths: Sequence[Path], language: str) -> str:
    """Return the messages of the validator about files, of which it cannot read compressed ones itself."""
    with tempfile.TemporaryDirectory() as name:
        log, level = Path(name, "log"), LEVEL if language == "ud" else LEVEL_OF_A_LANGUAGE
        plain = [_decompress(path, Path(name)) if path.suffix == ".gz" else path.resolve() for path in paths]
        command = (PROGRAM, "--lang", language, "--level", level, *ARGUMENTS, *map(str, plain))
        run_command(command, {}, Path(name), log)  # its exit code is 1 if it finds an error
        return log.read_text(encoding="utf-8", errors="replace")


def _decompress(path: Path, folder: Path) -> Path:
    copy = folder / path.name
    copy.write_bytes(gzip.decompress(path.read_bytes()))
    return copy


def read_messages(text: str, file: str) -> list[tuple[str, int, str]] | None:
    """Return what messages say, as `validate_files` does; `file` is the name where they name none."""
    if not _END.search(text):
        return None
    found = {
        (match[1] or file, int(match[2]), match[3])
        for match in map(_INCIDENT.match, text.split("\n"))
        if match
    }
    return sorted(found)

"""Ask the official validator of UD, where it is installed, which words it finds errors at.

It is run as a program (`udvalidate` of udtools) at level 3, the last that no language decides about.
"""

from __future__ import annotations

import gzip
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from learnability.extending import run_command
from learnability.extensions.doubts.results import ValidatorResult

PROGRAM = "udvalidate"
ARGUMENTS = ("--lang", "ud", "--level", "3", "--no-warnings", "--max-err", "0")

_INCIDENT = re.compile(r"\[(?:File (.+?) )?Line (\d+)\b.*?\]: \[L\d \S+ (\S+)\] ")
_END = re.compile(r"^\*\*\* (PASSED|FAILED) \*\*\*", re.MULTILINE)


def validate_files(paths: Sequence[Path]) -> ValidatorResult:
    """Return which errors the validator finds at which lines; nothing if it is missing, or breaks off."""
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


def read_messages(text: str, file: str) -> ValidatorResult:
    """Return what the messages of the validator say.

    Args:
        text: the messages.
        file: the name of the file where they name none, because there is but one.
    """
    if not _END.search(text):
        return ValidatorResult()
    found = {
        (match[1] or file, int(match[2]), match[3])
        for match in map(_INCIDENT.match, text.split("\n"))
        if match
    }
    return ValidatorResult(is_complete=True, incidents=sorted(found))


def errors_by_line(incidents: Iterable[tuple[str, int, str]]) -> dict[tuple[str, int], str]:
    """Return the names of the errors at each line of a file, ``leaf-det; rel-upos-det``."""
    names: dict[tuple[str, int], list[str]] = {}
    for file, line, name in incidents:
        names.setdefault((file, line), []).append(name)
    return {place: "; ".join(each) for place, each in names.items()}

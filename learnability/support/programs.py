"""Run the external program that a TOML file names, limit its time, and end it together with us.

A command is a list of strings, the program and its arguments; no shell reads it. Known words in braces, such
as ``{input}``, are placeholders that get a value. All other words stay as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from learnability.errors import InputError, meant
from learnability.support.toml_section import TomlSection

Command = tuple[str, ...]

TIME_LIMIT = 3600.0
"""Seconds that a command may take if its file sets no limit."""
LONGEST_TIME_LIMIT = 365 * 24 * 3600.0
"""The most seconds that a file may allow a command."""
MOST_MESSAGES = 1 << 30
"""The most bytes of messages that a command may print."""
KEPT = 1_000_000
"""Bytes from the end of the log of a command that failed."""

LOOK_EVERY = 0.5
"""Seconds between two looks at the size of what a command writes."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")

_GUARD = "import os, signal, sys; sys.stdin.read(); os.killpg(int(sys.argv[1]), signal.SIGKILL)"
"""Ends a process group when our end of its standard input closes: when we close it, or when we are killed."""


def read_command(
    section: TomlSection, key: str, does: str, known: Collection[str], needs: str = ""
) -> Command:
    """Return the command of a key; InputError if it is missing, has an unknown placeholder, or lacks a needed
    one."""
    command = section.words(key)
    if not command:
        example = f'"PROGRAM", "{{{needs}}}"' if needs else '"PROGRAM"'
        section.fail(f"there is no command to {does}; write {key} = [{example}]", key)
    for part in command:
        for holder in _PLACEHOLDER.findall(part):
            if holder not in known:
                section.fail(
                    f"{key} has the unknown placeholder {{{holder}}}; {meant(holder, known)}", key, part
                )
    if needs and not mentions(command, needs):
        section.fail(f"{key} lacks {{{needs}}}, the file that it has to read; add it", key)
    return command


def read_time_limit(section: TomlSection) -> float:
    return float(section.number_above("time_limit", 0, TIME_LIMIT, LONGEST_TIME_LIMIT))


def mentions(command: Iterable[str], placeholder: str) -> bool:
    return any(f"{{{placeholder}}}" in part for part in command)


def find_program(owner: str, command: Command, folder: Path) -> Path:
    """Return the path of a command's program."""
    program = command[0].replace("{folder}", str(folder))
    # commands run in another folder: a path relative to ours would not be found
    path = shutil.which(program, path=_search_path()) if Path(program).name == program else program
    if not path or not os.path.isabs(path) or not os.path.isfile(path):
        raise InputError(
            f"{owner} needs the program {program}, which was not found; install it, or write its full path"
        )
    return Path(path)


def _search_path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def run_command(
    command: Command,
    values: Mapping[str, object],
    folder: Path,
    log: Path,
    time_limit: float = TIME_LIMIT,
    *,
    stdin: Path | None = None,
    stdout: Path | None = None,
    environment: Mapping[str, str] | None = None,
    limits: Mapping[Path, int] | None = None,
) -> str:
    """Run a command in a folder until it ends, then end every process that it started; return what went
    wrong, in words.

    The `values` are those of placeholders. The file `log` gets messages, and the output if there is no
    `stdout`; after `time_limit` seconds the command is ended. The `environment` is added to that of this
    process; `limits` are the most bytes of files that it writes.
    """
    limits = {log: MOST_MESSAGES, **(limits or {})}
    filled = [_PLACEHOLDER.sub(lambda name: str(values.get(name[1], name[0])), part) for part in command]
    filled[0] = shutil.which(filled[0], path=_search_path()) or filled[0]
    with ExitStack() as stack:
        messages = stack.enter_context(open(log, "wb"))
        source = stack.enter_context(open(stdin or os.devnull, "rb"))
        answer = stack.enter_context(open(stdout, "wb")) if stdout else messages
        try:
            process = subprocess.Popen(
                filled,
                cwd=folder,
                env={**os.environ, "PATH": _search_path(), "PYTHONHASHSEED": "0", **(environment or {})},
                stdin=source,
                stdout=answer,
                stderr=messages,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return f"cannot start {filled[0]} ({error})"
        guard = subprocess.Popen(
            # without packages it starts at once
            [sys.executable, "-I", "-S", "-c", _GUARD, str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        code, end = None, time.monotonic() + time_limit
        try:
            while code is None and (left := end - time.monotonic()) > 0 and not _too_large(limits):
                with suppress(subprocess.TimeoutExpired):
                    code = process.wait(min(left, LOOK_EVERY))
        finally:
            guard.communicate()
            process.wait()
    if path := _too_large(limits):
        return f"wrote more than {limits[path] / 1e6:,.0f} MB to {path.name}"
    if code is None:
        return f"took longer than {time_limit:g} seconds (time_limit)"
    if code < 0:
        return f"ended by signal {-code}"
    return f"failed with exit code {code}" if code else ""


def most_output(source: Path) -> int:
    """Return the most bytes of an answer to a file of sentences: more would fill the memory when it is
    read."""
    return 10_000_000 + 20 * source.stat().st_size


def _too_large(limits: Mapping[Path, int]) -> Path | None:
    for path, most in limits.items():
        with suppress(OSError):
            if path.stat().st_size > most:
                return path
    return None


def with_log(problem: str, log: Path, name: str, folder: Path | None = None) -> str:
    """Return a problem followed by the last line of the log and the place where the log of `name` is kept.

    The log is kept in `folder`, by default in the folder of temporary files.
    """
    text = b""
    if log.is_file():
        with open(log, "rb") as messages:
            messages.seek(max(0, log.stat().st_size - KEPT))
            text = messages.read()
    lines = text.decode("utf-8", "replace").split("\n")
    last_line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    quoted = f"; its last line: {_printable(last_line)}" if last_line else ""
    folder = folder or Path(tempfile.gettempdir())
    kept = ""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, path = tempfile.mkstemp(".log", f"learnability-{name}-", folder)
        with open(handle, "wb") as file:
            file.write(text)
        kept = f"; log: {path}"
    return f"{problem}{quoted}{kept}"


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else " " for c in line[:200]) + "..." * (len(line) > 200)

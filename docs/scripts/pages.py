"""Find the commands of pages, run them, and put their present outputs into the pages.

    python docs/scripts/pages.py docs/tutorial.md ...

runs the commands of these pages and replaces the outputs that differ; `tests/docs` fails where one does.

In a page, commands are

- the lines after ``$`` in a fence marked ``console``; what follows, up to the next ``$``, is their output;
- the lines of a fence marked ``sh``, and of an indented block, that begin with one of `PROGRAMS`;
- an indented block that begins with ``import``: Python, run as a whole;
- inline code in a table's cell that begins with ``learnability``.

A comment before a block marks a special case: ``<!-- file: mine.toml -->`` (the block is a file that
the reader writes) or ``<!-- not run: reason -->``. Before a picture, a file beside the page, the comment
``<!-- drawn: --transform case --sent-id x -->`` has the options of `show` that draw it. Files
``*.conllu`` beside the page are where its commands run.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import serving

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

UD = Path(os.environ.get("LEARNABILITY_UD_HOME", ROOT.parent / "shared" / "ud"))

PROGRAMS = (
    "learnability",
    ".venv/bin/",
    "python",
    "pip",
    "dask",
    "source",
    "git",
    "cd",
    "eval",
    "export",
    "PYTHON",
)
"""A line that begins with one of these is a command; other lines of indented blocks are drawings."""


@dataclass(frozen=True)
class Command:
    """One command of a page.

    Attributes:
        line: where it begins, from 1.
        text: the command, continued lines joined.
        output: the output that the page shows; None if it shows none.
        lines: which lines of the page that output takes, from and to (from 0).
        why_not: why it is not run; empty if it is.
    """

    line: int
    text: str
    output: str | None = None
    lines: tuple[int, int] = (0, 0)
    why_not: str = ""


@dataclass(frozen=True)
class PageFile:
    """A file that a page tells the reader to write."""

    name: str
    content: str


_FENCE = re.compile(r"^ {0,3}```\s*(?P<kind>\S*)")
_NOTE = re.compile(r"^<!-- (?P<kind>file|not run|drawn): (?P<value>.+?) -->$")
_PICTURE = re.compile(r"^!\[.+\]\((\S+)\)$")
_CELL = re.compile(r"`(learnability [^`]+)`")


def steps(text: str) -> Iterator[Command | PageFile]:
    """Yield the commands and files of a page, in order."""
    lines = text.split("\n")
    note: dict[str, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        found, fence = _NOTE.match(line), _FENCE.match(line)
        if found and found["kind"] == "drawn":
            (picture,) = _PICTURE.findall(lines[at + 1])
            yield Command(at + 1, f"learnability show {found['value']} sentences.conllu --out {picture}")
        elif found:
            note = {found["kind"]: found["value"]}
        elif fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            yield from _fence(lines, at + 1, end, fence["kind"], note)
            at, note = end, {}
        elif line.startswith("    ") and not lines[at - 1].strip():
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield from _typed([line[4:] for line in lines[at:end]], at, note)
            at, note = end - 1, {}
        elif line.startswith("|"):
            for text_ in _CELL.findall(line):
                yield Command(at + 1, text_, why_not=note.get("not run", ""))
        elif line.strip():
            note = {}
        at += 1


def _fence(
    lines: Sequence[str], first: int, end: int, kind: str, note: dict[str, str]
) -> Iterator[Command | PageFile]:
    if "file" in note:
        yield PageFile(note["file"], "\n".join([*lines[first:end], ""]))
    elif kind == "sh":
        yield from _typed(lines[first:end], first, note)
    elif kind == "console":
        starts = [i for i in range(first, end) if lines[i].startswith("$ ")]
        for start, following in zip(starts, [*starts[1:], end], strict=True):
            stop = start + 1
            while lines[stop - 1].endswith("\\"):
                stop += 1
            words = [lines[start][2:], *lines[start + 1 : stop]]
            output = "".join(f"{line}\n" for line in lines[stop:following])
            yield Command(start + 1, _joined(words), output, (stop, following), note.get("not run", ""))


def _typed(lines: Sequence[str], offset: int, note: dict[str, str]) -> Iterator[Command]:
    """Yield the commands among lines without outputs."""
    if lines[0].startswith("import "):
        script = "\n".join(["python - <<'END'", *lines, "END"])
        yield Command(offset + 1, script, why_not=note.get("not run", ""))
        return
    at = 0
    while at < len(lines):
        stop = at + 1
        while stop < len(lines) and lines[stop - 1].endswith("\\"):
            stop += 1
        if lines[at].startswith(PROGRAMS):
            text = re.sub(r"\s+#.*$", "", _joined(lines[at:stop]))
            yield Command(offset + at + 1, text, why_not=note.get("not run", ""))
        at = stop


def _joined(lines: Sequence[str]) -> str:
    return " ".join(line.removesuffix("\\").strip() for line in lines)


def commands(text: str) -> list[Command]:
    """Return the commands of a page."""
    return [step for step in steps(text) if isinstance(step, Command)]


_PROGRESS = re.compile(r"^\d+:\d\d .*\n", re.MULTILINE)
"""A line of progress, which a slow machine writes."""

_VARIES = (
    (re.compile(r"\d+(\.\d+)?( s\b| second| minute)s?"), r"N\2"),
    (re.compile(r"─+"), "─"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
    (re.compile(r" {2,}"), "  "),
)


def steady(output: str) -> str:
    """Return an output without times, speeds and paths, which differ from run to run."""
    for pattern, replacement in _VARIES:
        output = pattern.sub(replacement, output)
    return output


def kernels() -> str:
    """Return the folder of the compiled kernels."""
    from platformdirs import user_cache_dir

    return os.environ.get("NUMBA_CACHE_DIR") or str(Path(user_cache_dir("learnability")) / "kernels")


@cache
def served() -> list[str]:
    """Return what to put before the words of commands so that one process runs them all."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": kernels()}
    return [sys.executable, "-I", "-S", serving.__file__, str(serving.serve(Path(folder), environment))]


MIRRORED = (("UD_Irish", "1.3"), ("UD_Turkish-IMST", "2.16"), ("UD_Turkish-BOUN", "2.16"))
"""The treebanks that pages fetch: name and release."""


def folder_of(name: str, release: str, ud: Path = UD) -> Path:
    """Return where a treebank of a release is."""
    folder = "universal-dependencies-" if release.startswith("1.") else "ud-treebanks-v"
    return ud / f"{folder}{release}" / name


@contextmanager
def reader(ud: Path = UD) -> Iterator[dict[str, str]]:
    """Yield the environment of a new installation; `fetch` finds a mirror.

    No treebanks and no settings are there yet, only compiled kernels. The mirror has those of `MIRRORED` that
    are in the folder.
    """
    from ud_server import tag_path, tar_gz, ud_server

    with tempfile.TemporaryDirectory() as scratch, ud_server() as server:
        for name, release in MIRRORED:
            files = sorted(folder_of(name, release, ud).glob("*"))
            entries = [(f"{name}-r{release}/{path.name}", path.read_bytes()) for path in files]
            server.has(tag_path(name, release), tar_gz(entries))
        bin_ = Path(scratch, "bin")
        bin_.mkdir()
        program = bin_ / "learnability"
        mirror = f'[ "$1" = fetch ] && set -- "$@" --base-url {server.url}\n'
        program.write_text(f'#!/bin/sh\n{mirror}exec {shlex.join(served())} "$@"\n')
        program.chmod(0o755)
        (bin_ / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (bin_ / "python").chmod(0o755)
        inherited = {k: v for k, v in os.environ.items() if k not in ("LEARNABILITY_UD_HOME", "UDBASE")}
        yield {
            **inherited,
            "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(Path(scratch, ".cache")),
            "NUMBA_CACHE_DIR": kernels(),
            "NO_PROXY": "127.0.0.1",
        }


@dataclass(frozen=True)
class Ran:
    """A command that was run, its exit code, and its output and messages together."""

    command: Command
    code: int
    output: str


def run_page(
    text: str, folder: Path, environment: dict[str, str], change: Callable[[Command], str] = lambda c: c.text
) -> Iterator[Ran]:
    """Follow the steps of a page in `folder`; `change` replaces a command by another one.

    Files and treebanks that the page only assumes are there: `in.conllu`, the treebank UD_Mine, UD_Mine-Own,
    which has a test file only, and the answers of the survey.
    """
    from small_treebanks import DEMO, cut, small_treebank

    small_treebank(folder, "UD_Mine", first=30)
    (folder / "UD_Mine-Own").mkdir()
    cut(DEMO / "demo-ud-train.conllu", folder / "UD_Mine-Own" / "xx_own-ud-test.conllu", 20, 100)
    cut(DEMO / "demo-ud-dev.conllu", folder / "in.conllu", 0, 50)
    survey = folder / "research" / "ud-2.16"
    survey.mkdir(parents=True)
    shutil.copy(ROOT / "research" / "ud-2.16" / "answers.csv", survey)
    for step in steps(text):
        if isinstance(step, PageFile):
            (folder / step.name).write_text(step.content, encoding="utf-8")
        elif not step.why_not:
            done = subprocess.run(
                ["bash", "-c", change(step)],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            output = _PROGRESS.sub("", done.stdout.decode()).replace(
                environment["XDG_CACHE_HOME"], "~/.cache"
            )
            yield Ran(step, done.returncode, output)


def refreshed(text: str, ran: Sequence[Ran]) -> str:
    """Return the page with the outputs of `ran` where they differ from those on the page."""
    lines = text.split("\n")
    for result in reversed(ran):
        shown = result.command.output
        if shown is not None and steady(shown) != steady(result.output):
            first, end = result.command.lines
            lines[first:end] = [line.rstrip() for line in result.output.removesuffix("\n").split("\n")]
    return "\n".join(lines)


def main(pages: Sequence[str]) -> None:
    """Refresh the outputs of pages."""
    with reader() as environment:
        for page in map(Path, pages):
            text = page.read_text(encoding="utf-8")
            with tempfile.TemporaryDirectory() as folder:
                for beside in page.parent.glob("*.conllu"):
                    shutil.copy(beside, folder)
                ran = list(run_page(text, Path(folder), environment))
                for picture in Path(folder).glob("*.svg"):
                    shutil.copy(picture, page.parent)
            new = refreshed(text, ran)
            print(f"{page}: {len(ran)} commands, {'refreshed' if new != text else 'as it was'}")
            for result in ran:
                if result.code and result.command.output is None:
                    line, code = result.command.line, result.code
                    print(f"  line {line}: exit code {code}: {result.output.strip()[-300:]}")
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

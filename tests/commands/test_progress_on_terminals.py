"""Progress as a person sees it: on a terminal before anything heavy is imported, and nowhere else."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from invoking import DEMO, PACKAGE
from small_treebanks import small_treebank

WATCHED = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in ("numpy", "numba", "scipy", "matplotlib", "pandas"):
            os.write(2, b"<heavy>")
sys.meta_path.insert(0, Watch())
from learnability.cli import main
main(sys.argv[1:])
"""
"""The command line, saying on stderr when something heavy is imported."""


@dataclass(frozen=True)
class Seen:
    code: int
    output: bytes
    terminal: str

    def stages(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", self.terminal)


def watch(*arguments: object, folder: Path, columns: int = 140) -> Seen:
    ours, theirs = pty.openpty()
    path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "TERM": "xterm", "COLUMNS": str(columns)}
    words = [sys.executable, "-c", WATCHED, *map(str, arguments)]
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other end is closed
                return
            if not data:
                return
            pieces.append(data)

    reader = threading.Thread(target=read)
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        reader.start()
        output = process.stdout.read() if process.stdout else b""
        code = process.wait()
    reader.join()
    os.close(ours)
    return Seen(code, output, b"".join(pieces).decode(errors="replace"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    small_treebank(folder)
    return folder


RUN = (
    "run",
    "--test-set",
    "--treebank",
    "UD_Small",
    "--transform",
    "det",
    "--iterations",
    "1",
    "--out",
    "run",
)
TRAIN = ("train", DEMO / "demo-ud-dev.conllu", "-m", "model", "--iterations", "2")
TEST = DEMO / "demo-ud-test.conllu"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "stages"),
    [
        (RUN, ("reading UD_Small", "the arc-eager parser", "training", "intervals and tests", "report")),
        ((*RUN, "--dry-run"), ("reading UD_Small",)),
        (TRAIN, ("reading", "the arc-eager parser", "training arc-eager on 40 sentences")),
        (("measure", "--treebank", "UD_Small"), ("reading", "measuring UD_Small")),
        (("references", "--transform", "det", TEST), ("reading", "references")),
        (
            ("transform", "--transform", "det", "--treebank", "demo", "--out", "out"),
            ("reading UD_Demo", "transforming", "writing"),
        ),
    ],
    ids=lambda value: value[0] if value and isinstance(value[0], str) else None,
)
def test_every_long_command_shows_its_stages(
    place: Path, arguments: tuple[object, ...], stages: tuple[str, ...]
) -> None:
    seen = watch(*arguments, folder=place)
    assert seen.code == 0, seen.terminal
    shown = seen.stages()
    for stage in stages:
        assert stage in shown
    assert "━" in shown.partition("<heavy>")[0]  # before anything heavy is imported
    if any("parser" in stage for stage in stages):  # the others are over before there is anything to tell
        assert "left" in shown
    assert "\x1b" not in seen.output.decode()
    assert "\x1b[?25h" in seen.terminal  # the cursor is given back


def test_quiet_is_quiet_and_stdout_is_clean(place: Path) -> None:
    seen = watch("transform", "--transform", "det", "--quiet", TEST, folder=place)
    assert seen.stages().replace("<heavy>", "") == ""
    shown = watch("transform", "--transform", "det", TEST, folder=place)
    assert shown.output == seen.output


def test_the_error_is_the_last_line(place: Path) -> None:
    seen = watch("measure", "--treebank", "UD_Smal", folder=place)
    assert seen.code == 2
    assert seen.stages().strip().splitlines()[-1].strip().startswith("learnability: treebank 'UD_Smal'")

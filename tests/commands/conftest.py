"""Running the command line: in this process (fast), and as a user does (a process of its own)."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from invoking import DEMO, PACKAGE, Call, Result, without_progress

from learnability import cli


@pytest.fixture(scope="session")
def call() -> Call:
    """Run a command in this process; the arguments are its words, `stdin` its input."""

    def run(*arguments: object, stdin: bytes = b"") -> Result:
        streams = [io.TextIOWrapper(io.BytesIO(data)) for data in (stdin, b"", b"")]
        with pytest.MonkeyPatch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = cli.run([str(argument) for argument in arguments])
        for stream in streams[1:]:
            stream.flush()
        output, errors = (stream.buffer.getvalue() for stream in streams[1:])  # type: ignore[attr-defined]
        return Result(code, output, without_progress(errors.decode()))

    return run


@pytest.fixture
def shell(tmp_path: Path) -> Call:
    """Run a command as `python -m learnability` in a process and an empty folder of its own."""

    def run(*arguments: object, stdin: bytes = b"", **environment: str) -> Result:
        path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-m", "learnability", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, **environment},
        )
        return Result(done.returncode, done.stdout, without_progress(done.stderr.decode()))

    return run


@pytest.fixture(scope="session")
def demo() -> Path:
    """The folder of the bundled treebank."""
    return DEMO


@pytest.fixture(scope="session")
def demo_dev() -> Path:
    """A small file that is always there."""
    return DEMO / "demo-ud-dev.conllu"

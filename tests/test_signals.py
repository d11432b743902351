"""A signal ends a command, whatever it is at, and nothing half-written stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from invoking import PACKAGE
from small_treebanks import one_long_sentence

from learnability.support import signals

WAITS = 60
"""Seconds within which a command must have ended; what it is at takes longer."""

BUSY = 3
"""Seconds for which a command goes on when a short one of its kind would have ended."""

IN_MACHINE_CODE = """
import hashlib, sys
from learnability.support import signals

def end(name):
    print("ended by", name, signals.kept_work())

def busy():
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # machine code without the interpreter's lock

signals.handle_signals(end)
with signals.cleaned_up(lambda: print("cleaned up")), signals.keeping(lambda: "2 trainings kept"):
    try:
        print("ready", flush=True)
        busy()
    except signals.Stopped:  # the signal came before the machine code
        busy()
"""


def started(*arguments: object) -> subprocess.Popen[str]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        # a suite run in the background inherits that interrupts are ignored
        preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in numbers],
    )


def interrupted(process: subprocess.Popen[str], short: float, name: str) -> tuple[str, str]:
    """Send a command the signal when it trains, and return its output and errors."""
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(short + BUSY)
    process.send_signal(signal.Signals[name])
    return process.communicate(timeout=WAITS)


def seconds(*words: object) -> float:
    """How long a command takes that finds its kernels compiled: the first one compiled them."""
    for _ in range(2):
        begun = time.monotonic()
        with started("-m", "learnability", *words, "--quiet") as process:
            _output, errors = process.communicate()
        assert process.returncode == 0, errors
    return time.monotonic() - begun


@pytest.fixture(scope="module")
def short_training(tmp_path_factory: pytest.TempPathFactory) -> float:
    """The seconds of a training of one short sentence."""
    folder = tmp_path_factory.mktemp("training")
    path = one_long_sentence(folder / "short.conllu", 20, 1)
    return seconds("train", path, "-m", folder / "model", "--system", "covington", "--iterations", "1")


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> float:
    """The seconds of a run on short sentences."""
    folder = tmp_path_factory.mktemp("run")
    path = one_long_sentence(folder / "short.conllu", 20, 4)
    files = ("--train", path, "--dev", path, "--test", path, "--transform", "case", "--jobs", "1")
    return seconds(
        "run", *files, "--parser", "graph", "--iterations", "1", "--out", folder / "run", "--force"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_machine_code_does_not_hold_up_a_signal(name: str) -> None:
    with started("-c", IN_MACHINE_CODE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.Signals[name])
        output, errors = process.communicate(timeout=WAITS)
    assert output == f"cleaned up\nended by {name} 2 trainings kept\n"
    assert (process.returncode, errors) == (signals.exit_code(name), "")


def test_what_is_kept_is_known_after_an_interrupt_only() -> None:
    def interrupted(error: type[BaseException]) -> str:
        try:
            with signals.describe_kept(lambda: "kept"):
                raise error
        except error:
            return signals.kept_work()

    assert interrupted(ValueError) == ""
    with signals.describe_kept(lambda: "kept"):
        pass
    assert signals.kept_work() == ""
    assert interrupted(KeyboardInterrupt) == "kept"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_the_training_of_covington(tmp_path: Path, short_training: float, name: str) -> None:
    path, model = one_long_sentence(tmp_path / "long.conllu", 5000, 20), tmp_path / "model"
    words = ("-m", "learnability", "train", path, "-m", model, "--system", "covington", "--iterations", "3")
    with started(*words, "--quiet") as process:
        output, errors = interrupted(process, short_training, name)
    assert (process.returncode, output) == (signals.exit_code(name), "")
    assert errors == f"learnability: {signals.NAMES[name]}\n"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_signal_ends_a_run_with_the_graph_parser(tmp_path: Path, short_run: float, jobs: str) -> None:
    path, out = one_long_sentence(tmp_path / "long.conllu", 3000, 4), tmp_path / "run"
    whole = ("--train", path, "--dev", path, "--test", path, "--transform", "case", "--jobs", jobs)
    words = (
        "-m",
        "learnability",
        "run",
        "--test-set",
        *whole,
        "--parser",
        "graph",
        "--iterations",
        "1",
        "--out",
        out,
    )
    with started(*words, "--quiet") as process:
        output, errors = interrupted(process, short_run, "SIGTERM")
    assert (process.returncode, output) == (143, "")
    assert errors.startswith("learnability: terminated")
    assert errors.count("\n") == 1
    data = (out / "records.jsonl").read_bytes() if (out / "records.jsonl").exists() else b""
    assert data.endswith(b"\n") or not data
    assert out.exists() == bool(data)

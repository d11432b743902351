"""The group itself: help, versions, failures, exit codes."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
import pytest
from invoking import PACKAGE, Call

from learnability import cli
from learnability.errors import InputError, RunError
from learnability.studies.registry import studies_of_run

HEAVY = ("numpy", "numba", "nltk", "scipy", "pandas", "matplotlib", "networkx", "conllu", "joblib")


def test_help_is_fast_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from learnability.cli import run; code = run(['--help']); "
        f"print(code, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    times = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # processor time: others may be using the machine as well
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert done.stderr.strip() == "0 []"
    assert "run " in done.stdout
    assert min(times) < 1


def command_named(name: str) -> click.Command:
    context = click.Context(cli.cli, **cli.cli.context_settings)
    return cli.cli.get_command(context, name)


@pytest.mark.parametrize("name", cli.command_names())
def test_help_of_each_command_begins_with_one_line_and_has_an_example(call: Call, name: str) -> None:
    command = command_named(name)
    assert command.name == name
    assert "\n" not in command.help.strip().partition("\n\n")[0]
    assert command.epilog.startswith(f"Example: learnability {name} ")
    done = call(name, "--help")
    assert (done.code, done.errors) == (0, "")
    assert command.epilog.split(": ")[1][:40] in " ".join(done.text.split())


def test_help_lists_every_command_under_its_heading(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = call("--help-all").text.splitlines()
    listed: dict[str, list[str]] = {}
    for line in lines[[line.rstrip() for line in lines].index("Get:") :]:
        if heading := re.fullmatch(r"(\w.*): *", line):
            listed[heading[1]] = []
        elif name := re.match(r"  (\w+) ", line):
            listed[[*listed][-1]].append(name[1])
    assert listed == {heading.value: names for heading, names in cli.command_headings().items()}
    assert listed["Get"] == ["fetch"]
    assert {"report", "list", "show"} <= set(listed["More"])


def test_help_lists_nine_commands_and_names_where_the_others_are(call: Call) -> None:
    done = call("--help")
    listed = {found[1] for found in re.finditer(r"^  (\w+) ", done.text, re.MULTILINE)}
    front = {"run", "compare", "doubts", "harmonise", "diff", "history", "transfer", "transform", "fetch"}
    assert listed - {""} == front & {*cli.command_names()}
    assert "learnability --help-all" in " ".join(done.text.split())
    assert "More commands" not in call("--help-all").text


@pytest.mark.parametrize("name", cli.command_names())
def test_the_list_of_commands_has_one_line_for_each(name: str) -> None:
    assert 0 < len(cli.summarize_command(name)) <= 66


def test_version(call: Call) -> None:
    try:
        number = version("learnability")
    except PackageNotFoundError:
        number = "(not installed)"
    assert call("--version").text == f"learnability {number}\n"


EVERY_DAY = {
    *(
        "--treebank",
        "--all",
        "--ud-home",
        "--release",
        "--transform",
        "--alternative",
        "--against",
        "--parser",
    ),
    *("--quick", "--test-set", "--budget"),
    *("--seeds", "--cross-validate", "--labelled", "--out", "--resume", "--jobs"),
    *("--help-all", "--help"),
    *(f"--{study.name}" for study in studies_of_run()),
}


def options_shown(call: Call, *words: str) -> set[str]:
    done = call(*words)
    assert (done.code, done.errors) == (0, "")
    return set(re.findall(r"^ {2}(?:-[a-z])? *(--[a-z-]+)", done.text, re.MULTILINE))


def test_help_of_run_shows_the_options_of_every_day(call: Call) -> None:
    options = {name for each in command_named("run").params for name in each.opts if name.startswith("--")}
    assert options_shown(call, "run", "--help") == EVERY_DAY
    assert options_shown(call, "run", "--help-all") == options | {"--help"}
    assert {"--iterations", "--multiple-roots", "--force", "--json"} <= options - EVERY_DAY
    own = {f"--{study.name}" for study in studies_of_run()}
    assert len(options - {"--help-all"} - own) <= 32
    assert options_shown(call, "run", "--help") == EVERY_DAY  # the other help has changed nothing


@pytest.mark.parametrize("name", ["history"])
def test_help_of_other_studies_leaves_out_what_is_rare(call: Call, name: str) -> None:
    shown, every = options_shown(call, name, "--help"), options_shown(call, name, "--help-all")
    assert shown < every
    assert {"--treebank", "--seeds", "--out"} <= shown
    assert {"--tags", "--multiple-roots"} <= every - shown


@pytest.mark.parametrize("name", cli.command_names())
def test_help_has_no_pictures_for_letters_between_colons(call: Call, name: str) -> None:
    assert not [
        sign for sign in call(name, "--help").text + call(name, "--help-all").text if ord(sign) > 0xFFFF
    ]


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("wrong\n  input"), 2, "wrong input"),
        (RunError("failed"), 1, "failed"),
        (OSError(28, "No space left on device", "out"), 1, "out: no space left on device"),
        (PermissionError(13, "Permission denied", "in"), 2, "in: permission denied; choose another path"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "out of memory"),
        (ZeroDivisionError("oops"), 1, "internal error, ZeroDivisionError: oops"),
    ],
)
def test_every_failure_is_one_line(
    call: Call, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, line: str
) -> None:
    monkeypatch.delenv("LEARNABILITY_DEBUG", raising=False)

    def fail(*_: object, **__: object) -> None:
        raise error

    command = command_named("list")
    original, command.callback = command.callback, fail
    try:
        done = call("list", "transforms")
    finally:
        command.callback = original
    assert done.code == code
    assert done.errors.startswith(f"learnability: {line}")
    assert done.errors.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["transform", "--transform", "case", "FILE", "-o", "LOOP"], "too many levels"),
        (["transform", "--transform", "case", "LOOP"], "too many levels"),
        (["list", "treebanks", "--ud-home", "LOOP"], "does not exist; set --ud-home"),
        (["list", "treebanks", "--ud-home", "LONG"], "file name too long; choose another path"),
        (["run", "--treebank", "LONG"], "file name too long; choose another path"),
        (["show", "--transform", "case", "FILE", "--out", "LOOP/x.svg"], "cannot be written"),
        (
            ["run", "--train", "NO-TEXT", "--test", "NO-TEXT", "--out", "NEW"],
            " is not UTF-8; rename the file",
        ),
        (
            ["run", "--quick", "--quiet", "--treebank", "demo", "--jobs", "tcp://[::1", "--out", "NEW"],
            "no scheduler answers",
        ),
        (["fetch", "UD_X", "--release", "2.16", "--base-url", "http://[::1"], "not an http or https URL"),
    ],
)
def test_paths_that_cannot_be_used_are_wrong_input(
    call: Call, demo_dev: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    pytest.importorskip("distributed")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    places = {"FILE": demo_dev, "LOOP": loop, "LONG": "x" * 300}
    places |= {"NO-TEXT": tmp_path / "\udcff.conllu", "NEW": tmp_path / "new"}
    places["NO-TEXT"].write_bytes(demo_dev.read_bytes())
    done = call(*(places.get(word, word.replace("LOOP", str(loop))) for word in arguments))
    assert done.code == 2, done.errors
    assert said in done.errors
    assert done.errors.count("\n") == 1
    assert loop.is_symlink()
    assert not done.output


def test_a_signal_ends_a_command_with_one_line() -> None:
    expected = {
        signal.SIGINT: (130, "interrupted"),
        signal.SIGTERM: (143, "terminated"),
        signal.SIGHUP: (129, "hung up"),
    }
    waiting = {
        number: subprocess.Popen(
            [sys.executable, "-m", "learnability", "transform", "--transform", "case"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
            # a suite run in the background inherits that interrupts are ignored
            preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in expected],
        )
        for number in expected
    }
    time.sleep(2)  # they have started by now and wait for their input
    for number, process in waiting.items():
        process.send_signal(number)
        output, errors = process.communicate(timeout=20)
        code, said = expected[number]
        assert (process.returncode, output, errors) == (code, b"", f"learnability: {said}\n".encode())


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_who_leaves_is_no_error(demo: Path, unbuffered: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "learnability", "transform", "--transform", "case", "--quiet",
         str(demo / "demo-ud-train.conllu")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_ends_too_soon_is_no_success(demo: Path, tmp_path: Path, unbuffered: str) -> None:
    """A file that takes the first bytes and no more, as on a disk that is nearly full."""
    with open(tmp_path / "out", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "learnability", "transform", "--transform", "case", "--quiet",
             str(demo / "demo-ud-train.conllu")],
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONUNBUFFERED": unbuffered,
                 "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
    assert (tmp_path / "out").stat().st_size == 100_000
    assert done.returncode == 1
    reason, _, advice = done.stderr.decode().partition("; ")
    assert reason == "learnability: reading or writing failed: file too large"
    assert advice == "fix the problem and run the same command again\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("list transforms >&-", 1, "standard output is closed"),
        ("transform --transform case <&-", 2, "standard input is closed"),
    ],
)
def test_closed_streams(words: str, code: int, said: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec '{sys.executable}' -m learnability {words}"],
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.returncode == code
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_an_unbuffered_stream_of_the_caller_stays_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    raw = io.FileIO(tmp_path / "out", "w")
    own = io.TextIOWrapper(raw, write_through=True)  # type: ignore[arg-type]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", own)
        assert cli.run(["list", "metrics", "--json"]) == 0
    gc.collect()
    assert not raw.closed
    assert json.loads((tmp_path / "out").read_bytes())
    own.close()


@pytest.mark.parametrize(
    "arguments", [["list", "metrics", "--json"], ["transform", "--transform", "case", "IN"]]
)
def test_a_full_disk_is_exit_code_1(demo_dev: Path, arguments: list[str]) -> None:
    words = [str(demo_dev) if word == "IN" else word for word in arguments]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "learnability", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        )
    assert done.returncode == 1
    assert b"no space left" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_alone_it_names_three_things_to_do(call: Call) -> None:
    done = call()
    assert (done.code, done.output) == (2, b"")
    decide, clean, harmonise, _, more = done.errors.splitlines()
    assert decide.startswith("decide ")
    assert clean.startswith("clean ")
    assert harmonise.startswith("harmonise ")
    assert more == "All commands: learnability --help"

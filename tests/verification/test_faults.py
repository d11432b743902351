"""Runs that are disturbed: whatever happens, nothing that was computed is lost, no file is half written, and
the same command with --resume ends with the bytes of a run that nothing disturbed."""

from __future__ import annotations

import builtins
import errno
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out
from disturbing import ENVIRONMENT, records_in, start, wait_for_records, workers_of
from small_treebanks import small_treebank
from tally import Tally

from learnability.comparing.options import ExperimentOptions
from learnability.errors import InputError, RunError
from learnability.running.config import as_json_bytes
from learnability.running.folder import CONFIG
from learnability.support.written import INDEX
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Conventions

OPTIONS = ExperimentOptions.spell_annotations(("det",), seeds=1, iterations=1)
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "open")
KILLED, REFUSED, UNEXPECTED = 9, 2, 3


@dataclass
class Step:
    """One thing that a run does to its folder: the `number`-th, a whole operation or the half of a write."""

    number: int
    half: Callable[[], object] | None = None


def watched(out: Path, disturb: Callable[[Step], object]) -> None:
    """In this process, tell of every change of a file in `out`, just before it happens: what is opened for
    writing, written (twice: before, and with half of it in the file), renamed or removed."""
    place, count = str(out), iter(range(1, 1_000_000))

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        path = str(arguments[0]) if arguments else ""
        reads = event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if event in CHANGES and path.startswith(place) and not reads and not path.endswith(".lock"):
            disturb(Step(next(count)))

    class Written:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def __enter__(self) -> Written:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> int:
            def half() -> None:
                self.file.write(data[: len(data) // 2])
                self.file.flush()

            disturb(Step(next(count), half))
            return int(self.file.write(data))

    def opened(path: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
        file = builtins.open(path, mode, *more, **options)  # noqa: SIM115
        return Written(file) if str(path).startswith(place) and mode != "r" else file

    from learnability.running import folder
    from learnability.support import files

    for module in (files, folder):
        module.open = opened  # type: ignore[attr-defined]
    sys.addaudithook(audit)


def forked(work: Callable[[], object]) -> int:
    """Exit code of a process of its own that does this: 0 done, 2 or 1 for one line, 3 for anything else."""
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = UNEXPECTED
    try:
        work()
        code = 0
    except (InputError, RunError) as error:
        code = UNEXPECTED if "\n" in str(error) else REFUSED if isinstance(error, InputError) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_treebank(tmp_path_factory.mktemp("ud"))


@pytest.fixture(scope="module")
def run(small: Path) -> Callable[[Path], object]:
    """A run with a report of two files, which goes on where there is something of it already."""

    def one(out: Path) -> object:
        made = {"report.html": b"report " * 500, "figures/det.svg": b"figure " * 500}
        return carried_out(locate_treebank(small), OPTIONS, out, resume=True, report=lambda _: made)

    return one


def contents(out: Path) -> dict[str, bytes]:
    """Every file but the lock and the records, which have times in them.

    Some files name the folder of the run; of the list of files that were written, with digests of these, only
    the names are kept.
    """
    others = (".lock", "records.jsonl")
    place, found = str(out).encode(), {}
    for path in out.rglob("*"):
        if path.is_file() and path.name not in others:
            data = path.read_bytes().replace(place, b"run")
            names = sorted(json.loads(data)) if path.name == INDEX else []
            found[path.relative_to(out).as_posix()] = repr(names).encode() if names else data
    return found


@pytest.fixture(scope="module")
def undisturbed(run: Callable[[Path], object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    run(out)
    return out


def steps_of(run: Callable[[Path], object], out: Path) -> int:
    """How many steps a run takes; its folder is removed."""
    reader, writer = os.pipe()

    def counted() -> None:
        watched(out, lambda step: os.write(writer, b"."))
        run(out)

    assert forked(counted) == 0
    shutil.rmtree(out)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        return len(told.read())


def resumed(
    tally: Tally, run: Callable[[Path], object], out: Path, undisturbed: Path, *where: object
) -> None:
    """After a disturbance: the files that are there are whole, and the resumed run is as good as any."""
    whole = contents(undisturbed)
    before = contents(out) if out.exists() else {}
    shown = {name: data for name, data in before.items() if not name.endswith(".tmp")}
    if CONFIG in shown:  # it says what is finished as soon as it is
        complete = json.loads(whole[CONFIG])
        unfinished = {**complete, "finished": {}}
        began = as_json_bytes(unfinished), as_json_bytes({**unfinished, "records": 1})
        tally.true(shown.pop(CONFIG) in (whole[CONFIG], *began), *where, "the configuration is not whole")
    tally.true(all(whole.get(name) == data for name, data in shown.items()), *where, "a file is not whole")
    records = out / "records.jsonl"
    kept = records.read_bytes() if records.exists() else b""
    tally.same(forked(lambda: run(out)), 0, *where, "resumed")
    tally.same(contents(out).keys(), whole.keys(), *where, "files")
    tally.true(contents(out) == whole, *where, "other bytes")
    tally.true(records.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1]), *where, "a record was lost")
    tally.same(records_in(out), records_in(undisturbed), *where, "records")
    shutil.rmtree(out)


@pytest.mark.parametrize("half", [False, True], ids=["before it", "in the middle"])
def test_killed_at_every_write(
    tally: Tally, run: Callable[[Path], object], undisturbed: Path, tmp_path: Path, half: bool
) -> None:
    """Killed at every change of a file, and resumed"""
    out = tmp_path / "run"
    steps = steps_of(run, out)
    assert steps > 20
    for number in range(1, steps + 1):

        def killed(step: Step, number: int = number) -> None:
            if step.number == number and (step.half or not half):
                if half and step.half:
                    step.half()
                os._exit(KILLED)

        code = forked(lambda killed=killed: (watched(out, killed), run(out)))
        if code == 0 and half:
            shutil.rmtree(out)  # not a write
            continue
        tally.same(code, KILLED, number)
        resumed(tally, run, out, undisturbed, "killed at", number)


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EROFS"])
def test_nothing_can_be_written(
    tally: Tally, run: Callable[[Path], object], undisturbed: Path, tmp_path: Path, error: str
) -> None:
    """From every change of a file on none succeeds (disk full, broken, read-only); one line, then resumed"""
    out = tmp_path / "run"
    steps = steps_of(run, out)
    number = getattr(errno, error)
    for first in range(1, steps + 1, 2):

        def fails(step: Step, first: int = first) -> None:
            if step.number == first and step.half:
                step.half()
            if step.number >= first:
                raise OSError(number, os.strerror(number))

        code = forked(lambda fails=fails: (watched(out, fails), run(out)))
        tally.true(code in (1, REFUSED), error, "from", first, "exit code", code)
        resumed(tally, run, out, undisturbed, error, "from", first)


def test_two_on_one_folder(
    tally: Tally, run: Callable[[Path], object], undisturbed: Path, tmp_path: Path
) -> None:
    """At every change of a file a second process tries the same folder: refused, the first undisturbed"""
    out = tmp_path / "run"
    reader, writer = os.pipe()

    def second(step: Step) -> None:
        if step.number > 3 and not inside:  # the first make the folder, and lock it
            inside.append(True)
            os.write(writer, bytes([forked(lambda: run(out))]))
            inside.clear()

    inside: list[bool] = []
    tally.same(forked(lambda: (watched(out, second), run(out))), 0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        codes = told.read()
    for code in codes:
        tally.same(code, REFUSED)
    assert len(codes) > 20
    tally.true(contents(out) == contents(undisturbed))


def test_the_clock_goes_backwards(
    tally: Tally, run: Callable[[Path], object], undisturbed: Path, tmp_path: Path
) -> None:
    """Clocks that jump to and fro by days"""
    out = tmp_path / "run"

    def confused() -> None:
        jumps = iter(range(1, 10**9))
        for name in ("time", "monotonic", "perf_counter", "process_time"):
            clock = getattr(time, name)
            setattr(time, name, lambda clock=clock: clock() + (-1) ** next(jumps) * 86_400)
        run(out)

    tally.same(forked(confused), 0)
    tally.true(contents(out) == contents(undisturbed))


ARGUMENTS = ("--transform", "det", "--seeds", "2", "--iterations", "40", "--jobs", "2")


def finish(small: Path, out: Path, **environment: str) -> tuple[int, bytes]:
    with start(
        "run", "--test-set", "--treebank", small, "--out", out, *ARGUMENTS, "--resume", **environment
    ) as process:
        _, errors = process.communicate()
        return process.returncode, errors


@pytest.fixture(scope="module")
def finished(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole command in two processes, as one of any user."""
    out = tmp_path_factory.mktemp("finished") / "run"
    assert finish(small, out) == (0, b"")
    return out


def alive(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, own, *_ = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(own) == session and state != "Z":
            found.append(int(place.name))
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="no /proc")
@pytest.mark.parametrize("name", ["worker lost", "SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
def test_processes_end(tally: Tally, small: Path, finished: Path, tmp_path: Path, name: str) -> None:
    """A signal to a run in two processes: exit code, one line, workers gone within 5 seconds, resumed"""
    out = tmp_path / "run"
    # what runs in the background ignores interrupts, and so would its children
    default = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with start("run", "--test-set", "--treebank", small, "--out", out, *ARGUMENTS, **default) as process:
        assert wait_for_records(process, out, 2)
        if name == "worker lost":
            os.kill(workers_of(process)[0], signal.SIGKILL)
            expected, said = 0, ""
        else:
            number = signal.Signals[name]
            (os.kill if name == "SIGKILL" else os.killpg)(process.pid, number)
            lines = {"SIGTERM": "terminated", "SIGHUP": "hung up", "SIGINT": "interrupted"}
            said = f"learnability: {lines[name]}; " if name in lines else ""
            expected = -number if name == "SIGKILL" else 128 + number
        code = process.wait()
        since = time.monotonic()
        while alive(process.pid) and time.monotonic() < since + 5:
            time.sleep(0.05)
        tally.same(alive(process.pid), [], "still there")
        assert process.stderr is not None
        message = process.stderr.read().decode()
        tally.true(message.startswith(said) and message.count("\n") == bool(said))
        tally.same(code, expected)
    kept = (out / "records.jsonl").read_bytes()
    tally.same(finish(small, out), (0, b""))
    tally.true((out / "records.jsonl").read_bytes().startswith(kept[: kept.rfind(b"\n") + 1]))
    tally.true(contents(out) == contents(finished))


@pytest.mark.parametrize(
    "where", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"}],
    ids=["C", "tr_TR, Kiritimati"],
)  # fmt: skip
def test_another_place(
    tally: Tally, small: Path, finished: Path, tmp_path: Path, where: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The same bytes under another locale, time zone and hash seed"""
    for name, value in {**where, "PYTHONHASHSEED": "7"}.items():
        monkeypatch.setitem(ENVIRONMENT, name, value)
    tally.same(finish(small, tmp_path / "run"), (0, b""))
    tally.true(contents(tmp_path / "run") == contents(finished))


def shapes(n: int) -> Iterator[tuple[str, list[int]]]:
    """Heads of n words: all on one, a chain, a chain that crosses itself all along."""
    yield "flat", [0, *[1] * (n - 1)]
    yield "deep", list(range(n))
    order = [
        word for pair in zip(range(1, n // 2 + 1), range(n // 2 + 1, n + 1), strict=True) for word in pair
    ]
    heads = {after: before for before, after in zip([0, *order], order, strict=False)}
    yield "crossing", [heads[word] for word in range(1, n + 1)]


@pytest.mark.parametrize("words", [100, 1000])
def test_one_sentence_does_not_take_the_machine(tally: Tally, tmp_path: Path, words: int) -> None:
    """References, lifting, transforming there and back of one sentence; processor seconds at most: words"""
    from learnability.multiref.references import reference_set
    from learnability.parsing.projectivity import is_projective, projectivize
    from learnability.transforms.joint import JointTransformation
    from learnability.transforms.registry import TRANSFORMATIONS, get_transformation

    labels = ("case", "det", "mark", "cop", "aux", "conj", "cc", "fixed", "flat:name", "nsubj", "punct")
    every = JointTransformation([get_transformation(name, Conventions(2)) for name in TRANSFORMATIONS])
    for shape, heads in shapes(words):
        for deprels in (labels, ("case",), ("conj", "cc")):
            rows = (
                f"{i}\tw\tw\tNOUN\t_\t_\t{head}\t{deprels[i % len(deprels)] if head else 'root'}\t_\t_\n"
                for i, head in enumerate(heads, start=1)
            )
            path = tmp_path / "one.conllu"
            path.write_text("".join([*rows, "\n"]))
            tree = read_conllu(path).sentences[0].tree
            before = time.process_time()
            changed = every.apply(tree)
            every.invert(changed)
            found = reference_set(tree, every, max_options=16)
            tally.true(is_projective(projectivize(heads)), shape, deprels)
            tally.true(time.process_time() - before < words * words / 50_000 + 5, shape, deprels, "took long")
            ends = {choice: other.heads for choice, other in found.enumerate(2)}
            tally.same(ends[()], tree.heads, shape, deprels)
            if len(ends) == 2 and len(found.factors) == 1:
                tally.same(ends[tuple(every.places(tree))], changed.heads, shape, deprels)

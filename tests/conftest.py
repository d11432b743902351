"""Fixtures shared by all tests: real and small treebanks, and deterministic property tests."""

from __future__ import annotations

import gc
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from invoking import DEMO, PACKAGE, Call, Result, without_progress
from small_treebanks import small_treebank

from learnability import cli
from learnability.comparing import fold
from learnability.parsing import jit
from learnability.reports import figures
from learnability.running import versions, workers
from learnability.support import signals
from learnability.treebanks.locate import TreebankFiles, locate_treebank

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes import the package
sys.dont_write_bytecode = False  # workers share the rewritten tests
os.environ.pop("COLUMNS", None)  # pytest-xdist sets it, and pipes are as wide as it says

settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", parent=settings.get_profile("deterministic"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "deterministic"))

collect_ignore = ["verification"]
"""Not collected unless it is named: `python -m pytest tests/verification`."""

LONGEST = (
    "tests/parsing/test_training.py",
    "tests/transforms/test_transformation_properties.py",
    "tests/multiref/test_multiref_training.py",
    "tests/docs/test_page_examples.py",
    "tests/studies/test_runner.py",
    "tests/extensions/doubts/test_doubts_study.py",
    "tests/extensions/harmonise/test_harmonise_study.py",
)
"""The files that take longest: begun first, so that no worker is left alone with one of them at the
end. Those that compile most kernels do not begin together: one worker would wait for the other."""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """No bytes in the names of tests: where they hold the time of day, processes would collect others."""
    return argname if isinstance(val, bytes) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--renew-texts` writes what commands say now to tests/data/texts; read the difference."""
    parser.addoption("--renew-texts", action="store_true", help="store what commands say now")


def pytest_configure(config: pytest.Config) -> None:
    """Every second worker collects from the end: it reads the tests that others have rewritten by then."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and int(worker.removeprefix("gw")) % 2:
        folder = Path(__file__).parent
        config.args = sorted((str(path) for path in folder.iterdir() if is_collected(path)), reverse=True)


def is_collected(path: Path) -> bool:
    """Whether tests are looked for in this file or folder beside this file."""
    tests = path.glob("**/test_*.py") if path.is_dir() else [path] if path.match("test_*.py") else []
    return path.name not in collect_ignore and any(tests)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Workers take files in this order (`--no-loadscope-reorder`)."""
    order = {path: place for place, path in enumerate(LONGEST)}

    def place(item: pytest.Item) -> tuple[int, str]:
        path, _, _ = item.nodeid.partition("::")
        return order.get(path, len(order)), path

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def garbage_is_rare() -> Iterator[None]:
    """Nobody looks for garbage among all tests after every 700 objects, nor a run after each treebank."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "collect_garbage", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_here() -> Iterator[None]:
    """A run of one process compiles in it: another would have to start first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "compiling_processes", lambda jobs: jobs)
        yield


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kernels run as Python, which sees the same faults and is done sooner than they are compiled.

    `test_without_compilation_everything_is_the_same`, a slow test, compares both.
    """
    monkeypatch.setattr(jit._Kernel, "__call__", lambda kernel, *arguments: kernel.__wrapped__(*arguments))
    with np.errstate(over="ignore"):  # keys are sums modulo 2^64
        yield


@pytest.fixture
def interpreted_unless_usual(request: pytest.FixtureRequest) -> None:
    """Kernels of a system run as Python, except arc-eager's, which many tests need compiled."""
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if not str(parameters.get("name", "")).startswith("arc-eager"):
        request.getfixturevalue("interpreted")


@pytest.fixture(scope="session", autouse=True)
def versions_read_once() -> Iterator[None]:
    """Which libraries are installed is read once, not for each run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(versions, "version_of", cache(versions.version_of))
        yield


@pytest.fixture(scope="session", autouse=True)
def unsynchronized() -> Iterator[None]:
    """No test turns the power off: what this process writes need not have reached the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def few_proposals_checked() -> Iterator[None]:
    """Few proposals of a list of doubts are checked, none by the official validator unless a test wants it.

    Thousands took most of the time of the tests of doubts.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("learnability.treebanks.sentence_checks.SentenceChecker.VALIDATED", 0)
        patch.setattr("learnability.treebanks.sentence_checks.SentenceChecker.CHECKED", 100)
        yield


REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def working_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The empty folder that all tests and fixtures work in, wherever pytest was started."""
    folder = tmp_path_factory.mktemp("working")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.fixture(autouse=True)
def empty_working_folder(working_folder: Path) -> Iterator[None]:
    """A test changes the folder for itself only, and leaves nothing where the next one works."""
    before = Path.cwd()  # a fixture of the module may have changed it
    yield
    after = Path.cwd()
    os.chdir(before)
    left = list(working_folder.iterdir())
    for path in left:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert after == before
    assert not left


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """What an interrupted command keeps is said by the next one in this process, were it not forgotten."""
    with pytest.MonkeyPatch.context() as patch:  # the fixture `monkeypatch` would end after the check above
        patch.setattr(signals, "_kept", [])
        yield


@pytest.fixture(scope="session")
def ud_home() -> Path:
    """The folder of the real treebanks: LEARNABILITY_UD_HOME, else ../shared/ud beside the repository."""
    given = os.environ.get("LEARNABILITY_UD_HOME")
    home = (REPOSITORY / given if given else REPOSITORY.parent / "shared" / "ud").resolve()
    if not home.is_dir():
        pytest.skip(f"no real treebanks: {home} is no folder; set LEARNABILITY_UD_HOME")
    return home


@pytest.fixture(scope="session")
def thorough() -> bool:
    """Whether long tests look at every sentence of the real treebanks, or at a part of them."""
    return os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


@pytest.fixture(scope="session")
def ud_files(ud_home: Path) -> list[Path]:
    """All CoNLL-U files below `ud_home`, sorted."""
    files = sorted(ud_home.rglob("*.conllu"))
    if not files:
        pytest.skip(f"no real treebanks: {ud_home} holds no *.conllu; set LEARNABILITY_UD_HOME")
    return files


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a treebank small enough to be run many times."""
    return small_treebank(tmp_path_factory.mktemp("ud"))


@pytest.fixture
def small_files(small: Path) -> TreebankFiles:
    """The files of the small treebank."""
    return locate_treebank(small)


def empty_picture(width: float, height: float, *_: object) -> tuple[bytes, str]:
    """A picture of so many inches with nothing in it, and no letter that a font lacks."""
    wide, high = 72 * width, 72 * height
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}pt" height="{high}pt" '
        f'viewBox="0 0 {wide} {high}"></svg>'
    )
    return svg.encode(), ""


@pytest.fixture(scope="module", autouse=True)
def undrawn_figures(request: pytest.FixtureRequest) -> Iterator[None]:
    """The figures of runs are left empty, except where `figures` is marked or `drawn_figures` is asked for.

    Drawing them took most of the time of the tests that run something in this process.
    """
    if "verification" in request.path.parts or request.node.get_closest_marker("figures"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "_save", empty_picture)
        yield


@pytest.fixture
def drawn_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures of runs are drawn in a test."""
    monkeypatch.setattr(figures, "_save", drawn)


drawn = figures._save


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

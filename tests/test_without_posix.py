"""Where a call needs POSIX, other systems have another way: each is taken here, with POSIX out of sight."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from invoking import PACKAGE
from other_systems import find_posix_calls, take_posix_away

from learnability.running import processes, workforce
from learnability.support import cache, memory, programs, signals

BRANCHES = {
    ("running/processes.py", "signal.SIGHUP"): "test_nothing_tracks_semaphores",
    ("running/processes.py", "signal.SIG_BLOCK"): "test_nothing_tracks_semaphores",
    ("running/processes.py", "signal.SIG_SETMASK"): "test_nothing_tracks_semaphores",
    ("running/processes.py", "signal.pthread_sigmask"): "test_nothing_tracks_semaphores",
    ("running/workforce.py", "os.sched_getaffinity"): "test_every_processor_counts",
    ("support/cache.py", "os.getuid"): "test_compiled_code_has_a_folder",
    ("support/memory.py", "resource"): "test_memory_is_known",
}
"""What only POSIX has, by file, and the test here that goes the other way."""

RESERVED = re.compile(r"(aux|con|nul|prn|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""


def test_each_call_that_only_posix_has_has_another_way() -> None:
    assert set(find_posix_calls(PACKAGE)) == set(BRANCHES)
    assert set(BRANCHES.values()) <= set(globals())


def test_windows_can_hold_every_file_of_the_project() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PACKAGE.parent, capture_output=True, check=False)
    paths = [path for path in listed.stdout.decode().split("\0") if path]
    if not paths:
        pytest.skip("this copy is not a git repository: its files are not listed")
    for path in paths:
        for name in path.split("/"):
            assert not RESERVED.fullmatch(name), path
            assert not re.search(r'[<>:"|?*\\]|[. ]$', name), path
    assert len({path.lower() for path in paths}) == len(paths)


def test_a_worker_sees_its_parent_end(monkeypatch: pytest.MonkeyPatch) -> None:
    take_posix_away(monkeypatch, processes)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert processes.is_running(other.pid)
        other.communicate(b"\n")
    assert not processes.is_running(other.pid)


def test_nothing_tracks_semaphores(monkeypatch: pytest.MonkeyPatch) -> None:
    take_posix_away(monkeypatch, processes)
    before = psutil.Process().children()
    processes.start_trackers()
    assert psutil.Process().children() == before


def test_every_processor_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    take_posix_away(monkeypatch, workforce)
    assert workforce.default_jobs() == os.cpu_count()


def test_compiled_code_has_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    take_posix_away(monkeypatch, cache)
    assert cache.cache_folder("kernels", preferred=str(tmp_path)) == tmp_path


def test_memory_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with_posix = memory.peak_memory()
    take_posix_away(monkeypatch, memory)
    assert memory.peak_memory() == pytest.approx(with_posix, rel=0.5)


def test_signals_that_are_not_there_are_not_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without SIGHUP, the two others end a command."""
    take_posix_away(monkeypatch, signals)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    wakeup = signal.set_wakeup_fd(-1)
    try:
        for number in handlers:
            signal.signal(number, signal.SIG_DFL)
        signals.handle_signals(print)
        handled = [number for number in handlers if signal.getsignal(number) != signal.SIG_DFL]
        assert handled == [signal.SIGINT, signal.SIGTERM]
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in handlers.items():
            signal.signal(number, handler)


STARTS_ANOTHER = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', {0!r}]); {0}"
SLEEPS = "import time; open({!r}, 'a').write('begun '); time.sleep(60)"


def test_a_program_ends_with_those_that_it_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    take_posix_away(monkeypatch, programs)
    note = tmp_path / "note"
    begun = time.monotonic()
    code = STARTS_ANOTHER.format(SLEEPS.format(str(note)))
    problem = programs.run_command(("python", "-c", code), {}, tmp_path, tmp_path / "log", time_limit=3)
    assert problem == "took longer than 3 seconds (time_limit)"
    assert note.read_text() == "begun begun "
    assert time.monotonic() - begun < 30
    running = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert not [words for words in running if str(note) in " ".join(words)]
    assert any("children" in word for word in programs._guard_of(1)), "the guard asks for no process group"


def test_a_program_that_ends_by_itself_is_not_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    take_posix_away(monkeypatch, programs)
    command = ("python", "-c", "print('done')")
    assert programs.run_command(command, {}, tmp_path, tmp_path / "log", time_limit=60) == ""
    assert (tmp_path / "log").read_text() == "done\n"

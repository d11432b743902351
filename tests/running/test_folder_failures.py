"""The folder of a run: what a kill, a full disk or a second run can do to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from run_folders import config, finished, record, records, unfinished

import learnability
from learnability.errors import InputError, RunError
from learnability.running.folder import RunFolder, is_finished
from learnability.running.records import Record, encode

SOURCE = str(Path(learnability.__file__).parent.parent)


def test_a_run_that_is_extended_loses_the_line_that_a_kill_left_unfinished(tmp_path: Path) -> None:
    run = finished(tmp_path, record("1"))
    whole = run.records.read_bytes()
    run.records.write_bytes(whole + encode(record("2"))[:-3])
    run.extend(config(studies={"run": {}, "joint": {}}))
    assert run.records.read_bytes() == whole


def test_a_study_that_failed_leaves_the_run_unfinished(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    run.begin(config(studies={"run": {}, "joint": {}}), resume=False)
    run.complete({"run": {"results.csv": b"old\n"}})
    assert not is_finished(tmp_path)
    with pytest.raises(InputError, match="holds an unfinished run"):
        RunFolder(tmp_path).check(resume=False)


HOLD = """
import sys, time
from pathlib import Path
from learnability.running.folder import RunFolder
with RunFolder(Path(sys.argv[1])).lock_folder():
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_refused_while_the_first_lives_and_a_killed_one_blocks_nobody(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SOURCE},
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"locked\n"
        with (
            pytest.raises(InputError, match=r"another command is writing to .*; wait until it ends"),
            RunFolder(tmp_path).lock_folder(),
        ):
            pass
        first.send_signal(signal.SIGKILL)
        first.wait()
    with RunFolder(tmp_path).lock_folder():
        pass


@pytest.mark.parametrize("place", ["file/run", "file"])
def test_an_unwritable_folder_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    message = r"cannot be written \(.+\); choose another `out`"
    with pytest.raises(InputError, match=message), RunFolder(tmp_path / place).lock_folder():
        pass


FILL = """
import resource, signal, sys
from pathlib import Path
from learnability.errors import RunError
from learnability.running.folder import RunFolder
run = RunFolder(Path(sys.argv[1]))
run.work = run.folder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = (run.work / "records.jsonl").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))
try:
    run.append(b"x" * 1000)
except RunError as error:
    print(error)
"""


def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    run = unfinished(tmp_path, record("1"))
    before = (tmp_path / "records.jsonl").read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert "cannot be written (file too large); all finished trainings are kept" in done.stdout
    assert (tmp_path / "records.jsonl").read_bytes() == before
    assert records(run) == [record("1")]


def test_appending_fails_with_one_line(tmp_path: Path) -> None:
    run = unfinished(tmp_path)
    run.work = tmp_path / "gone"
    with pytest.raises(RunError, match=r"no such file or directory.*`resume=True`"):
        run.append(encode(record("1")))


def fail_in(folder: RunFolder, error: Exception, *lines: Record) -> None:
    with folder.lock_folder():
        (folder.folder / "config.json").write_text("{}")
        for one in lines:
            folder.append(encode(one))
        raise error


def test_a_run_that_fails_before_its_first_record_leaves_nothing(tmp_path: Path) -> None:
    """The corrected command must not be told of an unfinished run."""
    with pytest.raises(InputError, match="no scheduler"):
        fail_in(RunFolder(tmp_path / "new"), InputError("no scheduler answers"))
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine.txt").write_text("kept")
    with pytest.raises(InputError, match="no scheduler"):
        fail_in(RunFolder(tmp_path / "old"), InputError("no scheduler answers"))
    assert (tmp_path / "old" / "mine.txt").read_text() == "kept"
    assert not (tmp_path / "old" / "config.json").exists()


def test_a_run_that_fails_after_a_record_keeps_it(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="worker"):
        fail_in(RunFolder(tmp_path / "new"), RuntimeError("worker"), record("a"))
    assert (tmp_path / "new" / "config.json").exists()
    assert (tmp_path / "new" / "records.jsonl").read_bytes() == encode(record("a"))


def test_temporary_files_of_a_killed_run_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for place in (".", "figures", ".next/figures"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        for name in (".det.svg.0a1b2c3d.tmp", "det.svg", ".mine.tmp"):
            (tmp_path / place / name).write_bytes(b"")
    with RunFolder(tmp_path).lock_folder():
        pass
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {".lock", "det.svg", ".mine.tmp"}

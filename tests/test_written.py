"""Files that a user has changed are not replaced; those that a killed program left are."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnability import InputError
from learnability.support import written
from learnability.support.files import write_atomically
from learnability.support.written import INDEX, WrittenFiles

FIRST = {"a.csv": b"1\n", "sub/b.csv": b"2\n"}
SECOND = {"a.csv": b"3\n", "sub/b.csv": b"4\n", "c.csv": b"5\n"}


def test_what_was_written_is_replaced_and_what_was_changed_is_not(tmp_path: Path) -> None:
    files = WrittenFiles(tmp_path)
    files.write(FIRST)
    files.check()
    files.write(SECOND)
    files.check()
    assert {name: (tmp_path / name).read_bytes() for name in SECOND} == SECOND
    (tmp_path / "sub" / "b.csv").write_bytes(b"mine\n")
    with pytest.raises(
        InputError, match=r"sub/b.csv has changed since we wrote it; rename it to keep it, or"
    ):
        files.check()
    with pytest.raises(InputError, match=r"sub/b.csv is not as we wrote it; rename it"):
        files.write(FIRST)
    assert (tmp_path / "a.csv").read_bytes() == SECOND["a.csv"]  # nothing is written before all are checked
    files.write(FIRST, replace=True)
    files.check()
    assert (tmp_path / "sub" / "b.csv").read_bytes() == FIRST["sub/b.csv"]


def test_renamed_and_removed_files_are_no_hindrance(tmp_path: Path) -> None:
    files = WrittenFiles(tmp_path)
    files.write(FIRST)
    (tmp_path / "a.csv").write_bytes(b"mine\n")
    (tmp_path / "a.csv").rename(tmp_path / "mine.csv")
    (tmp_path / "sub" / "b.csv").unlink()
    files.check()
    files.write(FIRST)
    assert (tmp_path / "a.csv").read_bytes() == FIRST["a.csv"]
    assert (tmp_path / "mine.csv").read_bytes() == b"mine\n"


def test_a_file_that_was_there_before_is_a_users(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"mine\n")
    files = WrittenFiles(tmp_path)
    with pytest.raises(InputError, match=r"a.csv is not as we wrote it"):
        files.write(FIRST)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]
    files.write(FIRST, known={"a.csv"})  # the run says that it wrote it
    assert (tmp_path / "a.csv").read_bytes() == FIRST["a.csv"]
    (tmp_path / "c.csv").write_bytes(SECOND["c.csv"])
    files.write(SECOND)  # the same bytes: nothing is lost


@pytest.mark.parametrize("stop", range(5))
def test_a_killed_program_takes_no_file_of_its_own_for_a_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    files = WrittenFiles(tmp_path)
    files.write(FIRST)
    calls = []

    def stopping(path: Path, data: bytes) -> None:
        calls.append(path)
        if len(calls) > stop:
            raise KeyboardInterrupt
        write_atomically(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(written, "write_atomically", stopping)
        with pytest.raises(KeyboardInterrupt):
            files.write(SECOND)
    files.check()
    files.write(SECOND)
    files.check()
    (tmp_path / "a.csv").write_bytes(FIRST["a.csv"])  # what it was before is a change, too
    with pytest.raises(InputError, match=r"a\.csv"):
        files.check()


def test_removed_files_are_forgotten(tmp_path: Path) -> None:
    files = WrittenFiles(tmp_path)
    files.write(FIRST)
    files.remove(["a.csv", "never.csv"])
    assert not (tmp_path / "a.csv").exists()
    (tmp_path / "a.csv").write_bytes(b"mine\n")
    files.check()


@pytest.mark.parametrize("text", ["", "[", "[]", "3", '{"a.csv": 3}'])
def test_an_index_of_another_form_says_nothing(tmp_path: Path, text: str) -> None:
    files = WrittenFiles(tmp_path)
    files.write(FIRST)
    (tmp_path / INDEX).write_text(text, encoding="utf-8")
    (tmp_path / "a.csv").write_bytes(b"mine\n")
    files.check()

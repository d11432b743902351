from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from learnability.errors import InputError, RunError
from learnability.support.cache import cache_folder
from learnability.support.files import (
    check_replaceable,
    check_writable,
    file_atomically,
    folder_atomically,
    made_folder,
    write_atomically,
)

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def test_the_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with file_atomically(target) as write:
        write(b"new ")
        assert target.read_bytes() == b"old"
        write(b"text")
    assert target.read_bytes() == b"new text"
    assert os.listdir(tmp_path) == ["out"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")

    def fail_half_way() -> None:
        with file_atomically(target) as write:
            write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail_half_way()
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"")
    target.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(target)
    write_atomically(link, b"text")
    assert link.is_symlink()
    assert target.read_bytes() == b"text"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("place", ["missing/out", "file/out", "folder", "x" * 300])
def test_a_path_where_nothing_can_be_written_is_wrong_input(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    before = sorted(os.listdir(tmp_path))
    for function in (lambda path: write_atomically(path, b"x"), check_writable):
        with pytest.raises(InputError, match="cannot be written") as error:
            function(tmp_path / place)
        assert "\n" not in str(error.value)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_a_folder_without_permission_is_wrong_input(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="permission denied"):
        write_atomically(tmp_path / "out", b"x")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_a_failure_of_the_work() -> None:
    with pytest.raises(RunError, match="no space left"):
        write_atomically("/dev/full", b"x")


def test_a_device_is_written_to_directly() -> None:
    check_writable(os.devnull)
    write_atomically(os.devnull, b"x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_checking_leaves_no_trace(tmp_path: Path) -> None:
    check_writable(tmp_path / "out")
    assert os.listdir(tmp_path) == []


def test_the_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    with folder_atomically(target) as folder:
        (folder / "file").write_bytes(b"1")
        assert not target.exists()
    assert (target / "file").read_bytes() == b"1"
    assert os.listdir(tmp_path / "a") == ["b"]
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(target.parent.stat().st_mode)


def test_an_earlier_output_is_replaced_as_a_whole(tmp_path: Path) -> None:
    for text in (b"1", b"2"):
        with folder_atomically(tmp_path / "out") as folder:
            (folder / "file").write_bytes(text)
    assert (tmp_path / "out" / "file").read_bytes() == b"2"
    assert os.listdir(tmp_path) == ["out"]


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_bytes(b"precious")
    with pytest.raises(InputError, match="mine"), folder_atomically(tmp_path / "out") as folder:
        (folder / "file").write_bytes(b"1")
    assert os.listdir(tmp_path / "out") == ["mine"]
    assert os.listdir(tmp_path) == ["out"]


def test_an_error_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyError), folder_atomically(tmp_path / "out"):
        raise KeyError
    assert os.listdir(tmp_path) == []


def test_a_file_in_the_place_of_a_folder_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"")
    for place in ("out", "out/deeper"):
        with pytest.raises(InputError, match="cannot be written"), folder_atomically(tmp_path / place):
            pass


def test_compiled_code_has_a_folder_that_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    assert cache_folder("kernels", "1") == tmp_path / "cache" / "learnability" / "kernels" / "1"
    assert cache_folder("kernels", "1", str(tmp_path / "other")) == tmp_path / "other" / "1"
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    folder = cache_folder("programs")
    assert folder.parent == tmp_path / "temporary"
    assert folder.is_dir()


def test_folders_that_stay_empty_are_removed(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    check_replaceable(deep, ())
    assert not (tmp_path / "a").exists()
    with pytest.raises(KeyError), folder_atomically(deep):
        raise KeyError
    assert not (tmp_path / "a").exists()
    with pytest.raises(KeyError), made_folder(deep):
        raise KeyError
    assert not (tmp_path / "a").exists()
    (tmp_path / "a").mkdir()

    def keep_one_file() -> None:
        with made_folder(deep) as folder:
            (folder.parent / "kept").touch()
            raise KeyError

    with pytest.raises(KeyError):
        keep_one_file()
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == [
        "a",
        "a/b",
        "a/b/kept",
    ]
    with made_folder(deep):
        pass
    assert deep.is_dir()

"""Write files and folders so that they appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from learnability.errors import WRONG_PATH, InputError, RunError, reason_of

Write = Callable[[bytes], object]


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`: the file is then complete, or unchanged (see :func:`file_atomically`)."""
    with file_atomically(path) as write:
        write(data)


@contextlib.contextmanager
def file_atomically(path: str | os.PathLike[str]) -> Iterator[Write]:
    """Yield a function that appends bytes to a file; the file appears as `path` when the block ends.

    Until the block ends without error, the bytes are in a temporary file in the same folder. If `path` is a
    link, the file that it points to is replaced. An existing file keeps its permissions. A device or a pipe
    is written to directly.

    Raises:
        InputError: nothing can be written at this path (missing folder, no permission).
        RunError: writing failed, for example because the disk is full.
    """
    target = Path(os.path.realpath(path))
    special = _is_special(target)
    with _explain_errors(path):
        mode = None if special else _permissions(target)
        temporary = target if special else _temporary_name(target)
        file = open(temporary, "wb" if special else "xb")  # noqa: SIM115 (closed below, before the rename)

    def write(data: bytes) -> None:
        with _explain_errors(path):
            file.write(data)

    try:
        yield write
        with _explain_errors(path):
            file.flush()
            if not special:
                os.fsync(file.fileno())
            file.close()
            if mode is not None:
                os.chmod(temporary, mode)
            if not special:
                os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            file.close()
        if not special:
            with contextlib.suppress(OSError):  # failing to clean up must not hide the first error
                temporary.unlink(missing_ok=True)
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check before long work that :func:`file_atomically` can write at `path`."""
    target = Path(os.path.realpath(path))
    if _is_special(target):
        return
    with _explain_errors(path):
        _permissions(target)
        temporary = _temporary_name(target)
        with open(temporary, "xb"):
            pass
        temporary.unlink()


def as_name(spec: str) -> str:
    """Return a transformation or scheme for a file name: ``case-lemma-not-de`` for ``case:lemma!=de``."""
    return re.sub(r"\W+", "-", spec.replace("!=", "-not-")).strip("-")


@contextlib.contextmanager
def made_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a folder, with those above it; of the new ones, remove the empty ones if the block fails."""
    folder = Path(os.path.realpath(path))
    new = missing_folders(folder)
    with _explain_errors(path):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield Path(path)
    except BaseException:
        remove_empty(new)
        raise


def missing_folders(folder: Path) -> list[Path]:
    return [place for place in (folder, *folder.parents) if not place.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def check_replaceable(path: str | os.PathLike[str], names: Collection[str]) -> None:
    """Check before long work that :func:`folder_atomically` can write a folder at `path`, else InputError."""
    target = Path(os.path.realpath(path))
    with _explain_errors(path):
        if target.exists() and not target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "is a file")
        _refuse_others(target, names, path)
        above = next(place for place in target.parents if place.exists())
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=above):
            pass


@contextlib.contextmanager
def folder_atomically(path: str | os.PathLike[str], replaces: Collection[str] = ()) -> Iterator[Path]:
    """Yield a new empty folder to fill, which gets its name `path` when the block ends without an error.

    An existing folder is replaced only if all its files have the name of a file in the new one, or one of
    `replaces`.

    Raises:
        InputError: the path cannot be written, or the existing folder holds other files.
        RunError: writing failed, for example because the disk is full.
    """
    target = Path(os.path.realpath(path))
    new = missing_folders(target.parent)
    with _explain_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "is a file")
        work = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent))
    try:
        with _explain_errors(path):
            # mkdtemp makes folders private; outputs get the permissions of any other new folder
            mask = os.umask(0)
            os.umask(mask)
            work.chmod(0o777 & ~mask)
        yield work
        with _explain_errors(path):
            _put_in_place(work, target, path, replaces)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        remove_empty(new)


def _refuse_others(target: Path, names: Collection[str], path: str | os.PathLike[str]) -> None:
    others = sorted(set(os.listdir(target)) - set(names)) if target.exists() else []
    if others:
        raise InputError(
            f"the folder {os.fspath(path)} exists and holds other files ({', '.join(others[:3])}); "
            "choose another path"
        )


def _put_in_place(work: Path, target: Path, path: str | os.PathLike[str], replaces: Collection[str]) -> None:
    if not target.exists():
        os.rename(work, target)
        return
    _refuse_others(target, {*os.listdir(work), *replaces}, path)
    old = _temporary_name(target)
    os.rename(target, old)
    try:
        os.rename(work, target)
    except OSError:
        os.rename(old, target)
        raise
    shutil.rmtree(old)


def _is_special(target: Path) -> bool:
    try:
        return target.exists() and not target.is_file() and not target.is_dir()
    except OSError:
        return False


def _permissions(target: Path) -> int | None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if target.is_symlink():  # still a link after it was resolved: it points to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not target.exists():
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "permission denied")
    return target.stat().st_mode & 0o7777


def _temporary_name(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")


def remove_temporary(folder: Path) -> None:
    """Remove the temporary files that a killed process left in `folder`, to which no other process is
    writing."""
    for path in folder.glob(".*.tmp"):
        if re.fullmatch(r"\..+\.[0-9a-f]{8}\.tmp", path.name):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _explain_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = reason_of(error)
        if error.errno in WRONG_PATH:
            raise InputError(f"{os.fspath(path)} cannot be written ({reason}); choose another path") from None
        raise RunError(f"writing {os.fspath(path)} failed ({reason}); no partial file remains") from None

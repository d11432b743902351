"""Treebanks out of an archive. Archives are data from elsewhere: nothing in them is believed.

Taken are only regular files, by name: CoNLL-U, licence and readme directly in a treebank's folder. They are
written under their own last name into a new folder, whatever else the path in the archive says. An archive
that tries anything (paths that climb or are absolute, links and devices in place of files, files twice, far
more content than archive) is refused as a whole, and so is one that is damaged or incomplete.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from learnability.errors import RunError
from learnability.treebanks.download import Progress
from learnability.treebanks.releases import NAME

Watch = Callable[[], None]

WANTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,100}\.conllu|(LICEN[CS]E|README)(\.[A-Za-z0-9]{1,10})?")
"""Names of the files that are taken."""

_HEADER_BYTES = 1 << 20
"""The most that the description of one entry may take; a header is 512 bytes, long names add to it."""

_BUFFER = 1 << 17


@dataclass(frozen=True)
class Limits:
    """What an archive may unpack to.

    Attributes:
        entries: files and folders, wanted or not (release 2.16 as a whole: a few thousand).
        size: bytes in all (the same: about 6 GB).
        ratio: unpacked to packed bytes (CoNLL-U: 5 to 15; gzip can reach 1000) ...
        harmless: ... which counts only beyond this many bytes.
    """

    entries: int = 100_000
    size: int = 32 << 30
    ratio: int = 100
    harmless: int = 4 << 20


@dataclass
class Unpacked:
    """What was taken from an archive.

    Attributes:
        files: by treebank's folder name, the SHA-256 of each file by its name.
        entries: how many entries the archive has.
    """

    files: dict[str, dict[str, str]] = field(default_factory=dict)
    entries: int = 0


def unpack(
    archive: Path,
    folder: Path,
    *,
    whole_release: bool,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Unpacked:
    """Take the treebanks in `archive` (.tar.gz) into the empty `folder`.

    whole_release: the archive has `RELEASE/UD_X/file`, which becomes `folder/UD_X/file`. Otherwise it has
        `ANY/file` of one treebank, which becomes `folder/file`, and its name in the result is ``ANY``.
    progress: called with ``"unpacking"``, the packed bytes read, and all of them.

    Raises:
        RunError: the archive is damaged, incomplete, not of this kind, or not to be trusted.
        OSError: a file cannot be written.
    """
    limits = limits or Limits()
    taker = _Taker(folder, 3 if whole_release else 2, limits)
    try:
        with archive.open("rb") as packed, gzip.GzipFile(fileobj=packed) as plain:
            size = archive.stat().st_size
            watch = None if progress is None else lambda: progress("unpacking", packed.tell(), size)
            stream = _Counted(plain, size, limits, watch)
            with tarfile.open(mode="r|", fileobj=stream, bufsize=_BUFFER) as tar:  # type: ignore[call-overload]
                taker.take(tar, stream)
            stream.allow(limits.size)
            while stream.read(_BUFFER):  # to the end, where gzip's checksum is
                pass
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise RunError(f"damaged or incomplete archive ({str(error) or type(error).__name__})") from None
    if stream.content_end > taker.end:
        # tarfile takes an unreadable header in the middle for the end
        raise RunError(f"damaged archive (no readable entry after byte {taker.end})")
    result = taker.result
    if not whole_release and len(result.files) > 1:
        raise RunError(f"unexpected archive: holds several folders ({', '.join(sorted(result.files)[:3])})")
    return result


class _Taker:
    """Goes through the entries of an archive and takes what is wanted; `end` is where the last one ends."""

    def __init__(self, folder: Path, depth: int, limits: Limits) -> None:
        self.folder = folder
        self.depth = depth
        self.limits = limits
        self.result = Unpacked()
        self.end = 0
        self._taken: set[str] = set()

    def take(self, tar: tarfile.TarFile, stream: _Counted) -> None:
        """Take all wanted files."""
        while True:
            stream.allow(_HEADER_BYTES)
            entry = tar.next()
            if entry is None:
                return
            self.result.entries += 1
            if self.result.entries > self.limits.entries:
                raise _refused(f"more than {self.limits.entries} entries")
            parts = _checked_parts(entry)
            _check_kind(entry, parts)
            size = 0
            data = tar.extractfile(entry) if entry.isreg() else None
            if data is not None:
                size = entry.size
                stream.allow(size)
                self._take_file(parts, data)
            self.end = entry.offset_data + -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE

    def _take_file(self, parts: list[str], data: IO[bytes]) -> None:
        """Copy a file if it is wanted, else read past it."""
        if not _is_wanted(parts, self.depth):
            _copy(data, None)
            return
        inside = "/".join(parts[1:])
        if inside.casefold() in self._taken:
            raise _refused(f"{inside} twice")
        self._taken.add(inside.casefold())
        digest = _copy(data, self.folder.joinpath(*parts[1:]))
        self.result.files.setdefault(parts[-2], {})[parts[-1]] = digest


def _checked_parts(entry: tarfile.TarInfo) -> list[str]:
    """The parts of an entry's path, if it stays inside."""
    name = entry.name
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or "\\" in name or "\0" in name or ".." in parts or re.match("[A-Za-z]:", name):
        raise _refused(f"the path {name[:80]!r}")
    return parts


def _is_wanted(parts: list[str], depth: int) -> bool:
    """Whether a file of this path is one to take."""
    if len(parts) != depth or WANTED.fullmatch(parts[-1]) is None:
        return False
    return depth == 2 or NAME.fullmatch(parts[-2]) is not None


def _check_kind(entry: tarfile.TarInfo, parts: list[str]) -> None:
    """Refuse what is no file or folder; a link that stays inside, as a repository may hold, is left out."""
    if entry.issparse() or not (entry.isreg() or entry.isdir() or entry.issym() or entry.islnk()):
        raise _refused(f"the device or special file {entry.name[:80]!r}")
    if not (entry.issym() or entry.islnk()):
        return
    if entry.name.endswith(".conllu") or _leads_out(entry, parts):
        raise _refused(f"the link {entry.name[:80]!r} to {entry.linkname[:80]!r}")


def _leads_out(link: tarfile.TarInfo, parts: list[str]) -> bool:
    """Whether a link points anywhere but below the archive's top folder."""
    if link.linkname.startswith("/") or "\\" in link.linkname:
        return True
    level = len(parts) - 1 if link.issym() else 0
    for part in link.linkname.split("/"):
        level += {"..": -1, "": 0, ".": 0}.get(part, 1)
        if part == ".." and level < 1:
            return True
    return False


def _copy(data: IO[bytes], target: Path | None) -> str:
    """Read `data` to its end, into the new file `target` if there is one; the SHA-256 of what was read."""
    digest = hashlib.sha256()
    if target is None:
        while data.read(_BUFFER):
            pass
        return ""
    target.parent.mkdir(exist_ok=True)
    with target.open("xb") as file:
        while chunk := data.read(_BUFFER):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _refused(what: str) -> RunError:
    return RunError(f"untrustworthy archive: it holds {what}; nothing was taken from it")


class _Counted:
    """The unpacked bytes of an archive, counted before anybody acts on them."""

    def __init__(self, plain: gzip.GzipFile, packed: int, limits: Limits, watch: Watch | None) -> None:
        self.plain = plain
        self.watch = watch
        self.most = min(limits.size, max(limits.harmless, packed * limits.ratio))
        self.position = 0
        self.content_end = 0
        self.allow(_HEADER_BYTES)

    def allow(self, size: int) -> None:
        """Permit `size` more bytes, and what may be read ahead of and behind them, but no more."""
        self.allowed = self.position + size + 2 * _BUFFER

    def read(self, size: int) -> bytes:
        """As a file's; the position of the last byte that is not zero is remembered in `content_end`."""
        data = self.plain.read(size)
        self.position += len(data)
        if self.watch is not None:
            self.watch()
        if self.position > self.most:
            raise _refused(f"far more than an archive of its size should ({self.most >> 20} MB and more)")
        if self.position > self.allowed:
            raise _refused("an entry with an oversized description")
        content = data.rstrip(b"\0")
        if content:
            self.content_end = self.position - len(data) + len(content)
        return data

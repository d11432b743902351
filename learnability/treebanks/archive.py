"""Treebanks out of an archive. Archives are data from elsewhere: nothing in them is believed.

Taken are only regular files, by name: CoNLL-U, licence and readme directly in a treebank's folder. Links and
devices are judged by :func:`tarfile.data_filter`, and no link is ever written. An archive that tries anything
(paths that climb or are absolute, links that lead out, devices, files twice, far more content than archive)
is refused as a whole, and so is one that is damaged or incomplete.
"""

from __future__ import annotations

import gzip
import re
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

from learnability.errors import RunError
from learnability.treebanks.download import Progress
from learnability.treebanks.releases import NAME

WANTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,100}\.conllu|(LICEN[CS]E|README)(\.[A-Za-z0-9]{1,10})?")
"""Names of the files that are taken."""

# What an archive may unpack to. The whole release 2.16 has a few thousand entries, about 6 GB.
MOST_ENTRIES = 100_000
MOST_BYTES = 32 << 30
MOST_RATIO = 100
"""Unpacked to packed bytes (CoNLL-U: 5 to 15; gzip can reach 1000); counts only beyond `HARMLESS_BYTES`."""
HARMLESS_BYTES = 4 << 20
MOST_DESCRIPTION_BYTES = 1 << 20
"""Of one entry; a header is 512 bytes, long names add to it."""

_BUFFER = 1 << 17


def unpack(
    archive: Path, folder: Path, treebank: str | None = None, *, progress: Progress | None = None
) -> list[Path]:
    """Take the treebanks in `archive` (.tar.gz) into the empty `folder`; their folders there, by name.

    An archive of a whole release has `RELEASE/UD_X/file`, which becomes `folder/UD_X/file`; one of a single
    `treebank` has `ANY/file`, which becomes `folder/treebank/file`. RunError: damaged or not to be trusted.
    """
    size = archive.stat().st_size
    try:
        with archive.open("rb") as packed, gzip.GzipFile(fileobj=packed) as plain:
            watch = None if progress is None else lambda: progress("unpacking", packed.tell(), size)
            stream = _Metered(plain, size, watch)
            selection = _Selection(stream, treebank)
            with tarfile.open(mode="r|", fileobj=stream, bufsize=_BUFFER) as tar:  # type: ignore[call-overload]
                tar.extractall(folder, filter=selection)
                end = tar.offset
            stream.allow(MOST_BYTES)
            while stream.read(_BUFFER):  # to the end, where gzip's checksum is
                pass
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise RunError(f"damaged or incomplete archive ({str(error) or type(error).__name__})") from None
    if stream.content_end > end:
        # tarfile takes an unreadable header in the middle for the end
        raise RunError(f"damaged archive (no readable entry after byte {end})")
    if treebank is not None and len(selection.tops) > 1:
        raise RunError(f"unexpected archive: holds several folders ({', '.join(sorted(selection.tops)[:3])})")
    return sorted(folder.glob("*"))


class _Selection:
    """What is taken of an archive: a filter for :meth:`tarfile.TarFile.extractall`."""

    def __init__(self, stream: _Metered, treebank: str | None) -> None:
        self.tops: set[str] = set()  # the first folders of the files taken
        self._stream = stream
        self._treebank = treebank
        self._entries = 0
        self._taken: set[str] = set()

    def __call__(self, entry: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
        """The entry as it is to be written; None for what is not wanted."""
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise _refused(f"more than {MOST_ENTRIES} entries")
        shown = repr(entry.name[:80])
        parts = [part for part in entry.name.split("/") if part not in ("", ".")]
        inside = "/".join(parts[1:])
        if entry.name.startswith("/") or ".." in parts or re.search(r"[\\\0]|\A[A-Za-z]:", entry.name):
            raise _refused(f"the path {shown}")
        try:
            # the top folder falls away, so that a link may not leave it either
            checked = tarfile.data_filter(entry.replace(name=inside, deep=False), folder)
            if entry.issparse():
                raise tarfile.SpecialFileError(entry)
            if (entry.issym() or entry.islnk()) and entry.name.endswith(".conllu"):
                raise tarfile.FilterError
        except tarfile.SpecialFileError:
            raise _refused(f"the device or special file {shown}") from None
        except tarfile.FilterError:
            raise _refused(f"the link {shown} to {entry.linkname[:80]!r}") from None
        self._stream.allow(entry.size if entry.isreg() else 0)
        wanted = entry.isreg() and WANTED.fullmatch(parts[-1]) and len(parts) == (2 if self._treebank else 3)
        if not wanted or not (self._treebank or NAME.fullmatch(parts[-2])):
            return None
        if inside.casefold() in self._taken:
            raise _refused(f"{inside} twice")
        self._taken.add(inside.casefold())
        self.tops.add(parts[0])
        return checked.replace(name=f"{self._treebank}/{inside}" if self._treebank else inside, deep=False)


def _refused(what: str) -> RunError:
    return RunError(f"untrustworthy archive: it holds {what}; nothing was taken from it")


class _Metered:
    """The unpacked bytes of an archive, counted before anybody acts on them."""

    def __init__(self, plain: gzip.GzipFile, packed: int, watch: Callable[[], None] | None) -> None:
        self.content_end = 0  # behind the last byte that is not zero
        self._plain = plain
        self._most = min(MOST_BYTES, max(HARMLESS_BYTES, packed * MOST_RATIO))
        self._watch = watch
        self._position = 0
        self.allow(0)

    def allow(self, size: int) -> None:
        """Permit `size` bytes of content, the description behind it and what is read ahead, but no more."""
        self._allowed = self._position + size + MOST_DESCRIPTION_BYTES + 2 * _BUFFER

    def read(self, size: int) -> bytes:
        """As a file's."""
        data = self._plain.read(size)
        if content := data.rstrip(b"\0"):
            self.content_end = self._position + len(content)
        self._position += len(data)
        if self._watch is not None:
            self._watch()
        if self._position > self._most:
            raise _refused(f"far more than an archive of its size should ({self._most >> 20} MB and more)")
        if self._position > self._allowed:
            raise _refused("an entry with an oversized description")
        return data

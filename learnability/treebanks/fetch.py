"""Downloading treebanks of a UD release into the cache, where names are looked for.

    CACHE/ud-treebanks-v2.16/UD_Tamil-TTB/                 the CoNLL-U files, licence and readme
    CACHE/ud-treebanks-v2.16/.fetched/UD_Tamil-TTB.json    its record: the archive and all SHA-256

The first download is trusted and recorded; from then on the same archive must have the same SHA-256 and the
cached files must be as they were unpacked. Records outlive the folders: a treebank that was removed and is
fetched again must be the same. A treebank's folder appears by one rename, so there is never half a treebank,
and one process at a time fetches a treebank.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from learnability.errors import InputError, RunError, reason_of
from learnability.support.files import write_atomically
from learnability.treebanks import locate, releases
from learnability.treebanks.archive import unpack
from learnability.treebanks.download import Download, NotOffered, Progress, download, shown_url
from learnability.treebanks.labels import release_in

LIST_BYTES = 64 << 20
"""No list of treebanks comes near this."""

ALL = "all"
"""Stands for a whole release where names of treebanks are expected."""

Note = Callable[[str], object]
"""Called with one line that the user should see: waiting, a treebank without text."""

_LICENCE = re.compile(r"^Licen[cs]e:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)
_NO_TEXT = re.compile(r"^Includes text:[ \t]*no\b", re.MULTILINE)


class Record(msgspec.Struct, omit_defaults=True):
    """What is recorded of a treebank, or of a whole release: then only archives, release and treebanks.

    `archives`: the first of each kind (tag, release), none if it was never fetched; `origin`: of which kind
    the treebank was unpacked last; `files`: the SHA-256 of each by name.
    """

    archives: dict[str, Download]
    treebank: str = ""
    release: str = ""
    licence: str = ""
    origin: str = ""
    files: dict[str, str] = {}
    treebanks: list[str] = []


@dataclass(frozen=True)
class Fetched:
    """A treebank in the cache, its archive (`url`, `sha256`), and the SHA-256 of each of its files by name.

    `licence`: its name from the readme (``CC BY-SA 4.0``), else the licence file's first line, else empty.
    `downloaded`: by this call; otherwise it was there, and its files are as recorded.
    """

    treebank: str
    release: str
    folder: Path
    licence: str
    url: str
    sha256: str
    files: dict[str, str]
    downloaded: bool


def fetch_treebank(
    name: str,
    release: str,
    *,
    base_url: str | None = None,
    progress: Progress | None = None,
    note: Note | None = None,
) -> Fetched:
    """The treebank `name` of `release` in the cache, downloaded from its release tag if it is not there.

    Args:
        name: `UD_Tamil-TTB`.
        release: `2.16` (or `r2.16`, `v2.16`).
        base_url: a mirror in place of GitHub; see :mod:`learnability.treebanks.releases`.
        progress: called with how far the download is.
        note: called with what a user should know.

    Raises:
        InputError: no such treebank in this release (with the nearest names), no such release.
        RunError: not reachable, broken off, damaged, untrustworthy, or not what the first download was.
    """
    release = releases.release_number(release)
    releases.check_name(name)
    base_url = releases.check_base_url(base_url)
    url = releases.tag_url(name, release, base_url)
    cache = ReleaseCache(release, note)
    try:
        with cache.lock(name):
            if (cached := cache.cached(name)) is not None:
                return cached
            with cache.unpacked(name, url, progress) as (archive, (folder,)):
                return cache.keep(folder, archive, "tag")
    except NotOffered:
        hint = releases.why_not_offered(name, release, offered_treebanks(base_url))
        problem = f"not in release {release} ({shown_url(url)} does not exist){hint}"
        raise InputError(f"treebank {name!r}: {problem}") from None


def fetch_release(
    release: str, *, base_url: str | None = None, progress: Progress | None = None, note: Note | None = None
) -> tuple[Fetched, ...]:
    """All treebanks of `release` in the cache, downloaded from LINDAT's one archive if they are not there.

    Treebanks already in the cache are checked and stay. Arguments and errors as of :func:`fetch_treebank`.
    """
    release = releases.release_number(release)
    url = releases.release_url(release, releases.check_base_url(base_url))
    cache = ReleaseCache(release, note)
    fetched = []
    try:
        with cache.lock(ALL):
            known = sorted(cache.read(ALL).treebanks)
            if known and all((cache.home / name).is_dir() for name in known):
                return tuple(filter(None, map(cache.cached, known)))
            with cache.unpacked(ALL, url, progress) as (archive, folders):
                for folder in folders:
                    name = folder.name
                    if locate.treebanks_in(folder):
                        with cache.lock(name):
                            fetched.append(cache.cached(name) or cache.keep(folder, archive, "release"))
                    else:
                        what = "left out, because the archive has no CoNLL-U files of it"
                        cache.note(f"{name} {release}: {what}")
                # last, because it says that all treebanks are there
                archives = {"release": archive} | cache.read(ALL).archives
                names = [treebank.treebank for treebank in fetched]
                cache.write(ALL, Record(archives, release=release, treebanks=names))
    except NotOffered:
        absent = f"{shown_url(url)} does not exist"
        raise InputError(f"release {release}: {absent}; give another --release") from None
    return tuple(fetched)


def fetched_treebanks() -> list[Fetched]:
    """The treebanks in the cache that were fetched, by release and name; their files are not checked."""
    homes = (records.parent.name for records in locate.cache_folder().glob("*/.fetched"))
    return [
        cache.fetched(path.stem, downloaded=False)
        for cache in map(ReleaseCache, sorted(map(release_in, homes), key=locate.release_key))
        for path in sorted(cache.records.glob("UD_*.json"))
        if (cache.home / path.stem).is_dir()
    ]


def offered_treebanks(base_url: str | None = None, *, note: Note | None = None) -> dict[str, tuple[str, ...]]:
    """The names of the treebanks by release: the UD project's list, else its last copy, else bundled."""
    mirror = releases.check_base_url(base_url)
    url = f"{mirror}/releases.json" if mirror else releases.TREEBANK_LIST
    home = locate.cache_folder()
    copy = home / ".releases.json"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".list.", dir=home) as work:
            path = Path(work) / "releases.json"
            download(url, path, attempts=1, most_bytes=LIST_BYTES)
            listed = releases.parse_treebank_list(path.read_bytes())
            os.replace(path, copy)
    except (NotOffered, RunError, ValueError, OSError) as error:
        remove_empty(home)
        if note is not None:
            reason = "there is none" if isinstance(error, NotOffered) else str(error)
            note(f"the list of treebanks could not be had ({reason}); known without it:")
        try:
            listed = releases.parse_treebank_list(copy.read_bytes())
        except (OSError, ValueError):
            listed = {}
    return releases.bundled_treebanks() | listed


class ReleaseCache:
    """The folder of one release in the cache, and its records."""

    def __init__(self, release: str, note: Note | None = None) -> None:
        self.release = release
        official = "universal-dependencies-" if release.startswith("1.") else "ud-treebanks-v"
        self.home = locate.cache_folder() / f"{official}{release}"
        self.records = self.home / ".fetched"
        self.note: Note = note or (lambda message: None)

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """One process at a time (a killed one holds up nobody); a RunError for an OSError in the block."""
        from filelock import FileLock, Timeout

        path = self.records / f"{name}.lock"
        lock, held = FileLock(path), False
        try:
            while not held:
                self.records.mkdir(parents=True, exist_ok=True)
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    self.note(f"{name} {self.release}: waiting for another process that is fetching it")
                    lock.acquire()
                held = path.exists()
                if not held:  # its last holder has just removed it
                    lock.release()
            try:
                yield
            finally:
                with contextlib.suppress(OSError):  # of systems that do not remove what is open
                    path.unlink(missing_ok=True)
                lock.release()
                remove_empty(self.records)
        except OSError as error:
            reason = reason_of(error)
            where = f"{error.filename or self.home}: cannot be written ({reason})"
            problem = f"{where}; set XDG_CACHE_HOME to a folder that can be"
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                advice = "make room, or set XDG_CACHE_HOME to a folder on another disk"
                problem = f"{self.home}: no room for the download ({reason}); nothing half was left; {advice}"
            raise RunError(problem) from None

    @contextlib.contextmanager
    def unpacked(
        self, name: str, url: str, progress: Progress | None
    ) -> Iterator[tuple[Download, list[Path]]]:
        """The archive of a treebank or release, and the folders of its treebanks while the block lasts."""
        if not hasattr(tarfile, "data_filter"):
            raise RunError("this Python cannot unpack archives safely; fetch with Python 3.11.4 or newer")
        whole = name == ALL
        holds = "RELEASE/UD_*/*-ud-*.conllu" if whole else "*-ud-train, *-ud-dev or *-ud-test.conllu"
        prefix = f".work.{name}."
        for left in self.home.glob(f"{prefix}*"):  # by a killed process
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=self.home) as work:
            path, new = Path(work, "archive.tar.gz"), Path(work, "new")
            archive = download(url, path, progress=progress)
            self.check_archive(name, archive, "release" if whole else "tag")
            try:
                folders = unpack(path, new, None if whole else name, progress=progress)
                if not any(map(locate.treebanks_in, folders)):
                    raise RunError(f"unexpected archive: holds no {holds}")
            except RunError as error:
                raise RunError(f"{archive.url}: {error}; if it stays so, try another --base-url") from None
            yield archive, folders

    def read(self, name: str) -> Record:
        """The record of a treebank, or (`ALL`) of the whole release."""
        path = self.records / f"{name}.json"
        try:
            record = msgspec.json.decode(path.read_bytes(), type=Record)
            whole = name == ALL and all(map(releases.NAME.fullmatch, record.treebanks))
            if whole or (record.treebank == name and record.origin in record.archives):
                return record
        except FileNotFoundError:
            return Record({})
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise RunError(f"{path}: damaged record of a download; remove it to fetch {name} anew")

    def write(self, name: str, record: Record) -> None:
        """Keep a record."""
        text = msgspec.json.format(msgspec.json.encode(record), indent=1)
        write_atomically(self.records / f"{name}.json", text + b"\n")

    def cached(self, name: str) -> Fetched | None:
        """The treebank if it is there, its files checked against the record."""
        import pooch

        folder = self.home / name
        if not folder.is_dir():
            return None
        record = self.read(name)
        if not record.archives:
            raise InputError(f"{folder}: is there, but was not fetched; move it away to fetch {name}")
        there = {path.name for path in folder.glob("*.conllu")}
        for file in sorted(there | set(record.files)):
            path = folder / file
            if not path.is_file() or pooch.file_hash(str(path)) != record.files.get(file):
                raise RunError(f"{path}: not as it was downloaded; remove the folder to fetch {name} anew")
        return self.fetched(name, downloaded=False)

    def check_archive(self, name: str, archive: Download, kind: str) -> None:
        """Refuse an archive that has changed since the first download."""
        first = self.read(name).archives.get(kind)
        if first is not None and first.sha256 != archive.sha256:
            raise RunError(
                f"{archive.url}: not the archive that was downloaded on {first.fetched[:10]} (SHA-256 "
                f"{first.sha256} then, {archive.sha256} now); nothing was changed; if the new one is "
                f"right, remove {self.records / name}.json and fetch again"
            )

    def keep(self, unpacked: Path, archive: Download, kind: str) -> Fetched:
        """Move a treebank to its place, if it is what it was before; `kind` of archive: tag or release.

        Its record is written first, so that no treebank is ever without.
        """
        import pooch

        name = unpacked.name
        self.check_archive(name, archive, kind)
        files = {path.name: pooch.file_hash(str(path)) for path in sorted(unpacked.iterdir())}
        before = self.read(name)
        for file, digest in before.files.items():
            # both official places have the same files of a release
            if file.endswith(".conllu") and files.get(file) != digest:
                raise RunError(
                    f"{name} {self.release}: {file} is not as it was when first downloaded; nothing was "
                    f"changed; if the new one is right, remove {self.records / name}.json and fetch again"
                )
        readme = _text(unpacked, "README*")
        licence = _licence(readme, _text(unpacked, "LICEN*"))
        archives = {kind: archive} | before.archives
        self.write(name, Record(archives, name, self.release, licence, kind, files))
        os.rename(unpacked, self.home / name)
        if _NO_TEXT.search(readme):
            without = "comes without its text (all forms are _) for reasons of licence"
            self.note(f"{name} {self.release}: {without}")
        return self.fetched(name, downloaded=True)

    def fetched(self, name: str, *, downloaded: bool) -> Fetched:
        """A treebank that has a record."""
        record = self.read(name)
        archive = record.archives[record.origin]
        return Fetched(
            record.treebank, record.release, self.home / name, record.licence, archive.url, archive.sha256,
            record.files, downloaded,
        )  # fmt: skip


def remove_empty(folder: Path) -> None:
    """Remove the folder where it is empty, and so those above it, up to the cache of learnability."""
    with contextlib.suppress(OSError):
        while folder.is_relative_to(locate.cache_folder()):
            folder.rmdir()
            folder = folder.parent


def _licence(readme: str, text: str) -> str:
    """The licence's name as the readme's machine-readable part has it, else the first line of its text."""
    names: list[str] = _LICENCE.findall(readme)[-1:]  # the machine-readable part is at the end
    lines = (line.strip(" \t-=*#")[:200] for line in text.splitlines())
    return next(filter(None, [*names, *lines]), "")


def _text(folder: Path, pattern: str) -> str:
    paths = sorted(folder.glob(pattern))
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)

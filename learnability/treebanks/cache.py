"""The download cache: fetched treebanks of a release, and the record of where each came from.

    CACHE/ud-treebanks-v2.16/UD_Tamil-TTB/                 the CoNLL-U files, licence and readme
    CACHE/ud-treebanks-v2.16/.fetched/UD_Tamil-TTB.json    its archive and all SHA-256

The records outlive the folders: a treebank that was removed and is fetched again must be the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from learnability.errors import InputError, RunError
from learnability.files import write_atomically
from learnability.treebanks import locate, releases
from learnability.treebanks.download import Download
from learnability.treebanks.labels import release_in

ALL = "all"
"""Stands for a whole release where names of treebanks are expected."""

Note = Callable[[str], object]
"""Called with one line that the user should see: waiting, a treebank without text."""

_LICENCE = re.compile(r"^Licen[cs]e:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)
_NO_TEXT = re.compile(r"^Includes text:[ \t]*no\b", re.MULTILINE)


@dataclass(frozen=True)
class Fetched:
    """A treebank in the cache.

    Attributes:
        treebank, release: its name and release.
        folder: where its files are.
        licence: its name from the readme (``CC BY-SA 4.0``), else the licence file's first line, else empty.
        url, sha256: the archive it came from.
        files: the SHA-256 of each of its files, by name.
        downloaded: whether this call downloaded it; otherwise it was there, and its files are as recorded.
    """

    treebank: str
    release: str
    folder: Path
    licence: str
    url: str
    sha256: str
    files: dict[str, str]
    downloaded: bool


class ReleaseCache:
    """The folder of one release in the cache, and its records."""

    def __init__(self, release: str) -> None:
        self.release = release
        self.home = locate.cache_folder() / releases.release_folder(release)
        self.records = self.home / ".fetched"

    def folder(self, name: str) -> Path:
        """Where a treebank is or will be."""
        return self.home / name

    @contextlib.contextmanager
    def lock(self, name: str, note: Note | None) -> Iterator[None]:
        """One process at a time; the lock is the operating system's, so a killed one holds up nobody."""
        from filelock import FileLock, Timeout

        self.records.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.records / f"{name}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if note is not None:
                note(f"{name} {self.release}: waiting for another process that is fetching it")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def workshop(self, name: str) -> Iterator[Path]:
        """A folder for unfinished things, and an end to those that a killed process left; needs the lock."""
        prefix = f".work.{name}."
        for left in (*self.home.glob(f"{prefix}*"), *self.home.glob(f".{name}.*.tmp")):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=self.home) as work:
            yield Path(work)

    def read_record(self, name: str) -> dict[str, Any] | None:
        """The record of a treebank or of the whole release; None if it was never fetched."""
        path = self.records / f"{name}.json"
        try:
            record = json.loads(path.read_bytes())
            archives, files = record["archives"], record.get("files", {})
            good = all(isinstance(one["sha256"], str) for one in archives.values())
            good = good and all(isinstance(one, str) for one in files.values()) and isinstance(files, dict)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            good = False
        if not good:
            raise RunError(f"{path}: damaged record of a download; remove it to fetch {name} anew")
        return dict(record)

    def cached(self, name: str) -> Fetched | None:
        """The treebank if it is there, its files checked against the record."""
        folder = self.folder(name)
        if not folder.is_dir():
            return None
        record = self.read_record(name)
        if record is None:
            raise InputError(f"{folder}: is there, but was not fetched; move it away to fetch {name}")
        there = {path.name for path in folder.iterdir() if path.suffix == ".conllu"}
        for file in sorted(there | set(record["files"])):
            path = folder / file
            if not path.is_file() or _sha256(path) != record["files"].get(file):
                raise RunError(f"{path}: not as it was downloaded; remove the folder to fetch {name} anew")
        return self.described(name, downloaded=False)

    def check_archive(self, name: str, got: Download, kind: str) -> None:
        """Refuse an archive that has changed since the first download."""
        record = self.read_record(name)
        first = record["archives"].get(kind) if record else None
        if first is not None and first["sha256"] != got.sha256:
            raise RunError(
                f"{got.url}: not the archive that was downloaded on {first['fetched'][:10]} (SHA-256 "
                f"{first['sha256']} then, {got.sha256} now); nothing was changed; if the new one is right, "
                f"remove {self.records / name}.json and fetch again"
            )

    def check_files(self, name: str, files: dict[str, str]) -> None:
        """Refuse CoNLL-U files other than recorded: both official places have the same of a release."""
        record = self.read_record(name)
        for file, digest in (record["files"] if record else {}).items():
            if file.endswith(".conllu") and files.get(file) != digest:
                raise RunError(
                    f"{name} {self.release}: {file} is not as it was when first downloaded; nothing was "
                    f"changed; if the new one is right, remove {self.records / name}.json and fetch again"
                )

    def record(self, name: str, got: Download, kind: str, files: dict[str, str], folder: Path) -> None:
        """Record a treebank's origin; before its folder appears, so that none is ever without."""
        record = self.read_record(name) or {"archives": {}}
        entry = {"url": got.url, "sha256": got.sha256, "size": got.size, "fetched": _now()}
        record |= {
            "treebank": name,
            "release": self.release,
            "licence": _licence(folder),
            "origin": kind,
            "archives": {kind: entry} | record["archives"],
            "files": dict(sorted(files.items())),
        }
        self._write(name, record)

    def record_release(self, got: Download, names: list[str]) -> None:
        """Record what a whole release holds."""
        entry = {"url": got.url, "sha256": got.sha256, "size": got.size, "fetched": _now()}
        archives = {"release": entry} | (self.read_record(ALL) or {"archives": {}})["archives"]
        self._write(ALL, {"release": self.release, "archives": archives, "treebanks": names})

    def _write(self, name: str, record: dict[str, Any]) -> None:
        text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
        write_atomically(self.records / f"{name}.json", text.encode())

    def described(self, name: str, *, downloaded: bool) -> Fetched:
        """A treebank that has a record."""
        record = self.read_record(name)
        assert record is not None
        archive = record["archives"][record["origin"]]
        return Fetched(
            name,
            self.release,
            self.folder(name),
            record["licence"],
            archive["url"],
            archive["sha256"],
            record["files"],
            downloaded,
        )


def fetched_treebanks() -> list[Fetched]:
    """The treebanks in the cache that were fetched, by release and name; their files are not checked."""
    found = []
    home = locate.cache_folder()
    for records in sorted(home.glob("*/.fetched")):
        release = release_in(records.parent.name)
        place = ReleaseCache(release)
        names = [path.stem for path in sorted(records.glob("UD_*.json"))]
        found += [place.described(name, downloaded=False) for name in names if place.folder(name).is_dir()]
    return sorted(found, key=lambda one: (locate.release_key(one.release), one.treebank))


def _readme(folder: Path) -> str:
    paths = sorted(folder.glob("README*"))
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)


def _licence(folder: Path) -> str:
    """The licence's name as the readme's machine-readable part has it, else the licence file's first line."""
    found = _LICENCE.findall(_readme(folder))
    if found:
        return str(found[-1])  # the machine-readable part is at the end
    for path in sorted(folder.glob("LICEN*")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if text := line.strip(" \t-=*#"):
                return text[:200]
    return ""


def lacks_text(folder: Path) -> bool:
    """Whether the readme says that the treebank comes without its text: all forms are ``_``."""
    return _NO_TEXT.search(_readme(folder)) is not None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

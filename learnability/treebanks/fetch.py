"""Download treebanks of a UD release into the cache, where names are looked for.

    CACHE/ud-treebanks-v2.16/UD_Tamil-TTB/     the CoNLL-U files, licence and readme
    CACHE/ud-treebanks-v2.16/fetched.json      the record: its archive and the SHA-256 of every file

The first download is trusted and recorded. From then on an address must give the same archive, and the files
must stay as they were unpacked. The record outlives the folders: a treebank that was removed and is fetched
again must be the same. A treebank's folder appears by one rename, so there is never half a treebank.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import msgspec

from learnability.errors import InputError, RunError, reason_of
from learnability.support.files import write_atomically
from learnability.treebanks import locate, releases
from learnability.treebanks.labels import release_in
from learnability.treebanks.releases import Release

ALL = "all"
"""Stands for a whole release where names of treebanks are expected."""

RECORD = "fetched.json"

ATTEMPTS = 3
"""How often a download is tried; pooch waits 1, then 2 seconds in between."""

Progress = Callable[[str, int, int | None], object]
"""Called with the stage (downloading, unpacking), the bytes done, and all bytes where they are known."""

Note = Callable[[str], object]
"""Called with one line that the user should see: waiting, a treebank without text."""

_WANTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\.conllu|(LICEN[CS]E|README)(\.[A-Za-z0-9]+)?")
_LICENCE = re.compile(r"^Licen[cs]e:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)
_NO_TEXT = re.compile(r"^Includes text:[ \t]*no\b", re.MULTILINE)


class Fetched(msgspec.Struct, frozen=True, omit_defaults=True):
    """Represent a treebank in the cache, its archive, and the SHA-256 of each of its files by name.

    `licence`: its name from the readme, else the licence file's first line, else empty. `downloaded`: by this
    call; otherwise it was there, and its files are as recorded.
    """

    treebank: str
    release: str
    licence: str
    url: str
    sha256: str
    files: dict[str, str]
    downloaded: bool = False

    @property
    def folder(self) -> Path:
        return _home(self.release) / self.treebank


def fetch_treebank(
    name: str,
    release: str,
    *,
    base_url: str | None = None,
    progress: Progress | None = None,
    note: Note | None = None,
) -> Fetched:
    """Return the treebank `name` of `release` in the cache; download its release tag if it is not there.

    Args:
        name: `UD_Tamil-TTB`.
        release: `2.16` (or `r2.16`, `v2.16`).
        base_url: a mirror in place of GitHub; see :mod:`learnability.treebanks.releases`.
        progress: called with how far the download is.
        note: called with each remark for the user.

    Raises:
        InputError: there is no such release, or no such treebank in it (the message gives the nearest names).
        RunError: the download failed or broke off, is damaged, or differs from the first download.
    """
    release = releases.Release.number(release)
    releases.check_name(name)
    base_url = releases.check_base_url(base_url)
    url = releases.tag_url(name, release, base_url)
    try:
        with _lock_cache(note):
            if (_home(release) / name).is_dir():
                return _check_cached(release, name)
            (fetched,) = _fetch(url, release, name, progress, note)
            return fetched
    except _NotOfferedError:
        hint = releases.why_not_offered(name, release, offered_treebanks(base_url))
        problem = f"is not in release {release} ({_hide_password(url)} does not exist){hint}"
        raise InputError(f"treebank {name!r} {problem}") from None


def fetch_release(
    release: str, *, base_url: str | None = None, progress: Progress | None = None, note: Note | None = None
) -> tuple[Fetched, ...]:
    """Return all treebanks of `release` in the cache; download LINDAT's archive if they are not there.

    Treebanks already in the cache are checked and stay.

    Args:
        release: `2.16` (or `r2.16`, `v2.16`).
        base_url: a mirror in place of GitHub; see :mod:`learnability.treebanks.releases`.
        progress: called with how far the download is.
        note: called with each remark for the user.

    Raises:
        InputError: there is no such release.
        RunError: as :func:`fetch_treebank`.
    """
    release = releases.Release.number(release)
    url = releases.release_url(release, releases.check_base_url(base_url))
    home = _home(release)
    try:
        with _lock_cache(note):
            record = _read_record(release)
            complete = any(fetched.url == _hide_password(url) for fetched in record.values())
            if complete and all((home / name).is_dir() for name in record):
                return tuple(_check_cached(release, name) for name in sorted(record))
            return _fetch(url, release, None, progress, note)
    except _NotOfferedError:
        raise InputError(
            f"release {release} is not at {_hide_password(url)}; choose another release"
        ) from None


def fetched_treebanks() -> list[Fetched]:
    """Return the fetched treebanks in the cache by release and name, without a check of their files."""
    numbers = (release_in(path.parent.name) for path in locate.cache_folder().glob(f"*/{RECORD}"))
    return [
        fetched
        for number in sorted(numbers, key=Release.key)
        for _, fetched in sorted(_read_record(number).items())
        if fetched.folder.is_dir()
    ]


def offered_treebanks(base_url: str | None = None, *, note: Note | None = None) -> dict[str, tuple[str, ...]]:
    """Return the treebanks' names by release: of the UD project's list, else of the bundled table."""
    mirror = releases.check_base_url(base_url)
    url = f"{mirror}/releases.json" if mirror else releases.TREEBANK_LIST
    try:
        with tempfile.TemporaryDirectory() as work:
            data = _download(url, Path(work), attempts=1).read_bytes()
        return releases.bundled_treebanks() | releases.parse_treebank_list(data)
    except (_NotOfferedError, RunError, ValueError, OSError) as error:
        if note is not None:
            reason = "there is none" if isinstance(error, _NotOfferedError) else str(error)
            note(f"could not get the list of treebanks ({reason}); these are known without it:")
        return releases.bundled_treebanks()


def _home(release: str) -> Path:
    official = "universal-dependencies-" if release.startswith("1.") else "ud-treebanks-v"
    return locate.cache_folder() / f"{official}{release}"


@contextlib.contextmanager
def _lock_cache(note: Note | None) -> Iterator[None]:
    """Let one process at a time fetch (a killed process blocks no other); turn an OSError into a RunError."""
    from filelock import FileLock, Timeout

    cache = locate.cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = FileLock(cache / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if note is not None:
                note("waiting for another process that is fetching treebanks")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()
    except OSError as error:
        advice = "make room, or set XDG_CACHE_HOME to another folder"
        raise RunError(
            f"{error.filename or cache} cannot be written ({reason_of(error)}); {advice}"
        ) from None


def _read_record(release: str) -> dict[str, Fetched]:
    path = _home(release) / RECORD
    advice = f"remove the folder {path.parent} and fetch its treebanks again"
    damaged = RunError(f"the record {path} is damaged; {advice}")
    try:
        record = msgspec.json.decode(path.read_bytes(), type=dict[str, Fetched])
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        raise damaged from None
    for name, fetched in record.items():
        if not releases.NAME.fullmatch(name) or (fetched.treebank, fetched.release) != (name, release):
            raise damaged
    return record


def _check_cached(release: str, name: str) -> Fetched:
    folder = _home(release) / name
    fetched = _read_record(release).get(name)
    if fetched is None:
        raise InputError(f"{folder} exists, but `fetch` did not create it; move it away to fetch {name}")
    there = _hashes(folder)
    for file in sorted(fetched.files.keys() | {file for file in there if file.endswith(".conllu")}):
        if there.get(file) != fetched.files.get(file):
            raise RunError(
                f"{folder / file} has changed since the download; remove the folder to fetch {name} again"
            )
    return fetched


def _fetch(
    url: str, release: str, name: str | None, progress: Progress | None, note: Note | None
) -> tuple[Fetched, ...]:
    home, record = _home(release), _read_record(release)
    for left in home.parent.glob(".work.*"):  # by a killed process
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".work.", dir=home.parent) as work:
        first = next(
            (fetched.sha256 for fetched in record.values() if fetched.url == _hide_password(url)), None
        )
        archive = _download(url, Path(work), known=first, progress=progress)
        folders = _unpack(archive, Path(work, "new"), name, url, progress)
        there = [_check_cached(release, folder.name) for folder in folders if (home / folder.name).is_dir()]
        new = [folder for folder in folders if not (home / folder.name).is_dir()]
        for folder in new:
            readme, files = _text(folder, "README*"), _hashes(folder)
            before = record.get(folder.name)
            for file, digest in before.files.items() if before else ():
                # Both official places have the same files of a release.
                if file.endswith(".conllu") and files.get(file) != digest:
                    problem = f"{file} is not as it was when first downloaded; nothing was changed"
                    raise RunError(
                        f"{folder.name} {release}: {problem}; if the new one is right, remove {home}"
                    )
            if note is not None and _NO_TEXT.search(readme):
                note(f"{folder.name} {release}: its licence does not allow its text (all forms are _)")
            licence = _licence(readme, _text(folder, "LICEN*"))
            record[folder.name] = Fetched(
                folder.name, release, licence, _hide_password(url), _hash(archive), files
            )
        # The record is written first, so that no treebank is ever without.
        home.mkdir(exist_ok=True)
        write_atomically(home / RECORD, msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
        for folder in new:
            os.rename(folder, home / folder.name)
    downloaded = [msgspec.structs.replace(record[folder.name], downloaded=True) for folder in new]
    return tuple(sorted([*there, *downloaded], key=lambda fetched: fetched.treebank))


class _NotOfferedError(Exception):
    """The server answers that there is no such file."""


def _download(
    url: str,
    folder: Path,
    *,
    known: str | None = None,
    attempts: int = ATTEMPTS,
    progress: Progress | None = None,
) -> Path:
    import pooch
    import requests

    def receive(url: str, path: str, _: Any) -> None:
        headers = {"Accept-Encoding": "identity", "User-Agent": "learnability"}
        with requests.get(url, stream=True, timeout=60, headers=headers) as answer, open(path, "wb") as file:
            if answer.status_code in (404, 410):
                raise _NotOfferedError
            answer.raise_for_status()
            # Some servers announce the .gz of a file as its encoding; the hash is that of the bytes as sent.
            answer.raw.headers.pop("Content-Encoding", None)
            total = int(answer.headers.get("Content-Length", 0)) or None
            for chunk in answer.iter_content(1 << 14):
                file.write(chunk)
                if progress is not None:
                    progress("downloading", file.tell(), total)

    source = pooch.create(
        folder,
        "",
        registry={"file": known and f"sha256:{known}"},
        urls={"file": url},
        retry_if_failed=attempts - 1,
    )
    logger = pooch.get_logger()
    logger.disabled = True  # progress is shown by the command instead
    try:
        return Path(source.fetch("file", downloader=receive))
    except (requests.exceptions.RequestException, ValueError) as error:  # a ValueError: another hash
        raise RunError(f"{_hide_password(url)}: {_reason(url, error)}; nothing was changed") from None
    finally:
        logger.disabled = False


def _reason(url: str, error: Exception) -> str:
    from requests import exceptions

    host = urlsplit(url).hostname
    match error:
        case exceptions.HTTPError(response=answer) if answer is not None:
            return f"the server answers {answer.status_code} {answer.reason}; try again later"
        case exceptions.ProxyError():
            return "the proxy cannot be reached; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
        case exceptions.ChunkedEncodingError():
            return "the connection broke; try again"
        case exceptions.ConnectionError() | exceptions.Timeout():
            return f"{host} cannot be reached; check the network connection and HTTPS_PROXY, or use a mirror"
        case ValueError() if "known hash" in str(error):
            advice = "if the new one is right, remove the folder of this release from the download cache"
            return f"not the archive that was first downloaded (its SHA-256 differs); {advice}"
    return f"the download failed ({type(error).__name__}); check the address and HTTPS_PROXY"


def _unpack(archive: Path, folder: Path, name: str | None, url: str, progress: Progress | None) -> list[Path]:
    """Take the treebanks in `archive` (.tar.gz) into the empty `folder`; return their folders there, by name.

    Only regular files with usual names are taken, of `RELEASE/UD_X/file` or, of the single treebank `name`,
    `ANY/file`; :func:`tarfile.data_filter` refuses paths and links that lead out, and devices.
    """
    size = archive.stat().st_size

    def selected(entry: tarfile.TarInfo, destination: str) -> tarfile.TarInfo | None:
        if progress is not None:
            progress("unpacking", packed.tell(), size)
        entry = tarfile.data_filter(entry, destination)
        parts = PurePosixPath(entry.name).parts
        if not entry.isreg() or len(parts) != (2 if name else 3) or not _WANTED.fullmatch(parts[-1]):
            return None
        if not (name or releases.NAME.fullmatch(parts[1])):
            return None
        return entry.replace(name=f"{name or parts[1]}/{parts[-1]}", deep=False)

    try:
        with archive.open("rb") as packed, gzip.GzipFile(fileobj=packed) as plain:
            with tarfile.open(fileobj=plain, mode="r:") as tar:
                tar.extractall(folder, filter=selected)
            while plain.read(1 << 20):  # to the end, where gzip's checksum is
                pass
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        problem = f"damaged or untrustworthy archive ({str(error) or type(error).__name__})"
        raise RunError(f"{_hide_password(url)}: {problem}; nothing was changed") from None
    folders = [path for path in sorted(folder.glob("*")) if locate.treebanks_in(path)]
    if not folders:
        raise RunError(f"{_hide_password(url)} holds no CoNLL-U files of a treebank; nothing was changed")
    return folders


def _hashes(folder: Path) -> dict[str, str]:
    return {path.name: _hash(path) for path in sorted(folder.iterdir()) if path.is_file()}


def _hash(path: Path) -> str:
    import pooch

    return str(pooch.file_hash(str(path)))


def _hide_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _licence(readme: str, text: str) -> str:
    names: list[str] = _LICENCE.findall(readme)[-1:]  # the machine-readable part is at the end
    lines = (line.strip(" \t-=*#")[:200] for line in text.splitlines())
    return next(filter(None, [*names, *lines]), "")


def _text(folder: Path, pattern: str) -> str:
    paths = sorted(folder.glob(pattern))
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)

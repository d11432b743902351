"""Downloading treebanks of a UD release into the cache, where names are looked for.

The first download is trusted and its SHA-256 recorded; from then on the same archive must have the same
SHA-256 and the cached files must be as they were unpacked. A treebank's folder appears by one rename, so
there is never half a treebank, and one process at a time fetches a treebank.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from learnability.errors import InputError, RunError
from learnability.files import folder_atomically
from learnability.treebanks import locate, releases
from learnability.treebanks.cache import ALL, Fetched, Note, ReleaseCache, lacks_text
from learnability.treebanks.download import Download, NotOffered, Progress, download, shown_url
from learnability.treebanks.unpack import unpack

_SPLIT = re.compile(r".+-ud-(train|dev|test).*\.conllu")


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
    if base_url is not None:
        base_url = releases.check_base_url(base_url)
    place = ReleaseCache(release)
    with _disk_errors(place.home), place.lock(name, note):
        if (cached := place.cached(name)) is not None:
            return cached
        url = releases.tag_url(name, release, base_url)
        with place.workshop(name) as work:
            try:
                got = download(url, work, "archive.tar.gz", progress=progress)
            except NotOffered:
                raise InputError(_not_offered(name, release, base_url, url)) from None
            place.check_archive(name, got, "tag")
            with folder_atomically(place.folder(name)) as new:
                with _about(got.url):
                    unpacked = unpack(got.path, new, whole_release=False, progress=progress)
                    files = next(iter(unpacked.files.values()), {})
                    _check_splits(files)
                place.check_files(name, files)
                place.record(name, got, "tag", files, new)
    return _announced(place, name, note)


def fetch_release(
    release: str,
    *,
    base_url: str | None = None,
    progress: Progress | None = None,
    note: Note | None = None,
) -> tuple[Fetched, ...]:
    """All treebanks of `release` in the cache, downloaded from LINDAT's one archive if they are not there.

    Treebanks already in the cache are checked and stay. Arguments and errors as of :func:`fetch_treebank`.
    """
    release = releases.release_number(release)
    url = releases.release_url(release, base_url and releases.check_base_url(base_url))
    place = ReleaseCache(release)
    with _disk_errors(place.home), place.lock(ALL, note):
        known = place.read_record(ALL)
        names = sorted(known["treebanks"]) if known else []
        if names and all(place.folder(name).is_dir() for name in names):
            return tuple(_present(place, name) for name in names)
        with place.workshop(ALL) as work:
            try:
                got = download(url, work, "archive.tar.gz", progress=progress)
            except NotOffered:
                where = shown_url(url)
                raise InputError(
                    f"release {release}: {where} does not exist; give another --release"
                ) from None
            place.check_archive(ALL, got, "release")
            (work / "new").mkdir()
            with _about(got.url):
                unpacked = unpack(got.path, work / "new", whole_release=True, progress=progress)
                whole = {name: files for name, files in unpacked.files.items() if _has_splits(files)}
                if not whole:
                    raise RunError("unexpected archive: holds no RELEASE/UD_*/*-ud-*.conllu")
            for name in sorted(set(unpacked.files) - set(whole)):
                if note is not None:
                    note(f"{name} {release}: left out, because the archive has no CoNLL-U files of it")
            fetched = [_put(place, name, got, whole[name], work / "new", note) for name in sorted(whole)]
            # last, because it says that all treebanks are there
            place.record_release(got, sorted(whole))
    return tuple(fetched)


def offered_treebanks(base_url: str | None = None, *, note: Note | None = None) -> dict[str, tuple[str, ...]]:
    """The names of the treebanks by release: the UD project's list, else the last copy of it, else bundled.

    The bundled names are those of few releases only. `note` is told if the list cannot be had.
    """
    from_bundle = releases.bundled_treebanks()
    if base_url is not None:
        base_url = releases.check_base_url(base_url)
    home = locate.cache_folder()
    copy = home / ".releases.json"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".list.", dir=home) as work:
            got = download(releases.list_url(base_url), Path(work), "releases.json", retries=0)
            listed = releases.parse_treebank_list(got.path.read_bytes())
            os.replace(got.path, copy)
    except (NotOffered, RunError, ValueError, OSError) as error:
        if note is not None:
            reason = "there is none" if isinstance(error, NotOffered) else str(error)
            note(f"the list of treebanks could not be had ({reason}); known without it:")
        try:
            listed = releases.parse_treebank_list(copy.read_bytes())
        except (OSError, ValueError):
            listed = {}
    return from_bundle | listed


def _present(place: ReleaseCache, name: str) -> Fetched:
    """A treebank of a completely fetched release, checked."""
    cached = place.cached(name)
    assert cached is not None
    return cached


def _put(
    place: ReleaseCache, name: str, got: Download, files: dict[str, str], unpacked: Path, note: Note | None
) -> Fetched:
    """Move a treebank of a whole release to its place, unless it is there already."""
    with place.lock(name, note):
        if (cached := place.cached(name)) is not None:
            return cached
        place.check_archive(name, got, "release")
        place.check_files(name, files)
        place.record(name, got, "release", files, unpacked / name)
        os.rename(unpacked / name, place.folder(name))
    return _announced(place, name, note)


def _announced(place: ReleaseCache, name: str, note: Note | None) -> Fetched:
    """A treebank just downloaded; the user is told if it is not all that one may expect."""
    if note is not None and lacks_text(place.folder(name)):
        note(f"{name} {place.release}: comes without its text (all forms are _) for reasons of licence")
    return place.described(name, downloaded=True)


def _not_offered(name: str, release: str, base_url: str | None, url: str) -> str:
    """What to say about a treebank that the server does not have."""
    offered = offered_treebanks(base_url)
    hint = releases.why_not_offered(name, release, offered)
    return f"treebank {name!r}: not in release {release} ({shown_url(url)} does not exist){hint}"


def _has_splits(files: dict[str, str]) -> bool:
    return any(_SPLIT.fullmatch(file) for file in files)


def _check_splits(files: dict[str, str]) -> None:
    if not _has_splits(files):
        raise RunError("unexpected archive: holds no *-ud-train, *-ud-dev or *-ud-test.conllu")


@contextlib.contextmanager
def _about(url: str) -> Iterator[None]:
    """Let a message about an archive say which."""
    try:
        yield
    except RunError as error:
        raise RunError(f"{url}: {error}; if it stays so, try another --base-url") from None


@contextlib.contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """One line for a full disk and the like, with the folder concerned."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            advice = "nothing half was left; make room, or set XDG_CACHE_HOME to a folder on another disk"
            raise RunError(f"{folder}: no room for the download ({reason}); {advice}") from None
        raise RunError(f"{error.filename or folder}: cannot be written ({reason})") from None

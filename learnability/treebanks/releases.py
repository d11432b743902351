"""List the releases of Universal Dependencies: their numbers, their content, and where to download them.

There are two official places. Every treebank is a repository on GitHub with one tag per release (`r2.16`);
every release is one archive at LINDAT/CLARIAH-CZ under its own handle (table in `data/releases.json`).
A mirror given as a base URL has them as `URL/UD_X/archive/refs/tags/r2.16.tar.gz` and
`URL/ud-treebanks-v2.16.tgz`, and may have the UD project's list of treebanks as `URL/releases.json`.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from learnability.errors import InputError
from learnability.support.options import shorten_value

GITHUB = "https://github.com/UniversalDependencies"
LINDAT = "https://lindat.mff.cuni.cz/repository/server/api/core/bitstreams/handle"
TREEBANK_LIST = (
    "https://raw.githubusercontent.com/UniversalDependencies/docs-automation/master/valdan/releases.json"
)
"""The UD project's own list: which treebanks each release holds."""

WHERE_SUD_IS = (
    "SUD is not in UD's releases: surfacesyntacticud.org/data has archives of all its treebanks, and "
    "github.com/surfacesyntacticud repositories of some"
)
"""Where treebanks in Surface-Syntactic UD are."""

NAME = re.compile(r"UD_[A-Za-z][A-Za-z_]*(-[A-Za-z0-9]+)?")
"""A treebank's name; nothing else ever becomes part of a path or a URL."""

_NUMBER = re.compile(r"[rRvV]?([0-9]{1,3}\.[0-9]{1,3})")


class Release(msgspec.Struct, frozen=True):
    """Hold one release in the bundled table, or in the UD project's list, which has only the treebanks.

    `handle`: of the file `archive` at LINDAT, ``11234/1-5901``; `note`: what users should know, mostly empty;
    `treebanks`: their names, empty if the table does not have them.
    """

    handle: str = ""
    archive: str = ""
    note: str = ""
    treebanks: tuple[str, ...] = ()

    @staticmethod
    def known() -> Mapping[str, Release]:
        """Return the releases of the bundled table by number, oldest first. A newer one may exist."""
        return dict(sorted(_table().releases.items(), key=lambda item: Release.key(item[0])))

    @staticmethod
    def key(release: str) -> tuple[int, ...]:
        """Return a sort key: ``1.3`` < ``2.9`` < ``2.16``; an unknown release sorts first."""
        return tuple(int(part) for part in re.findall(r"\d+", release))

    @staticmethod
    def number(text: str) -> str:
        """Return ``2.16`` for ``2.16``, ``r2.16`` or ``v2.16``; raise an InputError for anything else."""
        match = _NUMBER.fullmatch(text.strip())
        if match is None:
            raise InputError(
                f"release {shorten_value(text)} is not a release number; use, for example, {release_for(())}"
            )
        return match[1]

    @staticmethod
    def other_name(name: str, release: str) -> str:
        """Return ``called UD_Irish in release 1.3`` where the release has another name; else empty."""
        later = _table().renamed
        earlier = {new: old for old, new in later.items()}
        if Release.key(release) >= (2, 2):
            return f"is called {later[name]} since release 2.2" if name in later else ""
        return f"is called {earlier[name]} in release {release}" if name in earlier else ""


class _Table(msgspec.Struct):
    releases: dict[str, Release]
    renamed: dict[str, str] = msgspec.field(default_factory=dict, name="renamed in 2.2")


@functools.cache
def _table() -> _Table:
    return msgspec.json.decode((Path(__file__).parent / "data" / "releases.json").read_bytes(), type=_Table)


def bundled_treebanks() -> dict[str, tuple[str, ...]]:
    return {number: release.treebanks for number, release in Release.known().items() if release.treebanks}


def plain_release(text: str) -> str:
    """Return a release without the letter of its tag, ``2.16`` for ``r2.16``; other names stay."""
    return re.sub(r"^[rvRV](?=[0-9])", "", text)


def release_for(names: Iterable[str]) -> str:
    """Return the newest release that may have all these treebanks: one that only older lists have was given
    up."""
    listed = bundled_treebanks()
    having = [number for number, treebanks in listed.items() if set(names) <= set(treebanks)]
    return having[-1] if having and having[-1] != list(listed)[-1] else list(Release.known())[-1]


def is_sud(name: str) -> bool:
    return name.startswith(("SUD_", "mSUD_"))


def check_name(name: str) -> None:
    """Raise an InputError with the nearest names for what cannot be a treebank's name."""
    if is_sud(name):
        raise InputError(
            f"{shorten_value(name)} cannot be fetched, because {WHERE_SUD_IS}; download it, and compare it "
            "with `learnability run --treebank UD_X --alternative FOLDER`"
        )
    if NAME.fullmatch(name) is None:
        known = [treebank for names in bundled_treebanks().values() for treebank in names]
        problem = f"is not the name of a UD treebank{_nearest(name, known)}; use a name such as UD_Tamil-TTB"
        raise InputError(f"treebank {name[:80]!r} {problem}")


def check_base_url(url: str | None) -> str | None:
    """Return `url` without a final slash (None: no mirror); raise an InputError if it is no web address."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        shown = url.rpartition("@")[2]  # a user name and password would be before it
        raise InputError(f"base URL {shown!r} is not an http or https URL; use, for example, https://host/ud")
    return url.rstrip("/")


def tag_url(name: str, release: str, base_url: str | None = None) -> str:
    return f"{base_url or GITHUB}/{name}/archive/refs/tags/r{release}.tar.gz"


def release_url(release: str, base_url: str | None = None) -> str:
    """Return where the archive of a whole release is; raise an InputError if no address is known."""
    known = Release.known().get(release)
    if known is not None:
        return f"{base_url or f'{LINDAT}/{known.handle}'}/{known.archive}"
    if base_url is not None:
        return f"{base_url}/ud-treebanks-v{release}.tgz"
    problem = f"its address at LINDAT is not known here (known: up to {release_for(())})"
    raise InputError(
        f"release {release} cannot be found: {problem}; name the treebanks to fetch, or a base URL"
    )


def parse_treebank_list(data: bytes) -> dict[str, tuple[str, ...]]:
    """Return the names of the treebanks by release in the UD project's `releases.json`, or a ValueError."""
    try:
        releases = msgspec.json.decode(data, type=_Table).releases
    except (ValueError, RecursionError):  # not UTF-8, no JSON, or another structure
        releases = {}
    listed = {
        number: tuple(filter(NAME.fullmatch, release.treebanks))
        for number, release in releases.items()
        if _NUMBER.fullmatch(number)
    }
    if not any(listed.values()):
        raise ValueError("not a list of UD releases")
    return listed


def why_not_offered(name: str, release: str, offered: Mapping[str, Iterable[str]]) -> str:
    """Return what to say of a treebank that a release lacks: its other name or releases, or similar names."""
    here = tuple(offered.get(release, ()))
    if name in here:
        return "; the list of this release has it, so the server is at fault: try again later"
    if other := Release.other_name(name, release):
        return f"; it {other}"
    having = sorted((number for number, names in offered.items() if name in names), key=Release.key)
    span = ", ".join(having) if len(having) <= 3 else f"{having[0]} to {having[-1]}"
    elsewhere = f"; release {span} has it" if having else ""
    return elsewhere + _nearest(name, here or [treebank for names in offered.values() for treebank in names])


def _nearest(name: str, names: Iterable[str]) -> str:
    by_folded = {known.casefold(): known for known in sorted(set(names))}
    full = name if name.casefold().startswith("ud_") else f"UD_{name}"
    near = difflib.get_close_matches(full.casefold(), list(by_folded), n=3, cutoff=0.6)
    return f"; nearest names: {', '.join(by_folded[folded] for folded in near)}" if near else ""

"""Find the versions of a treebank for its history: releases, or commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from learnability.extending import Checkout, InputError, Release, TreebankSelection
from learnability.extensions.history.declaration import HistoryOptions
from learnability.extensions.history.versions import VersionedFiles


@dataclass(frozen=True)
class SuccessiveVersions(TreebankSelection):
    """A treebank, and a later version of it: its name or folder, and its release."""

    later: str = ""
    later_release: str | None = None

    def files(self) -> VersionedFiles:
        """Locate the files of both versions; raise an InputError if one is missing."""
        later = TreebankSelection(self.later, ud_home=self.ud_home, release=self.later_release).files()
        return VersionedFiles(**vars(super().files()), later=later)

    @classmethod
    def find_selections(cls, named: TreebankSelection, options: HistoryOptions) -> list[SuccessiveVersions]:
        return successive_versions(named, options)


def successive_versions(named: TreebankSelection, options: HistoryOptions) -> list[SuccessiveVersions]:
    """Return each version of a treebank with the next one.

    Raises:
        InputError: neither or both are given; fewer than two versions exist; a name or a range is wrong.
    """
    check_one_range(options)
    if not named.treebank:
        raise InputError("no treebank is named; use `treebank`")
    if options.commits is not None:
        return _successive_commits(named, options.commits)
    assert options.releases is not None
    return _successive_releases(named, options.releases)


def check_one_range(options: HistoryOptions) -> None:
    if (options.releases is None) == (options.commits is None):
        raise InputError(
            "history needs either `releases`, for example 2.4..2.16, or `commits`; use one of them"
        )


def _successive_commits(named: TreebankSelection, commits: str) -> list[SuccessiveVersions]:
    checkout = Checkout(Path(named.treebank or ""))
    first, is_range, last = commits.partition("..")
    if is_range:
        hashes = checkout.commits_between(first, last)
        names = {checkout.find_commit(name): name for name in (first, last)}
    else:
        typed = [name.strip() for name in commits.split(",")]
        hashes = [checkout.find_commit(name) for name in typed]
        _check_several(hashes, f"`commits='{commits}'`")
        names = dict(zip(hashes, typed, strict=True))
    versions = [checkout.files_at(commit, names.get(commit, "")) for commit in hashes]
    return [
        SuccessiveVersions(
            **{**vars(named), "treebank": str(earlier.folder), "release": earlier.release},
            later=str(later.folder),
            later_release=later.release,
        )
        for earlier, later in pairwise(versions)
    ]


def _successive_releases(named: TreebankSelection, releases: str) -> list[SuccessiveVersions]:
    name = named.treebank or ""
    if Path(name).exists():
        raise InputError(
            f"{name} is a path, and `releases` finds treebanks by name; set `treebank` to the name and "
            "`ud_home` to the folder (or to several, with colons between them)"
        )
    if ".." in releases:
        numbers = _of_range(named, releases)
    else:
        numbers = [Release.number(number) for number in releases.split(",")]
        _check_found(named, releases, numbers)
        by_name = TreebankSelection(name, ud_home=named.ud_home)
        folders = [replace(by_name, release=number).files().folder for number in numbers]
        _check_several(numbers, f"`releases='{releases}'`")
        if len(set(folders)) < len(folders):
            raise InputError(
                f"{folders[0]} names no release, so it cannot stand for several; put the treebank "
                "of each release into a folder such as ud-treebanks-v2.16"
            )
        if numbers != sorted(numbers, key=Release.key):
            raise InputError(
                f"`releases='{releases}'` is not in chronological order; name the oldest release first"
            )
    return [
        SuccessiveVersions(**{**vars(named), "release": earlier}, later=name, later_release=later)
        for earlier, later in pairwise(numbers)
    ]


def _of_range(named: TreebankSelection, releases: str) -> list[str]:
    name = named.treebank or ""
    first, _, last = releases.partition("..")
    start, end = Release.number(first), Release.number(last)
    if Release.key(start) >= Release.key(end):
        raise InputError(f"`releases='{releases}'` is not a range of releases; name the older release first")
    found = named.find_releases()
    if not found:
        TreebankSelection(
            name, ud_home=named.ud_home
        ).files()  # says where it was searched, and similar names
    inside = [number for number in found if Release.key(start) <= Release.key(number) <= Release.key(end)]
    if len(inside) < 2:
        raise InputError(
            f"`releases='{releases}'` needs two releases, and {_there(name, found, start)}; {GET_MORE}"
        )
    return sorted(inside, key=Release.key)


def _check_found(named: TreebankSelection, releases: str, numbers: Sequence[str]) -> None:
    """Refuse releases that no folder has, where the folders name releases of the treebank."""
    name = named.treebank or ""
    found = named.find_releases()
    absent = [number for number in numbers if number not in found]
    if found and "" not in found and absent:
        there = f"{_there(name, found, absent[0])}, not in {', '.join(absent)}"
        raise InputError(f"`releases='{releases}'`: {there}; {GET_MORE}")


GET_MORE = "get more with `learnability fetch`, or set `ud_home`"
"""What to do where the folders lack releases."""


def _there(name: str, found: Collection[str], release: str) -> str:
    there = ", ".join(sorted(filter(None, found), key=Release.key)) or "no release"
    other = Release.other_name(name, release)
    return f"the folders have {name} in {there}{f' (it {other})' if other else ''}"


def _check_several(versions: Sequence[str], option: str) -> None:
    if len(versions) < 2:
        raise InputError(f"{option} names only one version; name at least two")
    if len(set(versions)) < len(versions):
        raise InputError(f"{option} names the same version twice; name different ones")


def missing_releases(name: str, releases: str | None, present: Sequence[str]) -> list[str]:
    """Return a line on the releases of a range that no folder has, and one on those with another name."""
    if releases is None or ".." not in releases:
        return []
    first, _, last = releases.partition("..")
    start, end = (Release.key(Release.number(number)) for number in (first, last))
    missing = [
        number for number in Release.known() if start <= Release.key(number) <= end and number not in present
    ]
    lines = []
    if absent := [number for number in missing if not Release.other_name(name, number)]:
        lines.append(f"Left out, because no folder has {name} in them: {', '.join(absent)}.")
    if renamed := [number for number in missing if Release.other_name(name, number)]:
        lines.append(f"Left out: {', '.join(renamed)}. {name} {Release.other_name(name, renamed[0])}.")
    return lines

"""`learnability fetch`: download treebanks of a UD release into the cache."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import rich_click as click

from learnability.commands.options import Execution, options
from learnability.commands.streams import note
from learnability.reports.text import print_json, print_list
from learnability.support.progress import ProgressSteps, shown_steps
from learnability.support.values import JsonObject

if TYPE_CHECKING:
    from learnability.treebanks.fetch import Fetched, Progress

Row = JsonObject


@click.command(name="fetch", epilog="Example: learnability fetch UD_Tamil-TTB --release 2.16")
@click.argument("treebanks", nargs=-1, metavar="TREEBANK...")
@click.option("--release", metavar="R", help="UD release, for example 2.16 or 1.3.")
@click.option(
    "--list", "only_list", is_flag=True,
    help="List the treebanks in the cache, or those of a release, without downloading any.",
)  # fmt: skip
@click.option(
    "--base-url", metavar="URL",
    help="Address of a mirror that holds URL/UD_X/archive/refs/tags/rR.tar.gz, or "
    "URL/ud-treebanks-vR.tgz for a "
    "whole release.",
)  # fmt: skip
@options(Execution, "as_json", "quiet")
def command(
    treebanks: tuple[str, ...], release: str | None, only_list: bool, base_url: str | None, **parameters: bool
) -> None:
    """Download treebanks of a UD release into the cache, where all commands find them by name.

    TREEBANK is a name such as UD_Tamil-TTB (its release tag on GitHub is downloaded), or `all` for a whole
    release (one archive from LINDAT/CLARIAH-CZ, about 0.7 GB). The SHA-256 of the first download is recorded,
    and checked at every later one. Proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    """
    from learnability.treebanks import releases

    base_url = releases.check_base_url(base_url)
    if release is not None:
        release = releases.Release.number(release)
    if only_list:
        rows = list_rows(treebanks, release, base_url, quiet=parameters["quiet"])
    elif release is None:
        for name in treebanks:
            if releases.is_sud(name):
                releases.check_name(name)
        others = {name: releases.Release.other_name(name, "2.2") for name in treebanks}
        renamed = [f"{name} {other}" for name, other in others.items() if other]
        example = f"no release is named; choose one, for example --release {releases.release_for(treebanks)}"
        raise click.UsageError("; ".join([example, *renamed]))
    elif not treebanks:
        raise click.UsageError("no treebank is named; name treebanks, write all, or list them with --list")
    else:
        rows = fetch_rows(treebanks, release, base_url, quiet=parameters["quiet"])
    columns = ("treebank", "release", "state", "licence", "path")
    if parameters["as_json"]:
        print_json(rows)
    elif rows:
        print_list(columns, [[row[column] for column in columns] for row in rows])


def fetch_rows(names: tuple[str, ...], release: str, base_url: str | None, *, quiet: bool) -> list[Row]:
    """Fetch the treebanks in turn; return one row for each."""
    from learnability.treebanks import releases
    from learnability.treebanks.fetch import ALL, fetch_release, fetch_treebank

    names = tuple(dict.fromkeys(names))
    for name in names:
        if name != ALL:
            releases.check_name(name)
    notes = partial(note, quiet=quiet)
    if (known := releases.Release.known().get(release)) and known.note:
        notes(known.note)
    rows = []
    for name in names:
        with shown_steps(f"{name} {release}: connecting", quiet=quiet) as steps:
            progress = _progress(steps, f"{name} {release}")
            if name == ALL:
                fetched = fetch_release(release, base_url=base_url, progress=progress, note=notes)
            else:
                fetched = (fetch_treebank(name, release, base_url=base_url, progress=progress, note=notes),)
        rows += [_row(treebank, "downloaded" if treebank.downloaded else "cached") for treebank in fetched]
    return rows


def list_rows(names: tuple[str, ...], release: str | None, base_url: str | None, *, quiet: bool) -> list[Row]:
    """Return a row for each cached treebank, of one release or of all; of one also what it offers."""
    from learnability.treebanks import releases
    from learnability.treebanks.fetch import fetched_treebanks, offered_treebanks

    notes = partial(note, quiet=quiet)
    rows = [
        _row(treebank, "cached") for treebank in fetched_treebanks() if release in (None, treebank.release)
    ]
    if not rows and not names:
        notes(f"no treebank{f' of release {release}' if release else ''} is cached yet")
    if release is None:
        numbers = ", ".join(releases.Release.known())
        notes(f"releases: {numbers}; --release R lists the treebanks of a release, also of a newer one")
    else:
        cached = {row["treebank"] for row in rows}
        offered = offered_treebanks(base_url, note=notes).get(release, ())
        if not offered:
            notes(f"the list of treebanks of release {release} is not known; fetch them by name")
        columns = {"release": release, "state": "offered", "licence": "", "sha256": "", "path": ""}
        rows += [{"treebank": name, **columns} for name in offered if name not in cached]
        rows.sort(key=lambda row: str(row["treebank"]))
    if names:
        rows = [row for row in rows if row["treebank"] in names]
        for name in sorted(set(names) - {row["treebank"] for row in rows}):
            notes(f"{name}: not cached{f', and not known to be in release {release}' if release else ''}")
    return rows


def _row(fetched: Fetched, state: str) -> Row:
    named = {"treebank": fetched.treebank, "release": fetched.release, "state": state}
    return {**named, "licence": fetched.licence, "sha256": fetched.sha256, "path": str(fetched.folder)}


def _progress(steps: ProgressSteps, treebank: str) -> Progress:
    current, shown = "", 0

    def update(stage: str, done: int, total: int | None) -> None:
        nonlocal current, shown
        if stage != current:
            steps.begin(f"{treebank}: {stage}", total and total / 1000, unit="kB")
            current, shown = stage, 0
        steps.advance((done - shown) / 1000)
        shown = done

    return update

"""`learnability fetch`: treebanks of a UD release, downloaded into the cache."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands.options import Execution, options
from learnability.commands.streams import note
from learnability.reports.text import print_json, print_list
from learnability.support.progress import Stages, shown_stages

if TYPE_CHECKING:
    from learnability.treebanks.download import Progress
    from learnability.treebanks.fetch import Fetched

Row = dict[str, Any]


@click.command(name="fetch", epilog="Example: learnability fetch UD_Tamil-TTB --release 2.16")
@click.argument("treebanks", nargs=-1, metavar="TREEBANK...")
@click.option("--release", metavar="R", help="UD release, for example 2.16 or 1.3.")
@click.option("--list", "only_list", is_flag=True, help="Download nothing; list what is cached and offered.")
@click.option(
    "--base-url", metavar="URL",
    help="Mirror: has URL/UD_X/archive/refs/tags/rR.tar.gz, or URL/ud-treebanks-vR.tgz for a whole release.",
)  # fmt: skip
@options(Execution, "as_json", "quiet")
def command(
    treebanks: tuple[str, ...], release: str | None, only_list: bool, base_url: str | None, **given: bool
) -> None:
    """Download treebanks of a UD release into the cache, where all commands find them by name.

    TREEBANK is a name such as UD_Tamil-TTB (its release tag on GitHub is downloaded), or `all` for a whole
    release (one archive from LINDAT/CLARIAH-CZ, about 0.7 GB). The SHA-256 of the first download is recorded,
    and checked ever after. Proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    """
    from learnability.treebanks import releases

    base_url = releases.check_base_url(base_url)
    if release is not None:
        release = releases.release_number(release)
    if only_list:
        rows = list_rows(treebanks, release, base_url, quiet=given["quiet"])
    elif release is None:
        newest = releases.newest_release()
        raise click.UsageError(f"no release given; give --release, for example --release {newest}")
    elif not treebanks:
        raise click.UsageError("no treebank given; give names, all, or --list to see what there is")
    else:
        rows = fetch_rows(treebanks, release, base_url, quiet=given["quiet"])
    columns = ("treebank", "release", "state", "licence", "path")
    if given["as_json"]:
        print_json(rows)
    elif rows:
        print_list(columns, [[row[column] for column in columns] for row in rows])


def fetch_rows(names: tuple[str, ...], release: str, base_url: str | None, *, quiet: bool) -> list[Row]:
    """Fetch the treebanks in turn; one row for each."""
    from learnability.treebanks import releases
    from learnability.treebanks.fetch import ALL, fetch_release, fetch_treebank

    names = tuple(dict.fromkeys(names))
    for name in names:
        if name != ALL:
            releases.check_name(name)
    tell = partial(note, quiet=quiet)
    if (known := releases.known_releases().get(release)) and known.note:
        tell(known.note)
    rows = []
    for name in names:
        with shown_stages(f"{name} {release}: connecting", quiet=quiet) as stages:
            progress = _progress(stages, f"{name} {release}")
            if name == ALL:
                fetched = fetch_release(release, base_url=base_url, progress=progress, note=tell)
            else:
                fetched = (fetch_treebank(name, release, base_url=base_url, progress=progress, note=tell),)
        rows += [_row(own, "downloaded" if own.downloaded else "cached") for own in fetched]
    return rows


def list_rows(names: tuple[str, ...], release: str | None, base_url: str | None, *, quiet: bool) -> list[Row]:
    """What is cached, of all releases or of one; of one also what it offers."""
    from learnability.treebanks import releases
    from learnability.treebanks.fetch import fetched_treebanks, offered_treebanks

    tell = partial(note, quiet=quiet)
    cached = [own for own in fetched_treebanks() if release in (None, own.release)]
    rows = [_row(own, "cached") for own in cached]
    if not cached and not names:
        tell(f"no treebank{f' of release {release}' if release else ''} is cached yet")
    if release is not None:
        offered = offered_treebanks(base_url, note=tell).get(release, ())
        if not offered:
            what = f"which treebanks release {release} has is not known here"
            tell(f"{what}; they can be fetched by name anyway")
        there = {own.treebank for own in cached}
        new = {"release": release, "state": "offered", "licence": "", "sha256": "", "path": ""}
        rows += [{"treebank": name, **new} for name in offered if name not in there]
    else:
        tell(
            f"releases: {', '.join(releases.known_releases())}; --release R lists what a release offers, "
            "a newer one included"
        )
    if names:
        rows = [row for row in rows if row["treebank"] in names]
        for name in sorted(set(names) - {row["treebank"] for row in rows}):
            tell(f"{name}: not cached{f', and not known to be in release {release}' if release else ''}")
    return sorted(rows, key=lambda row: str(row["treebank"])) if release else rows


def _row(own: Fetched, state: str) -> Row:
    named = {"treebank": own.treebank, "release": own.release, "state": state, "licence": own.licence}
    return {**named, "sha256": own.sha256, "path": str(own.folder)}


def _progress(stages: Stages, what: str) -> Progress:
    """Who shows how many bytes are downloaded and unpacked, and how fast."""
    from rich.filesize import pick_unit_and_suffix

    current, shown, began = "connecting", 0, 0.0

    def update(stage: str, done: int, total: int | None) -> None:
        nonlocal current, shown, began
        if stage != current:
            stages.stage(f"{what}: {stage}", total)
            current, shown, began = stage, 0, time.monotonic()
        size, unit = pick_unit_and_suffix(total or done, ["bytes", "kB", "MB", "GB"], 1000)
        of = f"/{total / size:,.1f}" if total else ""
        speed = done / size / max(time.monotonic() - began, 1e-3)
        stages.advance(done - shown, count=f"{done / size:,.1f}{of} {unit}", speed=f"{speed:,.1f} {unit}/s")
        shown = done

    return update

"""Write the atlas of a comparison, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from learnability.atlas import site
from learnability.errors import InputError
from learnability.evidence.stored_runs import StoredRun
from learnability.evidence.survey import Evidence
from learnability.support.files import check_replaceable, folder_atomically
from learnability.support.progress import ProgressSteps

ATLAS_FILES = (site.INDEX, site.CSV, site.STYLE, site.SCRIPT, site.LAND, *site.FOLDERS)


def check_place(atlas: str, out: str | None) -> None:
    """Check before long work that the atlas can be written, apart from the folder of tables `out`.

    Raises:
        InputError: the folder holds other files or the tables.
    """
    if out is not None:
        place, tables = (Path(os.path.realpath(path)) for path in (atlas, out))
        if place.is_relative_to(tables) or tables.is_relative_to(place):
            raise InputError("`out` and `atlas` need separate folders; choose another `atlas`")
    check_replaceable(atlas, ATLAS_FILES)


def publish(atlas: str, evidence: Evidence, runs: Sequence[StoredRun], steps: ProgressSteps) -> str:
    """Write the atlas to a folder, and return where it is, in a line.

    Raises:
        InputError: several parsers were compared, or the folder cannot be written.
    """
    parsers = list(dict.fromkeys(pair.row.parser for pair in evidence.pairs))
    if len(parsers) > 1:
        raise InputError(
            f"an atlas has the answers of one parser, and the runs have those of {', '.join(parsers)}; name "
            "runs of one parser"
        )
    files = site.atlas_files(evidence, runs, steps)
    with (
        InputError.explain(f"{atlas} cannot be written", "choose another folder"),
        folder_atomically(atlas) as folder,
    ):
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    return f"Wrote the atlas to {atlas}: open {Path(atlas) / site.INDEX}"

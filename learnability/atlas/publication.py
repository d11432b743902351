"""Write the atlas of a comparison, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from learnability.atlas import site
from learnability.atlas.declaration import PublicationOptions
from learnability.atlas.sentences import SentenceSource
from learnability.errors import InputError
from learnability.evidence.stored_runs import StoredRun
from learnability.evidence.survey import Evidence
from learnability.reports.comparison_output import ComparisonOutput
from learnability.studies.experiment_arguments import treebanks_found
from learnability.support.files import check_replaceable, folder_atomically
from learnability.support.progress import ProgressSteps

ATLAS_FILES = (site.INDEX, site.CSV, site.STYLE, site.SCRIPT, site.LAND, *site.FOLDERS)


class Publication(ComparisonOutput[PublicationOptions]):
    """Write the atlas if it is asked for."""

    def check(self, out: str | None) -> None:
        """Check before long work that it can be written, apart from the folder of tables `out`.

        Raises:
            InputError: the folder holds other files or the tables.
        """
        atlas = self.options.atlas
        if atlas is None:
            return
        if out is not None:
            place, tables = (Path(os.path.realpath(path)) for path in (atlas, out))
            if place.is_relative_to(tables) or tables.is_relative_to(place):
                raise InputError("`out` and `atlas` need separate folders; choose another `atlas`")
        check_replaceable(atlas, ATLAS_FILES)

    def write(self, evidence: Evidence, runs: Sequence[StoredRun], steps: ProgressSteps) -> Iterator[str]:
        """Write the atlas, and yield where it is."""
        atlas = self.options.atlas
        if atlas is None:
            return
        files = site.atlas_files(evidence, runs, SentenceSource(runs, treebanks_found), steps)
        with folder_atomically(atlas) as folder:
            _write(folder, files)
        yield f"Wrote the atlas to {atlas}: open {Path(atlas) / site.INDEX}"


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    with InputError.explain(f"{folder} cannot be written", "choose another folder"):
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)

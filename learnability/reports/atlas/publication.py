"""Write the atlas and the CLDF dataset of a comparison, each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from learnability.errors import InputError, explained
from learnability.evidence.stored_runs import StoredRun
from learnability.evidence.survey import Evidence
from learnability.reports.atlas import cldf, site
from learnability.reports.atlas.sentences import SentenceSource
from learnability.support.files import check_replaceable, folder_atomically
from learnability.support.progress import Stages

ATLAS_FILES = (site.INDEX, site.CSV, site.STYLE, site.SCRIPT, *site.FOLDERS)


@dataclass(frozen=True)
class Publication:
    """Hold the folders of the atlas and of the dataset; None for one that is not asked for."""

    atlas: str | None = None
    cldf: str | None = None

    def check(self, out: str | None = None) -> None:
        """Check before long work that both can be written, apart from the folder of tables `out`.

        Raises:
            InputError: a folder holds other files or another of the folders.
        """
        folders = {"out": out, "atlas": self.atlas, "cldf": self.cldf}
        places = {name: Path(os.path.realpath(path)) for name, path in folders.items() if path is not None}
        for (name, place), (other, second) in combinations(places.items(), 2):
            if place.is_relative_to(second) or second.is_relative_to(place):
                raise InputError(f"`{name}` and `{other}` need separate folders; choose another `{other}`")
        if self.atlas is not None:
            check_replaceable(self.atlas, ATLAS_FILES)
        if self.cldf is not None:
            check_replaceable(self.cldf, cldf.FILES)

    def write(
        self, evidence: Evidence, runs: Sequence[StoredRun], source: SentenceSource, stages: Stages
    ) -> Iterator[str]:
        """Write what is asked for, and yield what was written, a line each.

        Without pycldf there is no dataset; see :meth:`check_complete`.
        """
        if self.atlas is not None:
            files = site.atlas_files(evidence, runs, source, stages)
            with folder_atomically(self.atlas) as folder:
                _write(folder, files)
            yield f"Wrote the atlas to {self.atlas}: open {Path(self.atlas) / site.INDEX}"
        if self.cldf is not None and cldf.is_installed():
            stages.stage("writing the dataset")
            with folder_atomically(self.cldf, cldf.FILES) as folder:
                remarks = cldf.write_dataset(folder, evidence, runs, source)
            yield f"Wrote the CLDF dataset to {self.cldf}"
            yield from remarks

    def check_complete(self) -> None:
        """Raise an InputError if pycldf is missing; everything else has been written."""
        if self.cldf is not None:
            cldf.check_installed()


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    with explained(f"{folder} cannot be written", "choose another folder"):
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)

"""Write the atlas and the CLDF dataset of a comparison, each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from learnability.atlas import cldf, site
from learnability.atlas.declaration import PublicationOptions
from learnability.atlas.sentences import SentenceSource
from learnability.errors import InputError
from learnability.evidence.stored_runs import StoredRun
from learnability.evidence.survey import Evidence
from learnability.reports.comparison_output import ComparisonOutput
from learnability.studies.experiment_arguments import treebanks_found
from learnability.support.files import check_replaceable, folder_atomically
from learnability.support.progress import ProgressSteps

ATLAS_FILES = (site.INDEX, site.CSV, site.STYLE, site.SCRIPT, *site.FOLDERS)


class Publication(ComparisonOutput[PublicationOptions]):
    """Write the folders that were asked for."""

    def check(self, out: str | None) -> None:
        """Check before long work that both can be written, apart from the folder of tables `out`.

        Raises:
            InputError: a folder holds other files or another of the folders.
        """
        folders = {"out": out, "atlas": self.options.atlas, "cldf": self.options.cldf}
        places = {name: Path(os.path.realpath(path)) for name, path in folders.items() if path is not None}
        for (name, place), (other, second) in combinations(places.items(), 2):
            if place.is_relative_to(second) or second.is_relative_to(place):
                raise InputError(f"`{name}` and `{other}` need separate folders; choose another `{other}`")
        if self.options.atlas is not None:
            check_replaceable(self.options.atlas, ATLAS_FILES)
        if self.options.cldf is not None:
            check_replaceable(self.options.cldf, cldf.FILES)

    def write(self, evidence: Evidence, runs: Sequence[StoredRun], steps: ProgressSteps) -> Iterator[str]:
        """Write what is asked for, and yield what was written, a line each.

        Without pycldf there is no dataset; see :meth:`check_complete`.
        """
        atlas, dataset = self.options.atlas, self.options.cldf
        source = SentenceSource(runs, treebanks_found)
        if atlas is not None:
            files = site.atlas_files(evidence, runs, source, steps)
            with folder_atomically(atlas) as folder:
                _write(folder, files)
            yield f"Wrote the atlas to {atlas}: open {Path(atlas) / site.INDEX}"
        if dataset is not None and cldf.is_installed():
            steps.begin("writing the dataset")
            with folder_atomically(dataset, cldf.FILES) as folder:
                remarks = cldf.write_dataset(folder, evidence, runs, source)
            yield f"Wrote the CLDF dataset to {dataset}"
            yield from remarks

    def check_complete(self) -> None:
        """Raise an InputError if pycldf is missing; everything else has been written."""
        if self.options.cldf is not None:
            cldf.check_installed()


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    with InputError.explain(f"{folder} cannot be written", "choose another folder"):
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)

"""Take the trees of a program as an annotation: a scheme whose TOML file has a command, not rules."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from learnability.comparing.annotation import CarriedAnnotation, Columns
from learnability.treebanks.annotator import Annotator
from learnability.treebanks.conllu_io import Reading
from learnability.treebanks.locate import TreebankFiles


@dataclass(frozen=True, eq=False, repr=False)
class CommandAnnotation(CarriedAnnotation):
    """Hold the trees of a program, which the sentences carry."""

    parameter: ClassVar[str] = "alternative"

    path: str
    annotator: Annotator
    description: str = ""

    @property
    def changes(self) -> Columns:
        return Columns.from_names(self.annotator.columns)

    @property
    def name(self) -> str:
        return self.path

    @property
    def title(self) -> str:
        return self.annotator.name

    @property
    def definition(self) -> tuple[str, ...] | None:
        """Return the SHA-256 of its file."""
        return (hashlib.sha256(Path(self.path).read_bytes()).hexdigest(),)

    def annotate_files(self, files: TreebankFiles, reading: Reading) -> TreebankFiles:
        return self.annotator.files(files, **reading)

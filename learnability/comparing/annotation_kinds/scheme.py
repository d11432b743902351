"""Define annotations by schemes of rules, from the catalogue or a TOML file, or joined with ``+``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from learnability.comparing.annotation import SCHEME, Annotation, CarriedAnnotation, Columns, RuleAnnotation
from learnability.schemes import CommandScheme, Scheme, find_scheme, split_names
from learnability.support.toml_section import SUFFIX
from learnability.transforms.base import Transformation
from learnability.transforms.relabelling import Relabelling
from learnability.treebanks.annotator import Annotator
from learnability.treebanks.conllu_io import Reading
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions


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


@dataclass(frozen=True, eq=False, repr=False)
class SchemeAnnotation(RuleAnnotation):
    """UD with all transformations of a scheme."""

    parameter: ClassVar[str] = "alternative"

    scheme: Scheme

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        """Return the scheme, read from its file if it has one; a scheme may also be a command."""
        if not spelling.startswith(SCHEME):
            return None
        name = spelling.removeprefix(SCHEME)
        scheme = find_scheme(name)
        if isinstance(scheme, CommandScheme):
            return CommandAnnotation(SCHEME + name, name, scheme.annotator, scheme.description)
        if len(split_names(name)) > 1:
            name = scheme.name  # in the order of the transformations, defaults left out
        return cls(SCHEME + name, scheme)

    @property
    def name(self) -> str:
        """Return the name of the scheme, or the path of its file."""
        return self.spelling.removeprefix(SCHEME)

    @property
    def title(self) -> str:
        return self.scheme.name

    @property
    def definition(self) -> tuple[str, ...] | None:
        """Return what it consists of, and the SHA-256 of its file."""
        specs = self.scheme.specs
        if not self.name.endswith(SUFFIX):
            return specs
        return (*specs, hashlib.sha256(Path(self.name).read_bytes()).hexdigest())

    @property
    def description(self) -> str:
        return self.scheme.description or super().description

    @property
    def relabelling(self) -> Relabelling:
        return self.scheme.relabelling

    def transformation(self, conventions: Conventions) -> Transformation:
        return self.scheme.transformation(conventions)

"""Define the kinds of annotation: a transformation, a scheme, other labels, and trees that sentences carry.

UD itself is in `comparing.ud`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from learnability.comparing.annotation import SCHEME, Annotation, CarriedAnnotation, Columns, RuleAnnotation
from learnability.comparing.ud import UniversalDependencies
from learnability.schemes import CommandScheme, Scheme, find_scheme, split_names, transformation_named
from learnability.schemes.relabellings import built_in, is_relabelling, relabelling_named
from learnability.support.toml_section import SUFFIX
from learnability.transforms.base import Rule, Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation, known_transformations
from learnability.transforms.relabelling import Relabelling
from learnability.treebanks.annotator import Annotator
from learnability.treebanks.conllu_io import Reading
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions

TREEBANK = "treebank:"
"""What the spelling of an annotation begins with that a treebank gives."""


class SingleTransformation(RuleAnnotation):
    """UD with one kind of construction transformed in one variant: ``cop:reattach=clause``."""

    is_single: ClassVar[bool] = True

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        """Return the transformation: options in order, defaults left out."""
        if spelling.partition(":")[0] not in known_transformations() or len(split_names(spelling)) > 1:
            return None
        return cls(get_transformation(spelling).spec)

    @classmethod
    def check_name(cls, spelling: str) -> None:
        transformation_named(spelling)

    @property
    def construction(self) -> tuple[str, str]:
        """Return its name and its variant."""
        name, _, variant = self.spelling.partition(":")
        return name, variant

    def transformation(self, conventions: Conventions) -> Rule:
        return get_transformation(self.spelling, conventions)


class RelabelledAnnotation(RuleAnnotation):
    """UD with other tags, features or relations: ``upos:AUX=VERB``, or a built-in change such as
    ``aux-verb``; no head moves."""

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        """Return the change of labels: by its name, or by its values in one spelling."""
        if not is_relabelling(spelling) or len(split_names(spelling)) > 1:
            return None
        return cls(spelling if spelling in built_in() else relabelling_named(spelling).specs[0])

    @property
    def relabelling(self) -> Relabelling:
        return relabelling_named(self.spelling)

    @property
    def definition(self) -> tuple[str, ...] | None:
        return self.relabelling.specs if self.spelling in built_in() else None

    def transformation(self, conventions: Conventions) -> Transformation:
        return JointTransformation((), self.spelling)


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
        return (hashlib.sha256(Path(self.path).read_bytes()).hexdigest(),)

    def annotate_files(self, files: TreebankFiles, reading: Reading) -> TreebankFiles:
        return self.annotator.files(files, **reading)


@dataclass(frozen=True, eq=False, repr=False)
class SchemeAnnotation(RuleAnnotation):
    """UD with all transformations of a scheme from the catalogue or a TOML file, or joined with ``+``."""

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


class TreebankAnnotation(CarriedAnnotation):
    """Hold the trees of a treebank that is compared with another one of the same sentences, which carry
    them."""

    parameter: ClassVar[str] = "alternative"
    is_typed: ClassVar[bool] = False

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        return cls(spelling) if spelling.startswith(TREEBANK) else None

    @classmethod
    def of(cls, title: str) -> TreebankAnnotation:
        return cls(TREEBANK + title)

    @property
    def name(self) -> str:
        return self.spelling.removeprefix(TREEBANK)


KINDS: tuple[type[Annotation], ...] = (
    RelabelledAnnotation,
    SchemeAnnotation,
    SingleTransformation,
    TreebankAnnotation,
    UniversalDependencies,
)
"""All kinds, in the order in which they are asked what a name stands for."""

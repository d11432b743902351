"""Finding the transformation for the names on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from learnability.commands.streams import read_input
from learnability.errors import InputError
from learnability.support.files import as_name
from learnability.support.options import option
from learnability.treebanks.alignment import annotation, with_annotation
from learnability.treebanks.labels import detect_conventions, release_in
from learnability.treebanks.locate import language_code
from learnability.treebanks.sentence import Conventions, Tree, trees_of

if TYPE_CHECKING:
    from learnability.comparing.options import TreebankSelection
    from learnability.support.progress import Stages
    from learnability.transforms.base import Transformation
    from learnability.treebanks.annotator import Annotator
    from learnability.treebanks.conllu_io import ConlluFile
    from learnability.treebanks.locate import TreebankFiles


@dataclass(frozen=True)
class Names:
    """A transformation by its name, several that apply together, or a scheme."""

    PANEL: ClassVar[str] = "Annotation"

    transform: tuple[str, ...] = option(
        (), "Transformation, for example case, cop:reattach=clause or 'case:lemma=of|to'; repeatable.",
        metavar="NAME",
        multiple=True, completes="transforms",
    )  # fmt: skip
    scheme: str | None = option(None, "Scheme, for example sud-like.", metavar="S", completes="schemes")

    @property
    def is_set(self) -> bool:
        """Return whether the user named a construction or a scheme."""
        return bool(self.transform or self.scheme)

    def check(self) -> None:
        """Refuse unknown names and missing programs before anything is read."""
        if annotator := self.annotator():
            annotator.check()
        else:
            self.transformation(Conventions())

    def annotator(self) -> Annotator | None:
        """Return the program that makes the scheme's trees; None if there are rules instead."""
        from learnability.schemes import CommandScheme, find_scheme

        if not self.scheme or self.transform:
            return None
        scheme = find_scheme(self.scheme)
        return scheme.annotator if isinstance(scheme, CommandScheme) else None

    def transformation(self, conventions: Conventions) -> Transformation:
        """Return the transformation for a treebank with these conventions."""
        from learnability.schemes import get_scheme, transformation_named
        from learnability.transforms.joint import JointTransformation

        if bool(self.transform) == bool(self.scheme):
            raise InputError("give either --transform NAME (repeatable) or --scheme NAME")
        if self.scheme:
            return get_scheme(self.scheme, conventions)
        parts = [transformation_named(name, conventions) for name in self.transform]
        return parts[0] if len(parts) == 1 else JointTransformation(parts)

    def read(self, path: str | None, *, multiple_roots: bool, stages: Stages) -> ConlluFile:
        """Return the file (see `read_input`).

        If a program makes the scheme, the trees also have its annotation.
        """
        file = read_input(path, multiple_roots=multiple_roots, stages=stages)
        if (annotator := self.annotator()) is None:
            return file
        other = annotator.annotated(file, multiple_roots=multiple_roots)
        return replace(file, sentences=with_annotation(file.sentences, annotator.name, other.sentences))

    def files(self, selection: TreebankSelection) -> TreebankFiles:
        """Return the files of the treebank; if a program makes the scheme, they include its annotation."""
        files = selection.files()
        if (annotator := self.annotator()) is None:
            return files
        other = annotator.files(files, multiple_roots=selection.multiple_roots)
        return replace(files, annotations=((annotator.name, other),))

    def change(self, conventions: Conventions, labels: str = "keep") -> Callable[[Tree], Tree]:
        """Return a function from a tree to its alternative; a program has added the alternative before."""
        if annotator := self.annotator():
            return partial(annotation, name=annotator.name)
        return partial(self.transformation(conventions).apply, labels=labels)

    def only_for_rules(self, **values: object) -> None:
        """Refuse options that make sense only for rules, if a program makes the trees.

        Raises:
            InputError: such an option has a value.
        """
        annotator = self.annotator()
        for name, value in values.items():
            if value and annotator:
                problem = "is a command, which assigns only heads and relations"
                raise InputError(f"scheme {annotator.name} {problem}; leave out --{name}")

    def label(self, conventions: Conventions) -> str:
        """Return the end of a folder's name: ``case+det``, ``cop-reattach-clause``, ``sud-like``."""
        if self.scheme:
            return as_name(self.scheme.removesuffix(".toml").rpartition("/")[2])
        return "+".join(as_name(part.spec) for part in self.transformation(conventions).parts)


def file_conventions(file: ConlluFile) -> Conventions:
    """Return the conventions of a single file: from its labels, its folder and its name."""
    release = release_in(Path(os.path.realpath(file.path)).parent.parent.name) if file.path else ""
    conventions = detect_conventions(trees_of(file), release=release)
    return replace(conventions, language=language_code([file.path] if file.path else []))

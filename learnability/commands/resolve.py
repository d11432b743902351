"""From the names on the command line to the transformation they mean."""

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
    def given(self) -> bool:
        """Whether anything was named."""
        return bool(self.transform or self.scheme)

    def check(self) -> None:
        """Refuse unknown names, and programs that are not there, before anything is read."""
        if annotator := self.annotator():
            annotator.check()
        else:
            self.transformation(Conventions())

    def annotator(self) -> Annotator | None:
        """The program that makes the scheme's trees, where it is a command; else there are rules."""
        from learnability.schemes import CommandScheme, find_scheme

        if not self.scheme or self.transform:
            return None
        scheme = find_scheme(self.scheme)
        return scheme.annotator if isinstance(scheme, CommandScheme) else None

    def transformation(self, conventions: Conventions) -> Transformation:
        """The transformation, for a treebank with these conventions."""
        from learnability.schemes import get_scheme, transformation_named
        from learnability.transforms.joint import JointTransformation

        if bool(self.transform) == bool(self.scheme):
            raise InputError("give --transform NAME (repeatable) or --scheme NAME, one of the two")
        if self.scheme:
            return get_scheme(self.scheme, conventions)
        parts = [transformation_named(name, conventions) for name in self.transform]
        return parts[0] if len(parts) == 1 else JointTransformation(parts)

    def read(self, path: str | None, *, multiple_roots: bool, stages: Stages) -> ConlluFile:
        """The file (see `read_input`); its trees also bear those of a program, if one makes the scheme's."""
        file = read_input(path, multiple_roots=multiple_roots, stages=stages)
        if (annotator := self.annotator()) is None:
            return file
        other = annotator.annotated(file, multiple_roots=multiple_roots)
        return replace(file, sentences=with_annotation(file.sentences, annotator.name, other.sentences))

    def files(self, selection: TreebankSelection) -> TreebankFiles:
        """The treebank; its trees will also bear those of a program, if one makes the scheme's."""
        files = selection.files()
        if (annotator := self.annotator()) is None:
            return files
        other = annotator.files(files, multiple_roots=selection.multiple_roots)
        return replace(files, annotations=((annotator.name, other),))

    def change(self, conventions: Conventions, labels: str = "keep") -> Callable[[Tree], Tree]:
        """What gives the alternative of a tree, which bears it where a program made it."""
        if annotator := self.annotator():
            return partial(annotation, name=annotator.name)
        return partial(self.transformation(conventions).apply, labels=labels)

    def only_for_rules(self, **given: object) -> None:
        """InputError for options that say something of rules, where a program makes the trees."""
        annotator = self.annotator()
        for name in (name for name, value in given.items() if value and annotator):
            what = "is a command, which tells heads and relations and no more"
            raise InputError(f"scheme {annotator and annotator.name} {what}; drop --{name}")

    def label(self, conventions: Conventions) -> str:
        """What follows the ``@`` in a folder's name: ``case+det``, ``cop-reattach-clause``, ``sud-like``."""
        if self.scheme:
            return as_name(self.scheme.removesuffix(".toml").rpartition("/")[2])
        return "+".join(as_name(part.spec) for part in self.transformation(conventions).parts)


def file_conventions(file: ConlluFile) -> Conventions:
    """The conventions of a file by itself: its labels, and what its place and name tell."""
    release = release_in(Path(os.path.realpath(file.path)).parent.parent.name) if file.path else ""
    conventions = detect_conventions(trees_of(file), release=release)
    return replace(conventions, language=language_code([file.path] if file.path else []))

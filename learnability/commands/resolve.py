"""Find the transformation for the names on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Unpack, cast

from learnability.commands.streams import read_input
from learnability.errors import InputError
from learnability.support.files import as_name
from learnability.support.options import option
from learnability.treebanks.alignment import annotation, with_annotation
from learnability.treebanks.sentence import Conventions, Tree

if TYPE_CHECKING:
    from learnability.comparing.annotation import Annotation
    from learnability.comparing.options import TreebankSelection
    from learnability.multiref.references import LabelOption
    from learnability.support.progress import ProgressSteps
    from learnability.transforms.base import Transformation
    from learnability.treebanks.annotator import Annotator
    from learnability.treebanks.conllu_io import ConlluFile, Reading
    from learnability.treebanks.locate import TreebankFiles


@dataclass(frozen=True)
class Names:
    """Represent a transformation by its name, several that apply together, or a scheme."""

    PANEL: ClassVar[str] = "Annotation"

    transform: tuple[str, ...] = option(
        (), "Transformation, for example case, cop:reattach=clause, 'case:lemma=of|to' or upos:AUX=VERB; "
        "repeatable.",
        metavar="NAME",
        multiple=True, completes="transforms",
    )  # fmt: skip
    alternative: str | None = option(
        None, "Scheme, by its name or its TOML file: sud, mine.toml.", metavar="S", completes="schemes"
    )  # fmt: skip

    @property
    def is_set(self) -> bool:
        return bool(self.transform or self.alternative)

    def check(self) -> None:
        if annotator := self.annotator():
            annotator.check()
        else:
            self.annotation()

    def annotator(self) -> Annotator | None:
        """Return the program that makes the scheme's trees; None if there are rules instead."""
        from learnability.schemes import CommandScheme, find_scheme

        if not self.alternative or self.transform:
            return None
        scheme = find_scheme(self.alternative)
        return scheme.annotator if isinstance(scheme, CommandScheme) else None

    def annotation(self) -> Annotation:
        """Return the annotation that the names stand for."""
        from learnability.comparing.names import join_transformations, scheme_named

        if bool(self.transform) == bool(self.alternative):
            raise InputError(
                "no single alternative is named; use --transform NAME (repeatable) or --alternative SCHEME, "
                "for example --transform case"
            )
        return scheme_named(self.alternative) if self.alternative else join_transformations(self.transform)

    def find_relabelling(self) -> Annotation | None:
        """Return the annotation if it changes tags or relations by rule; None if it only moves heads."""
        annotation = self.annotation()
        return annotation if annotation.relabelling else None

    def transformation(self, conventions: Conventions) -> Transformation:
        """Return the transformation for a treebank with these conventions."""
        rule = self.annotation().rule(conventions)
        if rule is None:
            problem = "changes tags or relations, and this command needs rules that only move heads"
            raise InputError(f"{self.title} {problem}; write its trees with `learnability transform`")
        return rule

    @property
    def title(self) -> str:
        return self.alternative or "+".join(self.transform)

    def read(self, path: str | None, *, steps: ProgressSteps, **reading: Unpack[Reading]) -> ConlluFile:
        """Return the file (see `read_input`).

        If a program makes the scheme, the trees also have its annotation.
        """
        file = read_input(path, steps=steps, **reading)
        if (annotator := self.annotator()) is None:
            return file
        other = annotator.annotate_file(file, **reading)
        return replace(file, sentences=with_annotation(file.sentences, annotator.name, other.sentences))

    def files(self, selection: TreebankSelection) -> TreebankFiles:
        """Return the files of the treebank; if a program makes the scheme, they include its annotation."""
        files = selection.files()
        if (annotator := self.annotator()) is None:
            return files
        other = annotator.files(files, **selection.data.reading)
        return replace(files, annotations=((annotator.name, other),))

    def change(self, conventions: Conventions, labels: str = "keep") -> Callable[[Tree], Tree]:
        """Return a function from a tree to its alternative; a program has added the alternative before."""
        if annotator := self.annotator():
            return partial(annotation, name=annotator.name)
        if relabelled := self.find_relabelling():
            return relabelled.change(conventions, cast("LabelOption", labels))
        return partial(self.transformation(conventions).apply, labels=labels)

    def only_for_rules(self, **values: object) -> None:
        """Refuse options that make sense only for rules that move heads, if something else makes trees."""
        problem = ""
        if annotator := self.annotator():
            problem = f"scheme {annotator.name} is a command, which assigns only heads and relations"
        elif self.is_set and self.find_relabelling():
            problem = f"{self.title} changes tags or relations"
        for name, value in values.items():
            if value and problem:
                raise InputError(f"{problem}; leave out --{name}")

    def label(self, conventions: Conventions) -> str:
        """Return the end of a folder's name: ``case+det``, ``cop-reattach-clause``, ``sud``."""
        if self.alternative:
            return as_name(self.alternative.removesuffix(".toml").rpartition("/")[2])
        annotation = self.annotation()
        return "+".join(as_name(spec) for spec in (*annotation.specs, *annotation.relabelling.specs))

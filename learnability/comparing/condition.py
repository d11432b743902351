"""The two annotations that a condition compares, what can be said of them, and those of an experiment.

Setting (a) trains on the *original* annotation, which is UD unless ``--against`` (or ``--alternative``) names
another; setting (b) on the *transformed* one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnability.comparing.annotation import Annotation, Columns
from learnability.errors import InputError
from learnability.multiref.contrasts import AgainstScheme, AgainstUD, BetweenTrees, Contrast
from learnability.multiref.references import LabelOption
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions

if TYPE_CHECKING:
    from learnability.comparing.options import ExperimentOptions


@dataclass(frozen=True)
class Condition:
    """Two annotations to compare on a treebank, and what they can be compared by."""

    original: Annotation
    transformed: Annotation

    @property
    def changes(self) -> Columns:
        """Return the columns in which the two may differ."""
        return self.original.changes | self.transformed.changes

    @property
    def has_rules(self) -> bool:
        """Return whether rules make both annotations.

        Then the places where they differ are known (the sites), and without a site there is nothing to
        compare. Otherwise only the kinds of change are known.
        """
        return self.original.has_rule and self.transformed.has_rule

    @property
    def has_survival(self) -> bool:
        """Return whether one parser can be trained on both at once (setting c).

        The parser must read the same words and tags, and choose between heads.
        """
        return Columns.HEADS in self.changes and Columns.TAGS not in self.changes

    @property
    def has_common_reference(self) -> bool:
        """Return whether there are references between the two, so that each parse has a closest reference."""
        return bool(self.changes & (Columns.HEADS | Columns.RELATIONS))

    @property
    def has_conversion_back(self) -> bool:
        """Return whether parses of both can be converted to UD."""
        return self.has_rules

    @property
    def has_nuclei(self) -> bool:
        """Return whether nucleus scores are defined.

        They are undefined where heads move from one nucleus to another. Only rules can exclude that.
        """
        return self.original.keeps_nuclei and self.transformed.keeps_nuclei

    @property
    def known_elsewhere_as(self) -> str:
        """Return the name of its results in other languages; empty where it is no single rule on UD."""
        parts = self.transformed.parts
        return parts[0].spec if self.original.is_ud and len(parts) == 1 else ""

    def contrast(self, conventions: Conventions, labels: LabelOption | None = None) -> Contrast:
        """Return the two annotations as functions of the UD tree, and the references between them.

        Args:
            conventions: those of the treebank.
            labels: the label option of the run; None if parsers are unlabelled.
        """
        first, second = self.original.rule(conventions), self.transformed.rule(conventions)
        if first is None or second is None:
            return BetweenTrees(
                self.original.change(conventions, labels),
                self.transformed.change(conventions, labels),
                labelled=labels is not None,
            )
        return AgainstUD(second) if self.original.is_ud else AgainstScheme(first, second)

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that name it in files of results."""
        transform, variant = self.transformed.construction
        against = "" if self.original.is_ud else self.original.title
        return {"construction": transform, "variant": variant, "against": against}


def original_of(options: ExperimentOptions) -> Annotation:
    """Return what setting (a) is trained on."""
    return options.against


def transformed_of(options: ExperimentOptions) -> list[Annotation]:
    """Return what settings (b) are trained on, in the order of the rows."""
    return list(options.conditions)


def annotations_of(options: ExperimentOptions) -> list[Annotation]:
    """Return what settings (b) and (a) are trained on."""
    return [*transformed_of(options), original_of(options)]


def conditions_of(options: ExperimentOptions) -> tuple[Condition, ...]:
    """Return the conditions of an experiment, in the order of the rows."""
    return tuple(Condition(options.against, annotation) for annotation in options.conditions)


def annotated_files(files: TreebankFiles, options: ExperimentOptions) -> TreebankFiles:
    """Return the treebank with the annotations of the experiment's commands, each of which is run unless it
    was before.

    Raises:
        InputError: a file cannot be read, or there is no such program.
        RunError: a program failed, or gave no trees of the same words.
    """
    annotations = []
    for annotation in annotations_of(options):
        other = annotation.annotated(files, multiple_roots=options.data.multiple_roots)
        if other is not None:
            annotations.append((annotation.name, other))
    return replace(files, annotations=tuple(annotations))


def check_conditions(options: ExperimentOptions) -> None:
    """Check that the parser sees the tags that rules ask for, and that (a) and (b) are different annotations.

    Raises:
        InputError: they are not.
    """
    original = options.against
    original.check_tags(options.tags)
    for transformed in options.conditions:
        transformed.check_tags(options.tags)
        if original.same_as(transformed) and not original.is_ud:
            raise InputError(
                f"`against={original.name!r}` and {transformed.name} are the same scheme; give "
                "two different ones"
            )

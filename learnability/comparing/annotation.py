"""Annotations: functions from sentence to sentence, whatever columns they change.

The kinds of annotation (UD itself, a transformation, a scheme, the trees of a program or of another treebank)
are in `comparing.kinds`. `comparing.names` resolves the names in options, records and config.json. How two
annotations can be compared depends on the columns that they change and on whether rules make them
(`comparing.condition`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from enum import Flag, auto
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from learnability.errors import InputError

if TYPE_CHECKING:
    from learnability.multiref.contrasts import Change
    from learnability.multiref.references import LabelOption
    from learnability.transforms.base import Rule, Transformation
    from learnability.treebanks.locate import TreebankFiles
    from learnability.treebanks.sentence import Conventions, Tree


SCHEME = "scheme:"
"""What the spelling of a scheme begins with, so that it cannot be taken for a transformation."""


class Columns(Flag):
    """The columns of CoNLL-U that an annotation may change. Tags stand for all that a parser reads of a word:
    where they change, its input does."""

    NONE = 0
    HEADS = auto()
    RELATIONS = auto()
    TAGS = auto()


@dataclass(frozen=True, eq=False, repr=False)
class Annotation(ABC):
    """A function from UD trees to trees of the same words, known by its spelling in records and config.json.

    Two annotations are equal if their spellings are. What a name stands for goes with the object to other
    processes, where no file is read again.

    A kind of annotation is a subclass with :meth:`change` and, if it can be named, :meth:`resolved`, in a
    module of `comparing.kinds`.

    Attributes:
        changes: the columns that it may change.
        parameter: after which a user writes its name.
        is_typed: whether users name it there; if not, another option stands for it.
        is_ud: whether it is UD itself.
        is_single: whether it is one transformation of UD, which can be combined with others.
    """

    changes: ClassVar[Columns] = Columns.HEADS | Columns.RELATIONS
    parameter: ClassVar[str] = "transform"
    is_typed: ClassVar[bool] = True
    is_ud: ClassVar[bool] = False
    is_single: ClassVar[bool] = False

    spelling: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annotation) and self.spelling == other.spelling

    def __hash__(self) -> int:
        return hash(self.spelling)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spelling}>"

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def resolved(cls, spelling: str) -> Annotation | None:
        """Return the annotation that a spelling stands for; None if it is not one of this kind.

        Raises:
            InputError: it is one of this kind, but there is no such annotation.
        """
        return None

    @classmethod
    def check_name(cls, spelling: str) -> None:
        """Raise an InputError with the nearest name, if the spelling can be meant for this kind."""
        return

    @abstractmethod
    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """Return the function that gives a tree in this annotation, as parsers are trained on it.

        Args:
            conventions: those of the treebank.
            labels: the label option of the run; None if parsers are unlabelled.
        """

    def rule(self, conventions: Conventions) -> Transformation | None:
        """Return the transformation that makes the annotation from UD and can be inverted.

        The transformation has no parts for UD; None if no rule makes the annotation.
        """
        return None

    def annotated(self, files: TreebankFiles, *, multiple_roots: bool) -> TreebankFiles | None:
        """Return the treebank with the files that a program makes for the annotation; None without a program.

        The program runs unless its files exist.

        Raises:
            InputError: a file cannot be read, or there is no such program.
            RunError: the program failed, or gave no trees of the same words.
        """
        return None

    @property
    def name(self) -> str:
        """Return the name as the user writes it."""
        return self.spelling

    @property
    def title(self) -> str:
        """Return the name in results."""
        return self.name

    @property
    def construction(self) -> tuple[str, str]:
        """Return its name in the columns `construction` and `variant` of results."""
        return self.title, ""

    @property
    def definition(self) -> tuple[str, ...] | None:
        """Return the definition of the name for config.json, because it may change; None if it is fixed."""
        return None

    @cached_property
    def _unbound_rule(self) -> Transformation | None:
        """Return the rule for a treebank with default conventions."""
        from learnability.treebanks.sentence import Conventions

        return self.rule(Conventions())

    @property
    def has_rule(self) -> bool:
        """Return whether a rule makes the annotation from UD, and can be inverted."""
        return self._unbound_rule is not None

    @property
    def parts(self) -> tuple[Rule, ...]:
        """Return the rules that make it; none for UD, and where no rule does."""
        return self._unbound_rule.parts if self._unbound_rule is not None else ()

    @property
    def keeps_nuclei(self) -> bool:
        """Return whether it is known to move no arc between nuclei."""
        return self._unbound_rule is not None and self._unbound_rule.keeps_nuclei

    def same_as(self, other: Annotation) -> bool:
        """Return whether both are known to give the same trees, whatever their names are."""
        from learnability.multiref.contrasts import same_scheme

        if self._unbound_rule is None or other._unbound_rule is None:
            return self == other
        return same_scheme(self._unbound_rule, other._unbound_rule)

    def check_tags(self, tags: str) -> None:
        """Raise an InputError if its rules need tags that a parser with the option `tags` does not see."""
        from learnability.transforms.restriction import check_tags

        if self._unbound_rule is not None:
            check_tags(self._unbound_rule, tags)


class RuleAnnotation(Annotation):
    """An annotation that a rule makes of UD."""

    @abstractmethod
    def rule(self, conventions: Conventions) -> Transformation:
        """Return the transformation, for a treebank with these conventions."""

    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """Return the function that transforms every site."""
        return partial(transformed_tree, rule=self.rule(conventions), labels=labels)


class CarriedAnnotation(Annotation):
    """An annotation whose trees the sentences of a treebank carry, under its name."""

    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """Return the function that takes the tree from its sentence."""
        from learnability.treebanks.alignment import annotation

        return partial(annotation, name=self.name)


class RecordedAnnotation(Annotation):
    """An annotation that is known by its spelling only, from a run that is finished: what it stood for may be
    gone. It finds records; with the others nothing can be computed."""

    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """Raise an InputError."""
        raise InputError(f"{self.spelling} is known by its name only; resolve it first")


def transformed_tree(tree: Tree, rule: Transformation, labels: LabelOption | None) -> Tree:
    """Return the tree with every site transformed, with the deprels that a parser is trained on, if it is."""
    if not rule.parts:
        return tree
    if labels is not None:
        return rule.apply(tree, labels=labels)
    # only heads matter: deprels stay as they are, also where the root moves
    plan = rule.plan(tree)
    return tree.with_heads(plan.heads([site.token for site in plan.sites]))

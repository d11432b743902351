"""The two annotations that a condition compares: UD, a transformation of it, a scheme, or a treebank.

Setting (a) trains on the *original* annotation, which is UD unless ``--against`` names another; setting (b)
on the *transformed* one. A name is spelled the same on the command line, in records and in config.json, but
that there a scheme follows ``scheme:``, so that it cannot be taken for a transformation. With
``--alternative`` both annotations are given by treebanks, which follow ``treebank:``. The trees of a scheme
that is a command are given, too: the sentences carry them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations

from learnability.comparing.options import UD, ExperimentOptions
from learnability.errors import InputError
from learnability.multiref.contrasts import (
    AgainstScheme,
    AgainstUD,
    BetweenTrees,
    Change,
    Contrast,
    same_scheme,
)
from learnability.multiref.references import LabelOption
from learnability.schemes import (
    CommandScheme,
    combined,
    find_scheme,
    get_scheme,
    spelled_scheme,
    transformation_named,
)
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import known_transformations
from learnability.transforms.restriction import check_tags
from learnability.treebanks.alignment import annotation
from learnability.treebanks.annotator import Annotator
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions, Tree

SCHEME = "scheme:"
"""What the spelling of a scheme begins with."""

TREEBANK = "treebank:"
"""What the spelling of an annotation begins with that a treebank gives."""


@dataclass(frozen=True, order=True)
class Annotation:
    """UD, a transformation of UD (``cop:reattach=clause``), a scheme (``scheme:all``), or that of a treebank
    (``treebank:UD 2.16``)."""

    spelling: str = UD

    @classmethod
    def named(cls, name: str) -> Annotation:
        """The scheme, TOML file or transformation of this name, in its one spelling; ``ud`` for UD.
        InputError if there is none (with the nearest name)."""
        if name.partition(":")[0] in known_transformations() and len(combined(name)) == 1:
            return cls(name).spelled()
        scheme = cls(SCHEME + name).spelled()
        return scheme if scheme.is_given or scheme.any_rule.parts else cls()

    @property
    def is_ud(self) -> bool:
        """Whether it is UD itself."""
        return self.spelling == UD

    @property
    def is_scheme(self) -> bool:
        """Whether it is a scheme, not a transformation."""
        return self.spelling.startswith(SCHEME)

    @property
    def is_treebank(self) -> bool:
        """Whether it is that of a treebank of ``--alternative``."""
        return self.spelling.startswith(TREEBANK)

    @cached_property
    def annotator(self) -> Annotator | None:
        """The program that makes its trees, where it is a scheme that is a command."""
        scheme = find_scheme(self.name) if self.is_scheme else None
        return scheme.annotator if isinstance(scheme, CommandScheme) else None

    @property
    def is_given(self) -> bool:
        """Whether its trees are given: no rule makes them of UD, and none leads back."""
        return self.is_treebank or self.annotator is not None

    def given(self, tree: Tree) -> Tree:
        """The tree in this annotation, which the sentence carries."""
        return annotation(tree, self.name)

    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """What gives a tree in this annotation; `labels` of the run."""
        if self.is_given:
            return self.given
        return partial(transformed_tree, rule=self.rule(conventions), labels=labels)

    @property
    def name(self) -> str:
        """As the user writes it."""
        return self.spelling.removeprefix(SCHEME).removeprefix(TREEBANK)

    @property
    def title(self) -> str:
        """As results name it: a scheme from a file by the name that the file gives it, UD as UD."""
        if self.is_ud:
            return "UD"
        if self.is_treebank:
            return self.name
        return self.any_rule.name if self.is_scheme else self.spelling

    def rule(self, conventions: Conventions) -> Transformation:
        """The transformation, joint for a scheme, without parts for UD and what is given; InputError for
        unknown names."""
        if self.is_given:
            return JointTransformation((), self.annotator.name if self.annotator else self.name)
        if self.is_ud or self.is_scheme:
            return get_scheme(self.name, conventions)
        return transformation_named(self.spelling, conventions)

    @cached_property
    def any_rule(self) -> Transformation:
        """The rule for a treebank of which nothing is known: for its name, options and parts."""
        return self.rule(Conventions())

    def spelled(self) -> Annotation:
        """The same in its one spelling: options in order, defaults left out."""
        if self.is_scheme:
            return Annotation(SCHEME + spelled_scheme(self.name))
        return Annotation(self.any_rule.spec)

    def same_as(self, other: Annotation) -> bool:
        """Whether both give the same trees, whatever their names are; what is given is known by its name."""
        if self.is_given or other.is_given:
            return self == other
        return same_scheme(self.any_rule, other.any_rule)


@dataclass(frozen=True, order=True)
class Condition:
    """Two annotations to compare on a treebank."""

    original: Annotation
    transformed: Annotation

    @property
    def is_given(self) -> bool:
        """Whether no rule leads from one to the other."""
        return self.original.is_given or self.transformed.is_given

    def contrast(self, conventions: Conventions, labels: LabelOption | None = None) -> Contrast:
        """The two as functions of the UD tree, and the references between them; `labels` of the run."""
        if self.is_given:
            changes = [own.change(conventions, labels) for own in (self.original, self.transformed)]
            return BetweenTrees(changes[0], changes[1], labelled=labels is not None)
        second = self.transformed.rule(conventions)
        if self.original.is_ud:
            return AgainstUD(second)
        return AgainstScheme(self.original.rule(conventions), second)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that name it in files of results."""
        transform, _, variant = self.transformed.spelling.partition(":")
        if self.transformed.is_scheme or self.is_given:
            transform, variant = self.transformed.title, ""
        against = "" if self.original.is_ud else self.original.title
        return {"transform": transform, "variant": variant, "against": against}

    @property
    def has_nuclei(self) -> bool:
        """Whether nucleus scores are defined: not where heads move across nuclei, and not
        without rules, of which alone that is known."""
        known = self.original.any_rule.keeps_nuclei and self.transformed.any_rule.keeps_nuclei
        return known and not self.is_given


def together(specs: Sequence[str]) -> Annotation:
    """Return the annotation that these transformations give together: UD without any."""
    if not specs:
        return Annotation()
    return Annotation(specs[0] if len(specs) == 1 else SCHEME + "+".join(specs)).spelled()


def transformed_tree(tree: Tree, rule: Transformation, labels: LabelOption | None) -> Tree:
    """The tree with every site transformed, with the deprels that a parser is trained on, if on any."""
    if not rule.parts:
        return tree
    if labels is not None:
        return rule.apply(tree, labels=labels)
    # only heads matter: deprels stay as they are, also where the root moves
    plan = rule.plan(tree)
    return tree.with_heads(plan.heads([site.token for site in plan.sites]))


def original_of(options: ExperimentOptions) -> Annotation:
    """What setting (a) is trained on."""
    return Annotation(options.against)


def transformed_of(options: ExperimentOptions) -> list[Annotation]:
    """What settings (b) are trained on, in the order of the rows."""
    return list(map(Annotation, options.conditions))


def annotations_of(options: ExperimentOptions) -> list[Annotation]:
    """What settings (b) and (a) are trained on."""
    return [*transformed_of(options), original_of(options)]


def conditions_of(options: ExperimentOptions) -> tuple[Condition, ...]:
    """The conditions of an experiment, in the order of the rows."""
    return tuple(Condition(original_of(options), annotation) for annotation in transformed_of(options))


def annotated_files(files: TreebankFiles, options: ExperimentOptions) -> TreebankFiles:
    """The treebank with the annotations of the experiment's commands, each of which is run if it was not.

    Raises:
        InputError: a file that cannot be read, or no such program.
        RunError: a program failed, or gave no trees of the same words.
    """
    made = tuple(
        (annotation.name, annotation.annotator.files(files, multiple_roots=options.data.multiple_roots))
        for annotation in annotations_of(options)
        if annotation.annotator is not None
    )
    return replace(files, annotations=made)


def spelled(names: Sequence[str]) -> tuple[str, ...]:
    """The annotations that a user's list means, each once and in its one spelling; InputError for two names
    of one: it would be trained and tested twice, and the correction would count it twice."""
    annotations = list(dict.fromkeys(Annotation(name).spelled() for name in names))
    for one, other in combinations(annotations, 2):
        if one.same_as(other):
            options = [f"--{'scheme' if own.is_scheme else 'transform'} {own.name}" for own in (one, other)]
            raise InputError(f"{' and '.join(options)} are the same annotation; leave out one of them")
    return tuple(annotation.spelling for annotation in annotations)


def compared_with(options: ExperimentOptions, name: str, *, given: bool) -> ExperimentOptions:
    """The options with the annotation `name` as the original one. A condition that is the same is left out;
    InputError if the conditions were `given` by the user."""
    original = Annotation.named(name)
    same = [annotation for annotation in transformed_of(options) if original.same_as(annotation)]
    if same and given:
        raise InputError(f"--against {name}: {same[0].name} is the same scheme; compare it with another")
    rest = tuple(c for c in options.conditions if Annotation(c) not in same)
    return replace(options, against=original.spelling, conditions=rest)


def check_conditions(options: ExperimentOptions) -> None:
    """Refuse unknown names, and with ``--against`` the same scheme on both sides, with an InputError."""
    original = original_of(options)
    check_tags(original.any_rule, options.tags)
    for transformed in transformed_of(options):
        check_tags(transformed.any_rule, options.tags)
        if original.same_as(transformed) and not original.is_ud:
            raise InputError(f"--against {original.name}: {transformed.name} is the same scheme")

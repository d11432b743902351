"""Define annotations: functions from sentence to sentence, whatever columns they change.

The kinds of annotation (UD itself, a transformation, a scheme, the trees of a program or of another treebank)
are in `comparing.annotation_kinds`. `comparing.names` resolves the names in options, records and config.json.
How two annotations can be compared depends on the columns that they change and on whether rules make them
(`comparing.pair`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Flag, auto
from functools import cached_property, partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, ClassVar

from learnability.errors import InputError
from learnability.transforms.relabelling import Relabelling, problems_of
from learnability.treebanks.labels import COMPLEMENT, complement_of
from learnability.treebanks.sentence import Conventions

if TYPE_CHECKING:
    from learnability.multiref.contrasts import TreeFunction
    from learnability.multiref.references import LabelOption
    from learnability.transforms.base import Rule, Transformation
    from learnability.treebanks.conllu_io import Reading
    from learnability.treebanks.locate import TreebankFiles
    from learnability.treebanks.sentence import Tree


SCHEME = "scheme:"
"""What the spelling of a scheme begins with, so that it cannot be taken for a transformation."""


class Columns(Flag):
    """Hold the columns of CoNLL-U that an annotation may change.

    Parsers read one of the tags: UPOS or XPOS, and some of ours FEATS.
    """

    NONE = 0
    HEADS = auto()
    RELATIONS = auto()
    UPOS = auto()
    XPOS = auto()
    FEATS = auto()
    TAGS = UPOS | XPOS | FEATS

    @classmethod
    def from_names(cls, names: Iterable[str]) -> Columns:
        return reduce(or_, (_NAMED[name] for name in names), cls.NONE)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, column in _NAMED.items() if column in self)


_NAMED = {
    "head": Columns.HEADS,
    "deprel": Columns.RELATIONS,
    "upos": Columns.UPOS,
    "xpos": Columns.XPOS,
    "feats": Columns.FEATS,
}


def learned_columns(tags: str, *, labelled: bool) -> Columns:
    """Return the columns that a parser reads with this option `tags`, or learns."""
    read = {"xpos": Columns.XPOS, "none": Columns.NONE}.get(tags, Columns.UPOS)
    return Columns.HEADS | read | (Columns.RELATIONS if labelled else Columns.NONE)


@dataclass(frozen=True, eq=False, repr=False)
class Annotation(ABC):
    """Represent a function from UD trees to trees of the same words, known by its spelling in records and
    config.json.

    Two annotations are equal if their spellings are. What a name stands for goes with the object to other
    processes, where no file is read again.

    A kind of annotation is a subclass with :meth:`change` and, if it can be named, :meth:`resolve_spelling`,
    in `comparing.annotation_kinds`.

    Attributes:
        parameter: after which a user writes its name.
        is_typed: whether users name it there; if not, another option stands for it.
        is_ud: whether it is UD itself.
        is_single: whether it is one transformation of UD, which can be combined with others.
        has_rule: whether rules make it from UD; if not, its trees are imported.
    """

    parameter: ClassVar[str] = "transforms"
    is_typed: ClassVar[bool] = True
    is_ud: ClassVar[bool] = False
    is_single: ClassVar[bool] = False
    has_rule: ClassVar[bool] = False

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
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        """Return the annotation spelled so; None if it is of another kind, InputError if it is unknown."""
        return None

    @classmethod
    def check_name(cls, spelling: str) -> None:
        return

    @property
    def changes(self) -> Columns:
        return Columns.HEADS | Columns.RELATIONS

    @property
    def changed_columns(self) -> tuple[str, ...]:
        return self.changes.names

    @property
    def relabelling(self) -> Relabelling:
        return Relabelling()

    @property
    def tags_follow_trees(self) -> bool:
        return self.relabelling.reads_trees

    @property
    def has_labelling(self) -> bool:
        return self.find_labelling(Conventions()) is not None

    def find_labelling(self, conventions: Conventions) -> TreeFunction | None:
        """Return the function that gives words with UD's heads their relations; None if heads change."""
        if Columns.HEADS in self.changes or Columns.RELATIONS not in self.changes:
            return None
        return self.change(conventions, "keep")

    @abstractmethod
    def change(self, conventions: Conventions, labels: LabelOption | None) -> TreeFunction:
        """Return the function that gives a tree in this annotation, as parsers are trained on it."""

    def rule(self, conventions: Conventions) -> Transformation | None:
        """Return the transformation that makes it from UD and can be inverted; None if no rule does."""
        return None

    def annotate_files(self, files: TreebankFiles, reading: Reading) -> TreebankFiles | None:
        """Return the treebank with the files that a program makes for the annotation, unless they exist; None
        without a program. An InputError says that there is no program or file, a RunError that it failed."""
        return None

    @property
    def name(self) -> str:
        return self.spelling

    @property
    def title(self) -> str:
        return self.name

    @property
    def construction(self) -> tuple[str, str]:
        return self.title, ""

    @property
    def definition(self) -> tuple[str, ...] | None:
        """Return the definition of the name for config.json, because it may change; None if it is fixed."""
        return None

    @cached_property
    def _unbound_rule(self) -> Transformation | None:
        return self.rule(Conventions())

    @property
    def has_inverse(self) -> bool:
        return self._unbound_rule is not None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that make it; none for UD, and where no rule does."""
        rule = self._rule_for_places(Conventions())
        return rule.rules if rule is not None else ()

    @property
    def description(self) -> str:
        """Return what it changes in UD, as a sentence says it; empty if it has no rules."""
        rules = self.rules
        if len(rules) == 1:
            return rules[0].definition
        return "; ".join(f"{rule.spec}: {rule.definition}" for rule in rules)

    @property
    def specs(self) -> tuple[str, ...]:
        return tuple(part.spec for part in self.rules)

    @property
    def keeps_phrases(self) -> bool:
        return Columns.HEADS not in self.changes

    def same_as(self, other: Annotation) -> bool:
        return self == other

    def check_learned(self, tags: str, *, labelled: bool) -> None:
        """Refuse an annotation in which a parser with these options sees nothing else, or sees too little."""
        from learnability.transforms.restricted_rules import check_tags

        if self._unbound_rule is not None:
            check_tags(self._unbound_rule, tags)
        if not self.changes or self.changes & learned_columns(tags, labelled=labelled):
            return
        changed = " and ".join(name.upper() for name in self.changes.names)
        ways = ["another annotation"]
        if Columns.RELATIONS in self.changes:
            ways.insert(0, "`labels='external'`, which trains labelled parsers")
        elif Columns.UPOS in self.changes:
            ways.insert(0, "`tags='gold'`")
        elif Columns.XPOS in self.changes:
            ways.insert(0, "`tags='xpos'`")
        problem = f"changes {changed}, which parsers neither read nor learn here"
        raise InputError(f"{self.name} {problem}", ways)

    def without_places(self, trees: Sequence[Tree], conventions: Conventions) -> list[str]:
        """Return the parts that must have a place, and have none in the trees of a treebank."""
        from learnability.transforms.restricted_rules import find_unmatched

        rule = self._rule_for_places(conventions)
        if rule is None or not any(part.restriction for part in rule.rules):
            return []
        return find_unmatched(rule, trees)

    def advice(self, trees: Sequence[Tree], conventions: Conventions) -> list[str]:
        """Return what a user should know about the annotation of these trees, one line each."""
        from learnability.transforms.restricted_rules import advice

        rule = self._rule_for_places(conventions)
        return [] if rule is None else advice(rule, trees)

    def _rule_for_places(self, conventions: Conventions) -> Transformation | None:
        return self.rule(conventions)


class RuleAnnotation(Annotation):
    """Represent an annotation that a rule makes of UD, with changes of tags and relations or without."""

    has_rule: ClassVar[bool] = True

    @abstractmethod
    def transformation(self, conventions: Conventions) -> Transformation:
        """Return the transformation for a treebank; without parts if no head moves."""

    @cached_property
    def _bound_rules(self) -> dict[Conventions, Transformation]:
        return {}

    def bind_rule(self, conventions: Conventions) -> Transformation:
        """Return the transformation for a treebank with these conventions, each time the same."""
        if conventions not in self._bound_rules:
            self._bound_rules[conventions] = self.transformation(conventions)
        return self._bound_rules[conventions]

    @cached_property
    def changes(self) -> Columns:  # for every sentence, and a scheme has many transformations
        """Return what the transformation and the relabelling change."""
        moves = bool(self.transformation(Conventions()).rules)
        columns = Columns.HEADS | Columns.RELATIONS if moves else Columns.NONE
        return columns | Columns.from_names(self.relabelling.columns)

    @property
    def keeps_phrases(self) -> bool:
        return self.transformation(Conventions()).keeps_phrases

    def rule(self, conventions: Conventions) -> Transformation | None:
        return None if self.relabelling else self.bind_rule(conventions)

    def change(self, conventions: Conventions, labels: LabelOption | None) -> TreeFunction:
        """Return the function that transforms every place, and gives words other tags and relations."""
        rule = self.bind_rule(conventions)
        if not self.relabelling:
            return partial(transformed_tree, rule=rule, labels=labels)
        relabelled = partial(self.relabelling.apply, language=conventions.language)
        return partial(relabelled_tree, rule=rule, labels=labels, relabelled=relabelled)

    def find_labelling(self, conventions: Conventions) -> TreeFunction | None:
        """Return the function that gives words their relations; None if none of UD's changes."""
        if "deprel" in self.relabelling.columns:
            return partial(self.relabelling.apply, language=conventions.language)
        rule = self.bind_rule(conventions)
        return partial(rule.apply, selection=()) if rule.has_sud_relations else None

    def same_as(self, other: Annotation) -> bool:
        """Return whether both have the same transformations and the same relabelling."""
        from learnability.multiref.contrasts import same_scheme

        if not isinstance(other, RuleAnnotation):
            return self == other
        rules = (annotation.transformation(Conventions()) for annotation in (self, other))
        return set(self.relabelling.changes) == set(other.relabelling.changes) and same_scheme(*rules)

    def without_places(self, trees: Sequence[Tree], conventions: Conventions) -> list[str]:
        return [*super().without_places(trees, conventions), *self._problems(trees, conventions)]

    def advice(self, trees: Sequence[Tree], conventions: Conventions) -> list[str]:
        """Return also why a change of labels has no effect, and what tags tell a parser of the trees."""
        lines = [*self._problems(trees, conventions).values(), *super().advice(trees, conventions)]
        if self.relabelling.reads_trees:
            lines.append(LEAK)
        return lines

    def _problems(self, trees: Sequence[Tree], conventions: Conventions) -> dict[str, str]:
        return problems_of(self.relabelling, trees, conventions.language) if self.relabelling else {}

    def _rule_for_places(self, conventions: Conventions) -> Transformation:
        return self.bind_rule(conventions)


LEAK = "its tags follow from gold trees, so a parser that reads gold tags knows part of the tree"
"""What a user has to know of tags that depend on heads or relations."""


class CarriedAnnotation(Annotation):
    """Represent an annotation whose trees the sentences of a treebank carry, under its name."""

    def change(self, conventions: Conventions, labels: LabelOption | None) -> TreeFunction:
        """Return the function that takes the tree from its sentence."""
        from learnability.treebanks.alignment import annotation

        return partial(annotation, name=self.name)


def relabelled_tree(
    tree: Tree, rule: Transformation, labels: LabelOption | None, relabelled: Callable[[Tree], Tree]
) -> Tree:
    """Return the tree with every place of UD transformed, made of words with other tags and relations."""
    other = relabelled(tree)
    if not rule.rules:
        return other
    plan = rule.plan(tree).with_tree(other)
    places = [place.token for place in plan.places]
    if labels is None:
        return other.with_heads(plan.heads(places))
    changed = plan.reference(places, labels)
    names = {old: new for old, new in zip(tree.deprels, other.deprels, strict=True) if old != new}
    deprels = []
    for deprel in changed.deprels:
        complement = complement_of(deprel)  # it names the relation of the word that took the place
        deprels.append(COMPLEMENT + names.get(complement, complement) if complement else deprel)
    return changed.with_heads(changed.heads, deprels)


def transformed_tree(tree: Tree, rule: Transformation, labels: LabelOption | None) -> Tree:
    """Return the tree with every place transformed, and with deprels as labelled parsers learn them."""
    if not rule.rules:
        return tree
    if labels is not None:
        return rule.apply(tree, labels=labels)
    # only heads matter: deprels stay as they are, also where the root moves
    plan = rule.plan(tree)
    return tree.with_heads(plan.heads([place.token for place in plan.places])) if plan.places else tree

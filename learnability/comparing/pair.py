"""Describe a pair of annotations, and list the pairs of an experiment.

Setting (a) trains on the *base*, which is UD unless ``--against`` (or ``--alternative``) names another
annotation; setting (b) on the *alternative*.

Cells and folds have pairs of annotations, which can be applied to trees (`comparing.pair_trees`). Rows
and config.json have pairs of the facts about them: neither treebanks nor files of schemes are needed to
read these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from learnability.comparing.annotation import Annotation, Columns
from learnability.errors import InputError
from learnability.support.options import shared
from learnability.support.values import JsonObject
from learnability.treebanks.locate import TreebankFiles

if TYPE_CHECKING:
    from learnability.comparing.options import ExperimentOptions
    from learnability.running.config import RunConfig


@dataclass(frozen=True)
class AnnotationFacts:
    """Hold what is known of an annotation without its rules and trees.

    A field has the name of an attribute of `Annotation`. A new one needs a default, for runs of before.
    """

    spelling: str
    title: str
    construction: tuple[str, str]
    specs: tuple[str, ...] = ()
    is_ud: bool = False
    has_rule: bool = True
    has_inverse: bool = True
    has_labelling: bool = False
    keeps_phrases: bool = True
    changed_columns: tuple[str, ...] = ("head", "deprel")
    tags_follow_trees: bool = False

    @property
    def changes(self) -> Columns:
        return Columns.from_names(self.changed_columns)


Known = TypeVar("Known", Annotation, AnnotationFacts)
"""What is known of both annotations of a pair: how to apply them, or facts."""


@dataclass(frozen=True)
class Pair(Generic[Known]):
    """Hold two annotations to compare on a treebank, and what they can be compared by.

    Whatever two annotations allow or forbid is a property here. It reads attributes of `Annotation` that are
    fields of `AnnotationFacts`, too, so that cells, rows and finished runs have it alike.
    """

    base: Known
    alternative: Known

    @property
    def facts(self) -> Pair[AnnotationFacts]:
        """Return the pair as rows and config.json have it."""
        base, alternative = (AnnotationFacts(**shared(AnnotationFacts, side)) for side in self._sides)
        return Pair(base, alternative)

    @property
    def _sides(self) -> tuple[Known, Known]:
        return self.base, self.alternative

    @property
    def construction(self) -> str:
        return self.alternative.construction[0]

    @property
    def variant(self) -> str:
        return self.alternative.construction[1]

    @property
    def against(self) -> str:
        """Return the title of the base; empty for UD."""
        return "" if self.base.is_ud else self.base.title

    @property
    def name(self) -> str:
        return f"{self.construction}:{self.variant}" if self.variant else self.construction

    @property
    def columns(self) -> dict[str, str]:
        return {"construction": self.construction, "variant": self.variant, "against": self.against}

    @property
    def changes(self) -> Columns:
        return self.base.changes | self.alternative.changes

    @property
    def changed_columns(self) -> tuple[str, ...]:
        return self.changes.names

    @property
    def has_rules(self) -> bool:
        return self.base.has_rule and self.alternative.has_rule

    @property
    def can_train_on_both(self) -> bool:
        """Return whether one parser can be trained on both (setting c): heads differ, and tags do not."""
        return Columns.HEADS in self.changes and not self.changes & Columns.TAGS

    @property
    def has_conversion_back(self) -> bool:
        return self.base.has_inverse and self.alternative.has_inverse

    @property
    def has_phrases(self) -> bool:
        return self.base.keeps_phrases and self.alternative.keeps_phrases

    @property
    def has_common_labels(self) -> bool:
        return self.base.has_labelling or self.alternative.has_labelling

    @property
    def tags_follow_trees(self) -> bool:
        return self.base.tags_follow_trees or self.alternative.tags_follow_trees

    @property
    def known_elsewhere_as(self) -> str:
        """Return the name of its results in other languages; empty where it is no single rule on UD."""
        rules = self.alternative.specs if self.base.is_ud and self.alternative.has_inverse else ()
        return rules[0] if len(rules) == 1 else ""

    @property
    def undefined(self) -> dict[str, str]:
        """Return why comparisons are undefined, by key, where tags or relations change."""
        tags, relations = bool(self.changes & Columns.TAGS), self.has_common_labels
        if not (tags or relations):
            return {}
        changed = " and ".join(name for name, is_so in (("tags", tags), ("relations", relations)) if is_so)
        reasons = {}
        if not self.has_conversion_back:
            reasons["converted_back"] = f"no rule restores the {changed} of UD"
        if not self.has_phrases:
            reasons["between_phrases"] = "the alternative may move words between phrases"
        if not self.can_train_on_both:
            same = "the parsers read different tags" if tags else "both annotations have the same heads"
            reasons["trained_on_both"] = same
        return reasons


def known_pairs(config: RunConfig) -> tuple[Pair[AnnotationFacts], ...]:
    """Return the pairs that a config.json holds; msgspec.ValidationError if they are of another version."""
    return msgspec.convert(config.pairs, tuple[Pair[AnnotationFacts], ...])


def pair_values(options: ExperimentOptions) -> list[JsonObject]:
    """Return what config.json holds of the pairs of an experiment."""
    values: list[JsonObject] = msgspec.json.decode(
        msgspec.json.encode([pair.facts for pair in pairs_of(options)])
    )
    return values


def annotations_of(options: ExperimentOptions) -> list[Annotation]:
    return [*options.alternatives, options.against]


def pairs_of(options: ExperimentOptions) -> tuple[Pair[Annotation], ...]:
    return tuple(Pair(options.against, annotation) for annotation in options.alternatives)


def annotated_files(files: TreebankFiles, options: ExperimentOptions) -> TreebankFiles:
    """Return the treebank with the annotations of the experiment's commands, each of which is run unless it
    was before. An InputError says that there is no such file or program, a RunError that one failed."""
    annotations = []
    for annotation in annotations_of(options):
        other = annotation.annotate_files(files, options.data.reading)
        if other is not None:
            annotations.append((annotation.name, other))
    return replace(files, annotations=tuple(annotations))


def check_pairs(options: ExperimentOptions) -> None:
    """Check that the parser sees the tags that rules ask for, and that (a) and (b) differ."""
    base = options.against
    base.check_learned(options.tags, labelled=options.labels is not None)
    for alternative in options.alternatives:
        alternative.check_learned(options.tags, labelled=options.labels is not None)
        if base.same_as(alternative) and not base.is_ud:
            raise InputError(
                f"`against={base.name!r}` and {alternative.name} are the same scheme; choose "
                "two different ones"
            )

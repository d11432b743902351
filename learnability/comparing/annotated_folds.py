"""Hold a fold under one annotation, and under the two of a pair; make each object once.

What setting (a) needs for every pair lives as long as the fold. In a large treebank, large objects of
one pair (its transformed trees, its reference sets) are dropped when another pair is used, because a process
works on one pair after the other (`LargeObjects`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeVar

from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.conversion import Converter, train_converter
from learnability.comparing.fold_trees import FoldTrees, Inputs, Sets, TrainingReferences
from learnability.comparing.pair import Pair
from learnability.comparing.results import Ceiling
from learnability.metrics.scores import FIRST_SCORE, Score, common_label, correct_tokens
from learnability.multiref.contrasts import (
    Contrast,
    Relabelled,
    RuleContrast,
    SchemeContrast,
    Sides,
    TreeContrast,
    TreeFunction,
    lift_references,
)
from learnability.multiref.references import LabelOption, ReferenceSet
from learnability.transforms.base import Transformation
from learnability.transforms.plan import Place
from learnability.treebanks.sentence import Conventions, Tree


def contrast_of(
    pair: Pair[Annotation], conventions: Conventions, labels: LabelOption | None = None
) -> Contrast:
    """Return the two annotations as functions of the UD tree, and the references between them."""
    first, second = pair.base.rule(conventions), pair.alternative.rule(conventions)
    has_relations = any(rule is not None and rule.has_sud_relations for rule in (first, second))
    if first is None or second is None or (labels is not None and has_relations):
        kind = Relabelled if pair.has_rules or pair.changes & Columns.TAGS else TreeContrast
        return kind(
            pair.base.change(conventions, labels),
            pair.alternative.change(conventions, labels),
            labelled=labels is not None,
        )
    return RuleContrast(second) if pair.base.is_ud else SchemeContrast(first, second)


def common_labels(pair: Pair[Annotation], trees: Iterable[Tree], conventions: Conventions) -> dict[str, str]:
    """Return the coarsest labels that both have, by the labels of UD and of both, as LAS reads them.

    Labels between which either annotation does not tell are the same: merged labels have one name.
    """
    import networkx as nx

    together: nx.Graph[str] = nx.Graph()
    names: tuple[set[str], set[str]] = set(), set()
    sides = [side.find_labelling(conventions) for side in (pair.base, pair.alternative)]
    for tree in trees:
        first, second = (map(Score.label, (side(tree) if side else tree).deprels) for side in sides)
        for labels in zip(first, second, strict=True):
            together.add_edge(*labels)
            for known, label in zip(names, labels, strict=True):
                known.add(label)
    classes: dict[str, str] = {}
    for component in nx.connected_components(together):
        fewest = min((component & known for known in names), key=len)
        classes |= dict.fromkeys(component, "/".join(sorted(fewest)))
    return classes


T = TypeVar("T")


class AnnotatedFold:
    """Represent a fold under one annotation.

    `seed`: of the tagger, where tags are predicted. `parts`: the trees in the annotation, if they are there
    already.
    """

    def __init__(
        self, fold: FoldTrees, annotation: Annotation, seed: int = 0, sets: Sets | None = None
    ) -> None:
        self.fold, self.annotation, self.seed, self._sets = fold, annotation, seed, sets

    def of_seed(self, seed: int) -> AnnotatedFold:
        """Return the fold for trainings with this seed; itself where tags are not predicted."""
        if not self.fold.options.predicts_tags:
            return self
        return AnnotatedFold(self.fold, self.annotation, seed, self.sets)  # trees are those of all seeds

    @cached_property
    def rule(self) -> Transformation:
        return self.fold.rule(self.annotation)

    @cached_property
    def sets(self) -> Sets:
        return self._sets or changed_sets(self.fold, self.fold.change(self.annotation))

    @cached_property
    def inputs(self) -> Inputs:
        return self.fold.inputs(self.sets, self.seed)

    def test_tree(self, index: int) -> Tree:
        """Return a test sentence with its deprels as labelled parsers are trained on them."""
        return self.labelled(self.fold.ud.test[index])

    @cached_property
    def labelled(self) -> TreeFunction:
        """Return the function that gives a tree in the annotation, always with deprels."""
        labels = self.fold.options.labels or "keep"
        return self.annotation.change(self.fold.treebank.conventions, labels)

    @cached_property
    def converter(self) -> Converter:
        """Return the way back to UD, learned from the UD training trees.

        All seeds share it, unless tags are predicted: it then sees the tags that the parser sees.
        """
        fold = self.fold
        seen = None
        if fold.options.predicts_tags:
            pairs = zip(self.inputs.train, fold.ud.train, strict=True)
            seen = [tagged.with_heads(ud.heads, ud.deprels) for tagged, ud in pairs]
        return train_converter(
            fold.ud.train,
            self.rule,
            fold.options.labels,
            fold.encode,
            tags=fold.options.tag_column,
            seen=seen,
            example_of=fold.example_of(self.annotation),
            counted_in=fold.counted_in(self.annotation),
        )

    @cached_property
    def ceilings(self) -> dict[Score, Ceiling]:
        """Return what is right after converting the gold test trees, by score."""
        gold, trees = self.fold.ud.test, self.inputs.test
        places = [self.rule.places(tree) for tree in gold]
        back, by_gold_places = self.converter.convert_twice(trees, places)

        gold_places = int(correct_tokens(gold, by_gold_places, FIRST_SCORE).sum())
        ceilings = {}
        for score in self.fold.scores:
            if score.counts_every_token:
                found = int(correct_tokens(gold, back, score).sum())
                ceilings[score] = Ceiling(
                    found_places=found, gold_places=gold_places if score is FIRST_SCORE else None
                )
        return ceilings


class ComparedFold:
    """Represent a fold under the two annotations of a pair."""

    def __init__(self, fold: FoldTrees, pair: Pair[Annotation], large_objects: LargeObjects) -> None:
        self.fold, self.pair, self._large_objects = fold, pair, large_objects

    @cached_property
    def contrast(self) -> Contrast:
        return contrast_of(self.pair, self.fold.treebank.conventions, self.fold.options.labels)

    @cached_property
    def places(self) -> Callable[[Tree], tuple[Place, ...]]:
        return self.fold.remember(("places", self.pair), self.contrast.places)

    @cached_property
    def sides(self) -> Callable[[Tree], Sides]:
        return self.fold.remember(("sides", self.pair), self.contrast.sides)

    def references(self, labels: LabelOption | None) -> Callable[[Tree], ReferenceSet]:
        """Return the function that gives the reference set of a UD tree, with the labels of this option, as
        the parser can learn it."""

        def make(tree: Tree) -> ReferenceSet:
            found = self.contrast.references(tree, self.fold.options.max_options, labels)
            return lift_references(found, labels) if self.fold.lifts else found

        return self.fold.remember(("references", self.pair, labels), make)

    @cached_property
    def exists(self) -> bool:
        """Return whether any training tree has a place; in cross-validation any tree of the treebank counts,
        so that every fold is tested or none. Without rules annotations may be equal, and are compared all
        the same."""
        if not self.pair.has_rules:
            return True
        ud = self.fold.ud
        sets = (ud.train, ud.dev, ud.test) if self.fold.cross_validated else (ud.train,)
        return any(self.places(tree) for trees in sets for tree in trees)

    @cached_property
    def test_places(self) -> list[list[int]]:
        return [[place.token for place in self.places(tree)] for tree in self.fold.ud.test]

    @cached_property
    def test_kinds(self) -> list[str]:
        return self.contrast.kinds(self.fold.ud.test, self.test_places)

    @cached_property
    def label_classes(self) -> dict[str, str]:
        """Return the coarsest labels that both annotations have, by their labels."""
        trees = (*self.fold.train, *self.fold.ud.dev, *self.fold.ud.test)
        return common_labels(self.pair, trees, self.fold.treebank.conventions)

    def common_label(self, deprel: str) -> str:
        return common_label(deprel, self.label_classes)

    @property
    def alternative(self) -> AnnotatedFold:
        return self._large_objects.get(self, self._annotate)

    @property
    def training_references(self) -> TrainingReferences:
        return self._large_objects.get(self, self._encode_references)

    def _annotate(self) -> AnnotatedFold:
        return AnnotatedFold(self.fold, self.pair.alternative)

    def _encode_references(self) -> TrainingReferences:
        references = self.references(self.fold.options.labels)
        return self.fold.encoded_references(list(map(references, self.fold.ud.train)))


class LargeObjects:
    """Keep the large objects of pairs: of all, or in a large treebank of the pair that was used last."""

    def __init__(self, is_large: Callable[[], bool]) -> None:
        self._is_large = is_large
        self._objects: dict[ComparedFold, dict[str, Any]] = {}

    def get(self, owner: ComparedFold, make: Callable[[], T]) -> T:
        """Return what `make`, a method of the owner, returned first."""
        if owner not in self._objects:
            if self._is_large():
                self._objects.clear()  # before the next ones grow
            self._objects[owner] = {}
        kept = self._objects[owner]
        if make.__name__ not in kept:
            kept[make.__name__] = make()
        value: T = kept[make.__name__]
        return value


def changed_sets(fold: FoldTrees, change: TreeFunction) -> Sets:
    """Return the parts of a fold with every tree changed, and then those trained on made ready."""
    train, *others = (tuple(map(change, part)) for part in (fold.ud.train, fold.ud.dev, fold.ud.test))
    return Sets(fold.make_ready(train), *others)

"""Convert parses of a scheme back to UD, without gold labels (docs/rules.md, Conversion back to UD).

The inverses of the transformations need to know which tokens to invert (the places), and use relations as
evidence. In labelled parses the labels show both. In unlabelled parses a classifier of tokens predicts them,
trained on the transformed training trees. Its classes are pairs of a deprel and the transformation whose
place the token is. Its features are the words and tags of the token, its neighbours, its head and its
children *in the given tree*. Then :func:`~learnability.transforms.base.invert_all` restores UD, with side
preferences learned on the UD training trees. Converting the gold transformed test trees measures the
converter's errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from learnability.multiref.references import LabelOption
from learnability.parsing.encoding import Corpus, Labels, encode_heads
from learnability.parsing.perceptron import Perceptron
from learnability.parsing.projectivity import lift
from learnability.parsing.token_classifier import classify, train_classifier
from learnability.transforms.base import Transformation, invert_all, learn_side_preferences
from learnability.transforms.plan import Place
from learnability.transforms.preferences import Counted, SidePreferences
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import ROOT, Tree

Encode = Callable[[Sequence[Tree]], Corpus]
"""Encodes sentences with the attributes that features need."""

Class = tuple[str, str]
"""A deprel, and the name of the transformation whose place the token is (empty: no place)."""

Example = tuple[Sequence[Class], Sequence[int]]
"""The class of each token of a transformed training tree, and its heads."""


@dataclass(frozen=True, eq=False)
class PlaceClassifier:
    """Represent a classifier that finds deprels and places in unlabelled trees."""

    classes: tuple[Class, ...]
    weights: Perceptron
    encode: Encode
    root_labels: tuple[str, ...] = (ROOT_LABEL,)

    def label(self, trees: Sequence[Tree]) -> tuple[list[Tree], list[list[Place]]]:
        """Return the trees with their likeliest deprels, and their likeliest places.

        The deprels of the trees are ignored.
        """
        corpus, labels = self.encode(trees), Labels(tuple(name for name, _ in self.classes), self.root_labels)
        heads = encode_heads(corpus, [tree.heads for tree in trees])
        numbers = classify(self.weights, corpus, heads, at_roots=labels.root_mask)
        labelled, places = [], []
        for tree, end in zip(trees, np.cumsum(corpus.length).tolist(), strict=True):
            of_words = numbers[end - len(tree) : end]
            labelled.append(tree.with_heads(tree.heads, labels.deprels(tree.heads, of_words + 1)))
            found = [self.classes[number][1] for number in of_words]
            places.append([Place(token, place) for token, place in enumerate(found, start=1) if place])
        return labelled, places


@dataclass(frozen=True, eq=False)
class Converter:
    """Convert trees of a scheme, with all places transformed, back to UD.

    The `preferences` are those of the UD training trees, None if the scheme learns none; the conversion sees
    the `tags` that the parser sees.
    """

    transformation: Transformation
    preferences: SidePreferences | None
    labels: LabelOption | None = None
    classifier: PlaceClassifier | None = None
    tags: str = "gold"

    def convert(self, trees: Sequence[Tree], places: Sequence[Sequence[Place]] | None = None) -> list[Tree]:
        """Convert trees to UD, all together: where the scheme's inverse learns from its input, they inform
        each other."""
        as_seen, predicted_places = self._see(trees)
        return self._restore(trees, as_seen, predicted_places if places is None else places)

    def convert_twice(
        self, trees: Sequence[Tree], places: Sequence[Sequence[Place]]
    ) -> tuple[list[Tree], list[Tree]]:
        """Convert trees to UD by the predicted places and by the gold `places`; see :meth:`convert`."""
        as_seen, predicted_places = self._see(trees)
        return self._restore(trees, as_seen, predicted_places), self._restore(trees, as_seen, places)

    def _see(self, trees: Sequence[Tree]) -> tuple[list[Tree], Sequence[Sequence[Place]] | None]:
        as_seen = [tree.as_seen(self.tags) for tree in trees]
        return (as_seen, None) if self.classifier is None else self.classifier.label(as_seen)

    def _restore(
        self, trees: Sequence[Tree], as_seen: Sequence[Tree], places: Sequence[Sequence[Place]] | None
    ) -> list[Tree]:
        restored = invert_all(self.transformation, as_seen, places, self.preferences, labels=self.labels)
        pairs = zip(trees, restored, strict=True)
        return [tree.with_heads(ud.heads, ud.deprels) for tree, ud in pairs]


def train_converter(
    trees: Sequence[Tree],
    transformation: Transformation,
    labels: LabelOption | None,
    encode: Encode,
    *,
    tags: str = "gold",
    seen: Sequence[Tree] | None = None,
    example_of: Callable[[Tree], Example] | None = None,
    counted_in: Callable[[Tree], Sequence[Counted]] | None = None,
) -> Converter:
    """Learn a converter from UD training trees; the same trees give the same converter.

    Args:
        trees: the UD training trees.
        transformation: the scheme.
        labels: the label option of the trees to convert; None for unlabelled trees.
        encode: encodes sentences.
        tags: the tags that the parser sees.
        seen: the training trees with the words that the parser sees; None if `tags` says it all.
        example_of: returns the :func:`example` of a tree; default: of a tree that is not lifted.
        counted_in: returns what preferences count in a tree (:class:`PreferencesOfTree`), for a caller that
            remembers it.
    """
    classifier = None
    if labels is None:
        examples = map(example_of or partial(example, transformation), trees)
        classifier = train_place_classifier(examples, encode, trees if seen is None else seen)
    if counted_in is not None and seen is None:
        preferences = SidePreferences.of_counted(chain.from_iterable(map(counted_in, trees)))
        return Converter(transformation, preferences, labels, classifier, tags)
    as_seen = [tree.as_seen(tags) for tree in trees] if seen is None else seen
    return Converter(transformation, side_preferences(as_seen, transformation), labels, classifier, tags)


def side_preferences(trees: Sequence[Tree], transformation: Transformation) -> SidePreferences | None:
    return learn_side_preferences(trees, transformation) if learns_preferences(transformation) else None


def learns_preferences(transformation: Transformation) -> bool:
    return any(rule.family.learns for rule in transformation.rules)


class PreferencesOfTree:
    """Learn side preferences from one tree after the other; those of many trees are their sum."""

    def __init__(self, transformation: Transformation, tags: str) -> None:
        self._transformation, self._tags = transformation, tags
        self._known: dict[Counted, Counted] = {}  # equal ones are kept once

    def __call__(self, tree: Tree) -> tuple[Counted, ...]:
        learned = learn_side_preferences(tree.as_seen(self._tags), self._transformation)
        return tuple(self._known.setdefault(each, each) for each in learned.list_counted())


def example(transformation: Transformation, tree: Tree, *, lifts: bool = False) -> Example:
    """Return what the classifier of places learns from a UD tree; `lifts`: for a projective parser."""
    plan = transformation.plan(tree)
    place_of = {place.token: place.transform for place in plan.places}
    transformed = plan.reference(place_of)
    classes = [(name, place_of.get(token, "")) for token, name in enumerate(transformed.deprels, start=1)]
    return classes, (lift(transformed) if lifts else transformed).heads


def train_place_classifier(
    examples: Iterable[Example], encode: Encode, seen: Sequence[Tree]
) -> PlaceClassifier:
    """Train the classifier of places and deprels on examples of UD training trees; of `seen`, the trees with
    the words that the parser sees, heads and deprels are not read."""
    classes_of, heads_of = zip(*examples, strict=True)
    gold = list(chain.from_iterable(classes_of))
    classes = tuple(sorted(set(gold)))
    number = {name: i for i, name in enumerate(classes)}
    corpus = encode(seen)
    heads = encode_heads(corpus, heads_of)
    numbers = np.fromiter(map(number.__getitem__, gold), np.int32, len(gold))
    weights = train_classifier(corpus, heads, numbers, len(classes))
    arcs = zip(chain.from_iterable(heads_of), gold, strict=True)
    of_roots = Labels.of_arcs((head, name) for head, (name, _) in arcs if head == ROOT).of_roots
    return PlaceClassifier(classes, weights, encode, of_roots)

"""From parses of a scheme back to UD, without a look at gold labels (docs/rules.md, Conversion back to UD).

The inverses of the transformations want to know which tokens are inverted (the sites) and use relations as
evidence. In labelled parses the labels tell both. In unlabelled ones a classifier of tokens does, trained on
the transformed training trees: its classes are pairs of a deprel and the transformation of which the token is
a site, its features the words and tags of the token, its neighbours, its head and its children *in the given
tree*. Then :func:`~learnability.transforms.base.invert_all` restores UD, with side preferences learned on the
UD training trees. What a converter loses is measured by applying it to the gold transformed test trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from learnability.multiref.references import LabelOption
from learnability.parsing.encoding import Corpus, encode_heads, tags_seen
from learnability.parsing.perceptron import Perceptron
from learnability.parsing.token_classifier import classify, train_classifier
from learnability.transforms.base import Transformation, invert_all, learn_side_preferences
from learnability.transforms.plan import Site
from learnability.transforms.preferences import SidePreferences
from learnability.treebanks.labels import COMPLEMENT
from learnability.treebanks.sentence import ROOT, Tree

Encode = Callable[[Sequence[Tree]], Corpus]
"""Encodes sentences with the attributes that features need."""

Class = tuple[str, str]
"""A deprel, and the name of the transformation of which the token is a site (empty: of none)."""


@dataclass(frozen=True, eq=False)
class SiteClassifier:
    """Finds deprels and sites in unlabelled trees: the classes it tells apart, and their averaged weights."""

    classes: tuple[Class, ...]
    weights: Perceptron
    encode: Encode

    def label(self, trees: Sequence[Tree]) -> tuple[list[Tree], list[list[Site]]]:
        """The trees with the likeliest deprels, and their likeliest sites; own deprels are not looked at."""
        corpus = self.encode(trees)
        numbers = classify(self.weights, corpus, encode_heads(corpus, [tree.heads for tree in trees]))
        labelled, sites = [], []
        for tree, end in zip(trees, np.cumsum(corpus.length).tolist(), strict=True):
            classes = [self.classes[i] for i in numbers[end - len(tree) : end]]
            pairs = zip(tree.heads, classes, strict=True)
            deprels = [name if head != ROOT else "root" for head, (name, _) in pairs]
            labelled.append(tree.with_heads(tree.heads, deprels))
            sites.append([Site(token, site) for token, (_, site) in enumerate(classes, start=1) if site])
        return labelled, sites


@dataclass(frozen=True, eq=False)
class Converter:
    """Converts trees of a scheme, with all sites transformed, back to UD. Labelled trees have deprels by the
    option `labels`; for unlabelled ones there is a `classifier`. No `preferences` where nothing is learned
    for the scheme. Of the tags the conversion sees what the parser with the option `tags` sees."""

    transformation: Transformation
    preferences: SidePreferences | None
    labels: LabelOption | None = None
    classifier: SiteClassifier | None = None
    tags: str = "gold"

    def convert(self, trees: Sequence[Tree], sites: Sequence[Sequence[Site]] | None = None) -> list[Tree]:
        """The UD trees; `sites`: the gold sites of each sentence, for the ceiling that they give. The
        sentences inform each other where the scheme's inverse learns from its input, so convert them
        together."""
        given, trees = trees, [seen(tree, self.tags) for tree in trees]
        if self.classifier is not None:
            trees, own = self.classifier.label(trees)
            sites = own if sites is None else sites
        restored = invert_all(self.transformation, trees, sites, self.preferences, labels=self.labels)
        # a complement of what can be no site is a mistake of the parser
        mistaken = COMPLEMENT if self.labels == "external" else None
        return [
            tree.with_heads(
                ud.heads, ["dep" if mistaken and d.startswith(mistaken) else d for d in ud.deprels]
            )
            for tree, ud in zip(given, restored, strict=True)
        ]


def seen(tree: Tree, tags: str) -> Tree:
    """The tree with the tags that a parser with this option sees in the place of its UPOS."""
    return tree if tags == "gold" else replace(tree, upos=tags_seen(tree, tags))


def train_converter(
    trees: Sequence[Tree],
    transformation: Transformation,
    labels: LabelOption | None,
    encode: Encode,
    *,
    tags: str = "gold",
) -> Converter:
    """A converter learned from UD training trees, the same for the same trees; `labels`: the label option of
    the trees to convert, None for unlabelled ones; `tags`: those that the parser sees."""
    return Converter(
        transformation,
        side_preferences([seen(tree, tags) for tree in trees], transformation),
        labels,
        None if labels else train_site_classifier(trees, transformation, encode),
        tags,
    )


def side_preferences(trees: Sequence[Tree], transformation: Transformation) -> SidePreferences | None:
    """What UD training trees tell of the function words and chains of a scheme; None where it has none."""
    learns = any(rule.family.learns for rule in transformation.parts)
    return learn_side_preferences(trees, transformation) if learns else None


def train_site_classifier(
    trees: Sequence[Tree], transformation: Transformation, encode: Encode
) -> SiteClassifier:
    """See :class:`SiteClassifier`; `trees`: UD training trees."""
    gold: list[Class] = []
    transformed = []
    for tree in trees:
        plan = transformation.plan(tree)
        site_of = {site.token: site.transform for site in plan.sites}
        other = plan.reference(site_of)
        gold += [(name, site_of.get(token, "")) for token, name in enumerate(other.deprels, start=1)]
        transformed.append(other)
    classes = tuple(sorted(set(gold)))
    number = {name: i for i, name in enumerate(classes)}
    corpus = encode(trees)
    heads = encode_heads(corpus, [tree.heads for tree in transformed])
    weights = train_classifier(corpus, heads, np.array([number[c] for c in gold], np.int32), len(classes))
    return SiteClassifier(classes, weights, encode)

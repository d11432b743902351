"""From the parses of a transformed treebank back to UD, without a look at gold labels (design section 9).

The parses are unlabelled, the inverses of the transformations want to know which tokens are inverted (the
sites) and use relations as evidence. Both come from one classifier of tokens, trained on the transformed
training trees: its classes are pairs of a deprel and the transformation whose site the token is, its
features the words and tags of the token, its neighbours, its head and its children *in the given tree*. Then
:func:`~learnability.transforms.invert_all` restores UD from the tree, the predicted relations and sites,
with side preferences learned on the original training trees.

What such a converter loses is measured by applying it to the gold transformed test trees: with its own
sites (`back_ceiling`) and with the gold ones (`back_ceiling_gold_sites`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.data import Fold, transformation_of
from learnability.parsing.encoding import Corpus, encode_heads
from learnability.parsing.perceptron import Perceptron
from learnability.parsing.token_classifier import classify, train_classifier
from learnability.transforms import (
    SidePreferences,
    Site,
    Transformation,
    invert_all,
    learn_side_preferences,
)
from learnability.treebanks.sentence import ROOT, Tree

Class = tuple[str, str]
"""A deprel, and the name of the transformation of which the token is a site (empty: of none)."""


@dataclass(frozen=True, eq=False)
class Converter:
    """Converts trees of a scheme back to UD.

    Attributes:
        transformation: the scheme; its sites are all transformed in the trees to convert.
        classes: what the classifier tells apart.
        weights: its averaged weights.
        preferences: what UD training trees tell of function words and chains; None in a scheme without.
    """

    transformation: Transformation
    classes: tuple[Class, ...]
    weights: Perceptron
    preferences: SidePreferences | None

    def classify(self, corpus: Corpus, heads: NDArray[np.int32]) -> list[list[Class]]:
        """Per sentence and token, the likeliest class; `heads`: int32[rows of the corpus], 0 is the root."""
        found = classify(self.weights, corpus, heads)
        ends = np.cumsum(corpus.length).tolist()
        return [
            [self.classes[i] for i in found[end - n : end]]
            for end, n in zip(ends, corpus.length.tolist(), strict=True)
        ]

    def convert(
        self,
        corpus: Corpus,
        trees: Sequence[Tree],
        heads: NDArray[np.int32],
        sites: Sequence[Sequence[Site]] | None = None,
    ) -> list[Tree]:
        """The sentences of `trees` (whose own heads and deprels are not looked at) as UD trees.

        `heads`: int32[rows of the corpus], the transformed trees, predicted or gold; `sites`: the gold sites
        of each sentence, for `back_ceiling_gold_sites`.
        """
        drafts, chosen = [], []
        found = self.classify(corpus, heads)
        for i, (tree, start) in enumerate(zip(trees, corpus.start.tolist(), strict=True)):
            own = heads[start + 1 : start + 1 + len(tree)].tolist()
            names = [name if head != ROOT else "root" for head, (name, _) in zip(own, found[i], strict=True)]
            drafts.append(tree.with_heads(own, names))
            predicted = [Site(token, site) for token, (_, site) in enumerate(found[i], start=1) if site]
            chosen.append(predicted if sites is None else list(sites[i]))
        return invert_all(self.transformation, drafts, chosen, self.preferences)


def train_converter(
    corpus: Corpus, trees: Sequence[Tree], transformation: Transformation, *, seed: int = 1
) -> Converter:
    """A converter from UD training trees, encoded as `corpus`; deterministic for a seed.

    Training data are the trees with every site transformed.
    """
    gold: list[Class] = []
    heads: list[tuple[int, ...]] = []
    for tree in trees:
        transformed = transformation.apply(tree)
        site_of = {site.token: site.transform for site in transformation.sites(tree)}
        gold += [(name, site_of.get(token, "")) for token, name in enumerate(transformed.deprels, start=1)]
        heads.append(transformed.heads)
    classes = tuple(sorted(set(gold)))
    number = {name: i for i, name in enumerate(classes)}
    return Converter(
        transformation=transformation,
        classes=classes,
        weights=train_classifier(
            corpus,
            encode_heads(corpus, heads),
            np.array([number[name] for name in gold], np.int32),
            len(classes),
            seed,
        ),
        preferences=side_preferences(trees, transformation),
    )


def correct_after(trees: Sequence[Tree], converted: Sequence[Tree]) -> NDArray[np.int64]:
    """int64[sentences]: the tokens whose head is that of the UD tree."""
    return np.array(
        [
            sum(a == b for a, b in zip(gold.heads, back.heads, strict=True))
            for gold, back in zip(trees, converted, strict=True)
        ],
        np.int64,
    )


def side_preferences(trees: Sequence[Tree], transformation: Transformation) -> SidePreferences | None:
    """What UD training trees tell of the function words and chains of a scheme; None where it has none."""
    learns = any(rule.family.learns for rule in transformation.parts)
    return learn_side_preferences(trees, transformation) if learns else None


@lru_cache(maxsize=4)
def converter_of(fold: Fold, condition: str) -> Converter:
    """The converter of a condition, trained on the fold's training trees once for all seeds."""
    rule = transformation_of(condition, fold.treebank.conventions)
    return train_converter(fold.train_corpus, fold.train_ready, rule)


@lru_cache(maxsize=4)
def ceilings(fold: Fold, condition: str) -> tuple[int, int]:
    """Correct heads after converting the gold transformed test trees, with predicted and with gold sites."""
    converter = converter_of(fold, condition)
    gold = encode_heads(fold.test_corpus, [converter.transformation.apply(tree).heads for tree in fold.test])
    sites = [converter.transformation.sites(tree) for tree in fold.test]
    predicted, given = (
        converter.convert(fold.test_corpus, fold.test, gold, chosen) for chosen in (None, sites)
    )
    return int(correct_after(fold.test, predicted).sum()), int(correct_after(fold.test, given).sum())


def back_record(fold: Fold, condition: str, predicted: NDArray[np.int32]) -> dict[str, Any]:
    """What the record of setting (b) holds of the conversion of its test parses back to UD.

    `predicted`: int32[rows of the test corpus]. `back_correct`: correct heads per sentence;
    `back_ceiling_correct`, `back_ceiling_gold_sites_correct`: of all sentences.
    """
    converted = converter_of(fold, condition).convert(fold.test_corpus, fold.test, predicted)
    ceiling, gold_sites = ceilings(fold, condition)
    return {
        "back_correct": correct_after(fold.test, converted).tolist(),
        "back_ceiling_correct": ceiling,
        "back_ceiling_gold_sites_correct": gold_sites,
    }

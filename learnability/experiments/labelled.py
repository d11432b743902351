"""Labelled parsers in a run: what they are trained on, and how their labels are scored.

LAS is the official scorer's: head and relation without subtype, punctuation included. In transformed trees
with external labels a complement bears ``comp:<label>``; there the subtypes of <label> are left out
(``comp:aux:pass`` counts as ``comp:aux``), so that such a tree has no fewer relations than UD to get right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.back_conversion import correct_after, side_preferences
from learnability.experiments.data import Fold, Trees, transformation_of, transformed_trees
from learnability.multiref.references import LabelOption, ReferenceSet
from learnability.transforms import SidePreferences, Site, Transformation, invert_all
from learnability.treebanks.labels import COMPLEMENT, complement_of, universal
from learnability.treebanks.sentence import Tree


@lru_cache(maxsize=4096)
def scored_label(deprel: str) -> str:
    """The part of a deprel that LAS looks at."""
    complement = complement_of(deprel)
    return COMPLEMENT + universal(complement) if complement else universal(deprel)


def scored_arcs(tree: Tree) -> list[tuple[int, str]]:
    """Head and scored label of every token."""
    return [(head, scored_label(name)) for head, name in zip(tree.heads, tree.deprels, strict=True)]


def right_arcs(gold: Sequence[Tree], parsed: Sequence[Tree]) -> NDArray[np.bool_]:
    """bool[tokens]: whether head and label are right, sentence after sentence."""
    pairs = zip(gold, parsed, strict=True)
    return np.array(
        [a == b for tree, other in pairs for a, b in zip(scored_arcs(tree), scored_arcs(other), strict=True)],
        np.bool_,
    )


def correct_arcs(gold: Sequence[Tree], parsed: Sequence[Tree]) -> NDArray[np.int64]:
    """int64[sentences]: the tokens with the right head and label."""
    return per_sentence(right_arcs(gold, parsed), np.array([len(tree) for tree in gold], np.int64))


def per_sentence(right: NDArray[np.bool_], lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """int64[sentences]: how many tokens of each are right; `right`: bool[tokens]."""
    sums = np.concatenate([[0], np.cumsum(right, dtype=np.int64)])
    counts: NDArray[np.int64] = np.diff(sums[np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])])
    return counts


def closest_labelled_matches(sets: Sequence[ReferenceSet], parsed: Sequence[Tree]) -> NDArray[np.int64]:
    """int64[sentences]: the correct arcs of parses against the closest of each sentence's references."""
    matches = np.zeros(len(sets), np.int64)
    for i, (references, tree) in enumerate(zip(sets, parsed, strict=True)):
        guess = scored_arcs(tree)
        right = [a == b for a, b in zip(guess, scored_arcs(references.tree), strict=True)]
        total = sum(right)

        def count(
            tokens: Sequence[int],
            heads: Sequence[int],
            names: Sequence[str],
            guess: list[tuple[int, str]] = guess,
        ) -> int:
            wanted = zip(tokens, heads, map(scored_label, names), strict=True)
            return sum(guess[token - 1] == (head, name) for token, head, name in wanted)

        for factor in references.factors:
            total += factor.most(count) - sum(right[token - 1] for token in factor.tokens)
        matches[i] = total
    return matches


@dataclass(frozen=True)
class LabelConverter:
    """Converts labelled trees of a scheme back to UD: their labels tell what is a site.

    Attributes:
        transformation: the scheme; its sites are all transformed in the trees to convert.
        labels: the label option of these trees.
        preferences: what UD training trees tell of function words and chains; None in a scheme without.
    """

    transformation: Transformation
    labels: LabelOption
    preferences: SidePreferences | None

    def convert(self, trees: Sequence[Tree], sites: Sequence[Sequence[Site]] | None = None) -> list[Tree]:
        """The UD trees; `sites`: the gold sites of each sentence, where None the labels decide.

        A complement of what can be no site is a mistake of the parser, and bears `dep`.
        """
        found = invert_all(self.transformation, trees, sites, self.preferences, labels=self.labels)
        if self.labels == "keep":
            return found
        return [
            tree.with_heads(
                tree.heads, ["dep" if name.startswith(COMPLEMENT) else name for name in tree.deprels]
            )
            for tree in found
        ]


def train_label_converter(
    trees: Sequence[Tree], transformation: Transformation, labels: LabelOption
) -> LabelConverter:
    """A converter that learns the side preferences from UD training trees."""
    return LabelConverter(transformation, labels, side_preferences(trees, transformation))


@lru_cache(maxsize=4)
def label_converter_of(fold: Fold, condition: str, labels: LabelOption) -> LabelConverter:
    """The converter of a condition, for all seeds."""
    rule = transformation_of(condition, fold.treebank.conventions)
    return train_label_converter(fold.train_ready, rule, labels)


@lru_cache(maxsize=4)
def labelled_ceilings(fold: Fold, condition: str, labels: LabelOption) -> tuple[int, int, int]:
    """Right heads and arcs after converting the gold transformed test trees, and heads by gold sites."""
    converter = label_converter_of(fold, condition, labels)
    gold: Trees = transformed_trees(fold, condition, labels)[2]
    own = converter.convert(gold)
    given = converter.convert(gold, [converter.transformation.sites(tree) for tree in fold.test])
    return (
        int(correct_after(fold.test, own).sum()),
        int(correct_arcs(fold.test, own).sum()),
        int(correct_after(fold.test, given).sum()),
    )


def labelled_back_record(
    fold: Fold, condition: str, labels: LabelOption, parsed: Sequence[Tree]
) -> dict[str, Any]:
    """What the record of setting (b) holds of the conversion of its labelled test parses back to UD.

    `back_correct`, `las_back_correct`: correct heads (arcs) per sentence; the ceilings of all sentences.
    """
    converted = label_converter_of(fold, condition, labels).convert(parsed)
    heads, arcs, gold_sites = labelled_ceilings(fold, condition, labels)
    return {
        "back_correct": correct_after(fold.test, converted).tolist(),
        "back_ceiling_correct": heads,
        "back_ceiling_gold_sites_correct": gold_sites,
        "las_back_correct": correct_arcs(fold.test, converted).tolist(),
        "las_back_ceiling_correct": arcs,
    }

"""Count and measure a pair without any training."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np

from learnability.annotation_diffs.annotation_diff import compare_versions
from learnability.annotation_diffs.difference_kinds import Group
from learnability.annotation_diffs.version import Version
from learnability.comparing.annotated_folds import AnnotatedFold, ComparedFold
from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import FoldTrees, Trees
from learnability.comparing.indicators import MeasuredTrees, MeasuredValues, measure_trees
from learnability.comparing.pair import Pair
from learnability.comparing.restoration import find_restored
from learnability.comparing.results import Measures
from learnability.comparing.scoring import count_places
from learnability.multiref.contrasts import UNCHANGED, Heads, kinds_of_change
from learnability.parsing.projectivity import is_projective
from learnability.treebanks.sentence import Tree

Masks = tuple[tuple[bool, ...], tuple[bool, ...]]
"""Of the training and of the dev sentences, which are projective in both annotations."""


class BaseMeasures:
    """Hold the measures of an original annotation, which are mostly of the same sentences for all
    pairs."""

    def __init__(self, fold: Fold) -> None:
        self._values: dict[tuple[Annotation, Masks], MeasuredValues] = {}

    def of(self, annotation: Annotation, train: Trees, dev: Trees, masks: Masks) -> MeasuredValues:
        """Return the values of all measures, where `masks` say which trees are projective."""
        if (annotation, masks) not in self._values:
            self._values[annotation, masks] = measure_trees(MeasuredTrees(train, dev, *masks))
        return self._values[annotation, masks]


def measure(fold: Fold, pair: Pair[Annotation]) -> Measures:
    """Return the counts of a pair and its measures, on training trees that are not lifted; perplexity
    and complexity on the sentences that are projective in both annotations."""
    compared = fold.compare_pair(pair)
    sides = list(map(compared.sides, fold.train))
    changes = None if pair.has_rules else _changes(fold, pair)
    counts = count_places(compared, sides, changes)
    if changes:
        counts = msgspec.structs.replace(counts, groups=_groups(fold, pair))
    if counts.places == 0 and not compared.exists:
        return counts
    both_of = fold.remember(("both", pair), partial(_both_trees, compared))
    train, dev = list(map(both_of, fold.train)), list(map(both_of, fold.ud.dev))
    masks = tuple(both.is_projective for both in train), tuple(both.is_projective for both in dev)
    base_train, base_dev = (tuple(both.base for both in part) for part in (train, dev))
    base = fold.make_once(BaseMeasures).of(pair.base, base_train, base_dev, masks)
    other_train, other_dev = (tuple(both.alternative for both in part) for part in (train, dev))
    alternative = measure_trees(MeasuredTrees(other_train, other_dev, *masks))
    undefined = {**alternative.undefined, **base.undefined}
    pairs = {
        key: (value, alternative.values[key]) for key, value in base.values.items() if key not in undefined
    }
    restored = {} if pair.has_conversion_back else _count_restored(fold, pair)
    return msgspec.structs.replace(counts, values=pairs, undefined=undefined, restored=restored)


def _count_restored(fold: Fold, pair: Pair[Annotation]) -> dict[str, tuple[int, int]]:
    """Return by score the test words of the base that can be restored from the alternative, and all words.

    A score counts heads or heads and relations; tags count wherever the annotations differ in them.
    """
    base, alternative = AnnotatedFold(fold, pair.base), AnnotatedFold(fold, pair.alternative)
    train = [(base.labelled(tree), alternative.labelled(tree)) for tree in fold.train]
    test = [(base.labelled(tree), alternative.labelled(tree)) for tree in fold.ud.test]
    columns = pair.changes
    if not any(score.needs_labels for score in fold.scores):
        columns &= ~Columns.RELATIONS
    by_column = find_restored(train, test, columns)  # once for all scores
    words = sum(len(tree) for tree, _ in test)
    counts = {}
    for score in fold.scores:
        if score.counts_every_token:
            restored = np.ones(words, np.bool_)
            for column, found in by_column.items():
                if column is not Columns.RELATIONS or score.needs_labels:
                    restored &= found
            counts[score.value] = int(restored.sum()), words
    return counts


def _changes(fold: Fold, pair: Pair[Annotation]) -> dict[str, tuple[int, int]]:
    """Return by kind of change the training tokens with another head, and with another relation only."""
    heads, relations = Counter[str](), Counter[str]()
    for tree in fold.train:
        first, second = fold.change(pair.base)(tree), fold.change(pair.alternative)(tree)
        kinds = kinds_of_change(first, second, labelled=True)
        for kind, a, b in zip(kinds, first.heads, second.heads, strict=True):
            (relations if a == b else heads)[kind] += 1
    del relations[UNCHANGED]
    return {kind: (heads[kind], relations[kind]) for kind in sorted(heads | relations)}


def _groups(fold: Fold, pair: Pair[Annotation]) -> list[Group]:
    base, alternative = fold.change(pair.base), fold.change(pair.alternative)
    return compare_versions(
        Version.of_sentences(map(base, fold.train), pair.base.name),
        Version.of_sentences(map(alternative, fold.train), pair.alternative.name),
    ).stored_groups


class BothTrees(NamedTuple):
    """Hold the words of a sentence with the tags and heads of both annotations; relations are not read.

    `is_projective`: both trees are.
    """

    base: Tree
    alternative: Tree
    is_projective: bool


def _both_trees(compared: ComparedFold, tree: Tree) -> BothTrees:
    pair, sides = compared.pair, compared.sides(tree)
    base = _with_heads(compared.fold, pair.base, tree, sides.base)
    alternative = _with_heads(compared.fold, pair.alternative, tree, sides.alternative)
    return BothTrees(base, alternative, is_projective(base.heads) and is_projective(alternative.heads))


def _with_heads(fold: FoldTrees, annotation: Annotation, tree: Tree, heads: Heads) -> Tree:
    if annotation.changes & Columns.TAGS:
        tree = fold.change(annotation)(tree)
    return tree if tree.heads == heads else tree.with_heads(heads)

"""Count and measure a pair without any training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from learnability.comparing.annotated_folds import AnnotatedFold
from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.criteria import MeasuredTrees, MeasuredValues, measure_trees
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import Trees
from learnability.comparing.found_groups import compared_sentences, stored_groups
from learnability.comparing.pair import Pair
from learnability.comparing.restoration import find_restored
from learnability.comparing.results import Measures
from learnability.comparing.scoring import count_places
from learnability.comparing.stored_groups import StoredGroup
from learnability.multiref.contrasts import UNCHANGED, Heads, kinds_of_change
from learnability.parsing.projectivity import is_projective

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
    dev_sides = list(map(compared.sides, fold.ud.dev))
    first = AnnotatedFold(fold, pair.base)
    second = AnnotatedFold(fold, pair.alternative)
    train = _trees(first, fold.train, [side.base for side in sides])
    dev = _trees(first, fold.ud.dev, [side.base for side in dev_sides])
    other_train = _trees(second, fold.train, [side.alternative for side in sides])
    other_dev = _trees(second, fold.ud.dev, [side.alternative for side in dev_sides])
    masks = _projective_in_both(train, other_train), _projective_in_both(dev, other_dev)
    base = fold.make_once(BaseMeasures).of(pair.base, train, dev, masks)
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
    """Return by kind of change the training tokens with another head, and those of which only the relation
    differs."""
    heads, relations = Counter[str](), Counter[str]()
    for tree in fold.train:
        first, second = fold.change(pair.base)(tree), fold.change(pair.alternative)(tree)
        kinds = kinds_of_change(first, second, labelled=True)
        for kind, a, b in zip(kinds, first.heads, second.heads, strict=True):
            (relations if a == b else heads)[kind] += 1
    del relations[UNCHANGED]
    return {kind: (heads[kind], relations[kind]) for kind in sorted(heads | relations)}


def _groups(fold: Fold, pair: Pair[Annotation]) -> list[StoredGroup]:
    """Return the largest groups of differences in the training set."""
    base, alternative = fold.change(pair.base), fold.change(pair.alternative)
    names = pair.base.name, pair.alternative.name
    return stored_groups(compared_sentences(map(base, fold.train), map(alternative, fold.train), names))


def _trees(annotated: AnnotatedFold, trees: Trees, heads: Sequence[Heads]) -> Trees:
    """Return the words of UD trees, with the tags of the annotation and these heads."""
    if annotated.annotation.changes & Columns.TAGS:
        trees = tuple(map(annotated.fold.change(annotated.annotation), trees))
    return tuple(tree.with_heads(of_tree) for tree, of_tree in zip(trees, heads, strict=True))


def _projective_in_both(first: Trees, second: Trees) -> tuple[bool, ...]:
    """Return whether each tree is projective in both annotations."""
    pairs = zip(first, second, strict=True)
    return tuple(is_projective(a.heads) and is_projective(b.heads) for a, b in pairs)

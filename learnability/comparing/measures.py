"""Count the changes of a pair, without any training."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np

from learnability.annotation_diffs.annotation_diff import compare_versions
from learnability.annotation_diffs.difference_kinds import Group
from learnability.annotation_diffs.version import Version
from learnability.comparing.annotated_folds import AnnotatedFold
from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.fold import Fold
from learnability.comparing.pair import Pair
from learnability.comparing.restoration import find_restored
from learnability.comparing.results import Measures
from learnability.comparing.scoring import count_places
from learnability.multiref.contrasts import UNCHANGED, kinds_of_change


def measure(fold: Fold, pair: Pair[Annotation]) -> Measures:
    """Return the counts of a pair, on training trees that are not lifted."""
    compared = fold.compare_pair(pair)
    sides = list(map(compared.sides, fold.train))
    changes = None if pair.has_rules else _changes(fold, pair)
    counts = count_places(compared, sides, changes)
    if changes:
        counts = msgspec.structs.replace(counts, groups=_groups(fold, pair))
    if pair.has_conversion_back or (counts.places == 0 and not compared.exists):
        return counts
    return msgspec.structs.replace(counts, restored=_count_restored(fold, pair))


def _count_restored(fold: Fold, pair: Pair[Annotation]) -> dict[str, tuple[int, int]]:
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

"""The counts and cheap measures of a condition: no training needed (design section 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from learnability.experiments.criteria import MeasuredTrees, measured
from learnability.experiments.data import Fold, Trees, contrast_of, transformation_of
from learnability.experiments.options import UD
from learnability.parsing.projectivity import is_projective
from learnability.treebanks.sentence import Tree

Record = dict[str, Any]


def measure(fold: Fold, against: str, condition: str) -> Record:
    """Counts of a condition and its measures, on the original (not lifted) training trees.

    Perplexity and complexity use the sentences that are projective in both annotations.
    """
    contrast = contrast_of(against, condition, fold.treebank.conventions)
    sites, tokens, sentences, skipped = 0, 0, 0, Counter[str]()
    train = []
    for tree in fold.train:
        sides = contrast.sides(tree)
        sites += len(sides.sites)
        skipped += sides.skipped
        changed = sum(a != b for a, b in zip(sides.original, sides.transformed, strict=True))
        tokens += changed
        sentences += changed > 0
        train.append(tree.with_heads(sides.transformed))
    record: Record = {
        "sites": sites,
        "sentences": len(fold.train),
        "sentences_changed": sentences,
        "tokens_changed": tokens,
        "test_sites": sum(len(contrast.sites(tree)) for tree in fold.test),
        "train_tokens": sum(map(len, fold.train)),
        "nonprojective_train": fold.nonprojective,
        "skipped": dict(sorted(skipped.items())),
    }
    if sites == 0 and not fold.trains_on(contrast):
        return record
    dev = [tree.with_heads(contrast.sides(tree).transformed) for tree in fold.dev]
    both, both_dev = (
        tuple(a and is_projective(tree.heads) for a, tree in zip(projective, trees, strict=True))
        for projective, trees in zip(_projective(fold, against), (train, dev), strict=True)
    )
    original = _original_measures(fold, against, both, both_dev)
    transformed = _measures(train, dev, both, both_dev)
    record.update({name: [value, transformed[name]] for name, value in original.items()})
    return record


@lru_cache(maxsize=2)
def _original_trees(fold: Fold, against: str) -> tuple[Trees, Trees]:
    """Train and dev trees of UD or another scheme; not lifted."""
    if against == UD:
        return fold.train, fold.dev
    scheme = transformation_of(against, fold.treebank.conventions)
    train, dev = (tuple(map(scheme.apply, part)) for part in (fold.train, fold.dev))
    return train, dev


@lru_cache(maxsize=2)
def _projective(fold: Fold, against: str) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Which of the original train and dev sentences are projective."""
    parts = _original_trees(fold, against)
    train, dev = (tuple(is_projective(tree.heads) for tree in part) for part in parts)
    return train, dev


@lru_cache(maxsize=2)
def _original_measures(
    fold: Fold, against: str, both: tuple[bool, ...], both_dev: tuple[bool, ...]
) -> dict[str, float]:
    """The measures of the original trees; mostly the same sentences for all conditions."""
    return _measures(*_original_trees(fold, against), both, both_dev)


def _measures(
    train: Sequence[Tree], dev: Sequence[Tree], both: Sequence[bool], both_dev: Sequence[bool]
) -> dict[str, float]:
    """The measures of one scheme; without projective sentences only predictability."""
    return measured(MeasuredTrees(train, dev, both, both_dev))

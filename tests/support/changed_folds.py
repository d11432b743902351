"""Folds under another annotation."""

from __future__ import annotations

from functools import partial

from learnability.comparing.annotated_folds import changed_sets
from learnability.comparing.annotation import transformed_tree
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import Sets
from learnability.transforms.base import Transformation


def transformed_parts(fold: Fold, rule: Transformation) -> Sets:
    change = partial(transformed_tree, rule=rule, labels=fold.options.labels)
    return changed_sets(fold, change)

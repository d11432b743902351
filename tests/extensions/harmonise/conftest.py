"""Two parts of the demo treebank, the second with copulas as heads and no `amod`, compared once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from small_treebanks import small_treebank

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.cross_parses import TrainingSettings
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Tree

sys.path.append(str(Path(__file__).resolve().parents[3]))
from research.harmonise.in_memory import compare_treebanks

QUICK = TrainingSettings(words=1500, folds=3, seeds=(1,), iterations=4)


@pytest.fixture(scope="package")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Version, Version]:
    """Two parts of the same text, annotated alike."""
    folder = tmp_path_factory.mktemp("harmonise")
    parts = (("UD_A", 0), ("UD_B", 160))
    first, second = (
        Version.named(str(small_treebank(folder, name, first=first, train=160))) for name, first in parts
    )
    return first, second


@pytest.fixture(scope="package")
def planted(versions: tuple[Version, Version]) -> TreebankComparison:
    """The comparison of a part with the other one, in which copulas head their clauses and `amod` is
    `advmod`."""
    first, second = versions
    rule = get_transformation("cop", second.conventions)

    def change(tree: Tree) -> Tree:
        changed = rule.apply(tree, labels="external")
        deprels = ["advmod" if deprel == "amod" else deprel for deprel in changed.deprels]
        return changed.with_heads(changed.heads, deprels)

    return compare_treebanks((first, second.change_trees(change, second.name)), QUICK)

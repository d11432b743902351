"""A learned way back restores what an annotation says, and not what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import pytest
from small_treebanks import demo_treebank

import learnability
from learnability.comparing.annotation import Columns
from learnability.comparing.restoration import find_restored
from learnability.treebanks.sentence import Tree

DEMO = demo_treebank()
TRAIN = [sentence.tree for sentence in DEMO.train][:60]
TEST = [sentence.tree for sentence in DEMO.test][:20]


def neighbour_heads(tree: Tree) -> Tree:
    """Half of the words by tag hang on the next word, where that is possible."""
    heads = list(tree.heads)
    for token, tag in enumerate(tree.upos, start=1):
        if tag in ("ADJ", "ADV", "DET", "NOUN", "PRON") and token < len(tree) and heads[token - 1]:
            ancestor = token + 1
            while ancestor not in (0, token):
                ancestor = heads[ancestor - 1]
            if not ancestor:
                heads[token - 1] = token + 1
    return tree.with_heads(heads, tree.deprels)


def flat_heads(tree: Tree) -> Tree:
    root = tree.heads.index(0) + 1
    return tree.with_heads([0 if token == root else root for token in range(1, len(tree) + 1)], tree.deprels)


def merged_relations(tree: Tree) -> Tree:
    arguments = ("nsubj", "obj", "iobj", "obl", "nmod", "dobj", "ccomp", "xcomp", "advcl")
    return tree.with_heads(tree.heads, ["dep" if name in arguments else name for name in tree.deprels])


def merged_tags(tree: Tree) -> Tree:
    return replace(tree, upos=tuple("X" if t in ("NOUN", "VERB", "ADJ", "ADV") else t for t in tree.upos))


def share_restored(change: Callable[[Tree], Tree], columns: Columns) -> float:
    train, test = ([(tree, change(tree)) for tree in trees] for trees in (TRAIN, TEST))
    return float(np.logical_and.reduce(list(find_restored(train, test, columns).values())).mean())


@pytest.mark.parametrize(
    ("simplify", "columns", "most"),
    [
        (neighbour_heads, Columns.HEADS, 0.95),
        (flat_heads, Columns.HEADS, 0.8),
        (merged_relations, Columns.RELATIONS, 0.99),
        (merged_tags, Columns.UPOS, 0.99),
    ],
)
def test_what_a_simpler_annotation_leaves_out_is_lost(
    simplify: Callable[[Tree], Tree], columns: Columns, most: float
) -> None:
    assert share_restored(simplify, columns) < most


@pytest.mark.parametrize("spec", ["case", "mark"])
def test_what_is_only_drawn_otherwise_comes_back(spec: str) -> None:
    assert share_restored(learnability.get_transformation(spec).apply, Columns.HEADS) > 0.97


def test_the_same_annotation_comes_back_whole() -> None:
    assert share_restored(lambda tree: tree, Columns.HEADS | Columns.RELATIONS | Columns.UPOS) == 1


def test_one_tag_for_many_loses_what_a_new_name_does_not() -> None:
    def rename(tags: Collection[str]) -> Callable[[Tree], Tree]:
        return lambda tree: replace(tree, upos=tuple("Z" if tag in tags else tag for tag in tree.upos))

    merged = rename(("NOUN", "VERB", "ADJ", "PRON", "DET"))
    assert share_restored(rename(("NOUN",)), Columns.UPOS) == 1
    assert share_restored(merged, Columns.UPOS) < 1

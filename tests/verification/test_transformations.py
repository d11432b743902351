"""Transformations against a second implementation of each rule, over the real treebanks."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from naive_rules import Naive, swap_root_labels
from tally import Tally
from transform_trees import variants

from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation
from learnability.treebanks.sentence import Conventions, Tree

TOGETHER = (
    "+".join(PAPER),
    "+".join((*PAPER, "aux")),
    "case+det+mark+cop:reattach=clause+aux",
    "cop:reattach=clause+cc+mwe+name",
    "conj+name+case+det+mark+cop+punct",
    "punct:head=root+mwe+name+cc+case",
    "punct:head=neighbour+name+conj:direction=left+cop:reattach=clause",
    "cc+conj:direction=left+mwe+name",
    "cc:style=moscow+mwe+name+case+det+mark+cop",
)


def naive_tree(naive: Naive, selected: dict[str, list[int]], labels: str) -> Tree:
    heads, names = naive.apply(selected)
    return naive.tree.with_heads(
        heads, names if labels == "external" else swap_root_labels(naive.tree, heads)
    )


def compare(tally: Tally, spec: str, conventions: Conventions, tree: Tree, draw: random.Random) -> None:
    """Places of a single rule; and the trees of all places and of a random half, with either kind of
    labels."""
    rule = JointTransformation([get_transformation(one, conventions) for one in spec.split("+")])
    naive = Naive(tree, spec, conventions)
    places = rule.places(tree)
    if "+" not in spec:
        name = spec.partition(":")[0]
        tally.same([place.token for place in places], naive.places(name), spec, tree.forms)
    if not places:
        return
    for chosen in (places, [place for place in places if draw.random() < 0.5]):
        selected: dict[str, list[int]] = {}
        for place in chosen:
            selected.setdefault(place.transform, []).append(place.token)
        for labels in ("keep", "external"):
            expected = naive_tree(naive, selected, labels) if chosen else tree
            found = rule.apply(tree, chosen, labels=labels)
            where = (spec, labels, selected, tree.heads, tree.deprels)
            tally.same((found.heads, found.deprels), (expected.heads, expected.deprels), *where)


@pytest.mark.parametrize("spec", [*variants(), *TOGETHER])
def test_rules(spec: str, treebanks: list, sized: Callable[[int], int], tally: Tally) -> None:
    """Places, and the trees of all and of a random half of them"""
    draw = random.Random(spec)
    for conventions, trees in treebanks:
        for tree in draw.sample(trees, min(sized(500), len(trees))):
            compare(tally, spec, conventions, tree, draw)

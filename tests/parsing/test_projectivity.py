from __future__ import annotations

import brute_force
import numpy as np
import pytest
from brute_force import all_trees, is_ancestor
from corpora import random_heads, random_treebank

from learnability.parsing.projectivity import (
    TREATMENTS,
    is_projective,
    nonprojective_arcs,
    projectivized,
)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_is_projective_equals_the_definition(n: int) -> None:
    for heads in all_trees(n):
        assert is_projective(heads) == brute_force.is_projective(heads)
        assert is_projective(heads) == (not nonprojective_arcs(heads))


def lifted_by_definition(heads: tuple[int, ...]) -> tuple[int, ...]:
    """Nivre & Nilsson 2005: lift the smallest non-projective arc, the leftmost among equals, and again."""
    while True:
        crossing = [
            (abs(h - d), min(h, d), d)
            for d, h in enumerate(heads, start=1)
            if h != 0 and any(not is_ancestor(heads, h, k) for k in range(min(h, d) + 1, max(h, d)))
        ]
        if not crossing:
            return heads
        d = min(crossing)[2]
        heads = (*heads[: d - 1], heads[heads[d - 1] - 1], *heads[d:])


def test_lifting_equals_the_definition() -> None:
    random = np.random.default_rng(3)
    trees = [*all_trees(4), *(random_heads(random, n, projective=False) for n in (5, 6, 7, 8, 9) * 30)]
    changed = 0
    for heads in trees:
        lifted = projectivized(heads)
        assert lifted == lifted_by_definition(heads)
        assert brute_force.is_projective(lifted)
        if heads.count(0) == 1:
            assert lifted.index(0) == heads.index(0)
            assert lifted.count(0) == 1
        changed += lifted != tuple(heads)
    assert changed > 100


def test_lifting_the_textbook_example() -> None:
    """The arc from 4 to 2 spans 3, the head of 4: 2 moves there. The arc from 3 to 1 is fine."""
    assert projectivized((3, 4, 0, 3)) == (3, 3, 0, 3)


def test_treatments() -> None:
    trees = random_treebank(seed=5, sentences=60, longest=8, projective=False)
    projective = [t for t in trees if brute_force.is_projective(t.heads)]
    assert 0 < len(projective) < len(trees)
    assert TREATMENTS["drop"](trees) == projective
    assert TREATMENTS["min-cost"](trees) == trees
    lifted = TREATMENTS["lift"](trees)
    assert [t.heads for t in lifted] == [lifted_by_definition(t.heads) for t in trees]
    assert [t.deprels for t in lifted] == [t.deprels for t in trees]

from __future__ import annotations

import random

import pytest
import trees
from brute_force import all_trees
from corpora import random_treebank
from trees import random_heads

from learnability.parsing.projectivity import (
    TREATMENTS,
    is_projective,
    nonprojective_arcs,
    projectivize,
)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_is_projective_equals_the_definition(n: int) -> None:
    for heads in all_trees(n):
        assert is_projective(heads) == trees.is_projective(heads)
        assert is_projective(heads) == (not nonprojective_arcs(heads))


def test_lifting_equals_the_definition() -> None:
    draw = random.Random(3)
    every = [*all_trees(4), *(random_heads(draw, n) for n in (5, 6, 7, 8, 9) * 30)]
    changed = 0
    for heads in every:
        lifted = projectivize(heads)
        assert lifted == trees.lifted(heads)
        assert trees.is_projective(lifted)
        if heads.count(0) == 1:
            assert lifted.index(0) == heads.index(0)
            assert lifted.count(0) == 1
        changed += lifted != tuple(heads)
    assert changed > 100


def test_lifting_the_textbook_example() -> None:
    """The arc from 4 to 2 spans 3, the head of 4: 2 moves there. The arc from 3 to 1 is fine."""
    assert projectivize((3, 4, 0, 3)) == (3, 3, 0, 3)


def test_treatments() -> None:
    bank = random_treebank(seed=5, sentences=60, longest=8, projective=False)
    projective = [t for t in bank if trees.is_projective(t.heads)]
    assert 0 < len(projective) < len(bank)
    assert TREATMENTS["drop"](bank) == projective
    lifted = TREATMENTS["lift"](bank)
    assert [t.heads for t in lifted] == [trees.lifted(t.heads) for t in bank]
    assert [t.deprels for t in lifted] == [t.deprels for t in bank]

"""The error split and the scores by relation, against hand counts and token by token."""

from __future__ import annotations

import random

import numpy as np
import pytest
from naive_measures import content_of
from small_treebanks import demo_treebank

from learnability.errors import InputError
from learnability.metrics.phrases import TOKEN_KINDS, by_relation, counts_by, token_kinds
from learnability.treebanks.sentence import Tree


def lives() -> Tree:
    """She lives in the big city now"""
    return Tree(
        ("She", "lives", "in", "the", "big", "city", "now"), ("X",) * 7, (2, 0, 6, 6, 6, 2, 2),
        ("nsubj", "root", "case", "det", "amod", "obl:loc", "advmod"),
    )  # fmt: skip


def split(trees: list[Tree], places: list[list[int]], correct: np.ndarray) -> dict[str, tuple[int, int]]:
    return counts_by(token_kinds(trees, places), correct, TOKEN_KINDS)


def test_split_by_hand() -> None:
    right = np.array([1, 1, 0, 1, 1, 0, 1], bool)
    # place: in; its phrase: the, city; elsewhere: She, lives, big, now
    assert split([lives()], [[3]], right) == {"place": (0, 1), "phrase": (1, 2), "elsewhere": (4, 4)}
    assert split([lives()], [[]], right) == {"place": (0, 0), "phrase": (0, 0), "elsewhere": (5, 7)}
    two = split([lives(), lives()], [[], [3, 4]], np.concatenate([right, right]))
    assert two == {"place": (1, 2), "phrase": (0, 1), "elsewhere": (9, 11)}


def test_relations_by_hand() -> None:
    found = by_relation([lives()], np.array([1, 1, 0, 1, 1, 0, 1], bool))
    assert found["case"] == (0, 1)
    assert found["obl"] == (0, 1)
    assert list(found) == sorted(found)
    assert sum(total for _, total in found.values()) == 7


def test_parts_are_a_partition_found_token_by_token() -> None:
    draw = random.Random(1)
    trees = [s.tree for s in demo_treebank().test][:60]
    places = [[t for t, d in enumerate(tree.deprels, 1) if d in ("case", "cop")] for tree in trees]
    correct = np.array([draw.random() < 0.7 for tree in trees for _ in tree.heads])
    expected = {"place": [0, 0], "phrase": [0, 0], "elsewhere": [0, 0]}
    results = iter(correct.tolist())
    for tree, own in zip(trees, places, strict=True):
        for token in range(1, len(tree) + 1):
            near = content_of(tree, token) in {content_of(tree, place) for place in own}
            counts = expected["place" if token in own else "phrase" if near else "elsewhere"]
            counts[0] += next(results)
            counts[1] += 1
    assert split(trees, places, correct) == {part: tuple(c) for part, c in expected.items()}
    assert min(total for _, total in expected.values()) > 50


def test_lengths_must_fit() -> None:
    with pytest.raises(InputError, match="6 results for 7 tokens"):
        by_relation([lives()], np.ones(6, bool))
    with pytest.raises(InputError, match="6 results for 7 tokens"):
        split([lives()], [[]], np.ones(6, bool))
    with pytest.raises(InputError, match="those of 2 sentences"):
        split([lives()], [[], []], np.ones(7, bool))

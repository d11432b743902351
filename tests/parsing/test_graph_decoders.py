"""The decoders of the graph-based parser against search over all trees."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from trees import is_projective, is_tree

from learnability.parsing.graph import Decoder, find_tree, new_graph_space
from learnability.parsing.graph_features import compile_arc_templates

DECODERS = [Decoder(projective, several) for projective in (True, False) for several in (False, True)]
TEMPLATES = compile_arc_templates()


@cache
def trees_for(n: int, decoder: Decoder) -> NDArray[np.int64]:
    """int64[trees, n]: the heads of every tree that the decoder may find."""
    heads = np.indices((n + 1,) * n).reshape(n, -1).T
    above = heads
    for _ in range(n):  # the head of the head, and so on
        above = np.where(above > 0, np.take_along_axis(heads, np.maximum(above - 1, 0), axis=1), 0)
    heads = heads[(above == 0).all(axis=1)]
    if not decoder.multiple_roots:
        heads = heads[(heads == 0).sum(axis=1) == 1]
    if decoder.projective:
        words = np.arange(1, n + 1)
        low, high = np.minimum(heads, words), np.maximum(heads, words)
        for i, k in combinations(range(n), 2):
            for a, b in ((i, k), (k, i)):
                crossed = (low[:, a] < low[:, b]) & (low[:, b] < high[:, a]) & (high[:, a] < high[:, b])
                heads, low, high = heads[~crossed], low[~crossed], high[~crossed]
    return heads


def found(scores: NDArray[np.float32], decoder: Decoder) -> tuple[int, ...]:
    """The tree that the decoder finds."""
    n = len(scores) - 1
    space = new_graph_space(n, TEMPLATES, decoder)
    space.arcs.score[:] = scores
    find_tree(np.int32(n), decoder, space)
    return tuple(space.heads[1:].tolist())


def total(scores: NDArray[np.float32], heads: NDArray[np.int64]) -> NDArray[np.float64]:
    """The score of each tree (rows of `heads`)."""
    return scores.astype(float)[np.arange(1, len(scores)), heads].sum(axis=-1)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("high", [1, 3, 50])
def test_no_tree_scores_higher(decoder: Decoder, high: int) -> None:
    """Whole numbers, so that sums are exact; the lower the highest one, the more trees are equally good."""
    random = np.random.default_rng(high)
    for n, times in ((1, 2), (2, 30), (3, 60), (4, 80), (5, 80), (6, 12)):
        every = trees_for(n, decoder)
        for _ in range(times):
            scores = random.integers(-high, high, (n + 1, n + 1), endpoint=True).astype(np.float32)
            tree = found(scores, decoder)
            assert is_tree(tree, several_roots=decoder.multiple_roots)
            assert not decoder.projective or is_projective(tree)
            assert total(scores, np.array(tree)) == total(scores, every).max()
            assert found(scores, decoder) == tree


def test_equal_scores_are_decided_in_one_way() -> None:
    """docs/rules.md, Graph-based parsing."""
    for n in (1, 2, 5):
        equal = np.zeros((n + 1, n + 1), np.float32)
        assert found(equal, Decoder(False, True)) == (0,) * n
        assert found(equal, Decoder(True, False))[0] == 0


def test_space_is_used_again() -> None:
    """Longer and shorter sentences leave nothing behind."""
    random = np.random.default_rng(3)
    for decoder in DECODERS:
        space = new_graph_space(8, TEMPLATES, decoder)
        for n in (8, 3, 5, 1, 8, 2):
            scores = random.integers(-3, 3, (n + 1, n + 1)).astype(np.float32)
            space.arcs.score[: n + 1, : n + 1] = scores
            find_tree(np.int32(n), decoder, space)
            assert tuple(space.heads[1 : n + 1].tolist()) == found(scores, decoder)

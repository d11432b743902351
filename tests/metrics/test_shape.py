from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_data import tree
from trees import Heads, descends, is_projective, trees_of_heads

from learnability.errors import InputError
from learnability.metrics import tree_shape
from learnability.metrics.flat import flatten


def test_shape_by_hand() -> None:
    first = tree([2, 3, 0, 3, 4], upos="D N V P N")
    # 4 <- 1 <- 3, and 2 (root) <- 4: the arc from 3 to 1 and the arc from 1 to 4 cover the root word.
    second = tree([3, 0, 4, 2], upos="N V N V")
    shape = tree_shape([first, second])
    assert (shape.sentences, shape.tokens) == (2, 9)
    assert shape.mean_dependency_length == pytest.approx((1 + 1 + 1 + 1 + 2 + 1 + 2) / 7)
    assert shape.nonprojective_sentences == 0.5
    assert shape.nonprojective_arcs == pytest.approx(1 / 7)
    assert shape.mean_depth == pytest.approx((2 + 1 + 0 + 1 + 2 + 3 + 0 + 2 + 1) / 9)
    assert shape.mean_height == pytest.approx((2 + 3) / 2)
    assert shape.mean_arity == pytest.approx((1 + 2 + 1 + 1 + 1 + 1) / 6)
    assert shape.max_arity == 2
    # (D, N): left; (N, V): left, left; (P, V): right; (N, P): right; (N, N): left; (V, V): right.
    assert shape.direction_entropy == 0


def test_direction_entropy_by_hand() -> None:
    trees = [tree([2, 0, 2, 2], upos="N V N P"), tree([2, 0], upos="N V")]
    three = -(2 / 3 * log2(2 / 3) + 1 / 3 * log2(1 / 3))
    assert tree_shape(trees).direction_entropy == pytest.approx(3 / 4 * three)


def test_a_sentence_of_one_word_has_no_arcs() -> None:
    shape = tree_shape([tree([0])])
    assert (shape.mean_dependency_length, shape.mean_arity, shape.direction_entropy) == (0, 0, 0)
    assert (shape.nonprojective_arcs, shape.mean_depth, shape.max_arity) == (0, 0, 0)


def test_no_tokens_are_refused() -> None:
    with pytest.raises(InputError, match="no tokens"):
        tree_shape([])


@given(st.lists(trees_of_heads(projective=False), min_size=1, max_size=4))
def test_nonprojective_arcs_equal_their_definition(corpus: list[Heads]) -> None:
    expected, crossing_sentences = [], 0
    for heads in corpus:
        arcs = [
            bool(h) and any(not descends(heads, w, h) for w in range(min(d, h) + 1, max(d, h)))
            for d, h in enumerate(heads, 1)
        ]
        assert any(arcs) != is_projective(heads)
        crossing_sentences += any(arcs)
        expected += arcs
    assert flatten(corpus).nonprojective_arcs().tolist() == expected
    shape = tree_shape([tree(heads) for heads in corpus])
    assert shape.nonprojective_sentences == pytest.approx(crossing_sentences / len(corpus))

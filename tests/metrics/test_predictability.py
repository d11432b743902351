from __future__ import annotations

import random
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_data import tree
from naive_measures import conditional_entropy, tags_of_arcs
from trees import random_heads

from learnability.errors import InputError
from learnability.metrics import predictability
from learnability.metrics.predictability import encode
from learnability.treebanks.sentence import Tree

# ROOT -> V; V -> N (left), V -> N (right), V -> P (right); N -> D (left).
DOG = tree([2, 3, 0, 3, 3], upos="D N V N P")
# ROOT -> N; N -> D (left), N -> D (right).
HUT = tree([2, 0, 2], upos="D N D")
TREES = [DOG, HUT]


def h(*counts: int) -> float:
    """The entropy in bits of a distribution given by counts."""
    return -sum(c / sum(counts) * log2(c / sum(counts)) for c in counts)


def test_dependent_given_head_by_hand() -> None:
    # ROOT: V, N; V: N, N, P; N: D, D, D (8 arcs).
    assert predictability(TREES) == pytest.approx((2 * h(1, 1) + 3 * h(2, 1) + 3 * 0) / 8)


def tagged(n: int, seed: int) -> Tree:
    heads = random_heads(random.Random(seed), n)
    return tree(heads, upos=" ".join("NVDPA"[(seed // (i + 1)) % 5] for i in range(n)))


@given(
    st.lists(st.builds(tagged, st.integers(2, 9), st.integers(0, 10**6)), min_size=1, max_size=6),
)
def test_equals_the_formula_taken_arc_by_arc(trees: list[Tree]) -> None:
    assert predictability(trees) == pytest.approx(conditional_entropy(tags_of_arcs(trees)))


def test_symbols_are_numbered_by_first_occurrence() -> None:
    assert encode(tag for t in TREES for tag in t.upos).tolist() == [0, 1, 2, 1, 3, 0, 1, 0]


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="no arcs"):
        predictability([])
    with pytest.raises(InputError, match="no token has a UPOS"):
        predictability([tree([0, 1], upos="_ _")])

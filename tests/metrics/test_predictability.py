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
from learnability.metrics import head_given_dependent, predictability
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


def test_without_root_arcs_by_hand() -> None:
    assert predictability(TREES, root="exclude") == pytest.approx(3 * h(2, 1) / 6)


def test_macro_is_the_unweighted_mean_over_head_tags() -> None:
    assert predictability(TREES, macro=True) == pytest.approx((h(1, 1) + h(2, 1) + 0) / 3)
    assert predictability(TREES, macro=True, root="exclude") == pytest.approx(h(2, 1) / 2)


def test_direction_splits_the_head_tags() -> None:
    # ROOT: V, N; (V, left): N; (V, right): N, P; (N, left): D, D; (N, right): D.
    assert predictability(TREES, direction=True) == pytest.approx((2 * h(1, 1) + 2 * h(1, 1)) / 8)
    assert predictability(TREES, direction=True, macro=True) == pytest.approx((h(1, 1) + h(1, 1)) / 5)


def test_head_given_dependent_by_hand() -> None:
    # D: N, N, N; N: V, V, ROOT; V: ROOT; P: V.
    assert head_given_dependent(TREES) == pytest.approx(3 * h(2, 1) / 8)
    assert head_given_dependent(TREES, macro=True) == pytest.approx(h(2, 1) / 4)
    # D: N left, N left, N right; N: V left, V right, ROOT.
    assert head_given_dependent(TREES, direction=True) == pytest.approx((3 * h(2, 1) + 3 * h(1, 1, 1)) / 8)
    assert head_given_dependent(TREES, root="exclude") == 0


def tagged(n: int, seed: int) -> Tree:
    heads = random_heads(random.Random(seed), n)
    return tree(heads, upos=" ".join("NVDPA"[(seed // (i + 1)) % 5] for i in range(n)))


@given(
    st.lists(st.builds(tagged, st.integers(2, 9), st.integers(0, 10**6)), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from(["special", "exclude"]),
    st.booleans(),
)
def test_equals_the_formula_taken_arc_by_arc(
    trees: list[Tree], direction: bool, root: str, macro: bool
) -> None:
    options = {"direction": direction, "root": root, "macro": macro}
    pairs = tags_of_arcs(trees, direction, root)
    turned = [(head, dependent) for dependent, head in pairs]
    assert predictability(trees, **options) == pytest.approx(conditional_entropy(pairs, macro))
    assert head_given_dependent(trees, **options) == pytest.approx(conditional_entropy(turned, macro))


def test_symbols_are_numbered_by_first_occurrence() -> None:
    assert encode(tag for t in TREES for tag in t.upos).tolist() == [0, 1, 2, 1, 3, 0, 1, 0]


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="no arcs"):
        predictability([])
    with pytest.raises(InputError, match="no arcs"):
        predictability([tree([0])], root="exclude")
    with pytest.raises(InputError, match="no token has a UPOS"):
        predictability([tree([0, 1], upos="_ _")])
    with pytest.raises(InputError, match="root='none'"):
        predictability(TREES, root="none")  # type: ignore[arg-type]

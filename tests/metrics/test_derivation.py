from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_data import tree
from naive_measures import derivation
from trees import Heads, all_trees, is_projective, trees_of_heads

from learnability.errors import InputError
from learnability.metrics import derivation_perplexity
from learnability.metrics.derivation import attachment_order
from learnability.metrics.flat import flatten


def order_of(heads: Sequence[int]) -> list[int]:
    found: list[int] = (attachment_order(flatten([heads])) + 1).tolist()
    return found


def test_attachment_order_of_every_projective_tree() -> None:
    checked = 0
    for n in range(1, 6):
        for heads in filter(is_projective, all_trees(n)):
            assert order_of(heads) == derivation(tree(heads))[1], heads
            checked += 1
    assert checked == 1 + 2 + 7 + 30 + 143


@given(st.lists(trees_of_heads(longest=25, projective=True), min_size=1, max_size=4))
def test_attachment_order_of_random_corpora(corpus: list[Heads]) -> None:
    flat = flatten(corpus)
    starts = flat.offsets.tolist()
    expected = [
        starts[s] + token - 1 for s, heads in enumerate(corpus) for token in derivation(tree(heads))[1]
    ]
    assert attachment_order(flat).tolist() == expected


TRAIN = [tree([2, 0], forms="A b", upos="P Q"), tree([0], forms="a", upos="P")]


def perplexity(*p: float) -> float:
    return float(np.prod(p) ** (-1 / len(p)))


def test_perplexity_by_hand() -> None:
    """Events of train: a b END; a END. V = 4 (a, b, unknown, END), N = 5, T = 3."""
    a, b, end = (2 + 3 / 4) / 8, (1 + 3 / 4) / 8, (2 + 3 / 4) / 8
    a_begin = (2 + 1 * a) / (2 + 1)
    a_begin_begin = (2 + 1 * a_begin) / (2 + 1)
    b_a = (1 + 2 * b) / (2 + 2)
    b_begin_a = (1 + 2 * b_a) / (2 + 2)
    end_b = (1 + 1 * end) / (1 + 1)
    end_a_b = (1 + 1 * end_b) / (1 + 1)
    dev = [tree([2, 0], forms="a B", upos="P Q")]
    found = derivation_perplexity(TRAIN, dev, unknown_below=1)
    assert found == pytest.approx(perplexity(a_begin_begin, b_begin_a, end_a_b), rel=1e-12)


def test_order_decides_what_the_model_reads() -> None:
    dev = [tree([0, 1], forms="b a")]  # attached: a, then the root b
    swapped = [tree([2, 0], forms="a b")]
    one, other = derivation_perplexity(TRAIN, dev), derivation_perplexity(TRAIN, swapped)
    assert one == pytest.approx(other, rel=1e-12)


def test_unseen_words_and_contexts_by_hand() -> None:
    """Forms seen once are unknown: events of train: a UNKNOWN END; a END. V = 3."""
    a, unknown, end = (2 + 3 / 3) / 8, (1 + 3 / 3) / 8, (2 + 3 / 3) / 8
    unknown_begin = (0 + 1 * unknown) / (2 + 1)
    unknown_begin_begin = (0 + 1 * unknown_begin) / (2 + 1)
    a_unknown = (0 + 1 * a) / (1 + 1)  # the context BEGIN UNKNOWN was never seen
    end_a = (1 + 2 * end) / (2 + 2)  # nor was UNKNOWN a
    dev = [tree([2, 0], forms="zzz a")]
    found = derivation_perplexity(TRAIN, dev)
    assert found == pytest.approx(perplexity(unknown_begin_begin, a_unknown, end_a), rel=1e-12)


def test_sentences_that_are_not_projective_are_left_out() -> None:
    crossing = tree([3, 4, 0, 3], forms="c d e f")
    assert derivation_perplexity([*TRAIN, crossing], [crossing, *TRAIN]) == derivation_perplexity(
        TRAIN, TRAIN
    )
    with pytest.raises(InputError, match="dev has no projective sentence"):
        derivation_perplexity(TRAIN, [crossing])

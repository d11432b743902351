from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import Heads, all_trees, descends, is_projective, trees_of_heads

from learnability.errors import InputError
from learnability.metrics.flat import depths, flatten, projective_sentences, sentence_sums, spans


def test_flatten_numbers_tokens_within_and_across_sentences() -> None:
    flat = flatten([(2, 0), (), (0, 1, 1)])
    assert flat.offsets.tolist() == [0, 2, 2, 5]
    assert flat.sentence.tolist() == [0, 0, 2, 2, 2]
    assert flat.position.tolist() == [1, 2, 1, 2, 3]
    assert flat.parent.tolist() == [1, -1, -1, 2, 2]
    assert (len(flat), flat.tokens) == (3, 5)


@given(st.lists(trees_of_heads(shortest=0), max_size=5))
def test_subtrees_equal_their_definition(corpus: list[Heads]) -> None:
    flat = flatten(corpus)
    (left, right, size), depth = spans(flat), depths(flat)
    token = 0
    for s, heads in enumerate(corpus):
        for d in range(1, len(heads) + 1):
            below = [w for w in range(1, len(heads) + 1) if descends(heads, w, d)]
            above = [w for w in range(1, len(heads) + 1) if descends(heads, d, w)]
            first = int(flat.offsets[s]) - 1
            assert left[token] == first + min(below)
            assert right[token] == first + max(below)
            assert size[token] == len(below)
            assert depth[token] == len(above) - 1
            token += 1


def test_projectivity_of_every_tree_up_to_five_tokens() -> None:
    trees = [heads for n in range(1, 6) for heads in all_trees(n)]
    expected = [is_projective(heads) for heads in trees]
    assert projective_sentences(flatten(trees)).tolist() == expected
    # The numbers of projective trees with one root are known (OEIS A006013).
    by_size = [sum(p for h, p in zip(trees, expected, strict=True) if len(h) == n) for n in range(1, 6)]
    assert by_size == [1, 2, 7, 30, 143]


def test_sentence_sums_of_empty_sentences_are_zero() -> None:
    assert sentence_sums(np.array([1, 2, 4]), np.array([0, 0, 2, 2, 3])).tolist() == [0, 3, 0, 4]


@pytest.mark.parametrize(
    ("heads", "message"),
    [([(0, 3)], "sentence 1, token 2: head 3"), ([(0,), (0, -1)], "sentence 2, token 2: head -1")],
)
def test_heads_outside_the_sentence_are_refused(heads: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        flatten(heads)


def test_cycles_are_refused() -> None:
    with pytest.raises(InputError, match="the heads of sentence 2 form a cycle"):
        depths(flatten([(0, 1), (0, 3, 2)]))

"""Encoding, the table of weights, the repair of roots, the kernels' cache."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from corpora import random_treebank
from kernels import weights_of
from trees import is_tree
from twins import single_root as single_root_twin

from learnability.errors import InputError
from learnability.parsing import decoding, oracle, perceptron
from learnability.parsing.configuration import ROOT, KernelConfiguration, N, clear, new_configuration
from learnability.parsing.encoding import (
    UNKNOWN_LABEL,
    encode_heads,
    encode_labels,
    encode_tokens,
    string_number,
)
from learnability.parsing.features import ALL_COLUMNS
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import SYSTEMS, easy_first, system_named
from learnability.parsing.workspace import new_workspace


def configuration_with(heads: tuple[int | None, ...], root: int) -> KernelConfiguration:
    n = len(heads)
    c = new_configuration(n)
    clear(c, n, root, 1, n)
    for d, h in enumerate(heads, start=1):
        if h is not None:
            c.head[d] = root if h == 0 else h
    return c


@pytest.mark.parametrize("root_first", [True, False])
def test_single_root_equals_the_twin(root_first: bool) -> None:
    """Every forest over three words, where some have no head."""
    for heads in itertools.product((None, 0, 1, 2, 3), repeat=3):
        if not is_tree(tuple(h or 0 for h in heads), several_roots=True):
            continue
        c = configuration_with(heads, 0 if root_first else 4)
        decoding.single_root(c, False)
        root = int(c.at[ROOT])
        found = [0 if h == root else int(h) for h in c.head[1:4]]
        assert found == single_root_twin(list(heads))
        assert found.count(0) == 1
        assert is_tree(found)


def test_several_roots_stay_where_they_are_wanted() -> None:
    c = configuration_with((0, 1, 0, None), 0)
    assert decoding.single_root(c, True) == 1
    assert c.head[1 : c.at[N] + 1].tolist() == [0, 1, 0, 1]


def test_encoding_round_trip() -> None:
    trees = random_treebank(seed=1, sentences=10)
    corpus = encode_tokens(trees, columns=ALL_COLUMNS)
    heads = encode_heads(corpus, [t.heads for t in trees])
    names = ["case", "det", "root"]
    labels = encode_labels(corpus, [t.deprels for t in trees], names)
    assert corpus.tokens() == sum(map(len, trees))
    for tree, start, n in zip(trees, corpus.start, corpus.length, strict=True):
        rows = slice(start + 1, start + 1 + n)
        assert heads[rows].tolist() == list(tree.heads)
        assert labels[rows].tolist() == [
            names.index(d) if d in names else UNKNOWN_LABEL for d in tree.deprels
        ]
        for i in range(n):
            form, tag = tree.forms[i], tree.upos[i]
            texts = [form, tag, f"{form}\t{tag}"]
            texts += [form[-k:] for k in (1, 2, 3, 4)] + [form[:k] for k in (1, 2, 3, 4)]
            texts += [tree.xpos[i], tree.feats[i], tree.lemmas[i]]
            expected = [string_number(f"{c}={t}") for c, t in zip(ALL_COLUMNS, texts, strict=True)]
            assert corpus.attributes[start + 1 + i].tolist() == expected
        assert heads[start] == heads[start + 1 + n] == heads[start + 2 + n] == 0
        assert (corpus.attributes[start] == corpus.attributes[start + 1 + n]).all()
        assert (corpus.attributes[start] != corpus.attributes[start + 2 + n]).all()


def test_tags() -> None:
    trees = random_treebank(seed=1, sentences=3)
    gold, xpos, none = (encode_tokens(trees, tags=t).attributes[:, 1] for t in ("gold", "xpos", "none"))
    assert gold[1] == string_number(f"p={trees[0].upos[0]}")
    assert xpos[1] == string_number(f"p={trees[0].xpos[0]}")
    assert none[1] == string_number("p=")
    with pytest.raises(InputError, match="choose one of gold, xpos, none"):
        encode_tokens(trees, tags="upos")


def test_table_finds_what_was_entered() -> None:
    """Keys that share their slot or their lower half, and growth."""
    random = np.random.default_rng(1)
    keys = np.unique(random.integers(1, 2**64, size=200, dtype=np.uint64))
    keys = np.concatenate([keys, keys[:50] ^ np.uint64(1), keys[50:90] ^ np.uint64(1 << 40)])
    p = perceptron.new_perceptron(2, 512)
    rows = np.zeros(len(keys), np.int32)
    perceptron.find_rows(p, keys, rows)
    assert (rows == 0).all()
    perceptron.update(p, keys, rows, 0, 1)
    for table in (p, perceptron.with_room(p, 3000)):
        perceptron.find_rows(table, keys, rows)
        assert rows.tolist() == list(range(1, len(keys) + 1))
        assert (weights_of(table) == [1, -1]).all()
        assert not table.weight[0].any()
        others = np.array([k for k in (keys + np.uint64(12345)) if k not in set(keys.tolist())], np.uint64)
        missing = np.zeros(len(others), np.int32)
        perceptron.find_rows(table, others, missing)
        assert (missing == 0).all()


def test_gold_lists_dependents_in_order() -> None:
    for tree in random_treebank(seed=4, sentences=20, projective=False):
        n = len(tree)
        gold = oracle.new_gold(n + 2)
        heads = np.array([0, *tree.heads, 0, 0], np.int32)
        heads[1] = oracle.UNKNOWN
        for root in (0, n + 1):
            oracle.set_gold(gold, n, root, heads, np.zeros(0, np.int32), 0)
            for h in range(n + 2):
                expected = [
                    d for d in range(2, n + 1) if (root if tree.heads[d - 1] == 0 else tree.heads[d - 1]) == h
                ]
                assert gold.dependents[gold.start[h] : gold.start[h + 1]].tolist() == expected


def test_easy_first_stays_as_long_as_it_learns_but_not_for_ever() -> None:
    """After so many updates in one configuration it goes on with what is right; a step forgets the count."""
    work = new_workspace(4, *ParserOptions(system="easy-first").templates(), 0)
    kernels = system_named("easy-first").kernels
    choices = [
        easy_first.choose(kernels, 0, 0.0, 1, 2, True, work) for _ in range(2 * easy_first.MOST_UPDATES)
    ]
    stays = [(-1, False)] * (easy_first.MOST_UPDATES - 1)
    assert choices == [*stays, (2, False), *stays, (2, False)]
    assert easy_first.choose(kernels, 0, 0.0, 1, 2, False, work) == (2, False)
    assert easy_first.choose(kernels, 0, 0.0, 1, 1, True, work) == (1, False)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_says_what_it_is(name: str) -> None:
    summary = SYSTEMS[name].summary
    assert len(summary) > 20
    assert summary.endswith(".")

"""Root words with several labels, as in the Norwegian Dependency Treebank: learned like any label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest
import twins
from corpora import random_treebank
from hypothesis import given
from hypothesis import strategies as st
from root_labels import (
    OF_ROOTS,
    TRAIN,
    UNSEEN,
    check_root_labels,
    check_single_label,
    of_roots,
    with_root_labels,
)
from small_treebanks import demo_treebank
from trees import is_tree

from learnability.comparing.conversion import train_converter
from learnability.multiref.arrays import labels_of
from learnability.multiref.references import reference_set
from learnability.parsing.encoding import Labels, encode_heads, encode_tokens
from learnability.parsing.graph import Decoder, encoder, train_graph_parser
from learnability.parsing.iterations import CorpusParser
from learnability.parsing.model_file import BODY, load_model, save_model
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import FEATURE_SETS
from learnability.parsing.token_classifier import classify, feature_keys, train_classifier
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import ROOT, Tree


def by_graph(decoder: Decoder) -> Callable[[Sequence[Tree]], tuple[CorpusParser, Sequence[Tree]]]:
    def train(trees: Sequence[Tree]) -> tuple[CorpusParser, Sequence[Tree]]:
        encode = encoder(labelled=True)
        trained = train_graph_parser(trees, (), encode, decoder, labelled=True, iterations=2, seed=1)
        return trained.parser, trained.parser.parse_encoded(UNSEEN, encode(UNSEEN))

    return train


def by_arc_eager(trees: Sequence[Tree]) -> tuple[CorpusParser, Sequence[Tree]]:
    parser = train_parser(trees, ParserOptions(iterations=3, labelled=True)).parser
    return parser, parser.parse(UNSEEN)


KINDS = {
    "arc-eager": by_arc_eager,
    "graph": by_graph(Decoder(projective=True, multiple_roots=False)),
    "graph:nonprojective": by_graph(Decoder(projective=False, multiple_roots=True)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_root_words_have_a_label_of_root_words(kind: str) -> None:
    for tree in check_root_labels(KINDS[kind]):
        assert is_tree(tree.heads, several_roots=kind == "graph:nonprojective")


@pytest.mark.usefixtures("interpreted")
def test_root_words_found_by_easy_first_have_a_label_of_root_words() -> None:
    """It is compared with no twin."""
    options = ParserOptions("easy-first", "explore", iterations=2, labelled=True)
    parser = train_parser(TRAIN[:20], options).parser
    assert parser.root_labels == OF_ROOTS
    assert {*of_roots(parser.parse(UNSEEN[:12]))} <= {*OF_ROOTS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_label_is_that_of_every_root_word(kind: str) -> None:
    check_single_label(KINDS[kind])


SHORT = with_root_labels(random_treebank(seed=3, sentences=18, longest=5))  # for twins that search


@cache
def train_twin(name: str, oracle: str, labels: tuple[str, ...]) -> tuple[dict, dict]:
    """The weights of transitions and of labels."""
    trees = TREES_OF_TWINS[name]
    table, of_labels = SYSTEMS[name].features["zn11"], FEATURE_SETS["zn11"]
    model, label_model, _ = twins.train(trees, name, oracle, table, of_labels, list(labels), iterations=2)
    return model.averaged(), label_model.averaged()


TREES_OF_TWINS = {
    name: TRAIN if name.startswith("arc-eager") else SHORT
    for name, system in SYSTEMS.items()
    if not system.in_list
}


@pytest.mark.parametrize("multiple_roots", [False, True])
@pytest.mark.parametrize("name", TREES_OF_TWINS)
@pytest.mark.usefixtures("interpreted_unless_usual")
def test_labels_equal_the_twins(name: str, multiple_roots: bool) -> None:
    """Also those of words that the parser attaches at last, so that there is one tree with one root."""
    oracle, table = SYSTEMS[name].default_regime, SYSTEMS[name].features["zn11"]
    options = ParserOptions(
        name, oracle, iterations=2, labelled=True, features="zn11", multiple_roots=multiple_roots
    )
    parser = train_parser(TREES_OF_TWINS[name], options).parser
    of_labels = FEATURE_SETS["zn11"]
    averaged = train_twin(name, oracle, tuple(parser.labels))
    for tree, parsed in zip(UNSEEN[:12], parser.parse(UNSEEN[:12]), strict=True):
        expected = twins.parse_labelled(
            tree, name, *averaged, table, of_labels, parser.labels, OF_ROOTS, multiple_roots=multiple_roots
        )
        assert (list(parsed.heads), list(parsed.deprels)) == expected


def test_a_classifier_takes_the_best_of_the_classes_that_root_words_may_have() -> None:
    corpus = encode_tokens(TRAIN)
    heads = encode_heads(corpus, [tree.heads for tree in TRAIN])
    names = Labels.of(TRAIN).names
    gold = np.array([names.index(name) for tree in TRAIN for name in tree.deprels], np.int32)
    weights = train_classifier(corpus, heads, gold, len(names))
    keys = feature_keys(corpus, heads)
    row_of = {int(slot) >> 32: int(slot) & 0xFFFFFFFF for slot in weights.slots if slot}
    allowed = np.array([1, 0, 0, 1, *[0] * (len(names) - 4)], np.uint8)
    free, found = classify(weights, corpus, heads), classify(weights, corpus, heads, at_roots=allowed)
    at_root = [head == ROOT for tree in TRAIN for head in tree.heads]
    assert any(free[at_root] != found[at_root])
    for token, is_root in enumerate(at_root):
        scores = np.zeros(len(names), np.float32)
        for key in keys[token]:
            row = row_of.get(int(key) & 0xFFFFFFFF)
            if row is not None:
                scores += weights.weight[row, : len(names)]
        choices = np.flatnonzero(allowed) if is_root else np.arange(len(names))
        assert found[token] == choices[scores[choices].argmax()]


ARCS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["root", "a", "b", "dep"])), min_size=1)


@given(arcs=ARCS.filter(lambda arcs: any(head == ROOT for head, _ in arcs)))
def test_labels_of_arcs(arcs: list[tuple[int, str]]) -> None:
    labels = Labels.of_arcs(arcs)
    assert labels.names == tuple(sorted({name for _, name in arcs}))
    assert labels.of_roots == tuple(sorted({name for head, name in arcs if not head}))
    chosen = [name for name, flag in zip(labels.names, labels.root_mask, strict=False) if flag]
    assert chosen == (list(labels.of_roots) if len(labels.of_roots) > 1 else [])
    heads, names = [head for head, _ in arcs], [name for _, name in arcs]
    given_back = labels.deprels(heads, [labels.names.index(name) + 1 for name in names])
    assert given_back == ["dep" if head and name == "root" else name for head, name in arcs]


def test_several_labels_are_kept_in_the_model_file(tmp_path: Path) -> None:
    options = ParserOptions(iterations=1, labelled=True)
    several, single = (
        train_parser(with_root_labels(TRAIN, names), options).parser for names in (OF_ROOTS, ["root"])
    )
    for name, parser in (("several", several), ("single", single)):
        save_model(parser, tmp_path / name)
        loaded = load_model(tmp_path / name)
        assert loaded.root_labels == parser.root_labels
        assert loaded.parse(UNSEEN) == parser.parse(UNSEEN)
    content = msgspec.msgpack.decode((tmp_path / "single").read_bytes()[BODY:])
    assert "root_labels" not in content  # the default is left out


def test_a_multiref_parser_learns_them() -> None:
    rule = get_transformation("case")
    sets = [reference_set(tree, rule, labels="external") for tree in TRAIN]
    assert labels_of(sets).of_roots == OF_ROOTS
    both = {name for one in sets for _, tree in one.enumerate(8) for name in tree.deprels}
    assert both <= {*labels_of(sets).names}


def test_unlabelled_parses_get_them_when_they_are_converted() -> None:
    """A classifier finds the relations of a parse without any."""
    trees = with_root_labels(sentence.tree for sentence in demo_treebank().train[:150])
    assert {"FINV", "FRAG"} <= {*of_roots(trees)}
    rule = get_transformation("cop")
    converter = train_converter(trees, rule, None, encode_tokens)
    parses = [rule.apply(tree) for tree in trees]
    converted = converter.convert([replace(tree, deprels=("_",) * len(tree)) for tree in parses])
    names = of_roots(converted)
    assert {*names} <= {*OF_ROOTS}
    assert sum(map(str.__eq__, names, of_roots(trees))) > 0.9 * len(names)

"""How transition-based parsers see trees, against plain Python that finds lost arcs by search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import twins
from corpora import random_treebank

from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.parsing.encoding import encode_labels, encode_trees
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import FEATURE_SETS
from learnability.parsing.transition_margins import has_margins, label_margin, transition_margins
from learnability.treebanks.sentence import Tree

TREES = random_treebank(seed=7, sentences=40, longest=4)
UNSEEN = random_treebank(seed=8, sentences=60, longest=5)  # some choices are between equal costs
CROSSING = Tree(("w1", "w2", "w3", "w4"), ("N", "V", "V", "N"), (3, 4, 0, 3), ("obj", "det", "root", "obj"))


def trees_to_see(name: str) -> list[Tree]:
    """Trees of training and others, one with a label that training has not seen, and a crossing one.

    The twin cannot tell the costs of crossing trees for all projective systems.
    """
    unknown = next(tree for tree in UNSEEN if len(tree) > 2)
    unseen = [tree for tree in UNSEEN if len(tree) < 5 or SYSTEMS[name].projective]  # search takes long
    trees = [*TREES[:10], *unseen, replace(unknown, deprels=("unknown", *unknown.deprels[1:]))]
    return [*trees, CROSSING] if name in ("arc-eager", "covington") else trees


@pytest.mark.parametrize(
    "name",
    [
        "arc-eager",
        "arc-hybrid",
        pytest.param("arc-eager-root-first", marks=pytest.mark.slow),
        pytest.param("covington", marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("interpreted_unless_usual")
def test_margins_equal_the_twins(name: str) -> None:
    table, label_table = SYSTEMS[name].features["zn11"], FEATURE_SETS["zn11"]
    options = ParserOptions(system=name, iterations=2, labelled=True, seed=3, features="zn11")
    parser = train_parser(TREES, options).parser
    labels = list(parser.labels)
    model, label_model, _ = twins.train(
        TREES, name, "dynamic", table, label_table, labels, iterations=2, seed=3
    )
    trees = trees_to_see(name)
    corpus, heads = encode_trees(trees, options.encode)
    found = transition_margins(
        parser, corpus, heads, encode_labels(corpus, [t.deprels for t in trees], labels)
    )
    weights, label_weights = model.averaged(), label_model.averaged()
    expected = [
        twins.tree_margins(tree, name, weights, label_weights, table, label_table, labels) for tree in trees
    ]
    arcs, of_labels = (np.concatenate(column) for column in zip(*expected, strict=True))
    assert np.allclose(found.arcs, arcs, atol=1e-3)
    assert np.allclose(found.relations, of_labels, atol=1e-3)
    assert (arcs < 0).any()
    assert (arcs > 0).any()


def test_an_unknown_label_has_the_score_zero() -> None:
    scores = np.array([2.0, 5.0, -1.0], np.float32)  # no padding, which is zero, follows the labels
    assert [label_margin(scores, 3, known) for known in (-1, 0, 1, 2)] == [-5.0, -3.0, 3.0, -6.0]


def test_systems_with_margins_choose_between_a_few_transitions_of_known_cost() -> None:
    assert [name for name, system in SYSTEMS.items() if not has_margins(system)] == [
        "arc-standard",
        "easy-first",
    ]


def test_labelled_parsers_say_how_they_see_trees() -> None:
    def train(*, labelled: bool) -> TrainedParser:
        return parser_named("arc-eager").trainer(Setup(labelled=labelled, iterations=1)).train(TREES, (), 1)

    assert train(labelled=False).margins is None
    see = train(labelled=True).margins
    assert see is not None
    together, apart = see(UNSEEN), [see([tree]) for tree in UNSEEN]
    assert len(together.arcs) == sum(map(len, UNSEEN))
    for column in range(2):  # no sentence depends on another
        assert np.array_equal(together[column], np.concatenate([margins[column] for margins in apart]))

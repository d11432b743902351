"""The transformations on the demo treebank and a few real ones; tests/verification has all of them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from naive_rules import Naive
from restoring import joint, restored
from small_treebanks import demo_treebank
from transform_trees import variants

from learnability.schemes import get_scheme
from learnability.transforms.registry import PAPER, TRANSFORMATIONS, get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Conventions, Tree


def test_the_promised_share_comes_back_in_the_demo_treebank() -> None:
    demo = demo_treebank()
    for spec in variants():
        rule = get_transformation(spec, demo.conventions)
        counts = restored(rule, [sentence.tree for sentence in demo.test[::3]])
        assert 0 < rule.promised.invertible[1] <= 1
        # The promises are about real treebanks; the demo has far more auxiliaries in embedded clauses.
        assert counts["kept"] >= (rule.promised.invertible[1] - 0.05) * counts["moved"], spec


@cache
def read(ud_home: Path, name: str) -> tuple[Conventions, list[Tree]]:
    """A treebank, or a skipped test."""
    folders = sorted(ud_home.glob(f"*/{name}"))
    if not folders:
        pytest.skip(f"no {name} below LEARNABILITY_UD_HOME")
    trees = [s.tree for path in sorted(folders[0].glob("*.conllu")) for s in read_conllu(path).sentences]
    return detect_conventions(trees, folder=folders[0].parent.name), trees


@pytest.mark.parametrize("name", ["UD_Kazakh", "UD_Tamil-TTB"])
def test_rules_equal_a_second_implementation(ud_home: Path, name: str) -> None:
    conventions, trees = read(ud_home, name)
    draw = random.Random(3)
    for spec in (*TRANSFORMATIONS, "+".join(TRANSFORMATIONS)):
        rule = joint(spec, conventions)
        for tree in draw.sample(trees, 50):
            chosen = [place for place in rule.places(tree) if draw.random() < 0.7]
            selected = {
                one: [place.token for place in chosen if place.transform == one] for one in TRANSFORMATIONS
            }
            found = rule.apply(tree, chosen, labels="external")
            assert (found.heads, found.deprels) == Naive(tree, spec, conventions).apply(selected)


@pytest.mark.parametrize("scheme", ["all", "function-heads", "case+cop+cc:style=moscow+mark+mwe+name+aux"])
def test_combined_schemes_come_back(ud_home: Path, scheme: str) -> None:
    conventions, trees = read(ud_home, "UD_Irish")
    counts = restored(get_scheme(scheme, conventions), trees[::3])
    assert counts["kept"] >= 0.96 * counts["moved"] > 300


@pytest.mark.parametrize("name", ["UD_Kazakh", "UD_Tamil-TTB"])
def test_external_labels_of_all_transformations_at_once(ud_home: Path, name: str) -> None:
    conventions, trees = read(ud_home, name)
    counts = restored(joint("+".join(PAPER), conventions), trees, "external")
    assert counts["kept"] >= 0.998 * counts["moved"] > 998

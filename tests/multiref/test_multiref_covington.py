"""Covington's system under sets of references: exact where the parser stays on a reference."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from enumerated_references import Enumerated, survivors
from reference_trees import SPECS, transformation
from trees import random_tree

from learnability.errors import InputError
from learnability.multiref.arrays import encode_references
from learnability.multiref.oracle import prune, reference_costs, revive
from learnability.multiref.references import reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing import systems, training
from learnability.parsing.encoding import UNLABELLED, encode_tokens
from learnability.parsing.oracle import set_gold
from learnability.parsing.parser import ParserOptions
from learnability.treebanks import Tree


def trees_with_sites(spec: str, most: int, count: int) -> list[Tree]:
    rule = transformation(spec)
    trees = (random_tree(seed, 4 + seed % 8, projective=False) for seed in range(600))
    return [tree for tree in trees if 1 <= len(rule.sites(tree)) <= most][:count]


@pytest.mark.parametrize("spec", SPECS)
def test_correct_transitions_and_survivors_equal_enumeration(spec: str) -> None:
    """Costs of wrong transitions may differ by a cycle; which are 0, and who survives, is exact."""
    rule, draw, system = transformation(spec), random.Random(5), systems.COVINGTON
    trees = trees_with_sites(spec, most=6, count=50)
    assert len(trees) > 5
    for tree in trees:
        n = len(tree)
        references, _ = encode_references(encode_tokens([tree]), [reference_set(tree, rule)])
        many = Enumerated(tree, rule, system)
        work = training.new_workspace(n, ParserOptions(system="covington").templates(), 0)
        set_gold(work.gold, n, 0, references.fixed, UNLABELLED, 0)
        revive(references, 0)
        c = work.configuration
        systems.initial(system, c, n)
        while not systems.is_final(system, c):
            systems.legal(system, c, work.mask)
            reference_costs(system, c, work.gold, references, 0, work.mask, work.cost)
            each = many.costs(c, work.mask)
            legal = [t for t in range(systems.TRANSITIONS) if work.mask[t]]
            correct = [t for t in legal if each[:, t].min() == 0]
            assert [t for t in legal if work.cost[t] == 0] == correct
            chosen = draw.choice(correct)
            prune(system, c, references, 0, chosen)
            many.alive = [i for i, row in zip(many.alive, each, strict=True) if row[chosen] == 0]
            assert survivors(references.alive, tree, rule) == {many.trees[i] for i in many.alive}
            systems.apply(system, c, chosen, 0)
        assert len(many.alive) == 1


def test_training_commits_to_one_reference() -> None:
    """After every sentence one option of each factor is left, and the training can be repeated."""
    trees = trees_with_sites("case", most=6, count=40)
    options = ParserOptions(system="covington", seed=2)
    corpus = options.encode(trees)
    sets = [reference_set(tree, transformation("case")) for tree in trees]

    def trained():
        references, table = encode_references(corpus, sets)
        return train_on_references(corpus, references, table, options, 3), references

    (first, references), (again, _) = trained(), trained()
    starts = references.option_start
    kept = [int(references.alive[a:b].sum()) for a, b in itertools.pairwise(starts)]
    assert set(kept) == {1}
    assert set(np.unique(first.survival)) == {0.0, 1.0}
    assert np.array_equal(first.parser.weights.weight, again.parser.weights.weight)


@pytest.mark.parametrize("system", ["arc-standard"])
def test_systems_without_such_an_oracle_are_refused(system: str) -> None:
    trees = trees_with_sites("case", most=6, count=5)
    options = ParserOptions(system=system, oracle="static")
    corpus = options.encode(trees)
    references, table = encode_references(corpus, [reference_set(t, transformation("case")) for t in trees])
    with pytest.raises(InputError, match="choose one of"):
        train_on_references(corpus, references, table, options, 1)

"""The multi-reference oracle against enumeration: costs and pruning."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from enumerated_references import ALL, Enumerated, survivors
from kernels import look, take
from reference_trees import SPECS, real_trees, transformation
from trees import random_tree

from learnability.multiref.arrays import encode_references
from learnability.multiref.oracle import begin
from learnability.multiref.references import MAX_OPTIONS, reference_set
from learnability.parsing import transitions
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import SYSTEMS, system_named
from learnability.parsing.transitions import TransitionSystem
from learnability.parsing.workspace import new_workspace
from learnability.transforms.base import Transformation
from learnability.treebanks.sentence import Tree

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]


def walk(
    tree: Tree,
    rule: Transformation,
    system: TransitionSystem,
    draw: random.Random,
    astray: float,
    max_options: int = MAX_OPTIONS,
) -> None:
    """Parse at random and compare both oracles in every configuration.

    With probability `astray` a transition of higher cost is taken, where references are only partly
    reachable. Of systems that are not projective, costs of wrong transitions may differ by a cycle; which are
    0, and who survives, is exact.
    """
    corpus = encode_tokens([tree])
    own = reference_set(tree, rule, max_options=max_options)
    references, _ = encode_references(corpus, [own])
    many = Enumerated(tree, rule, system)
    work, kernels, n = new_workspace(len(tree), *ParserOptions().templates(), 0), system.kernels, len(tree)
    mask, cost = (np.zeros(system.most_numbers(n), kind) for kind in (np.uint8, np.int32))
    begin(references, 0, n, transitions.root_position(kernels, n), 0, work.gold)
    c = work.configuration
    transitions.initial(kernels, c, n)
    while look(references, kernels, c, work.gold, 0, mask, cost):
        legal = np.flatnonzero(mask).tolist()
        each = many.costs(c, mask)
        expected = [each[:, t].min() for t in legal]
        if system.projective:
            assert [cost[t] for t in legal] == expected
        else:
            assert [cost[t] == 0 for t in legal] == [least == 0 for least in expected]
        options = [t for t in legal if cost[t] == min(cost[legal])]
        chosen = draw.choice(legal if draw.random() < astray else options)
        take(references, kernels, c, 0, chosen)
        best = each[:, chosen].min()
        many.alive = [i for i, row in zip(many.alive, each, strict=True) if row[chosen] == best]
        assert survivors(references.alive, own) == {many.trees[i] for i in many.alive}
    if astray == 0:
        assert len(many.alive) == 1


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", WITH_COSTS)
def test_oracle_equals_enumeration_on_random_trees(name: str, spec: str, astray: float) -> None:
    rule, system = transformation(spec), system_named(name)
    if astray and not system.projective:
        pytest.skip("exact only where the parser stays on a reference")
    draw = random.Random(7)
    checked = 0
    for seed in range(400):
        tree = random_tree(seed, 4 + seed % 8, projective=system.projective)
        if 1 <= len(rule.places(tree)) <= 6:
            walk(tree, rule, system, draw, astray)
            checked += 1
            if checked == 8:
                break
    assert checked > 5


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("name", [name for name in WITH_COSTS if SYSTEMS[name].projective])
def test_oracle_of_factors_in_parts_equals_enumeration(name: str, astray: float) -> None:
    """With 8 options at most, so that small factors are split as well as large ones."""
    draw = random.Random(17)
    rule = transformation(ALL)
    checked: Counter[int] = Counter()
    for tree in (random_tree(seed, 9) for seed in range(200)):
        factors = reference_set(tree, rule, max_options=8).factors
        if 1 <= len(rule.places(tree)) <= 9 and any(len(factor.parts) > 1 for factor in factors):
            walk(tree, rule, system_named(name), draw, astray, 8)
            checked[max(len(factor.parts) for factor in factors)] += 1
    assert checked[2] > 5
    assert sum(checked.values()) - checked[2] > 3  # longer chains of parts


@pytest.mark.parametrize(
    ("spec", "fewest_places", "most_places", "per_file"),
    [
        *((spec, 1, 8, 2) for spec in ("case", "cop", "cc", "det", ALL)),
        pytest.param(ALL, 9, 10, 1, marks=pytest.mark.slow),
    ],
)
def test_oracle_equals_enumeration_on_real_sentences(
    spec: str, fewest_places: int, most_places: int, per_file: int, test_files: list[Path]
) -> None:
    draw = random.Random(11)
    trees = real_trees(test_files, most_places, spec, per_file, fewest_places)
    assert len(trees) > 10
    for tree in trees:
        walk(tree, transformation(spec), system_named("arc-eager"), draw, 0.0)

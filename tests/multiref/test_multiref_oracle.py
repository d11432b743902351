"""The multi-reference oracle against enumeration: costs and pruning."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from enumerated_references import Enumerated, survivors
from reference_trees import SPECS, real_trees, transformation
from trees import random_tree

from learnability.multiref.arrays import encode_references
from learnability.multiref.oracle import prune, reference_costs, revive
from learnability.multiref.references import MAX_OPTIONS, reference_set
from learnability.parsing import systems, training
from learnability.parsing.encoding import UNLABELLED, encode_tokens
from learnability.parsing.oracle import set_gold
from learnability.parsing.parser import ParserOptions
from learnability.transforms import Transformation
from learnability.treebanks import Tree

SYSTEM_NAMES = [name for name in systems.SYSTEMS if name.startswith("arc-eager") or name == "arc-hybrid"]

ARC_EAGER = systems.system_number("arc-eager")


def walk(
    tree: Tree,
    rule: Transformation,
    system: int,
    draw: random.Random,
    astray: float,
    max_options: int = MAX_OPTIONS,
) -> None:
    """Parse at random and compare both oracles in every configuration.

    With probability `astray` a transition of higher cost is taken, where references are only partly
    reachable.
    """
    corpus = encode_tokens([tree])
    own = reference_set(tree, rule, max_options=max_options)
    references, _ = encode_references(corpus, [own])
    many = Enumerated(tree, rule, system)
    templates = ParserOptions().templates()
    work = training.new_workspace(len(tree), templates, 0)
    set_gold(work.gold, len(tree), systems.root_position(system, len(tree)), references.fixed, UNLABELLED, 0)
    revive(references, 0)
    c = work.configuration
    systems.initial(system, c, len(tree))
    while not systems.is_final(system, c):
        systems.legal(system, c, work.mask)
        reference_costs(system, c, work.gold, references, 0, work.mask, work.cost)
        each = many.costs(c, work.mask)
        legal = [t for t in range(systems.TRANSITIONS) if work.mask[t]]
        assert [work.cost[t] for t in legal] == [each[:, t].min() for t in legal]
        least = min(work.cost[t] for t in legal)
        options = [t for t in legal if work.cost[t] == least]
        chosen = draw.choice(legal if draw.random() < astray else options)
        prune(system, c, references, 0, chosen)
        best = each[:, chosen].min()
        many.alive = [i for i, row in zip(many.alive, each, strict=True) if row[chosen] == best]
        assert survivors(references.alive, tree, rule, max_options) == {many.trees[i] for i in many.alive}
        systems.apply(system, c, chosen, 0)
    if astray == 0:
        assert len(many.alive) == 1


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("system", SYSTEM_NAMES)
def test_oracle_equals_enumeration_on_random_trees(system: str, spec: str, astray: float) -> None:
    rule = transformation(spec)
    draw = random.Random(7)
    checked = 0
    for seed in range(400):
        tree = random_tree(seed, 4 + seed % 8)
        if 1 <= len(rule.sites(tree)) <= 6:
            walk(tree, rule, systems.system_number(system), draw, astray)
            checked += 1
            if checked == 60:
                break
    assert checked > 5


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("system", SYSTEM_NAMES)
def test_oracle_of_factors_in_parts_equals_enumeration(
    system: str, astray: float, test_files: list[Path]
) -> None:
    """With 8 options at most, so that small factors are split as well as large ones."""
    draw = random.Random(17)
    spec = "case+cop+cc+det+mark+mwe+name"
    rule = transformation(spec)
    checked: Counter[int] = Counter()
    trees = [random_tree(seed, 9) for seed in range(150)] + real_trees(test_files, 9, spec, per_file=8)
    for tree in trees:
        factors = reference_set(tree, rule, max_options=8).factors
        if 1 <= len(rule.sites(tree)) <= 9 and any(factor.parts for factor in factors):
            walk(tree, rule, systems.system_number(system), draw, astray, 8)
            checked[max(len(factor.parts) for factor in factors)] += 1
    assert checked[2] > 5
    assert sum(checked.values()) - checked[2] > 3  # longer chains of parts


@pytest.mark.parametrize("spec", ["case", "cop", "cc", "det", "case+cop+cc+det+mark+mwe+name"])
def test_oracle_equals_enumeration_on_real_sentences(spec: str, test_files: list[Path]) -> None:
    draw = random.Random(11)
    for tree in real_trees(test_files, 10, spec, per_file=3):
        walk(tree, transformation(spec), systems.system_number("arc-eager"), draw, 0.0)

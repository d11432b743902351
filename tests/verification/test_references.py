"""Reference sets against all selections written out, and the oracle of sets against each tree's own."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
import twins
from enumerated_references import survivors
from kernels import all_costs
from literal import ALL, WITH_COSTS, Treebanks, references, sentences
from restoring import joint
from tally import Tally
from trees import random_tree

from learnability.multiref.arrays import encode_references
from learnability.multiref.oracle import begin, commit
from learnability.multiref.references import reference_set
from learnability.parsing import transitions
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import SYSTEMS, system_named
from learnability.parsing.workspace import new_workspace
from learnability.transforms.registry import PAPER
from learnability.treebanks.sentence import Conventions, Tree

OTHERS = "cc:style=moscow+name+cop:reattach=clause+aux"


@pytest.mark.parametrize("spec", [*PAPER, ALL, OTHERS])
def test_sets(spec: str, treebanks: Treebanks, sized: Callable[[int], int], tally: Tally) -> None:
    """Each reference of real sentences, as the product of factors has it and as the rules give it"""
    for conventions, tree in sentences(treebanks, spec, sized(30), 100, 8):
        literal = references(tree, spec, conventions)
        found = {
            frozenset(place.token for place in chosen): reference.heads
            for chosen, reference in reference_set(tree, joint(spec, conventions)).enumerate()
        }
        tally.count(len(literal), sum(found.get(key) != heads for key, heads in literal.items()), tree.heads)
        tally.same(len(found), len(literal), spec, tree.heads)


def walk(
    name: str, spec: str, conventions: Conventions, tree: Tree, draw: random.Random, tally: Tally
) -> None:
    """Parse along random correct transitions: in every configuration which are correct, and who survives."""
    rule, facts = joint(spec, conventions), system_named(name)
    own = reference_set(tree, rule)
    sets, _ = encode_references(encode_tokens([tree]), [own])
    work, system, n = new_workspace(len(tree), *ParserOptions().templates(), 0), facts.kernels, len(tree)
    mask, cost = (np.zeros(facts.most_numbers(n), kind) for kind in (np.uint8, np.int32))
    begin(sets, 0, n, transitions.root_position(system, n), 0, work.gold)
    c = work.configuration
    transitions.initial(system, c, n)
    alive, a = list(references(tree, spec, conventions).values()), twins.Analysis(name, tree)
    while not a.is_final():
        legal = a.legal()
        mask[:] = 0
        mask[legal] = 1
        all_costs(sets, system, c, work.gold, 0, mask, cost)
        price = [twins.costs(a, heads) for heads in alive]
        correct = [t for t in legal if any(each[t] == 0 for each in price)]
        tally.same([t for t in legal if cost[t] == 0], correct, name, spec, tree.heads, a.state)
        chosen = draw.choice(correct)
        commit(sets, system, c, 0, chosen)
        alive = [heads for heads, each in zip(alive, price, strict=True) if each[chosen] == 0]
        tally.same(survivors(sets.alive, own), set(alive), name, spec, tree.heads, a.state)
        transitions.apply(system, c, chosen, 0)
        a.take(chosen)
    tally.same(len(alive), 1, name, spec, tree.heads)


@pytest.mark.parametrize("name", [name for name in WITH_COSTS if name.startswith("arc-eager")])
def test_oracle(name: str, treebanks: Treebanks, sized: Callable[[int], int], tally: Tally) -> None:
    """Correct transitions and survivors along parses of real sentences"""
    draw = random.Random(name)
    for spec in ("case", "cop", "cc", "name", ALL):
        for conventions, tree in sentences(treebanks, spec, sized(3), 25, 6):
            walk(name, spec, conventions, tree, draw, tally)


@pytest.mark.parametrize("name", WITH_COSTS)
def test_oracle_by_search(name: str, sized: Callable[[int], int], tally: Tally) -> None:
    """Correct transitions and survivors along parses of random trees of up to 5 words, by search"""
    draw, conventions = random.Random(name), Conventions(2, flat_name=True)
    for seed in range(sized(400)):
        tree = random_tree(seed, 3 + seed % 3, projective=SYSTEMS[name].projective)
        if joint(ALL, conventions).places(tree):
            walk(name, ALL, conventions, tree, draw, tally)

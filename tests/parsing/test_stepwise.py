"""Oracles from Python, step by step: the same answers as the kernels, and the papers' names."""

from __future__ import annotations

import random

import pytest
from kernels import costs_after

from learnability.errors import InputError
from learnability.parsing.stepwise import Configuration, Oracle
from learnability.parsing.systems import SYSTEMS
from learnability.treebanks.sentence import Sentence, Tree

pytestmark = pytest.mark.usefixtures("interpreted")

HEADS = (2, 0, 5, 5, 2)
TREE = Tree(tuple("abcde"), ("X",) * 5, HEADS, ("x", "root", "x", "x", "x"))
CROSSING = (3, 4, 0, 3)


def number(name: str, transition: str) -> int:
    names = [SYSTEMS[name].transition_name(t) for t in range(SYSTEMS[name].most_numbers(5))]
    return names.index(transition)


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if not system.unknown_costs])
def test_random_derivations_cost_what_the_kernels_say(name: str) -> None:
    rng = random.Random(1)
    oracle = Oracle(TREE, name)
    for _ in range(5):
        c, path = oracle.initial(), []
        while not c.is_final:
            mask, out, arrays = costs_after(name, 5, path, [HEADS])
            costs = oracle.costs(c)
            assert {number(name, t): cost for t, cost in costs.items()} == {
                t: int(out[0, t]) for t in range(len(mask)) if mask[t]
            }
            assert oracle.zero_cost(c) == tuple(t for t in costs if costs[t] == 0)
            assert c.legal == tuple(costs)
            assert len(c.stack) == arrays.at[1]
            chosen = rng.choice(c.legal)
            path.append(number(name, chosen))
            c = c.apply(chosen)
        assert c.legal == ()


@pytest.mark.parametrize("name", SYSTEMS)
def test_zero_cost_transitions_build_the_tree(name: str) -> None:
    oracle = Oracle(Sentence(TREE), name)
    c = first = oracle.initial()
    while not c.is_final:
        c = c.apply(oracle.static(c) if SYSTEMS[name].unknown_costs else oracle.zero_cost(c)[-1])
    # where the root comes first, the word left without a head belongs to it in the end
    assert tuple(head or 0 for head in c.heads) == HEADS
    assert c.arcs == tuple((h, d) for d, h in enumerate(c.heads, start=1) if h is not None)
    assert first.arcs == ()  # nothing is edited in place


def test_a_configuration_says_where_it_is() -> None:
    c = Configuration(["Mice", "sleep"])
    assert (c.stack, c.buffer, c.heads) == ((), (1, 2, 0), (None, None))
    c = c.apply("SHIFT").apply("LEFT")
    assert (c.stack, c.buffer, c.heads, c.arcs) == ((), (2, 0), (2, None), ((2, 1),))
    assert repr(c) == "<Configuration arc-eager: ([], [sleep ROOT], {sleep -> Mice})>"
    easy = Configuration(["Mice", "sleep"], "easy-first")
    assert easy.legal == ("RIGHT(0)", "LEFT(1)", "RIGHT(1)")
    assert easy.apply("LEFT(1)").stack == (0, 2)


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if not system.unknown_costs])
def test_costs_as_an_array(name: str) -> None:
    oracle, rng = Oracle(TREE, name), random.Random(3)
    for _ in range(20):
        c, path, expected = oracle.initial(), list[str](), list[dict[str, int]]()
        while not c.is_final:
            expected.append(oracle.costs(c))
            path.append(rng.choice(c.legal))
            c = c.apply(path[-1])
        *rows, last = oracle.cost_array(path).tolist()
        named = [
            {t: cost for t, cost in zip(oracle.transitions, row, strict=True) if cost >= 0} for row in rows
        ]
        assert named == expected
        assert set(last) == {-1}
        assert oracle.cost_array(path[:2]).tolist() == rows[:3]


def test_what_the_array_refuses() -> None:
    with pytest.raises(InputError, match="'DANCE' is no transition of arc-eager; choose from SHIFT"):
        Oracle(TREE).cost_array(["DANCE"])
    with pytest.raises(InputError, match="transition 2, REDUCE, is not legal there"):
        Oracle(TREE).cost_array(["SHIFT", "REDUCE"])
    with pytest.raises(InputError, match="not arc-decomposable"):
        Oracle(TREE, "arc-standard").cost_array([])


def test_what_is_refused() -> None:
    oracle = Oracle(TREE)
    with pytest.raises(InputError, match=r"'REDUCE' is not legal in .*; legal: SHIFT"):
        oracle.initial().apply("REDUCE")
    with pytest.raises(
        InputError, match="not projective, and arc-hybrid has exact costs for projective trees"
    ):
        Oracle(Tree(tuple("abcd"), ("X",) * 4, CROSSING, ("x",) * 4), "arc-hybrid")
    assert Oracle(Tree(tuple("abcd"), ("X",) * 4, CROSSING, ("x",) * 4), "covington").derivation()
    with pytest.raises(InputError, match="not arc-decomposable"):
        Oracle(TREE, "arc-standard").zero_cost(Configuration(TREE, "arc-standard"))
    with pytest.raises(InputError, match="no static oracle"):
        Oracle(TREE, "easy-first").derivation()
    with pytest.raises(InputError, match="is not a configuration of <Oracle arc-eager of"):
        oracle.costs(Configuration(TREE, "arc-hybrid"))
    with pytest.raises(InputError, match="did you mean 'arc-eager'"):
        Oracle(TREE, "arc-eagre")

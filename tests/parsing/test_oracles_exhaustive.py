"""Every oracle against search over everything: all gold trees, all reachable configurations."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from brute_force import (
    LEFT,
    RIGHT,
    Search,
    all_trees,
    configurations,
    projective_trees,
    reachable_states,
    tree_of,
)
from brute_force import SYSTEMS as TWINS
from kernels import costs_after, heads_of
from trees import is_tree

from learnability.parsing import transitions
from learnability.parsing.stepwise import Oracle
from learnability.parsing.systems import SYSTEMS
from learnability.treebanks.sentence import Tree

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]
WITHOUT_COSTS = [name for name, system in SYSTEMS.items() if system.unknown_costs]
LONGER = pytest.param(5, marks=pytest.mark.slow)


def trees_of_class(name: str, n: int) -> tuple[tuple[int, ...], ...]:
    return projective_trees(n) if SYSTEMS[name].projective else all_trees(n)


def search_costs(name: str, n: int):
    """Per configuration: path, legal transitions, int[trees, 4] by search, and what the package says."""
    system, golds = TWINS[name], np.array(trees_of_class(name, n))
    search = Search(system)

    @cache
    def losses(state: tuple) -> np.ndarray:
        return search.losses(state, golds)

    for state, path in configurations(system, n):
        after = system.successors(state)
        expected = np.zeros((len(golds), SYSTEMS[name].most_numbers(n)), int)
        for transition, follower in after.items():
            expected[:, transition] = losses(follower) - losses(state)
        mask, found, c = costs_after(name, n, path, golds)
        yield state, after, expected, mask, found, c


@pytest.mark.parametrize("n", [1, 2, 3, 4, LONGER])
@pytest.mark.parametrize("name", WITH_COSTS)
def test_costs_equal_search(name: str, n: int) -> None:
    for state, after, expected, mask, found, c in search_costs(name, n):
        assert set(np.flatnonzero(mask)) == set(after), state
        assert heads_of(c, n) == state[-1]
        for transition in after:
            wrong = np.flatnonzero(expected[:, transition] != found[:, transition])
            assert not len(wrong), (state, transition, trees_of_class(name, n)[wrong[0]])


@pytest.mark.parametrize("n", [1, 2, 3, 4, LONGER])
@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if system.has_static_oracle])
@pytest.mark.usefixtures("interpreted")
def test_static_oracle_reproduces_every_tree(name: str, n: int) -> None:
    """Its transitions, taken by the twin, build the tree."""
    system, names = TWINS[name], SYSTEMS[name].transitions
    for tree in trees_of_class(name, n):
        derivation = Oracle(Tree(("x",) * n, ("X",) * n, tree, ("x",) * n), name).derivation()
        state = system.initial(n)
        for transition in derivation.transitions:
            state = system.successors(state)[names.index(str(transition))]
        assert system.is_final(state)
        assert tree_of(state) == tree


@pytest.mark.parametrize("name", ["arc-eager", "arc-hybrid"])
def test_costs_of_nonprojective_trees_are_not_exact(name: str) -> None:
    """A projective system cannot reach such a tree, although it may reach each of its arcs."""
    system, search = TWINS[name], Search(TWINS[name])
    golds = np.array([t for t in all_trees(4) if t not in set(projective_trees(4))])
    wrong = total = 0
    for state, path in configurations(system, 4):
        before = search.losses(state, golds)
        _, found, _ = costs_after(name, 4, path, golds)
        for transition, follower in system.successors(state).items():
            expected = search.losses(follower, golds) - before
            wrong += int((expected != found[:, transition]).sum())
            total += len(golds)
    if name == "arc-eager":
        assert (wrong, total) == (1101, 17780)
    assert 0 < wrong < total / 10


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("name", WITHOUT_COSTS)
def test_systems_with_unknown_costs_lose_the_arcs_they_say(name: str, n: int) -> None:
    """`loses_arc` is right about single arcs there, too, and that is not what a transition costs."""
    system, search, golds = TWINS[name], Search(TWINS[name]), trees_of_class(name, n)
    exact = True
    for state, path in configurations(system, n):
        before = search.reachable_arcs(state)
        mask, found, _ = costs_after(name, n, path, golds)
        assert set(np.flatnonzero(mask)) == set(system.successors(state))
        for transition, follower in system.successors(state).items():
            gone = before - search.reachable_arcs(follower)
            expected = [sum((h, d) in gone for d, h in enumerate(g, start=1)) for g in golds]
            assert found[:, transition].tolist() == expected
            costs = search.losses(follower, np.array(golds)) - search.losses(state, np.array(golds))
            exact &= costs.tolist() == expected
    assert not exact


@pytest.mark.parametrize("n", [6, 7, 8])
def test_covington_costs_on_larger_sentences(n: int) -> None:
    """Random gold trees, random walks; searched from where at most two words are left in the buffer."""
    system, random = TWINS["covington"], np.random.default_rng(n)
    for _ in range(12):
        search = Search(system)
        golds = []
        while len(golds) < 40:
            heads = tuple(int(h) for h in random.integers(0, n + 1, size=n))
            if is_tree(heads, several_roots=True):
                golds.append(heads)
        state, path = system.initial(n), ()
        stop = int(random.integers(1, n))
        while len(state[2]) > 2 or (len(state[2]) == 2 and len(state[0]) > stop):
            after = system.successors(state)
            arcs = [t for t in (LEFT, RIGHT) if t in after]
            choices = arcs if arcs and random.random() < 0.4 else list(after)
            transition = choices[random.integers(len(choices))]
            state, path = after[transition], (*path, transition)
        before = search.losses(state, np.array(golds))
        mask, found, _ = costs_after("covington", n, path, golds)
        assert set(np.flatnonzero(mask)) == set(system.successors(state))
        for transition, follower in system.successors(state).items():
            expected = search.losses(follower, np.array(golds)) - before
            assert found[:, transition].tolist() == expected.tolist()


def labelled_search(system: object, n: int):
    """Every state with labelled arcs over two labels, and the labelled trees reachable from each."""
    trees: dict[tuple, set] = {}

    def steps(state: tuple, labels: tuple):
        for transition, follower in system.successors(state).items():
            added = [d for d in range(n) if state[-1][d] != follower[-1][d]]
            for label in (0, 1) if added else (None,):
                after = list(labels)
                for d in added:
                    after[d] = label
                yield transition, label, follower, tuple(after)

    def reach(state: tuple, labels: tuple) -> set:
        if (state, labels) not in trees:
            if system.is_final(state):
                trees[state, labels] = {(tree_of(state), labels)}
            else:
                trees[state, labels] = set().union(*(reach(s, a) for _, _, s, a in steps(state, labels)))
        return trees[state, labels]

    reach(system.initial(n), (None,) * n)
    return trees, steps


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("name", WITH_COSTS)
def test_labelled_costs_equal_search(name: str, n: int) -> None:
    """A labelled transition costs the arcs it loses, and 1 if its arc is gold and its label is not.

    A word that is left to the root without an arc has no label, and no wrong one.
    """
    system = TWINS[name]
    trees, steps = labelled_search(system, n)
    golds = [
        (heads, labels) for heads in trees_of_class(name, n) for labels in itertools.product((0, 1), repeat=n)
    ]

    def loss(reached: set, gold: tuple) -> int:
        return min(
            sum(
                h != g or label not in (want, None)
                for h, label, g, want in zip(heads, labels, *gold, strict=True)
            )
            for heads, labels in reached
        )

    paths = reachable_states(system, n)
    for (state, labels), reached in trees.items():
        if system.is_final(state):
            continue
        _, found, c = costs_after(name, n, paths[state], [heads for heads, _ in golds])
        for g, gold in enumerate(golds):
            before = loss(reached, gold)
            for transition, label, follower, after in steps(state, labels):
                head, dependent = transitions.arc(SYSTEMS[name].kernels, c, transition)
                extra = 0
                if label is not None:
                    is_gold = gold[0][dependent - 1] == head % (n + 1)
                    extra = int(is_gold and gold[1][dependent - 1] != label)
                expected = loss(trees[follower, after], gold) - before
                assert found[g, transition] + extra == expected

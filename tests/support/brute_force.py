"""The transition systems as `oracles.systems` defines them, and search over all their derivations once more.

States are tuples: (stack, buffer, heads), the root is 0, a missing head None.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import trees

from learnability.oracles import systems
from learnability.oracles.systems import DEFINITIONS
from learnability.parsing.systems import SYSTEMS as SYSTEMS_WITH_KERNELS

SHIFT, RIGHT, LEFT, FOURTH = range(4)

State = tuple


class Twin:
    """A system in plain Python, with the numbers that its kernels give to transitions, and configurations as
    tuples that end in the heads."""

    def __init__(self, name: str) -> None:
        self.definition, self.kernels = DEFINITIONS[name], SYSTEMS_WITH_KERNELS[name]
        self.has_middle = name == "covington"

    def initial(self, n: int) -> State:
        return self._flat(self.definition.initial(n))

    def is_final(self, state: State) -> bool:
        return not self.successors(state)

    def successors(self, state: State) -> dict[int, State]:
        stack, *middle, buffer, heads = state
        c = systems.State(stack, buffer, heads, *middle)
        names = {self.kernels.transition_name(t): t for t in range(self.kernels.most_numbers(len(heads)))}
        return {names[name]: self._flat(after) for name, after in self.definition.successors(c).items()}

    def _flat(self, c: systems.State) -> State:
        return (c.stack, *([c.middle] if self.has_middle else []), c.buffer, c.heads)


SYSTEMS = {name: Twin(name) for name in SYSTEMS_WITH_KERNELS if name in DEFINITIONS}


def tree_of(state: State) -> tuple[int, ...]:
    """The tree of a state: words without a head belong to the root."""
    return tuple(0 if h is None else h for h in state[-1])


@cache
def all_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """Every tree over n words, with any number of root words."""
    return tuple(trees.all_trees(n, several_roots=True))


@cache
def projective_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """The projective ones among them."""
    return tuple(h for h in all_trees(n) if trees.is_projective(h))


def reachable_states(system: object, n: int) -> dict[State, tuple[int, ...]]:
    """Every state reachable from the initial one, with one path to it."""
    start = system.initial(n)
    paths: dict[State, tuple[int, ...]] = {start: ()}
    agenda = [start]
    while agenda:
        state = agenda.pop()
        if system.is_final(state):
            continue
        for transition, after in system.successors(state).items():
            if after not in paths:
                paths[after] = (*paths[state], transition)
                agenda.append(after)
    return paths


class Search:
    """The trees reachable from each state, by trying everything."""

    def __init__(self, system: object) -> None:
        self.system = system
        self._trees: dict[State, frozenset[tuple[int, ...]]] = {}
        self._arrays: dict[State, np.ndarray] = {}

    def trees(self, state: State) -> frozenset[tuple[int, ...]]:
        """All trees that can still be built."""
        if state not in self._trees:
            if self.system.is_final(state):
                self._trees[state] = frozenset([tree_of(state)])
            else:
                after = self.system.successors(state).values()
                assert after, f"dead end {state}"
                self._trees[state] = frozenset().union(*(self.trees(s) for s in after))
        return self._trees[state]

    def losses(self, state: State, golds: np.ndarray) -> np.ndarray:
        """int64[golds]: the least number of wrong heads of a reachable tree, for each gold tree."""
        if state not in self._arrays:
            self._arrays[state] = np.array(list(self.trees(state)), np.int8)
        reached = self._arrays[state]
        return (reached[None, :, :] != golds[:, None, :]).sum(axis=2).min(axis=1)

    def reachable_arcs(self, state: State) -> set[tuple[int, int]]:
        """The arcs that occur in some reachable tree."""
        return {(h, d) for tree in self.trees(state) for d, h in enumerate(tree, start=1)}


def configurations(system: object, n: int) -> Iterator[tuple[State, tuple[int, ...]]]:
    """The reachable states that are not final, with a path to each."""
    for state, path in reachable_states(system, n).items():
        if not system.is_final(state):
            yield state, path

"""The transition systems once more, slow and obvious, and search over all their derivations.

States are tuples: (stack, buffer, heads), the root is 0, a missing head None. Written from the papers'
definitions, without a look at the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import trees
from trees import descends

SHIFT, RIGHT, LEFT, FOURTH = range(4)

State = tuple


def with_head(heads: tuple, dependent: int, head: int) -> tuple:
    """The heads with one more arc."""
    assert heads[dependent - 1] is None
    return (*heads[: dependent - 1], head, *heads[dependent:])


class ArcEager:
    """Goldberg & Nivre 2013, 2.2; ROOT ends the buffer, or (2012) begins the stack."""

    def __init__(self, root_first: bool) -> None:
        self.root_first = root_first

    def initial(self, n: int) -> State:
        words = tuple(range(1, n + 1))
        return ((0,), words, (None,) * n) if self.root_first else ((), (*words, 0), (None,) * n)

    def is_final(self, state: State) -> bool:
        stack, buffer, _ = state
        return not buffer if self.root_first else (not stack and buffer == (0,))

    def successors(self, state: State) -> dict[int, State]:
        stack, buffer, heads = state
        found = {}
        if buffer and buffer[0] != 0:
            found[SHIFT] = ((*stack, buffer[0]), buffer[1:], heads)
        if stack:
            s = stack[-1]
            has_head = s != 0 and heads[s - 1] is not None
            if buffer and buffer[0] != 0:
                found[RIGHT] = ((*stack, buffer[0]), buffer[1:], with_head(heads, buffer[0], s))
            if buffer and s != 0 and not has_head:
                found[LEFT] = (stack[:-1], buffer, with_head(heads, s, buffer[0]))
            if has_head:
                found[FOURTH] = (stack[:-1], buffer, heads)
        return found


class ArcHybrid:
    """Goldberg & Nivre 2013, 2.2."""

    def initial(self, n: int) -> State:
        return ((), tuple(range(n + 1)), (None,) * n)

    def is_final(self, state: State) -> bool:
        return state[0] == (0,) and not state[1]

    def successors(self, state: State) -> dict[int, State]:
        stack, buffer, heads = state
        found = {}
        if buffer:
            found[SHIFT] = ((*stack, buffer[0]), buffer[1:], heads)
        if len(stack) >= 2:
            found[RIGHT] = (stack[:-1], buffer, with_head(heads, stack[-1], stack[-2]))
        if stack and buffer and stack[-1] != 0:
            found[LEFT] = (stack[:-1], buffer, with_head(heads, stack[-1], buffer[0]))
        return found


class ArcStandard(ArcHybrid):
    """Goldberg & Nivre 2013, 2.2."""

    def successors(self, state: State) -> dict[int, State]:
        stack, buffer, heads = state
        found = {}
        if buffer:
            found[SHIFT] = ((*stack, buffer[0]), buffer[1:], heads)
        if len(stack) >= 2:
            found[RIGHT] = (stack[:-1], buffer, with_head(heads, stack[-1], stack[-2]))
            if stack[-2] != 0:
                found[LEFT] = ((*stack[:-2], stack[-1]), buffer, with_head(heads, stack[-2], stack[-1]))
        return found


class Covington:
    """Gómez-Rodríguez & Fernández-González 2015, Figure 1; states are (lambda1, lambda2, buffer, heads)."""

    def initial(self, n: int) -> State:
        return ((), (), tuple(range(1, n + 1)), (None,) * n)

    def is_final(self, state: State) -> bool:
        return not state[2]

    def successors(self, state: State) -> dict[int, State]:
        first, second, buffer, heads = state
        found = {}
        if buffer:
            found[SHIFT] = ((*first, *second, buffer[0]), (), buffer[1:], heads)
        if first and buffer:
            i, j = first[-1], buffer[0]
            rest = (first[:-1], (i, *second), buffer)
            found[FOURTH] = (*rest, heads)
            if heads[j - 1] is None and not descends(heads, i, j):
                found[RIGHT] = (*rest, with_head(heads, j, i))
            if heads[i - 1] is None and not descends(heads, j, i):
                found[LEFT] = (*rest, with_head(heads, i, j))
        return found


class EasyFirst:
    """Goldberg & Nivre 2013, 2.2; states are (list, (), heads).

    Transition 2k + 1 lets item k take item k + 1, 2k the other way round.
    """

    def initial(self, n: int) -> State:
        return (tuple(range(n + 1)), (), (None,) * n)

    def is_final(self, state: State) -> bool:
        return state[0] == (0,)

    def successors(self, state: State) -> dict[int, State]:
        items, _, heads = state
        found = {}
        for k in range(len(items) - 1):
            left, right = items[k], items[k + 1]
            if left != 0:
                found[2 * k] = ((*items[:k], *items[k + 1 :]), (), with_head(heads, left, right))
            found[2 * k + 1] = ((*items[: k + 1], *items[k + 2 :]), (), with_head(heads, right, left))
        return found


SYSTEMS = {
    "arc-eager": ArcEager(root_first=False),
    "arc-eager-root-first": ArcEager(root_first=True),
    "arc-hybrid": ArcHybrid(),
    "arc-standard": ArcStandard(),
    "covington": Covington(),
    "easy-first": EasyFirst(),
}


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

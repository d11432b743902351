"""Search all that a transition system can do with a sentence: configurations, trees, losses."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import count
from numbers import Integral
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.oracles.systems import C, TransitionDefinition

Tree = tuple[int, ...]
"""The head of each word, 0 for the root."""

MOST_CONFIGURATIONS = 300_000
"""A search stops here: more do not fit into memory with the trees that they lead to."""

MOST_TRANSITIONS = 400
"""A derivation that is longer is taken for one without an end; Python cannot nest many more calls."""


class Search(Generic[C]):
    """Search all derivations of a sentence of n words, and remember what was found.

    `paths` has the configurations that can be reached, with the transitions to each, the shortest first.

    Raises:
        InputError: the definition contradicts itself, or there are too many configurations.
    """

    def __init__(self, definition: TransitionDefinition[C], n: int) -> None:
        self.definition, self.n = definition, n
        initial = find_initial(definition, n)
        self.paths: dict[C, tuple[Hashable, ...]] = {initial: ()}
        self._after: dict[C, dict[Hashable, C]] = {}
        agenda = [initial]
        for configuration in agenda:
            path = self.paths[configuration]
            if len(path) > MOST_TRANSITIONS:
                raise InputError(
                    f"the transitions never end: over {MOST_TRANSITIONS} of them lead to {configuration}"
                )
            for transition, after in self.after(configuration).items():
                if after not in self.paths:
                    self.paths[after] = (*path, transition)
                    agenda.append(after)
            if len(agenda) > MOST_CONFIGURATIONS:
                raise InputError(
                    f"sentences of {n} words have over {MOST_CONFIGURATIONS:,} configurations, too many; "
                    "ask for fewer words"
                )
        self._trees: dict[C, frozenset[Tree]] = {}
        self._arrays: dict[C, NDArray[np.int8]] = {}
        self._open: set[C] = set()

    def after(self, configuration: C) -> dict[Hashable, C]:
        """Return what each legal transition makes of a configuration; nothing if it is final."""
        if configuration not in self._after:
            self._after[configuration] = follow(self.definition, configuration)
        return self._after[configuration]

    @property
    def configurations(self) -> list[C]:
        """Return those that are not final, those with fewest transitions first."""
        return [configuration for configuration in self.paths if self.after(configuration)]

    def trees(self, configuration: C) -> frozenset[Tree]:
        """Return all trees that can still be built."""
        if configuration in self._open:
            raise InputError(f"the transitions never end: they lead from {configuration} back to it")
        if configuration not in self._trees:
            self._open.add(configuration)
            found = [self.trees(after) for after in self.after(configuration).values()]
            built = found or [frozenset([tree_of(self.definition, configuration, self.n)])]
            self._trees[configuration] = frozenset().union(*built)
            self._open.discard(configuration)
        return self._trees[configuration]

    @property
    def all_trees(self) -> list[Tree]:
        return sorted(self.trees(self.definition.initial(self.n)))

    def losses(self, configuration: C, golds: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the least wrong heads of a tree that can still be built, for each of int8[golds, words]."""
        if configuration not in self._arrays:
            self._arrays[configuration] = np.array(sorted(self.trees(configuration)), np.int8).reshape(
                -1, self.n
            )
        reached = self._arrays[configuration]
        wrong = (reached[None, :, :] != golds[:, None, :]).sum(axis=2, dtype=np.int64)
        least: NDArray[np.int64] = wrong.min(axis=1)
        return least

    def best_tree(self, configuration: C, golds: Sequence[Tree]) -> Tree:
        """Return a tree that can still be built and has the fewest wrong heads by one of the gold trees."""
        return min(sorted(self.trees(configuration)), key=lambda tree: count_wrong(tree, golds))


def find_best_tree(definition: TransitionDefinition[C], configuration: C, golds: Sequence[Tree]) -> Tree:
    """Return what :meth:`Search.best_tree` returns, or another tree as good, without building all others.

    It tries configurations with the fewest wrong arcs first, so arcs must stay once they are there.

    Raises:
        InputError: a transition removes an arc.
    """
    n, order = len(golds[0]), count()

    def entry(state: C, depth: int) -> tuple[int, int, int, C, Collection[tuple[int, int]]]:
        arcs = _find_arcs(definition, state, n)
        return _count_wrong_arcs(arcs, golds), -depth, next(order), state, arcs

    agenda, seen = [entry(configuration, 0)], {configuration}
    best: tuple[int, Tree] | None = None
    while agenda:
        wrong, depth, _, state, arcs = heapq.heappop(agenda)
        if best is not None and wrong >= best[0]:
            return best[1]
        followers = follow(definition, state)
        if not followers:
            tree = tree_of(definition, state, n)
            if best is None or count_wrong(tree, golds) < best[0]:
                best = (count_wrong(tree, golds), tree)
        for after in followers.values():
            if after not in seen:
                following = entry(after, 1 - depth)
                if not set(arcs) <= set(following[-1]):
                    raise InputError(
                        f"a transition removes an arc in {state}; only small sentences can be searched"
                    )
                seen.add(after)
                heapq.heappush(agenda, following)
    assert best is not None
    return best[1]


def find_initial(definition: TransitionDefinition[C], n: int) -> C:
    """Return the initial configuration of a sentence of n words."""
    initial: C = _ask(definition, "initial", n)
    _check_key(initial, "the configuration", initial)
    return initial


def follow(definition: TransitionDefinition[C], configuration: C) -> dict[Hashable, C]:
    """Return what each legal transition makes of a configuration."""
    followers: dict[Hashable, C] = {}
    for transition in _ask(definition, "legal", configuration):
        _check_key(transition, "the transition", configuration)
        after = _ask(definition, "apply", configuration, transition)
        _check_key(after, f"after {transition} the configuration", configuration)
        followers[transition] = after
    return followers


def _ask(definition: Any, method: str, *arguments: Any) -> Any:
    """Return what a method of a definition, perhaps somebody else's, returns."""
    try:
        answer = getattr(definition, method)(*arguments)
        if method not in ("legal", "arcs"):
            return answer
        if isinstance(answer, Iterable):
            # a generator raises only here
            return tuple(answer)
    except InputError:
        raise
    except Exception as problem:
        raise InputError(f"{_name_call(method, arguments)} raises {problem!r}") from problem
    raise InputError(
        f"{_name_call(method, arguments)} returns {answer!r}; return a list, empty if there is nothing"
    )


def _name_call(method: str, arguments: Iterable[Any]) -> str:
    return f"`{method}` of the system, called with {', '.join(map(str, arguments))},"


def _check_key(value: Any, name: str, configuration: Any) -> None:
    try:
        hash(value)
    except TypeError:
        raise InputError(
            f"{name} is {value!r} in {configuration}, which cannot be a key of a dict; use tuples, not lists"
        ) from None


def _find_arcs(definition: TransitionDefinition[C], configuration: C, n: int) -> list[tuple[int, int]]:
    arcs: list[tuple[int, int]] = []
    for arc in _ask(definition, "arcs", configuration):
        if not _is_arc(arc, n):
            raise InputError(
                f"{arc!r} in {configuration} is no arc; return pairs of head (0 to {n}) and word (1 to {n})"
            )
        arcs.append(tuple(arc))
    return arcs


def _is_arc(arc: Any, n: int) -> bool:
    if not isinstance(arc, Sequence) or len(arc) != 2 or not all(isinstance(word, Integral) for word in arc):
        return False
    head, dependent = arc
    return bool(0 <= head <= n and 1 <= dependent <= n)


def tree_of(definition: TransitionDefinition[C], configuration: C, n: int) -> Tree:
    """Return the tree of a final configuration; words without a head hang on the root."""
    heads: dict[int, int] = {}
    for head, dependent in _find_arcs(definition, configuration, n):
        if heads.setdefault(dependent, head) != head:
            raise InputError(
                f"word {dependent} has two heads, {heads[dependent]} and {head}, in {configuration}"
            )
    tree = tuple(heads.get(word, 0) for word in range(1, n + 1))
    if not is_tree(tree):
        raise InputError(f"the arcs of the final configuration {configuration} are no tree")
    return tree


def is_tree(heads: Sequence[int]) -> bool:
    """Return whether every word reaches the root; several words may hang on it."""
    for word in range(1, len(heads) + 1):
        at, steps = word, 0
        while at != 0:
            at, steps = heads[at - 1], steps + 1
            if steps > len(heads):
                return False
    return True


def count_wrong(tree: Tree, golds: Sequence[Tree]) -> int:
    """Return how many words have another head than in the gold tree with the fewest."""
    return _count_wrong_arcs([(head, word) for word, head in enumerate(tree, start=1)], golds)


def _count_wrong_arcs(arcs: Collection[tuple[int, int]], golds: Sequence[Tree]) -> int:
    return min(sum(gold[dependent - 1] != head for head, dependent in arcs) for gold in golds)

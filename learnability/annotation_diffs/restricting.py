"""Search the shortest restriction of a rule to the words that it is right about.

A case is a word that the unrestricted rule changes, with a weight: how many words of a group it makes right,
minus how many other words it makes wrong. A restriction is worth the weights of the cases that it admits,
minus a cost for each value that it names. So a value is named only if it pays, and of two restrictions that
admit the same cases, the shorter one is better.

The search keeps the best restrictions (a beam) and adds one criterion to each of them, a few times. Of a
criterion it tries the best values by themselves and all that pay together (``lemma=of|to``), and leaving out
those that lose (``lemma!=by``). At the end, whatever can be left out without loss is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from learnability.transforms.restriction import IN_TREES, Restriction
from learnability.treebanks.sentence import Tree, is_known

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEAM = 6
"""How many restrictions are kept after each step."""

MOST_CRITERIA = 4
"""How many criteria a restriction may have."""

MOST_VALUES = 12
"""How many values one criterion may have."""

ALONE = 3
"""How many values of a criterion are tried by themselves."""

MOST_COUNTED = 120
"""How many values of a criterion are considered, the most frequent ones."""

FEWEST = 2
"""A value that fewer cases have is not considered."""

_PLAINEST = ("upos", "deprel", "lemma", "feats", "side", "form", "misc", "comment")
"""The criteria of a word, those first that people name first; of head and dependents they come later."""

RANK = {name: rank for rank, name in enumerate(dict.fromkeys((*_PLAINEST, *IN_TREES)))}
"""Which of two restrictions is better that admit the same cases and are as short."""

NEEDS = {"lemma": "lemmas", "feats": "feats", "upos": "upos"}
"""The attribute of trees that a criterion needs, by the end of its name."""


@dataclass(frozen=True, slots=True)
class ChangedWord:
    """Hold a word that a rule changes.

    `weight`: the words of the group that become right, minus all words that become wrong.
    """

    tree: Tree
    token: int
    weight: int


@dataclass(frozen=True, slots=True)
class _Criterion:
    """Hold which cases have which values: `has[i, j]` is 1 if case j has value i, `known[j]` if any."""

    name: str
    values: tuple[str, ...]
    has: NDArray[np.float32]
    known: NDArray[np.float32]

    def admitted(self, values: Sequence[str], *, excluded: bool) -> NDArray[np.float32]:
        """Return 1 for each case with one of the values, or with none of them but others."""
        rows = [self.values.index(value) for value in values]
        have: NDArray[np.float32] = self.has[rows].max(axis=0)
        return np.asarray(self.known * (1 - have)) if excluded else have


Wanted = Mapping[str, tuple[str, ...]]
"""The values of a restriction by their criterion, ``lemma`` or ``lemma!``."""


@dataclass(frozen=True, slots=True)
class _State:
    """Hold a restriction, the cases that it admits, and what it is worth."""

    wanted: dict[str, tuple[str, ...]]
    admitted: NDArray[np.float32]
    worth: float

    @property
    def length(self) -> int:
        return sum(map(len, self.wanted.values()))

    @property
    def order(self) -> tuple[float, int, list[tuple[int, str, tuple[str, ...]]]]:
        """Return a key: the worthiest first, then the shortest, then what reads the plainest values."""
        read = [(RANK[name.removesuffix("!")], name, values) for name, values in self.wanted.items()]
        return -self.worth, self.length, read


def best_restriction(
    cases: Sequence[ChangedWord],
    cost: float,
    allows: Callable[[str, str], bool],
    start: Wanted | None = None,
) -> tuple[Restriction, float]:
    """Return the restriction that is worth most, and what it is worth.

    Args:
        cases: the words that the rule changes without restriction.
        cost: of each value.
        allows: whether the rule may be restricted to this value of a criterion, ``lemma`` and ``of``.
        start: where the search begins, too.
    """
    weights = np.array([case.weight for case in cases], np.float32)
    criteria = _criteria(cases, allows)
    every = np.ones(len(cases), np.float32)
    states = [_State({}, every, float(weights.sum()))]
    if start:
        states.append(_with(states[0], criteria, start, weights, cost))
    best = min(states, key=lambda state: state.order)
    for _ in range(MOST_CRITERIA):
        following: dict[bytes, _State] = {}
        for state in states:
            for name, values in _proposals(state, criteria, weights, cost):
                new = _with(state, criteria, {name: values}, weights, cost)
                key = new.admitted.tobytes()
                if key not in following or new.order < following[key].order:
                    following[key] = new
        states = sorted(following.values(), key=lambda state: state.order)[:BEAM]
        best = min((best, *states), key=lambda state: state.order)
    best = _shortened(best, criteria, weights, cost)
    return Restriction(**best.wanted), best.worth


def _criteria(cases: Sequence[ChangedWord], allows: Callable[[str, str], bool]) -> dict[str, _Criterion]:
    criteria: dict[str, _Criterion] = {}
    trees = {id(case.tree): case.tree for case in cases}.values()
    for name, values_of in IN_TREES.items():
        needed = NEEDS.get(name.rpartition("_")[2])
        if needed and not all(is_known(getattr(tree, needed)) for tree in trees):
            continue
        found: defaultdict[str, list[int]] = defaultdict(list)
        known = np.zeros(len(cases), np.float32)
        for number, case in enumerate(cases):
            for value in dict.fromkeys(values_of(case.tree, case.token)):
                found[value].append(number)
                known[number] = 1
        counts = Counter({value: len(numbers) for value, numbers in found.items()})
        frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        values = tuple(
            value
            for value, count in frequent[:MOST_COUNTED]
            if FEWEST <= count < len(cases) and allows(name, value)
        )
        if not values:
            continue
        has = np.zeros((len(values), len(cases)), np.float32)
        for row, value in enumerate(values):
            has[row, found[value]] = 1
        criteria[name] = _Criterion(name, values, has, known)
    return criteria


def _with(
    state: _State,
    criteria: Mapping[str, _Criterion],
    wanted: Wanted,
    weights: NDArray[np.float32],
    cost: float,
) -> _State:
    admitted, kept = state.admitted, dict(state.wanted)
    for name, values in wanted.items():
        criterion = criteria.get(name.removesuffix("!"))
        if criterion is None or not set(values) <= set(criterion.values):
            continue
        admitted = admitted * criterion.admitted(values, excluded=name.endswith("!"))
        kept[name] = values
    length = sum(map(len, kept.values()))
    return _State(kept, admitted, float(admitted @ weights) - cost * length)


def _proposals(
    state: _State, criteria: Mapping[str, _Criterion], weights: NDArray[np.float32], cost: float
) -> Iterator[tuple[str, tuple[str, ...]]]:
    left = state.admitted * weights
    for name, criterion in criteria.items():
        gains = criterion.has @ left
        order = np.argsort(-gains, kind="stable")
        if name not in state.wanted:
            count = min(MOST_VALUES, int((gains > cost).sum()))
            yield from _sets(name, [criterion.values[row] for row in order], count)
        if f"{name}!" not in state.wanted:
            count = min(MOST_VALUES, int((gains < -cost).sum()))
            yield from _sets(f"{name}!", [criterion.values[row] for row in order[::-1]], count)


def _sets(name: str, values: Sequence[str], count: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    for value in values[:ALONE]:
        yield name, (value,)
    for size in range(2, count + 1):
        yield name, tuple(values[:size])


def _shortened(
    state: _State, criteria: Mapping[str, _Criterion], weights: NDArray[np.float32], cost: float
) -> _State:
    empty = replace(state, wanted={}, admitted=np.ones_like(state.admitted), worth=float(weights.sum()))
    while True:
        shorter = [_with(empty, criteria, wanted, weights, cost) for wanted in _without_one(state.wanted)]
        best = min(shorter, key=lambda each: each.order, default=state)
        if best is state or best.worth < state.worth:
            return state
        state = best


def _without_one(wanted: Wanted) -> Iterator[dict[str, tuple[str, ...]]]:
    for name, values in wanted.items():
        rest = {key: kept for key, kept in wanted.items() if key != name}
        yield rest
        for value in values if len(values) > 1 else ():
            yield {**rest, name: tuple(other for other in values if other != value)}

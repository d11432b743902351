"""Represent transformations as lazy decision procedures on immutable trees.

A transformation finds *places* in a UD tree: places where it can be applied. A selection of m places gives
one of 2^m trees. Nothing here enumerates them. A transformation is compiled for one tree into a
:class:`Plan`, a short sequence of :class:`Layer` objects. A layer computes the new head of one token and
calls ``selected(place)`` only for the places that matter for it. To apply a selection, the answers come from
a set. To get the exact decision tree of a token's head, both answers to each question are followed
(:meth:`Plan.leaves`); the decision tree shows which places the head depends on.

A later layer sees the heads of the earlier ones through a callable. A sequence of layers is thus a
composition of total maps from trees to trees, and the plan keeps whatever every layer keeps: a tree over the
same tokens, projectivity.

Place = "dependency of interest" in Wisniewski, Lacroix & Yvon 2018, section 2 (docs/rules.md, Places and
selections).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass
from itertools import combinations, repeat
from types import MappingProxyType
from typing import TypeVar

from learnability.errors import InputError
from learnability.treebanks.sentence import ROOT, Tree

T = TypeVar("T")

Namer = Callable[[int, str], str]
"""Gives the relation of a token (1..n) in a scheme, from its external label."""

Heads = Callable[[int], int]
"""The head of a token (1..n), 0 for the root word."""

Labels = Callable[[int], str]
"""The deprel of a token (1..n)."""

Selected = Callable[[int], bool]
"""Whether the place of a token is selected."""

Path = tuple[tuple[int, bool], ...]
"""Answers (place token, selected) in the order in which they were needed."""

Arc = tuple[int, str]
"""Head and deprel of a token. Without a label option deprels are empty: only heads count."""

Leaf = tuple[Path, Arc]
"""One leaf of a token's decision tree: the answers that lead to it and the resulting arc."""

MAX_LEAVES = 256
"""The most leaves of a decision tree.

All transformations together need up to 64 on the sentences of 46 files of UD 1.3 and 2.16.
"""


class TooEntangled(Exception):
    """Signal that a decision tree is too large to be followed."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Represent a place where a transformation can be applied; it is switched on or off independently of all
    others.

    Attributes:
        token: the token that identifies it: the function word, the chain member, the coordinator.
        transform: the name of the transformation (``case``).
    """

    token: int
    transform: str


class Layer(ABC):
    """Hold one stage of a plan: a total map from trees to trees, computed token by token."""

    region: tuple[int, ...] = ()
    """In increasing order, every token whose head it may change under some selection."""
    stand_ins: Mapping[int, Sequence[int]] = MappingProxyType({})
    """The places that, selected, take the place of a token."""

    @abstractmethod
    def head(self, token: int, selected: Selected, base: Heads) -> int:
        """Return the head of `token`; `base` gives the heads of the layer below."""

    def heads(self, selected: Selected, base: Heads) -> dict[int, int]:
        """Return the heads of the tokens of the region; `selected` answers for good."""
        return {token: self.head(token, selected, base) for token in self.region}

    def relation(self, token: int, selected: Selected, base: Heads, below: Labels) -> str:
        """Return the deprel of `token` with external labels; `below` gives those of the layer below."""
        return below(token)


class _Answers:
    """The answers about places that the layers of a plan receive.

    It is separate from the plan, which refers to the layers: plans then have no reference cycles and are
    freed as soon as they are no longer used.
    """

    def __init__(self) -> None:
        self.known: dict[int, bool] = {}
        self.withheld: set[int] = set()

    def of(self, place: int) -> bool:
        """Return the known answer about a place; an unknown one is noted as False, a withheld one is always
        False."""
        return place not in self.withheld and self.known.setdefault(place, False)


class Plan:
    """Hold one or more transformations compiled for one tree.

    Attributes:
        skipped: how many constructions are not handled and how many places were dropped, by kind.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.places: tuple[Place, ...] = ()
        self.skipped: Counter[str] = Counter()
        self._heads: list[int] = [ROOT, *tree.heads]
        self._layers: list[Layer] = []
        self._top: Heads = self._heads.__getitem__
        self._names: Labels = ("", *tree.deprels).__getitem__
        self.varying: set[int] = set()
        """The tokens whose head may depend on the selection (all others have one leaf)."""
        self._answers = _Answers()
        self._namer: Namer | None = None
        self._latest: tuple[tuple[frozenset[int], bool], tuple[int, ...], tuple[str, ...]] | None = None

    def with_tree(self, tree: Tree) -> Plan:
        """Return the same plan for a tree with the same heads, but other tags or relations."""
        plan = copy(self)
        plan.tree, plan._latest = tree, None
        return plan

    def name_relations(self, namer: Namer) -> None:
        self._namer = namer

    def add(self, layer: Layer, places: Iterable[Place]) -> None:
        """Put `layer` on top of the existing layers."""
        if not layer.region:
            return
        self.places = tuple(sorted((*self.places, *places)))
        self._layers.append(layer)
        self._latest = None
        self.varying.update(layer.region)
        region, answer, base, below = frozenset(layer.region), self._answers.of, self._top, self._names
        self._top = lambda t: layer.head(t, answer, base) if t in region else base(t)
        self._names = lambda t: layer.relation(t, answer, base, below) if t in region else below(t)

    def withhold(self, places: Iterable[Place]) -> None:
        """Remove these places: in every selection they count as unselected."""
        gone = frozenset(places)
        self.places = tuple(place for place in self.places if place not in gone)
        self._answers.withheld.update(place.token for place in gone)

    def arcs(self, selected: Collection[int], labels: str | None = None) -> tuple[Arc, ...]:
        """Return the arcs of tokens 1..n if the places of the tokens `selected` are selected."""
        if labels == "external" or (labels and self._namer is not None):
            arcs = self.external_arcs(selected)
            if self._namer is None:
                return arcs
            return tuple((head, self._namer(t, name)) for t, (head, name) in enumerate(arcs, start=1))
        heads = self.heads(selected)
        if labels == "keep":
            return tuple(zip(heads, swap_root_labels(self.tree.heads, heads, self.tree.deprels), strict=True))
        return tuple(zip(heads, repeat("")))

    def external_arcs(self, selected: Collection[int]) -> tuple[Arc, ...]:
        return tuple(zip(*self._compute(selected, external=True), strict=True))

    def heads(self, selected: Collection[int]) -> tuple[int, ...]:
        return self._compute(selected, external=False)[0]

    def _compute(
        self, selected: Collection[int], *, external: bool
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        key = frozenset(selected), external
        if self._latest is not None and self._latest[0] == key:
            return self._latest[1:]  # mostly all places are selected
        contains = key[0].__contains__
        heads, names = self._heads, ["", *self.tree.deprels]
        for layer in self._layers:
            base, below, above = heads.__getitem__, names.__getitem__, heads[:]
            for token, head in layer.heads(contains, base).items():
                above[token] = head
            if external:
                renamed = names[:]
                for token in layer.region:
                    renamed[token] = layer.relation(token, contains, base, below)
                names = renamed
            heads = above
        self._latest = key, tuple(heads[1:]), tuple(names[1:])
        return self._latest[1:]

    def reference(self, selected: Collection[int], labels: str = "keep") -> Tree:
        """Return the tree if the places of the tokens `selected` are selected."""
        if not selected and self._namer is None:
            return self.tree
        if labels not in ("keep", "external"):
            raise InputError(f"`labels={labels!r}` is not accepted; use keep or external")
        heads, deprels = zip(*self.arcs(selected, labels), strict=True)
        return self.tree.with_heads(heads, deprels)

    def leaves(self, token: int, labels: str | None = None) -> tuple[Leaf, ...]:
        """Return the decision tree of the arc of `token`: exclusive and exhaustive sequences of answers.

        Raises:
            TooEntangled: there are more than :data:`MAX_LEAVES`.
        """
        relation: Labels = self._kept_relation
        if self._namer is not None:
            relation = self._named_relation
        elif labels == "external":
            relation = self._names
        return tuple(self.outcomes(lambda head: (head(token), relation(token) if labels else "")))

    def outcomes(self, compute: Callable[[Heads], T]) -> Iterator[tuple[Path, T]]:
        """Yield what `compute` returns for the heads of every selection, each time with the answers needed.

        The first is that of UD.

        Raises:
            TooEntangled: there are more than :data:`MAX_LEAVES`.
        """
        known: dict[int, bool] = {}
        for _ in range(MAX_LEAVES):
            self._answers.known = known
            outcome = compute(self._top)
            path = list(known.items())
            yield tuple(path), outcome
            while path and path[-1][1]:
                path.pop()
            if not path:
                return
            known = dict(path)
            known[path[-1][0]] = True
        raise TooEntangled

    def _named_relation(self, token: int) -> str:
        name = self._names(token)
        return self._namer(token, name) if self._namer is not None else name

    def _kept_relation(self, token: int) -> str:
        """Return the token's deprel; old and new root have exchanged theirs."""
        deprels, heads = self.tree.deprels, self.tree.heads
        if heads[token - 1] == ROOT:
            return deprels[_root_above(token, self._top) - 1]
        if self._top(token) == ROOT:
            # it replaces the old root below it; a forest has several old roots, so search
            for old, head in enumerate(heads, start=1):
                if head == ROOT and _root_above(old, self._top) == token:
                    return deprels[old - 1]
        return deprels[token - 1]

    def stand_ins(self) -> dict[int, tuple[int, ...]]:
        """Return, by token in order, the places that take its place when selected, the first of them if
        several are."""
        keys_of: dict[int, tuple[int, ...]] = {}
        for layer in self._layers:
            for token, keys in layer.stand_ins.items():
                keys_of[token] = (*keys_of.get(token, ()), *keys)
        return dict(sorted(keys_of.items()))

    def around(self, tokens: Collection[int], heads: AbstractSet[int]) -> tuple[int, ...]:
        """Return these tokens, and those that under some selection have a head in `heads`, in order."""
        region = []
        for token, head in enumerate(self.tree.heads, start=1):
            if (
                token in tokens
                or (token not in self.varying and head in heads)
                or (token in self.varying and not heads.isdisjoint(self.possible_heads(token)))
            ):
                region.append(token)
        return tuple(region)

    def possible_heads(self, token: int) -> tuple[int, ...]:
        """Return the heads that `token` has under some selection, each once; all words if too many."""
        if token not in self.varying:
            return (self._heads[token],)
        try:
            return tuple(dict.fromkeys(head for _, (head, _) in self.leaves(token)))
        except TooEntangled:
            return tuple(range(len(self.tree) + 1))


def _root_above(token: int, head: Heads) -> int:
    while (above := head(token)) != ROOT:
        token = above
    return token


def swap_root_labels(before: Sequence[int], after: Sequence[int], deprels: Sequence[str]) -> Sequence[str]:
    """Return `deprels` after each old root has exchanged its label with the root now above it.

    Official tools accept HEAD 0 only with the root label, and the root label only there.
    """
    names = list(deprels)
    for old, head in enumerate(before, start=1):
        if head == ROOT and after[old - 1] != ROOT:
            new = _root_above(old, (ROOT, *after).__getitem__)
            names[old - 1], names[new - 1] = names[new - 1], names[old - 1]
    return names


def depends_on(leaves: Sequence[Leaf]) -> frozenset[int]:
    """Return the places on which an arc depends, exactly: D(d) (docs/rules.md, Reference sets).

    A place counts if two selections that differ only in it give different arcs. This is the case if two
    leaves with different arcs contradict each other only in this place.
    """
    if len(leaves) < 3:  # at most one question
        return frozenset(place for place, _ in leaves[0][0] if leaves[0][1] != leaves[-1][1])
    decisive: set[int] = set()
    answered = [(dict(path), arc) for path, arc in leaves]
    asked = {place for path, _ in leaves for place, _ in path}
    for (answers, arc), (other_answers, other_arc) in combinations(answered, 2):
        if arc == other_arc:
            continue
        clash = [place for place, value in answers.items() if other_answers.get(place, value) != value]
        if len(clash) == 1:
            decisive.update(clash)
        if len(decisive) == len(asked):
            break
    return frozenset(decisive)

"""Transformations as lazy decision procedures on immutable trees.

A transformation finds *sites* in a UD tree, one per place where it can be applied. A selection of m
sites gives one of 2^m trees. Nothing here enumerates them: a transformation is compiled for one tree
into a :class:`Plan`, a short sequence of :class:`Layer` objects, and a layer computes the new head of one
token by asking ``selected(site)`` for those sites only that it has to know. Applying a selection answers
the questions from a set; following both answers of every question (:meth:`Plan.leaves`) gives the exact
decision tree of a token's head, and with it the exact set of sites the head depends on.

A later layer sees the heads of the earlier ones through a callable, so a sequence of layers is the
composition of total maps from trees to trees: what every layer keeps (a tree over the same tokens,
projectivity), the plan keeps.

Site = "dependency of interest" in Wisniewski, Lacroix & Yvon 2018, section 2 (docs/rules.md, Places and
selections).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

from learnability.errors import InputError
from learnability.treebanks.sentence import ROOT, Tree

Heads = Callable[[int], int]
"""The head of a token (1..n), 0 for the root word."""

Labels = Callable[[int], str]
"""The deprel of a token (1..n)."""

Selected = Callable[[int], bool]
"""Whether the site of a token is selected."""

Path = tuple[tuple[int, bool], ...]
"""Answers (site token, selected) in the order in which they were needed."""

Arc = tuple[int, str]
"""Head and deprel of a token. Where no label option is given deprels are empty: heads alone decide."""

Leaf = tuple[Path, Arc]
"""One leaf of a token's decision tree: the answers that lead to it and the arc they give."""

MAX_LEAVES = 256
"""The most leaves of a decision tree; the sentences of 46 files of UD 1.3 and 2.16, all transformations
together, need up to 64."""


class TooEntangled(Exception):
    """Decision trees are too large to be followed."""


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One toggle: a place where a transformation can be applied.

    Attributes:
        token: the token that identifies it: the function word, the chain member, the coordinator.
        transform: the name of the transformation (``case``).
    """

    token: int
    transform: str


class Layer(ABC):
    """One stage of a plan: a total map from trees to trees, computed token by token."""

    region: tuple[int, ...] = ()
    """In increasing order, every token whose head it may change under some selection."""
    stand_ins: Mapping[int, Sequence[int]] = MappingProxyType({})
    """The sites that, selected, take the place of a token."""

    @abstractmethod
    def head(self, token: int, selected: Selected, base: Heads) -> int:
        """The head of `token` where `base` gives the heads of the layer below."""

    def relation(self, token: int, selected: Selected, base: Heads, below: Labels) -> str:
        """The deprel of `token` under the label option ``external``; `below` gives the layer below's."""
        return below(token)


class _Answers:
    """What the layers of a plan are told of its sites. It is no part of the plan, which refers to the layers:
    so that plans are free of cycles, and go when they are no longer needed."""

    def __init__(self) -> None:
        self.known: dict[int, bool] = {}
        self.withheld: set[int] = set()

    def of(self, site: int) -> bool:
        """The known answer; an unknown site is noted and answered with no, a withheld one always so."""
        return site not in self.withheld and self.known.setdefault(site, False)


class Plan:
    """A transformation (or several together) compiled for one tree.

    `sites` are sorted by token; `skipped` counts constructions not handled, and sites dropped, by kind.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.sites: tuple[Site, ...] = ()
        self.skipped: Counter[str] = Counter()
        self._heads: list[int] = [ROOT, *tree.heads]
        self._layers: list[Layer] = []
        self._top: Heads = self._heads.__getitem__
        self._names: Labels = ("", *tree.deprels).__getitem__
        self.varying: set[int] = set()
        """The tokens whose head may depend on the selection (all others have one leaf)."""
        self._answers = _Answers()

    def add(self, layer: Layer, sites: Iterable[Site]) -> None:
        """Put `layer` on top of the layers so far."""
        if not layer.region:
            return
        self.sites = tuple(sorted((*self.sites, *sites)))
        self._layers.append(layer)
        self.varying.update(layer.region)
        region, answer, base, below = frozenset(layer.region), self._answers.of, self._top, self._names
        self._top = lambda t: layer.head(t, answer, base) if t in region else base(t)
        self._names = lambda t: layer.relation(t, answer, base, below) if t in region else below(t)

    def withhold(self, sites: Iterable[Site]) -> None:
        """Take back these sites: in every selection they are as unselected."""
        gone = frozenset(sites)
        self.sites = tuple(site for site in self.sites if site not in gone)
        self._answers.withheld.update(site.token for site in gone)

    def arcs(self, selected: Collection[int], labels: str | None = None) -> tuple[Arc, ...]:
        """The arcs of tokens 1..n when the sites of the tokens `selected` are."""
        contains, external = frozenset(selected).__contains__, labels == "external"
        heads, names = self._heads, ["", *self.tree.deprels]
        for layer in self._layers:
            base, below, above = heads.__getitem__, names.__getitem__, heads[:]
            renamed = names[:] if external else names
            for token in layer.region:
                above[token] = layer.head(token, contains, base)
                if external:
                    renamed[token] = layer.relation(token, contains, base, below)
            heads, names = above, renamed
        if labels == "keep":
            names[1:] = swap_root_labels(self.tree.heads, heads[1:], self.tree.deprels)
        return tuple((head, name if labels else "") for head, name in zip(heads[1:], names[1:], strict=True))

    def heads(self, selected: Collection[int]) -> tuple[int, ...]:
        """The heads of tokens 1..n when the sites of the tokens `selected` are."""
        return tuple(head for head, _ in self.arcs(selected))

    def reference(self, selected: Collection[int], labels: str = "keep") -> Tree:
        """The tree when the sites of the tokens `selected` are."""
        if not selected:
            return self.tree
        if labels not in ("keep", "external"):
            raise InputError(f"no label option {labels!r}: keep or external")
        heads, deprels = zip(*self.arcs(selected, labels), strict=True)
        return self.tree.with_heads(heads, deprels)

    def leaves(self, token: int, labels: str | None = None) -> tuple[Leaf, ...]:
        """The decision tree of the arc of `token`: exclusive and exhaustive sequences of answers.

        TooEntangled where these are too many.
        """
        relation: Labels = self._names if labels == "external" else self._kept_relation
        leaves: list[Leaf] = []
        known: dict[int, bool] = {}
        while True:
            self._answers.known = known
            arc = self._top(token), relation(token) if labels else ""
            path = list(known.items())
            leaves.append((tuple(path), arc))
            if len(leaves) > MAX_LEAVES:
                raise TooEntangled
            while path and path[-1][1]:
                path.pop()
            if not path:
                return tuple(leaves)
            known = dict(path)
            known[path[-1][0]] = True

    def _kept_relation(self, token: int) -> str:
        """The token's own deprel, except that old and new root have exchanged theirs."""
        deprels, heads = self.tree.deprels, self.tree.heads
        if heads[token - 1] == ROOT:
            return deprels[_root_above(token, self._top) - 1]
        if self._top(token) == ROOT:
            # the old root it stands for is the one below it; a tree has one, a forest is searched
            for old, head in enumerate(heads, start=1):
                if head == ROOT and _root_above(old, self._top) == token:
                    return deprels[old - 1]
        return deprels[token - 1]

    def stand_ins(self) -> dict[int, tuple[int, ...]]:
        """By token, in increasing order, the sites that, selected, take its place; the first selected one
        does."""
        keys_of: dict[int, tuple[int, ...]] = {}
        for layer in self._layers:
            for token, keys in layer.stand_ins.items():
                keys_of[token] = (*keys_of.get(token, ()), *keys)
        return dict(sorted(keys_of.items()))

    def around(self, tokens: Collection[int], heads: AbstractSet[int]) -> tuple[int, ...]:
        """In increasing order, these tokens and those that under some selection have one of these heads."""
        varying = self.varying
        return tuple(
            token
            for token, own in enumerate(self.tree.heads, start=1)
            if token in tokens
            or (own in heads if token not in varying else not heads.isdisjoint(self.possible_heads(token)))
        )

    def possible_heads(self, token: int) -> tuple[int, ...]:
        """The heads that `token` has under some selection (each once); where these are too
        many to follow, all words."""
        if token not in self.varying:
            return (self._heads[token],)
        try:
            return tuple(dict.fromkeys(head for _, (head, _) in self.leaves(token)))
        except TooEntangled:
            return tuple(range(len(self.tree) + 1))


def _root_above(token: int, head: Heads) -> int:
    """The token at the root that `token` is or hangs below."""
    while (above := head(token)) != ROOT:
        token = above
    return token


def swap_root_labels(before: Sequence[int], after: Sequence[int], deprels: Sequence[str]) -> Sequence[str]:
    """`deprels` with the labels of each old root and of the root now above it exchanged.

    Official tools accept HEAD 0 only with the root label, and the root label only there.
    """
    names = list(deprels)
    for old, head in enumerate(before, start=1):
        if head == ROOT and after[old - 1] != ROOT:
            new = _root_above(old, (ROOT, *after).__getitem__)
            names[old - 1], names[new - 1] = names[new - 1], names[old - 1]
    return names


def depends_on(leaves: Sequence[Leaf]) -> frozenset[int]:
    """The sites on which an arc depends, exactly: D(d) (docs/rules.md, Reference sets).

    A site counts if two selections that differ in it alone give different arcs, i.e. if two leaves with
    different arcs contradict each other in this site only.
    """
    if len(leaves) < 3:  # at most one question
        return frozenset(site for site, _ in leaves[0][0] if leaves[0][1] != leaves[-1][1])
    decisive: set[int] = set()
    answered = [(dict(path), arc) for path, arc in leaves]
    asked = {site for path, _ in leaves for site, _ in path}
    for (one, arc), (other, another) in combinations(answered, 2):
        if arc != another:
            clash = [site for site, value in one.items() if other.get(site, value) != value]
            decisive.update(clash if len(clash) == 1 else ())
            if len(decisive) == len(asked):
                break
    return frozenset(decisive)

"""The two annotations that a condition compares, and the references between them.

Mostly one of them is UD; then the sites are those of the transformation, and the references all 2^m trees of
their selections. Between two schemes of which neither is UD, a site is a toggle whose state differs between
the two, and the references are a product again: per factor of the union of both schemes' sites the heads
(and deprels) that one scheme gives and those that the other gives.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from learnability.metrics.breakdown import parts_of
from learnability.metrics.scores import scored_label
from learnability.multiref.references import (
    Factor,
    LabelOption,
    ReferenceSet,
    interactions,
    reference_set,
    unequal,
)
from learnability.parsing.projectivity import is_projective
from learnability.transforms.base import Rule, Transformation, compose
from learnability.transforms.plan import Arc, Plan, Site, TooEntangled
from learnability.transforms.restriction import Restriction, restricted
from learnability.treebanks.sentence import Tree

Heads = tuple[int, ...]
Arcs = tuple[Arc, ...]

Change = Callable[[Tree], Tree]
"""Gives a tree in an annotation."""

CHANGE = "change"
"""What a site is called about which no rule knows anything."""

UNCHANGED = "unchanged"
"""The kind of a token on which two annotations agree."""


class Sides(NamedTuple):
    """A sentence in both annotations: the heads of (a) and those of (b).

    `sites`: the toggles whose state differs, by token; `skipped`: what was not handled or dropped, by kind.
    """

    original: Heads
    transformed: Heads
    sites: tuple[Site, ...]
    skipped: Counter[str]


class WholeTrees(Factor):
    """The one factor of a sentence in which two schemes cannot be mixed: one whole tree or the other."""

    __slots__ = ()


def unmixed(sets: Iterable[ReferenceSet]) -> int:
    """In how many sentences the two schemes cannot be mixed."""
    return sum(isinstance(factor, WholeTrees) for references in sets for factor in references.factors)


class Contrast(ABC):
    """What setting (a) and setting (b) of a condition are trained on, as functions of the UD tree."""

    @abstractmethod
    def sides(self, tree: Tree) -> Sides:
        """The sentence in both annotations."""

    def sites(self, tree: Tree) -> tuple[Site, ...]:
        """The toggles whose state differs between the two, by token."""
        return self.sides(tree).sites

    def kinds(self, trees: Sequence[Tree]) -> list[str]:
        """Per token what kind of token it is, seen from what differs (`metrics.breakdown.parts_of`)."""
        return parts_of(trees, [[site.token for site in self.sites(tree)] for tree in trees])

    @abstractmethod
    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """The references of (c); its `tree` is that of (a), and a bit of a selection means (b).

        `labels`: with the deprels of this label option; None: heads only (the deprels of `tree` are UD's).
        """


@dataclass(frozen=True)
class AgainstUD(Contrast):
    """UD and a transformation of it."""

    transformation: Transformation

    def sides(self, tree: Tree) -> Sides:
        """UD, and the tree with every site transformed."""
        side = _Side(self.transformation, tree)
        return Sides(tuple(tree.heads), side.heads, side.plan.sites, side.plan.skipped)

    def sites(self, tree: Tree) -> tuple[Site, ...]:
        """The sites of the transformation."""
        return self.transformation.sites(tree)

    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """The trees of all selections."""
        return reference_set(tree, self.transformation, max_options=max_options, labels=labels)


@dataclass(frozen=True)
class AgainstScheme(Contrast):
    """Two schemes, `first` that of (a); their union is compiled as several transformations always are.

    Where that does not give both schemes' trees (one makes the other drop a site, or variants of one
    transformation give different trees), the sentence is one factor with two references, the two trees.
    """

    first: Transformation
    second: Transformation

    def sides(self, tree: Tree) -> Sides:
        """The trees of both, and the places that one transforms and the other does not, or otherwise."""
        first, second = _Side(self.first, tree), _Side(self.second, tree)
        skipped = first.plan.skipped | second.plan.skipped
        return Sides(first.heads, second.heads, self._differing(first, second), skipped)

    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """Per factor of the union two options, so that `max_options` never matters.

        `labels` add tokens of which only the deprel differs; the sites stay.
        """
        first, second = _Side(self.first, tree), _Side(self.second, tree)
        sites = self._differing(first, second)
        first, second = first.labelled(labels), second.labelled(labels)
        factors = []
        for group, tokens in self._groups(first, second):
            own = [site for site in sites if group is None or site.token in group]
            kind = WholeTrees if group is None else Factor
            factors.append(kind.of_ends(own, tokens, (first.arcs, second.arcs), labels))
        deprels = [name for _, name in first.arcs] if labels else None
        return ReferenceSet(tree.with_heads(first.heads, deprels), tuple(factors))

    def _groups(self, first: _Side, second: _Side) -> list[tuple[Collection[int] | None, list[int]]]:
        """Per factor the site tokens (None: all) and the tokens whose arc is another in the two schemes."""
        differ = unequal(first.arcs, second.arcs)
        if not differ:
            return []
        union = self._union(first, second)
        if union is None:
            return [(None, differ)]
        try:
            _, depends, group = interactions(union, first.labels)
        except TooEntangled:
            return [(None, differ)]
        groups: dict[int, tuple[set[int], list[int]]] = {}
        for site, root in group.items():
            groups.setdefault(root, (set(), []))[0].add(site)
        for token in differ:
            groups[group[min(depends[token])]][1].append(token)
        return [(sites, tokens) for sites, tokens in groups.values() if tokens]

    def _union(self, first: _Side, second: _Side) -> Plan | None:
        """Both schemes compiled together; None where that does not give the trees of both."""
        known = first.rules.keys() | second.rules.keys()
        for parts in self._unions:
            plan = compose(first.plan.tree, parts)
            plan.withhold([site for site in plan.sites if site.token not in known])
            if all(
                plan.arcs([site.token for site in plan.sites if site.token in side.rules], side.labels)
                == side.arcs
                for side in (first, second)
            ):
                return plan
        return None

    @cached_property
    def _unions(self) -> list[tuple[Rule, ...]]:
        """The parts of both without restrictions (those are in the sites), with either's variants first."""
        sides = [
            {part.name: restricted(part, Restriction()) for part in s.parts}
            for s in (self.first, self.second)
        ]
        first_wins, second_wins = sides[1] | sides[0], sides[0] | sides[1]
        unions = [tuple(first_wins[name] for name in sides[0] | sides[1])]
        if any(rule_of(first_wins[name]) != rule_of(second_wins[name]) for name in first_wins):
            unions.append(tuple(second_wins[name] for name in sides[0] | sides[1]))
        return unions

    def _differing(self, first: _Side, second: _Side) -> tuple[Site, ...]:
        """The toggles whose state differs: the sites of one side, and those of both by different variants.

        A token that is a site of two different transformations (the passive auxiliary) is in the same state,
        unless nothing else explains the difference.
        """
        if first.arcs == second.arcs:
            return ()
        toggles = set(first.rules.keys() ^ second.rules.keys())
        shared = first.rules.keys() & second.rules.keys()
        other_rule = {t for t in shared if rule_of(first.rules[t]) != rule_of(second.rules[t])}
        variants = {t for t in other_rule if first.rules[t].name == second.rules[t].name}
        if variants and self._union(first, second) is None:
            toggles |= {t for t in variants if _moves(first, second, t)}
        toggles = toggles or {t for t in other_rule if _moves(first, second, t)}
        rules = first.rules | second.rules
        return tuple(Site(token, rules[token].name) for token in sorted(toggles))


@dataclass(frozen=True)
class BetweenTrees(Contrast):
    """Two annotations of which nothing is known but their trees, `first` that of (a).

    A site is a smallest group of tokens of which it is known that they can be taken from either annotation,
    whatever is taken of the others: any mixture is a tree, and projective if both annotations are.
    Relations count as differences where parsers are `labelled`.
    """

    first: Change
    second: Change
    labelled: bool = False

    def sides(self, tree: Tree) -> Sides:
        """Both trees, and of each group of tokens that differ the first one."""
        one, two = self.first(tree), self.second(tree)
        arcs = _given_arcs(one, labelled=self.labelled), _given_arcs(two, labelled=self.labelled)
        sites = tuple(Site(group[0], CHANGE) for group in independent_changes(*arcs))
        return Sides(one.heads, two.heads, sites, Counter())

    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """Per group two options, so that `max_options` never matters."""
        one, two = self.first(tree), self.second(tree)
        arcs = _given_arcs(one, labelled=labels is not None), _given_arcs(two, labelled=labels is not None)
        groups = independent_changes(*arcs)
        factors = (Factor.of_ends([Site(group[0], CHANGE)], group, arcs, labels) for group in groups)
        return ReferenceSet(one, tuple(factors))

    def kinds(self, trees: Sequence[Tree]) -> list[str]:
        """Per token how its relation is called in both annotations, where they differ: `nmod > obl`."""
        return [
            kind
            for tree in trees
            for kind in kinds_of_change(self.first(tree), self.second(tree), labelled=self.labelled)
        ]


def kinds_of_change(one: Tree, two: Tree, *, labelled: bool) -> list[str]:
    """Per token UNCHANGED, or the relations (as LAS reads them) that it has in both annotations, one if it is
    the same: ``case``, ``nmod > obl``. A token of which only the relation differs has changed if `labelled`.
    """
    kinds = []
    for a, b, first, second in zip(one.heads, two.heads, one.deprels, two.deprels, strict=True):
        names = dict.fromkeys((scored_label(first), scored_label(second)))
        changed = a != b or (labelled and len(names) == 2)
        kinds.append(" > ".join(names) if changed else UNCHANGED)
    return kinds


def independent_changes(first: Arcs, second: Arcs) -> list[tuple[int, ...]]:
    """The tokens (from 1) with different arcs in two trees, in groups: any mixture that takes each group from
    one of them is a tree, with as many roots, and projective if both are. Ordered by their first tokens.

    A cycle of a mixture runs through tokens each of which reaches the others by heads of either tree. These
    are in one group, so that such a cycle would be one of the trees themselves; likewise the root words.
    Projective are trees of which no two arcs cross (with the artificial root before the first word), so
    tokens are in one group whose arcs cross if taken from different trees.
    """
    import networkx as nx

    differ = unequal(first, second)
    if not differ:
        return []
    heads = [[head for head, _ in side] for side in (first, second)]
    together: nx.Graph[int] = nx.Graph()
    together.add_nodes_from(differ)
    roots = [token for token in differ if 0 in (heads[0][token - 1], heads[1][token - 1])]
    nx.add_path(together, roots)
    both: nx.DiGraph[int] = nx.DiGraph(arc for side in heads for arc in enumerate(side, start=1))
    for component in nx.strongly_connected_components(both):
        nx.add_path(together, [token for token in differ if token in component])
    if all(map(is_projective, heads)):
        moved = [token for token in differ if heads[0][token - 1] != heads[1][token - 1]]
        for one, other in itertools.product(moved, moved):
            if one != other and _cross(one, heads[0][one - 1], other, heads[1][other - 1]):
                together.add_edge(one, other)
    return sorted(tuple(sorted(group)) for group in nx.connected_components(together))


def _cross(one: int, its_head: int, other: int, other_head: int) -> bool:
    """Whether the arcs of two tokens cross."""
    (a, b), (c, d) = sorted((one, its_head)), sorted((other, other_head))
    return a < c < b < d or c < a < d < b


def _given_arcs(tree: Tree, *, labelled: bool) -> Arcs:
    return tuple(zip(tree.heads, tree.deprels if labelled else ("",) * len(tree), strict=True))


class _Side:
    """A scheme applied to a tree at all its sites: the plan, the arcs, and by site token its rule."""

    def __init__(self, scheme: Transformation, tree: Tree) -> None:
        self.plan = scheme.plan(tree)
        parts = {part.name: part for part in scheme.parts}
        self.rules = {site.token: parts[site.transform] for site in self.plan.sites}
        self.labels: LabelOption | None = None
        self.arcs = self.plan.arcs(self.rules)

    @property
    def heads(self) -> Heads:
        return tuple(head for head, _ in self.arcs)

    def labelled(self, labels: LabelOption | None) -> _Side:
        """The same with deprels."""
        if labels is None:
            return self
        side = copy(self)
        side.labels, side.arcs = labels, self.plan.arcs(self.rules, labels)
        return side

    def moved_by(self, site: int) -> set[int]:
        """The tokens that have another arc where this site alone is not transformed."""
        return set(unequal(self.arcs, self.plan.arcs(self.rules.keys() - {site}, self.labels)))


def rule_of(part: Rule) -> tuple[Any, ...]:
    """What tells two transformations of one name apart, their restrictions aside."""
    return type(part), part.name, tuple(sorted(part.option.items())), part.labels


def same_scheme(first: Transformation, second: Transformation) -> bool:
    """Whether two schemes are the same transformations at the same sites, whatever their names are."""
    one, other = ({(rule_of(p), p.restriction) for p in scheme.parts} for scheme in (first, second))
    return one == other


def _moves(first: _Side, second: _Side, site: int) -> bool:
    """Whether a token whose arc this site decides has another arc in the two schemes."""
    return not (first.moved_by(site) | second.moved_by(site)).isdisjoint(unequal(first.arcs, second.arcs))

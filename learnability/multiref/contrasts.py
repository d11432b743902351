"""Pair the two annotations that a pair compares, and build the reference sets that contain both.

Usually one of them is UD. Then the places are those of the transformation, and the references are the 2^m
trees of all their selections. If neither scheme is UD, a place is a toggle whose state differs between the
two. Each factor of the union of both schemes' places has two options: the heads (and deprels) of one scheme,
and those of the other. So the references are again a product.
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

from learnability.metrics.phrases import token_kinds
from learnability.metrics.scores import Score
from learnability.multiref.references import (
    Factor,
    LabelOption,
    ReferenceSet,
    interactions,
    reference_set,
    unequal,
)
from learnability.parsing.projectivity import is_projective, lift
from learnability.transforms.base import Rule, Transformation, compose
from learnability.transforms.plan import Arc, Place, Plan, TooEntangled
from learnability.transforms.restricted_rules import restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.treebanks.sentence import Tree

Heads = tuple[int, ...]
Arcs = tuple[Arc, ...]

TreeFunction = Callable[[Tree], Tree]
"""A function that annotates a tree."""

CHANGE = "change"
"""The name of a place that belongs to no known rule."""

UNCHANGED = "unchanged"
"""The kind of a token on which two annotations agree."""


class Sides(NamedTuple):
    """Represent a sentence in both annotations.

    Attributes:
        places: the toggles whose state differs, by token.
        skipped: counts of what was not handled or dropped, by kind.
        relabelled: the tokens with another tag or relation, of annotations that change these.
    """

    base: Heads
    alternative: Heads
    places: tuple[Place, ...]
    skipped: Counter[str]
    relabelled: tuple[int, ...] = ()


class WholeTrees(Factor):
    """Hold the only factor of a sentence in which two schemes cannot be mixed: either whole tree."""

    __slots__ = ()


def count_unmixed(sets: Iterable[ReferenceSet]) -> int:
    return sum(isinstance(factor, WholeTrees) for references in sets for factor in references.factors)


class Contrast(ABC):
    """Hold the annotations of settings (a) and (b) of a pair, as functions of the UD tree."""

    @abstractmethod
    def sides(self, tree: Tree) -> Sides:
        """Return the sentence in both annotations."""

    def places(self, tree: Tree) -> tuple[Place, ...]:
        """Return the toggles whose state differs between the two, by token."""
        return self.sides(tree).places

    def kinds(self, trees: Sequence[Tree], places: Sequence[Collection[int]]) -> list[str]:
        """Return the kind of every token; here by where the annotations differ."""
        return token_kinds(trees, places)

    @abstractmethod
    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """Return the references of (c): their `tree` is that of (a), and a bit of a selection means (b)."""


@dataclass(frozen=True)
class RuleContrast(Contrast):
    """UD and a transformation of it."""

    transformation: Transformation

    def sides(self, tree: Tree) -> Sides:
        """Return the UD tree, and the tree with every place transformed."""
        side = _Side(self.transformation, tree)
        return Sides(tuple(tree.heads), side.heads, side.plan.places, side.plan.skipped)

    def places(self, tree: Tree) -> tuple[Place, ...]:
        return self.transformation.places(tree)

    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """Return the trees of all selections."""
        return reference_set(tree, self.transformation, max_options=max_options, labels=labels)


@dataclass(frozen=True)
class SchemeContrast(Contrast):
    """Hold two schemes, `first` that of (a); their union is compiled like several transformations.

    In some sentences that does not give both schemes' trees: one scheme makes the other drop a place, or
    variants of one transformation give different trees. Such a sentence is one factor with two references,
    the two trees.
    """

    first: Transformation
    second: Transformation

    def sides(self, tree: Tree) -> Sides:
        """Return the trees of both, and the places that they treat differently."""
        first, second = _Side(self.first, tree), _Side(self.second, tree)
        skipped = first.plan.skipped | second.plan.skipped
        return Sides(first.heads, second.heads, self._find_differing(first, second), skipped)

    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """Return a reference set with two options per factor of the union, so `max_options` has no effect."""
        first, second = _Side(self.first, tree), _Side(self.second, tree)
        places = self._find_differing(first, second)
        first, second = first.add_deprels(labels), second.add_deprels(labels)
        factors = []
        for group, tokens in self._groups(first, second):
            members = [place for place in places if group is None or place.token in group]
            kind = WholeTrees if group is None else Factor
            factors.append(kind.of_ends(members, tokens, (first.arcs, second.arcs), labels))
        deprels = [name for _, name in first.arcs] if labels else None
        return ReferenceSet(tree.with_heads(first.heads, deprels), tuple(factors))

    def _groups(self, first: _Side, second: _Side) -> list[tuple[Collection[int] | None, list[int]]]:
        """Return the place tokens (None: all) and the tokens with differing arcs of each factor."""
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
        for place, root in group.items():
            groups.setdefault(root, (set(), []))[0].add(place)
        for token in differ:
            groups[group[min(depends[token])]][1].append(token)
        return [(places, tokens) for places, tokens in groups.values() if tokens]

    def _union(self, first: _Side, second: _Side) -> Plan | None:
        """Return both schemes compiled together; None if that does not give the trees of both."""
        known = first.rules.keys() | second.rules.keys()
        for parts in self._unions:
            plan = compose(first.plan.tree, parts)
            plan.withhold([place for place in plan.places if place.token not in known])
            if _gives(plan, first) and _gives(plan, second):
                return plan
        return None

    @cached_property
    def _unions(self) -> list[tuple[Rule, ...]]:
        """Return the transformations of both schemes, with the variants of either where they differ.

        Restrictions are removed, because the places already reflect them.
        """
        first = {part.name: restrict_rule(part, Restriction()) for part in self.first.rules}
        second = {part.name: restrict_rule(part, Restriction()) for part in self.second.rules}
        names = (first | second).keys()
        first_wins, second_wins = second | first, first | second
        unions = [tuple(first_wins[name] for name in names)]
        if any(rule_of(first_wins[name]) != rule_of(second_wins[name]) for name in names):
            unions.append(tuple(second_wins[name] for name in names))
        return unions

    def _find_differing(self, first: _Side, second: _Side) -> tuple[Place, ...]:
        """Return the toggles whose state differs: places of one side, and places with different variants.

        A token that is a place of two different transformations (the passive auxiliary) counts as being in
        the same state, unless nothing else explains the difference.
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
        return tuple(Place(token, rules[token].name) for token in sorted(toggles))


@dataclass(frozen=True)
class TreeContrast(Contrast):
    """Hold two annotations known only by their trees, `first` that of (a).

    A place is a smallest group of tokens that can be taken from either annotation, whatever is taken for the
    other tokens: any mixture is a tree, and projective if both annotations are. Relations count as
    differences where parsers are `labelled`.
    """

    first: TreeFunction
    second: TreeFunction
    labelled: bool = False

    def sides(self, tree: Tree) -> Sides:
        """Return both trees, and the first token of each group of tokens that differ."""
        first, second = self.first(tree), self.second(tree)
        arcs = arcs_of_tree(first, labelled=self.labelled), arcs_of_tree(second, labelled=self.labelled)
        places = tuple(Place(group[0], CHANGE) for group in independent_changes(*arcs))
        return Sides(first.heads, second.heads, places, Counter())

    def references(self, tree: Tree, max_options: int, labels: LabelOption | None) -> ReferenceSet:
        """Return a reference set with two options per group, so `max_options` has no effect."""
        return mix_trees(self.first(tree), self.second(tree), labels)

    def kinds(self, trees: Sequence[Tree], places: Sequence[Collection[int]]) -> list[str]:
        """Return the kind of change of every token: see :func:`kinds_of_change`."""
        kinds: list[str] = []
        for tree in trees:
            kinds += kinds_of_change(self.first(tree), self.second(tree), labelled=self.labelled)
        return kinds


def mix_trees(first: Tree, second: Tree, labels: LabelOption | None) -> ReferenceSet:
    """Return all mixtures of two trees of the same words, with two options per group of changes."""
    labelled = labels is not None
    arcs = arcs_of_tree(first, labelled=labelled), arcs_of_tree(second, labelled=labelled)
    factors = [
        Factor.of_ends([Place(group[0], CHANGE)], group, arcs, labels) for group in independent_changes(*arcs)
    ]
    return ReferenceSet(first, tuple(factors))


def lift_references(references: ReferenceSet, labels: LabelOption | None) -> ReferenceSet:
    """Return references for a parser that cannot learn crossing arcs.

    If one of the two annotations crosses arcs, they are all mixtures of both trees, lifted as parsers of one
    annotation are trained on them. Otherwise they are the same references.
    """
    first, second = references.tree, references.last_tree()
    if is_projective(first.heads) and is_projective(second.heads):
        return references
    return mix_trees(lift(first), lift(second), labels)


@dataclass(frozen=True)
class Relabelled(TreeContrast):
    """Hold annotations by rule from UD: each word with another tag is a place, unless its arc differs."""

    def sides(self, tree: Tree) -> Sides:
        """Return both trees, and the first token of each group of tokens that differ."""
        first, second = self.first(tree), self.second(tree)
        sides = super().sides(tree)
        changed = _with_other_tags(first, second)
        if self.labelled:
            relations = enumerate(zip(first.deprels, second.deprels, strict=True), start=1)
            changed |= {token for token, (first, second) in relations if first != second}
        arcs = (arcs_of_tree(side, labelled=self.labelled) for side in (first, second))
        further = changed.difference(unequal(*arcs))
        places = sorted({*sides.places, *(Place(token, CHANGE) for token in further)})
        return sides._replace(places=tuple(places), relabelled=tuple(sorted(changed)))

    def kinds(self, trees: Sequence[Tree], places: Sequence[Collection[int]]) -> list[str]:
        return Contrast.kinds(self, trees, places)


def _with_other_tags(first: Tree, second: Tree) -> set[int]:
    tokens: set[int] = set()
    for column in ("upos", "xpos", "feats"):
        pairs = zip(getattr(first, column), getattr(second, column), strict=True)
        tokens |= {token for token, (value, other) in enumerate(pairs, start=1) if value != other}
    return tokens


def kinds_of_change(first: Tree, second: Tree, *, labelled: bool) -> list[str]:
    """Return, per token, UNCHANGED or its relations in the two annotations: ``nmod > obl``.

    Relations are as LAS reads them. A relation that both annotations share is listed once: ``case``. A token
    of which only the relation differs has changed if `labelled`.
    """
    kinds = []
    for head, other_head, deprel, other_deprel in zip(
        first.heads, second.heads, first.deprels, second.deprels, strict=True
    ):
        names = dict.fromkeys((Score.label(deprel), Score.label(other_deprel)))
        changed = head != other_head or (labelled and len(names) == 2)
        kinds.append(" > ".join(names) if changed else UNCHANGED)
    return kinds


def independent_changes(first: Arcs, second: Arcs) -> list[tuple[int, ...]]:
    """Group the tokens (from 1) with different arcs in two trees, so that groups can be mixed freely.

    Any mixture that takes each group from one of the trees is a tree with as many roots, and projective if
    both trees are. The groups are ordered by their first tokens.

    A cycle of a mixture runs through tokens that reach each other by heads of either tree. These tokens form
    a group, so such a cycle would be a cycle of one of the trees. The root words form a group for the same
    reason. A tree is projective if no two arcs cross (with the artificial root before the first word). So
    tokens whose arcs cross when taken from different trees form a group.
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
        for token, other in itertools.product(moved, moved):
            if token != other and _cross(token, heads[0][token - 1], other, heads[1][other - 1]):
                together.add_edge(token, other)
    return sorted(tuple(sorted(group)) for group in nx.connected_components(together))


def _cross(token: int, head: int, other: int, other_head: int) -> bool:
    (a, b), (c, d) = sorted((token, head)), sorted((other, other_head))
    return a < c < b < d or c < a < d < b


def arcs_of_tree(tree: Tree, *, labelled: bool) -> Arcs:
    """Return head and deprel of each token; deprels are empty unless `labelled`."""
    return tuple(zip(tree.heads, tree.deprels if labelled else ("",) * len(tree), strict=True))


class _Side:
    """A scheme applied to a tree at all its places: the plan, the arcs, and the rule of each place token."""

    def __init__(self, scheme: Transformation, tree: Tree) -> None:
        self.plan = scheme.plan(tree)
        parts = {part.name: part for part in scheme.rules}
        self.rules = {place.token: parts[place.transform] for place in self.plan.places}
        self.labels: LabelOption | None = None
        self.arcs = self.plan.arcs(self.rules)

    @property
    def heads(self) -> Heads:
        return tuple(head for head, _ in self.arcs)

    def add_deprels(self, labels: LabelOption | None) -> _Side:
        if labels is None:
            return self
        side = copy(self)
        side.labels, side.arcs = labels, self.plan.arcs(self.rules, labels)
        return side

    def moved_by(self, place: int) -> set[int]:
        """Return the tokens whose arc changes when this place alone is not transformed."""
        return set(unequal(self.arcs, self.plan.arcs(self.rules.keys() - {place}, self.labels)))


def _gives(plan: Plan, side: _Side) -> bool:
    places = [place.token for place in plan.places if place.token in side.rules]
    return plan.arcs(places, side.labels) == side.arcs


def rule_of(part: Rule) -> tuple[Any, ...]:
    """Return what distinguishes transformations of one name, apart from their restrictions."""
    return type(part), part.name, tuple(sorted(part.option.items())), part.labels


def same_scheme(first: Transformation, second: Transformation) -> bool:
    """Return whether two schemes have the same transformations at the same places, and the same relations,
    whatever their names."""
    rules = [{(rule_of(part), part.restriction) for part in scheme.rules} for scheme in (first, second)]
    return rules[0] == rules[1] and first.has_sud_relations == second.has_sud_relations


def _moves(first: _Side, second: _Side, place: int) -> bool:
    """Return whether a token whose arc depends on this place has different arcs in the two schemes."""
    return not (first.moved_by(place) | second.moved_by(place)).isdisjoint(unequal(first.arcs, second.arcs))

"""Represent reference sets as products of factors (docs/rules.md, Reference sets).

Only this module and `arrays` depend on how they are stored.

The references of a sentence are the trees of all selections of its places, 2^m for m places. The head of a
token depends on few places. Places on which the head of a common token depends form a *factor*. The reference
set is the product of the factors' options: one option, a vector of heads for the factor's tokens, per
selection of the factor's places. All other tokens have the same head in every reference. A factor with too
many options to list is a tree of parts (:mod:`learnability.multiref.junction`), which is just as exact.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from learnability.multiref.junction import Part, cover
from learnability.support.nouns import count_noun
from learnability.support.options import check_number, shorten_value
from learnability.transforms.base import Transformation
from learnability.transforms.plan import Arc, Leaf, Place, Plan, TooEntangled, depends_on
from learnability.treebanks.sentence import Sentence, Tree, trees_of

LabelOption = Literal["keep", "external"]

Leaves = dict[int, tuple[Leaf, ...]]
"""The decision tree of each token."""

MAX_OPTIONS = 4096
"""The most options to list (`--max-options`). A factor with more is split into parts. If a part still has
more, the factor keeps two options: all places original, and all transformed."""


MAX_ANSWERS = 500
"""The most answers per word in the decision trees of a sentence; real sentences have up to 60. A sentence
with more is one factor that keeps two options."""


class Option(NamedTuple):
    """Represent an option of a factor."""

    selection: int
    heads: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """Represent a group of places that interact, with the tokens (1..n) whose heads they decide.

    Attributes:
        parts: the options of the factor, listed in one part, or in a junction tree where they are too many.
        ends: whether only two of the selections have an option: no place, and all places.
        cut: whether this is so because there would be too many options.
    """

    places: tuple[Place, ...]
    tokens: tuple[int, ...]
    parts: tuple[Part, ...]
    ends: bool = False
    cut: bool = False

    @classmethod
    def of_ends(
        cls, places: Sequence[Place], tokens: Iterable[int], sides: Sequence[Sequence[Arc]],
        labels: LabelOption | None, *, cut: bool = False,
    ) -> Self:  # fmt: skip
        """Return a factor with two options: the tokens have the arcs of one or the other of two trees."""
        tokens = tuple(tokens)
        heads = tuple(tuple(side[t - 1][0] for t in tokens) for side in sides)
        names = tuple(tuple(side[t - 1][1] for t in tokens) for side in sides)
        part = Part(tuple(range(len(places))), tokens, heads, -1, names if labels else ())
        return cls(tuple(places), tokens, (part,), ends=True, cut=cut)

    def __len__(self) -> int:
        return 2 if self.ends else 1 << len(self.places)

    def option(self, number: int) -> Option:
        """Return an option by its number from 0: the selection as bits or, with `ends`, 0 or 1."""
        arcs: dict[int, tuple[int, str]] = {}
        for part in self.parts:
            arcs |= part.arcs(number if self.ends else part.number(number))
        heads = tuple(arcs[token][0] for token in self.tokens)
        labelled = any(part.labels for part in self.parts)
        names = tuple(arcs[token][1] for token in self.tokens) if labelled else ()
        return Option(number * ((1 << len(self.places)) - 1) if self.ends else number, heads, names)


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceSet:
    """Hold all references of one sentence: the trees of all selections of its places.

    Attributes:
        tree: the original tree.
        factors: independent of each other, in the order of their first place.
    """

    tree: Tree
    factors: tuple[Factor, ...]

    def __repr__(self) -> str:
        cut = sum(factor.cut for factor in self.factors)
        parts = f"{count_noun(self.places, 'place')} in {count_noun(len(self.factors), 'factor')}" + (
            f", {cut} cut" if cut else ""
        )
        return f"<ReferenceSet of {self.tree!r}: {parts}>"

    @property
    def places(self) -> int:
        return sum(len(factor.places) for factor in self.factors)

    def __len__(self) -> int:
        """Return the number of references: 2^m, fewer where a factor was cut."""
        return math.prod(map(len, self.factors))

    def enumerate(self, limit: int | None = None) -> Iterator[tuple[tuple[Place, ...], Tree]]:
        """Yield the references as pairs of a selection of places and its tree, the original tree first.

        Args:
            limit: the most pairs; default: all.
        """
        if limit is not None:
            check_number(f"`limit={shorten_value(limit)}`", limit, 0, sys.maxsize)
        choices = itertools.product(*(range(len(factor)) for factor in self.factors))
        for choice in itertools.islice(choices, limit):
            options = list(map(Factor.option, self.factors, choice))
            selected: list[Place] = []
            for factor, option in zip(self.factors, options, strict=True):
                selected.extend(place for i, place in enumerate(factor.places) if option.selection >> i & 1)
            yield tuple(sorted(selected)), self._tree_of(options)

    def last_tree(self) -> Tree:
        """Return the reference with all places selected."""
        return self._tree_of([factor.option(len(factor) - 1) for factor in self.factors])

    def _tree_of(self, options: Iterable[Option]) -> Tree:
        heads, deprels = list(self.tree.heads), list(self.tree.deprels)
        for factor, option in zip(self.factors, options, strict=True):
            for token, head in zip(factor.tokens, option.heads, strict=True):
                heads[token - 1] = head
            if option.labels:  # of a labelled set
                for token, label in zip(factor.tokens, option.labels, strict=True):
                    deprels[token - 1] = label
        return self.tree.with_heads(heads, deprels)


def reference_set(
    tree: Tree | Sentence,
    transformation: Transformation,
    *,
    max_options: int = MAX_OPTIONS,
    labels: LabelOption | None = None,
) -> ReferenceSet:
    """Return the references of a tree under a transformation, as a product of factors.

    Args:
        tree: the UD tree or sentence.
        transformation: a single transformation, or several together.
        max_options: the most options of a factor to list. A factor with more is split into parts. If a part
            still has more, the factor is cut to two options: all places original, and all transformed.
        labels: None for heads only; with a label option (docs/rules.md, Labels) references differ in deprels,
            too.

    Returns:
        The reference set; its length is the number of references.

    Raises:
        InputError: `max_options` is below 2.
    """
    check_number(f"`max_options={shorten_value(max_options)}`", max_options, 2)
    (tree,) = trees_of(tree)
    plan = transformation.plan(tree)
    if labels is not None:
        tree = plan.reference((), labels)  # a scheme with relations of its own names those of all references
    if not plan.places:
        return ReferenceSet(tree, ())
    try:
        leaves, depends, group = interactions(plan, labels)
    except TooEntangled:
        # all places of the sentence as one factor, cut: all original or all transformed
        original = plan.arcs((), labels)
        transformed = plan.arcs([place.token for place in plan.places], labels)
        differ = unequal(original, transformed)
        factor = Factor.of_ends(plan.places, differ, (original, transformed), labels, cut=True)
        return ReferenceSet(tree, (factor,))
    members: dict[int, list[Place]] = {}
    for place in plan.places:
        members.setdefault(group[place.token], []).append(place)
    tokens: dict[int, list[int]] = {first: [] for first in members}
    for token, places in depends.items():
        if places:
            tokens[group[next(iter(places))]].append(token)
    factors = (
        _factor(tuple(places), tuple(tokens[first]), leaves, depends, max_options, labels is not None)
        for first, places in members.items()
    )
    return ReferenceSet(tree, tuple(factors))


def interactions(
    plan: Plan, labels: LabelOption | None
) -> tuple[Leaves, dict[int, frozenset[int]], dict[int, int]]:
    """Return the decision trees of the tokens, the places that each depends on, and the group of each place.

    Deprels are empty without a label option. See `components` for the groups. TooEntangled where decision
    trees are too large.
    """
    leaves: Leaves = {}
    answers = MAX_ANSWERS * len(plan.tree)
    for token in sorted(plan.varying):
        leaves[token] = plan.leaves(token, labels)
        answers -= sum(len(path) for path, _ in leaves[token])
        if answers < 0:
            raise TooEntangled
    depends = {token: depends_on(of_token) for token, of_token in leaves.items()}
    return leaves, depends, components([place.token for place in plan.places], depends.values())


def unequal(first: Sequence[Arc], second: Sequence[Arc]) -> list[int]:
    return [token for token, (a, b) in enumerate(zip(first, second, strict=True), start=1) if a != b]


def components(places: Sequence[int], together: Iterable[frozenset[int]]) -> dict[int, int]:
    """Return the connected components of places that occur together in some set, named by their first
    place."""
    component = {place: [place] for place in places}
    for group in together:
        met = {id(component[place]): component[place] for place in group}
        largest = max(met.values(), key=len, default=[])  # the others join it, so that few places move
        for other in met.values():
            if other is not largest:
                largest += other
                component.update(dict.fromkeys(other, largest))
    first: dict[int, int] = {}  # the first place, by the identity of the component
    for members in component.values():
        if id(members) not in first:
            first[id(members)] = min(members)
    return {place: first[id(members)] for place, members in component.items()}


def _factor(
    places: tuple[Place, ...], tokens: tuple[int, ...], leaves: Leaves, depends: dict[int, frozenset[int]],
    max_options: int, labelled: bool,
) -> Factor:  # fmt: skip
    keys = [place.token for place in places]
    cliques, cut = [(tuple(range(len(places))), list(tokens), -1)], False
    if 1 << len(places) > max_options:
        position = {key: i for i, key in enumerate(keys)}
        together = {t: frozenset(position[place] for place in depends[t]) for t in tokens}
        cut = any(1 << len(members) > max_options for members in together.values())
        if not cut:
            covering = cover(together, len(places))
            cut = any(1 << len(members) > max_options for members, _, _ in covering)
            cliques = cliques if cut else covering
    parts = []
    for members, decided, parent in cliques:
        total = 1 << len(members)
        masks = (0, total - 1) if cut else range(total)
        heads, names = _options([keys[i] for i in members], decided, leaves, masks)
        parts.append(Part(members, tuple(decided), heads, parent, names if labelled else ()))
    return Factor(places, tokens, tuple(parts), cut, cut)


def _options(
    places: Sequence[int], tokens: Sequence[int], leaves: Leaves, masks: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the heads and the labels of `tokens` for each selection in `masks` (bit i: `places[i]`)."""
    bit = {place: 1 << i for i, place in enumerate(places)}
    columns = []
    for token in tokens:
        rules = []  # a selection leads to a leaf if its bits in `care` are those of `value`
        for path, arc in leaves[token]:
            care = value = 0
            for place, answer in path:
                if place in bit:
                    care |= bit[place]
                    value |= bit[place] if answer else 0
                elif answer:
                    break  # places outside have no effect on this token: keep the leaves that answer no
            else:
                rules.append((care, value, arc))
        columns.append([next(arc for care, value, arc in rules if mask & care == value) for mask in masks])
    if not columns:
        return ((),) * len(masks), ((),) * len(masks)
    heads = tuple(zip(*([head for head, _ in column] for column in columns), strict=True))
    return heads, tuple(zip(*([label for _, label in column] for column in columns), strict=True))

"""Reference sets as products of factors (docs/rules.md, Reference sets).

How they are stored is known here and in `arrays`, and nowhere else.

The references of a sentence are the trees of all selections of its sites, 2^m for m sites. The head of a
token depends on few sites; sites that occur together in the dependence of some token form a *factor*, and
the reference set is the product of the factors' options: one option, a vector of heads for the factor's
tokens, per selection of the factor's sites. All other tokens have the same head in every reference. A factor
with too many options to list is a tree of parts (:mod:`learnability.multiref.junction`), just as exact.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from learnability.metrics.scores import Score
from learnability.multiref.junction import Part, cover, highest_sum
from learnability.transforms.base import Transformation
from learnability.transforms.plan import Arc, Leaf, Plan, Site, TooEntangled, depends_on
from learnability.treebanks.sentence import Sentence, Tree, trees_of

LabelOption = Literal["keep", "external"]

Leaves = dict[int, tuple[Leaf, ...]]
"""The decision tree of each token."""

MAX_OPTIONS = 4096
"""The most options to list (`--max-options`). A factor with more is split into parts; if one still has more,
the factor keeps two options, all sites original and all transformed."""


MAX_ANSWERS = 500
"""The most answers per word in the decision trees of a sentence; real ones have up to 60. With more it is one
factor that keeps two options."""


class Option(NamedTuple):
    """An option of a factor: selected sites as bits, heads and deprels (none if unlabelled) of the tokens."""

    selection: int
    heads: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """A group of sites that interact, with the tokens (1..n) whose heads they decide.

    Attributes:
        parts: the options of the factor, listed in one part, or in a junction tree where they are too many.
        ends: of all selections of the sites only two have an option: none selected, and all.
        cut: so because there would be too many options.
    """

    sites: tuple[Site, ...]
    tokens: tuple[int, ...]
    parts: tuple[Part, ...]
    ends: bool = False
    cut: bool = False

    @classmethod
    def of_ends(
        cls, sites: Sequence[Site], tokens: Iterable[int], sides: Sequence[Sequence[Arc]],
        labels: LabelOption | None, *, cut: bool = False,
    ) -> Self:  # fmt: skip
        """The factor with two options: in each the tokens have the arcs of one of two trees."""
        tokens = tuple(tokens)
        heads = tuple(tuple(side[t - 1][0] for t in tokens) for side in sides)
        names = tuple(tuple(side[t - 1][1] for t in tokens) for side in sides)
        part = Part(tuple(range(len(sites))), tokens, heads, -1, names if labels else ())
        return cls(tuple(sites), tokens, (part,), ends=True, cut=cut)

    def __len__(self) -> int:
        """The number of options."""
        return 2 if self.ends else 1 << len(self.sites)

    def option(self, number: int) -> Option:
        """The option of this number, from 0: the selection as bits, or the number of the end."""
        arcs: dict[int, tuple[int, str]] = {}
        for part in self.parts:
            arcs |= part.arcs(number if self.ends else part.number(number))
        heads = tuple(arcs[token][0] for token in self.tokens)
        labelled = any(part.labels for part in self.parts)
        names = tuple(arcs[token][1] for token in self.tokens) if labelled else ()
        return Option(number * ((1 << len(self.sites)) - 1) if self.ends else number, heads, names)


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceSet:
    """All references of one sentence.

    Attributes:
        tree: the original tree.
        factors: independent of each other, in the order of their first site.
    """

    tree: Tree
    factors: tuple[Factor, ...]

    def __repr__(self) -> str:
        cut = sum(factor.cut for factor in self.factors)
        parts = f"{self.sites} sites in {len(self.factors)} factors" + (f", {cut} cut" if cut else "")
        return f"<ReferenceSet of {self.tree!r}: {parts}>"

    @property
    def sites(self) -> int:
        """The number of sites, m."""
        return sum(len(factor.sites) for factor in self.factors)

    def __len__(self) -> int:
        """The number of references: 2^m, fewer where a factor was cut."""
        return math.prod(map(len, self.factors))

    def enumerate(self, limit: int | None = None) -> Iterator[tuple[tuple[Site, ...], Tree]]:
        """Pairs of a selection and its tree, at most `limit` of them, the original tree first."""
        choices = itertools.product(*(range(len(factor)) for factor in self.factors))
        for choice in itertools.islice(choices, limit):
            heads, deprels = list(self.tree.heads), list(self.tree.deprels)
            selected: list[Site] = []
            for factor, number in zip(self.factors, choice, strict=True):
                option = factor.option(number)
                for token, head in zip(factor.tokens, option.heads, strict=True):
                    heads[token - 1] = head
                if option.labels:
                    for token, label in zip(factor.tokens, option.labels, strict=True):
                        deprels[token - 1] = label
                selected.extend(site for i, site in enumerate(factor.sites) if option.selection >> i & 1)
            yield tuple(sorted(selected)), self.tree.with_heads(heads, deprels)


def reference_set(
    tree: Tree | Sentence,
    transformation: Transformation,
    *,
    max_options: int = MAX_OPTIONS,
    labels: LabelOption | None = None,
) -> ReferenceSet:
    """The references of `tree` under `transformation` (single, or several together), as factors.

    `labels`: None for heads only; with a label option (docs/rules.md, Labels) an option is a vector of heads
    and deprels.
    """
    (tree,) = trees_of(tree)
    plan = transformation.plan(tree)
    if not plan.sites:
        return ReferenceSet(tree, ())
    try:
        leaves, depends, group = interactions(plan, labels)
    except TooEntangled:
        # all sites of the sentence as one factor, cut: all original or all transformed
        sides = [plan.arcs(own, labels) for own in ((), [site.token for site in plan.sites])]
        return ReferenceSet(tree, (Factor.of_ends(plan.sites, unequal(*sides), sides, labels, cut=True),))
    members: dict[int, list[Site]] = {}
    for site in plan.sites:
        members.setdefault(group[site.token], []).append(site)
    tokens: dict[int, list[int]] = {first: [] for first in members}
    for token, sites in depends.items():
        if sites:
            tokens[group[next(iter(sites))]].append(token)
    factors = (
        _factor(tuple(sites), tuple(tokens[first]), leaves, depends, max_options, labels is not None)
        for first, sites in members.items()
    )
    return ReferenceSet(tree, tuple(factors))


def interactions(
    plan: Plan, labels: LabelOption | None
) -> tuple[Leaves, dict[int, frozenset[int]], dict[int, int]]:
    """The decision trees of the tokens, the sites each depends on, and the group of each site.

    Without a label option deprels are empty. See `components` for the groups. TooEntangled where the
    decision trees are too large.
    """
    leaves: Leaves = {}
    answers = MAX_ANSWERS * len(plan.tree)
    for token in sorted(plan.varying):
        leaves[token] = plan.leaves(token, labels)
        answers -= sum(len(path) for path, _ in leaves[token])
        if answers < 0:
            raise TooEntangled
    depends = {token: depends_on(own) for token, own in leaves.items()}
    return leaves, depends, components([site.token for site in plan.sites], depends.values())


def unequal(one: Sequence[Arc], other: Sequence[Arc]) -> list[int]:
    """The tokens with different arcs."""
    return [t for t, (a, b) in enumerate(zip(one, other, strict=True), start=1) if a != b]


def closest_correct(sets: Sequence[ReferenceSet], parsed: Sequence[Tree], score: Score) -> NDArray[np.int64]:
    """int64[sentences]: right tokens against the closest reference (docs/rules.md, Scores and uncertainty).

    That is, the best option of each factor plus the tokens outside. For LAS the sets must be labelled.
    """

    def most(references: ReferenceSet, guess: Sequence[object]) -> int:
        right = [a == b for a, b in zip(guess, score.of_tree(references.tree), strict=True)]
        total = sum(right)
        for factor in references.factors:
            counts = []
            for part in factor.parts:
                options = zip(part.options, part.labels or ((),) * len(part.options), strict=True)
                arcs = (zip(part.tokens, score.arcs(*option), strict=True) for option in options)
                counts.append([sum(guess[token - 1] == arc for token, arc in own) for own in arcs])
            total += highest_sum(factor.parts, counts) - sum(right[token - 1] for token in factor.tokens)
        return total

    pairs = zip(sets, parsed, strict=True)
    return np.array([most(references, score.of_tree(tree)) for references, tree in pairs], np.int64)


def components(sites: Sequence[int], together: Iterable[frozenset[int]]) -> dict[int, int]:
    """Connected components of the sites under "occur together in some set", named by their first site."""
    component = {site: [site] for site in sites}
    for group in together:
        met = {id(component[site]): component[site] for site in group}
        largest = max(met.values(), key=len, default=[])  # the others join it, so that few sites move
        for other in met.values():
            if other is not largest:
                largest += other
                component.update(dict.fromkeys(other, largest))
    first = {key: min(own) for key, own in {id(own): own for own in component.values()}.items()}
    return {site: first[id(own)] for site, own in component.items()}


def _factor(
    sites: tuple[Site, ...], tokens: tuple[int, ...], leaves: Leaves, depends: dict[int, frozenset[int]],
    max_options: int, labelled: bool,
) -> Factor:  # fmt: skip
    """One factor, its options listed where they are few."""
    keys = [site.token for site in sites]
    cliques, cut = [(tuple(range(len(sites))), list(tokens), -1)], False
    if 1 << len(sites) > max_options:
        position = {key: i for i, key in enumerate(keys)}
        together = {t: frozenset(position[site] for site in depends[t]) for t in tokens}
        cut = any(1 << len(members) > max_options for members in together.values())
        if not cut:
            covering = cover(together, len(sites))
            cut = any(1 << len(members) > max_options for members, _, _ in covering)
            cliques = cliques if cut else covering
    parts = []
    for members, own, parent in cliques:
        total = 1 << len(members)
        masks = (0, total - 1) if cut else range(total)
        heads, names = _options([keys[i] for i in members], own, leaves, masks)
        parts.append(Part(members, tuple(own), heads, parent, names if labelled else ()))
    return Factor(sites, tokens, tuple(parts), cut, cut)


def _options(
    sites: Sequence[int], tokens: Sequence[int], leaves: Leaves, masks: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, ...], ...]]:
    """The heads and the labels of `tokens` per selection in `masks` (bit i: `sites[i]`)."""
    bit = {site: 1 << i for i, site in enumerate(sites)}
    columns = []
    for token in tokens:
        rules = []
        for path, arc in leaves[token]:
            care = value = 0
            for site, answer in path:
                if site in bit:
                    care |= bit[site]
                    value |= bit[site] if answer else 0
                elif answer:
                    break  # sites outside do not matter for this token: keep the leaves that answer no
            else:
                rules.append((care, value, arc))
        columns.append([next(arc for care, value, arc in rules if mask & care == value) for mask in masks])
    if not columns:
        return ((),) * len(masks), ((),) * len(masks)
    heads = tuple(zip(*([head for head, _ in column] for column in columns), strict=True))
    return heads, tuple(zip(*([label for _, label in column] for column in columns), strict=True))

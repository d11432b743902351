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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from learnability.multiref.junction import Part, arcs_of, cover, highest_sum
from learnability.transforms.base import Transformation
from learnability.transforms.plan import Path, Plan, Site, depends_on
from learnability.treebanks.sentence import Tree

LabelOption = Literal["keep", "external"]

Leaves = dict[int, tuple[tuple[Path, tuple[int, str]], ...]]
"""The decision tree of the head and deprel of each token."""

MAX_OPTIONS = 4096
"""The most options to list (`--max-options`). A factor with more is split into parts; if one still has more,
the factor keeps two options, all sites original and all transformed."""


Count = Callable[[Sequence[int], Sequence[int], Sequence[str]], int]
"""How many of some tokens are right, given their heads and their deprels (none in an unlabelled set)."""


class Option(NamedTuple):
    """An option of a factor: selected sites as bits, heads and deprels (none if unlabelled) of the tokens."""

    selection: int
    heads: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """A group of sites that interact, with the tokens (1..n) whose heads they decide.

    Attributes:
        selections, options, labels: per option, the selected sites as bits (bit i: `sites[i]` is
            transformed), and the heads and deprels (none in an unlabelled set) of `tokens`.
        cut: only the first and the last of its 2^k options are kept.
        parts: the factor as a junction tree, where its options are too many to list; then `selections` and
            `options` are empty, and a selection is also the number of its option.
    """

    sites: tuple[Site, ...]
    tokens: tuple[int, ...]
    selections: tuple[int, ...]
    options: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[str, ...], ...] = ()
    cut: bool = False
    parts: tuple[Part, ...] = ()

    def __len__(self) -> int:
        """The number of options."""
        return 1 << len(self.sites) if self.parts else len(self.options)

    def option(self, number: int) -> Option:
        """The option of this number, from 0."""
        if not self.parts:
            names = self.labels[number] if self.labels else ()
            return Option(self.selections[number], self.options[number], names)
        arcs = arcs_of(self.parts, number)
        heads, names = zip(*(arcs[token] for token in self.tokens), strict=True)
        return Option(number, heads, names if any(part.labels for part in self.parts) else ())

    def most(self, count: Count) -> int:
        """The highest count of right tokens that an option has."""

        def counts(own: Factor | Part) -> list[int]:
            names = own.labels or ((),) * len(own.options)
            return [count(own.tokens, *option) for option in zip(own.options, names, strict=True)]

        return highest_sum(self.parts, list(map(counts, self.parts))) if self.parts else max(counts(self))


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
            for factor, option in zip(self.factors, choice, strict=True):
                chosen = factor.option(option)
                for token, head in zip(factor.tokens, chosen.heads, strict=True):
                    heads[token - 1] = head
                if chosen.labels:
                    for token, label in zip(factor.tokens, chosen.labels, strict=True):
                        deprels[token - 1] = label
                selected.extend(site for i, site in enumerate(factor.sites) if chosen.selection >> i & 1)
            yield tuple(sorted(selected)), self.tree.with_heads(heads, deprels)


def reference_set(
    tree: Tree,
    transformation: Transformation,
    *,
    max_options: int = MAX_OPTIONS,
    labels: LabelOption | None = None,
) -> ReferenceSet:
    """The references of `tree` under `transformation` (single, or several together), as factors.

    `labels`: None for heads only; with a label option (docs/rules.md, Labels) an option is a vector of heads
    and deprels.
    """
    plan = transformation.plan(tree)
    if not plan.sites:
        return ReferenceSet(tree, ())
    leaves = {token: leaves_of(plan, token, labels) for token in sorted(plan.varying)}
    depends = {token: depends_on(found) for token, found in leaves.items()}
    group = components([site.token for site in plan.sites], depends.values())
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


def leaves_of(plan: Plan, token: int, labels: LabelOption | None) -> tuple[tuple[Path, tuple[int, str]], ...]:
    """The decision tree of the head and the deprel of a token, which is empty without a label option."""
    if labels is None:
        return tuple((path, (head, "")) for path, head in plan.leaves(token))
    return plan.labelled_leaves(token, labels)


def components(sites: Sequence[int], together: Iterable[frozenset[int]]) -> dict[int, int]:
    """Connected components of the sites under "occur together in some set", named by their first site."""
    component = {site: site for site in sites}
    for group in together:
        merged = {component[site] for site in group}
        if len(merged) > 1:
            for site in sites:
                if component[site] in merged:
                    component[site] = min(merged)
    return component


def _factor(
    sites: tuple[Site, ...], tokens: tuple[int, ...], leaves: Leaves, depends: dict[int, frozenset[int]],
    max_options: int, labelled: bool,
) -> Factor:  # fmt: skip
    """One factor, its options listed where they are few."""
    keys = [site.token for site in sites]
    total = 1 << len(sites)
    if total <= max_options:
        heads, names = _options(keys, tokens, leaves, range(total))
        return Factor(sites, tokens, tuple(range(total)), heads, names if labelled else ())
    position = {key: i for i, key in enumerate(keys)}
    needed = {token: frozenset(position[site] for site in depends[token]) for token in tokens}
    cliques = cover(needed, len(sites))
    if max(1 << len(chosen) for chosen, _, _ in cliques) > max_options:
        ends = (0, total - 1)
        heads, names = _options(keys, tokens, leaves, ends)
        return Factor(sites, tokens, ends, heads, names if labelled else (), cut=True)
    parts = []
    for chosen, own, parent in cliques:
        heads, names = _options([keys[i] for i in chosen], own, leaves, range(1 << len(chosen)))
        parts.append(Part(chosen, tuple(own), heads, parent, names if labelled else ()))
    return Factor(sites, tokens, (), (), parts=tuple(parts))


def _options(
    sites: Sequence[int], tokens: Sequence[int], leaves: Leaves, masks: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, ...], ...]]:
    """The heads and the labels of `tokens` per selection in `masks` (bit i: `sites[i]`)."""
    bit = {site: 1 << i for i, site in enumerate(sites)}
    columns = []
    for token in tokens:
        rules = []
        for path, arc in leaves[token]:
            # sites outside do not matter for this token: keep the leaves that answer no
            if all(site in bit for site, answer in path if answer):
                care = sum(bit.get(site, 0) for site, _ in path)
                rules.append((care, sum(bit[site] for site, answer in path if answer), arc))
        columns.append([next(arc for care, value, arc in rules if mask & care == value) for mask in masks])
    if not columns:
        return ((),) * len(masks), ((),) * len(masks)
    heads = tuple(zip(*([head for head, _ in column] for column in columns), strict=True))
    return heads, tuple(zip(*([label for _, label in column] for column in columns), strict=True))

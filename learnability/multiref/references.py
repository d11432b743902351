"""Reference sets as products of factors (design section 6): the only place that knows how a set is stored.

The references of a sentence are the trees of all selections of its sites, 2^m for m sites. The head of a
token depends on few sites; sites that occur together in the dependence of some token form a *factor*, and
the reference set is the product of the factors' options: one option, a vector of heads for the factor's
tokens, per selection of the factor's sites. All other tokens have the same head in every reference.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus
from learnability.parsing.oracle import UNKNOWN
from learnability.transforms.base import Plan, Site, Transformation, depends_on
from learnability.treebanks.sentence import Tree

MAX_OPTIONS = 4096
"""A factor with more options keeps two of them, all sites original and all transformed (`--max-options`)."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A group of sites that interact, with the heads of the tokens they decide.

    Attributes:
        sites: the sites, by token.
        tokens: the tokens (1..n) whose head depends on them.
        selections: per option, the selected sites as bits (bit i: `sites[i]` is transformed).
        options: per option, the heads of `tokens`.
        cut: only the first and the last of its 2^k options are kept.
    """

    sites: tuple[Site, ...]
    tokens: tuple[int, ...]
    selections: tuple[int, ...]
    options: tuple[tuple[int, ...], ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """All references of one sentence.

    Attributes:
        tree: the original tree.
        factors: independent of each other, in the order of their first site.
    """

    tree: Tree
    factors: tuple[Factor, ...]

    @property
    def sites(self) -> int:
        """The number of sites, m."""
        return sum(len(factor.sites) for factor in self.factors)

    def __len__(self) -> int:
        """The number of references: 2^m, fewer where a factor was cut."""
        count = 1
        for factor in self.factors:
            count *= len(factor.options)
        return count

    def enumerate(self, limit: int | None = None) -> Iterator[tuple[tuple[Site, ...], Tree]]:
        """Pairs of a selection and its tree, at most `limit` of them, the original tree first."""
        choices = itertools.product(*(range(len(factor.options)) for factor in self.factors))
        for choice in itertools.islice(choices, limit):
            heads = list(self.tree.heads)
            selected: list[Site] = []
            for factor, option in zip(self.factors, choice, strict=True):
                for token, head in zip(factor.tokens, factor.options[option], strict=True):
                    heads[token - 1] = head
                bits = factor.selections[option]
                selected.extend(site for i, site in enumerate(factor.sites) if bits >> i & 1)
            yield tuple(sorted(selected)), self.tree.with_heads(heads)


def reference_set(
    tree: Tree, transformation: Transformation, *, max_options: int = MAX_OPTIONS
) -> ReferenceSet:
    """The references of `tree` under `transformation` (single, or several together), as factors."""
    plan = transformation.plan(tree)
    if not plan.sites:
        return ReferenceSet(tree, ())
    leaves = {token: plan.leaves(token) for token in sorted(plan.varying)}
    depends = {token: depends_on(found) for token, found in leaves.items()}
    group = _components([site.token for site in plan.sites], depends.values())
    members: dict[int, list[Site]] = {}
    for site in plan.sites:
        members.setdefault(group[site.token], []).append(site)
    tokens: dict[int, list[int]] = {first: [] for first in members}
    for token, sites in depends.items():
        if sites:
            tokens[group[next(iter(sites))]].append(token)
    return ReferenceSet(
        tree,
        tuple(
            _factor(tuple(sites), tuple(tokens[first]), leaves, max_options)
            for first, sites in members.items()
        ),
    )


def _components(sites: Sequence[int], together: object) -> dict[int, int]:
    """Connected components of the sites under "occur together in some set", named by their first site."""
    parent = {site: site for site in sites}

    def find(site: int) -> int:
        while parent[site] != site:
            site = parent[site]
        return site

    for group in together:  # type: ignore[attr-defined]
        if len(group) > 1:
            roots = sorted({find(site) for site in group})
            for other in roots[1:]:
                parent[other] = roots[0]
    return {site: find(site) for site in sites}


def _factor(
    sites: tuple[Site, ...],
    tokens: tuple[int, ...],
    leaves: dict[int, tuple[tuple[tuple[tuple[int, bool], ...], int], ...]],
    max_options: int,
) -> Factor:
    """The options of one factor, by looking up each token's decision tree."""
    bit = {site.token: 1 << i for i, site in enumerate(sites)}
    total = 1 << len(sites)
    cut = total > max_options
    selections = (0, total - 1) if cut else tuple(range(total))
    columns = []
    for token in tokens:
        rules = []
        for path, head in leaves[token]:
            # sites outside the factor do not matter for this token: keep the leaves that answer no
            if any(answer and site not in bit for site, answer in path):
                continue
            care = sum(bit.get(site, 0) for site, _ in path)
            value = sum(bit[site] for site, answer in path if answer)
            rules.append((care, value, head))
        columns.append(
            [next(head for care, value, head in rules if mask & care == value) for mask in selections]
        )
    return Factor(sites, tokens, selections, tuple(zip(*columns, strict=True)), cut)


class References(NamedTuple):
    """The reference sets of a corpus as flat arrays.

    Attributes:
        fixed: int32[rows of the corpus], the head of every token in no factor; UNKNOWN for the others.
        factor_start: int64[sentences + 1], where each sentence's factors begin.
        token_start: int64[factors + 1], where each factor's tokens begin in `token`.
        token: int32, position of the token in its sentence.
        option_start: int64[factors + 1], where each factor's options begin.
        head_start: int64[factors + 1], where the factor's option vectors begin in `head`, one after the other.
        head: int32, heads (0 is the root).
        alive: uint8[options], 1 while the option survives.
        touch_start: int64[rows + 1], where the factors that touch a token begin in `touch`: those that
            decide its head, or in which it can be a head.
        touch: int64, numbers of factors.
    """

    fixed: NDArray[np.int32]
    factor_start: NDArray[np.int64]
    token_start: NDArray[np.int64]
    token: NDArray[np.int32]
    option_start: NDArray[np.int64]
    head_start: NDArray[np.int64]
    head: NDArray[np.int32]
    alive: NDArray[np.uint8]
    touch_start: NDArray[np.int64]
    touch: NDArray[np.int64]


@dataclass(frozen=True)
class SiteTable:
    """Which site is transformed in which option, for counting survivors.

    Attributes:
        sentence: int64[sites], the sentence of each site.
        token: int64[sites], its token.
        transform: the name of its transformation, per site.
        pair_site, pair_option: int64[pairs], every site with every option of its factor.
        pair_transformed: float64[pairs], 1 where the option transforms the site.
        factors_cut: number of factors that were cut.
    """

    sentence: NDArray[np.int64]
    token: NDArray[np.int64]
    transform: tuple[str, ...]
    pair_site: NDArray[np.int64]
    pair_option: NDArray[np.int64]
    pair_transformed: NDArray[np.float64]
    factors_cut: int

    def transformed_share(self, alive: NDArray[np.uint8]) -> NDArray[np.float64]:
        """float64[sites]: the share of the surviving options that transform the site (0 or 1 if one survives)."""
        weight = alive[self.pair_option].astype(np.float64)
        count = np.bincount(self.pair_site, weights=weight, minlength=len(self.sentence))
        hits = np.bincount(
            self.pair_site, weights=weight * self.pair_transformed, minlength=len(self.sentence)
        )
        return np.divide(hits, count, out=np.full(len(count), np.nan), where=count > 0)


def encode_references(corpus: Corpus, sets: Sequence[ReferenceSet]) -> tuple[References, SiteTable]:
    """Flat arrays for the reference sets of the sentences of `corpus`."""
    fixed = np.zeros(corpus.attributes.shape[0], np.int32)
    factor_start, token_start, option_start, head_start = [0], [0], [0], [0]
    token: list[int] = []
    head: list[int] = []
    touching: list[list[int]] = [[] for _ in range(corpus.attributes.shape[0])]
    site_sentence: list[int] = []
    site_token: list[int] = []
    site_transform: list[str] = []
    pairs: list[tuple[int, int, int]] = []
    number = 0
    for index, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        fixed[start + 1 : start + 1 + len(references.tree)] = references.tree.heads
        for factor in references.factors:
            first_option, first_site = option_start[-1], len(site_sentence)
            token.extend(factor.tokens)
            token_start.append(len(token))
            for heads in factor.options:
                head.extend(heads)
            head_start.append(len(head))
            option_start.append(first_option + len(factor.options))
            touched = set(factor.tokens).union(*factor.options) - {0}
            for position in touched:
                touching[start + position].append(number)
            for position in factor.tokens:
                fixed[start + position] = UNKNOWN
            for i, site in enumerate(factor.sites):
                site_sentence.append(index)
                site_token.append(site.token)
                site_transform.append(site.transform)
                pairs.extend(
                    (first_site + i, first_option + o, bits >> i & 1)
                    for o, bits in enumerate(factor.selections)
                )
            number += 1
        factor_start.append(number)
    pair = np.array(pairs, np.int64).reshape(-1, 3)
    counts = np.array([len(t) for t in touching], np.int64)
    references_arrays = References(
        fixed=fixed,
        factor_start=np.array(factor_start, np.int64),
        token_start=np.array(token_start, np.int64),
        token=np.array(token, np.int32),
        option_start=np.array(option_start, np.int64),
        head_start=np.array(head_start, np.int64),
        head=np.array(head, np.int32),
        alive=np.ones(option_start[-1], np.uint8),
        touch_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        touch=np.array([f for t in touching for f in t], np.int64),
    )
    table = SiteTable(
        sentence=np.array(site_sentence, np.int64),
        token=np.array(site_token, np.int64),
        transform=tuple(site_transform),
        pair_site=pair[:, 0].copy(),
        pair_option=pair[:, 1].copy(),
        pair_transformed=pair[:, 2].astype(np.float64),
        factors_cut=sum(factor.cut for references in sets for factor in references.factors),
    )
    return references_arrays, table


def closest_matches(
    sets: Sequence[ReferenceSet], corpus: Corpus, predicted: NDArray[np.int32]
) -> NDArray[np.int64]:
    """int64[sentences]: the correct heads of a prediction against the reference closest to it.

    That is, the best option of each factor plus the tokens outside (design section 9, closest-reference
    UAS). `predicted`: int32[rows of the corpus], heads with 0 for the root.
    """
    matches = np.zeros(len(sets), np.int64)
    for i, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        n = len(references.tree)
        guess = predicted[start + 1 : start + 1 + n].tolist()
        right = [a == b for a, b in zip(guess, references.tree.heads, strict=True)]
        total = sum(right)
        for factor in references.factors:
            own = [guess[token - 1] for token in factor.tokens]
            best = max(sum(a == b for a, b in zip(own, heads, strict=True)) for heads in factor.options)
            total += best - sum(right[token - 1] for token in factor.tokens)
        matches[i] = total
    return matches

"""Represent large factors without a list of their options, as a tree of parts, each with few sites.

The heads in a factor of k sites are 2^k vectors, but each head depends on few of the sites. A junction tree
(Lauritzen & Spiegelhalter 1988) covers the sites with overlapping *parts* such that the sites of every head
lie in one part, and the parts that share a site are connected. A selection of the factor is one option of
each part, where neighbours agree on the sites they share. A sum over tokens is a sum over parts.

Pruning stays exact. Let f(x) = sum of f_p(x_p) over the parts, and mu_p(x_p) the least f of all surviving
selections that agree with x_p (two passes of messages along the tree); mu_s is the same for the sites that
two neighbours share. Then f(x) = mu_root(x_root) + sum over the other parts of (mu_p(x_p) - mu_s(x_s)). If
every mu_p(x_p) is the least value, so is every mu_s(x_s), and f(x) is the least value. So the minimisers are
exactly the selections all of whose part options attain it, and a set that is described by surviving options
in each part stays so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from learnability.parsing.jit import Ints


@dataclass(frozen=True, slots=True)
class Part:
    """Some sites of a factor, and the tokens whose heads depend on these sites alone.

    Attributes:
        sites: numbers of the sites in the factor, ascending; option o selects `sites[i]` if its bit i is set.
        tokens: the tokens (1..n).
        options: per option, the heads of the tokens.
        parent: number of the neighbour towards the root, a later part; -1 for the root, the last part.
        labels: per option, the deprels of the tokens; empty if unlabelled.
    """

    sites: tuple[int, ...]
    tokens: tuple[int, ...]
    options: tuple[tuple[int, ...], ...]
    parent: int
    labels: tuple[tuple[str, ...], ...] = ()

    def shared(self, other: Part) -> tuple[Ints, Ints]:
        """Return the states of the shared sites, as bits: int32[options] of this and of the other part."""
        common = [site for site in self.sites if site in other.sites]
        return _states(self.sites, common), _states(other.sites, common)

    def number(self, selection: int) -> int:
        """Return the number of the option for a selection of the factor's sites, as bits."""
        return sum((selection >> site & 1) << i for i, site in enumerate(self.sites))

    def arcs(self, option: int) -> dict[int, tuple[int, str]]:
        """Return head and deprel (empty in an unlabelled set) of each token in this option."""
        names = self.labels[option] if self.labels else ("",) * len(self.tokens)
        return dict(zip(self.tokens, zip(self.options[option], names, strict=True), strict=True))


def _states(sites: Sequence[int], common: Sequence[int]) -> Ints:
    """Return int32[2^sites], the states of the `common` sites in each option, as bits."""
    options = np.arange(1 << len(sites), dtype=np.int32)
    states = np.zeros_like(options)
    for i, site in enumerate(common):
        states |= (options >> sites.index(site) & 1) << i
    return states


def cover(depends: Mapping[int, frozenset[int]], sites: int) -> list[tuple[tuple[int, ...], list[int], int]]:
    """Return a junction tree (minimum fill-in) for the sites on which the head of each token depends.

    Args:
        depends: the sites, by token.
        sites: the number of sites.

    Returns:
        The sites, the tokens and the number of the parent of each part, children first.
    """
    import networkx
    from networkx.algorithms.approximation import treewidth_min_fill_in

    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(sites))
    for together in depends.values():
        graph.add_edges_from(combinations(sorted(together), 2))
    _, bags = treewidth_min_fill_in(graph)
    order = sorted((tuple(sorted(bag)) for bag in bags), key=lambda bag: (len(bag), bag))
    root = frozenset(order[-1])
    preorder = list(networkx.dfs_preorder_nodes(bags, root, sort_neighbors=lambda n: sorted(n, key=sorted)))
    number = {bag: i for i, bag in enumerate(reversed(preorder))}
    parents = {child: parent for parent, child in networkx.bfs_edges(bags, root)}
    tokens: dict[frozenset[int], list[int]] = {bag: [] for bag in preorder}
    for token, together in depends.items():
        home = min((bag for bag in preorder if together <= bag), key=lambda bag: (len(bag), sorted(bag)))
        tokens[home].append(token)
    return [
        (tuple(sorted(bag)), tokens[bag], number[parents[bag]] if bag in parents else -1)
        for bag in reversed(preorder)
    ]


def highest_sum(parts: Sequence[Part], values: Sequence[Sequence[int]]) -> int:
    """Return the highest sum over the parts that any selection has; `values`: per part and option."""
    sums = [np.array(of_options, np.int64) for of_options in values]
    for part, of_options in zip(parts[:-1], sums, strict=False):
        state, parent_state = part.shared(parts[part.parent])
        best = np.full(int(state.max()) + 1, of_options.min())
        np.maximum.at(best, state, of_options)
        sums[part.parent] = sums[part.parent] + best[parent_state]
    return int(sums[-1].max())

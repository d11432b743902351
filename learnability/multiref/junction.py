"""Represent large factors without a list of their options, as a tree of parts, each with few places.

The heads in a factor of k places are 2^k vectors, but each head depends on few of the places. A junction tree
(Lauritzen & Spiegelhalter 1988) covers the places with overlapping *parts* such that the places of every head
lie in one part, and the parts that share a place are connected. A selection of the factor is one option of
each part, where neighbours agree on the places they share. A sum over tokens is a sum over parts.

Pruning stays exact. Let f(x) = sum of f_p(x_p) over the parts, and mu_p(x_p) the least f of all surviving
selections that agree with x_p (two passes of messages along the tree); mu_s is the same for the places that
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
    """Some places of a factor, and the tokens (1..n) whose heads depend on these places alone.

    Attributes:
        places: numbers of the places in the factor, ascending; option o selects `places[i]` if its bit i is
            set.
        options: per option, the heads of the tokens.
        parent: number of the neighbour towards the root, a later part; -1 for the root, the last part.
        labels: per option, the deprels of the tokens; empty if unlabelled.
    """

    places: tuple[int, ...]
    tokens: tuple[int, ...]
    options: tuple[tuple[int, ...], ...]
    parent: int
    labels: tuple[tuple[str, ...], ...] = ()

    def shared(self, other: Part) -> tuple[Ints, Ints]:
        """Return the states of the shared places, as bits: int32[options] of this and of the other part."""
        common = [place for place in self.places if place in other.places]
        return _states(self.places, common), _states(other.places, common)

    def number(self, selection: int) -> int:
        """Return the number of the option for a selection of the factor's places, as bits."""
        return sum((selection >> place & 1) << i for i, place in enumerate(self.places))

    def arcs(self, option: int) -> dict[int, tuple[int, str]]:
        """Return head and deprel (empty in an unlabelled set) of each token in this option."""
        names = self.labels[option] if self.labels else ("",) * len(self.tokens)
        return dict(zip(self.tokens, zip(self.options[option], names, strict=True), strict=True))


def _states(places: Sequence[int], common: Sequence[int]) -> Ints:
    """Return int32[2^places], the states of the `common` places in each option, as bits."""
    options = np.arange(1 << len(places), dtype=np.int32)
    states = np.zeros_like(options)
    for i, place in enumerate(common):
        states |= (options >> places.index(place) & 1) << i
    return states


def cover(depends: Mapping[int, frozenset[int]], places: int) -> list[tuple[tuple[int, ...], list[int], int]]:
    """Return a junction tree (minimum fill-in) for the places on which the head of each token depends."""
    import networkx
    from networkx.algorithms.approximation import treewidth_min_fill_in

    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(places))
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

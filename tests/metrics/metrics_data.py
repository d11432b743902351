"""Trees for the tests of the measures: small ones written out, random ones, all of a size."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

from learnability.treebanks.sentence import Tree


def tree(heads: Sequence[int], *, forms: str = "", upos: str = "", deprels: str = "") -> Tree:
    """A tree from its heads and space-separated columns; what is not given is made up."""
    n = len(heads)
    return Tree(
        forms=tuple(forms.split()) if forms else tuple(f"w{i}" for i in range(1, n + 1)),
        upos=tuple(upos.split()) if upos else ("X",) * n,
        heads=tuple(heads),
        deprels=tuple(deprels.split()) if deprels else tuple("root" if h == 0 else "dep" for h in heads),
    )


def random_heads(n: int, seed: int, *, projective: bool = False) -> tuple[int, ...]:
    """The heads of a random tree with one root over n tokens."""
    chance = random.Random(seed)
    heads = [0] * n
    if projective:
        _fill(heads, 1, n, 0, chance)
        return tuple(heads)
    order = list(range(1, n + 1))
    chance.shuffle(order)
    for i, token in enumerate(order[1:], 1):
        heads[token - 1] = chance.choice(order[:i])
    return tuple(heads)


def _fill(heads: list[int], first: int, last: int, head: int, chance: random.Random) -> None:
    """Make the tokens first..last one or (below a head) several subtrees of `head`."""
    while first <= last:
        end = last if head == 0 else chance.randint(first, last)
        top = chance.randint(first, end)
        heads[top - 1] = head
        _fill(heads, first, top - 1, top, chance)
        _fill(heads, top + 1, end, top, chance)
        first = end + 1


def all_trees(n: int) -> Iterator[tuple[int, ...]]:
    """The heads of every tree with one root over n tokens."""
    for heads in product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and all(reaches_root(heads, token) for token in range(1, n + 1)):
            yield heads


def reaches_root(heads: Sequence[int], token: int) -> bool:
    for _ in heads:
        token = heads[token - 1]
        if token == 0:
            return True
    return False


def is_projective(heads: Sequence[int]) -> bool:
    """No two arcs cross, the root arc from 0 included."""
    arcs = [(min(d, h), max(d, h)) for d, h in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def descends(heads: Sequence[int], token: int, ancestor: int) -> bool:
    while token:
        if token == ancestor:
            return True
        token = heads[token - 1]
    return False

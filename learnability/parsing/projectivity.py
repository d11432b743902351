"""Projectivity, and the lifting that makes a tree projective (Nivre & Nilsson 2005, baseline)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import numpy as np

from learnability.treebanks.alignment import heads_of_annotations, with_heads_of_annotations
from learnability.treebanks.conllu_io import find_cycle
from learnability.treebanks.conllu_writing import Text, given_back
from learnability.treebanks.sentence import ROOT, Sentence, Tree, trees_of


def nonprojective_arcs(heads: Sequence[int]) -> list[int]:
    """The dependents (1..n) of the non-projective arcs: not every word between h and d descends from h."""
    if is_projective(heads):
        return []
    below = _Descendants(heads)
    return [d for d, h in enumerate(heads, start=1) if not below.covers(h, d)]


class _Descendants:
    """Who descends from whom, in a tree that changes by lifting.

    The words stand in an order in which everyone's descendants follow him (`order`; `place` is its inverse),
    so many (`size`, himself among them): what descends from a word is a range of places.
    """

    def __init__(self, heads: Sequence[int]) -> None:
        self.heads = [0, *heads]
        self.dependents: list[set[int]] = [set() for _ in self.heads]
        for d, h in enumerate(heads, start=1):
            self.dependents[h].add(d)
        order, waiting = [], [0]
        while waiting:
            order.append(waiting.pop())
            waiting += self.dependents[order[-1]]
        self.order, self.place = np.array(order), np.argsort(order)
        self.size = [1] * len(self.heads)
        for d in reversed(order[1:]):
            self.size[self.heads[d]] += self.size[d]

    def covers(self, h: int, d: int) -> bool:
        """Whether all words between h and d descend from h."""
        between = self.place[min(h, d) + 1 : max(h, d)]
        first = self.place[h]
        return not len(between) or bool(between.min() > first and between.max() < first + self.size[h])

    def lift(self, d: int) -> None:
        """Hang d on the head of its head: its descendants come after all others of the old head."""
        h = self.heads[d]
        start, end = int(self.place[d]), int(self.place[h]) + self.size[h]
        self.order[start:end] = np.roll(self.order[start:end], -self.size[d])
        self.place[self.order[start:end]] = np.arange(start, end)
        self.size[h] -= self.size[d]
        self.heads[d] = self.heads[h]
        self.dependents[h].remove(d)
        self.dependents[self.heads[d]].add(d)


def is_projective(tree: Tree | Sentence | Sequence[int]) -> bool:
    """Whether a tree (a sentence, or its heads) is projective, in O(n): no two arcs cross, and no arc covers
    the root word.

    A left-to-right pass keeps the arcs that are still open on a stack: in a projective tree an arc
    that closes is the innermost open one.
    """
    heads = trees_of(tree)[0].heads if isinstance(tree, Tree | Sentence) else tree
    n = len(heads)
    closing: list[list[int]] = [[] for _ in range(n + 1)]
    opening: list[list[int]] = [[] for _ in range(n + 1)]
    for d, h in enumerate(heads, start=1):
        left, right = (h, d) if h < d else (d, h)
        opening[left].append(right)
        closing[right].append(left)
    open_ends: list[int] = []
    for i in range(n + 1):
        for _ in closing[i]:
            if open_ends.pop() != i:
                return False
        open_ends.extend(sorted(opening[i], reverse=True))
    return True


def projectivized(heads: Sequence[int]) -> tuple[int, ...]:
    """The tree made projective by lifting, as little as possible (Nivre & Nilsson 2005, section 2).

    While there is a non-projective arc, the dependent of the shortest (the leftmost of equals) moves to the
    head of its head. Arcs from the root and an only root word are projective: that word stays alone.
    """
    below = _Descendants(heads)
    lifted = below.heads
    arcs = [(abs(d - lifted[d]), min(d, lifted[d]), d) for d in nonprojective_arcs(heads)]
    heapq.heapify(arcs)
    while arcs:
        length, left, d = heapq.heappop(arcs)
        h = lifted[d]
        if (length, left) != (abs(d - h), min(d, h)) or below.covers(h, d):
            continue  # lifted since then
        below.lift(d)
        # only h has lost descendants
        for other in (d, *below.dependents[h]):
            if not below.covers(lifted[other], other):
                heapq.heappush(arcs, (abs(other - lifted[other]), min(other, lifted[other]), other))
    return tuple(lifted[1:])


@overload
def lift(trees: Text) -> Text: ...


@overload
def lift(trees: Iterable[Text]) -> list[Text]: ...


def lift(trees: Any) -> Any:
    """Trees (or sentences, or one of them) made projective by lifting; labels stay. All can be derived, every
    cost is exact."""
    if not isinstance(trees, Tree | Sentence):
        return [lift(tree) for tree in trees]
    (tree,) = trees_of(trees)
    if all(map(is_projective, (tree.heads, *heads_of_annotations(tree)))):
        return trees
    heads = projectivized(tree.heads)
    lifted = with_heads_of_annotations(
        tree.with_heads(heads), lambda other: lifted_alike(tree.heads, heads, other)
    )
    return given_back(trees, lifted) if isinstance(trees, Sentence) else lifted


def lifted_alike(before: Sequence[int], after: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """The heads of another annotation, made projective as those of `before` were, which gave `after`.

    Where a token was lifted from its head to another, in the other annotation the arc below that head that
    leads to the token (mostly its own) is lifted to the same one, if that leaves a tree; what is still not
    projective is lifted by itself. So two annotations differ in what their authors decided, and not in how
    two trees happen to be lifted.
    """
    shared = list(other)
    for token, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        above = token
        while old != new and other[above - 1] not in (old, ROOT):
            above = other[above - 1]
        if old != new and other[above - 1] == old:
            shared[above - 1] = new
    return projectivized(other if find_cycle(shared) else shared)


def drop(trees: Sequence[Tree]) -> list[Tree]:
    """The projective ones among the training trees (in all their annotations): every cost is exact;
    what is left out teaches nothing."""
    return [t for t in trees if all(map(is_projective, (t.heads, *heads_of_annotations(t))))]


def keep(trees: Sequence[Tree]) -> list[Tree]:
    """The training trees as they are; the parser is trained on the transitions of least cost.

    The costs are not exact: of two crossing arcs each may be reachable, but not both. Over all trees of four
    words 6 % of those of arc-eager are wrong (tests/parsing/test_oracles_exhaustive.py).
    """
    return list(trees)


TREATMENTS: dict[str, Callable[[Sequence[Tree]], list[Tree]]] = {"lift": lift, "drop": drop, "min-cost": keep}
"""What is done with non-projective training trees of a projective system, by its name on the command line."""

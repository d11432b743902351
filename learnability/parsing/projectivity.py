"""Test trees for projectivity, and lift arcs to make them projective (Nivre & Nilsson 2005, baseline)."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import numpy as np

from learnability.treebanks.conllu_writing import Text, with_tree
from learnability.treebanks.sentence import Sentence, Tree, trees_of


def nonprojective_arcs(heads: Sequence[int]) -> list[int]:
    """Return the dependents (1..n) of the non-projective arcs.

    The arc from h to d is non-projective if some word between the two does not descend from h.
    """
    if is_projective(heads):
        return []
    below = _Descendants(heads)
    return [d for d, h in enumerate(heads, start=1) if not below.covers(h, d)]


class _Descendants:
    """The descendants of each word in a tree that changes by lifting.

    `order` lists the words such that the descendants of every word follow it directly, and `place` is its
    inverse. `size` counts the descendants of a word, the word included. So the descendants are a range of
    places.
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
        """Return whether all words between h and d descend from h."""
        between = self.place[min(h, d) + 1 : max(h, d)]
        first = self.place[h]
        return not len(between) or bool(between.min() > first and between.max() < first + self.size[h])

    def lift(self, d: int) -> None:
        """Attach d to the head of its head and move its descendants behind all others of the old head."""
        h = self.heads[d]
        start, end = int(self.place[d]), int(self.place[h]) + self.size[h]
        self.order[start:end] = np.roll(self.order[start:end], -self.size[d])
        self.place[self.order[start:end]] = np.arange(start, end)
        self.size[h] -= self.size[d]
        self.heads[d] = self.heads[h]
        self.dependents[h].remove(d)
        self.dependents[self.heads[d]].add(d)


def count_lost_arcs(tree: Tree) -> int:
    """Return how many words have another head once the tree is lifted: about the arcs that a projective
    parser cannot build, up to a seventh more than the fewest (docs/rules.md)."""
    return sum(map(operator.ne, tree.heads, lift(tree).heads))


def is_projective(tree: Tree | Sentence | Sequence[int]) -> bool:
    """Return whether a tree is projective: no two arcs cross, and no arc covers the root word.

    The running time is O(n). A left-to-right pass keeps the open arcs on a stack: in a projective tree, an
    arc that closes is the innermost open arc.

    Args:
        tree: a tree, a sentence, or a sequence of heads (0: the root).
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


def projectivize(heads: Sequence[int]) -> tuple[int, ...]:
    """Return the heads of the tree made projective by lifting (Nivre & Nilsson 2005, section 2).

    While there is a non-projective arc, the dependent of the shortest (the leftmost of equals) moves to the
    head of its head. Arcs from the root and the only root word are projective, so a single root word stays
    single.
    """
    below = _Descendants(heads)
    lifted = below.heads
    arcs = [(abs(d - lifted[d]), min(d, lifted[d]), d) for d in nonprojective_arcs(heads)]
    heapq.heapify(arcs)
    while arcs:
        length, left, d = heapq.heappop(arcs)
        h = lifted[d]
        if (length, left) != (abs(d - h), min(d, h)) or below.covers(h, d):
            continue  # the arc was lifted after it entered the heap
        below.lift(d)
        # only h lost descendants, so only the arcs of its dependents and of d can have become non-projective
        for other in (d, *below.dependents[h]):
            if not below.covers(lifted[other], other):
                heapq.heappush(arcs, (abs(other - lifted[other]), min(other, lifted[other]), other))
    return tuple(lifted[1:])


@overload
def lift(trees: Text) -> Text: ...


@overload
def lift(trees: Iterable[Text]) -> list[Text]: ...


def lift(trees: Any) -> Any:
    """Make trees projective by lifting words to the heads of their heads; deprels stay.

    Every system can derive the result, and every cost is exact on it (Nivre & Nilsson 2005, baseline).

    Args:
        trees: a tree, a sentence, or an iterable of them.

    Returns:
        The projective tree or sentence, or a list; trees that were projective are returned unchanged.
    """
    if not isinstance(trees, Tree | Sentence):
        return [lift(tree) for tree in trees]
    (tree,) = trees_of(trees)
    if is_projective(tree.heads):
        return trees
    lifted = tree.with_heads(projectivize(tree.heads))
    return with_tree(trees, lifted) if isinstance(trees, Sentence) else lifted


def drop(trees: Sequence[Tree]) -> list[Tree]:
    """Return the training trees that are projective, so that every cost is exact."""
    return [tree for tree in trees if is_projective(tree.heads)]


TREATMENTS: dict[str, Callable[[Sequence[Tree]], list[Tree]]] = {"lift": lift, "drop": drop}
"""The treatments of non-projective training trees for projective systems, by name on the command line."""

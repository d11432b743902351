"""Projectivity, and the lifting that makes a tree projective (Nivre & Nilsson 2005, baseline)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from learnability.treebanks.conllu_writing import Text, given_back
from learnability.treebanks.sentence import Sentence, Tree, trees_of


def nonprojective_arcs(heads: Sequence[int]) -> list[int]:
    """The dependents (1..n) of the non-projective arcs: not every word between h and d descends from h."""
    parent = [0, *heads]
    dependents = []
    for d, h in enumerate(heads, start=1):
        for word in range(min(h, d) + 1, max(h, d)):
            while word not in (h, 0):
                word = parent[word]
            if word != h:
                dependents.append(d)
                break
    return dependents


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
    lifted = list(heads)
    while not is_projective(lifted):
        arcs = nonprojective_arcs(lifted)
        shortest = min(arcs, key=lambda d: (abs(d - lifted[d - 1]), min(d, lifted[d - 1])))
        lifted[shortest - 1] = lifted[lifted[shortest - 1] - 1]
    return tuple(lifted)


@overload
def lift(trees: Text) -> Text: ...


@overload
def lift(trees: Iterable[Text]) -> list[Text]: ...


def lift(trees: Any) -> Any:
    """Trees (or sentences, or one of them) made projective by lifting; labels stay. All can be derived, every
    cost is exact."""
    if not isinstance(trees, Tree | Sentence):
        return [lift(tree) for tree in trees]
    if is_projective(trees):
        return trees
    (tree,) = trees_of(trees)
    lifted = tree.with_heads(projectivized(tree.heads))
    return given_back(trees, lifted) if isinstance(trees, Sentence) else lifted


def drop(trees: Sequence[Tree]) -> list[Tree]:
    """The projective ones among the training trees: every cost is exact; what is left out teaches nothing."""
    return [t for t in trees if is_projective(t.heads)]


def keep(trees: Sequence[Tree]) -> list[Tree]:
    """The training trees as they are; the parser is trained on the transitions of least cost.

    The costs are not exact: of two crossing arcs each may be reachable, but not both. Over all trees of four
    words 6 % of those of arc-eager are wrong (tests/parsing/test_oracles_exhaustive.py).
    """
    return list(trees)


TREATMENTS: dict[str, Callable[[Sequence[Tree]], list[Tree]]] = {"lift": lift, "drop": drop, "min-cost": keep}
"""What is done with non-projective training trees of a projective system, by its name on the command line."""

"""Represent a tree while it is converted back to UD: the one structure that every inverse changes."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable

from learnability.treebanks.labels import CONJ, complement_of, universal
from learnability.treebanks.sentence import ROOT, Tree

IsLabel = Callable[[str], bool]
"""Whether a deprel is one of some kind."""

Tokens = frozenset[int] | None
"""Some tokens of a tree; None for all."""


class DraftTree:
    """Hold the heads, deprels and ordered children of a tree under reconstruction; index 0 is the root.

    `places` are the tokens of the places to undo; None if unknown: then every place that looks transformed.
    `root_labels` are the tokens that have the labels which the root words had at first.
    """

    def __init__(self, tree: Tree, places: Tokens = None) -> None:
        self.tree, self.places = tree, places
        self.heads = [ROOT, *tree.heads]
        self.deprels = ["", *tree.deprels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(tree.heads, start=1):
            self.children[head].append(token)
        self.root_labels = self.children[ROOT][:]

    def attach(self, token: int, head: int) -> None:
        """Make `head` the head of `token`."""
        self.children[self.heads[token]].remove(token)
        self.heads[token] = head
        insort(self.children[head], token)

    def replace(self, top: int, token: int, others: Iterable[int] = ()) -> None:
        """Put `token` in the place of `top`, and make it the head of `top` and of `others`."""
        self.attach(token, self.heads[top])
        for child in (top, *others):
            self.attach(child, token)

    def swap_labels(self, first: int, second: int) -> None:
        """Exchange the deprels of two tokens."""
        self.deprels[first], self.deprels[second] = self.deprels[second], self.deprels[first]
        other = {first: second, second: first}
        self.root_labels = [other.get(token, token) for token in self.root_labels]

    def restore_labels(self, key: int, complement: int) -> None:
        """Give `key` the label that its complement names, and the complement the label that `key` took."""
        label = complement_of(self.deprels[complement])
        self.swap_labels(key, complement)
        self.deprels[key] = label

    def deepest_first(self) -> list[int]:
        """Return all tokens, every token before its head."""
        order = list(self.children[ROOT])
        for token in order:
            order.extend(self.children[token])
        return order[::-1]

    def sides(self, head: int) -> tuple[list[int], list[int]]:
        """Return the children of `head` left and right of it."""
        children = self.children[head]
        return [child for child in children if child < head], [child for child in children if child > head]

    def complements(self, head: int, is_place: IsLabel) -> list[int]:
        """Return the children of `head` whose place a place with such a label has taken."""
        return [child for child in self.children[head] if is_place(complement_of(self.deprels[child]))]

    def is_conj(self, token: int) -> bool:
        return universal(self.deprels[token]) in CONJ

    def finish_tree(self) -> Tree:
        """Return the reconstructed tree; its root words have the labels that the root words had at first."""
        for token in self.root_labels:
            if self.heads[token] != ROOT:
                # the root word moved without its label, or the label without the root word
                roots = (root for root in self.children[ROOT] if root not in self.root_labels)
                self.swap_labels(token, next(roots))
        return self.tree.with_heads(self.heads[1:], self.deprels[1:])

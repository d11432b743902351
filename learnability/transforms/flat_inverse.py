"""Back from chains and promoted members to flat UD groups (rule 2.7).

Deprels stay on their tokens, so a coordination or an expression is found by its labels. What a tree does
not tell is whether a dependent between two members was its head's own: decided by its relation.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from itertools import pairwise

from learnability.transforms.inverse import IsSite, SidePreferences
from learnability.treebanks.labels import (
    CASE,
    CC,
    CONJ,
    MARK,
    PUNCT,
    is_coordinator,
    universal,
)
from learnability.treebanks.sentence import ROOT, Tree

Wanted = Callable[[int], bool]

Tokens = frozenset[int] | None

_NO_CONJUNCTS = PUNCT | CASE | MARK | CC
"""Relations that a first conjunct rarely bears."""


def chooser(chosen: Tokens, admitted: Tokens = None) -> Wanted:
    """Whether a token is among the `chosen` ones (where None: the `admitted`); always where both are."""
    tokens = admitted if chosen is None else chosen
    return (lambda token: True) if tokens is None else tokens.__contains__


class Draft:
    """The heads, deprels and ordered children of a tree under reconstruction; index 0 is the root."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.heads = [ROOT, *tree.heads]
        self.deprels = ["", *tree.deprels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(tree.heads, start=1):
            self.children[head].append(token)

    def attach(self, token: int, head: int) -> None:
        """Make `head` the head of `token`."""
        self.children[self.heads[token]].remove(token)
        self.heads[token] = head
        insort(self.children[head], token)

    def swap(self, one: int, other: int) -> None:
        """Exchange the deprels of two tokens."""
        self.deprels[one], self.deprels[other] = self.deprels[other], self.deprels[one]

    def deepest_first(self) -> list[int]:
        """All tokens, every token before its head."""
        order = list(self.children[ROOT])
        for token in order:
            order.extend(self.children[token])
        return order[::-1]

    def done(self) -> Tree:
        """The reconstructed tree."""
        return self.tree.with_heads(self.heads[1:], self.deprels[1:])

    def is_conj(self, token: int) -> bool:
        """Whether `token` is a further conjunct."""
        return universal(self.deprels[token]) in CONJ


def flatten_chains(
    tree: Tree,
    is_member: IsSite,
    chosen: Tokens,
    admitted: Tokens,
    preferences: SidePreferences | None = None,
) -> Tree:
    """Attach the members of a chain that runs away from its first word to that word.

    Only `chosen` members move; where None, all that look like it and are `admitted`, except where by the
    `preferences` UD chains the words itself. What stands between a member and the one before goes with it,
    except what the latter holds with words of its own.
    """
    draft = Draft(tree)
    for before in reversed(draft.deepest_first()):
        inner, member = _last_link(draft, before, is_member, chosen)
        if not member or (chosen is None and admitted is not None and member not in admitted):
            continue
        doubtful = chosen is None and inner == before
        if doubtful and preferences and preferences.chains(draft.deprels[member], member > before):
            continue
        low, high = sorted((inner, member))
        for child in list(draft.children[before]):
            if low < child < high or child == member:
                draft.attach(child, draft.heads[before])
    return draft.done()


def _last_link(draft: Draft, before: int, is_member: IsSite, chosen: Tokens) -> tuple[int, int]:
    """The member below the member `before` that the chain may have put there, and what stands next to it on
    the inner side: `before` itself or a member of its own; (0, 0) without such.

    That is the outermost (chosen) one: a chain adds one member at most, and in a projective tree beyond all
    of the word's own.
    """
    head = draft.heads[before]
    if head == ROOT or not is_member(draft.deprels[before]):
        return 0, 0
    children = draft.children[before] if before > head else draft.children[before][::-1]
    outer = [c for c in children if (c > before) == (before > head) and is_member(draft.deprels[c])]
    for inner, member in reversed([*pairwise((before, *outer))]):
        if chosen is None or member in chosen:
            return inner, member
    return 0, 0


def flatten_last_heads(tree: Tree, is_member: IsSite, wanted: Wanted) -> Tree:
    """Give the place of a promoted last word back to the leftmost word of its expression."""
    draft = Draft(tree)
    for root in draft.children[ROOT]:
        left = [child for child in draft.children[root] if child < root]
        # A promoted word that hangs on the root bears the same label, but it has its first word on its left.
        alike = bool(left) and tree.upos[root - 1] == tree.upos[left[0] - 1]
        if alike and is_member(draft.deprels[left[0]]) and not draft.children[left[0]] and wanted(root):
            draft.swap(root, left[0])
    for key in draft.deepest_first():
        left = [child for child in draft.children[key] if child < key]
        if not is_member(draft.deprels[key]) or not left or not wanted(key):
            continue
        first = left[0]
        if is_member(draft.deprels[first]) and draft.heads[key] < key:
            continue
        others = [child for child in draft.children[key] if child > key or is_member(draft.deprels[child])]
        draft.attach(first, draft.heads[key])
        draft.attach(key, first)
        for child in others:
            if child != first:
                draft.attach(child, first)
    return draft.done()


def flatten_prague(
    tree: Tree, version: int, wanted: Wanted, preferences: SidePreferences, mirrored: bool
) -> Tree:
    """Give the place of a promoted coordinator back to the first conjunct, C1.

    C1 is the leftmost child of the coordinator; where `mirrored` (:func:`leans_left`), or where nothing
    stands before the conjuncts, the rightmost. The coordinator and what precedes a conjunct go to that
    conjunct in version 2, all the rest to C1.
    """
    draft = Draft(tree)
    for key in draft.deepest_first():
        if not wanted(key) or not any(map(draft.is_conj, draft.children[key])):
            continue
        if draft.heads[key] == ROOT and not is_coordinator(draft.deprels[key]):
            _restore_root_label(draft, key, preferences)
        if is_coordinator(draft.deprels[key]):
            demote(draft, key, _first_conjunct(draft, key, mirrored), version)
    return draft.done()


def _restore_root_label(draft: Draft, root: int, preferences: SidePreferences) -> None:
    """Give the root label back to the first conjunct, where it bears the coordinator's label."""
    children = draft.children[root]
    for first in (children[0], children[-1], *children):
        if is_coordinator(draft.deprels[first]) and preferences.function_odds(
            draft.tree, root
        ) >= preferences.function_odds(draft.tree, first):
            draft.swap(root, first)
            return


def _ends(draft: Draft, key: int) -> tuple[list[int], list[int]]:
    """What may be C1 among the children of a promoted coordinator: those before and after all conjuncts.

    Function words and punctuation are the coordinator's own, or shared, rather than conjuncts.
    """
    children = draft.children[key]
    conjuncts = [child for child in children if draft.is_conj(child)]
    plain = [child for child in children if universal(draft.deprels[child]) not in _NO_CONJUNCTS]
    return (
        [child for child in plain if child < conjuncts[0]],
        [child for child in plain if child > conjuncts[-1]],
    )


def leans_left(trees: Iterable[Tree]) -> bool:
    """Whether in most promoted coordinations the conjuncts stand left of C1 (some v1 treebanks)."""
    balance = 0
    for tree in trees:
        draft = Draft(tree)
        for key, deprel in enumerate(tree.deprels, start=1):
            if is_coordinator(deprel) and any(map(draft.is_conj, draft.children[key])):
                before, after = _ends(draft, key)
                balance += bool(after and not before) - bool(before and not after)
    return balance > 0


def _first_conjunct(draft: Draft, key: int, mirrored: bool) -> int:
    before, after = _ends(draft, key)
    if after and (mirrored or not before) and not is_coordinator(draft.deprels[draft.heads[key]]):
        return after[-1]
    return before[0] if before else draft.children[key][0]


def demote(draft: Draft, key: int, first: int, version: int) -> None:
    """Give the place of the coordinator `key` to the first conjunct, and both their dependents to whom they
    belong in this UD version.
    """
    children = [child for child in draft.children[key] if child != first]
    conjuncts = [child for child in children if draft.is_conj(child)]
    draft.attach(first, draft.heads[key])
    for child in [*children, key]:
        label = universal(draft.deprels[child])
        # In version 2 what precedes a conjunct is the conjunct's. What lies left of the coordinator and
        # of all conjuncts has come from the right. All else came from C1, as all does in version 1.
        following = next((c for c in conjuncts if c > max(child, key if child < key else 0)), first)
        from_right = child == key or label in PUNCT or label in CC or child < min((key, *conjuncts))
        goes_right = version != 1 and from_right and not draft.is_conj(child)
        draft.attach(child, following if goes_right else first)


def flatten_moscow(tree: Tree, version: int, wanted: Wanted) -> Tree:
    """Attach the conjuncts of chains through coordinators to their first conjunct."""
    draft = Draft(tree)
    for token in range(1, len(draft.heads)):
        if not draft.is_conj(token):
            continue
        above = tree.heads[token - 1]
        if not above or not is_coordinator(draft.deprels[above]) or not wanted(above):
            continue
        first = tree.heads[above - 1]
        outward = token > above
        while first and draft.is_conj(first) and (tree.heads[first - 1] < first) == outward:
            first = tree.heads[first - 1]
            if first and is_coordinator(draft.deprels[first]):
                first = tree.heads[first - 1]
        if not first:
            continue
        link = conjunct = token
        while link != first:
            before = tree.heads[link - 1]
            if draft.is_conj(link):
                conjunct = link
            target = first if version == 1 else conjunct
            draft.attach(link, first if link == conjunct else target)
            _free_punctuation(draft, before, link, target)
            link = before
    return draft.done()


def _free_punctuation(draft: Draft, before: int, conjunct: int, head: int) -> None:
    low, high = sorted((before, conjunct))
    for child in list(draft.children[before]):
        if low < child < high and universal(draft.deprels[child]) in PUNCT:
            draft.attach(child, head)

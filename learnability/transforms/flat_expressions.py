"""Make flat expressions chains (docs/rules.md, Flat expressions), and undo it.

UD attaches every further word of a fixed expression or a name to one word H of it; the chain attaches each
word to its neighbour. On either side of H, with m1, m2, ... ordered outwards from H::

    UD     H -> m1, H -> m2, H -> m3
    chain  H -> m1 -> m2 -> m3

Places are m2, m3, ...: selecting m1 would change nothing. Another dependent of H strictly between m_{j-1} and
a selected m_j moves to m_{j-1}, which keeps projectivity.

Deprels stay on their tokens, so an expression is found again by its labels. A transformed tree does not show
whether UD itself has a chain where one word stands beyond another. What UD trees do with the relation
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from learnability.transforms.base import Family, Promises, Rule, groups_outwards
from learnability.transforms.draft_tree import DraftTree, IsLabel
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences
from learnability.treebanks.sentence import ROOT, Tree


class _ChainPlace(NamedTuple):
    """A member `token` of a chain, the member `before` it, the `head`, and the tokens `caught` between."""

    transform: str
    before: int
    token: int
    head: int
    caught: tuple[int, ...]


class _ChainLayer(Layer):
    """Attaches every selected chain member to the member before it."""

    def __init__(self, places: Sequence[_ChainPlace]) -> None:
        self.before = {place.token: place.before for place in places}
        self.caught: dict[int, list[_ChainPlace]] = {}
        for place in places:
            for token in place.caught:
                self.caught.setdefault(token, []).append(place)
        self.region = tuple(sorted({*self.before, *self.caught}))

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        if token in self.before:
            return self.before[token] if selected(token) else base(token)
        above = base(token)
        caught = (s.before for s in self.caught[token] if s.head == above and selected(s.token))
        return next(caught, above)


def chain_places(plan: Plan, transform: str, members: Sequence[int]) -> list[_ChainPlace]:
    """Return the places of the flat expressions whose further words are `members` (in increasing order)."""
    places = []
    for (head, _), group in groups_outwards(plan.tree, members).items():
        for before, token in pairwise(group):
            low, high = sorted((before, token))
            caught = tuple(d for d in range(low + 1, high) if head in plan.possible_heads(d))
            places.append(_ChainPlace(transform, before, token, head, caught))
    return places


def doubtful_links(tree: Tree, members: Sequence[int]) -> list[tuple[int, bool]]:
    """Return further words of flat expressions for which a chain is ambiguous, and whether UD chains them.

    Beyond another word stands its child or its sibling. Only if both are there, the chain tells them apart.
    """
    links = []
    groups = groups_outwards(tree, members)
    for (_, right), group in groups.items():
        for before, sibling in zip_longest(group, group[1:]):
            children = groups.get((before, right))
            if children and not sibling:
                links.append((children[0], True))
            elif sibling and not children:
                links.append((sibling, False))
    return links


class _ChainFamily(Family["FlatExpressions"]):
    """Chains of different labels on one word share a layer; interleaved ones cannot both be chained."""

    rank = 10
    learns = True

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        kept: list[_ChainPlace] = []
        for rule in self.rules:
            fixed = {token for place in kept for token in (place.before, place.token)}
            moved = {token for place in kept for token in place.caught}
            for place in chain_places(plan, rule.name, rule.candidates(plan.tree)):
                if not reserved.isdisjoint(place.caught):
                    plan.skipped[f"{rule.name}: chain around a coordination"] += 1
                elif not fixed.isdisjoint(place.caught) or not moved.isdisjoint((place.before, place.token)):
                    plan.skipped[f"{rule.name}: chain interleaved with another"] += 1
                else:
                    kept.append(place)
        if kept:
            plan.add(_ChainLayer(kept), (Place(place.token, place.transform) for place in kept))

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        learned = SidePreferences()
        for tree in trees:
            for rule in self.rules:
                is_wanted = rule.choose_undone(DraftTree(tree))
                for token, chained in doubtful_links(tree, rule.candidates(tree)):
                    if is_wanted(token):
                        right = token > tree.heads[token - 1]
                        learned.see_link(tree.deprels[token - 1], right, chained)
        return learned

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        for draft in drafts:
            for rule in reversed(self.rules):
                _flatten_chains(draft, rule, known)


def _flatten_chains(draft: DraftTree, rule: FlatExpressions, preferences: SidePreferences | None) -> None:
    """Attach the members of a chain that leads away from its first word to that word.

    If the places are unknown, this concerns all members that look like one, except those that UD itself
    chains according to the `preferences`. Words between a member and the one before move with it, except
    those that hang on it with words beyond.
    """
    is_wanted = rule.choose_undone(draft)
    for before in reversed(draft.deepest_first()):
        inner, member = _last_link(draft, before, rule.matches)
        if not member or not is_wanted(member):
            continue
        doubtful = draft.places is None and inner == before
        if doubtful and preferences and preferences.chains(draft.deprels[member], member > before):
            continue
        low, high = sorted((inner, member))
        for child in list(draft.children[before]):
            if low < child < high or child == member:
                draft.attach(child, draft.heads[before])


def _last_link(draft: DraftTree, before: int, is_member: IsLabel) -> tuple[int, int]:
    """Return the member below the member `before` that the chain may have put there, and its inner neighbour.

    It is the outermost member (or known place): a chain adds at most one member, in a projective tree beyond
    all dependents that the word has in UD. The pair is (neighbour, member), or (0, 0).
    """
    head = draft.heads[before]
    if head == ROOT or not is_member(draft.deprels[before]):
        return 0, 0
    left, right = draft.sides(before)
    outer = [child for child in (right if before > head else left[::-1]) if is_member(draft.deprels[child])]
    for inner, member in reversed([*pairwise((before, *outer))]):
        if draft.places is None or member in draft.places:
            return inner, member
    return 0, 0


class FlatExpressions(Rule):
    """Represent a rule that makes flat expressions of one kind chains."""

    promises = Promises(invertible=(0.84, 0.99))  # v1 treebanks contain chains already
    family = _ChainFamily

"""Promote one member of a flat group: it takes the place of the first word and heads all the others.

Two constructions share it: Prague-style coordination, which promotes the coordinator (docs/rules.md,
Coordination), and coordination with another conjunct as head (Conjuncts as heads)::

    UD        g -> C1, C1 -> C2, C1 -> C3, (C1 or C3) -> K
    promoted  g -> K, K -> C1, K -> C2, K -> C3

Another dependent d of a member C moves to K if K or another member is strictly between C and d. What lies
left of C1 stays with C1, and what lies beyond the group goes to K. This keeps projectivity without knowing
which dependents are shared, which basic UD does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from learnability.transforms.draft_tree import DraftTree, IsLabel
from learnability.transforms.plan import Heads, Labels, Layer, Place, Plan, Selected
from learnability.treebanks.labels import COMPLEMENT


class Promotion(NamedTuple):
    """Represent a place: `key` is promoted over `first` (the head in UD) and the other `members`.

    If `along` is not 0, it is a dependent of `first`; it and those beyond it move to the key.
    """

    transform: str
    first: int
    key: int
    members: Sequence[int]
    along: int = 0

    def separates(self, member: int, dependent: int) -> bool:
        """Return whether `dependent` moves to the key: a word of the group lies between, or it moves
        along."""
        low, high = sorted((member, dependent))
        beyond = member < self.along <= dependent or dependent <= self.along < member
        return (beyond and member == self.first) or any(
            low < mark < high for mark in (self.first, self.key, *self.members)
        )


class _PromotionLayer(Layer):
    """Promotes the key of every selected place.

    Every token must belong to one place in each role, and the members and keys must have their UD heads in
    the layer below.
    """

    def __init__(self, plan: Plan, places: Sequence[Promotion]) -> None:
        self.by_first = {place.first: place for place in places}
        self.by_key = {place.key: place for place in places}
        self.by_member = {member: place for place in places for member in place.members}
        self.stand_ins = {place.first: (place.key,) for place in places}
        self.deprels = plan.tree.deprels
        inside = self.by_first.keys() | self.by_member.keys()
        self.region = plan.around(inside | self.by_key.keys(), inside)

    def _find_replaced(self, word: int, selected: Selected) -> int:
        """Return the word in whose place `word` stands; `word` itself if it is not promoted."""
        while (place := self.by_key.get(word)) is not None and selected(word):
            word = place.first
        return word

    def _top(self, key: int, selected: Selected) -> int:
        """Return the word in the place of the promoted `key`: itself if no other is promoted over it."""
        while (place := self.by_first.get(key)) is not None and selected(place.key):
            key = place.key
        return key

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        place = self.by_first.get(token)
        if place is not None and selected(place.key):
            return self._top(place.key, selected)
        word = self._find_replaced(token, selected)
        place = self.by_member.get(word)
        if place is not None and selected(place.key):
            return self._top(place.key, selected)
        above = base(word)
        # The outer group first: what lies beyond one of its members is outside both.
        for table in (self.by_member, self.by_first):
            place = table.get(above)
            if place is not None and place.separates(above, word) and selected(place.key):
                return self._top(place.key, selected)
        return above

    def relation(self, token: int, selected: Selected, base: Heads, below: Labels) -> str:
        """Return the deprel of `token` with external labels.

        The key takes the relation of its first member, which takes ``comp:<label of the key>``.
        """
        place = self.by_first.get(token)
        if place is not None and selected(place.key):
            return COMPLEMENT + self.deprels[place.key - 1]
        return below(self._find_replaced(token, selected))


def add_promotions(plan: Plan, promotions: Sequence[Promotion]) -> None:
    if promotions:
        plan.add(
            _PromotionLayer(plan, promotions), (Place(place.key, place.transform) for place in promotions)
        )


def first_by_label(draft: DraftTree, key: int, is_place: IsLabel) -> int:
    """Return the nearest word that external labels call the first of the group of `key`, or 0; restore both
    labels."""
    if first := min(draft.complements(key, is_place), key=lambda word: abs(word - key), default=0):
        draft.restore_labels(key, first)
    return first

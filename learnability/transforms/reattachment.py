"""Attach words to another word near them in the tree or the sentence (docs/rules.md, Reattached words).

A place is a word with one of the labels. It moves to

- the head of its head (``grandparent``), or the word that heads the sentence (``root``): words above it, so
  the result is a tree whatever else moves;
- another word: the nearest dependent of its head on its left or right (``left-sibling``, ``right-sibling``),
  the word before or after it (``left-word``, ``right-word``). Such a place is dropped if the new head, or a
  word above it, is itself a place. So the way from every new head to the root stays as it is.

The layer comes after all others. Where they put a place above the new head of a word, the word stays.
A restriction holds before places are dropped: words that it does not admit count as words that stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from learnability.transforms.base import Family, Promises, Rule
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences
from learnability.treebanks.sentence import ROOT

GRANDPARENT, TOP = "grandparent", "root"
LEFT_SIBLING, RIGHT_SIBLING, LEFT_WORD, RIGHT_WORD = (
    "left-sibling",
    "right-sibling",
    "left-word",
    "right-word",
)
TARGETS = (GRANDPARENT, TOP, LEFT_SIBLING, RIGHT_SIBLING, LEFT_WORD, RIGHT_WORD)
"""Where a word may move to; words above it come first."""

ABOVE = (GRANDPARENT, TOP)
"""The new heads that are above the word whatever the tree looks like."""


def target_of(heads: Sequence[int], token: int, to: str) -> int:
    """Return the new head of a word; 0 if there is none."""
    head = heads[token]
    if head == ROOT:
        return ROOT
    match to:
        case "grandparent":
            return heads[head]
        case "root":
            while heads[head] != ROOT:
                head = heads[head]
            return head
        case "left-word":
            return token - 1
        case "right-word":
            return token + 1 if token + 1 < len(heads) else ROOT
    step = -1 if to == LEFT_SIBLING else 1
    other = token + step
    while 0 < other < len(heads) and heads[other] != head:
        other += step
    return other if 0 < other < len(heads) else ROOT


class _ReattachmentLayer(Layer):
    """Attaches the words of the selected places to their new heads; `to` says where each of them goes."""

    def __init__(self, targets: Mapping[int, int], to: Mapping[int, str]) -> None:
        self.targets, self.to = targets, to
        self.region = tuple(sorted(targets))

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        old = base(token)
        if not selected(token) or old == ROOT:
            return old
        match self.to[token]:
            case "grandparent":
                return base(old) or old
            case "root":
                while above := base(old):
                    old = above
                return old
        word = target = self.targets[token]
        while word != ROOT:
            if word in self.targets:
                return old
            word = base(word)
        return target


class _ReattachmentFamily(Family["Reattachment"]):
    """The words move last; nothing in the new tree shows where they were."""

    rank = 50

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        heads = (ROOT, *plan.tree.heads)
        targets: dict[int, int] = {}
        rule_of: dict[int, Reattachment] = {}
        for rule in self.rules:
            for token in rule.candidates(plan.tree):
                target = target_of(heads, token, rule.option["to"])
                is_admitted = target not in (ROOT, heads[token]) and rule.admits(plan.tree, token)
                if is_admitted and token not in targets:
                    targets[token], rule_of[token] = target, rule
        for token, rule in list(rule_of.items()):
            if rule.option["to"] not in ABOVE and _is_below(heads, targets[token], rule_of):
                plan.skipped[f"{rule.name}: new head below a word that moves"] += 1
                del targets[token]
        if targets:
            layer = _ReattachmentLayer(targets, {token: rule_of[token].option["to"] for token in targets})
            plan.add(layer, (Place(token, rule_of[token].name) for token in targets))

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        """Leave the drafts as they are."""


def _is_below(heads: Sequence[int], word: int, places: Mapping[int, Rule]) -> bool:
    while word != ROOT and word not in places:
        word = heads[word]
    return word != ROOT


class Reattachment(Rule):
    """Attach the words with a label in `labels` to another word, as the option `to` says."""

    options: ClassVar = {"to": TARGETS}
    promises = Promises(projective=False, distinct_together=False, invertible=(0.0, 0.0))
    family = _ReattachmentFamily
    moves_within_phrases = False

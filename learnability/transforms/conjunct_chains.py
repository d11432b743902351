"""Make coordinations chains, each conjunct on the one before (docs/transformations/sud.md), and undo it.

UD attaches the conjuncts C2..Cn to C1. Here each hangs on the conjunct before it, and a dependent of C1 that
stands behind some conjuncts hangs on the last of these: what follows a coordination may belong to all of it,
and a chain can only show that at its end. A coordinator or, in version 1 of UD, a mark of C1 that stands
before another conjunct goes to that one. Words on the left of C1 stay there. What is not part of the
coordination stays, too, if it follows the last conjunct: parataxis, discourse, and brackets that close what
another one on the left of C1 opens.

A projective tree stays projective. So what follows a word that stays also stays, and a coordinator goes to
the next conjunct only if every dependent of C1 between the two does so.

Layers below may give C1 other dependents (marks, a coordinator in the place of a word), or take some away.
All of this concerns the dependents that C1 has there, not those in UD.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import ClassVar

from learnability.transforms.base import Family, Promises, Rule, groups_outwards
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.lifting import is_pair
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected, TooEntangled
from learnability.transforms.preferences import SidePreferences, find_words_of_first
from learnability.treebanks.labels import CONJ, PUNCT, is_coordinator, labels, universal
from learnability.treebanks.sentence import ROOT, Tree

_OF_SPEECH = labels("discourse", "parataxis")
"""Relations of what is not part of the coordination."""


class _Chain:
    """A coordination whose conjuncts are right of the first one, and the words that may hang on the first.

    Attributes:
        first: the first conjunct, the head of the others.
        conjuncts: the others, in increasing order.
        key: the last conjunct, which identifies the place.
        before, behind: the words left and right of the first conjunct that hang on it under some selection.
    """

    def __init__(
        self, rule: ConjunctChains, plan: Plan, conjuncts: Sequence[int], dependents: Sequence[int]
    ) -> None:
        self.first, self.conjuncts = plan.tree.heads[conjuncts[0] - 1], conjuncts
        self.key = conjuncts[-1]
        start = bisect(dependents, self.first)
        self.before, self.behind = dependents[:start], dependents[start:]
        self.forms = plan.tree.forms
        replaced = {key: token for token, keys in plan.stand_ins().items() for key in keys}
        names, version = plan.tree.deprels, rule.conventions.version
        relation_of = {token: names[_replaced_by(token, replaced) - 1] for token in self.behind}
        self.announcing = {token for token, name in relation_of.items() if _announces(name, version)}
        self.speaking = {token for token, name in relation_of.items() if universal(name) in _OF_SPEECH}

    def head(self, token: int, base: Heads) -> int:
        """Return the new head of a dependent of the first conjunct; `base` gives heads in the layer below."""
        position = bisect_left(self.conjuncts, token)
        before = self.conjuncts[position - 1] if position else self.first
        if position == len(self.conjuncts):
            behind = self.behind[bisect(self.behind, self.key) : bisect(self.behind, token)]
            return self.first if any(self._stays(t, base) for t in behind) else before
        following = self.conjuncts[position]
        between = self.behind[bisect_left(self.behind, token) : bisect_left(self.behind, following)]
        goes_on = token != following and all(
            t in self.announcing
            or base(t) != self.first  # what is before a word that stays would cross its arc
            for t in between
        )
        return following if goes_on else before

    def _stays(self, token: int, base: Heads) -> bool:
        if token not in self.speaking:
            opening = [t for t in self.before if is_pair(self.forms, t, token)]
            return any(base(t) == self.first for t in opening) and base(token) == self.first
        return base(token) == self.first

    def changes(self, base: Heads) -> bool:
        return any(base(t) == self.first != self.head(t, base) for t in reversed(self.behind))


def _replaced_by(key: int, replaced: Mapping[int, int]) -> int:
    while key in replaced:
        key = replaced[key]
    return key


class _ConjunctLayer(Layer):
    """Attaches the words of every selected coordination."""

    def __init__(self, chains: Sequence[_Chain]) -> None:
        self.chain_of = {chain.first: chain for chain in chains}
        self.region = tuple(sorted({token for chain in chains for token in chain.behind}))

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        above = base(token)
        chain = self.chain_of.get(above)
        moves = chain is not None and token > above and selected(chain.key)
        return chain.head(token, base) if chain and moves else above


def find_chains(plan: Plan, rule: ConjunctChains) -> list[_Chain]:
    """Return the coordinations with conjuncts on the right of the first one."""
    groups = groups_outwards(plan.tree, rule.candidates(plan.tree))
    dependents: dict[int, list[int]] = {first: [] for first, right in sorted(groups) if right}
    if not dependents:
        return []
    for token in range(1, len(plan.tree) + 1):
        for head in plan.possible_heads(token):
            if head in dependents:
                dependents[head].append(token)
    return [_Chain(rule, plan, groups[first, True], tokens) for first, tokens in dependents.items()]


def _announces(deprel: str, version: int) -> bool:
    """Return whether a word before a conjunct belongs to it, though UD attaches it to the first one."""
    return is_coordinator(deprel) or (version == 1 and universal(deprel) in PUNCT)


class _ConjunctChainFamily(Family["ConjunctChains"]):
    """Coordinations as chains; those that ``cc`` or ``conj`` change are left to these."""

    rank = 27
    learns = True

    def reserve(self, tree: Tree) -> frozenset[int]:
        """Return the conjuncts: their UD heads tell what is coordinated."""
        return frozenset(token for rule in self.rules for token in rule.candidates(tree))

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        kept = []
        ud = (ROOT, *plan.tree.heads).__getitem__
        for chain in find_chains(plan, self.rule):
            if any(plan.possible_heads(token) != (chain.first,) for token in chain.conjuncts):
                if chain.changes(ud):
                    plan.skipped[f"{self.rule.name}: coordination changed by another construction"] += 1
            elif _may_change(chain, plan):
                kept.append(chain)
        if kept:
            plan.add(_ConjunctLayer(kept), [Place(chain.key, self.rule.name) for chain in kept])

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        rule, learned = self.rule, SidePreferences()
        for tree in trees:
            children = DraftTree(tree).children
            for (first, right), conjuncts in groups_outwards(tree, rule.candidates(tree)).items():
                if right:
                    last = conjuncts[-1]
                    for head in (first, last):
                        for child in children[head]:
                            if child > last:
                                value = rule.name, universal(tree.deprels[child - 1])
                                learned.see_choice([value], chosen=head == first)
        return learned

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        rule, known = self.rule, known or SidePreferences()
        has_moved_marks = any(part.matches("punct") for part in self.whole)
        for draft in drafts:
            _flatten(draft, rule, known, has_moved_marks=has_moved_marks)


def _may_change(chain: _Chain, plan: Plan) -> bool:
    try:
        return any(changes for _, changes in plan.outcomes(chain.changes))
    except TooEntangled:
        return True


def _flatten(
    draft: DraftTree, rule: ConjunctChains, known: SidePreferences, *, has_moved_marks: bool
) -> None:
    """Attach the conjuncts of every chain to its first one, with what behind the last belongs to it.

    A chain does not show nested coordinations: all count as one. With `has_moved_marks` a layer below has
    moved marks, mostly up to the first conjunct, so those between two conjuncts go there, too.
    """
    is_wanted = rule.choose_undone(draft)
    for first in reversed(draft.deepest_first()):
        if draft.heads[first] != ROOT and _is_link(draft, first, rule):
            continue
        chain = [first]
        for conjunct in chain:
            right = [c for c in draft.children[conjunct] if c > conjunct and rule.matches(draft.deprels[c])]
            chain += right[-1:]
        if len(chain) == 1 or not is_wanted(chain[-1]):
            continue
        last = chain[-1]
        behind = [child for child in draft.children[last] if child > last]
        announced: list[int] = []
        if rule.conventions.version == 1:
            for conjunct in chain[1:]:
                own = [child for child in draft.children[conjunct] if child < conjunct]
                announced += takewhile(lambda child: _announces(draft.deprels[child], 1), own)
        if has_moved_marks:
            for conjunct, following in pairwise(chain[1:]):
                between = [child for child in draft.children[conjunct] if conjunct < child < following]
                announced += [child for child in between if universal(draft.deprels[child]) in PUNCT]
        for token in (*announced, *chain[2:], *find_words_of_first(draft, rule.name, known, behind)):
            draft.attach(token, first)


def _is_link(draft: DraftTree, token: int, rule: ConjunctChains) -> bool:
    head = draft.heads[token]
    if not (head < token and rule.matches(draft.deprels[token])):
        return False
    return token == [c for c in draft.children[head] if c > head and rule.matches(draft.deprels[c])][-1]


class ConjunctChains(Rule):
    """Represent a rule for coordinations as chains."""

    promises = Promises(invertible=(0.75, 0.78), distinct_together=False)
    labels = CONJ
    family = _ConjunctChainFamily
    moves_within_phrases = False
    options: ClassVar = {}

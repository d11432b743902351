"""Make coordinations chains, each conjunct on the one before (docs/transformations/sud.md), and undo it.

UD attaches the conjuncts C2..Cn to C1. Here each hangs on the conjunct before it, and a dependent of C1 that
stands behind some conjuncts hangs on the last of these: what follows a coordination may belong to all of it,
and a chain can only show that at its end. A coordinator or, in version 1 of UD, a mark of C1 that stands
before another conjunct goes to that one. Words on the left of C1 stay there. What is not part of the
coordination stays, too, if it follows the last conjunct: parataxis, discourse, and brackets that close what
another one on the left of C1 opens.

A projective tree stays projective. So what follows a word that stays also stays, and a coordinator goes to
the next conjunct only if every dependent of C1 between the two does so.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import ClassVar

from learnability.transforms.base import Family, Promises, Rule, groups_outwards
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.lifting import is_pair
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences
from learnability.treebanks.labels import CONJ, PUNCT, is_coordinator, labels, universal
from learnability.treebanks.sentence import ROOT, Tree

_OF_SPEECH = labels("discourse", "parataxis")
"""Relations of what is not part of the coordination."""


@dataclass(frozen=True)
class _Chain:
    """Hold a coordination: the head of each word that moves, and the first conjunct, its head in UD."""

    first: int
    key: int
    heads: dict[int, int]


class _ConjunctLayer(Layer):
    """Attaches the words of every selected coordination."""

    def __init__(self, chains: Sequence[_Chain]) -> None:
        self.chain_of = {token: chain for chain in chains for token in chain.heads}
        self.region = tuple(sorted(self.chain_of))

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        chain, above = self.chain_of[token], base(token)
        return chain.heads[token] if above == chain.first and selected(chain.key) else above


def find_chains(tree: Tree, rule: ConjunctChains) -> list[_Chain]:
    """Return the coordinations of `tree` that change."""
    dependents: dict[int, list[int]] = {}
    for token, head in enumerate(tree.heads, start=1):
        dependents.setdefault(head, []).append(token)
    chains = []
    for (first, right), conjuncts in sorted(groups_outwards(tree, rule.candidates(tree)).items()):
        if not right:
            continue
        heads = _heads_in_chain(tree, dependents[first], first, conjuncts, rule)
        if heads:
            chains.append(_Chain(first, conjuncts[-1], heads))
    return chains


def _heads_in_chain(
    tree: Tree, dependents: Sequence[int], first: int, conjuncts: Sequence[int], rule: ConjunctChains
) -> dict[int, int]:
    """Return the new heads of those dependents of the first conjunct that move, in increasing order."""
    chain, behind = [first, *conjuncts], [token for token in dependents if token > first]
    heads = {token: chain[bisect(conjuncts, token - 1)] for token in behind}
    following = 0
    for token in reversed(behind):
        if token in conjuncts:
            following = token
        elif following and _announces(tree.deprels[token - 1], rule.conventions.version):
            heads[token] = following
        else:
            following = 0  # what is before a word that stays would cross its arc

    def moves(token: int) -> bool:
        opened = any(is_pair(tree.forms, t, token) for t in dependents if t < first)
        return token <= conjuncts[-1] or not (opened or universal(tree.deprels[token - 1]) in _OF_SPEECH)

    heads.update(dict.fromkeys(dropwhile(moves, behind), first))
    return {token: head for token, head in heads.items() if head != first}


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
        for chain in find_chains(plan.tree, self.rule):
            conjuncts = [t for t in chain.heads if self.rule.matches(plan.tree.deprels[t - 1])]
            if any(plan.possible_heads(token) != (chain.first,) for token in (*conjuncts, chain.key)):
                plan.skipped[f"{self.rule.name}: coordination changed by another construction"] += 1
            else:
                kept.append(chain)
        if kept:
            plan.add(_ConjunctLayer(kept), [Place(chain.key, self.rule.name) for chain in kept])

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        """Count which dependents to the right of a coordination belong to its first or last conjunct."""
        rule, learned = self.rule, SidePreferences()
        for tree in trees:
            children = DraftTree(tree).children
            for (first, right), conjuncts in groups_outwards(tree, rule.candidates(tree)).items():
                if right:
                    last = conjuncts[-1]
                    for head in (first, last):
                        for child in children[head]:
                            if child > last:
                                learned.see_choice(
                                    [_value(rule, tree.deprels[child - 1])], chosen=head == first
                                )
        return learned

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        rule, known = self.rule, known or SidePreferences()
        for draft in drafts:
            _flatten(draft, rule, known)


def _value(rule: ConjunctChains, deprel: str) -> tuple[str, str]:
    return rule.name, universal(deprel)


def _flatten(draft: DraftTree, rule: ConjunctChains, known: SidePreferences) -> None:
    """Attach the conjuncts of every chain to its first one, with what behind the last belongs to it.

    A chain does not show nested coordinations: all count as one.
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
        odds = [
            # without data: punctuation mostly belongs to the first conjunct, other words to the last
            known.choice_odds([_value(rule, deprel)], 0.9 if universal(deprel) in PUNCT else 0.1)
            for deprel in (draft.deprels[token] for token in behind)
        ]
        # arcs do not cross: from some word on outwards, all belong to the first conjunct
        sums = [sum(odds[i:]) for i in range(len(odds) + 1)]
        announced: list[int] = []
        if rule.conventions.version == 1:
            for conjunct in chain[1:]:
                own = [child for child in draft.children[conjunct] if child < conjunct]
                announced += takewhile(lambda child: _announces(draft.deprels[child], 1), own)
        for token in (*announced, *chain[2:], *behind[sums.index(max(sums)) :]):
            draft.attach(token, first)


def _is_link(draft: DraftTree, token: int, rule: ConjunctChains) -> bool:
    """Return whether a token is a conjunct that its chain continues to the right."""
    head = draft.heads[token]
    if not (head < token and rule.matches(draft.deprels[token])):
        return False
    return token == [c for c in draft.children[head] if c > head and rule.matches(draft.deprels[c])][-1]


class ConjunctChains(Rule):
    """Represent a rule for coordinations as chains."""

    promises = Promises(invertible=(0.75, 0.78), distinct_together=False)
    labels = CONJ
    family = _ConjunctChainFamily
    moves_within_nuclei = False
    options: ClassVar = {}

"""Head coordinations by their last or first conjunct (docs/rules.md, Conjuncts as heads), and undo it.

UD attaches the conjuncts C2..Cn to C1. Here Cn, at the other end, takes its place and heads all the others.
Coordinators and punctuation of C1 next to its nearest conjunct belong to the coordination (version 1 of UD
attaches them to its head), so they move to the new head.

Deprels stay on their tokens. A transformed tree shows everything except which dependents beyond the new head
belong to it alone: their relations decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import ClassVar

from learnability.transforms.base import Family, Promises, Rule, groups_outwards
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.plan import Plan
from learnability.transforms.preferences import SidePreferences, find_words_of_first
from learnability.transforms.promotion import Promotion, add_promotions, first_by_label
from learnability.treebanks.labels import CONJ, NO_CONJUNCTS, PUNCT, complement_of, is_coordinator, universal
from learnability.treebanks.sentence import ROOT, Conventions, Tree


def _goes_along(deprel: str) -> bool:
    return is_coordinator(deprel) or universal(deprel) in PUNCT


def conjunct_groups(tree: Tree, rule: Conjuncts, skipped: Counter[str]) -> list[Promotion]:
    """Return the coordinations on the side where `rule` looks for the new head; `skipped` counts the
    others."""
    promotions = []
    for (first, right), others in sorted(groups_outwards(tree, rule.candidates(tree)).items()):
        if right != rule.right:
            skipped[rule.already] += 1
            continue
        step = 1 if right else -1
        dependents = (t for t in range(others[0] - step, first, -step) if tree.heads[t - 1] == first)
        along = [*takewhile(lambda t: _goes_along(tree.deprels[t - 1]), dependents)]
        promotions.append(Promotion(rule.name, first, others[-1], others[:-1], along[-1] if along else 0))
    return promotions


class _ConjunctFamily(Family["Conjuncts"]):
    """Coordinations with a conjunct as head; those that ``cc`` changes are left to ``cc``."""

    rank = 25
    promotes = True
    learns = True

    def reserve(self, tree: Tree) -> frozenset[int]:
        """Return the conjuncts: their UD heads tell what is coordinated."""
        groups = conjunct_groups(tree, self.rule, Counter())
        return frozenset(token for group in groups for token in (*group.members, group.key))

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        kept = []
        for group in conjunct_groups(plan.tree, self.rule, plan.skipped):
            if any(plan.possible_heads(token) != (group.first,) for token in (*group.members, group.key)):
                plan.skipped[f"{self.rule.name}: coordination changed by another construction"] += 1
            else:
                kept.append(group)
        add_promotions(plan, kept)

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        rule, learned = self.rule, SidePreferences()
        for tree in trees:
            children = DraftTree(tree).children
            skipped = Counter[str]()
            for group in conjunct_groups(tree, rule, skipped):
                learned.see_choice([(rule.name, rule.already)], chosen=False)
                for head in (group.first, group.key):
                    for child in children[head]:
                        if (child > group.key) if rule.right else (child < group.key):
                            label = universal(tree.deprels[child - 1])
                            learned.see_choice([(rule.name, label)], chosen=head == group.first)
            for _ in range(skipped[rule.already]):
                learned.see_choice([(rule.name, rule.already)], chosen=True)
        return learned

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        rule, known = self.rule, known or SidePreferences()
        # if most coordinations have the form in UD already, a tree does not show which ones were changed
        mostly_already = known.choice_odds([(rule.name, rule.already)], 0.1) > 0
        for draft in drafts:
            if draft.places is not None or external or not mostly_already:
                _InverseConjuncts(draft, rule, known).run(external)


class _InverseConjuncts:
    """Gives the first conjuncts of one draft their places back."""

    def __init__(self, draft: DraftTree, rule: Conjuncts, known: SidePreferences) -> None:
        self.draft, self.rule, self.known = draft, rule, known
        self.is_wanted = rule.choose_undone(draft)

    def run(self, external: bool) -> None:
        draft, matches = self.draft, self.rule.matches
        for root in () if external else filter(self.is_wanted, draft.children[ROOT]):
            first = next(iter(self._inner(root)), 0)
            alike = matches(draft.deprels[first]) and self._signs(root) >= self._signs(first)
            if alike or (first and draft.places is not None):  # else it may be a new head below the old root
                draft.swap_labels(root, first)
        for key in filter(self.is_wanted, draft.deepest_first()):
            if external:
                # promoted twice: its first conjunct was itself the last one of another coordination
                while first := self._first_by_label(key):
                    self._demote(key, first)
                    key = first
            elif first := self._first(key):
                self._demote(key, first)

    def _inner(self, head: int) -> list[int]:
        """Return the children of `head` on the side of the first conjunct, the outermost first."""
        left, right = self.draft.sides(head)
        return left if self.rule.right else right[::-1]

    def _signs(self, head: int) -> int:
        """Return how clearly a coordination follows the outermost inner child: 2 by its words, 1 by
        punctuation, or 0."""
        names = [self.draft.deprels[child] for child in self._inner(head)[1:]]
        sure = any(self.rule.matches(name) or is_coordinator(name) for name in names)
        return 2 if sure else int(any(universal(name) in PUNCT for name in names))

    def _first_by_label(self, key: int) -> int:
        """Return the first conjunct that external labels name, after restoring both labels, or 0.

        A parser may write such a label on the other side of the key, too. UD has further conjuncts there, so
        these words stay there as conjuncts.
        """
        draft, inner = self.draft, self._inner(key)
        for child in draft.complements(key, self.rule.matches):
            if child not in inner:
                draft.deprels[child] = complement_of(draft.deprels[child])
        return first_by_label(draft, key, self.rule.matches)

    def _first(self, key: int) -> int:
        """Return the first conjunct of the coordination in which `key` was promoted, or 0.

        It is the outermost child. A further conjunct of the word above may also have a child there: then the
        key counts as promoted only if there are signs of it.
        """
        matches, names = self.rule.matches, self.draft.deprels
        first = next(iter(self._inner(key)), 0)
        if self.draft.places is not None:
            return first
        if not first or not matches(names[key]):
            return 0
        if matches(names[first]):
            return first
        above = self.draft.heads[key]
        further = (above > key) == self.rule.right and matches(names[above])
        plausible = universal(names[first]) not in NO_CONJUNCTS
        return first if plausible and (not further or self._signs(key)) else 0

    def _demote(self, key: int, first: int) -> None:
        draft, rule = self.draft, self.rule
        left, right = draft.sides(key)
        inner, outer = (left, right) if rule.right else (right[::-1], left[::-1])
        beyond = inner.index(first)
        inner.remove(first)
        last = max((i for i, c in enumerate(inner) if rule.matches(draft.deprels[c])), default=beyond - 1)
        moved = [
            child
            for i, child in enumerate(inner)
            if i <= last or (self._marks_on_head and _goes_along(draft.deprels[child]))
        ]
        draft.replace(key, first, [*moved, *find_words_of_first(draft, rule.name, self.known, outer)])

    @property
    def _marks_on_head(self) -> bool:
        """Return whether UD attaches coordinators and marks between two conjuncts to the first one."""
        return not self.rule.right or self.rule.conventions.version == 1


class Conjuncts(Rule):
    """Represent a rule for coordinations headed by a conjunct, the last (``right``) or the first (``left``)
    one.
    """

    options: ClassVar = {"direction": ("right", "left")}
    promises = Promises(invertible=(0.92, 0.92))
    labels = CONJ
    family = _ConjunctFamily
    moves_within_phrases = False

    def __init__(self, conventions: Conventions, **options: str) -> None:
        super().__init__(conventions, **options)
        self.right = self.option["direction"] == "right"
        self.already = f"{self.name}: headed by the {'last' if self.right else 'first'} conjunct already"
        self.instead = f"{self.name}:direction={'left' if self.right else 'right'}"

"""Rewrite coordinations in Prague or Moscow style (docs/rules.md, Coordination), and undo it.

A coordination is a word C1 with dependents ``conj`` C2..Cn on one side. Its coordinators are the ``cc``
dependents of C1 (v1) or of the following conjunct (v2) that lie between C1 and the conjuncts. Both places
count in either version, because treebanks mix them. ``cc:preconj`` and a ``cc`` outside the coordination
never count.

Deprels stay on their tokens, so a coordination is found again by its labels. A transformed tree does not show
whether a dependent between two members belonged to its head in UD: its relation decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

from learnability.transforms.base import Family, Promises, Rule, groups_outwards
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences, learn, words_of
from learnability.transforms.promotion import Promotion, add_promotions, first_by_label
from learnability.treebanks.labels import CC, CONJ, NO_CONJUNCTS, PUNCT, is_coordinator, universal
from learnability.treebanks.sentence import ROOT, Tree


class _Coordination(NamedTuple):
    """C1, C2..Cn and the coordinators between, both ordered outwards from C1; `key` identifies the place."""

    first: int
    others: Sequence[int]
    coordinators: Sequence[int]
    key: int


def _is_between(token: int, start: int, end: int) -> bool:
    return start < token < end or end < token < start


def _coordinators(
    first: int, others: Sequence[int], candidates: Sequence[int], heads: Sequence[int]
) -> list[int]:
    limits = {first: others[-1], **{conjunct: conjunct for conjunct in others}}
    inside = [k for k in candidates if _is_between(k, first, limits.get(heads[k - 1], first))]
    return inside if others[0] > first else inside[::-1]


def coordinations(tree: Tree, head: str, skipped: Counter[str]) -> list[_Coordination]:
    """Return the coordinations of `tree` that are places, by their C1.

    The coordinator that identifies one is the ``last`` or the ``first`` (`head`), counted from C1. `skipped`
    counts constructions that look like a coordination but are not a place.
    """
    conj = [token for token, name in enumerate(tree.deprels, start=1) if universal(name) in CONJ]
    if not conj:
        return []
    cc = [token for token, name in enumerate(tree.deprels, start=1) if is_coordinator(name)]
    groups = groups_outwards(tree, conj)
    places: list[_Coordination] = []
    used: set[int] = set()
    for first in sorted({head for head, _ in groups}):
        complete = []
        for others in (groups.get((first, right), []) for right in (True, False)):
            inside = _coordinators(first, others, cc, tree.heads) if others else []
            if inside and first not in cc:
                complete.append((others, inside))
            elif others:
                skipped["cc: coordinated coordinators" if inside else "cc: asyndetic coordination"] += 1
        if len(complete) > 1:
            skipped["cc: second coordination of a word with conjuncts on both sides"] += 1
        for others, inside in complete[:1]:
            free = [k for k in inside if k not in used]
            if not free:
                skipped["cc: coordinator of another coordination"] += 1
                continue
            used.update(free)
            places.append(_Coordination(first, others, free, free[-1] if head == "last" else free[0]))
    return _drop_crossing(places, skipped)


def _drop_crossing(places: Sequence[_Coordination], skipped: Counter[str]) -> list[_Coordination]:
    """Return `places` without nested coordinations that the outer one cuts in two: *a [b and c]*, key between
    b and c."""
    outer = {conjunct: place for place in places for conjunct in place.others}
    kept = []
    for place in places:
        around = outer.get(place.first)
        marks = (around.first, *around.coordinators, *around.others) if around else ()
        if any(_is_between(mark, place.first, place.others[-1]) for mark in marks):
            skipped["cc: coordination cut by the one around it"] += 1
        else:
            kept.append(place)
    return kept


class _MoscowLayer(Layer):
    """Chains C1 -> coordinator -> C2 -> coordinator -> C3; the coordinator may be missing between two.

    A dependent of a member that lies between two other members moves to the one of them nearer to C1.
    """

    def __init__(self, plan: Plan, places: Sequence[_Coordination]) -> None:
        self.link: dict[int, tuple[int, int]] = {}
        self.of: dict[int, list[tuple[int, list[int]]]] = {}
        for place in places:
            chain = [place.first]
            for conjunct in place.others:
                between = [k for k in place.coordinators if _is_between(k, chain[-1], conjunct)]
                chain += [*between[-1:], conjunct]
            for before, member in pairwise(chain):
                self.link[member] = (place.key, before)
            for member in chain:
                self.of.setdefault(member, []).append((place.key, chain))
        self.region = plan.around(self.link, self.of.keys())

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        link = self.link.get(token)
        if link is not None and selected(link[0]):
            return link[1]
        above = base(token)
        for key, chain in self.of.get(above, ()):
            gap = next((pair for pair in pairwise(chain) if _is_between(token, *pair)), None)
            if gap and above not in gap and selected(key):
                return gap[0]
        return above


class _CoordinationFamily(Family["Coordinations"]):
    """Coordination in either style; a transformation has one such rule."""

    rank = 20
    promotes = True

    def reserve(self, tree: Tree) -> frozenset[int]:
        """Return the conjuncts and coordinators: their UD heads tell what is coordinated."""
        places = coordinations(tree, self.rule.option["head"], Counter())
        return frozenset(token for place in places for token in (*place.others, *place.coordinators))

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        rule = self.rule
        places = coordinations(plan.tree, rule.option["head"], plan.skipped)
        if rule.option["style"] == "prague":
            add_promotions(plan, [Promotion(rule.name, c.first, c.key, c.others) for c in places])
        elif places:
            plan.add(_MoscowLayer(plan, places), (Place(place.key, rule.name) for place in places))

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        # Beside other transformations, what is labelled `cc` is learned from the transformed trees.
        return learn(trees, self.rule.matches) if len(self.whole) == 1 else SidePreferences()

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        rule, trees = self.rule, [draft.tree for draft in drafts]
        version = rule.conventions.version
        moscow = rule.option["style"] == "moscow"
        mirrored = not moscow and version != 2 and leans_left(trees)
        if known is None or len(self.whole) > 1:
            known = words_of(trees, rule.matches)
        for draft in drafts:
            is_wanted = rule.choose_undone(draft)
            if moscow:
                _flatten_moscow(draft, version, is_wanted)
                continue
            for key in filter(is_wanted, draft.deepest_first()):
                if external:
                    first = first_by_label(draft, key, rule.matches)
                else:
                    first = _first_conjunct(draft, key, known, mirrored)
                if first:
                    _demote(draft, key, first, version)


def leans_left(trees: Iterable[Tree]) -> bool:
    """Return whether in most promoted coordinations the conjuncts stand left of C1 (some v1 treebanks)."""
    balance = 0
    for tree in trees:
        draft = DraftTree(tree)
        for key, deprel in enumerate(tree.deprels, start=1):
            if is_coordinator(deprel) and any(map(draft.is_conj, draft.children[key])):
                before, after = _ends(draft, key)
                balance += bool(after and not before) - bool(before and not after)
    return balance > 0


def _first_conjunct(draft: DraftTree, key: int, known: SidePreferences, mirrored: bool) -> int:
    """Return C1 of the coordination in which `key` was promoted, with its label restored; 0 if there is none.

    It is the leftmost child; or the rightmost, if `mirrored` or if nothing stands before the conjuncts.
    """
    if not any(map(draft.is_conj, draft.children[key])):
        return 0
    if draft.heads[key] == ROOT and not is_coordinator(draft.deprels[key]):
        _restore_root_label(draft, key, known)
    if not is_coordinator(draft.deprels[key]):
        return 0
    before, after = _ends(draft, key)
    if after and (mirrored or not before) and not is_coordinator(draft.deprels[draft.heads[key]]):
        return after[-1]
    return before[0] if before else draft.children[key][0]


def _restore_root_label(draft: DraftTree, root: int, known: SidePreferences) -> None:
    children = draft.children[root]
    for first in (children[0], children[-1], *children):
        if is_coordinator(draft.deprels[first]) and known.function_odds(
            draft.tree, root
        ) >= known.function_odds(draft.tree, first):
            draft.swap_labels(root, first)
            return


def _ends(draft: DraftTree, key: int) -> tuple[list[int], list[int]]:
    """Return the children of a promoted coordinator that may be C1: those before and after all conjuncts."""
    children = draft.children[key]
    conjuncts = [child for child in children if draft.is_conj(child)]
    plain = [child for child in children if universal(draft.deprels[child]) not in NO_CONJUNCTS]
    return (
        [child for child in plain if child < conjuncts[0]],
        [child for child in plain if child > conjuncts[-1]],
    )


def _demote(draft: DraftTree, key: int, first: int, version: int) -> None:
    """Give the place of the coordinator `key` to the first conjunct, and give each its dependents back.

    In version 2 the coordinator and what precedes a conjunct belong to that conjunct, everything else to C1.
    """
    children = [child for child in draft.children[key] if child != first]
    conjuncts = [child for child in children if draft.is_conj(child)]
    draft.attach(first, draft.heads[key])
    for child in [*children, key]:
        label = universal(draft.deprels[child])
        # In version 2 what precedes a conjunct belongs to it. What lies left of the coordinator and of all
        # conjuncts came from the right. Everything else came from C1, as does everything in version 1.
        following = next((c for c in conjuncts if c > max(child, key if child < key else 0)), first)
        from_right = child == key or label in PUNCT or label in CC or child < min((key, *conjuncts))
        goes_right = version != 1 and from_right and not draft.is_conj(child)
        draft.attach(child, following if goes_right else first)


def _flatten_moscow(draft: DraftTree, version: int, is_wanted: Callable[[int], bool]) -> None:
    heads = (ROOT, *draft.tree.heads)
    for token in filter(draft.is_conj, range(1, len(heads))):
        above = heads[token]
        if not above or not is_coordinator(draft.deprels[above]) or not is_wanted(above):
            continue
        first = heads[above]
        outward = token > above
        while first and draft.is_conj(first) and (heads[first] < first) == outward:
            first = heads[first]
            if first and is_coordinator(draft.deprels[first]):
                first = heads[first]
        link = conjunct = token
        while first and link != first:
            before = heads[link]
            if draft.is_conj(link):
                conjunct = link
            target = first if version == 1 else conjunct
            draft.attach(link, first if link == conjunct else target)
            for child in list(draft.children[before]):
                if _is_between(child, before, link) and universal(draft.deprels[child]) in PUNCT:
                    draft.attach(child, target)
            link = before


class Coordinations(Rule):
    """Represent a rule for coordinations, in the style ``prague`` or ``moscow``."""

    options: ClassVar = {"style": ("prague", "moscow"), "head": ("last", "first")}
    # the tree does not show which dependents the conjuncts of a chain had in UD
    weaker: ClassVar = {"style=moscow": Promises(invertible=(0.85, 0.85))}
    family = _CoordinationFamily
    moves_within_phrases = False

"""Finding coordinations in UD v1 and v2 trees, and the two alternatives to the UD style (rule 2.5).

A coordination is a word C1 with dependents ``conj`` C2..Cn on one side. Its coordinators are the ``cc``
dependents of C1 (v1) or of the following conjunct (v2) that lie between C1 and the conjuncts; both places
count in either version, because treebanks mix them. ``cc:preconj`` and a ``cc`` outside the coordination
never count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from learnability.transforms.base import Family, Transformation
from learnability.transforms.external_inverse import invert_external_promotions
from learnability.transforms.flat_inverse import chooser, flatten_moscow, flatten_prague, leans_left
from learnability.transforms.inverse import SidePreferences, learn, words_of
from learnability.transforms.plan import Heads, Layer, Plan, Selected, Site
from learnability.transforms.promotion import Promotion, PromotionLayer
from learnability.treebanks.labels import CONJ, is_coordinator, universal
from learnability.treebanks.sentence import Tree


class Coordination:
    """One coordination with a coordinator.

    Attributes:
        first: C1, the conjunct that UD makes the head.
        others: C2..Cn, ordered outwards from C1.
        coordinators: those between C1 and Cn, ordered outwards from C1.
        key: the coordinator that identifies the site.
    """

    __slots__ = ("coordinators", "first", "key", "others")

    def __init__(self, first: int, others: Sequence[int], coordinators: Sequence[int], key: int) -> None:
        self.first, self.others, self.coordinators, self.key = first, others, coordinators, key


def _coordinators(first: int, others: Sequence[int], found: Sequence[int], heads: Sequence[int]) -> list[int]:
    """The coordinators of C1 and its conjuncts on one side, ordered outwards from C1."""
    inside = []
    for k in found:
        owner = heads[k - 1]
        if owner == first:
            limit = others[-1]
        elif owner in others:
            limit = owner
        else:
            continue
        if first < k < limit or limit < k < first:
            inside.append(k)
    return inside if others[0] > first else inside[::-1]


def coordinations(tree: Tree, head: str, skipped: Counter[str]) -> list[Coordination]:
    """The coordinations of `tree` that are sites, by their C1.

    `head` names the coordinator that identifies a site: ``last`` or ``first``, counted from C1. Counted
    in `skipped`, by kind: what has the form of a coordination and is no site.
    """
    conj = [token for token, name in enumerate(tree.deprels, start=1) if universal(name) in CONJ]
    if not conj:
        return []
    cc = [token for token, name in enumerate(tree.deprels, start=1) if is_coordinator(name)]
    sides: dict[int, tuple[list[int], list[int]]] = {}
    for token in conj:
        first = tree.heads[token - 1]
        if first:
            sides.setdefault(first, ([], []))[token > first].append(token)
    found: list[Coordination] = []
    used: set[int] = set()
    for first in sorted(sides):
        complete = []
        for others in (sides[first][1], sides[first][0][::-1]):
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
            found.append(Coordination(first, others, free, free[-1] if head == "last" else free[0]))
    return _uncrossed(found, skipped)


def _uncrossed(found: Sequence[Coordination], skipped: Counter[str]) -> list[Coordination]:
    """`found` without nested coordinations that the outer one cuts in two.

    The outer one would take a conjunct away from the inner one: *a [b and c]* with the outer coordinator
    between b and c.
    """
    outer = {conjunct: site for site in found for conjunct in site.others}
    kept = []
    for site in found:
        around = outer.get(site.first)
        if around is not None:
            low, high = sorted((site.first, site.others[-1]))
            if any(low < mark < high for mark in (around.first, *around.coordinators, *around.others)):
                skipped["cc: coordination cut by the one around it"] += 1
                continue
        kept.append(site)
    return kept


class MoscowLayer(Layer):
    """Chains C1 -> coordinator -> C2 -> coordinator -> C3; the coordinator may be missing between two.

    A dependent of a member that lies between two other members moves to the one of them nearer to C1.
    """

    def __init__(
        self, n: int, found: Sequence[Coordination], heads_of: Callable[[int], Sequence[int]]
    ) -> None:
        self.link: dict[int, tuple[int, int]] = {}
        self.of: dict[int, list[tuple[int, list[int]]]] = {}
        for site in found:
            chain = [site.first]
            for conjunct in site.others:
                low, high = sorted((chain[-1], conjunct))
                between = [k for k in site.coordinators if low < k < high]
                chain += [*between[-1:], conjunct]
            for before, member in pairwise(chain):
                self.link[member] = (site.key, before)
            for member in chain:
                self.of.setdefault(member, []).append((site.key, chain))
        self.region = tuple(
            token
            for token in range(1, n + 1)
            if token in self.link or any(head in self.of for head in heads_of(token))
        )

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        """See :class:`Layer`."""
        link = self.link.get(token)
        if link is not None and selected(link[0]):
            return link[1]
        above = base(token)
        for key, chain in self.of.get(above, ()):
            before = _gap(chain, token)
            if before is not None and above not in before and selected(key):
                return before[0]
        return above


def _gap(chain: Sequence[int], token: int) -> tuple[int, int] | None:
    """The neighbouring members of `chain` between which `token` lies, the one nearer to C1 first."""
    for pair in pairwise(chain):
        if min(pair) < token < max(pair):
            return pair
    return None


class CoordinationFamily(Family):
    """``cc`` in either style."""

    rank = 20
    promotes = True

    def reserve(self, tree: Tree, members: Sequence[Transformation]) -> frozenset[int]:
        """Conjuncts and coordinators: their UD heads say what is coordinated."""
        return frozenset(
            token
            for member in members
            for site in coordinations(tree, member.chosen["head"], Counter())
            for token in (*site.others, *site.coordinators)
        )

    def extend(self, plan: Plan, members: Sequence[Transformation], reserved: frozenset[int]) -> None:
        """See :class:`Family`."""
        (cc,) = members
        found = coordinations(plan.tree, cc.chosen["head"], plan.skipped)
        if not found:
            return
        layer: Layer
        if cc.chosen["style"] == "moscow":
            layer = MoscowLayer(len(plan.tree), found, plan.possible_heads)
        else:
            promotions = [Promotion(cc.name, site.first, site.key, site.others) for site in found]
            layer = PromotionLayer(len(plan.tree), promotions, plan.possible_heads, plan.tree.deprels)
        plan.add(layer, (Site(site.key, cc.name) for site in found))

    def learn(
        self, trees: Sequence[Tree], members: Sequence[Transformation], whole: Transformation
    ) -> SidePreferences:
        """See :class:`Family`."""
        # Beside other transformations what bears `cc` is learned from the transformed trees.
        return learn(trees, whole.matches) if whole.parts == tuple(members) else SidePreferences()

    def invert(
        self,
        trees: Sequence[Tree],
        members: Sequence[Transformation],
        sites: Sequence[frozenset[int] | None],
        preferences: SidePreferences | None,
        whole: Transformation,
        external: bool,
    ) -> list[Tree]:
        """See :class:`Family`."""
        (cc,) = members
        version = cc.conventions.version
        if cc.chosen["style"] == "moscow":
            return [
                flatten_moscow(tree, version, chooser(chosen, cc.admitted_words(tree)))
                for tree, chosen in zip(trees, sites, strict=True)
            ]
        if external:
            return [
                invert_external_promotions(
                    tree, cc.matches, chooser(chosen, cc.admitted_words(tree)), version
                )
                for tree, chosen in zip(trees, sites, strict=True)
            ]
        mirrored = version != 2 and leans_left(trees)
        known = preferences if preferences and whole.parts == (cc,) else words_of(trees, cc.matches)
        return [
            flatten_prague(tree, version, chooser(chosen, cc.admitted_words(tree)), known, mirrored)
            for tree, chosen in zip(trees, sites, strict=True)
        ]


COORDINATION_FAMILY = CoordinationFamily()

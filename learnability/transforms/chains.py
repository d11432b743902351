"""Flat expressions as chains (rule 2.4), shared by ``mwe`` and ``name``.

UD attaches every further word of a fixed expression or a name to one word H of it; the chain attaches
each word to its neighbour. On either side of H, with m1, m2, ... ordered outwards from H::

    UD     H -> m1, H -> m2, H -> m3
    chain  H -> m1 -> m2 -> m3

Sites are m2, m3, ...: toggling m1 changes nothing. Another dependent of H strictly between m_{j-1} and a
selected m_j moves to m_{j-1}, which keeps projectivity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import ClassVar

from learnability.transforms.base import Family, Promises, Transformation
from learnability.transforms.external_inverse import invert_external_promotions
from learnability.transforms.flat_inverse import chooser, flatten_chains, flatten_last_heads
from learnability.transforms.inverse import SidePreferences
from learnability.transforms.plan import Heads, Layer, Plan, Selected, Site
from learnability.transforms.promotion import Promotion, PromotionLayer
from learnability.treebanks.sentence import Tree


class ChainSite:
    """The member `token` of a chain, the member before it, and what selecting it catches between them."""

    __slots__ = ("before", "caught", "head", "token", "transform")

    def __init__(self, transform: str, head: int, before: int, token: int, caught: tuple[int, ...]) -> None:
        self.transform, self.head, self.before, self.token, self.caught = (
            transform,
            head,
            before,
            token,
            caught,
        )


class ChainLayer(Layer):
    """Attaches every selected chain member to the member before it."""

    def __init__(self, sites: Sequence[ChainSite]) -> None:
        self.before = {site.token: site.before for site in sites}
        self.caught = {token: site.token for site in sites for token in site.caught}
        self.region = tuple(sorted({*self.before, *self.caught}))

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        """See :class:`Layer`."""
        site = token if token in self.before else self.caught[token]
        return self.before[site] if selected(site) else base(token)


def flat_groups(tree: Tree, members: Sequence[int]) -> dict[tuple[int, bool], list[int]]:
    """Members of flat expressions by (head, right of it), each list ordered outwards from the head."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for token in members:
        head = tree.heads[token - 1]
        if head:
            groups.setdefault((head, token > head), []).append(token)
    for (_, right), group in groups.items():
        if not right:
            group.reverse()
    return groups


def chain_sites(tree: Tree, transform: str, members: Sequence[int]) -> list[ChainSite]:
    """The sites of the flat expressions whose further words are `members` (in increasing order)."""
    found = []
    for (head, _), group in flat_groups(tree, members).items():
        for before, token in pairwise(group):
            low, high = min(before, token), max(before, token)
            caught = tuple(d for d in range(low + 1, high) if tree.heads[d - 1] == head)
            found.append(ChainSite(transform, head, before, token, caught))
    return found


def doubtful_links(tree: Tree, members: Sequence[int]) -> list[tuple[int, bool]]:
    """The further words of flat expressions that look the same in a chain whether UD chains them or not.

    Each with whether it does. A word beyond another is its child or its sibling; where both are there, the
    chain tells them apart.
    """
    found = []
    groups = flat_groups(tree, members)
    for (_, right), group in groups.items():
        for before, sibling in zip_longest(group, group[1:]):
            own = groups.get((before, right))
            if own and not sibling:
                found.append((own[0], True))
            elif sibling and not own:
                found.append((sibling, False))
    return found


class ChainFamily(Family):
    """Chains of different labels on one word share a layer; interleaved ones cannot both be chained."""

    rank = 10

    def extend(self, plan: Plan, members: Sequence[Transformation], reserved: frozenset[int]) -> None:
        """See :class:`Family`."""
        kept: list[ChainSite] = []
        for member in members:
            assert isinstance(member, FlatExpressions)
            found = chain_sites(plan.tree, member.name, member.members(plan.tree))
            fixed = {token for site in kept for token in (site.before, site.token)}
            moved = {token for site in kept for token in site.caught}
            for site in found:
                if not reserved.isdisjoint(site.caught):
                    plan.skipped[f"{member.name}: chain around a coordination"] += 1
                elif not fixed.isdisjoint(site.caught) or not moved.isdisjoint((site.before, site.token)):
                    plan.skipped[f"{member.name}: chain interleaved with another"] += 1
                else:
                    kept.append(site)
        if kept:
            plan.add(ChainLayer(kept), (Site(site.token, site.transform) for site in kept))

    def learn(
        self, trees: Sequence[Tree], members: Sequence[Transformation], whole: Transformation
    ) -> SidePreferences:
        """See :class:`Family`."""
        learned = SidePreferences()
        for tree in trees:
            for member in members:
                assert isinstance(member, FlatExpressions)
                admitted = member.admitted_words(tree)
                for token, chained in doubtful_links(tree, member.members(tree)):
                    if admitted is None or token in admitted:
                        right = token > tree.heads[token - 1]
                        learned.see_link(tree.deprels[token - 1], right, chained)
        return learned

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
        result = list(trees)
        for member in reversed(members):
            result = [
                flatten_chains(tree, member.matches, chosen, member.admitted_words(tree), preferences)
                for tree, chosen in zip(result, sites, strict=True)
            ]
        return result


class LastHeadFamily(Family):
    """The ``last-head`` style: the last word of an expression that UD heads by its first word is promoted.

    Expressions that UD heads by their last word are so already and have no site. One site per head; its
    token is the last word.
    """

    rank = 30
    promotes = True

    def extend(self, plan: Plan, members: Sequence[Transformation], reserved: frozenset[int]) -> None:
        """See :class:`Family`."""
        kept: list[Promotion] = []
        firsts: set[int] = set()
        keys: set[int] = set()
        for member in members:
            assert isinstance(member, FlatExpressions)
            for (head, right), group in sorted(flat_groups(plan.tree, member.members(plan.tree)).items()):
                if not right:
                    continue
                if any(plan.possible_heads(token) != (head,) for token in group):
                    plan.skipped[f"{member.name}: expression changed by another transformation"] += 1
                elif head in firsts or head in keys or group[-1] in firsts:
                    plan.skipped[f"{member.name}: expression inside another at its edge"] += 1
                else:
                    firsts.add(head)
                    keys.add(group[-1])
                    kept.append(Promotion(member.name, head, group[-1], group[:-1]))
        if kept:
            layer = PromotionLayer(len(plan.tree), kept, plan.possible_heads, plan.tree.deprels)
            plan.add(layer, (Site(site.key, site.transform) for site in kept))

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
        result = list(trees)
        for member in reversed(members):
            wanted = [
                chooser(chosen, member.admitted_words(tree))
                for tree, chosen in zip(trees, sites, strict=True)
            ]
            result = [
                invert_external_promotions(tree, member.matches, one, None, member.matches)
                if external
                else flatten_last_heads(tree, member.matches, one)
                for tree, one in zip(result, wanted, strict=True)
            ]
        return result


CHAIN_FAMILY = ChainFamily()
LAST_HEAD_FAMILY = LastHeadFamily()


class FlatExpressions(Transformation):
    """A transformation of flat expressions of one kind, in the style ``chain`` or ``last-head``."""

    promises = Promises(invertible=(0.84, 0.99))  # v1 treebanks have chains of their own
    options: ClassVar = {"style": ("chain", "last-head")}

    @property
    def promised(self) -> Promises:
        """A promoted last word does not tell which dependents are its own."""
        return Promises(invertible=(0.75, 0.85)) if self.chosen["style"] == "last-head" else self.promises

    @property
    def family(self) -> Family:
        """The family of the chosen style."""
        return CHAIN_FAMILY if self.chosen["style"] == "chain" else LAST_HEAD_FAMILY

    def is_site_label(self, deprel: str) -> bool:
        """Whether a token with this deprel is a further word of such an expression."""
        raise NotImplementedError

    def members(self, tree: Tree) -> list[int]:
        """The further words of such expressions, in increasing order."""
        return [
            token
            for token, deprel in enumerate(tree.deprels, start=1)
            if self.matches(deprel) and tree.heads[token - 1]
        ]

"""Function-head inversion: the function word heads its content word (rule 2.2).

Shared by ``case``, ``det``, ``mark``, ``cop`` and ``aux``. For a content word c with the selected sites
k1..km (right of c by increasing distance, then left of c by increasing distance: the order of SUD)::

    UD        c -> k1, c -> k2, c -> d              (k1, k2 function words, d any other dependent)
    inverted  k2 -> k1 -> c -> d                    (k2 has taken the place of c)

A dependent d beyond some selected site moves to the nearest site it lies beyond; everything else stays
with c. This is the smallest move that keeps a projective tree projective: the subtree of c is an
interval, and what lies beyond k_i hangs on k_i, so every member of the chain heads an interval again.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from learnability.transforms.base import Family, Transformation
from learnability.transforms.external_inverse import invert_external_functions, words_of_complements
from learnability.transforms.flat_inverse import chooser
from learnability.transforms.inverse import (
    FunctionInverse,
    IsSite,
    SidePreferences,
    learn,
    learn_from_transformed,
)
from learnability.transforms.plan import Heads, Layer, Plan, Selected, Site
from learnability.treebanks.labels import labels, universal
from learnability.treebanks.sentence import ROOT, Tree

CLAUSE_LEVEL = labels(
    *("nsubj", "csubj", "nsubjpass", "csubjpass", "expl", "aux", "auxpass", "neg", "advmod", "advcl"),
    *("mark", "cc", "conj", "parataxis", "discourse", "vocative", "dislocated", "punct", "obl"),
)
"""Relations of the dependents of a clause, as opposed to those of its predicate's phrase (rule 2.2)."""


class FunctionLayer(Layer):
    """Inverts the selected function words `sites` in one pass.

    `heads_of` gives the heads a token may have in the layer below; sites whose head may vary are looked
    up when they matter. `stand_ins` names, for a site that heads an expression or a coordination itself
    (*because of*, *to and from*), the words that an earlier layer may put in its place: then the whole of
    it takes the place of the content word. Of the sites `clausal`, the dependents of the clause move to the
    function word from its content word's side too, as far as that keeps projectivity.
    """

    def __init__(
        self,
        n: int,
        sites: Iterable[int],
        heads_of: Callable[[int], Sequence[int]],
        stand_ins: Mapping[int, Sequence[int]],
        deprels: Sequence[str],
        clausal: Collection[int] = (),
    ) -> None:
        self.deprels, self.stand_ins = deprels, stand_ins
        self.clausal = frozenset(clausal)
        self.dependents: dict[int, list[int]] = {}
        if clausal:
            self.moves = [False, *(universal(deprel) in CLAUSE_LEVEL for deprel in deprels)]
            for token in range(1, n + 1):
                for head in heads_of(token):
                    self.dependents.setdefault(head, []).append(token)
        self.site_of: dict[int, int] = {}
        self.loose: set[int] = set()
        candidates: dict[int, list[int]] = {}
        for site in sites:
            for word in (site, *stand_ins.get(site, ())):
                self.site_of[word] = site
                possible = heads_of(word)
                if len(possible) > 1 or site in stand_ins:
                    self.loose.add(word)
                for content in possible:
                    candidates.setdefault(content, []).append(word)
        for content, words in candidates.items():
            # Right of the content word by increasing distance, then left of it by increasing distance.
            words.sort()
            middle = bisect(words, content)
            candidates[content] = words[middle:] + words[:middle][::-1]
        candidates.pop(ROOT, None)
        self.candidates = candidates
        self.region = tuple(
            token
            for token in range(1, n + 1)
            if token in candidates or any(head in candidates for head in heads_of(token))
        )

    def _stands(self, word: int, site: int, selected: Selected) -> bool:
        """Whether `word` is the token that stands for `site` in the layer below."""
        for key in self.stand_ins.get(site, ()):
            if selected(key):
                return key == word
        return word == site

    def _inverted(self, word: int, selected: Selected) -> bool:
        """Whether `word` stands for a selected site."""
        site = self.site_of.get(word)
        if site is None or not selected(site):
            return False
        return word not in self.loose or self._stands(word, site, selected)

    def _holds(self, word: int, content: int, selected: Selected, base: Heads) -> bool:
        """Whether `word` stands for a selected function word of `content` in the layer below."""
        return self._inverted(word, selected) and (word not in self.loose or base(word) == content)

    def _top(self, word: int, selected: Selected, base: Heads) -> int:
        """The token that stands for the block of `word`: its outermost selected site's top, or itself."""
        while True:
            for site in reversed(self.candidates.get(word, ())):
                if self._holds(site, word, selected, base):
                    word = site
                    break
            else:
                return word

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        """See :class:`Layer`."""
        for site in self.candidates.get(token, ()):
            if self._holds(site, token, selected, base):
                return self._top(site, selected, base)
        # No selected site of its own: the token stands for its block; climb to where that attaches.
        word = token
        while True:
            above = base(word)
            sites = self.candidates.get(above)
            if not sites:
                return above
            if self._inverted(word, selected):
                for site in sites[sites.index(word) + 1 :]:
                    if self._holds(site, above, selected, base):
                        return self._top(site, selected, base)
                word = above
                continue
            return self._attach(word, above, sites, selected, base)

    def _attach(self, word: int, above: int, sites: Sequence[int], selected: Selected, base: Heads) -> int:
        """The new head of an ordinary dependent: the nearest selected site it lies beyond, if any."""
        for site in reversed(sites):
            if (word < site < above or above < site < word) and self._holds(site, above, selected, base):
                return self._top(site, selected, base)
        if self.clausal and self.moves[word]:
            site = self._clause_head(word, above, sites, selected, base)
            if site:
                return self._top(site, selected, base)
        return above

    def _clause_head(
        self, word: int, above: int, sites: Sequence[int], selected: Selected, base: Heads
    ) -> int:
        """The clausal site that takes a clause-level dependent of `above` from the inside, or 0.

        Either the nearest selected site further out on the dependent's side, or, where that side has none,
        the outermost clausal one on the other side. What lies further out than the dependent (up to the
        site) must move as well, otherwise two arcs would cross.
        """
        chosen = [site for site in sites if self._holds(site, above, selected, base)]
        same = [site for site in chosen if (site > above) == (word > above)]
        if same:
            head = min(same, key=lambda site: abs(site - word))
            if self.site_of[head] not in self.clausal:
                return 0
            limit = head
        else:
            head = next((site for site in reversed(chosen) if self.site_of[site] in self.clausal), 0)
            if not head:
                return 0
            limit = len(self.moves) if word > above else 0
        low, high = sorted((word, limit))
        for other in self.dependents.get(above, ()):
            if low < other < high and not self.moves[other] and base(other) == above:
                return 0
        return head

    def relation(self, token: int, selected: Selected, base: Heads, below: Callable[[int], str]) -> str:
        """The outermost site takes the content word's relation, whatever it heads ``comp:<its label>``."""
        for site in self.candidates.get(token, ()):
            if self._holds(site, token, selected, base):
                return f"comp:{self.deprels[self.site_of[site] - 1]}"
        word = token
        while self._inverted(word, selected):
            above = base(word)
            sites = self.candidates[above]
            for site in sites[sites.index(word) + 1 :]:
                if self._holds(site, above, selected, base):
                    return f"comp:{self.deprels[self.site_of[site] - 1]}"
            word = above
        return below(word)


class FunctionFamily(Family):
    """All function-head inversions share one pass, so that their sites on one word form one chain."""

    rank = 40

    def extend(self, plan: Plan, members: Sequence[Transformation], reserved: frozenset[int]) -> None:
        """See :class:`Family`."""
        tree = plan.tree
        owner: dict[int, str] = {}
        for member in members:
            assert isinstance(member, FunctionHeads)
            for token in member.candidates(tree, plan.skipped):
                if member.admits(tree, token):
                    owner.setdefault(token, member.name)
        if not owner:
            return
        stand_ins = {token: keys for token in owner if (keys := plan.stand_ins(token))}
        clausal = {
            token
            for member in members
            if member.chosen.get("reattach") == "clause"
            for token, name in owner.items()
            if name == member.name
        }
        layer = FunctionLayer(len(tree), owner, plan.possible_heads, stand_ins, tree.deprels, clausal)
        plan.add(layer, (Site(token, name) for token, name in owner.items()))

    def learn(
        self, trees: Sequence[Tree], members: Sequence[Transformation], whole: Transformation
    ) -> SidePreferences:
        """See :class:`Family`."""
        return learn(trees, _matching(members))

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
        is_site = _matching(members)
        promoting = [part for part in whole.parts if part.family.promotes]

        def passes(deprel: str) -> bool:
            return any(part.matches(deprel) for part in promoting)

        if external:
            words = preferences or words_of_complements(trees, is_site)
            return [
                invert_external_functions(
                    tree, is_site, passes, chooser(chosen, _admitted(tree, members)), words
                )
                for tree, chosen in zip(trees, sites, strict=True)
            ]
        known = preferences or learn_from_transformed(trees, is_site)
        return [
            FunctionInverse(tree, is_site, known, chosen, passes, _admitted(tree, members)).run()
            for tree, chosen in zip(trees, sites, strict=True)
        ]


def _matching(members: Sequence[Transformation]) -> IsSite:
    """Whether a deprel is a site label of one of them."""
    return lambda deprel: any(member.matches(deprel) for member in members)


def _admitted(tree: Tree, members: Sequence[Transformation]) -> frozenset[int] | None:
    """The tokens that some member's restriction allows to be sites; None: all."""
    words = [member.admitted_words(tree) for member in members]
    kept = [found for found in words if found is not None]
    return frozenset[int]().union(*kept) if len(kept) == len(words) else None


FUNCTION_FAMILY = FunctionFamily()


class FunctionHeads(Transformation):
    """A transformation that turns the function words of one kind into heads."""

    @property
    def family(self) -> Family:
        """All function-head inversions share one layer."""
        return FUNCTION_FAMILY

    def candidates(self, tree: Tree, skipped: Counter[str]) -> list[int]:
        """The site tokens of `tree`; what is found but not handled is counted in `skipped`."""
        return [
            token
            for token, deprel in enumerate(tree.deprels, start=1)
            if self.matches(deprel) and tree.heads[token - 1] != ROOT
        ]

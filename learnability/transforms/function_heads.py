"""Make function words the heads of their content words (docs/rules.md, Function heads), and undo it.

Shared by ``case``, ``det``, ``mark``, ``cop`` and ``aux``. For a content word c with the selected sites
k1..km (right of c by increasing distance, then left of c by increasing distance: the order of SUD)::

    UD        c -> k1, c -> k2, c -> d              (k1, k2 function words, d any other dependent)
    inverted  k2 -> k1 -> c -> d                    (k2 has taken the place of c)

A dependent d beyond some selected site moves to the nearest site it lies beyond; everything else stays
with c. This is the smallest move that keeps a projective tree projective: the subtree of c is an
interval, and what lies beyond k_i hangs on k_i, so every member of the chain heads an interval again.

Back: c is a child of the function word f, on one side of it. What hangs on f between the two belongs to f in
UD; what hangs on f's other side belongs to c (it lay beyond f). So the inverse is exact once the side is
known. If f has children on both sides, two clues tell the side. Deprels stay on their tokens, so c has the
relation of its whole phrase (``conj``, ``advcl``, ``root``), while a subject, a punctuation mark or an adverb
is rarely the head of such a phrase. And function words have a favourite side. Both are estimated (naive
Bayes) from UD trees if there are some, otherwise from the sites of the input whose side is certain, and then
once more from all its sites.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from learnability.transforms.base import Family, Rule, matching
from learnability.transforms.draft import Draft, IsLabel
from learnability.transforms.plan import Heads, Labels, Layer, Plan, Selected, Site
from learnability.transforms.preferences import SidePreferences, certain_words, learn, words_of
from learnability.treebanks import labels as ud
from learnability.treebanks.labels import COMPLEMENT, FLAT_EXPRESSIONS, complement_of, universal
from learnability.treebanks.sentence import ROOT, Tree

CLAUSE_LEVEL = ud.labels(
    *("nsubj", "csubj", "nsubjpass", "csubjpass", "expl", "aux", "auxpass", "neg", "advmod", "advcl"),
    *("mark", "cc", "conj", "parataxis", "discourse", "vocative", "dislocated", "punct", "obl"),
)
"""Relations of the dependents of a clause, as opposed to those of its predicate's phrase."""

_FIT = 0.35
"""Weight of the children's relations, compared with forms, in finding the old root. Chosen on UD 1.3.

They are not independent evidence: a good fit for one hypothesis is nearly as good for the next token down.
"""

_CHILDLESS = -12.0
"""Log probability of an inverted function word without children: it always heads something."""


class _FunctionLayer(Layer):
    """Inverts the selected function words, each a site of its rule, in one pass.

    Sites whose head may vary in the layers below (`loose`) are looked up when they matter. If a site heads
    an expression or a coordination (*because of*, *to and from*), an earlier layer may put words in its place
    (`stand_ins`): then the whole expression takes the place of the content word. At `clausal` sites the
    dependents of the clause move to the function word also from the side of its content word, as far as that
    keeps projectivity.
    """

    def __init__(self, plan: Plan, rule_of: Mapping[int, FunctionHeads]) -> None:
        self.deprels = plan.tree.deprels
        self.clausal = frozenset(site for site, rule in rule_of.items() if rule.clausal)
        tokens = range(1, len(plan.tree) + 1)
        self.stand_ins = plan.stand_ins()
        self.stands_for = {key: token for token, keys in self.stand_ins.items() for key in keys}
        self.dependents: dict[int, list[int]] = {}
        if self.clausal:
            for token in tokens:
                for head in plan.possible_heads(token):
                    self.dependents.setdefault(head, []).append(token)
        self.site_of: dict[int, int] = {}
        self.loose: set[int] = set()
        candidates: dict[int, list[int]] = {}
        for site in rule_of:
            words = [site]
            for word in words:
                words += self.stand_ins.get(word, ())
                self.site_of[word] = site
                possible = plan.possible_heads(word)
                if len(possible) > 1 or site in self.stand_ins:
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
        self.region = plan.around(candidates, candidates.keys())

    def _inverted(self, word: int, selected: Selected) -> bool:
        """Return whether `word` stands for a selected site in the layer below."""
        site = self.site_of.get(word)
        if site is None or not selected(site):
            return False
        if word not in self.loose:
            return True
        while key := next((key for key in self.stand_ins.get(site, ()) if selected(key)), 0):
            site = key
        return word == site

    def _holds(self, word: int, content: int, selected: Selected, base: Heads) -> bool:
        """Return whether `word` stands for a selected function word of `content` in the layer below."""
        return self._inverted(word, selected) and (word not in self.loose or base(word) == content)

    def _top(self, word: int, selected: Selected, base: Heads) -> int:
        """Return the token that stands for the block of `word`: its outermost selected site's top, or it."""
        while site := self._first(self.candidates.get(word, ())[::-1], word, selected, base):
            word = site
        return word

    def _first(self, sites: Sequence[int], content: int, selected: Selected, base: Heads) -> int:
        """Return the first of `sites` that stands for a selected function word of `content`, or 0."""
        for site in sites:
            if self._holds(site, content, selected, base):
                return site
        return 0

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        site = self._first(self.candidates.get(token, ()), token, selected, base)
        # Without a selected site the token stands for its block: climb to where the block attaches.
        word = token
        while not site:
            above = base(word)
            sites = self.candidates.get(above)
            if not sites:
                return above
            if not self._inverted(word, selected):
                site = self._beyond(word, above, sites, selected, base)
                if not site:
                    return above
            else:
                site = self._first(sites[sites.index(word) + 1 :], above, selected, base)
                word = above
        return self._top(site, selected, base)

    def _beyond(self, word: int, above: int, sites: Sequence[int], selected: Selected, base: Heads) -> int:
        """Return the nearest site beyond which an ordinary dependent of `above` lies; 0 if there is none.

        The dependent moves to that site.
        """
        for site in reversed(sites):
            if (word < site < above or above < site < word) and self._holds(site, above, selected, base):
                return site
        if self.clausal and self._moves(word, selected):
            return self._clause_head(word, above, sites, selected, base)
        return 0

    def _moves(self, word: int, selected: Selected) -> bool:
        """Return whether the phrase that `word` stands for belongs to the clause, by its relation."""
        if any(map(selected, self.stand_ins.get(word, ()))):
            return False  # another word has taken its place
        while (first := self.stands_for.get(word, 0)) and selected(word):
            word = first
        return universal(self.deprels[word - 1]) in CLAUSE_LEVEL

    def _clause_head(
        self, word: int, above: int, sites: Sequence[int], selected: Selected, base: Heads
    ) -> int:
        """Return the clausal site that takes a clause-level dependent of `above` from the inside, or 0.

        This is the nearest selected site further out on the dependent's side. If that side has none, it is
        the outermost clausal one on the other side. Everything further out than the dependent (up to the
        site) must move as well, otherwise two arcs would cross.
        """
        held = [site for site in sites if self._holds(site, above, selected, base)]
        same = [site for site in held if (site > above) == (word > above)]
        if same:
            head = limit = min(same, key=lambda site: abs(site - word))
            if self.site_of[head] not in self.clausal:
                return 0
        else:
            head = next((site for site in reversed(held) if self.site_of[site] in self.clausal), 0)
            if not head:
                return 0
            limit = len(self.deprels) + 1 if word > above else 0
        low, high = sorted((word, limit))
        inside = (other for other in self.dependents.get(above, ()) if low < other < high)
        crossed = any(base(other) == above and not self._moves(other, selected) for other in inside)
        return 0 if crossed else head

    def relation(self, token: int, selected: Selected, base: Heads, below: Labels) -> str:
        """Return the deprel of `token` with external labels.

        The outermost site takes the content word's relation, and whatever a site heads gets ``comp:<its
        label>``.
        """
        site = self._first(self.candidates.get(token, ()), token, selected, base)
        word = token
        while not site and self._inverted(word, selected):
            above = base(word)
            sites = self.candidates[above]
            site = self._first(sites[sites.index(word) + 1 :], above, selected, base)
            word = above
        return COMPLEMENT + self.deprels[self.site_of[site] - 1] if site else below(word)


class _FunctionFamily(Family["FunctionHeads"]):
    """All function-head inversions share one pass, so that their sites on one word form one chain."""

    rank = 40
    learns = True

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        rule_of: dict[int, FunctionHeads] = {}
        for rule in self.rules:
            for token in rule.candidates(plan.tree):
                if rule.admits(plan.tree, token):
                    rule_of.setdefault(token, rule)
        if rule_of:
            sites = [Site(token, rule.name) for token, rule in rule_of.items()]
            plan.add(_FunctionLayer(plan, rule_of), sites)

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        return learn(trees, matching(self.rules))

    def undo(self, drafts: Sequence[Draft], known: SidePreferences | None, external: bool) -> None:
        is_site = matching(self.rules)
        is_promoted = matching([rule for rule in self.whole if rule.family.promotes])
        if known is None:
            learn_here = learn_from_complements if external else learn_from_transformed
            known = learn_here([draft.tree for draft in drafts], is_site)
        inverse = _ExternalInverse if external else _Inverse
        for draft in drafts:
            inverse(draft, is_site, known, is_promoted, self._wanted(draft)).run()

    def _wanted(self, draft: Draft) -> Callable[[int], bool]:
        """Return a function that tells whether some rule undoes the site of a token.

        A rule without a restriction undoes every site.
        """
        free = [rule for rule in self.rules if rule.restriction is None]
        by_rule = [rule.wanted(draft) for rule in free[:1] or self.rules]
        if len(by_rule) == 1:
            return by_rule[0]
        return lambda token: any(is_wanted(token) for is_wanted in by_rule)


class FunctionHeads(Rule):
    """Turn the function words of one kind into heads."""

    clausal = False
    """Whether the dependents of the clause move to the function word from both of its sides."""
    family = _FunctionFamily


def learn_from_transformed(trees: Sequence[Tree], is_site: IsLabel) -> SidePreferences:
    """Return preferences learned from transformed trees alone.

    First only the sites count whose content word has a certain side. Then, three times, the UD trees count
    that the inverse with the preferences so far gives.
    """
    learned = words_of(trees, is_site)
    for tree in trees:
        draft = Draft(tree)
        for token, deprel in certain_words(tree):
            if is_site(deprel):
                left, right = _sides(draft, token)
                if bool(left) != bool(right):
                    learned.see_side(tree, deprel, token, right=bool(right))
    for _ in range(3):
        drafts = [Draft(tree) for tree in trees]
        for draft in drafts:
            _Inverse(draft, is_site, learned).run()
        learned = learn([draft.done() for draft in drafts], is_site)
    return learned


def learn_from_complements(trees: Iterable[Tree], is_site: IsLabel) -> SidePreferences:
    """Return which function words have which label, learned from the words with a single complement."""
    learned = SidePreferences()
    for tree in trees:
        draft = Draft(tree)
        for token in range(1, len(draft.heads)):
            complements = draft.complements(token, is_site)
            if len(complements) == 1:
                learned.see_word(tree, token, function=True)
                learned.see_relation(tree, complement_of(draft.deprels[complements[0]]), token)
    return learned


def _sides(draft: Draft, site: int) -> tuple[list[int], list[int]]:
    """Return the children left and right of `site` that do not form a flat expression with it."""

    def outside(child: int) -> bool:
        return universal(draft.deprels[child]) not in FLAT_EXPRESSIONS

    left, right = draft.sides(site)
    return list(filter(outside, left)), list(filter(outside, right))


@dataclass
class _Sites:
    """Hold what both inverses know about a draft.

    Attributes:
        draft: the tree that is converted back.
        is_site: tells which deprels sites have.
        known: what is known about function words.
        is_promoted: tells which deprels promoted words have.
        is_wanted: tells which tokens to undo.
    """

    draft: Draft
    is_site: IsLabel
    known: SidePreferences
    is_promoted: IsLabel = lambda deprel: False
    is_wanted: Callable[[int], bool] = lambda token: True


@dataclass
class _Inverse(_Sites):
    """Gives the content words of one draft their places back if every token has kept its label.

    It inverts the sites, or if these are unknown, all wanted tokens with a site label and children. Promoted
    words may lie between the root and the old root too.
    """

    content_of: dict[int, int] = field(default_factory=dict)
    """The content words that follow from the place of the old root."""
    fits: dict[int, float] = field(default_factory=dict)
    """A cache of :meth:`_fit`, valid while the tree does not change."""

    def run(self) -> None:
        """Invert every site, deepest first."""
        if len(self.draft.children[ROOT]) == 1:
            self._restore_root_label(self.draft.children[ROOT][0])
        draft = self.draft
        for site in filter(self.is_wanted, draft.deepest_first()):
            if draft.sites is not None or self.is_site(draft.deprels[site]):
                core, beyond = self._core(site)
                if core:
                    draft.replace(site, core, beyond)

    def _restore_root_label(self, root: int) -> None:
        """Give the root label back to the old root if a function word has taken it.

        The old root is the root itself, or has a site label and hangs on it through tokens that do. Under
        each hypothesis, all other such tokens are function words, and the content words of those above the
        old root have the root label as external relation. The likeliest hypothesis wins.
        """
        draft = self.draft
        as_root = self.known.as_core(universal(draft.deprels[root]))
        above = {root: 0.0}
        best, old = self._content_odds(root), root
        reached = [root]
        for word in reached:
            for child in draft.children[word]:
                between = self.is_promoted(draft.deprels[child])
                is_old_or_site = self.is_wanted(child) or self.is_wanted(root)
                if not between and not (is_old_or_site and self.is_site(draft.deprels[child])):
                    continue
                reached.append(child)
                above[child] = above[word] + _FIT * (as_root - self._fit(word))
                odds = above[child] + self._content_odds(child)
                if not between and odds > best:
                    best, old = odds, child
        draft.swap_labels(root, old)
        while old != root:
            self.content_of[draft.heads[old]] = old
            old = draft.heads[old]

    def _content_odds(self, token: int) -> float:
        """Return the log odds that `token` is not an inverted function word."""
        return -self.known.function_odds(self.draft.tree, token) - _FIT * self._fit(token)

    def _fit(self, token: int) -> float:
        """Return the log probability of the child of `token` that looks most like its content word."""
        if token in self.fits:
            return self.fits[token]
        words = [token]  # the token, the sites below it, the sites below them, ..., unless they are cached
        children: dict[int, list[int]] = {}
        names = self.draft.deprels
        for word in words:
            left, right = _sides(self.draft, word)
            children[word] = left + right
            words += (c for c in children[word] if self.is_site(names[c]) and c not in self.fits)
        for word in reversed(words):
            candidates = (
                self.fits[child]
                if self.is_site(names[child])
                else self.known.as_core(universal(names[child]))
                for child in children[word]
            )
            self.fits[word] = max(candidates, default=_CHILDLESS)
        return self.fits[token]

    def _core(self, site: int) -> tuple[int, list[int]]:
        """Return the content word of `site` (0 if none), and the children beyond `site` that go with it."""
        left, right = _sides(self.draft, site)
        if site in self.content_of:
            # The child has been replaced by its content word if it was a site.
            core = self.content_of[site]
            while core in self.content_of and self.is_site(self.draft.deprels[core]):
                core = self.content_of[core]
            return core, left if core > site else right
        if not right:
            return (left[0] if left else 0), []
        if not left:
            return right[-1], []
        odds = self.known.right_odds(self.draft.tree, self.draft.deprels[site], site)
        odds += self._score(right[-1], left, right[:-1]) - self._score(left[0], right, left[1:])
        return (right[-1], left) if odds > 0 else (left[0], right)

    def _score(self, core: int, far: Sequence[int], near: Sequence[int]) -> float:
        """Return the log likelihood of the children's relations if `core` is the content word."""
        known, names = self.known, self.draft.deprels
        return (
            known.as_core(universal(names[core]))
            + sum(known.as_far(universal(names[child])) for child in far)
            + sum(known.as_own(universal(names[child])) for child in near)
        )


class _ExternalInverse(_Sites):
    """Gives the content words of one draft with external labels their places back.

    The labels identify the content words and all deprels; `known` tells which words have which label.
    """

    def run(self) -> None:
        """Invert every wanted site, deepest first."""
        draft = self.draft
        for top in draft.deepest_first():
            cores = draft.complements(top, self.is_site)
            site = block = top  # a function word, and the token that now stands in its place
            while cores:
                # A function word may have a function word itself. That one then has two complements: the
                # function word, and the content word that took its label.
                core = max(cores, key=lambda core: (self._share(core, site), -abs(core - top), core))
                cores.remove(core)
                if self.is_wanted(self._first_member(site)):
                    self._demote(top, block, core)
                    block = core
                else:
                    draft.attach(core, block)
                site = core

    def _share(self, core: int, site: int) -> float:
        """Return how often words like `site` have the label that `core` names."""
        draft = self.draft
        return self.known.relation_share(draft.tree, complement_of(draft.deprels[core]), site)

    def _first_member(self, word: int) -> int:
        """Return the token of the site that `word` stands for: below a promoted word, its first member."""
        while below := self.draft.complements(word, self.is_promoted):
            word = below[0]
        return word

    def _demote(self, top: int, word: int, core: int) -> None:
        """Put `core` in the place of its function word `word`; `top` headed its transformed block."""
        draft = self.draft
        promoted = draft.complements(word, self.is_promoted)
        members = {*promoted, *draft.complements(top, self.is_promoted)}
        beyond = [
            child
            for child in {*draft.children[word], *draft.children[top]}
            if child not in (core, top)
            and (child < word) == (word < core)
            and universal(draft.deprels[child]) not in FLAT_EXPRESSIONS
            and not (promoted and (draft.is_conj(child) or child in members))
        ]
        draft.restore_labels(word, core)
        draft.replace(word, core, beyond)

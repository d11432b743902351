"""Make function words the heads of their content words (docs/rules.md, Function heads), and undo it.

Shared by ``case``, ``det``, ``mark``, ``cop`` and ``aux``. For a content word c with the selected places
k1..km (right of c by increasing distance, then left of c by increasing distance: the order of SUD)::

    UD        c -> k1, c -> k2, c -> d              (k1, k2 function words, d any other dependent)
    inverted  k2 -> k1 -> c -> d                    (k2 has taken the place of c)

A dependent d beyond some selected place moves to the nearest place it lies beyond; everything else stays
with c. This is the smallest move that keeps a projective tree projective: the subtree of c is an
interval, and what lies beyond k_i hangs on k_i, so every member of the chain heads an interval again.

Back: c is a child of the function word f, on one side of it. What hangs on f between the two belongs to f in
UD; what hangs on f's other side belongs to c (it lay beyond f). So the inverse is exact once the side is
known. If f has children on both sides, two clues tell the side. Deprels stay on their tokens, so c has the
relation of its whole phrase (``conj``, ``advcl``, ``root``), while a subject, a punctuation mark or an adverb
is rarely the head of such a phrase. And function words have a favourite side. Both are estimated (naive
Bayes) from UD trees if there are some, otherwise from the places of the input whose side is certain, and then
once more from all its places.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from learnability.transforms.base import Family, Rule, match_labels
from learnability.transforms.draft_tree import DraftTree, IsLabel
from learnability.transforms.lifting import Phrase, is_own_of_function_word
from learnability.transforms.plan import Heads, Labels, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences, certain_words, learn, words_of
from learnability.treebanks import labels as ud
from learnability.treebanks.labels import COMPLEMENT, FLAT_EXPRESSIONS, complement_of, universal
from learnability.treebanks.sentence import ROOT, Conventions, Tree

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
    """Inverts the selected function words, each a place of its rule, in one pass.

    Places whose head may vary in the layers below (`loose`) are looked up when they matter. If a place heads
    an expression or a coordination (*because of*, *to and from*), an earlier layer may put words in its place
    (`stand_ins`): then the whole expression takes the place of the content word. At `clausal` places the
    dependents of the clause move to the function word also from the side of its content word, as far as that
    keeps projectivity.
    """

    def __init__(self, plan: Plan, rule_of: Mapping[int, FunctionHeads]) -> None:
        self.deprels = plan.tree.deprels
        self.tree = plan.tree
        self.clausal = frozenset(place for place, rule in rule_of.items() if rule.clausal)
        self.lifting = frozenset(place for place, rule in rule_of.items() if rule.lifting)
        tokens = range(1, len(plan.tree) + 1)
        self.stand_ins = plan.stand_ins()
        self.stands_for = {key: token for token, keys in self.stand_ins.items() for key in keys}
        self.dependents: dict[int, list[int]] = {}
        if self.clausal or self.lifting:
            for token in tokens:
                for head in plan.possible_heads(token):
                    self.dependents.setdefault(head, []).append(token)
        self.place_of: dict[int, int] = {}
        self.loose: set[int] = set()
        candidates: dict[int, list[int]] = {}
        for place in rule_of:
            words = [place]
            for word in words:
                words += self.stand_ins.get(word, ())
                self.place_of[word] = place
                possible = plan.possible_heads(word)
                if len(possible) > 1 or place in self.stand_ins:
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
        self._risen: dict[int, dict[int, int]] | None = None  # a dict only while no answer can change

    def _is_inverted(self, word: int, selected: Selected) -> bool:
        """Return whether `word` stands for a selected place in the layer below."""
        place = self.place_of.get(word)
        if place is None or not selected(place):
            return False
        if word not in self.loose:
            return True
        while key := next((key for key in self.stand_ins.get(place, ()) if selected(key)), 0):
            place = key
        return word == place

    def _holds(self, word: int, content: int, selected: Selected, base: Heads) -> bool:
        """Return whether `word` stands for a selected function word of `content` in the layer below."""
        return self._is_inverted(word, selected) and (word not in self.loose or base(word) == content)

    def _top(self, word: int, selected: Selected, base: Heads) -> int:
        """Return the token that stands for the block of `word`: its outermost selected place's top, or it."""
        while place := self._first(self.candidates.get(word, ())[::-1], word, selected, base):
            word = place
        return word

    def _first(self, places: Sequence[int], content: int, selected: Selected, base: Heads) -> int:
        """Return the first of `places` that stands for a selected function word of `content`, or 0."""
        for place in places:
            if self._holds(place, content, selected, base):
                return place
        return 0

    def heads(self, selected: Selected, base: Heads) -> dict[int, int]:
        self._risen = {}
        try:
            return super().heads(selected, base)
        finally:
            self._risen = None

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        place = self._first(self.candidates.get(token, ()), token, selected, base)
        # Without a selected place the token stands for its block: climb to where the block attaches.
        word = token
        while not place:
            above = base(word)
            places = self.candidates.get(above)
            if not places:
                return above
            if not self._is_inverted(word, selected):
                place = self._beyond(word, above, places, selected, base)
                if not place:
                    return above
            else:
                place = self._first(places[places.index(word) + 1 :], above, selected, base)
                word = above
        return self._top(place, selected, base)

    def _beyond(self, word: int, above: int, places: Sequence[int], selected: Selected, base: Heads) -> int:
        """Return the nearest place beyond which a dependent of `above` lies, to which it moves; 0 if there is
        none."""
        if self.lifting:
            return self._lifted(word, above, places, selected, base)
        for place in reversed(places):
            if (word < place < above or above < place < word) and self._holds(place, above, selected, base):
                return place
        if self.clausal and self._moves(word, selected):
            return self._clause_head(word, above, places, selected, base)
        return 0

    def _lifted(self, word: int, above: int, places: Sequence[int], selected: Selected, base: Heads) -> int:
        """Return the place to which an ordinary dependent of `above` rises (`lifting`), or 0."""
        if self._risen is None:
            return self._find_risen(above, places, selected, base).get(word, 0)
        if above not in self._risen:
            self._risen[above] = self._find_risen(above, places, selected, base)
        return self._risen[above].get(word, 0)

    def _find_risen(
        self, above: int, places: Sequence[int], selected: Selected, base: Heads
    ) -> dict[int, int]:
        """Return the ordinary dependents of `above` that rise (`lifting`), each with the place it goes to."""
        held = [place for place in places if self._holds(place, above, selected, base)]
        if not held:
            return {}
        dependents = [
            token
            for token in self.dependents.get(above, ())
            if token not in held and base(token) == above and not self._is_inverted(token, selected)
        ]
        lifts = [self.place_of[place] in self.lifting for place in held]

        def top(token: int) -> int:
            return self._top(token, selected, base)

        levels = Phrase(self.tree, above, held, lifts, dependents, top).find_levels()
        return {word: held[level - 1] for word, level in levels.items() if level}

    def _moves(self, word: int, selected: Selected) -> bool:
        """Return whether the phrase that `word` stands for belongs to the clause, by its relation."""
        if any(map(selected, self.stand_ins.get(word, ()))):
            return False  # another word has taken its place
        while (first := self.stands_for.get(word, 0)) and selected(word):
            word = first
        return universal(self.deprels[word - 1]) in CLAUSE_LEVEL

    def _clause_head(
        self, word: int, above: int, places: Sequence[int], selected: Selected, base: Heads
    ) -> int:
        """Return the clausal place that takes a clause-level dependent of `above` from the inside, or 0.

        This is the nearest selected place further out on the dependent's side. If that side has none, it is
        the outermost clausal one on the other side. Everything further out than the dependent (up to the
        place) must move as well, otherwise two arcs would cross.
        """
        held = [place for place in places if self._holds(place, above, selected, base)]
        same = [place for place in held if (place > above) == (word > above)]
        if same:
            head = limit = min(same, key=lambda place: abs(place - word))
            if self.place_of[head] not in self.clausal:
                return 0
        else:
            head = next((place for place in reversed(held) if self.place_of[place] in self.clausal), 0)
            if not head:
                return 0
            limit = len(self.deprels) + 1 if word > above else 0
        low, high = sorted((word, limit))
        inside = (other for other in self.dependents.get(above, ()) if low < other < high)
        crossed = any(base(other) == above and not self._moves(other, selected) for other in inside)
        return 0 if crossed else head

    def relation(self, token: int, selected: Selected, base: Heads, below: Labels) -> str:
        """Return the deprel of `token` with external labels.

        The outermost place takes the content word's relation; what a place heads gets ``comp:<its label>``.
        """
        place = self._first(self.candidates.get(token, ()), token, selected, base)
        word = token
        while not place and self._is_inverted(word, selected):
            above = base(word)
            places = self.candidates[above]
            place = self._first(places[places.index(word) + 1 :], above, selected, base)
            word = above
        return COMPLEMENT + self.deprels[self.place_of[place] - 1] if place else below(word)


class _FunctionFamily(Family["FunctionHeads"]):
    """All function-head inversions share one pass, so that their places on one word form one chain."""

    rank = 40
    learns = True

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        rule_of: dict[int, FunctionHeads] = {}
        for rule in self.rules:
            for token in rule.candidates(plan.tree):
                if rule.admits(plan.tree, token):
                    rule_of.setdefault(token, rule)
        if rule_of:
            places = [Place(token, rule.name) for token, rule in rule_of.items()]
            plan.add(_FunctionLayer(plan, rule_of), places)

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        return learn(trees, match_labels(self.rules))

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        is_place = match_labels(self.rules)
        is_promoted = match_labels([rule for rule in self.whole if rule.family.promotes])
        if known is None:
            learn_here = learn_from_complements if external else learn_from_transformed
            known = learn_here([draft.tree for draft in drafts], is_place)
        inverse = _ExternalInverse if external else _Inverse
        for draft in drafts:
            inverse(
                draft, is_place, known, is_promoted, self._choose_undone(draft), self._lifting_labels
            ).run()

    @property
    def _lifting_labels(self) -> IsLabel:
        return match_labels([rule for rule in self.rules if rule.lifting])

    def _choose_undone(self, draft: DraftTree) -> Callable[[int], bool]:
        """Return whether some rule undoes the place of a token; without a restriction a rule undoes every
        place."""
        free = [rule for rule in self.rules if rule.restriction is None]
        by_rule = [rule.choose_undone(draft) for rule in free[:1] or self.rules]
        if len(by_rule) == 1:
            return by_rule[0]
        return lambda token: any(is_wanted(token) for is_wanted in by_rule)


class FunctionHeads(Rule):
    """Turn the function words of one kind into heads."""

    clausal = False
    """Whether the dependents of the clause move to the function word from both of its sides."""
    lifting = False
    """Whether dependents move to the function word as in SUD (:mod:`learnability.transforms.lifting`)."""
    family = _FunctionFamily

    def __init__(self, conventions: Conventions, **options: str) -> None:
        super().__init__(conventions, **options)
        self.lifting = self.option.get("reattach") == "sud"


def learn_from_transformed(trees: Sequence[Tree], is_place: IsLabel) -> SidePreferences:
    """Return preferences learned from transformed trees alone.

    First only the places count whose content word has a certain side. Then, three times, the UD trees count
    that the inverse with the preferences so far gives.
    """
    learned = words_of(trees, is_place)
    for tree in trees:
        draft = DraftTree(tree)
        for token, deprel in certain_words(tree):
            if is_place(deprel):
                left, right = _sides(draft, token)
                if bool(left) != bool(right):
                    learned.see_side(tree, deprel, token, right=bool(right))
    for _ in range(3):
        drafts = [DraftTree(tree) for tree in trees]
        for draft in drafts:
            _Inverse(draft, is_place, learned).run()
        learned = learn([draft.finish_tree() for draft in drafts], is_place)
    return learned


def learn_from_complements(trees: Iterable[Tree], is_place: IsLabel) -> SidePreferences:
    """Return which function words have which label, learned from the words with a single complement."""
    learned = SidePreferences()
    for tree in trees:
        draft = DraftTree(tree)
        for token in range(1, len(draft.heads)):
            complements = draft.complements(token, is_place)
            if len(complements) == 1:
                learned.see_word(tree, token, function=True)
                learned.see_relation(tree, complement_of(draft.deprels[complements[0]]), token)
    return learned


def _sides(draft: DraftTree, place: int) -> tuple[list[int], list[int]]:
    """Return the children left and right of `place` that do not form a flat expression with it."""

    def outside(child: int) -> bool:
        return universal(draft.deprels[child]) not in FLAT_EXPRESSIONS

    left, right = draft.sides(place)
    return list(filter(outside, left)), list(filter(outside, right))


@dataclass
class _Places:
    """Hold what both inverses know about a draft.

    `is_promoted`, `is_lifting`: deprels of promoted words, and of places with dependents from both sides.
    """

    draft: DraftTree
    is_place: IsLabel
    known: SidePreferences
    is_promoted: IsLabel = lambda deprel: False
    is_wanted: Callable[[int], bool] = lambda token: True
    is_lifting: IsLabel = lambda deprel: False


@dataclass
class _Inverse(_Places):
    """Gives the content words of one draft their places back if every token has kept its label.

    It inverts the places, or if these are unknown, all wanted tokens with a place label and children.
    Promoted words may lie between the root and the old root too.
    """

    content_of: dict[int, int] = field(default_factory=dict)
    """The content words that follow from the place of the old root."""
    fits: dict[int, float] = field(default_factory=dict)
    """A cache of :meth:`_fit`, valid while the tree does not change."""

    def run(self) -> None:
        if len(self.draft.children[ROOT]) == 1:
            self._restore_root_label(self.draft.children[ROOT][0])
        draft = self.draft
        for place in filter(self.is_wanted, draft.deepest_first()):
            if draft.places is not None or self.is_place(draft.deprels[place]):
                core, beyond = self._core(place)
                if core:
                    draft.replace(place, core, beyond)

    def _restore_root_label(self, root: int) -> None:
        """Give the root label back to the old root if a function word has taken it.

        The old root is the root itself, or has a place label and hangs on it through tokens that do. Under
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
                is_old_or_place = self.is_wanted(child) or self.is_wanted(root)
                if not between and not (is_old_or_place and self.is_place(draft.deprels[child])):
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
        return -self.known.function_odds(self.draft.tree, token) - _FIT * self._fit(token)

    def _fit(self, token: int) -> float:
        """Return the log probability of the child of `token` that looks most like its content word."""
        if token in self.fits:
            return self.fits[token]
        words = [token]  # the token, the places below it, the places below them, ..., unless they are cached
        children: dict[int, list[int]] = {}
        names = self.draft.deprels
        for word in words:
            left, right = _sides(self.draft, word)
            children[word] = left + right
            words += (c for c in children[word] if self.is_place(names[c]) and c not in self.fits)
        for word in reversed(words):
            candidates = (
                self.fits[child]
                if self.is_place(names[child])
                else self.known.as_core(universal(names[child]))
                for child in children[word]
            )
            self.fits[word] = max(candidates, default=_CHILDLESS)
        return self.fits[token]

    def _core(self, place: int) -> tuple[int, list[int]]:
        """Return the content word of `place` (0 if none), and the children beyond `place` that go with it."""
        left, right = _sides(self.draft, place)
        if place in self.content_of:
            # The child has been replaced by its content word if it was a place.
            core = self.content_of[place]
            while core in self.content_of and self.is_place(self.draft.deprels[core]):
                core = self.content_of[core]
            return core, left if core > place else right
        if not right:
            return (left[0] if left else 0), []
        if not left:
            return right[-1], []
        odds = self.known.right_odds(self.draft.tree, self.draft.deprels[place], place)
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


class _ExternalInverse(_Places):
    """Gives the content words of one draft their places back: external labels identify them, and all
    deprels."""

    def run(self) -> None:
        draft = self.draft
        for top in draft.deepest_first():
            cores = draft.complements(top, self.is_place)
            place = block = top  # a function word, and the token that now stands in its place
            while cores:
                # A function word may have a function word itself. That one then has two complements: the
                # function word, and the content word that took its label.
                core = max(cores, key=lambda core: (self._share(core, place), -abs(core - top), core))
                cores.remove(core)
                if self.is_wanted(self._first_member(place)):
                    self._demote(top, block, core)
                    block = core
                else:
                    draft.attach(core, block)
                place = core

    def _share(self, core: int, place: int) -> float:
        draft = self.draft
        return self.known.relation_share(draft.tree, complement_of(draft.deprels[core]), place)

    def _first_member(self, word: int) -> int:
        """Return the token of the place that `word` stands for: below a promoted word, its first member."""
        while below := self.draft.complements(word, self.is_promoted):
            word = below[0]
        return word

    def _demote(self, top: int, word: int, core: int) -> None:
        """Put `core` in the place of its function word `word`; `top` headed its transformed block."""
        draft = self.draft
        promoted = draft.complements(word, self.is_promoted)
        lifts = self.is_lifting(complement_of(draft.deprels[core]))
        members = {*promoted, *draft.complements(top, self.is_promoted)}
        beyond = [
            child
            for child in {*draft.children[word], *draft.children[top]}
            if child not in (core, top)
            and (lifts or (child < word) == (word < core))
            and not is_own_of_function_word(draft.deprels[child])
            and not (promoted and (draft.is_conj(child) or child in members))
        ]
        draft.restore_labels(word, core)
        draft.replace(word, core, beyond)

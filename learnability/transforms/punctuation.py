"""Attach punctuation to another head (docs/rules.md, Punctuation), and undo it.

A mark is a word labelled ``punct`` without dependents. Its new head is found in the UD tree, including the
arcs of the other marks, so that no two of the old and new arcs cross: each place is an independent choice.

A transformed tree does not show where UD attached a mark. But few words can be the head: only those
from which the arc to the mark crosses no arc between words. Their position relative to the mark tells
which of them is likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from learnability.transforms.base import Family, Promises, Rule
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences, Value
from learnability.treebanks.labels import CONJ, PUNCT, labels, universal
from learnability.treebanks.sentence import ROOT, Tree

CLAUSES = labels("csubj", "csubjpass", "ccomp", "xcomp", "advcl", "acl", "parataxis")
"""Relations of the heads of clauses, beside the root word and the conjuncts of such heads."""

_UNITS = CLAUSES | labels("conj", "appos", "list", "discourse", "vocative", "dislocated", "remnant", "orphan")
"""Relations of phrases that marks set off."""


class _Sentence:
    """Heads and deprels by token (index 0: the root), the marks and the words among the tokens."""

    def __init__(self, heads: Sequence[int], deprels: Sequence[str]) -> None:
        self.heads, self.deprels = heads, deprels
        above, names = set(heads), [universal(deprel) for deprel in deprels]
        tokens = range(1, len(heads))
        self.marks = {
            token for token in tokens if names[token] in PUNCT and heads[token] != ROOT and token not in above
        }
        self.words = [token for token in tokens if token not in self.marks]
        self._roots: dict[int, int] = {}
        self._first_conjuncts: dict[int, int] = {}
        self._clausal = {t: not heads[t] or names[t] in CLAUSES for t in tokens if names[t] not in CONJ}

    def highest(self, mark: int, *, between_words: bool) -> int:
        """Return the highest word on which the mark can hang without crossing an arc.

        It is the head of the shortest arc that spans the mark, or, without such an arc, the root above its
        head. With `between_words` only arcs between words count.
        """
        over = self._over_words if between_words else self._over_tokens
        return over[mark] or self.root_above(self.heads[mark])

    @cached_property
    def _over_words(self) -> list[int]:
        return self._find_spanning_heads(self.words)

    @cached_property
    def _over_tokens(self) -> list[int]:
        return self._find_spanning_heads(range(1, len(self.heads)))

    def _find_spanning_heads(self, arcs: Iterable[int]) -> list[int]:
        """Return by position the head of the shortest spanning arc to a token of `arcs`, 0 without one."""
        heads, over = self.heads, [ROOT] * len(self.heads)
        free = list(range(len(heads) + 1))  # links each position towards the next one that no arc spans yet

        def next_free(position: int) -> int:
            while free[position] != position:
                free[position] = position = free[free[position]]
            return position

        for token in sorted((t for t in arcs if heads[t]), key=lambda t: abs(t - heads[t])):
            first, last = sorted((token, heads[token]))
            while (position := next_free(first + 1)) < last:
                over[position], free[position] = heads[token], position + 1
        return over

    def _above(self, word: int, ends: Callable[[int], bool], known: dict[int, int]) -> int:
        """Return the first word from this one up for which `ends` is true, or the root; `known` is its
        cache."""
        path = [word]
        while (word := path[-1]) not in known and self.heads[word] and not ends(word):
            path.append(self.heads[word])
        known |= dict.fromkeys(path, known.get(word, word))
        return known[word]

    def root_above(self, word: int) -> int:
        return self._above(word, lambda word: False, self._roots)

    def heads_clause(self, word: int) -> bool:
        """Return whether the word heads a clause, by its relation; for a conjunct, by that of its head."""
        return self._clausal.get(self._above(word, self._clausal.__contains__, self._first_conjuncts), True)

    def clause(self, word: int, top: int, known: dict[int, int]) -> int:
        return self._above(word, lambda word: word == top or self.heads_clause(word), known)

    def nearest(self, token: int, step: int) -> int:
        """Return the next word to the right (`step` 1) or left (-1) of a token, 0 if there is none."""
        while 0 < (token := token + step) < len(self.heads):
            if token not in self.marks:
                return token
        return ROOT

    def possible(self, mark: int, top: int) -> list[tuple[int, str]]:
        """Return the words on which the mark can hang without crossing an arc between words.

        `top` is the highest of them. Each comes with its position relative to the mark: the side, and whether
        it is the highest of all or on this side.
        """
        places = []
        last = "" if self.nearest(mark, 1) else " of the last mark"
        for side, step in (("left", -1), ("right", 1)):
            chain = [self.nearest(mark, step)]
            while chain[-1] not in (top, ROOT) and (self.heads[chain[-1]] < mark) == (step < 0):
                chain.append(self.heads[chain[-1]])
            chain = [word for word in chain if word]
            for word in chain:
                place = "end" if word == chain[-1] else "lower"
                if word == top:
                    place = "highest"
                places.append((word, f"{place} {side}{last}"))
        return places


def _sentence(tree: Tree) -> _Sentence:
    return _Sentence((ROOT, *tree.heads), ("", *tree.deprels))


class _PunctuationLayer(Layer):
    """Attaches the marks of every selected place to their new heads; `moves`: place and head of each mark."""

    def __init__(self, moves: Mapping[int, tuple[int, int]]) -> None:
        self.moves = moves
        self.region = tuple(sorted(moves))

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        place, head = self.moves[token]
        return head if selected(place) else base(token)


class _PunctuationFamily(Family["PunctuationHeads"]):
    """Marks move first: they have no dependents, and later layers move them as they move other words."""

    rank = 5
    learns = True

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        rule, sentence = self.rule, _sentence(plan.tree)
        if others := len(rule.candidates(plan.tree)) - len(sentence.marks):
            plan.skipped[f"{rule.name}: mark with dependents"] += others
        moves: dict[int, tuple[int, int]] = {}
        for marks in rule.group_marks(sentence):
            heads = {mark: rule.new_head(sentence, mark) for mark in marks}
            moved = [mark for mark in marks if heads[mark] != sentence.heads[mark]]
            moves |= {mark: (moved[0], heads[mark]) for mark in moved}
        plan.add(_PunctuationLayer(moves), {Place(place, rule.name) for place, _ in moves.values()})

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        learned = SidePreferences()
        for tree in trees:
            sentence = _sentence(tree)
            for mark in sentence.marks:
                top = sentence.highest(mark, between_words=True)
                for word, place in sentence.possible(mark, top):
                    values = _values(self.rule.name, sentence, tree.forms[mark - 1], word, place)
                    learned.see_choice(values, chosen=word == sentence.heads[mark])
        return learned

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        known = known or SidePreferences()
        for draft in drafts:
            sentence, is_wanted = _Sentence(draft.heads[:], draft.deprels), self.rule.choose_undone(draft)
            for marks in self.rule.group_marks(sentence):
                for mark in marks if any(map(is_wanted, marks)) else ():
                    draft.attach(mark, self._likeliest(draft.tree, sentence, mark, known))

    def _likeliest(self, tree: Tree, sentence: _Sentence, mark: int, known: SidePreferences) -> int:
        """Return the likeliest head of a mark in UD; of equally likely ones the highest."""
        rule = self.rule
        best, head, clauses = float("-inf"), sentence.heads[mark], dict[int, int]()
        top = sentence.highest(mark, between_words=True)
        for word, place in sentence.possible(mark, top):
            # with head=clause the UD head of a mark is in the clause of its present head
            clausal = rule.option["head"] == "clause"
            if clausal and sentence.clause(word, top, clauses) != sentence.heads[mark]:
                continue
            values = _values(rule.name, sentence, tree.forms[mark - 1], word, place)
            odds = known.choice_odds(values, rule.prior(place, sentence.deprels[word]))
            if odds >= best:
                best, head = odds, word
        return head


def _values(kind: str, sentence: _Sentence, form: str, word: int, place: str) -> list[Value]:
    relation = universal(sentence.deprels[word])
    return [(kind, place), (kind, place, relation), (kind, place, relation, form)]


class PunctuationHeads(Rule):
    """Attach marks to the head of their clause, to the word before, or as high as
    possible."""

    options: ClassVar = {"head": ("clause", "neighbour", "root")}
    # a transformed tree does not show where UD had a mark; UD trees help (docs/transformations/punct.md)
    promises = Promises(distinct_together=False, invertible=(0.16, 0.34))
    weaker: ClassVar = {
        "head=neighbour": Promises(distinct_together=False, invertible=(0.76, 0.75)),
        "head=root": Promises(distinct_together=False, invertible=(0.18, 0.44)),
    }
    labels = PUNCT
    family = _PunctuationFamily
    moves_within_phrases = False

    def group_marks(self, sentence: _Sentence) -> Iterable[list[int]]:
        """Return the marks of each place: one mark, or all between two neighbouring words."""
        runs: dict[int, list[int]] = {}
        for mark in sorted(sentence.marks):
            place = sentence.nearest(mark, -1) if self.option["head"] == "neighbour" else mark
            runs.setdefault(place, []).append(mark)
        return runs.values()

    def new_head(self, sentence: _Sentence, mark: int) -> int:
        """Return the head of the mark in the alternative."""
        if self.option["head"] == "neighbour":
            return sentence.nearest(mark, -1) or sentence.nearest(mark, 1)
        top = sentence.highest(mark, between_words=False)
        return top if self.option["head"] == "root" else sentence.clause(sentence.heads[mark], top, {})

    def prior(self, place: str, deprel: str) -> float:
        """Return how often marks hang on a word at such a place in UD, without data."""
        if place.startswith("highest"):
            return 0.5
        name = universal(deprel)
        sets_off = name in _UNITS and not (name in CONJ and self.conventions.version == 1)
        return 0.6 if place == "end right" and sets_off else 0.1

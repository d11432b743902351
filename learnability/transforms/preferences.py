"""Learn counts from trees that help to convert others back to UD (docs/rules.md, Conversion back to UD)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from math import log, log1p
from typing import Any

from learnability.transforms.draft_tree import DraftTree, IsLabel
from learnability.treebanks.labels import PUNCT, ROOT_LABEL, labels, universal
from learnability.treebanks.sentence import ROOT, Tree

_WEIGHT = 4.0
"""Pseudo-counts with which a coarser estimate enters a finer one (a form's side from its UPOS's)."""

_OUTLYING = labels("punct", "nsubj", "nsubjpass", "csubjpass", "cc", "mark", "aux", "auxpass") | labels(
    "cop", "expl", "det", "case", "clf", "neg", "discourse", "vocative"
)
"""Relations of a phrase's outlying dependents rather than of its head: the estimate without data."""

Value = tuple[str, ...]
"""A counted value: a pair (kind and content), such a pair with a deprel, or a deprel alone."""

Counted = tuple[str, Value]
"""A value, after the name of the counts (a field of :class:`SidePreferences`) to which it adds one."""


@dataclass
class SidePreferences:
    """Counts that identify the content word among the children of a function word, and flat words in a chain.

    Attributes:
        right, left: how often the content word stands right (left) of function words with a value: a pair of
            a kind (upos, deprel, form in lower case) and its content.
        core: external relations of the content words (universal part).
        far: relations of the content words' dependents beyond the function word; with a kind of construction
            before other values, possibilities that were chosen.
        near: relations of the function words' dependents on the side of the content word; with a kind,
            possibilities that were not chosen.
        functions, words: values (upos, form) of the function words, and of all tokens.
        relations: values of the function words with their deprels.
        flat, chained: among the words beyond another word of an expression, how many hang on the same word as
            that one (on that one itself), by a deprel and the side, ``right`` or ``left``.
    """

    right: Counter[Value] = field(default_factory=Counter)
    left: Counter[Value] = field(default_factory=Counter)
    core: Counter[Value] = field(default_factory=Counter)
    far: Counter[Value] = field(default_factory=Counter)
    near: Counter[Value] = field(default_factory=Counter)
    functions: Counter[Value] = field(default_factory=Counter)
    words: Counter[Value] = field(default_factory=Counter)
    relations: Counter[Value] = field(default_factory=Counter)
    flat: Counter[Value] = field(default_factory=Counter)
    chained: Counter[Value] = field(default_factory=Counter)
    names: Counter[Value] = field(default_factory=Counter)

    def as_json(self) -> dict[str, list[list[Any]]]:
        """Return the counts for JSON: for each field the values with their counts."""
        counters: dict[str, Counter[Value]] = vars(self)
        return {name: [[list(v), count] for v, count in counts.items()] for name, counts in counters.items()}

    @classmethod
    def from_json(cls, content: Mapping[str, Sequence[Sequence[Any]]]) -> SidePreferences:
        """Return the preferences that :meth:`as_json` gave; ValueError if parts exceed the whole."""
        preferences = cls()
        for counts in fields(cls):
            counter = Counter({tuple(value): count for value, count in content.get(counts.name, ())})
            setattr(preferences, counts.name, counter)
        functions = preferences.functions
        labelled = preferences.relations.items()  # their values end with the deprel
        if not functions <= preferences.words or any(n > functions[value[:-1]] for value, n in labelled):
            raise ValueError("inconsistent counts")
        return preferences

    def list_counted(self) -> list[Counted]:
        """Return what was counted, each value as often as it was."""
        names = [counts.name for counts in fields(self)]
        return [(name, value) for name in names for value in getattr(self, name).elements()]

    @classmethod
    def of_counted(cls, counted: Iterable[Counted]) -> SidePreferences:
        """Return the preferences in which this was counted, and nothing else."""
        preferences = cls()
        for (name, value), count in Counter(counted).items():
            getattr(preferences, name)[value] = count
        return preferences

    def add(self, other: SidePreferences) -> None:
        for counts in fields(self):
            getattr(self, counts.name).update(getattr(other, counts.name))

    def see_name(self, situations: Iterable[Value], external: str) -> None:
        """Count the external label of a word in a situation, described from fine to coarse."""
        for situation in situations:
            self.names[*situation, external] += 1

    def see_link(self, deprel: str, right: bool, chained: bool) -> None:
        (self.chained if chained else self.flat)[deprel, _side(right)] += 1

    def chains(self, deprel: str, right: bool) -> bool:
        """Return whether words with `deprel` on this side of their head mostly form chains in UD already."""
        value = deprel, _side(right)
        return self.chained[value] > self.flat[value]

    def see_relation(self, tree: Tree, deprel: str, token: int) -> None:
        for value in _word(tree, token):
            self.relations[*value, deprel] += 1

    def relation_share(self, tree: Tree, deprel: str, token: int) -> float:
        """Return the share of function words like `token` (by UPOS, then form) that have this deprel."""
        values = _word(tree, token)
        return _share(0.0, ((self.relations[*value, deprel], self.functions[value]) for value in values))

    def see_word(self, tree: Tree, token: int, function: bool) -> None:
        for value in _word(tree, token):
            self.words[value] += 1
            self.functions[value] += function

    def function_odds(self, tree: Tree, token: int) -> float:
        return _log_odds((self.functions[value], self.words[value]) for value in _word(tree, token))

    def see_side(self, tree: Tree, deprel: str, token: int, right: bool) -> None:
        (self.right if right else self.left).update(_values(tree, deprel, token))

    def right_odds(self, tree: Tree, deprel: str, token: int) -> float:
        """Return the log odds that the content word is right of the function word `token`."""
        values = _values(tree, deprel, token)
        return _log_odds((self.right[value], self.right[value] + self.left[value]) for value in values)

    def as_core(self, label: str) -> float:
        """Return the log probability that a content word has `label` as external relation."""
        prior = 0.2 if label in _OUTLYING else 2.0
        return log((self.core[label,] + prior) / (sum(self.core.values()) + 40.0))

    def as_far(self, label: str) -> float:
        """Return the log rate, per function word, of dependents with `label` that lie beyond it."""
        prior = 0.2 if label in _OUTLYING else 0.05
        return log((self.far[label,] + prior) / (sum(self.core.values()) + 1.0))

    def see_choice(self, values: Iterable[Value], chosen: bool) -> None:
        """Count one of several possibilities, by values that begin with the kind of construction."""
        (self.far if chosen else self.near).update(values)

    def choice_odds(self, values: Iterable[Value], prior: float) -> float:
        """Return the log odds that it is chosen, from coarse values to fine ones; `prior`: the share without
        data."""
        counts = ((self.far[value], self.far[value] + self.near[value]) for value in values)
        return _log_odds_of(_share(prior, counts))

    def as_own(self, label: str) -> float:
        """Return the log rate, per function word, of its dependents with `label` on the content side."""
        return log((self.near[label,] + 0.01) / (sum(self.core.values()) + 1.0))


def learn(trees: Iterable[Tree], is_place: IsLabel) -> SidePreferences:
    """Return preferences learned from UD trees; `is_place` tells which deprels function words have."""
    learned = SidePreferences()
    words, functions = list[Value](), list[Value]()  # counted together, which is ten times as fast
    for tree in trees:
        children = DraftTree(tree).children
        for token, deprel in enumerate(tree.deprels, start=1):
            values = _word(tree, token)
            words += values
            content = tree.heads[token - 1]
            if content == ROOT or not is_place(deprel):
                continue
            functions += values
            learned.see_relation(tree, deprel, token)
            learned.see_side(tree, deprel, token, right=content > token)
            learned.core[universal(tree.deprels[content - 1]),] += 1
            for other in children[content]:
                if other < token < content or content < token < other:
                    learned.far[universal(tree.deprels[other - 1]),] += 1
            for other in children[token]:
                if (other < token) == (content < token):
                    learned.near[universal(tree.deprels[other - 1]),] += 1
    learned.words.update(words)
    learned.functions.update(dict.fromkeys(words, 0))
    learned.functions.update(functions)
    return learned


def certain_words(tree: Tree) -> Iterator[tuple[int, str]]:
    """Yield the tokens, with deprels, whose labels are certain: neither at the root nor right below it."""
    for token, (head, deprel) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
        if head != ROOT and tree.deprels[head - 1] != ROOT_LABEL:
            yield token, deprel


def words_of(trees: Iterable[Tree], is_place: IsLabel) -> SidePreferences:
    """Return which words have a place label in transformed trees."""
    learned = SidePreferences()
    for tree in trees:
        for token, deprel in certain_words(tree):
            learned.see_word(tree, token, is_place(deprel))
    return learned


def find_words_of_first(
    draft: DraftTree, kind: str, known: SidePreferences, outer: Sequence[int]
) -> Sequence[int]:
    """Return which words beyond a conjunct, ordered outwards, belong to the first one, by their relations."""
    odds = []
    for token in outer:
        relation = universal(draft.deprels[token])
        # without data: punctuation mostly belongs to the first conjunct, other words to the other one
        odds.append(known.choice_odds([(kind, relation)], 0.9 if relation in PUNCT else 0.1))
    # arcs do not cross: from some word on outwards, all belong to the first conjunct
    sums = [sum(odds[i:]) for i in range(len(odds) + 1)]
    return outer[sums.index(max(sums)) :]


def _word(tree: Tree, token: int) -> tuple[Value, Value]:
    """Return the values of a word, regardless of its place in a tree, from coarse to fine."""
    return _values_of_word(tree.upos[token - 1], tree.forms[token - 1])


@lru_cache(maxsize=1 << 16)
def _values_of_word(upos: str, form: str) -> tuple[Value, Value]:
    return ("upos", upos), ("form", form.lower())


def _values(tree: Tree, deprel: str, token: int) -> tuple[Value, Value, Value]:
    upos, form = _word(tree, token)
    return upos, ("deprel", deprel), form


def _share(share: float, counts: Iterable[tuple[int, int]]) -> float:
    """Return the share that counts (matching, all) give, coarse to fine, each smoothed by the one before."""
    for matching, total in counts:
        share = (matching + _WEIGHT * share) / (total + _WEIGHT)
    return share


def _log_odds(counts: Iterable[tuple[int, int]]) -> float:
    return _log_odds_of(_share(0.5, counts))


def _log_odds_of(share: float) -> float:
    share = min(share, 1 - 1e-15)  # with millions of words the share would round to 1
    return log(share) - log1p(-share)


def _side(right: bool) -> str:
    return "right" if right else "left"

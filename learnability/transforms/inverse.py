"""Back from function-headed trees to UD (rule 2.7): which child is the content word, and what is whose.

In a function-headed tree the content word c is a child of the function word f, on one side of it; what
hangs on f between the two is f's own, what hangs on f's other side belonged to c (it lay beyond f). So the
inverse is exact once the side is known. Where f has children on both sides, the side is inferred from what
both sides look like: deprels stay on their tokens, so c bears the relation of its whole phrase (``conj``,
``advcl``, ``root``), while a subject, a punctuation mark or an adverb is rarely a phrase of its own; and
function words have a favourite side. Both are estimated (naive Bayes) from UD trees where some are given,
else from the sites of the input whose side is certain, and then once more from all its sites.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import log, log1p
from typing import Any

from learnability.treebanks.labels import FLAT_EXPRESSIONS, ROOT_LABEL, labels, universal
from learnability.treebanks.sentence import ROOT, Tree

IsSite = Callable[[str], bool]

_WEIGHT = 4.0
"""Pseudo-counts with which a coarser estimate enters a finer one (a form's side from its UPOS's)."""

_OUTLYING = labels("punct", "nsubj", "nsubjpass", "csubjpass", "cc", "mark", "aux", "auxpass") | labels(
    "cop", "expl", "det", "case", "clf", "neg", "discourse", "vocative"
)
"""Relations that a phrase's outlying dependents bear rather than its head: what to believe without data."""

_FIT = 0.35
"""Weight of the children's relations against forms in finding the old root: they are no independent
evidence (a good fit for one hypothesis is nearly as good for the next token down). Chosen on UD 1.3."""

_CHILDLESS = -12.0
"""Log probability of an inverted function word without children: it always heads something."""

Value = tuple[str, str]


def _values(tree: Tree, deprel: str, token: int) -> tuple[Value, Value, Value]:
    """What is known of a function word, from coarse to fine."""
    return ("upos", tree.upos[token - 1]), ("deprel", deprel), ("form", tree.forms[token - 1].lower())


def _word(tree: Tree, token: int) -> tuple[Value, Value]:
    """What a word is, whatever its place in a tree, from coarse to fine."""
    return ("upos", tree.upos[token - 1]), ("form", tree.forms[token - 1].lower())


@dataclass
class SidePreferences:
    """Counts from which the content word of a function word is told among its children, and a flat
    expression from a chain.

    Attributes:
        right, left: how often the content word stands right (left) of function words with a value: a pair
            of a kind (upos, deprel, form in lower case) and what it is.
        core: relations of the content words to the outside of their phrase (universal part).
        far: relations of the content words' dependents that lie beyond the function word.
        own: relations of the function words' own dependents on the side of the content word.
        functions, words: values (upos, form) of the function words, and of all tokens.
        relations: values of the function words with their deprels.
        flat, chained: of the words that stand beyond another in an expression, how many hang on the same
            word as that one (on that one itself); values: a deprel and the side, ``right`` or ``left``.
    """

    right: Counter[Value] = field(default_factory=Counter)
    left: Counter[Value] = field(default_factory=Counter)
    core: Counter[str] = field(default_factory=Counter)
    far: Counter[str] = field(default_factory=Counter)
    own: Counter[str] = field(default_factory=Counter)
    functions: Counter[Value] = field(default_factory=Counter)
    words: Counter[Value] = field(default_factory=Counter)
    relations: Counter[tuple[Value, str]] = field(default_factory=Counter)
    flat: Counter[Value] = field(default_factory=Counter)
    chained: Counter[Value] = field(default_factory=Counter)

    def as_json(self) -> dict[str, list[list[Any]]]:
        """The counts, JSON-serialisable: per field the values with their counts."""
        return {
            field.name: [[list(_flat(value)), count] for value, count in getattr(self, field.name).items()]
            for field in fields(self)
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Sequence[Sequence[Any]]]) -> SidePreferences:
        """The preferences that :meth:`as_json` gave."""
        return cls(
            **{
                field.name: Counter({_unflat(value): int(count) for value, count in content[field.name]})
                for field in fields(cls)
            }
        )

    def add(self, other: SidePreferences) -> None:
        """Add the counts of `other` to these."""
        for one in fields(self):
            getattr(self, one.name).update(getattr(other, one.name))

    def chains(self, deprel: str, right: bool) -> bool:
        """Whether the words with `deprel` on this side of their head mostly form chains in UD already."""
        value = deprel, _side(right)
        return self.chained[value] > self.flat[value]

    def see_link(self, deprel: str, right: bool, chained: bool) -> None:
        """Count a word that stands beyond another in an expression, chained to it or not."""
        (self.chained if chained else self.flat)[deprel, _side(right)] += 1

    def see_relation(self, tree: Tree, deprel: str, token: int) -> None:
        """Count the deprel that the function word `token` bears in UD."""
        for value in _word(tree, token):
            self.relations[value, deprel] += 1

    def bears(self, tree: Tree, deprel: str, token: int) -> float:
        """Share of function words like `token` (by UPOS, then form) that bear `deprel`."""
        share = 0.0
        for value in _word(tree, token):
            share = (self.relations[value, deprel] + _WEIGHT * share) / (self.functions[value] + _WEIGHT)
        return share

    def see_word(self, tree: Tree, token: int, function: bool) -> None:
        """Count `token`, a function word or not."""
        for value in _word(tree, token):
            self.words[value] += 1
            self.functions[value] += function

    def function_odds(self, tree: Tree, token: int) -> float:
        """Log odds of `token` being a function word of the kind, from its UPOS, then its form."""
        share = 0.5
        for value in _word(tree, token):
            share = (self.functions[value] + _WEIGHT * share) / (self.words[value] + _WEIGHT)
        return log(share) - log1p(-share)

    def right_odds(self, tree: Tree, deprel: str, token: int) -> float:
        """Log odds of the content word being right of the function word `token`."""
        share = 0.5
        for value in _values(tree, deprel, token):
            right, left = self.right[value], self.left[value]
            share = (right + _WEIGHT * share) / (right + left + _WEIGHT)
        return log(share) - log1p(-share)

    def as_core(self, label: str) -> float:
        """Log probability that a content word bears `label` to the outside."""
        believed = 0.2 if label in _OUTLYING else 2.0
        return log((self.core[label] + believed) / (sum(self.core.values()) + 40.0))

    def as_far(self, label: str) -> float:
        """Log rate, per function word, of dependents with `label` that lie beyond it."""
        believed = 0.2 if label in _OUTLYING else 0.05
        return log((self.far[label] + believed) / (sum(self.core.values()) + 1.0))

    def as_own(self, label: str) -> float:
        """Log rate, per function word, of own dependents with `label` on the side of the content word."""
        return log((self.own[label] + 0.01) / (sum(self.core.values()) + 1.0))


def _side(right: bool) -> str:
    return "right" if right else "left"


def _flat(value: Any) -> tuple[str, ...]:
    """A counted value as strings: a label, a pair of kind and value, or such a pair and a label."""
    if isinstance(value, str):
        return (value,)
    first, second = value
    return (first, second) if isinstance(first, str) else (*first, second)


def _unflat(parts: Sequence[str]) -> Any:
    one, *more = map(str, parts)
    if not more:
        return one
    return (one, more[0]) if len(more) == 1 else ((one, more[0]), more[1])


def learn(trees: Iterable[Tree], is_site: IsSite) -> SidePreferences:
    """Preferences from UD trees; `is_site` tells which deprels mark the function words."""
    learned = SidePreferences()
    for tree in trees:
        children: dict[int, list[int]] = {}
        for token, head in enumerate(tree.heads, start=1):
            children.setdefault(head, []).append(token)
        for token, deprel in enumerate(tree.deprels, start=1):
            content = tree.heads[token - 1]
            function = content != ROOT and is_site(deprel)
            learned.see_word(tree, token, function)
            if not function:
                continue
            learned.see_relation(tree, deprel, token)
            (learned.right if content > token else learned.left).update(_values(tree, deprel, token))
            learned.core[universal(tree.deprels[content - 1])] += 1
            for other in children[content]:
                if other < token < content or content < token < other:
                    learned.far[universal(tree.deprels[other - 1])] += 1
            for other in children.get(token, ()):
                if (other < token) == (content < token):
                    learned.own[universal(tree.deprels[other - 1])] += 1
    return learned


def words_of(trees: Iterable[Tree], is_site: IsSite) -> SidePreferences:
    """Which words bear a site label, counted where labels are certain: not at the root and below it."""
    learned = SidePreferences()
    for tree in trees:
        for token, deprel in enumerate(tree.deprels, start=1):
            head = tree.heads[token - 1]
            if head != ROOT and tree.deprels[head - 1] != ROOT_LABEL:
                learned.see_word(tree, token, is_site(deprel))
    return learned


def learn_from_transformed(trees: Sequence[Tree], is_site: IsSite, rounds: int = 3) -> SidePreferences:
    """Preferences from transformed trees alone.

    First the sites whose content word has a certain side, then `rounds` times from the UD trees that the
    inverse with the preferences so far gives.
    """
    learned = words_of(trees, is_site)
    for tree in trees:
        inverse = FunctionInverse(tree, is_site, learned)
        for token, deprel in enumerate(tree.deprels, start=1):
            head = tree.heads[token - 1]
            if head != ROOT and tree.deprels[head - 1] != ROOT_LABEL and is_site(deprel):
                left, right = inverse.sides(token)
                if bool(left) != bool(right):
                    (learned.right if right else learned.left).update(_values(tree, deprel, token))
    for _ in range(rounds):
        restored = [FunctionInverse(tree, is_site, learned).run() for tree in trees]
        learned = learn(restored, is_site)
    return learned


class FunctionInverse:
    """Inverts the function words of one tree: `sites`, or all that bear a site label and have children.

    `passes` tells which further labels may lie between the root and the old root (promoted coordinators);
    without `sites` only the tokens `admitted` (None: all) are taken for inverted.
    """

    def __init__(
        self,
        tree: Tree,
        is_site: IsSite,
        preferences: SidePreferences,
        sites: Collection[int] | None = None,
        passes: IsSite = lambda deprel: False,
        admitted: Collection[int] | None = None,
    ) -> None:
        self.tree, self.is_site, self.preferences, self.chosen = tree, is_site, preferences, sites
        self.passes, self.admitted = passes, admitted
        self.heads = [ROOT, *tree.heads]
        self.deprels = ["", *tree.deprels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(tree.heads, start=1):
            self.children[head].append(token)
        self.certain: dict[int, int] = {}

    def run(self) -> Tree:
        """The tree with every site inverted, deepest first."""
        self._restore_root_label()
        for site in self._deepest_first():
            if self._is_site(site) if self.chosen is None else site in self.chosen:
                self._invert(site)
        return self.tree.with_heads(self.heads[1:], self.deprels[1:])

    def sides(self, site: int) -> tuple[list[int], list[int]]:
        """The children of `site` left and right of it that are no words of a flat expression with it."""
        children = [
            child for child in self.children[site] if universal(self.deprels[child]) not in FLAT_EXPRESSIONS
        ]
        return [child for child in children if child < site], [child for child in children if child > site]

    def _restore_root_label(self) -> None:
        """Give the root label back to the old root, where a function word has taken it.

        The old root is the root itself, or it bears a site label and hangs on the root through tokens that
        do. Under each hypothesis all other tokens of these are function words, and the content words of
        those above the old root bear the root label to the outside. The likeliest is taken.
        """
        if len(self.children[ROOT]) != 1:
            return
        root = self.children[ROOT][0]
        as_root = self.preferences.as_core(ROOT_LABEL)
        above = {root: 0.0}
        best, old = self._content_odds(root), root
        reached = [root]
        for word in reached:
            for child in self.children[word]:
                between = self.passes(self.deprels[child])
                if not between and not self._is_wanted(child, root):
                    continue
                reached.append(child)
                above[child] = above[word] + _FIT * (as_root - self._fit(word))
                odds = above[child] + self._content_odds(child)
                if not between and odds > best:
                    best, old = odds, child
        self.deprels[root], self.deprels[old] = self.deprels[old], self.deprels[root]
        while old != root:
            self.certain[self.heads[old]] = old
            old = self.heads[old]

    def _content_odds(self, token: int) -> float:
        """Log odds of `token` being no inverted function word."""
        return -self.preferences.function_odds(self.tree, token) - _FIT * self._fit(token)

    def _fit(self, token: int) -> float:
        """Log probability of what looks most like the content word among the children of `token`."""
        left, right = self.sides(token)
        return max(
            (
                self._fit(child)
                if self.is_site(self.deprels[child])
                else self.preferences.as_core(universal(self.deprels[child]))
                for child in (*left, *right)
            ),
            default=_CHILDLESS,
        )

    def _is_wanted(self, token: int, root: int) -> bool:
        """Whether `token` is a site to invert, or may be the old root with the label of one."""
        sites = self.admitted if self.chosen is None else self.chosen
        return self.is_site(self.deprels[token]) and (sites is None or token in sites or root in sites)

    def _is_site(self, token: int) -> bool:
        """Whether `token` bears a site label and the word is admitted."""
        return self.is_site(self.deprels[token]) and (self.admitted is None or token in self.admitted)

    def _deepest_first(self) -> list[int]:
        order = list(self.children[ROOT])
        for token in order:
            order.extend(self.children[token])
        return order[::-1]

    def _core(self, site: int) -> tuple[int, list[int]] | None:
        """The content word of `site`, and the children beyond `site` that go with it."""
        left, right = self.sides(site)
        if site in self.certain:
            # The child has been replaced by its own content word if it was a site.
            core = self._stand_in(self.certain[site])
            return core, left if core > site else right
        if left and right:
            odds = self.preferences.right_odds(self.tree, self.deprels[site], site)
            odds += self._score(right[-1], left, right[:-1]) - self._score(left[0], right, left[1:])
            return (right[-1], left) if odds > 0 else (left[0], right)
        if left:
            return left[0], []
        return (right[-1], []) if right else None

    def _stand_in(self, token: int) -> int:
        while token in self.certain and self.is_site(self.deprels[token]):
            token = self.certain[token]
        return token

    def _score(self, core: int, far: Sequence[int], own: Sequence[int]) -> float:
        """Log likelihood of the children's relations where `core` is the content word."""
        look, names = self.preferences, self.deprels
        return (
            look.as_core(universal(names[core]))
            + sum(look.as_far(universal(names[child])) for child in far)
            + sum(look.as_own(universal(names[child])) for child in own)
        )

    def _invert(self, site: int) -> None:
        found = self._core(site)
        if found is None:
            return
        core, beyond = found
        self._attach(core, self.heads[site])
        self._attach(site, core)
        for child in beyond:
            self._attach(child, core)

    def _attach(self, token: int, head: int) -> None:
        self.children[self.heads[token]].remove(token)
        self.heads[token] = head
        insort(self.children[head], token)

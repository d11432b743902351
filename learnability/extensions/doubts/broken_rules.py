"""Find the words whose arcs break a rule of the guidelines, and what would mend them.

The official validator knows more rules, but it is too slow for a list that takes seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from learnability.extending import Guidelines, Sentence, Tree, to_v2, universal
from learnability.extensions.doubts.columns import DEPREL
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.other_half import ROOT, OtherHalves

SLIPS = 0.01
"""The share of words that are assumed to break a rule by a slip, against which it counts how usual that is
(research/doubts)."""

LARGEST_SHARE = 0.05
"""A rule that a larger share of like words breaks is broken by a convention."""

OF_EXPRESSIONS = frozenset({"compound", "flat"})
"""The relations of words that stay with a function word: together they are one expression."""

MOSTLY = 0.5
"""A word with dependents keeps a relation of function words if a larger share of its words has it."""


class BrokenRule(NamedTuple):
    """Represent a word that breaks a rule (of `Guidelines.RULES`).

    Attributes:
        word: its number in the sentence, from 1.
        share: how usually words with the relation break it so, and those that have the form, too.
        arcs: what would mend it: another arc of this word, or of its head, and what changes with it; empty if
            the treebank does not show it.
    """

    sentence: int
    word: int
    rule: str
    share: float
    reason: str
    arcs: tuple[ProposedArc, ...]

    @property
    def score(self) -> float:
        """Return how probable a slip is where slips are as usual as `SLIPS`."""
        return SLIPS / (SLIPS + self.share)


def find_broken_rules(sentences: Sequence[Sentence], halves: OtherHalves) -> list[BrokenRule]:
    """Return the words that break a rule by no convention, in their order."""
    broken = [
        (number, word, rule)
        for number, sentence in enumerate(sentences)
        for word, rule in Guidelines.find_violations(sentence.tree)
    ]
    trees = [sentence.tree for sentence in sentences]
    of_relation, of_form = Counter[str](), Counter[tuple[str, str]]()
    for (form, tag), relations in halves.relations_of_form.items():
        for deprel, count in relations.items():
            of_relation[_name(deprel, tag)] += count
            of_form[form, _name(deprel, tag)] += count
    alike = Counter(_describe_kind(trees[number], word, rule) for number, word, rule in broken)
    in_form = Counter((rule, *_read_word(trees[number], word)) for number, word, rule in broken)
    mending = _Mending(trees, halves)
    found = []
    for number, word, rule in broken:
        tree = trees[number]
        form, name = _read_word(tree, word)
        share = (alike[_describe_kind(tree, word, rule)] - 0.5) / of_relation[name]
        share = max(share, (in_form[rule, form, name] - 1 + share) / of_form[form, name])
        if share <= LARGEST_SHARE:
            reason = Guidelines.describe_violation(tree, word, rule)
            arcs = mending.propose(tree, word, rule)
            found.append(BrokenRule(number, word, rule, share, reason, arcs))
    return found


def _name(deprel: str, tag: str) -> str:
    return universal(to_v2(deprel, tag))


def _tag_of(tree: Tree, word: int) -> str:
    return tree.upos[word - 1] if word and tree.upos else "_"


def _read_word(tree: Tree, word: int) -> tuple[str, str]:
    return tree.forms[word - 1].lower(), _name(tree.deprels[word - 1], _tag_of(tree, word))


def _describe_kind(tree: Tree, word: int, rule: str) -> tuple[str, ...]:
    """Return in what words break a rule alike: their relation, with their tag or the relation above."""
    _, name = _read_word(tree, word)
    if rule == "tag":
        return rule, name, _tag_of(tree, word)
    return (rule, name, _read_word(tree, tree.heads[word - 1])[1]) if rule == "leaf" else (rule, name)


class _Mending:
    """Propose what would mend a broken rule."""

    def __init__(self, trees: Sequence[Tree], halves: OtherHalves) -> None:
        self.trees, self.halves = trees, halves
        self.usual: defaultdict[tuple[object, ...], Counter[str]] = defaultdict(Counter)

    def propose(self, tree: Tree, word: int, rule: str) -> tuple[ProposedArc, ...]:
        """Return the arcs that would mend a rule; none if the treebank does not show them."""
        head, deprel = tree.heads[word - 1], tree.deprels[word - 1]
        match rule:
            case "tag":
                usual = self.halves.of_tag(tree, word, _tag_of(tree, word)).get(DEPREL)
                return (ProposedArc(word, head, usual),) if usual else ()
            case "leaf" if not self._is_function_word(tree, head):
                usual = self._usual_relation(tree, head)
                return (ProposedArc(head, tree.heads[head - 1], usual),) if usual else ()
            case "leaf" if universal(deprel) not in OF_EXPRESSIONS:
                return (ProposedArc(word, tree.heads[head - 1], deprel),)
            case "direction":
                above = tree.heads[head - 1], tree.deprels[head - 1]
                return ProposedArc(word, *above), ProposedArc(head, word, deprel)
        return ()

    def _is_function_word(self, tree: Tree, word: int) -> bool:
        form, name = _read_word(tree, word)
        tag = _tag_of(tree, word)
        with_form = self.halves.relations_of_form[form, tag]
        with_tag = self.halves.relations[tag]
        same, same_tag = (
            sum(count for deprel, count in relations.items() if _name(deprel, tag) == name) - 1
            for relations in (with_form, with_tag)
        )
        return same + same_tag / with_tag.total() >= MOSTLY * with_form.total()

    def _usual_relation(self, tree: Tree, word: int) -> str:
        """Return the usual relation of content words with its tag, such a head, and `case` below or not."""
        if not self.usual:
            for each in self.trees:
                with_case = _words_with_case(each)
                for other, deprel in enumerate(each.deprels, start=1):
                    self.usual[_describe_place(each, other, with_case)][deprel] += 1
        tag, place = _tag_of(tree, word), _describe_place(tree, word, _words_with_case(tree))
        usual = (deprel for deprel, _ in self.usual[place].most_common())
        names = ((deprel, _name(deprel, tag)) for deprel in usual)
        return next((deprel for deprel, name in names if name not in {*Guidelines.FUNCTION, ROOT}), "")


def _words_with_case(tree: Tree) -> set[int]:
    pairs = zip(tree.heads, tree.deprels, strict=True)
    return {head for head, deprel in pairs if universal(deprel) == "case"}


def _describe_place(tree: Tree, word: int, with_case: Iterable[int]) -> tuple[object, ...]:
    head = tree.heads[word - 1]
    return _tag_of(tree, word), _tag_of(tree, head), head < word, word in with_case

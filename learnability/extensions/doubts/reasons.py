"""Say in words why a value is doubted, the strongest reason first.

Reasons are made from data: the same sentence annotated otherwise, which rule of the guidelines is broken,
what nearly all words of a context have, what parsers and classifiers that never saw the sentence say, and the
official validator.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnability.extending import Exceptional, Guidelines, Sentence, Tree, universal
from learnability.extensions.doubts.broken_rules import BrokenRule, find_broken_rules
from learnability.extensions.doubts.columns import ARCS, FEATS, FEATURE, HEAD, SUBTYPE, UPOS, features_in
from learnability.extensions.doubts.doubt import ELSEWHERE, FEW, NEVER_SAW, Doubt
from learnability.extensions.doubts.duplicates import Duplicate
from learnability.extensions.doubts.other_half import OtherHalves

if TYPE_CHECKING:
    from learnability.extensions.doubts.listing import AssessedTreebank

HALF = 0.5
"""A reason needs at least this share of the words that are counted."""

MOST = 2
"""The reasons that are given of a doubt, at most, besides the validator's."""

RELATION = "relation"
"""What the core calls the universal relation, by which the column `head` is counted."""


@dataclass(frozen=True)
class Reasons:
    """Hold what speaks against values of a treebank, by sentence, word and column.

    `rules`: those that change no word but such as are exceptions.
    """

    elsewhere: Mapping[tuple[int, int, str], str]
    exceptions: Mapping[tuple[int, int, str], Exceptional]
    broken: Mapping[tuple[int, int], Sequence[BrokenRule]]
    trees: Sequence[Tree]
    rules: Collection[str]

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        duplicates: Iterable[Duplicate],
        beside: Sequence[Sequence[Sentence]] = (),
    ) -> Reasons:
        """Return what speaks against values of these sentences; `beside`: those of other treebanks."""
        exceptions = Exceptional.find_in(sentences, least=HALF, beside=beside)
        halves = OtherHalves([sentence.tree for sentence in sentences])
        return cls.of_found(sentences, duplicates, exceptions, find_broken_rules(sentences, halves))

    @classmethod
    def of_found(
        cls,
        sentences: Sequence[Sentence],
        duplicates: Iterable[Duplicate],
        exceptions: Iterable[Exceptional],
        broken: Iterable[BrokenRule],
    ) -> Reasons:
        """Return what speaks against values by what was found of them."""
        by_place = {(each.sentence, each.position, each.column): each for each in exceptions}
        alike = {each.rule: each.alike for each in by_place.values()}
        count = Counter(each.rule for each in by_place.values())
        rules = {rule for rule in alike if count[rule] == alike[rule]}
        by_word: defaultdict[tuple[int, int], list[BrokenRule]] = defaultdict(list)
        for each in broken:
            for word in {each.word, *(arc.word for arc in each.arcs)}:
                by_word[each.sentence, word].append(each)
        trees = [sentence.tree for sentence in sentences]
        return cls(_elsewhere(duplicates), by_place, by_word, trees, rules)

    def complete(self, doubt: Doubt, assessed: AssessedTreebank | None = None) -> Doubt:
        """Return a doubt with the reasons for it, and with the rule that makes all words like it usual."""
        elsewhere = self.elsewhere.get(doubt.value_place)
        reasons = [*([elsewhere] if elsewhere else []), *self._of_broken_rules(doubt)]
        column, rule = RELATION if doubt.column == HEAD else doubt.column, ""
        usual = self.exceptions.get((doubt.sentence, doubt.word, column))
        if usual is not None and usual.usual == _proposed(doubt):
            reasons.append(usual.reason)
            is_same_arc = doubt.proposed_head == doubt.head
            rule = usual.rule if is_same_arc and usual.rule in self.rules else ""
        if assessed is not None:
            reasons += _of_parsers(doubt, assessed)
        if not reasons:
            reasons.append(FEW)
        validator = [f"the official validator: {doubt.validator}"] if doubt.validator else []
        return replace(doubt, reason="; ".join([*reasons[:MOST], *validator]), rule=rule)

    def _of_broken_rules(self, doubt: Doubt) -> list[str]:
        """Return the rules that are broken, and not by what is proposed."""
        broken = self.broken.get((doubt.sentence, doubt.word), ())
        if not broken or doubt.column not in (HEAD, UPOS):
            return []
        still = set(Guidelines.find_violations(doubt.change(self.trees[doubt.sentence])))
        return [each.reason for each in broken if (each.word, each.rule) not in still]


def _proposed(doubt: Doubt) -> str:
    return universal(doubt.proposed_deprel) if doubt.column == HEAD else doubt.proposed_value


def _of_parsers(doubt: Doubt, assessed: AssessedTreebank) -> list[str]:
    words = assessed.words
    word = int(words.flat.offsets[doubt.sentence]) + doubt.word - 1
    if doubt.column == SUBTYPE or doubt.column not in ARCS:
        agrees = any(
            each.column == doubt.column and each.classifier_agrees(word) for each in assessed.columns
        )
        value = doubt.proposed_deprel if doubt.column == SUBTYPE else doubt.proposed_value or "nothing"
        return [f"a classifier {NEVER_SAW} says {value}"] if agrees else []
    heads, relations = words.voted_heads[:, word], words.voted_relations[:, word]
    names = words.names.names
    with_head = heads == doubt.proposed_head
    exact = [
        bool(is_) and names[r] == doubt.proposed_deprel for is_, r in zip(with_head, relations, strict=True)
    ]
    of = len(heads)
    forms = words.trees[doubt.sentence].forms
    where = f"attach it to {forms[doubt.proposed_head - 1]}" if doubt.proposed_head else "make it the root"
    if doubt.proposed_head == doubt.head:
        agreeing, what = sum(exact), f"call it {doubt.proposed_deprel}"
    elif sum(exact) == with_head.sum() and doubt.proposed_head:
        agreeing, what = sum(exact), f"{where} as {doubt.proposed_deprel}"
    else:
        agreeing, what = int(with_head.sum()), where
    if agreeing:
        return [f"{agreeing} of {of} parsers {NEVER_SAW} {what}"]
    annotated = (heads == doubt.head) & (relations == words.relations[word])
    others = int((~annotated).sum())
    return [f"{others} of {of} parsers {NEVER_SAW} have another arc"] if others else []


def _elsewhere(duplicates: Iterable[Duplicate]) -> dict[tuple[int, int, str], str]:
    found: dict[tuple[int, int, str], str] = {}
    for each in duplicates:
        for value, numbers in zip(each.values, each.sentences, strict=True):
            other = next(i for i, text in enumerate(each.values) if text != value)
            for column in _doubted_columns(each, value, each.values[other]):
                told = _tell(each, column, each.values[other])
                reason = f"{ELSEWHERE} has {told} at {each.places[other]}"
                for number in numbers:
                    found.setdefault((number, each.word, column), reason)
    return found


def _doubted_columns(found: Duplicate, value: str, other: str) -> list[str]:
    if found.column != FEATS:
        return [found.doubted]
    here, there = features_in(value), features_in(other)
    return [FEATURE + name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]


def _tell(found: Duplicate, column: str, value: str) -> str:
    if found.column == HEAD:
        return f"the head {found.words[int(value) - 1]}" if value != "0" else "it as root"
    if column.startswith(FEATURE):
        name = column.removeprefix(FEATURE)
        cell = features_in(value).get(name)
        return f"{name}={cell}" if cell else f"no {name}"
    return value


def with_reasons(
    doubts: Sequence[Doubt], reasons: Reasons, assessed: AssessedTreebank | None = None
) -> list[Doubt]:
    """Return doubts with the reasons for them; those that have one keep it."""
    return [doubt if doubt.reason else reasons.complete(doubt, assessed) for doubt in doubts]

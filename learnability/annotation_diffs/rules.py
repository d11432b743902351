"""Learn for each group of differences the shortest rule that makes B of A.

A rule is chosen in two steps. The rules that a scheme can consist of (:mod:`actions`) are tried on some
sentences with the difference; those that explain most of it are restricted to the words about which they are
right (:mod:`restricting`), on half of the sentences. Precision and recall are those of the scheme as
`learnability transform` applies it, on the other half. Copies of a sentence are in the same half.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from learnability.annotation_diffs.actions import (
    Change,
    cases_in,
    changed_tree,
    changes_for,
    is_valid,
    value_at,
)
from learnability.annotation_diffs.changes import changes_in
from learnability.annotation_diffs.difference_kinds import DifferenceKind
from learnability.annotation_diffs.matching import SentencePair
from learnability.annotation_diffs.restricting import ChangedWord, best_restriction
from learnability.transforms.base import Rule
from learnability.transforms.relabelling import COLUMNS, ValueChange
from learnability.transforms.restricted_rules import mistake, restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.transforms.user_defined import kind_of
from learnability.treebanks.copies import number_groups
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import Conventions

if TYPE_CHECKING:
    from learnability.annotation_diffs.difference_kinds import Group

MOST_RULES = 10
"""For how many groups rules are learned, by default."""

FEWEST_WORDS = 5
"""The fewest words of a group, in the sentences that are learned from, for a rule to be learned."""

TRIED_SENTENCES = 120
"""On how many sentences with the difference all rules are tried."""

MOST_RESTRICTED = 3
"""How many of the tried rules are restricted."""

LEAST_EXPLAINED = 0.1
"""The share of a group that a rule explains at least, to be restricted."""

SAME = 0.8
"""The share of a group that an earlier rule makes right, and of its changes that are right, for the group to
need no rule of its own."""

NOT_GENERAL = ("sent_id", "newdoc", "newpar", "meta::")
"""How comments begin by which no rule is restricted: they name one text, or stand at another sentence."""

MOST_CASES = 20_000
"""How many words that a rule changes are learned from."""

COST, LEAST_COST = 0.01, 3.0
"""What a value of a restriction costs: this share of the words of the group, at least this many words."""

LABELS = ("external", "keep")
"""How a rule that moves heads may label the words, the default first."""


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """Hold the rule that was learned for a group, and how well it does on other sentences.

    Attributes:
        number: of the group, from 1.
        group: the differences.
        change: the rule; None where none was found.
        labels: how it labels words whose heads it moves, ``external`` or ``keep``; empty if it moves none.
        same_as: the number of an earlier group whose rule explains this group, too; 0 if there is none.
        why_none: why there is no rule, in words; empty where there is one.
        sentences: how many sentences it was learned from, and how many it was tested on.
        words: how many words of the group the tested sentences have.
        found: how many of these the rule makes as they are in B.
        changed: how many words the rule changes in the tested sentences.
        right: how many of these are then as in B, whether they are in this group or in another one.
    """

    number: int
    group: Group
    change: Change | None = None
    labels: str = ""
    same_as: int = 0
    why_none: str = ""
    sentences: tuple[int, int] = (0, 0)
    words: int = 0
    found: int = 0
    changed: int = 0
    right: int = 0

    @property
    def spec(self) -> str:
        """Return a rule as on the command line, or in the words of a scheme file; else why there is none."""
        change = self.change
        if self.same_as:
            return f"as group {self.same_as}"
        if change is None:
            return f"none: {self.why_none}"
        if isinstance(change, ValueChange) or not (kind := kind_of(change)):
            return change.spec
        restriction = [str(change.restriction)] if change.restriction else []
        return " ".join([kind, ",".join(change.labels), *restriction])

    @property
    def precision(self) -> float | None:
        """Return the share of the changed words that are then as in B; None if none is changed."""
        return self.right / self.changed if self.changed else None

    @property
    def recall(self) -> float | None:
        """Return the share of the words of the group that become as in B; None if there are none."""
        return self.found / self.words if self.words else None


@dataclass(frozen=True, slots=True)
class _Half:
    """Hold half of the sentences, and per kind of difference the words with it, by number of the sentence."""

    pairs: tuple[SentencePair, ...]
    words: Mapping[DifferenceKind, Mapping[int, frozenset[int]]]

    def with_difference(
        self, kind: DifferenceKind, most: int
    ) -> tuple[list[SentencePair], list[frozenset[int]]]:
        """Return the first sentences with a difference, and their words with it."""
        chosen = list(self.words[kind].items())[:most]
        return [self.pairs[number] for number, _ in chosen], [words for _, words in chosen]

    def words_of(self, kind: DifferenceKind) -> list[frozenset[int]]:
        words = self.words[kind]
        return [words.get(number, frozenset()) for number in range(len(self.pairs))]

    def count(self, kind: DifferenceKind) -> int:
        return sum(map(len, self.words[kind].values()))


def learn_rules(
    groups: Sequence[Group],
    pairs: Sequence[SentencePair],
    conventions: Conventions,
    *,
    most: int = MOST_RULES,
    numbers: Collection[int] = (),
    seed: int = 1,
) -> tuple[LearnedRule, ...]:
    """Return a rule for each of the largest groups, or for those with these numbers.

    `seed`: which sentences are learned from, and which are tested on.
    """
    numbered = list(enumerate(groups, start=1))
    chosen = [item for item in numbered if item[0] in numbers] if numbers else numbered[:most]
    learning, testing = _halves(pairs, {group.kind for _, group in chosen}, seed)
    sizes = len(learning.pairs), len(testing.pairs)
    learned: list[LearnedRule] = []
    # a rule that moves heads may explain the relations, too
    for number, group in sorted(chosen, key=lambda item: item[1].kind.column != "HEAD"):
        rule = _learn(LearnedRule(number, group, sentences=sizes), learned, conventions, learning)
        learned.append(_tested(rule, testing, conventions.language))
    return tuple(sorted(learned, key=lambda rule: rule.number))


def _halves(
    pairs: Sequence[SentencePair], kinds: Collection[DifferenceKind], seed: int
) -> tuple[_Half, _Half]:
    pairs = [pair for pair in pairs if pair.alignment.identical]
    groups = number_groups(pair.base.tree for pair in pairs)
    different = list(dict.fromkeys(groups))
    Random(seed).shuffle(different)
    rank = {group: number for number, group in enumerate(different)}
    ordered = sorted(zip(groups, pairs, strict=True), key=lambda item: rank[item[0]])
    halves = []
    for is_learned_from in (True, False):
        members = [pair for group, pair in ordered if (rank[group] < (len(rank) + 1) // 2) == is_learned_from]
        words: dict[DifferenceKind, dict[int, frozenset[int]]] = {kind: {} for kind in kinds}
        for number, pair in enumerate(members):
            for change in changes_in(pair):
                if change.kind in words:
                    known = words[change.kind].get(number, frozenset())
                    words[change.kind][number] = known | {change.base}
        halves.append(_Half(tuple(members), words))
    return halves[0], halves[1]


def _learn(
    rule: LearnedRule, known: Sequence[LearnedRule], conventions: Conventions, half: _Half
) -> LearnedRule:
    kind = rule.group.kind
    if kind.column != "HEAD" and kind.column.lower() not in COLUMNS:
        return replace(rule, why_none=f"rules do not change {kind.column}")
    sample, words = half.with_difference(kind, TRIED_SENTENCES)
    for earlier in known:
        if not earlier.same_as and _explains(earlier, kind, sample, words, half, conventions.language):
            return replace(rule, change=earlier.change, labels=earlier.labels, same_as=earlier.number)
    if half.count(kind) < FEWEST_WORDS:
        return replace(rule, why_none="too few words")
    changes = changes_for(kind, sample, words, conventions)
    if not changes and kind.column == "DEPREL" and ROOT_LABEL in (kind.base, kind.alternative):
        return replace(rule, why_none="only rules that move heads change the root")
    if not changes:
        what = f"{kind.alternative or 'nothing'} of {kind.base or 'nothing'}"
        return replace(rule, why_none=f"no rule makes {what}")
    best: tuple[float, int, Change] | None = None
    for position, change in enumerate(_most_explaining(changes, kind, sample, words)):
        narrowed, worth = _restricted(change, kind, half, conventions.language)
        if worth > 0 and (best is None or worth > best[0]):
            best = worth, position, narrowed
    if best is None:
        return replace(rule, why_none=NO_GOOD)
    labels = "" if isinstance(best[2], ValueChange) else _labels(best[2], sample)
    return replace(rule, change=best[2], labels=labels)


def _explains(
    earlier: LearnedRule,
    kind: DifferenceKind,
    sample: Sequence[SentencePair],
    words: Sequence[Collection[int]],
    half: _Half,
    language: str,
) -> bool:
    """Return whether an earlier rule makes most words of a group right, and is mostly right in its column."""
    change, labels = earlier.change, earlier.labels
    if change is None:
        return False
    found = _counted(change, labels, kind, sample, words, language).found
    if not found or found < SAME * sum(map(len, words)):
        return False
    counts = _counted(change, labels, kind, half.pairs, half.words_of(kind), language)
    return counts.right >= SAME * counts.changed


def _most_explaining(
    changes: Sequence[Change],
    kind: DifferenceKind,
    sample: Sequence[SentencePair],
    words: Sequence[Collection[int]],
) -> list[Change]:
    total = sum(map(len, words))
    explained = []
    for position, change in enumerate(changes):
        right = sum(
            max(0, case.weight)
            for pair, tokens in zip(sample, words, strict=True)
            for case in cases_in(change, pair, tokens, kind)
        )
        if right >= LEAST_EXPLAINED * total:
            explained.append((-right, position, change))
    return [change for _, _, change in sorted(explained, key=lambda item: item[:2])[:MOST_RESTRICTED]]


def _restricted(change: Change, kind: DifferenceKind, half: _Half, language: str) -> tuple[Change, float]:
    cases: list[ChangedWord] = []
    words = 0
    for number, pair in enumerate(half.pairs):
        tokens = half.words[kind].get(number, frozenset())
        words += len(tokens)
        cases += cases_in(change, pair, tokens, kind)
        if len(cases) >= MOST_CASES:
            break
    if not cases or not words:
        return change, 0.0
    cost = max(LEAST_COST, COST * words)

    def allows(name: str, value: str) -> bool:
        rule = None if isinstance(change, ValueChange) else change
        if name == "comment" and value.startswith(NOT_GENERAL):
            return False
        if mistake(rule, name, value, not_in_ud=[value]):
            return False
        if not isinstance(change, ValueChange):
            return True
        return is_valid(replace(change, restriction=Restriction(**{name: [value]})))

    tag = kind.tags.split(" > ")[0]  # of a feature
    restriction, worth = best_restriction(cases, cost, allows, {"upos": (tag,)} if tag else {})
    narrowed: Change
    if isinstance(change, ValueChange):
        narrowed = replace(change, restriction=restriction or None)
    else:
        narrowed = restrict_rule(change, restriction)
    return narrowed, worth / words


def _labels(rule: Rule, sample: Sequence[SentencePair]) -> str:
    """Return the way to label words that is right about more of the words that a rule changes."""
    right = dict.fromkeys(LABELS, 0)
    for pair in sample:
        made = {labels: rule.apply(pair.base.tree, labels=labels) for labels in LABELS}
        for token in range(len(pair.base)):
            names = {labels: tree.deprels[token] for labels, tree in made.items()}
            if names["external"] != names["keep"]:
                for labels, name in names.items():
                    right[labels] += name == pair.alternative.tree.deprels[token]
    return max(LABELS, key=lambda labels: right[labels])


@dataclass(frozen=True, slots=True)
class _Counts:
    """Count the words that a rule changes, those that become right, and those of the group among them."""

    changed: int = 0
    right: int = 0
    found: int = 0


def _counted(
    change: Change,
    labels: str,
    kind: DifferenceKind,
    pairs: Sequence[SentencePair],
    words: Sequence[Collection[int]],
    language: str,
) -> _Counts:
    column, detail = kind.column, kind.detail
    changed = right = found = 0
    for pair, tokens in zip(pairs, words, strict=True):
        made = changed_tree(change, pair.base.tree, labels or LABELS[0], language)
        if made is pair.base.tree:
            continue
        for token in range(1, len(made) + 1):
            new = value_at(made, token, column, detail)
            if new != value_at(pair.base.tree, token, column, detail):
                is_right = new == value_at(pair.alternative.tree, token, column, detail)
                changed += 1
                right += is_right
                found += is_right and token in tokens
    return _Counts(changed, right, found)


def _tested(rule: LearnedRule, half: _Half, language: str) -> LearnedRule:
    """Return the rule with its counts on other sentences; none if it is mostly wrong there, or never
    right."""
    kind = rule.group.kind
    if rule.change is None:
        return replace(rule, words=half.count(kind))
    counts = _counted(rule.change, rule.labels, kind, half.pairs, half.words_of(kind), language)
    rule = replace(
        rule, words=half.count(kind), found=counts.found, changed=counts.changed, right=counts.right
    )
    if counts.changed and 2 * counts.right <= counts.changed:
        return replace(rule, change=None, same_as=0, labels="", why_none=f"{NO_GOOD} on other sentences")
    if rule.words and not counts.found:
        return replace(rule, change=None, same_as=0, labels="", why_none=NONE_FOUND)
    return rule


NO_GOOD = "no rule is right more often than wrong"
"""Why a group has no rule."""

NONE_FOUND = "no rule makes any of the words on other sentences"
"""Why a group has no rule whose words stand in other sentences."""

"""Measure the properties of trees from which we expect which annotation is easier to learn.

The list was named before any result was known (research/decides). *Changed* words have another head in the
alternative. *Promoted* words have more dependents there than in UD. *Governors* are the heads of promoted
words in UD. Where an annotation moves no head, words with other tags, features or relations are both changed
and promoted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import msgspec

from learnability.comparing.annotation import Annotation, Columns
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Conventions, Tree

FEWEST_PROMOTED = 10
"""The fewest promoted words from which we expect anything."""

AGREEMENT = ("Case=", "Gender=", "Number=", "Person=")
"""What begins the features of a word that is marked by case or agreement."""


class Properties(msgspec.Struct, frozen=True):
    """Hold the properties of a construction in a treebank; None where one is not defined.

    Attributes:
        promoted: the number of promoted words.
        changed: square root of the share of the words that are changed.
        before: share of the promoted words that precede their governor.
        order_entropy: entropy of that side, in bits.
        distance: mean distance of changed words from their heads in UD, in words.
        stretch: how much longer that distance is in the alternative, in words.
        form_entropy: entropy of the forms of promoted words, in bits.
        bare: share of the words with the tag and relation of a governor that have no promoted dependent.
        marked: share of the promoted words with Case, Gender, Number or Person.
        governor_marked: share of the governors with Case.
        length: logarithm of the mean length of sentences, in words.
        size: logarithm of the number of words.
    """

    promoted: int
    changed: float
    before: float | None
    order_entropy: float | None
    distance: float | None
    stretch: float | None
    form_entropy: float | None
    bare: float | None
    marked: float
    governor_marked: float | None
    length: float
    size: float

    @property
    def suffice(self) -> bool:
        """Return whether there are enough promoted words to expect anything."""
        return self.promoted >= FEWEST_PROMOTED


NAMES = tuple(name for name in Properties.__struct_fields__ if name != "promoted")
"""The names of the properties, in order."""


def measure_properties(
    trees: Sequence[Tree], conventions: Conventions, annotations: Sequence[Annotation]
) -> list[Properties | None]:
    """Return the properties of constructions in a treebank.

    Args:
        trees: the UD trees of all its sentences.
        conventions: those of the treebank.
        annotations: the alternatives.

    Returns:
        The properties of each; None where the alternative changes no word.
    """
    kinds = Counter(_kind(tree, word) for tree in trees for word in range(1, len(tree) + 1))
    found = []
    for annotation in annotations:
        change = annotation.change(conventions, None)
        moves = Columns.HEADS in annotation.changes
        counts = _PropertyCounts(len(trees), kinds)
        for tree in trees:
            other = change(tree)
            changed = _moved_words(tree, other) if moves else _relabelled_words(tree, other)
            if changed:
                promoted = _promoted_words(tree, other, changed) if moves else changed
                counts.count_changes(tree, other, changed, promoted)
        found.append(counts.properties() if counts.changed else None)
    return found


def _moved_words(tree: Tree, other: Tree) -> list[int]:
    """Return the words (from 1) with another head."""
    if tree.heads == other.heads:
        return []
    pairs = enumerate(zip(tree.heads, other.heads, strict=True), start=1)
    return [word for word, (head, other_head) in pairs if head != other_head]


def _relabelled_words(tree: Tree, other: Tree) -> list[int]:
    """Return the words (from 1) with another tag, feature or relation."""
    found: set[int] = set()
    for name in ("upos", "xpos", "feats", "deprels"):
        values, others = getattr(tree, name), getattr(other, name)
        if values != others:
            pairs = enumerate(zip(values, others, strict=True), start=1)
            found.update(word for word, (value, other_value) in pairs if value != other_value)
    return sorted(found)


def _promoted_words(tree: Tree, other: Tree, changed: Sequence[int]) -> list[int]:
    """Return the words (from 1) that have more dependents in the other tree."""
    gained: Counter[int] = Counter(other.heads[word - 1] for word in changed)
    gained.subtract(tree.heads[word - 1] for word in changed)
    return sorted(word for word, gain in gained.items() if word and gain > 0)


def _kind(tree: Tree, word: int) -> tuple[str, str]:
    """Return the tag and the relation of a word."""
    return tree.upos[word - 1] if tree.upos else "", universal(tree.deprels[word - 1])


@dataclass
class _PropertyCounts:
    """Count what the properties are made of, where a treebank has words of these kinds."""

    sentences: int
    kinds: Counter[tuple[str, str]]
    changed: int = 0
    promoted: int = 0
    governed: int = 0
    preceding: int = 0
    arcs: int = 0
    distance: int = 0
    both_arcs: int = 0
    stretch: int = 0
    marked: int = 0
    governors: Counter[tuple[str, str]] = field(default_factory=Counter)
    governors_with_case: int = 0
    forms: Counter[str] = field(default_factory=Counter)

    def count_changes(self, tree: Tree, other: Tree, changed: Sequence[int], promoted: Sequence[int]) -> None:
        """Count the changed and the promoted words of a tree."""
        self.changed += len(changed)
        for word in changed:
            head, other_head = tree.heads[word - 1], other.heads[word - 1]
            if head:
                self.arcs += 1
                self.distance += abs(word - head)
            if head and other_head:
                self.both_arcs += 1
                self.stretch += abs(word - other_head) - abs(word - head)
        self.promoted += len(promoted)
        withheld = tree.find_withheld()
        governors = set()
        for word in promoted:
            if not withheld[word - 1]:
                self.forms[tree.forms[word - 1].lower()] += 1
            if tree.feats and _has_feature(tree.feats[word - 1], AGREEMENT):
                self.marked += 1
            if head := tree.heads[word - 1]:
                governors.add(head)
                self.governed += 1
                self.preceding += word < head
        for governor in governors:
            self.governors[_kind(tree, governor)] += 1
            if tree.feats and _has_feature(tree.feats[governor - 1], ("Case=",)):
                self.governors_with_case += 1

    def properties(self) -> Properties:
        """Return the properties; some word has been changed."""
        words = self.kinds.total()
        before = _ratio(self.preceding, self.governed)
        governors = self.governors.total()
        bare = sum(count * (1 - count / self.kinds[kind]) for kind, count in self.governors.items())
        return Properties(
            promoted=self.promoted,
            changed=sqrt(self.changed / words),
            before=before,
            order_entropy=None if before is None else entropy([before, 1 - before]),
            distance=_ratio(self.distance, self.arcs),
            stretch=_ratio(self.stretch, self.both_arcs),
            form_entropy=corrected_entropy(list(self.forms.values())),
            bare=_ratio(bare, governors),
            marked=self.marked / self.promoted if self.promoted else 0.0,
            governor_marked=_ratio(self.governors_with_case, governors),
            length=log(words / self.sentences),
            size=log(words),
        )


def _has_feature(features: str, beginnings: Iterable[str]) -> bool:
    return features.startswith(tuple(beginnings)) or any(f"|{name}" in features for name in beginnings)


def _ratio(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def entropy(shares: Sequence[float]) -> float:
    """Return the entropy of a distribution, in bits."""
    return -sum(share * log(share) for share in shares if share > 0) / log(2) + 0.0


def corrected_entropy(counts: Sequence[int]) -> float | None:
    """Return the entropy of the distribution from which these counts are a sample, in bits.

    Source: Miller (1955), Note on the bias of information estimates.

    Args:
        counts: how often each kind was seen, above 0.

    Returns:
        The estimate; None without any.
    """
    total = sum(counts)
    if not total:
        return None
    return entropy([count / total for count in counts]) + (len(counts) - 1) / (2 * total * log(2))

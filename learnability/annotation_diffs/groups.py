"""Put differences of one kind into groups, and count their values in both versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from learnability.annotation_diffs.changes import ATTRIBUTES, COLUMNS, WordChange, features_of
from learnability.annotation_diffs.difference_kinds import (
    ANY_VALUE,
    APART,
    ORDER,
    DifferenceKind,
    Example,
    Group,
    ValueCounts,
)
from learnability.annotation_diffs.grew import queries_for
from learnability.annotation_diffs.matching import SentencePair
from learnability.annotation_diffs.version import Version

EXAMPLES = 3
"""The sentences that show a group."""

SHORT = range(4, 17)
"""The numbers of words with which a sentence shows a difference at a glance."""


class Values:
    """Count the values in the columns of a version, each column when it is first needed."""

    def __init__(self, version: Version) -> None:
        self._trees = [sentence.tree for sentence in version.sentences]
        self._counts: dict[str, Counter[str]] = {}

    def count(self, column: str, value: str) -> int:
        """Return how many words have this value in this column; an empty value stands for `_`."""
        counts = self.all(column)
        return counts[value] if value else counts[""] + counts["_"]

    def all(self, column: str) -> Counter[str]:
        """Return how many words have each value of a column."""
        if column not in self._counts:
            counts = Counter[str]()
            for tree in self._trees:
                counts.update(getattr(tree, ATTRIBUTES[column]))
            self._counts[column] = counts
        return self._counts[column]

    @cached_property
    def _features(self) -> tuple[Counter[tuple[str, str, str]], Counter[tuple[str, str]]]:
        cells = Counter[tuple[str, str]]()
        for tree in self._trees:
            cells.update(zip(tree.upos, tree.feats, strict=bool(tree.upos and tree.feats)))
        values, names = Counter[tuple[str, str, str]](), Counter[tuple[str, str]]()
        for (tag, cell), words in cells.items():
            for name, value in features_of(cell).items():
                values[tag, name, value] += words
                names[tag, name] += words
        return values, names

    def count_feature(self, tag: str, name: str, value: str) -> int:
        """Return how many words with a tag have this value of a feature; empty: lack the feature."""
        values, names = self._features
        return values[tag, name, value] if value else self.count("UPOS", tag) - names[tag, name]

    def count_features(self) -> Counter[str]:
        """Return how many words have each feature, whatever its value and their tags."""
        totals = Counter[str]()
        for (_, name), words in self._features[1].items():
            totals[name] += words
        return totals


class GroupedChanges:
    """Collect the differences of sentence after sentence into groups."""

    def __init__(self) -> None:
        self._words = Counter[DifferenceKind]()
        self._sentences = Counter[DifferenceKind]()
        self._enhanced = Counter[DifferenceKind]()
        self._examples: dict[DifferenceKind, list[tuple[tuple[int, int, int], Example]]] = {}

    def add(self, pair: SentencePair, changes: Sequence[WordChange], number: int) -> None:
        """Add the differences of a sentence, which has this number."""
        first: dict[DifferenceKind, WordChange] = {}
        for change in changes:
            self._words[change.kind] += 1
            self._enhanced[change.kind] += change.is_enhanced
            first.setdefault(change.kind, change)
        self._sentences.update(first.keys())
        rank = (_difficulty(pair), len(changes), number)
        for kind, change in first.items():
            kept = self._examples.setdefault(kind, [])
            if len(kept) < EXAMPLES or rank < kept[-1][0]:
                kept.append((rank, Example(pair, change.base, change.alternative)))
                kept.sort(key=lambda item: item[0])
                del kept[EXAMPLES:]

    def groups(self, base: Values, alternative: Values) -> tuple[Group, ...]:
        """Return the groups, the largest first; those that are counted apart come last."""
        groups = []
        for kind, words in self._words.items():
            base_value, alternative_value = _value_counts(kind, words, base, alternative)
            groups.append(
                Group(
                    **kind._asdict(),
                    words=words,
                    sentences=self._sentences[kind],
                    base_value=base_value,
                    alternative_value=alternative_value,
                    queries=queries_for(kind),
                    enhanced=self._enhanced[kind],
                    examples=tuple(example for _, example in self._examples[kind]),
                )
            )
        return tuple(sorted(groups, key=_order))


def _difficulty(pair: SentencePair) -> int:
    """Return how badly a sentence suits a drawing: 0 well, 1 too long, 2 its words are unknown or differ."""
    if not pair.alignment.identical or any(pair.base.tree.find_withheld()):
        return 2
    return int(len(pair.base) not in SHORT)


def _order(group: Group) -> tuple[bool, int, int, DifferenceKind, DifferenceKind]:
    """Return a key that hardly depends on which version is the base."""
    kind = group.kind
    unordered = min(kind, kind.mirror_kind())
    return group.is_apart, -group.words, COLUMNS.index(kind.column), unordered, kind


def _value_counts(
    kind: DifferenceKind, words: int, base: Values, alternative: Values
) -> tuple[ValueCounts | None, ValueCounts | None]:
    if kind.detail == ORDER:
        return None, None
    if kind.column == "FEATS":
        first, last = kind.tags.split(" > ")[0], kind.tags.split(" > ")[-1]
        of = base.count("UPOS", first), alternative.count("UPOS", last)
        pairs = [
            (
                base.count_feature(first, kind.detail, value),
                alternative.count_feature(last, kind.detail, value),
            )
            for value in (kind.base, kind.alternative)
        ]
    elif (
        kind.column in APART
        or not (kind.base or kind.alternative)
        or (kind.column == "LEMMA" and ANY_VALUE in (kind.base, kind.alternative))
    ):
        return None, None
    elif kind.column == "HEAD":
        of = base.count("DEPREL", kind.base), alternative.count("DEPREL", kind.alternative)
        return ValueCounts(words, words, *of), None
    else:
        pairs = [
            (base.count(kind.column, value), alternative.count(kind.column, value))
            for value in (kind.base, kind.alternative)
        ]
        of = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    first_value, second_value = (ValueCounts(*pair, *of) for pair in pairs)
    return first_value, second_value


@dataclass(frozen=True, slots=True)
class FeatureCounts:
    """Count the words that have a feature, lose it, get it, or get another value, whatever their tags."""

    name: str
    base: int
    alternative: int
    removed: int
    added: int
    changed: int


def feature_counts(groups: Iterable[Group], base: Values, alternative: Values) -> tuple[FeatureCounts, ...]:
    """Return what became of each feature that differs, the one with most differences first."""
    removed, added, changed = Counter[str](), Counter[str](), Counter[str]()
    for group in groups:
        kind = group.kind
        if kind.column == "FEATS" and kind.detail != ORDER:
            counts = changed if kind.base and kind.alternative else removed if kind.base else added
            counts[kind.detail] += group.words
    if not (removed or added or changed):
        return ()
    here, there = base.count_features(), alternative.count_features()
    rows = [
        FeatureCounts(name, here[name], there[name], removed[name], added[name], changed[name])
        for name in {*removed, *added, *changed}
    ]
    return tuple(sorted(rows, key=lambda row: (-(row.removed + row.added + row.changed), row.name)))

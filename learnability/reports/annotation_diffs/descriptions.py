"""Say in words what differs, how often, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnability.annotation_diffs.difference_kinds import (
    NONE,
    PLACES,
    ROOT_PLACE,
    DifferenceKind,
    Group,
    ValueCounts,
)
from learnability.annotation_diffs.matching import Divided, SentencePair
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import Sentence

if TYPE_CHECKING:
    from learnability.annotation_diffs.annotation_diff import AnnotationDiff


def explanation_of(group: Group) -> list[str]:
    """Return sentences that explain a group: how many words, where heads moved, counts on both sides."""
    kind = group.kind
    sentences = [f"{count_noun(group.words, 'word')} in {count_noun(group.sentences, 'sentence')}."]
    if kind.column == "HEAD":
        new, old = kind.detail.split(", ")
        was = "It is the root there" if new == ROOT_PLACE else f"Its head there is {PLACES[new]} here"
        now = "It is the root here" if old == ROOT_PLACE else f"Its head here is {PLACES[old]} there"
        sentences.append(f"{was}. {now}.")
    if group.enhanced:
        sentences.append(
            f"The enhanced graph differs in the same way at {count_noun(group.enhanced, 'word')}."
        )
    for value, counts in ((kind.base, group.base_value), (kind.alternative, group.alternative_value)):
        if counts is not None:
            sentences.append(
                _describe_moves(kind, counts)
                if kind.column == "HEAD"
                else f"{_value_named(kind, value)}: {sides(counts)}."
            )
    return sentences


def heading_of(group: Group, number: int) -> str:
    return f"{number}. {', '.join(group.columns)}: {group.kind.describe() or NONE}"


def _describe_moves(kind: DifferenceKind, counts: ValueCounts) -> str:
    here, there = here_and_there(counts)
    return (
        f"{here} words with the relation {kind.base} here move so, and {there} with {kind.alternative} there."
    )


def _value_named(kind: DifferenceKind, value: str) -> str:
    if kind.column == "FEATS":
        return f"{kind.detail}={value}" if value else f"no {kind.detail}"
    return value or NONE


def shown_counts(group: Group) -> ValueCounts | None:
    """Return the counts of the value that a table shows: that of the base, else that of the alternative."""
    has_old_value = group.kind.base or group.kind.column == "HEAD"
    return group.base_value if has_old_value else group.alternative_value


def sides(counts: ValueCounts) -> str:
    """Return how often a value occurs in both versions: ``411 of 620 here, 3 of 590 there``."""
    here, there = here_and_there(counts)
    return f"{here} here, {there} there"


def here_and_there(counts: ValueCounts) -> tuple[str, str]:
    """Return how often a value occurs in the base, and in the alternative: ``411 of 620``."""
    return (
        f"{counts.base:,} of {counts.of_base:,}",
        f"{counts.alternative:,} of {counts.of_alternative:,}",
    )


@dataclass(frozen=True, slots=True)
class Fate:
    """Hold the sentences that had the same fate."""

    name: str
    text: tuple[str, str]
    names: tuple[str, ...]

    def sentence(self, most: int = 3) -> str:
        """Return it in words, with examples."""
        count = len(self.names)
        return f"{count_noun(count, 'sentence')} {self.text[count != 1]} ({name_examples(self.names, most)})."


def fates_of(comparison: AnnotationDiff) -> list[Fate]:
    """Return what became of the sentences that are not the same in both versions, without empty ones."""
    matching = comparison.matching

    def paired(test: Callable[[SentencePair], bool]) -> tuple[str, ...]:
        return tuple(_both_names(pair) for pair in matching.pairs if test(pair))

    fates = (
        Fate("reworded", ("has other words", "have other words"), paired(lambda pair: pair.is_reworded)),
        Fate(
            "renamed", ("has another sent_id", "have another sent_id"), paired(lambda pair: pair.is_renamed)
        ),
        Fate("moved", ("is in another set", "are in another set"), paired(lambda pair: pair.is_moved)),
        Fate(
            "split",
            ("was split and is not compared", "were split and are not compared"),
            _describe_divided(matching.split),
        ),
        Fate(
            "merged",
            ("consists of several and is not compared", "consist of several and are not compared"),
            _describe_divided(matching.merged),
        ),
        Fate("deleted", ("was deleted", "were deleted"), _names(matching.deleted)),
        Fate("new", ("is new", "are new"), _names(matching.new)),
        Fate(
            "copies_removed",
            ("was a further copy and is gone", "were further copies and are gone"),
            _names(matching.copies_removed),
        ),
        Fate(
            "copies_added",
            ("is a further copy of one", "are further copies of others"),
            _names(matching.copies_added),
        ),
    )
    return [fate for fate in fates if fate.names]


def _names(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    return tuple(sentence.name for sentence in sentences)


def _both_names(pair: SentencePair) -> str:
    if pair.is_renamed:
        return f"{pair.base.name} → {pair.alternative.name}"
    if pair.is_moved:
        return f"{pair.base.name}: {pair.base_set} → {pair.alternative_set}"
    return pair.base.name


def _describe_divided(sentences: Sequence[Divided]) -> tuple[str, ...]:
    return tuple(
        f"{divided.whole.name} = {' + '.join(part.name for part in divided.parts)}" for divided in sentences
    )


def name_examples(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def per_cent(count: int, total: int) -> str:
    """Return a share in percent; small ones with two decimals."""
    share = 100 * count / total if total else 0.0
    if count and share < 0.01:
        return "under 0.01 %"
    return f"{share:.0f} %" if share >= 10 else f"{share:.1f} %" if share >= 1 else f"{share:.2f} %"

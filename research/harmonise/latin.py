"""How well the lines of counting, and those of parsers, name what a hand changed in four Latin treebanks.

    python research/harmonise/latin.py FOLDER [--of ITTB --of LLCT ...] [--jobs 2]

FOLDER has `ud-2.10` and `harmonised` with four treebanks each. A group is the words that the hand changed in
the same way. A line finds it if it concerns at least half of its words, and the hand changed at least half of
the words of the line. The lines of parsers come surest first; other orders were compared up to commit
c1eb2d5f.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnability.annotation_diffs.annotation_diff import compare_versions
from learnability.annotation_diffs.changes import changes_in
from learnability.annotation_diffs.difference_kinds import DifferenceKind
from learnability.extensions.harmonise.conventions import Convention, TreebankConventions
from learnability.extensions.harmonise.counting import CountedTreebanks
from learnability.extensions.harmonise.pattern_lines import (
    SEEN_BY_PARSERS,
    every_pattern_line,
    first_words,
)
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from research.harmonise.gold import NAMES, Gold, read_gold
from research.harmonise.in_memory import compare_treebanks

COLUMNS = ("HEAD", "DEPREL", "UPOS")
"""The columns that parsers see."""

MOST_LINES, MOST_GROUPS, HALF = 20, 20, 0.5

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Changed:
    """The words of a treebank that a hand changed.

    Attributes:
        groups: bool[words] of the largest groups.
        every: bool[words], all that it changed in heads, relations or tags.
    """

    groups: Mapping[DifferenceKind, Flags]
    every: Flags


def changed_by_hand(gold: Gold) -> Changed:
    """Return the words that a hand changed, by groups, the largest first."""
    starts, start = {}, 0
    for sentence in gold.before.sentences:
        starts[id(sentence)] = start
        start += len(sentence)
    comparison = compare_versions(gold.before, gold.after)
    kinds = [each.kind for each in comparison.groups if not each.is_apart and each.kind.column in COLUMNS]
    flags = {kind: np.zeros(start, np.bool_) for kind in kinds}
    for pair in comparison.matching.pairs:
        for change in changes_in(pair):
            if change.kind in flags and change.base:
                flags[change.kind][starts[id(pair.base)] + change.base - 1] = True
    every = np.logical_or.reduce([*flags.values(), np.zeros(start, np.bool_)])
    return Changed({kind: flags[kind] for kind in kinds[:MOST_GROUPS]}, every)


@dataclass(frozen=True)
class Named:
    """How well the best of some lines names a group: the share of its words, and of the words of the line."""

    recall: float = 0.0
    precision: float = 0.0

    @property
    def is_found(self) -> bool:
        return min(self.recall, self.precision) >= HALF

    def __str__(self) -> str:
        return f"{self.precision:.0%} at {self.recall:.0%}" if self.recall else "–"


def best_line(group: Flags, every: Flags, lines: Sequence[Flags]) -> Named:
    """Return how well a group is named by the line for which the worse of the two shares is best."""
    named = [
        Named(float(group[line].sum() / max(1, group.sum())), float(every[line].mean())) for line in lines
    ]
    return max(named, key=lambda each: (min(each.recall, each.precision), each.recall), default=Named())


def counted_lines(found: TreebankConventions, start: int, words: int) -> list[Flags]:
    """Return bool[words] for each counted line on what parsers see, in order."""
    places = [each.places for each in found.inventories if each.column in (*SEEN_BY_PARSERS, "deprel")]
    details: list[Convention] = [line for each in found.inventories for line in each.details]
    for line in (*details, *found.conventions):
        if line.columns[0] in (*SEEN_BY_PARSERS, "subtype"):
            places.append(line.places)
    return [flags_of(each - start, words) for each in places]


def flags_of(places: NDArray[np.int64], words: int) -> Flags:
    flags = np.zeros(words, np.bool_)
    flags[places] = True
    return flags


def print_groups(comparison: TreebankComparison, golds: Sequence[Gold], of: Sequence[str]) -> None:
    """Print for each group how well lines of counting and of parsers name it, then how many each find."""
    counted = CountedTreebanks(comparison.names, comparison.table).found
    scores: dict[str, tuple[int, int]] = {}
    print("treebank | group | words | chance | counted lines | lines of parsers")
    for number, gold in enumerate(golds):
        if gold.before.name not in of:
            continue
        hand, start = changed_by_hand(gold), first_words(comparison)[number]
        words = len(hand.every)
        lines = sorted(every_pattern_line(comparison, number), key=lambda line: -line.sureness)
        lists = (
            counted_lines(counted[number], start, words)[:MOST_LINES],
            [flags_of(line.places - start, words) for line in lines[:MOST_LINES]],
        )
        named = [[best_line(group, hand.every, shown) for shown in lists] for group in hand.groups.values()]
        for (kind, group), both in zip(hand.groups.items(), named, strict=True):
            print(
                f"{gold.before.name} | {kind.column} {kind.describe()} | {group.sum()} | "
                f"{hand.every.mean():.1%} | {' | '.join(map(str, both))}"
            )
        by_counting, by_parsers = (
            sum(each.is_found for each in column) for column in zip(*named, strict=True)
        )
        scores[gold.before.name] = by_counting, by_parsers
    print(f"\ngroups found among the first {MOST_LINES} lines | of counting | of parsers")
    for name, counts in scores.items():
        print(f"{name} | {counts[0]} | {counts[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--of", action="append", choices=NAMES)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    golds = [read_gold(arguments.folder, name) for name in NAMES]
    versions = [gold.before for gold in golds]
    comparison = compare_treebanks(versions, with_scores=False, jobs=arguments.jobs)
    print_groups(comparison, golds, arguments.of or list(NAMES))


if __name__ == "__main__":
    main()

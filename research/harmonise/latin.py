"""How well counted lines name what a hand changed in four Latin treebanks.

    python research/harmonise/latin.py FOLDER [--of ITTB --of LLCT ...]

FOLDER has `ud-2.10` and `harmonised` with four treebanks each. A group is the words that the hand changed in
the same way. A line finds it if it concerns at least half of its words, and the hand changed at least half of
the words of the line. Lines that only parsers found were compared up to commit ce9c268d.
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
from learnability.extensions.harmonise.line_costs import SEEN_BY_PARSERS
from learnability.regularities.word_table import WordTable
from research.harmonise.gold import NAMES, Gold, read_gold

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
    flags = np.zeros((len(places), words), np.bool_)
    for of_line, concerned in zip(flags, places, strict=True):
        of_line[concerned - start] = True
    return list(flags)


def print_groups(golds: Sequence[Gold], of: Sequence[str]) -> None:
    """Print for each group how well counted lines name it, then how many they find."""
    table = WordTable([gold.before.sentences for gold in golds])
    counted = CountedTreebanks(tuple(gold.before.name for gold in golds), table).found
    scores: dict[str, int] = {}
    print("treebank | group | words | chance | counted lines")
    for number, gold in enumerate(golds):
        if gold.before.name not in of:
            continue
        hand, start = changed_by_hand(gold), int((table.treebank < number).sum())
        lines = counted_lines(counted[number], start, len(hand.every))[:MOST_LINES]
        named = {kind: best_line(group, hand.every, lines) for kind, group in hand.groups.items()}
        for kind, best in named.items():
            print(
                f"{gold.before.name} | {kind.column} {kind.describe()} | {hand.groups[kind].sum()} | "
                f"{hand.every.mean():.1%} | {best}"
            )
        scores[gold.before.name] = sum(best.is_found for best in named.values())
    print(f"\ngroups found among the first {MOST_LINES} lines")
    for name, count in scores.items():
        print(f"{name} | {count}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--of", action="append", choices=NAMES)
    arguments = parser.parse_args()
    print_groups([read_gold(arguments.folder, name) for name in NAMES], arguments.of or list(NAMES))


if __name__ == "__main__":
    main()

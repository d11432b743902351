"""How well `harmonise` finds what a hand changed in four Latin treebanks.

    python research/harmonise/latin.py FOLDER [--of ITTB --of LLCT ...] [--jobs 2]

FOLDER has `ud-2.10` and `harmonised` with four treebanks each. Constants were chosen on ITTB and LLCT, before
PROIEL and UDante were looked at.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from learnability.annotation_diffs.annotation_diff import compare_versions
from learnability.annotation_diffs.changes import changes_in
from learnability.annotation_diffs.difference_kinds import Group
from learnability.extensions.harmonise.cross_parses import CrossParses
from learnability.extensions.harmonise.patterns import ARC, TAG
from learnability.extensions.harmonise.ranked_patterns import PatternValues, rank_patterns
from learnability.extensions.harmonise.ranking import rank_conflicts, share_against
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.word_kinds import WordKind, tell_kinds
from learnability.extensions.harmonise.words import Flags, Floats
from learnability.reports.annotation_diffs.descriptions import what_differs
from research.harmonise.gold import NAMES, Gold, read_gold
from research.harmonise.in_memory import compare_treebanks

DEPTHS = (200, 500, 1000)
"""The numbers of words that are looked at, the most suspect first."""

MOST_PATTERNS, MOST_GROUPS = 30, 20
"""How many patterns are compared with how many of the largest groups of the hand's changes."""

LARGE = 20
"""The words of a group that is a convention rather than a slip."""


def precision(scores: Floats, compared: Flags, changed: Flags, depth: int) -> float:
    """Return the share of changed words among the first ones of those that are compared."""
    places = np.flatnonzero(compared)
    first = places[np.argsort(-scores[places], kind="stable")][:depth]
    return float(changed[first].mean())


def print_ranking(parses: CrossParses, golds: list[Gold], of: list[str]) -> None:
    print("treebank | changed | order | " + " | ".join(f"at {n}: precision, times chance" for n in DEPTHS))
    for number, gold in enumerate(golds):
        if gold.before.name not in of:
            continue
        others = parses.others(number)
        votes = np.mean([share_against(parses, number, other) for other in others], axis=0)
        doubts = share_against(parses, number, number)
        orders = {
            "conflicts of conventions": rank_conflicts(parses, number),
            "foreign votes where home agrees": votes * (1 - doubts),
            "home folds alone": doubts,
        }
        for kind, changed in (("heads", gold.heads), ("heads or relations", gold.arcs)):
            base = float(changed[gold.compared].mean())
            if not base:
                continue
            for name, scores in orders.items():
                found = [precision(scores, gold.compared, changed, depth) for depth in DEPTHS]
                cells = " | ".join(f"{value:.3f}, {value / base:.1f}" for value in found)
                print(f"{gold.before.name} | {kind} {base * 100:.1f} % | {name} | {cells}")


def covering(group: Group, patterns: Sequence[PatternValues]) -> bool:
    """Return whether patterns say what a group of the hand's changes says: the old and the new value."""
    kind = group.kind
    return PatternValues(TAG if kind.column == "UPOS" else ARC, kind.base, kind.alternative) in patterns


def print_groups(comparison: TreebankComparison, golds: list[Gold], of: list[str]) -> None:
    print("\ntreebank | largest groups of the hand | of these among the first patterns | groups that are not")
    for number, gold in enumerate(golds):
        if gold.before.name not in of:
            continue
        ranked = rank_patterns([*comparison.arcs, *comparison.tags], number)
        first = [each.values for each in ranked[:MOST_PATTERNS]]
        every = compare_versions(gold.before, gold.after).groups
        for columns in (("HEAD", "DEPREL", "UPOS"), ("HEAD", "DEPREL", "UPOS", "FEATS", "LEMMA")):
            groups = [g for g in every if not g.is_apart and g.kind.column in columns][:MOST_GROUPS]
            missed = [g for g in groups if not covering(g, first)]
            names = ", ".join(f"{g.kind.column} {what_differs(g.kind)} ({g.words})" for g in missed)
            found = f"{len(groups)} {'/'.join(columns)} | {len(groups) - len(missed)}"
            print(f"{gold.before.name} | {found} | {names}")


def print_kinds(comparison: TreebankComparison, golds: list[Gold], of: list[str]) -> None:
    print(
        "\ntreebank | kind | words | head changed by the hand, % | of these in groups of 20 words and more, %"
    )
    for number, gold in enumerate(golds):
        if gold.before.name not in of:
            continue
        kinds = tell_kinds(comparison.parses, comparison.arcs, number)
        large = words_of_large_groups(gold)
        for kind in WordKind:
            chosen = np.array([each == kind for each in kinds]) & gold.compared
            changed = chosen & gold.heads
            share, of_groups = (
                100 * float(part.sum()) / max(1, int(whole.sum()))
                for part, whole in ((changed, chosen), (changed & large, changed))
            )
            print(f"{gold.before.name} | {kind} | {chosen.sum()} | {share:.1f} | {of_groups:.0f}")


def words_of_large_groups(gold: Gold) -> Flags:
    """Return the words whose heads a hand changed as those of at least 20 words: a convention, no slip."""
    starts, start = {}, 0
    for sentence in gold.before.sentences:
        starts[id(sentence)] = start
        start += len(sentence)
    comparison = compare_versions(gold.before, gold.after)
    large = {g.kind for g in comparison.groups if g.kind.column == "HEAD" and g.words >= LARGE}
    flags = np.zeros(start, bool)
    for pair in comparison.matching.pairs:
        for change in changes_in(pair):
            if change.kind in large:
                flags[starts[id(pair.base)] + change.base - 1] = True
    return flags


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--of", action="append", choices=NAMES)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    golds = [read_gold(arguments.folder, name) for name in NAMES]
    of = arguments.of or list(NAMES)
    versions = [gold.before for gold in golds]
    comparison = compare_treebanks(versions, with_matrix=False, jobs=arguments.jobs)
    print_ranking(comparison.parses, golds, of)
    print_groups(comparison, golds, of)
    print_kinds(comparison, golds, of)


if __name__ == "__main__":
    main()

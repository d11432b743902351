"""How much a parser gains on a sentence from a similar one that it has learned from.

    python research/copies/copies.py FOLDER ... [--seeds N] [--folds K]

FOLDER holds a treebank. Of sentences with the same words one is kept. All are parsed in folds, twice: by a
parser that has learned from all other folds, and by one that has not seen the sentences that are similar to a
tested sentence. As many others, chosen at random, are taken from the first one. Sentences are grouped by the
largest share of words that they have in common with a sentence of another fold, and by the shorter of the
two. Then: how many sentences have copies by the rule of the program, and the largest group.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from learnability.parsing.parser import Parser
from learnability.treebanks.copies import Words, comparable_words, number_groups
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree
from learnability.treebanks.splits import read_treebank

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Where the classes of shares begin; below the first one, sentences are not similar."""

SHORT, MEDIUM = 5, 8
"""Words at which the classes of lengths begin."""


class Similar(NamedTuple):
    """Hold the largest share of words in common with another fold, and the words of the shorter sentence."""

    share: float
    words: int


class Gain(NamedTuple):
    """Hold the words of a sentence, and how many more have the right head with similar sentences."""

    words: int
    more: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the gains, and how many sentences have copies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args(arguments)
    gains: defaultdict[tuple[str, str], list[Gain]] = defaultdict(list)
    counts: list[str] = []
    for folder in given.folders:
        files = locate_treebank(folder)
        trees = [sentence.tree for _, part in read_treebank(files).splits() for sentence in part]
        counts.append(count_copies(files.name, trees))
        for key, gain in measure_gains(trees, given.folds, range(1, given.seeds + 1)):
            gains[key].append(gain)
    print("| words in common | shorter sentence | sentences | words | points more (standard error) |")
    print("|---|---|--:|--:|--:|")
    for key in sorted(gains):
        print(describe_gains(key, gains[key]))
    print("\n| treebank | sentences | in groups, same words | and near copies | largest group |")
    print("|---|--:|--:|--:|--:|")
    print("\n".join(counts))


def count_copies(name: str, trees: Sequence[Tree]) -> str:
    """Return how many sentences have copies, as a row."""
    same = Counter(map(comparable_words, trees))
    groups = Counter(number_groups(trees))
    of_same, of_all = (sum(size for size in sizes.values() if size > 1) for sizes in (same, groups))
    share = f"{100 * of_same / len(trees):.1f} % | {100 * of_all / len(trees):.1f} %"
    return f"| {name} | {len(trees):,} | {share} | {max(groups.values())} |"


def measure_gains(
    trees: Sequence[Tree], folds: int, seeds: Sequence[int]
) -> list[tuple[tuple[str, str], Gain]]:
    """Return the class and the gain of each sentence that has a similar one in another fold."""
    distinct = list({comparable_words(tree): tree for tree in trees}.items())
    words, kept = [found for found, _ in distinct], [tree for _, tree in distinct]
    fold = [place * folds // len(kept) for place in range(len(kept))]
    similar = find_similar(words, fold)
    found: list[tuple[tuple[str, str], Gain]] = []
    for number in range(folds):
        tested = [place for place in range(len(kept)) if fold[place] == number and place in similar]
        others = [place for place in range(len(kept)) if fold[place] != number]
        partners = {other for place in tested for other in similar[place]}
        if not tested:
            continue
        more = np.zeros(len(tested))
        for seed in seeds:
            apart = set(
                Random(seed).sample(
                    [p for p in others if p not in partners],
                    min(len(partners), (len(others) - len(partners)) // 2),
                )
            )
            with_similar = parse([kept[p] for p in others if p not in apart], [kept[p] for p in tested], seed)
            without = parse([kept[p] for p in others if p not in partners], [kept[p] for p in tested], seed)
            more += (np.array(with_similar) - np.array(without)) / len(seeds)
        for place, gain in zip(tested, more.tolist(), strict=True):
            best = max(similar[place].values())
            found.append((class_of(best), Gain(len(kept[place]), gain)))
    return found


def find_similar(words: Sequence[Words], fold: Sequence[int]) -> dict[int, dict[int, Similar]]:
    """Return by the place of each sentence the similar ones of other folds, of all with a common word."""
    places: defaultdict[object, list[int]] = defaultdict(list)
    counts = list(map(Counter, words))
    similar: defaultdict[int, dict[int, Similar]] = defaultdict(dict)
    for place, count in enumerate(counts):
        common: Counter[int] = Counter()
        for word, times in count.items():
            for other in places[word]:
                common[other] += min(times, counts[other][word])
            places[word].append(place)
        for other, shared in common.items():
            share = 2 * shared / (len(words[place]) + len(words[other]))
            if share >= SHARES[0] and fold[place] != fold[other]:
                found = Similar(share, min(len(words[place]), len(words[other])))
                similar[place][other] = similar[other][place] = found
    return similar


def class_of(found: Similar) -> tuple[str, str]:
    """Return the class of a share, and that of a length."""
    low = max(share for share in SHARES if share <= found.share)
    length = f"{SHORT} to {MEDIUM - 1}" if found.words < MEDIUM else f"{MEDIUM} and more"
    return f"{100 * low:.0f} % and more", f"below {SHORT}" if found.words < SHORT else length


def parse(train: Sequence[Tree], text: Sequence[Tree], seed: int) -> list[int]:
    """Return for each sentence how many heads a parser has right."""
    parser = Parser.fit(list(train), seed=seed)
    pairs = zip(text, parser.parse(list(text)), strict=True)
    return [sum(map(int.__eq__, tree.heads, parsed.heads)) for tree, parsed in pairs]


def describe_gains(key: tuple[str, str], gains: Sequence[Gain]) -> str:
    """Return the gain of a class as a row."""
    words, more = np.array(gains, float).T
    gain = more.sum() / words.sum()
    error = np.sqrt(((more - gain * words) ** 2).sum()) / words.sum()
    figures = f"{len(gains):,} | {int(words.sum()):,} | {100 * gain:+.1f} ({100 * error:.1f})"
    return f"| {key[0]} | {key[1]} | {figures} |"


if __name__ == "__main__":
    main()

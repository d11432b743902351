"""How often `history` reports an effect of changes that make neither version easier.

`--changes` is the number of words that are drawn at random. Each has two heads to choose from: that of the
treebank, and the head of that head. A *variant* is the treebank with a choice for each of these words, drawn
at random. Two variants differ in about half of the words, and neither is easier than the other in the mean
over many draws. So each difference with p < 0.05, before the correction for several parts, is a false alarm,
and 0.05 is the right share of them.

Every variant is trained like a version in `history`, on each fold and with each seed. All pairs of variants
are compared. Pairs share variants, so they tell as much as about a quarter of V * V / 2 independent ones (at
most 2 V).

    python research/history/history_noise.py UD_Tamil-TTB UD_Greek-GDT [--release 2.16] [--sentences 600]
        [--changes 10 30 100 300] [--variants 60] [--seeds 3]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.fold_trees import Sets
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.metrics.scores import Score, correct_tokens
from learnability.statistics.inference import ALPHA
from learnability.statistics.significance import Comparison, compare
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments, row, timed

FOLDS = 5
"""The folds of `history`."""

Trees = dict[int, Tree]
"""The trees of a version, by the `id` of those of the treebank."""

Word = tuple[int, int]
"""The key of a tree, and the number of a word in it, from 0."""


def main() -> None:
    """Print a row per treebank and number of words that differ."""
    parser = arguments(__doc__, ("UD_Tamil-TTB", "UD_Greek-GDT"), "2.16")
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--changes", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--variants", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int)
    command_line = parser.parse_args()
    headings = ("treebank", "words that differ", "pairs", "p < 0.05", "p < 0.005", "p < 0.05 without folds")
    print(row(*headings, "largest difference, words", "processor seconds"))
    print(row(*["---"] * (len(headings) + 2)))
    for name in command_line.treebanks:
        files = locate_treebank(name, ud_home=command_line.ud_home, release=command_line.release)
        for changes in command_line.changes:
            seconds, found = timed(lambda: list(pairs(files, changes, command_line)))  # noqa: B023
            p_values = np.array([[with_folds.p_value, model.p_value] for with_folds, model, _ in found]).T
            words = max(abs(comparison.delta) / 100 * tokens for comparison, _, tokens in found)
            levels = (p_values[0] < ALPHA, p_values[0] < ALPHA / 10, p_values[1] < ALPHA)
            shares = (f"{alarms.mean():.3f}" for alarms in levels)
            print(row(files.name, changes, len(found), *shares, round(words), round(seconds)), flush=True)


def pairs(
    files: TreebankFiles, changes: int, command_line: argparse.Namespace
) -> Iterator[tuple[Comparison, Comparison, int]]:
    """Yield the comparison of each pair of variants, the same without the folds, and its test words."""
    data = DataOptions(cross_validate=FOLDS)
    options = ExperimentOptions((), iterations=command_line.iterations, data=data)
    folds = [fold_of(files, options, number) for number in range(FOLDS)]
    every = [tree for fold in folds for tree in fold.ud.test]
    draw = random.Random(f"{files.name}{changes}")
    numbers = sorted(draw.sample(range(len(every)), min(command_line.sentences, len(every))))
    trees = {id(every[number]): every[number] for number in numbers}
    words = drawn_words(trees, 2 * changes, draw)
    right = []
    for number in range(command_line.variants):
        version = variant(trees, words, random.Random(f"{files.name} {changes} {number}"))
        right.append(np.hstack([right_heads(fold, version, command_line.seeds) for fold in folds]))
    tested = [
        (len(tree), number) for number, fold in enumerate(folds) for tree in fold.ud.test if id(tree) in trees
    ]
    tokens, fold_of_sentence = np.array(tested).T
    for one, other in combinations(right, 2):
        with_folds, model = (
            compare(one, other, tokens, folds=fold_of_sentence, between_folds=between)
            for between in (True, False)
        )
        yield with_folds, model, int(tokens.sum())


def drawn_words(trees: Trees, count: int, draw: random.Random) -> list[Word]:
    """Return a number of words whose head has a head; of a sentence at most one, if that is enough."""
    words = [
        (key, token)
        for key, tree in trees.items()
        for token, head in enumerate(tree.heads)
        if head and tree.heads[head - 1]
    ]
    draw.shuffle(words)
    if count <= len(trees) // 2:
        first: dict[int, int] = {}
        for key, token in words:
            first.setdefault(key, token)
        words = list(first.items())
    return words[:count]


def variant(trees: Trees, words: Sequence[Word], draw: random.Random) -> Trees:
    """Return the trees with about half of the words, drawn at random, on the head of their head."""
    heads: dict[int, list[int]] = {}
    for key, token in words:
        if draw.random() < 0.5:
            of_tree = heads.setdefault(key, list(trees[key].heads))
            head = of_tree[token]
            if head and of_tree[head - 1]:  # another word of the sentence may have moved
                of_tree[token] = of_tree[head - 1]
    return {key: tree.with_heads(heads[key]) if key in heads else tree for key, tree in trees.items()}


def right_heads(fold: Fold, version: Trees, seeds: int) -> NDArray[np.int64]:
    """Return int64[seeds, sentences]: the right heads of parsers of a version, tested on a fold."""
    train, dev, test = (
        tuple(version[id(tree)] for tree in part if id(tree) in version)
        for part in (fold.ud.train, fold.ud.dev, fold.ud.test)
    )
    train = fold.make_ready(train)
    tested = (train_and_test(fold, Sets(train, dev, test), seed) for seed in range(1, seeds + 1))
    return np.array([correct_tokens(parser.gold, parser.parsed, Score.UAS) for parser in tested])


if __name__ == "__main__":
    main()

"""Draw sentences for each rule of the scheme `sud`, at random, to be read.

    python research/sud/drawn.py UD_TREEBANK [--sentences 10] [--seed 1] [--longest 15]

For each construction of `sud`: sentences of at most 15 words in which it moves a head, UD at the left and the
whole of `sud` at the right.
"""

from __future__ import annotations

import argparse
from random import Random

from learnability.reports.drawn_pairs import lines_of
from learnability.reports.tree_pair import TreePair
from learnability.schemes import find_scheme, get_scheme
from learnability.transforms.registry import get_transformation
from learnability.treebanks.splits import load_treebank


def main() -> None:
    """Print the sentences of each construction."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("treebank")
    parser.add_argument("--sentences", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=15)
    given = parser.parse_args()
    treebank = load_treebank(given.treebank)
    short = [s for _, split in treebank.splits() for s in split if len(s.tree) <= given.longest]
    whole = get_scheme("sud", treebank)
    for name in find_scheme("sud").transformations:
        step = get_transformation(name, treebank)
        moving = [s for s in short if step.apply(s.tree).heads != s.tree.heads]
        drawn = Random(given.seed).sample(moving, min(given.sentences, len(moving)))
        print(f"== {name}: {len(drawn)} of {len(moving):,} sentences\n")
        for sentence in drawn:
            pair = TreePair(sentence.sent_id, sentence.tree, whole.apply(sentence.tree))
            print(sentence.sent_id, *(line for line, _ in lines_of(pair, ("UD", "sud"))), "", sep="\n")


if __name__ == "__main__":
    main()

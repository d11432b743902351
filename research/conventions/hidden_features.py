"""Hide a feature of one tag in half of a treebank, and look how many values are proposed as they were.

    python research/conventions/hidden_features.py TREEBANK...

The other half stays as it is, and is learned from. Of each treebank, three pairs of a tag and a feature
are hidden, one at a time: those with most words of which no value has more than nine in ten.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from time import process_time

import numpy as np

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.sentence_values import SentenceReader
from learnability.regularities.word_table import WordTable, read_features
from learnability.treebanks.sentence import Sentence
from research.conventions.counted_halves import split_in_halves
from research.conventions.planted_conventions import remove_feature

PAIRS = 3
"""How many features are hidden in a treebank, one at a time."""

MOST_OF_VALUE = 0.9
"""The largest share of a value: of features with nearly one value there is nothing to find."""


def choose_pairs(sentences: Sequence[Sentence]) -> list[tuple[str, str]]:
    """The tags and features that are hidden."""
    values: dict[tuple[str, str], Counter[str]] = {}
    for sentence in sentences:
        for tag, cell in zip(sentence.tree.upos, sentence.tree.feats, strict=False):
            for name, value in read_features(cell).items():
                values.setdefault((tag, name), Counter())[value] += 1
    several = [pair for pair, count in values.items() if max(count.values()) <= MOST_OF_VALUE * count.total()]
    return sorted(several, key=lambda pair: (-values[pair].total(), pair))[:PAIRS]


def hide_and_propose(name: str, sentences: Sequence[Sentence]) -> None:
    """Print a line for each feature that is hidden."""
    first, second = split_in_halves(sentences, 1, by_document=False)
    whole = WordTable([first, second])
    for tag, feature in choose_pairs(sentences):
        table = WordTable([remove_feature(tag, feature).apply(first), second])
        column = f"feats:{feature}"
        there = [word for word in np.flatnonzero(whole.treebank == 0).tolist() if whole.value(column, word)]
        places = np.array([word for word in there if whole.value("upos", word) == tag], np.int64)
        start = process_time()
        found = SentenceReader(table).propose(column, 0, places)
        seconds = process_time() - start
        right = sum(found.values[word] == whole.value(column, word) for word in places.tolist())
        shares = f"{100 * right / len(places):.1f} % | {100 * found.share:.1f} %"
        print(f"| {name} | {tag} {feature} | {len(places):,} | {shares} | {seconds:.1f} |")


def main() -> None:
    """Print a table."""
    print("| treebank | hidden | words | found | held out | seconds |")
    print("|---|---|--:|--:|--:|--:|")
    for name in sys.argv[1:]:
        version = Version.named(name)
        hide_and_propose(version.name, version.sentences)


if __name__ == "__main__":
    main()

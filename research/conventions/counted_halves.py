"""Count the conventions that are named between two halves of a treebank, where none differs.

    python research/conventions/counted_halves.py PAIRS TREEBANK...

Sentences are shuffled, or whole documents where a treebank has at least eight.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.regularities.contexts import Context
from learnability.regularities.word_table import WordTable
from learnability.treebanks.sentence import Sentence, number_documents

FEWEST_DOCUMENTS = 8


def split_in_halves(sentences: Sequence[Sentence], seed: int, *, by_document: bool) -> list[list[Sentence]]:
    """Return two halves of a treebank."""
    numbers = number_documents(sentences) if by_document else list(range(len(sentences)))
    units = sorted(set(numbers))
    Random(seed).shuffle(units)
    first = set(units[: len(units) // 2])
    halves: list[list[Sentence]] = [[], []]
    for sentence, number in zip(sentences, numbers, strict=True):
        halves[number not in first].append(sentence)
    return halves


def main() -> None:
    """Print the lines of each pair, and how many there were."""
    pairs, *names = sys.argv[1:]
    counted = {False: [0, 0], True: [0, 0]}
    for name in names:
        sentences = Version.named(name).sentences
        for by_document in (False, True):
            if by_document and len(set(number_documents(sentences))) < FEWEST_DOCUMENTS:
                continue
            for seed in range(int(pairs)):
                halves = split_in_halves(sentences, seed, by_document=by_document)
                found = ConventionSearch(WordTable(halves), 0).find()
                lines = len(found.inventories) + len(found.conventions)
                counted[by_document][0] += 1
                counted[by_document][1] += lines
                kind = "documents" if by_document else "sentences"
                print(f"{name.rsplit('/', 1)[-1]} {kind} {seed}: {lines}", flush=True)
                for each in found.inventories:
                    print("   ", each.difference.column, each.difference.value, each.difference.counts)
                for line in found.conventions:
                    contexts = "; ".join(map(Context.describe, line.contexts))
                    print(
                        "   ",
                        line.columns,
                        line.kind,
                        line.value,
                        line.instead,
                        contexts,
                        line.counts,
                        line.sureness,
                    )
    for by_document, (many, lines) in counted.items():
        print(f"halves by {'document' if by_document else 'sentence'}: {lines} lines in {many} pairs")


if __name__ == "__main__":
    main()

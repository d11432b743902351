"""Count the conventions that are named between parts of one treebank, where none differs.

    python research/conventions/counted_halves.py PAIRS TREEBANK...
    python research/conventions/counted_halves.py sources TREEBANK...

PAIRS random halves of each treebank: of sentences, and of whole documents where it has at least eight. With
`sources`, the sentences of each source, which is the beginning of their ids, are compared with all others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from random import Random

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.convention_lines import describe_convention, describe_inventory
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.regularities.word_table import WordTable
from learnability.treebanks.sentence import Sentence, number_documents

FEWEST_DOCUMENTS = 8

Parts = tuple[str, list[list[Sentence]]]
"""What two parts are called, and their sentences."""


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


def all_halves(sentences: Sequence[Sentence], pairs: int) -> Iterator[Parts]:
    """Yield random halves of a treebank."""
    for by_document in (False, True):
        if by_document and len(set(number_documents(sentences))) < FEWEST_DOCUMENTS:
            continue
        for seed in range(pairs):
            yield (
                "documents" if by_document else "sentences",
                split_in_halves(sentences, seed, by_document=by_document),
            )


def all_sources(sentences: Sequence[Sentence]) -> Iterator[Parts]:
    """Yield the sentences of each source, and the others."""
    by_source: dict[str, list[Sentence]] = {}
    for sentence in sentences:
        source = re.match(r"[^\W\d_]*", sentence.sent_id)
        by_source.setdefault(source[0] if source else "", []).append(sentence)
    for name, chosen in by_source.items():
        others = [each for other, of_other in by_source.items() if other != name for each in of_other]
        yield f"{name} ({len(chosen)} sentences)", [chosen, others]


def main() -> None:
    """Print the lines of each pair, and how many there were."""
    pairs, *names = sys.argv[1:]
    counted: dict[str, list[int]] = {}
    for name in names:
        sentences = Version.named(name).sentences
        parts = all_sources(sentences) if pairs == "sources" else all_halves(sentences, int(pairs))
        for number, (kind, halves) in enumerate(parts):
            found = ConventionSearch(WordTable(halves), 0).find()
            details = [line for each in found.inventories for line in each.details]
            told = [describe_inventory(each, ("first", "second"), 0) for each in found.inventories]
            told += [
                describe_convention(line, ("first", "second"), 0) for line in (*details, *found.conventions)
            ]
            counted.setdefault(kind, []).append(len(told))
            print(f"{name.rsplit('/', 1)[-1]} {kind} {number}: {len(told)} lines", flush=True)
            for text in told:
                print(f"    {text}", flush=True)
    for kind, lines in counted.items():
        print(f"{kind}: {sum(lines)} lines in {len(lines)} pairs, {sum(map(bool, lines))} pairs with any")


if __name__ == "__main__":
    main()

"""LAS of parsers across four Latin treebanks, before and after a hand harmonised them.

    python research/harmonise/by_hand.py FOLDER [--jobs 2]

Parsers learn from as many words of each treebank, of its development and test sets (UDante: also its training
set), and parse all sentences of the others. Published: PROIEL's parser gains 10.5 on ITTB and 5.9 on UDante.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    ParserTask,
    TrainingSettings,
    common_size,
    sample_trees,
    train_and_parse,
)
from learnability.extensions.harmonise.matrix import estimate_share, right_words
from learnability.extensions.harmonise.words import Floats
from learnability.running.processes import map_in_processes
from research.harmonise.gold import AFTER, BEFORE, NAMES, read_version


def scores_of(treebanks: list[ComparedTreebank], jobs: int) -> dict[tuple[str, str], Floats]:
    """Return the right words of each sentence, by the treebank that was learned and the one that was
    parsed."""
    settings = TrainingSettings()
    size, seed = common_size(treebanks, settings), settings.seeds[0]
    texts = [treebank.trees for treebank in treebanks]
    tasks = [ParserTask(sample_trees(text, size, seed), texts, seed, settings) for text in texts]
    found: dict[tuple[str, str], Floats] = {}
    for source, parsed in zip(treebanks, map_in_processes(train_and_parse, tasks, jobs), strict=True):
        for target, parses in zip(treebanks, parsed, strict=True):
            found[source.name, target.name] = right_words(target, [parses])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    versions = [
        [ComparedTreebank(read_version(arguments.folder / part, name)) for name in NAMES]
        for part in (BEFORE, AFTER)
    ]
    before, after = (scores_of(treebanks, arguments.jobs) for treebanks in versions)
    print("trained on | tested on | LAS before | LAS after | gain")
    for source in NAMES:
        for place, target in enumerate(NAMES):
            if source != target:
                old = estimate_share(versions[0][place], before[source, target]).value
                new = estimate_share(versions[1][place], after[source, target]).value
                print(f"{source} | {target} | {old:.1f} | {new:.1f} | {new - old:+.1f}")


if __name__ == "__main__":
    main()

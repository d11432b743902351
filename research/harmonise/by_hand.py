"""LAS of parsers across four Latin treebanks, before and after a hand harmonised them.

    python research/harmonise/by_hand.py FOLDER [--jobs 2]

Parsers learn from as many words of each treebank, of its development and test sets (UDante: also its training
set), and parse all sentences of the others. Published: PROIEL's parser gains 10.5 on ITTB and 5.9 on UDante.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np

from learnability.extensions.harmonise.cells import ParsesCell, ParsesResult
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, Floats, TrainingSettings
from learnability.extensions.harmonise.cross_scores import count_right, estimate_share
from learnability.extensions.harmonise.treebank_comparison import with_arcs
from learnability.running.processes import map_in_processes
from research.harmonise.gold import AFTER, BEFORE, NAMES, read_version


def parse_others(treebanks: list[ComparedTreebank], source: int) -> ParsesResult:
    """Return the parses of all treebanks by parsers of a treebank."""
    settings = TrainingSettings()
    cell = ParsesCell(treebank="", settings=settings, seed=settings.seeds[0], source=source)
    return cell.compute_on(treebanks)


def scores_of(treebanks: list[ComparedTreebank], jobs: int) -> dict[tuple[str, str], Floats]:
    """Return the right words of each sentence, by the treebank that was learned and the one that was
    parsed."""
    found: dict[tuple[str, str], Floats] = {}
    sources = range(len(treebanks))
    for source, result in zip(
        sources, map_in_processes(partial(parse_others, treebanks), sources, jobs), strict=True
    ):
        arcs = result.arcs()
        for target in treebanks:
            right = np.array(count_right(target.trees, with_arcs(target.trees, arcs)), np.float64)
            found[treebanks[source].name, target.name] = right
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

"""Which constructions `harmonise` names in halves of one treebank, also where one half is rewritten.

    python research/harmonise/halves.py TREEBANK [TREEBANK ...] [--release R] [--trials 20] [--jobs 2]
        [--rewrite cop --rewrite conj --rewrite upos:AUX=VERB]

The sentences are divided at random, with another seed in each trial. Patterns of trees were compared, too,
up to commit ce9c268d.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from learnability.annotation_diffs.version import Version
from learnability.schemes.relabellings import is_relabelling, relabelling_named
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Conventions, Tree
from learnability.treebanks.splits import read_treebank
from research.harmonise.in_memory import compare_treebanks

Change = Callable[[Tree], Tree]


def change_of(spec: str, conventions: Conventions) -> Change:
    """Return what makes the trees of an alternative."""
    if is_relabelling(spec):
        return relabelling_named(spec).apply
    rule = get_transformation(spec, conventions)
    return lambda tree: rule.apply(tree, labels="external")


def halves_of(version: Version, seed: int, change: Change | None = None) -> tuple[Version, Version]:
    """Return two halves; the second one is rewritten if there is a change."""
    places = list(range(len(version)))
    Random(seed).shuffle(places)
    parts = (sorted(places[: len(places) // 2]), sorted(places[len(places) // 2 :]))
    halves = []
    for name, part in zip(("first half", "second half"), parts, strict=True):
        sentences = [replace(version.sentences[place], starts_document=False) for place in part]
        halves.append(replace(version, name=name, sentences=tuple(sentences), sets=("",) * len(part)))
    if change is not None:
        halves[1] = halves[1].change_trees(change, "second half, rewritten")
        halves[1] = replace(halves[1], conventions=version.conventions)
    return halves[0], halves[1]


def name_constructions(pair: Sequence[Version], jobs: int) -> str:
    """Return the constructions that are named between two halves, with commas."""
    comparison = compare_treebanks(pair, with_scores=False, jobs=jobs)
    return ", ".join(support.spec for support in comparison.constructions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--release")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rewrite", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    print("treebank | rewritten | trials | constructions")
    for name in arguments.treebanks:
        files = locate_treebank(name, release=arguments.release)
        version = Version.of_treebank(read_treebank(files, multiple_roots=True))
        pairs = [halves_of(version, seed) for seed in range(1, arguments.trials + 1)]
        named = [name_constructions(pair, arguments.jobs) for pair in pairs]
        alarms = list(filter(None, named))
        print(f"{version.name} | nothing | {len(named)} | {len(alarms)} trials name something: {alarms}")
        for spec in arguments.rewrite or ():
            pair = halves_of(version, 1, change_of(spec, version.conventions))
            print(f"{version.name} | {spec} | 1 | {name_constructions(pair, arguments.jobs) or 'none'}")


if __name__ == "__main__":
    main()

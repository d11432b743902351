"""What `harmonise` says of two halves of one treebank, and of halves of which one is rewritten.

    python research/harmonise/halves.py TREEBANK [TREEBANK ...] [--release R] [--trials 20] [--jobs 2]
        [--rewrite cop --rewrite conj --rewrite upos:AUX=VERB]

The sentences are divided at random, with another seed in each trial. Of a rewritten half, the last column
says how many of the words that show a convention are words that the rule changes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.patterns import DifferingPattern
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
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


def found_in(comparison: TreebankComparison) -> tuple[list[str], list[DifferingPattern]]:
    """Return the named constructions, and the patterns."""
    constructions = [support.spec for support in comparison.constructions]
    return constructions, [each for each in comparison.patterns if each.is_convention]


def explained(patterns: Sequence[DifferingPattern], first: Version, change: Change) -> tuple[int, int]:
    """Return how many of the words that show a pattern in the first half the change concerns, and all."""
    changed: list[bool] = []
    for sentence in first.sentences:
        tree, other = sentence.tree, change(sentence.tree)
        columns = zip(tree.heads, other.heads, tree.deprels, other.deprels, strict=True)
        changed += [head != new or deprel != name for head, new, deprel, name in columns]
    words = {word for pattern in patterns for word in pattern.here.examples}
    return sum(changed[word] for word in words), len(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--release")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rewrite", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    print("treebank | rewritten | trials | constructions | patterns | of the rule")
    for name in arguments.treebanks:
        files = locate_treebank(name, release=arguments.release)
        version = Version.of_treebank(read_treebank(files, multiple_roots=True))
        alarms, named = 0, list[str]()
        for seed in range(1, arguments.trials + 1):
            pair = halves_of(version, seed)
            constructions, patterns = found_in(
                compare_treebanks(pair, with_scores=False, jobs=arguments.jobs)
            )
            alarms += bool(constructions or patterns)
            named += [*constructions, *(f"{each.change.annotated}>{each.change.other}" for each in patterns)]
        print(
            f"{version.name} | nothing | {arguments.trials} | in {alarms} trials something is named: {named}"
        )
        for spec in arguments.rewrite or ():
            change = change_of(spec, version.conventions)
            pair = halves_of(version, 1, change)
            constructions, patterns = found_in(
                compare_treebanks(pair, with_scores=False, jobs=arguments.jobs)
            )
            right, words = explained(patterns, pair[0], change)
            rules = ", ".join(constructions) or "none"
            print(f"{version.name} | {spec} | 1 | {rules} | {len(patterns)} | {right} of {words}")


if __name__ == "__main__":
    main()

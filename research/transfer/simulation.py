"""Does the interval of a mean over languages hold where all parsers learn from the same sources?

A slow twin of a run of `transfer`, from words to answers, without parsers. It has the languages, families,
sentences and words of treebanks that exist. In each target the difference between two annotations is

    mean + family + language + shared + draw + sentence + word.

`shared` is what the sentences of the source treebanks have by chance, compared with other sentences of the
same kind: the same in every target. `draw` is what the sentences have that a training draws from these
treebanks, new for each target and seed; both parsers learn from the same draw. Neighbouring sentences are
alike. Words become counts of right heads, which go through the program's own tests, means and correction.

It prints, for each size of these parts: how often the interval of a mean covers the mean for parsers of
*these* sources (mean + shared), and for *other* sources of the same kind (mean alone); how often one of
seven constructions has a side though no language has one, by one parser and by both.

    python research/transfer/simulation.py --ud-home DIR [--replicates 1001]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.evidence.score_differences import Difference
from learnability.extensions.transfer.sources import largest_treebanks
from learnability.extensions.transfer.study import DRAW_RATIO
from learnability.statistics.inference import Side
from learnability.statistics.significance import compare
from learnability.statistics.spread import scale_seed_ratio
from learnability.treebanks.families import Origin, origin_of_treebank
from learnability.treebanks.locate import TreebankFiles

MEAN = 0.4
"""The true mean, in points, where there is one."""

DRAWS, CONSTRUCTIONS = 3, 7
"""Trainings of each target, and constructions that are corrected together."""

MOST_SENTENCES = 1_000
"""Of larger treebanks this many sentences are simulated."""

SOURCE_WORDS = 75_000
"""Words that a parser learns from."""

DRAW = 0.8
"""The standard deviation between draws, in points: 0.5 to 1.1 in the practice targets."""

SENTENCE, NEIGHBOURS = 4.0, 15
"""The standard deviation between groups of neighbouring sentences, in points, and their number."""

UNLIKE = 0.09
"""The share of words that only one parser attaches to the right head, for each of the two."""

SPREADS = ((0.0, 0.0), (0.4, 0.4), (0.8, 0.8))
"""Standard deviations between families, and between languages."""

SHARED = (0.1, 0.2, 0.4)
"""Standard deviations of `shared`. With draws of 0.8 points, from sources of which a quarter of the sentences
is drawn on average, it is up to 0.4."""


@dataclass(frozen=True)
class Target:
    """Hold a language with its family, and the words of each sentence of its treebank."""

    origin: Origin
    words: NDArray[np.int64]


@dataclass(frozen=True)
class Truth:
    """Hold standard deviations of the parts of a difference, in points, and the mean."""

    mean: float
    of_families: float
    of_languages: float


def main() -> None:
    """Print a line for each size of the parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ud-home", required=True)
    parser.add_argument("--release", default="2.16")
    parser.add_argument("--replicates", type=int, default=1001)
    command_line = parser.parse_args()
    targets = [
        measure_target(files) for files in largest_treebanks(command_line.ud_home, command_line.release)
    ]
    families = len({target.origin.family for target in targets})
    print(f"{len(targets)} languages of {families} families\n")
    others = " | ".join(f"others, shared {shared}" for shared in SHARED)
    print(f"| families, languages | covers: these sources | {others} | standard error of a target |")
    print("|---|" + "--:|" * (2 + len(SHARED)))
    for spreads in SPREADS:
        print(coverage(targets, Truth(MEAN, *spreads), command_line.replicates), flush=True)
    print("\nThe same without a difference in any language, two copies of UD:\n")
    print("| a side in a mean alone | in one of seven, by a parser | in one of seven, by both parsers |")
    print("|--:|--:|--:|")
    print(false_alarms(targets, command_line.replicates))


def measure_target(files: TreebankFiles) -> Target:
    """Return the words of the sentences of a treebank, at most `MOST_SENTENCES`."""
    counts: list[int] = []
    for path in files.paths():
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            words = sum(line.split("\t", 1)[0].isdigit() for line in block.split("\n"))
            if words:
                counts.append(words)
    return Target(origin_of_treebank(files.name, files.paths()), np.array(counts[:MOST_SENTENCES]))


def coverage(targets: Sequence[Target], truth: Truth, replicates: int) -> str:
    """Return the shares of intervals that cover both truths, as a row of a table."""
    generator = np.random.default_rng(1)
    of_these, of_others, errors = 0, np.zeros(len(SHARED), np.int64), []
    for _ in range(replicates):
        ((mean, of_targets),) = simulate(targets, truth, 1, generator)
        assert mean.low is not None
        assert mean.high is not None
        of_these += mean.low <= truth.mean <= mean.high
        shared = np.array(SHARED) * generator.normal()  # it moves the interval, not its width
        of_others += (mean.low + shared <= truth.mean) & (truth.mean <= mean.high + shared)
        errors.append(np.median(of_targets))
    shares = (f"{100 * count / replicates:.1f} %" for count in (of_these, *of_others))
    return f"| {truth.of_families}, {truth.of_languages} | {' | '.join(shares)} | {np.mean(errors):.2f} |"


def false_alarms(targets: Sequence[Target], replicates: int) -> str:
    """Return how often copies of UD differ, as a row of a table."""
    generator = np.random.default_rng(2)
    truth = Truth(0.0, 0.0, 0.0)
    alone, by_one, by_both, families = 0, 0, 0, replicates // CONSTRUCTIONS
    for _ in range(families):
        constructions = [simulate(targets, truth, 2, generator) for _ in range(CONSTRUCTIONS)]
        sides: list[list[Side | None]] = []
        for parser in range(2):
            means = [both[parser][0] for both in constructions]
            alone += parser == 0 and sum(mean.is_significant for mean in means)
            sides.append([found.better for found in Difference.correct(means) if found is not None])
        by_one += any(side in (Side.FIRST, Side.SECOND) for side in sides[0])
        by_both += any(
            one is other and one in (Side.FIRST, Side.SECOND) for one, other in zip(*sides, strict=True)
        )
    shares = (alone / families / CONSTRUCTIONS, by_one / families, by_both / families)
    return "| " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |"


def simulate(
    targets: Sequence[Target], truth: Truth, parsers: int, generator: np.random.Generator
) -> list[tuple[Difference, list[float]]]:
    """Return by parser the mean of a construction, and the standard errors of its targets."""
    of_family = {
        family: truth.of_families * float(generator.normal())
        for family in dict.fromkeys(target.origin.family for target in targets)
    }
    measured: list[list[Difference]] = [[] for _ in range(parsers)]
    for target in targets:
        true = truth.mean + of_family[target.origin.family] + truth.of_languages * generator.normal()
        of_draws = DRAW * np.sqrt(0.5) * generator.normal(size=DRAWS)
        groups = -(-len(target.words) // NEIGHBOURS)
        of_sentences = np.repeat(SENTENCE * generator.normal(size=groups), NEIGHBOURS)[: len(target.words)]
        for found in measured:
            of_training = of_draws + DRAW * np.sqrt(0.5) * generator.normal(size=DRAWS)
            found.append(test(target, true + of_training[:, None] + of_sentences, generator))
    origins = [target.origin for target in targets]
    means = []
    for found in measured:
        mean = Difference.average(found, origins)
        assert mean is not None
        means.append((mean, [each.error or 0.0 for each in found]))
    return means


def test(target: Target, points: NDArray[np.float64], generator: np.random.Generator) -> Difference:
    """Return the difference of a target as the program tests it; `points`: float64[draws, sentences]."""
    share = points / 200
    first, second = (
        np.minimum(generator.poisson(target.words * np.clip(UNLIKE + sign * share, 0, 1)), target.words)
        for sign in (1, -1)
    )
    ratio = scale_seed_ratio(DRAW_RATIO, float(target.words.sum()), SOURCE_WORDS)
    return Difference.of(compare(first, second, target.words, seed_ratio=ratio))


if __name__ == "__main__":
    main()

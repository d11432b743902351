"""How often settling names a side where there is none, and how often its interval covers the truth.

UD is trained with many seeds on each fold of a treebank. In a trial, random disjoint groups of these
trainings stand for UD and for several constructions, all of which are the same annotation. They are settled
as `settle` does: a look after two passes and after each further one, until each has an answer, or is given
up. A family is one trial: it raises a false alarm if a side is named for any of its constructions.

    python benchmarks/settling.py UD_Kazakh UD_Tamil [--release 1.3] [--seeds 40] [--trials 1000]
        [--constructions 3] [--folds 5] [--most-seeds 10]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from math import inf

import numpy as np
from numpy.typing import NDArray
from treebank_folds import arguments

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.judges.registry import judge_named
from learnability.metrics.scores import Score, correct_tokens
from learnability.statistics.boundaries import boundaries
from learnability.statistics.sequential import Looks
from learnability.statistics.significance import ALPHA, Comparison, Spread, compare, holm
from learnability.studies.settle.study import FIRST_LOOK, WORTHWHILE
from learnability.treebanks.locate import locate_treebank

Counts = NDArray[np.int64]


def main() -> None:
    """Print one line per treebank."""
    parser = arguments(__doc__, ("UD_Kazakh", "UD_Tamil", "UD_Irish", "UD_Hungarian"), "1.3")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--constructions", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--most-seeds", type=int, default=10)
    command_line = parser.parse_args()
    if command_line.seeds < (command_line.constructions + 1) * command_line.most_seeds:
        parser.error("--seeds: give at least (constructions + 1) * most-seeds")
    columns = ("sentences", "seed ratio", "false alarms", "equal", "given up", "passes", "covered")
    print("treebank", *columns, sep="\t")
    for name in command_line.treebanks:
        print(name, *line(name, command_line), sep="\t", flush=True)


def line(name: str, command_line: argparse.Namespace) -> Iterator[object]:
    """Yield the figures of a treebank."""
    files = locate_treebank(name, ud_home=command_line.ud_home, release=command_line.release)
    data = DataOptions(cross_validate=command_line.folds)
    options = ExperimentOptions((), judges=(judge_named("arc-eager"),), data=data)
    folds = [fold_of(files, options, number) for number in range(command_line.folds)]
    right = [right_tokens(fold, command_line.seeds) for fold in folds]
    tokens = np.array([len(tree) for fold in folds for tree in fold.ud.test])
    generator = np.random.default_rng(1)
    families = []
    for _ in range(command_line.trials):
        groups = grouped(right, command_line.constructions + 1, command_line.most_seeds, generator)
        families.append(settled(groups, tokens, [len(fold.ud.test) for fold in folds]))
    constructions = [construction for family in families for construction in family]
    yield len(tokens)
    yield f"{seed_ratio(right, tokens):.2f}"
    yield f"{np.mean([any(c.alarm for c in family) for family in families]):.3f}"
    yield f"{np.mean([c.equal for c in constructions]):.3f}"
    yield f"{np.mean([not (c.alarm or c.equal) for c in constructions]):.3f}"
    yield f"{np.mean([c.passes for c in constructions]):.1f}"
    yield f"{np.mean([c.covered for c in constructions]):.3f}"


def seed_ratio(right: list[Counts], tokens: NDArray[np.int64]) -> float:
    """Return var(seed) as a ratio to var(residual) / sentences, of differences of two trainings on a fold."""
    variance, expected, start = 0.0, 0.0, 0
    for counts in right:
        of_fold = tokens[start : start + counts.shape[1]]
        start += counts.shape[1]
        pairs = counts[0 : 2 * (len(counts) // 2) : 2] - counts[1::2]
        spread = Spread.of(pairs.astype(np.float64), of_fold)
        between = 100.0 * pairs.sum(axis=1) / of_fold.sum()
        share = (len(of_fold) / len(tokens)) ** 2
        variance += share * float(between.var(ddof=1))
        expected += share * spread.residual / len(of_fold)
    return (variance - expected) / expected


class QuickLooks(Looks):
    """Looks with the same answers: a p value of several looks is never below that of one.

    Boundaries are those of information rounded to 1 % of the last look's, so that most are computed once.
    """

    def boundary(self, level: float, seeds: int | None = None) -> float:
        """Return the normal quantile that takes the place of 1.96 at the latest look, or after `seeds`."""
        last = self.spread.variance(self.most)
        if not 0 < last < inf:
            return super().boundary(level, seeds)
        looks = range(self.first, (seeds or self.spread.tested) + 1)
        shares = accumulate((round(min(1.0, last / self.spread.variance(look)), 2) for look in looks), max)
        return boundary_of(tuple(shares), float(f"{level:.3g}"))

    def p_value(self, tail: float) -> float:
        """Return 1 where one look alone would not be below the level."""
        return 1.0 if 2 * tail > ALPHA else super().p_value(tail)


@cache
def boundary_of(shares: tuple[float, ...], level: float) -> float:
    """Return the boundary of the last of several looks with these shares of the information."""
    return boundaries(shares, level, shares)[-1]


def right_tokens(fold: Fold, seeds: int) -> Counts:
    """Return int64[seeds, sentences], the right heads in the sentences that a fold tests."""
    tested = (train_and_test(fold, fold.ud, seed) for seed in range(1, seeds + 1))
    return np.array([correct_tokens(trained.gold, trained.parsed, Score.UAS) for trained in tested])


def grouped(
    right: list[Counts], groups: int, most_seeds: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return int64[groups, seeds, sentences]: disjoint groups of trainings, drawn anew for each fold."""
    of_folds = []
    for counts in right:
        drawn = generator.permutation(len(counts))[: groups * most_seeds]
        of_folds.append(counts[drawn].reshape(groups, most_seeds, -1))
    return np.concatenate(of_folds, axis=2)


@dataclass
class Settled:
    """How a construction ended: its p value and its equivalence, after so many passes."""

    comparison: Comparison
    passes: int
    alarm: bool = False
    equal: bool = False
    given_up: bool = False

    @property
    def has_ended(self) -> bool:
        """Return whether it is trained no further."""
        return self.alarm or self.equal or self.given_up

    @property
    def covered(self) -> bool:
        """Return whether the interval at the last look contains 0, the truth."""
        return self.comparison.low <= 0 <= self.comparison.high


def settled(
    groups: NDArray[np.int64],
    tokens: NDArray[np.int64],
    sizes: list[int],
    documents: NDArray[np.int64] | None = None,
) -> list[Settled]:
    """Return how each construction of a family ends."""
    first, *others = groups
    fold = np.repeat(np.arange(len(sizes)), sizes)
    most = groups.shape[1]
    testing = partial(QuickLooks, first=FIRST_LOOK, most=most)
    family: list[Settled] = []
    for passes in range(FIRST_LOOK, most + 1):
        for number, other in enumerate(others):
            if passes > FIRST_LOOK and family[number].has_ended:
                continue
            beside = [known[:passes] for known in others if known is not other]
            found = compare(
                first[:passes],
                other[:passes],
                tokens,
                folds=fold,
                documents=documents,
                beside=beside,
                testing=testing,
            )
            if passes == FIRST_LOOK:
                family.append(Settled(found, passes))
            else:
                family[number] = Settled(found, passes)
        corrected = holm([construction.comparison.p_value for construction in family])
        for construction, p_holm in zip(family, corrected, strict=True):
            construction.alarm = p_holm is not None and p_holm < ALPHA
            construction.equal = not construction.alarm and construction.comparison.p_equal < ALPHA
            looks = construction.comparison.testing
            assert isinstance(looks, Looks)
            chance = looks.chance_of_answer(construction.comparison.delta, ALPHA / len(family))
            construction.given_up = chance < WORTHWHILE
    return family


if __name__ == "__main__":
    main()

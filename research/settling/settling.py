"""How often a run and its settling give a wrong answer together, and how often intervals cover the truth.

UD is trained with many seeds, on the training set and on each fold of a treebank. In a trial, random disjoint
groups of these trainings stand for UD and for several constructions. All are the same annotation. With
`--differences`, right heads are made wrong at random, so that UD is ahead by this many points. The run
compares trainings of three seeds on the test set. What it leaves open is settled as `settle` does it: a look
after two passes and after each further one, until each has an answer, or is given up. A family is one trial.

    python research/settling/settling.py UD_Kazakh UD_Tamil [--release 1.3] [--seeds 40] [--trials 1000]
        [--differences 0 0 0] [--folds 5] [--most-seeds 10]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from math import inf

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.evidence.score_differences import FIRST_OR_SECOND, Difference
from learnability.metrics.scores import Score, correct_tokens
from learnability.parsers.registry import parser_named
from learnability.statistics.boundaries import find_looks
from learnability.statistics.inference import AHEAD, ALPHA, EFFECT, Side, winner
from learnability.statistics.sequential import Looks
from learnability.statistics.significance import compare
from learnability.statistics.spread import Spread
from learnability.studies.settle.study import WORTHWHILE
from learnability.studies.settle.trainings import FIRST_LOOK
from learnability.treebanks.locate import locate_treebank
from research.support.treebank_folds import arguments

Counts = NDArray[np.int64]

SEEDS_OF_RUN = 3
"""The trainings of each annotation in the run."""


def main() -> None:
    """Print one line per treebank."""
    parser = arguments(__doc__, ("UD_Kazakh", "UD_Tamil", "UD_Irish", "UD_Hungarian"), "1.3")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--differences", type=float, nargs="+", default=(0.0, 0.0, 0.0))
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--most-seeds", type=int, default=10)
    command_line = parser.parse_args()
    groups = len(command_line.differences) + 1
    if command_line.seeds < groups * max(command_line.most_seeds, SEEDS_OF_RUN):
        parser.error("--seeds: give at least (constructions + 1) * most-seeds")
    columns = (
        *("sentences", "seed ratio", "wrong side by run", "wrong side", "wrong equal by run", "wrong equal"),
        *("any wrong", "side", "equal", "passes", "covered"),
    )
    print("treebank", *columns, sep="\t")
    for name in command_line.treebanks:
        print(name, *line(name, command_line), sep="\t", flush=True)


def line(name: str, command_line: argparse.Namespace) -> Iterator[object]:
    """Yield the figures of a treebank."""
    files = locate_treebank(name, ud_home=command_line.ud_home, release=command_line.release)
    parsers, count = (parser_named("arc-eager"),), command_line.folds
    run = Pool.of([fold_of(files, ExperimentOptions((), parsers=parsers), 0)], command_line.seeds)
    crossed = ExperimentOptions((), parsers=parsers, data=DataOptions(cross_validate=count))
    whole = Pool.of([fold_of(files, crossed, number) for number in range(count)], command_line.seeds)
    generator, families = np.random.default_rng(1), []
    for _ in range(command_line.trials):
        of_run = run.drawn(command_line.differences, SEEDS_OF_RUN, generator)
        settled = whole.drawn(command_line.differences, command_line.most_seeds, generator)
        families.append(answered(of_run, run, settled, whole))
    truths = command_line.differences
    every = [(truth, each) for family in families for truth, each in zip(truths, family, strict=True)]
    yield len(whole.tokens)
    yield f"{seed_ratio(whole.right, whole.tokens):.2f}"
    for wrong in (wrong_side, wrong_equal):
        for only_run in (True, False):
            found = [
                any(wrong(truth, each, only_run=only_run) for truth, each in zip(truths, family, strict=True))
                for family in families
            ]
            yield f"{np.mean(found):.3f}"
    both = [
        any(wrong_side(t, each) or wrong_equal(t, each) for t, each in zip(truths, family, strict=True))
        for family in families
    ]
    yield f"{np.mean(both):.3f}"
    yield f"{np.mean([each.shown in AHEAD for _, each in every]):.3f}"
    yield f"{np.mean([each.shown is Side.EQUAL for _, each in every]):.3f}"
    yield f"{np.mean([each.passes for _, each in every]):.1f}"
    yield f"{np.mean([each.covers(truth) for truth, each in every]):.3f}"


@dataclass
class Answered:
    """Hold how a construction ended.

    Attributes:
        difference: the one that the answer follows from, corrected.
        passes: the passes of settling; 0 if the run answered it.
        given_up: whether it was trained no further, because more passes would hardly help.
    """

    difference: Difference
    passes: int = 0
    given_up: bool = False

    @property
    def shown(self) -> Side | None:
        """Return what the difference shows."""
        return self.difference.better

    @property
    def has_ended(self) -> bool:
        """Return whether it is trained no further."""
        return self.shown is not Side.NONE or self.given_up

    def covers(self, truth: float) -> bool:
        """Return whether the interval that is shown contains the truth."""
        assert self.difference.low is not None
        assert self.difference.high is not None
        return self.difference.low <= truth <= self.difference.high


def wrong_side(truth: float, answer: Answered, *, only_run: bool = False) -> bool:
    """Return whether a side is named that is not ahead."""
    counts = not only_run or answer.passes == 0
    return counts and answer.shown in AHEAD and answer.shown is not winner(truth)


def wrong_equal(truth: float, answer: Answered, *, only_run: bool = False) -> bool:
    """Return whether no difference that matters is named where there is one of half a point or more."""
    counts = not only_run or answer.passes == 0
    return counts and answer.shown is Side.EQUAL and abs(truth) >= EFFECT


@dataclass(frozen=True)
class Pool:
    """Hold trainings of one annotation.

    Attributes:
        right: of each fold, int64[seeds, sentences], the right heads in the sentences that it tests.
        tokens: int64[all sentences].
        folds: int64[all sentences], the fold of each; None if there is one.
    """

    right: list[Counts]
    tokens: NDArray[np.int64]
    folds: NDArray[np.int64] | None

    @classmethod
    def of(cls, folds: Sequence[Fold], seeds: int) -> Pool:
        """Return the trainings on these folds."""
        sizes = [len(fold.ud.test) for fold in folds]
        return cls(
            [right_tokens(fold, seeds) for fold in folds],
            np.array([len(tree) for fold in folds for tree in fold.ud.test]),
            np.repeat(np.arange(len(folds)), sizes) if len(folds) > 1 else None,
        )

    def drawn(
        self, differences: Sequence[float], seeds: int, generator: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return int64[1 + constructions, seeds, sentences]: UD, and constructions behind by some points."""
        groups = grouped(self.right, len(differences) + 1, seeds, generator)
        for number, difference in enumerate(differences, start=1):
            share = difference / 100 * self.tokens.sum() / groups[0].sum(axis=1).mean()
            groups[number] -= generator.binomial(groups[number], share)
        return groups


def answered(of_run: NDArray[np.int64], run: Pool, settled: NDArray[np.int64], whole: Pool) -> list[Answered]:
    """Return how each construction of a family ends, after the run and its settling."""
    compared = [compare(of_run[0], other, run.tokens) for other in of_run[1:]]
    of_test_set = Difference.correct([Difference.of(each, FIRST_OR_SECOND) for each in compared])
    family = [Answered(difference) for difference in of_test_set if difference is not None]
    left = [number for number, each in enumerate(family) if each.shown is Side.NONE]
    before = [each.difference for each in family if each.shown is not Side.NONE]
    most = settled.shape[1]
    testing = partial(QuickLooks, first=FIRST_LOOK, most=most)
    for passes in range(FIRST_LOOK, most + 1):
        trained = [n for n in left if passes == FIRST_LOOK or not family[n].has_ended]
        for number in trained:
            beside = [settled[1 + other][:passes] for other in left if other != number]
            ud, other = settled[0][:passes], settled[1 + number][:passes]
            found = compare(ud, other, whole.tokens, folds=whole.folds, beside=beside, testing=testing)
            family[number] = Answered(Difference.of(found, FIRST_OR_SECOND), passes)
        again = Difference.correct([family[number].difference for number in left], before)
        counted = len(left) + sum(not difference.is_clear for difference in before)
        for number, difference in zip(left, again, strict=True):
            assert difference is not None
            family[number].difference = difference
            if number in trained and isinstance(difference.testing, Looks):
                level = ALPHA * FIRST_OR_SECOND / counted
                chance = difference.testing.chance_of_answer(difference.delta, level)
                family[number].given_up = chance < WORTHWHILE
    return family


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
    return find_looks(shares, level, shares)[-1].boundary


def right_tokens(fold: Fold, seeds: int) -> Counts:
    """Return int64[seeds, sentences], the right heads in the sentences that a fold tests."""
    tested = (train_and_test(fold, fold.base.sets, seed) for seed in range(1, seeds + 1))
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


if __name__ == "__main__":
    main()

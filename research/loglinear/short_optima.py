"""Can a parser whose training has one optimum take the place of the short trainings of `run --quick`?

    python research/loglinear/short_optima.py all [--out FILE]

Both parsers are trained on the samples of `run --quick`: right sides, width of intervals and price. Constants
are estimated on the other languages. `all` are the treebanks of `capped.TREEBANKS`; others are named with
`--release`. With a file, what is measured is kept, and a study that was stopped goes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist, fmean

import numpy as np

from learnability.comparing.short_trainings import ITERATIONS, sample
from learnability.parsers.trainer import TrainedParser
from learnability.statistics.prediction import Belief, in_other_languages
from learnability.statistics.significance import compare
from learnability.studies.predict.study import ROUNDS
from learnability.treebanks.copies import number_groups
from learnability.treebanks.families import language_of
from learnability.treebanks.sentence import Tree
from research.loglinear.capped import (
    OPTIMUM,
    USUAL,
    OfTreebank,
    Side,
    Truth,
    changed_words,
    find_truths,
    measure_treebanks,
    print_row,
    sides_of,
    train_optima,
    train_usual,
)
from research.support.treebank_folds import timed

SAMPLED = 20_000
"""The words of the sentences that samples are drawn of, the first 1,000 sentences at most."""

SLOPES, DEVIATIONS = np.arange(0.1, 1.31, 0.03), np.arange(0.05, 6.0, 0.15)
"""The grid of constants of short trainings (`statistics.prediction`)."""


class Short(OfTreebank):
    """Hold short trainings of both annotations of a question on a sample: the right words by sentence."""

    construction: str
    parser: str
    share: float
    seed: int
    seconds: float
    tokens: list[int]
    base: list[int]
    alternative: list[int]
    changed: int


def measure_short(title: str, sides: Sequence[Side]) -> list[Short]:
    """Train both parsers on the samples of `run --quick`; the seconds of UD are shared by all questions."""
    found = []
    for share, seed in ROUNDS:
        chosen = sample(number_groups(sides[0].train), share, seed)
        cut = [[[side.train[i] for i in part] for part in (chosen.train, chosen.test)] for side in sides]
        lengths = [len(tree) for tree in cut[0][1]]
        starts = np.cumsum([0, *lengths[:-1]])
        for parser in (USUAL, OPTIMUM):
            seconds, trained = timed(lambda: train_briefly(parser, [train for train, _ in cut], seed))  # noqa: B023
            right = [
                np.add.reduceat((~changed_words(each.parse(test), test)).astype(int), starts).tolist()
                for each, (_, test) in zip(trained, cut, strict=True)
            ]
            for side, (_, test), alternative in zip(sides[1:], cut[1:], right[1:], strict=True):
                changed = int(changed_words(test, cut[0][1]).sum())
                shared = seconds / (len(sides) - 1)
                found.append(
                    Short(
                        title, side.name, parser, share, seed, shared, lengths, right[0], alternative, changed
                    )
                )
    return found


def train_briefly(parser: str, annotations: Sequence[Sequence[Tree]], seed: int) -> list[TrainedParser]:
    """Train a parser on each annotation of a sample."""
    if parser == OPTIMUM:
        return train_optima(annotations, seed)
    return [train_usual(trees, (), seed, ITERATIONS) for trees in annotations]


@dataclass(frozen=True)
class Evidence:
    """Hold the short trainings on a quarter of a sample, and what a whole run found.

    Attributes:
        language: that of the treebank.
        construction: its name.
        differences: UD minus the alternative in points, one of each sample.
        errors: their standard errors over sentences.
        changed: the share of the words with another head.
        seconds: all of them, and that on an eighth.
        truth: of the whole run.
    """

    language: str
    construction: str
    differences: tuple[float, ...]
    errors: tuple[float, ...]
    changed: float
    seconds: float
    truth: Truth


def evidence_of(rows: Sequence[Short], parser: str) -> list[Evidence]:
    """Return the evidence of a parser in all questions with a whole run and a changed word."""
    by_question: defaultdict[tuple[str, str], list[Short]] = defaultdict(list)
    for each in rows:
        if each.parser == parser:
            by_question[each.treebank, each.construction].append(each)
    found = []
    for (treebank, construction), every in by_question.items():
        largest = [each for each in every if each.share == max(share for share, _ in ROUNDS)]
        changed = sum(each.changed for each in largest) / sum(sum(each.tokens) for each in largest)
        truth = find_truths().get((treebank, construction))
        if truth is None or not changed:
            continue
        tested = [
            compare(e.base, e.alternative, e.tokens, seed_ratio=0, documents=range(len(e.tokens)))
            for e in largest
        ]
        seconds = sum(each.seconds for each in every)
        deltas, errors = tuple(each.delta for each in tested), tuple(each.error for each in tested)
        language = language_of(treebank.split()[0])
        found.append(Evidence(language, construction, deltas, errors, changed, seconds, truth))
    return found


@dataclass(frozen=True)
class ShortConstants:
    """Hold how short trainings relate to whole runs (see `statistics.prediction`)."""

    spread: float
    slope: float
    deviation: float

    def belief(self, evidence: Evidence, *, before: Belief) -> Belief:
        """Return what is believed of the difference after short trainings."""
        noise = self.spread * fmean(error**2 for error in evidence.errors) / len(evidence.errors)
        variance = self.slope**2 * noise + self.deviation**2 * evidence.changed
        return before.and_also(self.slope * fmean(evidence.differences), variance)


def estimate_constants(known: Sequence[Evidence]) -> ShortConstants:
    """Return the means of the constants under the likelihood of the whole runs, uniform over a grid."""
    spread = fmean((e.differences[0] - e.differences[1]) ** 2 / sum(s**2 for s in e.errors) for e in known)
    difference = np.array([fmean(e.differences) for e in known])
    noise = np.array([spread * fmean(s**2 for s in e.errors) / len(e.errors) for e in known])
    changed, measured = np.array([e.changed for e in known]), np.array([e.truth.delta for e in known])
    error = np.array([e.truth.error for e in known])
    fit = np.zeros((len(SLOPES), len(DEVIATIONS)))
    for i, slope in enumerate(SLOPES):
        for j, deviation in enumerate(DEVIATIONS):
            variance = slope**2 * noise + deviation**2 * changed + error**2
            fit[i, j] = -0.5 * (np.log(variance) + (measured - slope * difference) ** 2 / variance).sum()
    weights = np.exp(fit - fit.max())
    weights /= weights.sum()
    return ShortConstants(spread, float(weights.sum(1) @ SLOPES), float(weights.sum(0) @ DEVIATIONS))


def print_short(rows: Sequence[Short]) -> None:
    """Print how good each parser's short trainings are, with constants of the other languages."""
    print_row(
        "evidence", "questions", "same side", "clear", "same side", "named at 0.95", "right", "log loss",
        "half interval", "in it", "spread", "slope", "s",
    )  # fmt: skip
    print_row("---", *["--:"] * 12)
    for parser in (USUAL, OPTIMUM):
        every = evidence_of(rows, parser)
        constants = {
            language: estimate_constants([e for e in every if e.language != language])
            for language in {e.language for e in every}
        }
        for title, informed in (("alone", False), ("with other languages", True)):
            probabilities, halves, inside = [], [], 0
            for each in every:
                before = Belief(0.0, 1e6)
                if informed:
                    before = in_other_languages(each.construction, each.language, each.changed)
                belief = constants[each.language].belief(each, before=before)
                half = NormalDist().inv_cdf(0.975) * sqrt(belief.variance + each.truth.error**2)
                halves.append(half)
                inside += abs(belief.mean - each.truth.delta) <= half
                of_ud = belief.probability(each.truth.error)
                probabilities.append(of_ud if each.truth.delta > 0 else 1 - of_ud)
            clear = [p for p, each in zip(probabilities, every, strict=True) if each.truth.clear]
            named = [p for p in probabilities if not 0.05 < p < 0.95]
            of_all = estimate_constants(every)
            print_row(
                f"{parser}, {title}", len(every), sum(p > 0.5 for p in probabilities), len(clear),
                sum(p > 0.5 for p in clear), len(named), sum(p > 0.5 for p in named),
                f"{-fmean(log(max(p, 1e-6)) for p in probabilities):.3f}", f"{np.median(halves):.2f}",
                f"{100 * inside / len(every):.0f} %", f"{of_all.spread:.2f}", f"{of_all.slope:.2f}",
                f"{sum(each.seconds for each in every):.0f}",
            )  # fmt: skip


def main() -> None:
    """Measure what is not kept yet, and print the tables."""
    rows = measure_treebanks(
        __doc__, Short, lambda title, fold: measure_short(title, sides_of(fold, SAMPLED))
    )
    print_short(rows)


if __name__ == "__main__":
    main()

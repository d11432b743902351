"""How often the significance measures see a difference where there is none, and where there is one.

Without a difference: UD is trained with many seeds, and random disjoint groups of K seeds are compared as if
they were two schemes. A calibrated p value is below 0.05 in about 5 % of the trials; the interval covers the
true difference, 0, in exactly the others. The spread between seeds is that of the pool, and that of a small
pool may by chance be narrower or wider than what training again gives (60 seeds: by about a fifth).

With a difference (`--known N`): UD and each transformation of the paper are trained with N seeds. Test parts
of 100 sentences drawn with replacement and K of the seeds are compared: how many intervals cover the
difference in the whole test part with all seeds (coverage), and how often it is seen in the whole part with K
seeds (power).

With several parsers (`--parser J --parser ...`): the same without a difference, for each of them and for what
they say together: how often all are for a side, divided, or equal, and how often the interval of the
parsers' mean excludes 0. Each parser's p is that of a single pair, uncorrected.

    python research/calibration/significance.py --ud-home DIR [--seeds 200] [--trials 2000] [--known 20]
        [--parser J ...] [TREEBANK ...]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import Sets
from learnability.comparing.names import annotation_spelled
from learnability.comparing.pair import Pair
from learnability.comparing.trainings import train_and_test
from learnability.comparing.ud import UD
from learnability.evidence.all_parsers import DIVIDED, common_answer
from learnability.metrics.scores import Score, correct_tokens
from learnability.statistics.inference import Side, side
from learnability.statistics.significance import compare
from learnability.transforms.registry import PAPER
from research.support.treebank_folds import arguments, folds

TREEBANKS = ("UD_Kazakh", "UD_Tamil", "UD_Irish", "UD_Hungarian", "UD_Greek", "UD_Turkish")
GROUPS = (1, 2, 3, 5, 10)
SENTENCES, PLACES = 100, 10


def main() -> None:
    """Print one line per treebank (and transformation) and number of seeds."""
    parser = arguments(__doc__, TREEBANKS, "1.3")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--known", type=int, metavar="N")
    parser.add_argument("--parser", action="append")
    command_line = parser.parse_args()
    if command_line.parser:
        of_panel(command_line)
        return
    lines = with_difference if command_line.known else without_difference
    for name, fold in folds(command_line):
        for cells in lines(fold, command_line.known or command_line.seeds, command_line.trials):
            print(name, *cells, sep="\t", flush=True)


def correct_of(fold: Fold, sets: Sets, seeds: int) -> NDArray[np.int64]:
    """Return int64[seeds, sentences], the numbers of right heads."""
    tested = (train_and_test(fold, sets, seed) for seed in range(1, seeds + 1))
    return np.array([correct_tokens(trained.gold, trained.parsed, Score.UAS) for trained in tested])


def without_difference(fold: Fold, seeds: int, trials: int) -> Iterator[tuple[object, ...]]:
    """Yield sentences, UAS, its deviation over seeds, var(seed) / (var(residual) / S), K, false alarms."""
    correct, total = correct_of(fold, fold.base.sets, seeds), np.array([len(tree) for tree in fold.ud.test])
    scores, draw = 100 * correct.sum(axis=1) / total.sum(), np.random.default_rng(0)
    facts = len(total), f"{scores.mean():.2f}", f"{scores.std(ddof=1):.2f}", f"{ratio(correct, total):.2f}"
    for k in (k for k in GROUPS if 2 * k <= seeds):
        seen = 0
        for _ in range(trials):
            chosen = draw.permutation(seeds)
            seen += compare(correct[chosen[:k]], correct[chosen[k : 2 * k]], total).p_value < 0.05
        yield (*facts, k, f"{seen / trials:.3f}")


def of_panel(command_line: argparse.Namespace) -> None:
    """Print K and false alarms of each parser, of all together and of the mean."""
    pools = [list(folds(command_line, parser=parser)) for parser in command_line.parser]
    for of_treebank in zip(*pools, strict=True):
        name, fold = of_treebank[0]
        total, draw = np.array([len(tree) for tree in fold.ud.test]), np.random.default_rng(0)
        pool = [
            correct_of(fold_of_parser, fold_of_parser.base.sets, command_line.seeds)
            for _, fold_of_parser in of_treebank
        ]
        ratios = (
            f"{parser} {ratio(correct, total):.2f}"
            for parser, correct in zip(command_line.parser, pool, strict=True)
        )
        print(name, len(total), "var(seed) / (var(residual) / S):", *ratios, sep="\t", flush=True)
        for k in (k for k in GROUPS if 2 * k <= command_line.seeds):
            alarms, verdicts, excluded = np.zeros(len(pool)), Counter[str | None](), 0
            for _ in range(command_line.trials):
                chosen = [draw.permutation(command_line.seeds) for _ in pool]
                seeds_a, seeds_b = slice(k), slice(k, 2 * k)
                a = np.array([right[order[seeds_a]] for right, order in zip(pool, chosen, strict=True)])
                b = np.array([right[order[seeds_b]] for right, order in zip(pool, chosen, strict=True)])
                single = [compare(test, other, total) for test, other in zip(a, b, strict=True)]
                sides = [side(test.winner, test.p_value, test.p_equal) for test in single]
                alarms += [test.p_value < 0.05 for test in single]
                verdicts[common_answer(sides)] += 1
                mean = compare(a, b, total, np.full(len(pool), 1 / len(pool)))
                excluded += not mean.low <= 0 <= mean.high
            for_side = verdicts[Side.FIRST] + verdicts[Side.SECOND]
            counts = [*alarms, for_side, verdicts[DIVIDED], verdicts[Side.EQUAL], excluded]
            cells = [f"{count / command_line.trials:.3f}" for count in counts]
            print(name, len(total), k, *cells, sep="\t", flush=True)


def with_difference(fold: Fold, seeds: int, trials: int) -> Iterator[tuple[object, ...]]:
    """Yield transformation, difference, K, coverage and power, where the test set has enough places."""
    total, draw = np.array([len(tree) for tree in fold.ud.test]), np.random.default_rng(0)
    ud = correct_of(fold, fold.base.sets, seeds)
    for pair in (Pair(UD, annotation_spelled(name)) for name in PAPER):
        if not fold.compare_pair(pair).exists or sum(map(len, fold.compare_pair(pair).test_places)) < PLACES:
            continue
        other = correct_of(fold, fold.compare_pair(pair).alternative.sets, seeds)
        truth = compare(ud, other, total).delta
        for k in (k for k in GROUPS if 2 * k <= seeds):
            covered = seen = 0
            for _ in range(trials):
                chosen, drawn = draw.permutation(seeds)[:k], draw.integers(0, len(total), SENTENCES)
                a, b = ud[chosen], other[chosen]
                part = compare(a[:, drawn], b[:, drawn], total[drawn])
                covered += part.low <= truth <= part.high
                seen += compare(a, b, total).p_value < 0.05
            transform = pair.alternative.name
            yield transform, f"{truth:+.2f}", k, f"{covered / trials:.3f}", f"{seen / trials:.3f}"


def ratio(correct: NDArray[np.int64], total: NDArray[np.int64]) -> float:
    """Return var(seed) over var(residual) / S, which `SEED_RATIO` estimates.

    Its error is about sqrt(2 / seeds).
    """
    seeds, sentences = correct.shape
    z = correct - correct.sum() / (seeds * total.sum()) * total
    residual = z - z.mean(axis=0) - z.mean(axis=1, keepdims=True) + z.mean()
    by_chance = (residual**2).sum() / ((seeds - 1) * (sentences - 1)) / sentences
    return float(z.mean(axis=1).var(ddof=1) / by_chance - 1)


if __name__ == "__main__":
    main()

"""How often the significance measures see a difference where there is none, and where there is one.

Without a difference: UD is trained with many seeds, and random disjoint groups of K seeds are compared as if
they were two schemes. A calibrated p value is below 0.05 in about 5 % of the trials; the interval covers the
true difference, 0, in exactly the others. The spread between seeds is that of the pool, and that of a small
pool may by chance be narrower or wider than what training again gives (60 seeds: by about a fifth).

With a difference (`--known N`): UD and each transformation of the paper are trained with N seeds. Test parts
of 100 sentences drawn with replacement and K of the seeds are compared: how many intervals cover the
difference in the whole test part with all seeds (coverage), and how often it is seen in the whole part with K
seeds (power).

With several judges (`--judge J --judge ...`): the same without a difference, for each of them and for what
they say together: how often the panel is for a side, divided, or equal, and how often the interval of the
judges' mean excludes 0. Each judge's p is that of a single condition, uncorrected.

    python benchmarks/significance.py --ud-home DIR [--seeds 200] [--trials 2000] [--known 20] [--judge J ...]
        [TREEBANK ...]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from treebank_folds import arguments, folds

from learnability.comparing.condition import Condition
from learnability.comparing.fold import Fold
from learnability.comparing.kinds.ud import UD
from learnability.comparing.names import annotation_spelled
from learnability.comparing.on_fold import Parts
from learnability.comparing.trainings import train_and_test
from learnability.evidence.panel import DIVIDED, panel_verdict
from learnability.metrics.scores import Score, correct_tokens
from learnability.statistics.significance import Side, compare, side
from learnability.transforms.registry import PAPER

TREEBANKS = ("UD_Kazakh", "UD_Tamil", "UD_Irish", "UD_Hungarian", "UD_Greek", "UD_Turkish")
GROUPS = (1, 2, 3, 5, 10)
SENTENCES, SITES = 100, 10


def main() -> None:
    """Print one line per treebank (and transformation) and number of seeds."""
    parser = arguments(__doc__, TREEBANKS, "1.3")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--known", type=int, metavar="N")
    parser.add_argument("--judge", action="append")
    given = parser.parse_args()
    if given.judge:
        of_panel(given)
        return
    lines = with_difference if given.known else without_difference
    for name, fold in folds(given):
        for cells in lines(fold, given.known or given.seeds, given.trials):
            print(name, *cells, sep="\t", flush=True)


def correct_of(fold: Fold, parts: Parts, seeds: int) -> NDArray[np.int64]:
    """int64[seeds, sentences]: right heads."""
    tested = (train_and_test(fold, parts, seed) for seed in range(1, seeds + 1))
    return np.array([correct_tokens(one.gold, one.parsed, Score.UAS) for one in tested])


def without_difference(fold: Fold, seeds: int, trials: int) -> Iterator[tuple[object, ...]]:
    """Sentences, UAS, its standard deviation over seeds, var(seed) / (var(residual) / S), K, false alarms."""
    correct, total = correct_of(fold, fold.ud, seeds), np.array([len(tree) for tree in fold.ud.test])
    scores, draw = 100 * correct.sum(axis=1) / total.sum(), np.random.default_rng(0)
    facts = len(total), f"{scores.mean():.2f}", f"{scores.std(ddof=1):.2f}", f"{ratio(correct, total):.2f}"
    for k in (k for k in GROUPS if 2 * k <= seeds):
        seen = 0
        for _ in range(trials):
            chosen = draw.permutation(seeds)
            seen += compare(correct[chosen[:k]], correct[chosen[k : 2 * k]], total).p_value < 0.05
        yield (*facts, k, f"{seen / trials:.3f}")


def of_panel(given: argparse.Namespace) -> None:
    """Sentences, K, false alarms of each judge, panel for a side, divided, equal, the mean's false alarms."""
    pools = [list(folds(given, judge=judge)) for judge in given.judge]
    for of_treebank in zip(*pools, strict=True):
        name, fold = of_treebank[0]
        total, draw = np.array([len(tree) for tree in fold.ud.test]), np.random.default_rng(0)
        pool = [correct_of(own, own.ud, given.seeds) for _, own in of_treebank]
        ratios = (f"{judge} {ratio(own, total):.2f}" for judge, own in zip(given.judge, pool, strict=True))
        print(name, len(total), "var(seed) / (var(residual) / S):", *ratios, sep="\t", flush=True)
        for k in (k for k in GROUPS if 2 * k <= given.seeds):
            alarms, verdicts, excluded = np.zeros(len(pool)), Counter[str | None](), 0
            for _ in range(given.trials):
                chosen = [draw.permutation(given.seeds) for _ in pool]
                a, b = (
                    np.array([p[c[s]] for p, c in zip(pool, chosen, strict=True)])
                    for s in (slice(k), slice(k, 2 * k))
                )
                single = [compare(one, other, total) for one, other in zip(a, b, strict=True)]
                sides = [side(one.winner, one.p_value, one.p_equal) for one in single]
                alarms += [one.p_value < 0.05 for one in single]
                verdicts[panel_verdict(sides)] += 1
                mean = compare(a, b, total, np.full(len(pool), 1 / len(pool)))
                excluded += not mean.low <= 0 <= mean.high
            for_side = verdicts[Side.UD] + verdicts[Side.ALTERNATIVE]
            counts = [*alarms, for_side, verdicts[DIVIDED], verdicts[Side.EQUAL], excluded]
            cells = [f"{count / given.trials:.3f}" for count in counts]
            print(name, len(total), k, *cells, sep="\t", flush=True)


def with_difference(fold: Fold, seeds: int, trials: int) -> Iterator[tuple[object, ...]]:
    """Transformation, difference, K, coverage and power, where the test part has enough sites."""
    total, draw = np.array([len(tree) for tree in fold.ud.test]), np.random.default_rng(0)
    ud = correct_of(fold, fold.ud, seeds)
    for condition in (Condition(UD, annotation_spelled(name)) for name in PAPER):
        if (
            not fold.compared(condition).exists
            or sum(map(len, fold.compared(condition).test_sites())) < SITES
        ):
            continue
        other = correct_of(fold, fold.compared(condition).transformed.parts, seeds)
        truth = compare(ud, other, total).delta
        for k in (k for k in GROUPS if 2 * k <= seeds):
            covered = seen = 0
            for _ in range(trials):
                chosen, drawn = draw.permutation(seeds)[:k], draw.integers(0, len(total), SENTENCES)
                a, b = ud[chosen], other[chosen]
                part = compare(a[:, drawn], b[:, drawn], total[drawn])
                covered += part.low <= truth <= part.high
                seen += compare(a, b, total).p_value < 0.05
            transform = condition.transformed.name
            yield transform, f"{truth:+.2f}", k, f"{covered / trials:.3f}", f"{seen / trials:.3f}"


def ratio(correct: NDArray[np.int64], total: NDArray[np.int64]) -> float:
    """var(seed) over var(residual) / S, for which `SEED_RATIO` stands; its error is about sqrt(2 / seeds)."""
    seeds, sentences = correct.shape
    z = correct - correct.sum() / (seeds * total.sum()) * total
    residual = z - z.mean(axis=0) - z.mean(axis=1, keepdims=True) + z.mean()
    by_chance = (residual**2).sum() / ((seeds - 1) * (sentences - 1)) / sentences
    return float(z.mean(axis=1).var(ddof=1) / by_chance - 1)


if __name__ == "__main__":
    main()

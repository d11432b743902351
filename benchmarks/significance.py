"""How often the significance measures see a difference where there is none.

Trains the original scheme with many seeds on small treebanks, then compares random disjoint groups of K seeds
with each other as if they were two schemes. A calibrated p value is below 0.05 in about 5 % of the trials.

    python benchmarks/significance.py --ud-home DIR [--seeds 60] [--trials 400] [TREEBANK ...]
"""

from __future__ import annotations

import numpy as np
from treebank_folds import arguments, folds

from learnability.experiments.settings import train_and_test
from learnability.metrics.significance import bootstrap_interval, permutation_p

TREEBANKS = ("UD_Kazakh", "UD_Tamil", "UD_Irish")
GROUPS = (1, 2, 3, 5, 10)


def main() -> None:
    """Print one line per treebank and number of seeds per side."""
    parser = arguments(__doc__, TREEBANKS, "1.3")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--trials", type=int, default=400)
    given = parser.parse_args()
    print("treebank\tsentences\tUAS\tsd over seeds\tseeds per side\tp < 0.05\tinterval excludes 0")
    for name, fold in folds(given):
        seeds = range(1, given.seeds + 1)
        trained = [train_and_test(fold, fold.ud, seed).record() for seed in seeds]
        correct = np.array([training.scores["uas"].correct for training in trained])
        total = np.array(trained[0].tokens)
        scores = 100 * correct.sum(axis=1) / total.sum()
        draw = np.random.default_rng(0)
        for k in (k for k in GROUPS if 2 * k <= given.seeds):
            small = excluded = 0
            for trial in range(given.trials):
                chosen = draw.permutation(given.seeds)
                a, b = correct[chosen[:k]], correct[chosen[k : 2 * k]]
                small += permutation_p(a, b, total, seed=trial, resamples=999) < 0.05
                low, high = bootstrap_interval(a, b, total, seed=trial, resamples=999)
                excluded += not low <= 0 <= high
            print(
                f"{name}\t{len(total)}\t{scores.mean():.2f}\t{scores.std(ddof=1):.2f}\t{k}\t"
                f"{small / given.trials:.3f}\t{excluded / given.trials:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

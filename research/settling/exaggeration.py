"""How much too large a named side's difference is, and the estimate given that it is clear.

Families of three constructions are drawn, with UD ahead by the same difference in each. A run tests a third
of the sentences, and what it leaves open is settled over all of them, as `settling.py` does it. Of all sides
that are named, this prints the differences and the conditional estimates (`delta_conditional`), as multiples
of the truth, and how many of these estimates are too large.

    python research/settling/exaggeration.py [--sentences 450] [--differences 0.4 0.8 1.6] [--families 300]
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from research.neighbours.neighbours import MEAN_LENGTH, MOST_SEEDS, drawn_family
from research.settling.settling import SEEDS_OF_RUN, Answered, Pool, answered, wrong_side
from research.support.treebank_folds import row

CONSTRUCTIONS, FOLDS = 3, 5


def main() -> None:
    """Print a line per true difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sentences", type=int, default=450)
    parser.add_argument("--differences", type=float, nargs="+", default=(0.4, 0.8, 1.6))
    parser.add_argument("--families", type=int, default=300)
    command_line = parser.parse_args()
    columns = ("named", "wrong side", "difference : truth", "estimate : truth", "estimate too large")
    print(row("difference", *columns))
    print(row(*["---"] * 6))
    for truth in command_line.differences:
        chance = np.random.default_rng(1)
        every: list[Answered] = []
        for _ in range(command_line.families):
            every += family(command_line.sentences, truth, chance)
        named = [each for each in every if each.difference.conditional is not None]
        found = np.array([each.difference.delta for each in named])
        estimates = np.array([each.difference.conditional for each in named])
        wrong = np.mean([wrong_side(truth, each) for each in every])
        figures = found.mean() / truth, estimates.mean() / truth
        shares = len(named) / len(every), wrong
        texts = (*(f"{share:.3f}" for share in shares), *(f"{figure:.2f}" for figure in figures))
        print(row(truth, *texts, f"{np.mean(estimates > truth):.2f}"), flush=True)


def family(sentences: int, truth: float, chance: np.random.Generator) -> list[Answered]:
    """Return how the constructions of a family end; `truth`: the points by which UD is ahead in each."""

    def pool(size: int, seeds: int, folds: int) -> tuple[NDArray[np.int64], Pool]:
        tokens = chance.integers(MEAN_LENGTH // 2, MEAN_LENGTH * 3 // 2, size)
        right = drawn_family(chance, tokens, np.arange(size), 0.0, seeds, truth / 100, CONSTRUCTIONS)
        fold = np.arange(size) * folds // size if folds > 1 else None
        return right, Pool([], tokens, fold)

    of_run, run = pool(sentences // 3, SEEDS_OF_RUN, 1)
    settled, whole = pool(sentences, MOST_SEEDS, FOLDS)
    return answered(of_run, run, settled, whole)


if __name__ == "__main__":
    main()

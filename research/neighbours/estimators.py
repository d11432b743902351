"""Which variance of a text holds the level of a test, and sees most differences?

Families of three differences are drawn as `neighbours.py simulate` draws them, directly and many at once. The
sentences of a document of 30 share a tenth of their variance, or nothing; the first document begins anywhere.
Each difference is tested at a third of 0.05. Variances follow from

- `sentences`, each for itself,
- `blocks` of neighbours, by Student's t,
- `windows`: products of neighbours with weights that fall with their distance (Bartlett's), with critical
  values from simulated independent sentences (fixed b: Kiefer & Vogelsang 2005),
- `waves`: slow cosines along the text, by Student's t.

`--seeds` adds a variance of the seeds to that from waves, estimated as the model of `statistics.significance`
does it. It prints false alarms with the degrees of freedom of the sum by the rule of Satterthwaite, and by
`degrees_of_sum`.

    python research/neighbours/estimators.py [--sentences 150 450] [--families 3000] [--seeds]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from learnability.statistics.inference import ALPHA
from learnability.statistics.spread import SEED_DEGREES, SEED_RATIO
from learnability.statistics.text_variance import degrees_of_sum
from research.neighbours.neighbours import MEAN_LENGTH, RESIDUAL, SCATTER, SEEN_IN_80_PERCENT
from research.support.treebank_folds import row

Floats = NDArray[np.float64]

CONSTRUCTIONS, TRAININGS = 3, 3

LEVEL = ALPHA / CONSTRUCTIONS

VARIANCE = SCATTER**2 + RESIDUAL**2 / TRAININGS
"""Of what a sentence contributes, per token."""

SEED_RATIOS = (0.0, 0.3, 1.0)
"""True var(seed), as a ratio to var(residual) / S."""


def main() -> None:
    """Print a line per number of sentences and variance."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sentences", type=int, nargs="+", default=(150, 450))
    parser.add_argument("--families", type=int, default=3000)
    parser.add_argument("--seeds", action="store_true")
    command_line = parser.parse_args()
    print_line = print_seeds if command_line.seeds else print_estimators
    if command_line.seeds:
        ratios = [f"{rule}, ratio {ratio}" for rule in ("Satterthwaite", "sum") for ratio in SEED_RATIOS]
        print(row("sentences", "waves", "shared", *ratios))
        print(row(*["---"] * (3 + len(ratios))))
    else:
        print(
            row(
                "sentences", "variance from", "false alarms", "shared: false alarms", "power", "shared: power"
            )
        )
        print(row(*["---"] * 6))
    for sentences in command_line.sentences:
        print_line(sentences, command_line.families)


def drawn(sentences: int, shared: float, count: int, chance: np.random.Generator) -> Floats:
    """Return float64[count, sentences], contributions of sentences to differences that are 0."""
    found = np.empty((count, sentences))
    for number in range(0, count, 100):
        size = min(100, count - number)
        document = (np.arange(sentences) + chance.integers(30)) // 30
        tokens = chance.integers(MEAN_LENGTH // 2, MEAN_LENGTH * 3 // 2, (size, sentences))
        of_document = sqrt(shared) * chance.standard_normal((size, document[-1] + 1))[:, document]
        of_sentence = sqrt(1 - shared) * chance.standard_normal((size, sentences))
        residual = RESIDUAL / sqrt(TRAININGS) * chance.standard_normal((size, sentences))
        found[number : number + size] = np.sqrt(tokens) * (SCATTER * (of_document + of_sentence) + residual)
    return found


def print_estimators(sentences: int, families: int) -> None:
    """Print false alarms and power of each variance."""
    chance = np.random.default_rng(1)
    count = families * CONSTRUCTIONS
    independent, alike = (drawn(sentences, shared, count, chance) for shared in (0.0, 0.1))
    ahead = SEEN_IN_80_PERCENT * sqrt(VARIANCE * MEAN_LENGTH / sentences)
    for name, is_clear in tests(sentences, chance):
        alarms = [
            is_clear(z).reshape(families, CONSTRUCTIONS).any(axis=1).mean() for z in (independent, alike)
        ]
        power = [is_clear(z[:2000] + ahead).mean() for z in (independent, alike)]
        print(row(sentences, name, *(f"{share:.3f}" for share in (*alarms, *power))), flush=True)


def tests(
    sentences: int, chance: np.random.Generator
) -> Iterator[tuple[str, Callable[[Floats], NDArray[np.bool_]]]]:
    """Yield each variance by its name, and which contributions (float64[n, S]) it calls clear."""
    independent = drawn(sentences, 0.0, 20_000 if sentences < 500 else 6000, chance)

    def by_t(variance: Callable[[Floats], Floats], degrees: float) -> Callable[[Floats], NDArray[np.bool_]]:
        quantile = stats.t.ppf(1 - LEVEL / 2, degrees)
        return lambda z: np.abs(z.sum(axis=1)) > quantile * np.sqrt(variance(z))

    def by_simulation(variance: Callable[[Floats], Floats]) -> Callable[[Floats], NDArray[np.bool_]]:
        statistics = np.abs(independent.sum(axis=1)) / np.sqrt(variance(independent))
        quantile = np.quantile(statistics, 1 - LEVEL)
        return lambda z: np.abs(z.sum(axis=1)) > quantile * np.sqrt(variance(z))

    yield "sentences", by_t(lambda z: sentences * z.var(axis=1, ddof=1), sentences - 1)
    for blocks in sorted({4, 5, sentences // 60, sentences // 30} - {0, 1, 2, 3}):
        yield f"{blocks} blocks", by_t(lambda z, blocks=blocks: from_blocks(z, blocks), blocks - 1)  # type: ignore[misc]
    for share in (0.1, 0.2, 0.5):
        length = round(share * sentences)
        yield f"windows of {length}", by_simulation(lambda z, length=length: from_windows(z, length))  # type: ignore[misc]
    for waves in sorted({3, 4, 5, sentences // 60, sentences // 50, sentences // 40} - {0, 1, 2}):
        yield f"{waves} waves", by_t(lambda z, waves=waves: from_waves(z, waves), waves)  # type: ignore[misc]


def from_blocks(z: Floats, blocks: int) -> Floats:
    """Return the variance of sums from blocks of neighbours, float64[n]."""
    starts = np.flatnonzero(np.diff(np.arange(z.shape[1]) * blocks // z.shape[1], prepend=-1))
    sums = np.add.reduceat(centered(z), starts, axis=1)
    variance: Floats = np.square(sums).sum(axis=1) * blocks / (blocks - 1)
    return variance


def from_windows(z: Floats, length: int) -> Floats:
    """Return it from products with Bartlett's weights: the mean square of sums over all windows."""
    padded = np.pad(centered(z), ((0, 0), (length, length)))
    sums = np.cumsum(padded, axis=1)
    variance: Floats = np.square(sums[:, length:] - sums[:, :-length]).sum(axis=1) / length
    return variance


def from_waves(z: Floats, waves: int) -> Floats:
    """Return it from slow cosines."""
    sentences = z.shape[1]
    middle = (np.arange(sentences) + 0.5) / sentences
    heights = sqrt(2) * np.cos(np.pi * np.outer(middle, np.arange(1, waves + 1)))
    variance: Floats = np.square(z @ heights).mean(axis=1)
    return variance


def centered(z: Floats) -> Floats:
    """Return contributions less their mean."""
    rest: Floats = z - z.mean(axis=1, keepdims=True)
    return rest


def print_seeds(sentences: int, families: int) -> None:
    """Print the false alarms of waves and seeds together, by both rules of degrees of freedom."""
    chance = np.random.default_rng(1)
    count = families * CONSTRUCTIONS
    residual = RESIDUAL**2 * MEAN_LENGTH * sentences
    known, measured = SEED_DEGREES, TRAININGS - 1
    for shared in (0.0, 0.1):
        z = drawn(sentences, shared, count, chance)
        for waves in sorted({4, sentences // 50} - {0, 1, 2, 3}):
            of_text, alarms = from_waves(z, waves), []
            for rule in ("Satterthwaite", "sum"):
                for ratio in SEED_RATIOS:
                    sums = z.sum(axis=1) + sqrt(ratio * residual / TRAININGS) * chance.standard_normal(count)
                    between = (ratio + 1) * residual * chance.chisquare(measured, count) / measured
                    excess = known * SEED_RATIO * residual + measured * (between - residual)
                    of_seeds = np.maximum(0, excess / (known + measured)) / TRAININGS
                    deviations = of_text / sqrt(waves), of_seeds / sqrt(known + measured)
                    degrees = degrees_of_sum(of_text + of_seeds, *deviations)
                    if rule == "Satterthwaite":
                        degrees = np.square(of_text + of_seeds) / sum(map(np.square, deviations))
                    quantile = stats.t.ppf(1 - LEVEL / 2, degrees)
                    clear = np.abs(sums) > quantile * np.sqrt(of_text + of_seeds)
                    alarms.append(f"{clear.reshape(families, CONSTRUCTIONS).any(axis=1).mean():.3f}")
            print(row(sentences, waves, shared, *alarms), flush=True)


if __name__ == "__main__":
    main()

"""Compute intervals of a finished run again, from records.jsonl alone and without the package.

The formulas are those of docs/rules.md (Scores and uncertainty), by loops: waves, independent sentences,
priors, trainings, Student's t. Only the constants are the same.

    python research/text_noise/intervals_by_hand.py RUN

RUN is a folder that `learnability run --test-set` has made, of a treebank whose files mark no documents. The
script prints each construction's interval as scores.csv has it and as it is computed, and how many agree.
"""

from __future__ import annotations

import argparse
import csv
import json
from math import cos, pi, sqrt
from pathlib import Path

from scipy.stats import t as student

RATIO, TREEBANK, CONSTRUCTION, ALIKE = 1.2, 40.0, 75.0, 0.1
SEED_RATIO, SEED_DEGREES, RESIDUAL_SHARE, OTHER_DEGREES, TEST_SHARE = 0.5, 20, 0.75, 6, 0.5

Counts = list[list[int]]
"""Right heads, by training and sentence."""


def main() -> None:
    """Print a line per construction."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("run", type=Path)
    folder = parser.parse_args().run
    right, tokens, trained = read_counts(folder / "records.jsonl")
    stored = read_stored(folder / "scores.csv")
    ud = right.pop("")
    same = 0
    for name in stored:
        others = [counts for other, counts in right.items() if other != name]
        low, high = interval(ud, right[name], others, tokens, trained)
        shown = f"{low:.4f}", f"{high:.4f}"
        same += shown == stored[name]
        print(name, *stored[name], *shown)
    print(f"{same} of {len(stored)} intervals are the same to the last digit")


def read_counts(path: Path) -> tuple[dict[str, Counts], list[int], int]:
    """Return right heads (of UD: ""), the tokens of each sentence, and how many tokens are learned from."""
    right: dict[str, dict[int, list[int]]] = {}
    tokens: list[int] = []
    trained = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "result" not in record:  # it occurs nowhere
            continue
        if record["setting"] in ("a", "b"):
            result = record["result"]
            right.setdefault(record.get("subject", ""), {})[record["seed"]] = result["scores"]["uas"][
                "correct"
            ]
            tokens = result["tokens"]
        elif record["setting"] == "measures":
            trained = record["result"]["train_tokens"]
    by_seed = {name: [seeds[seed] for seed in sorted(seeds)] for name, seeds in right.items()}
    return by_seed, tokens, trained


def read_stored(path: Path) -> dict[str, tuple[str, str]]:
    """Return the interval of each construction alone, as the run has written it."""
    ends: dict[str, dict[str, str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["score"] == "uas" and line["comparison"] == "own_annotation":
                ends.setdefault(line["construction"], {})[line["statistic"]] = line["value"]
    low, high = "delta_uncorrected_low", "delta_uncorrected_high"
    return {name: (each[low], each[high]) for name, each in ends.items() if low in each}


def interval(
    ud: Counts, other: Counts, others: list[Counts], tokens: list[int], trained: int
) -> tuple[float, float]:
    """Return the 95 % interval of the difference in points."""
    seeds, total = len(ud), sum(tokens)
    difference = [[a - b for a, b in zip(*each, strict=True)] for each in zip(ud, other, strict=True)]
    delta = 100 * sum(map(sum, difference)) / seeds / total
    text, text_degrees = moderated(mean_of(difference), [minus(ud, each) for each in others], tokens)
    of_seed, seed_degrees = trainings(difference, others, tokens, trained)
    variance = text + of_seed / seeds
    deviations = text / sqrt(text_degrees) + of_seed / seeds / sqrt(seed_degrees)
    degrees = max((variance / deviations) ** 2, min(text_degrees, seed_degrees))
    half = student.ppf(0.975, degrees) * max(sqrt(variance), 100 / total)
    return delta - half, delta + half


def mean_of(counts: list[list[int]]) -> list[float]:
    return [sum(each) / len(each) for each in zip(*counts, strict=True)]


def minus(first: Counts, second: Counts) -> list[float]:
    return [a - b for a, b in zip(mean_of(first), mean_of(second), strict=True)]


def moderated(own: list[float], others: list[list[float]], tokens: list[int]) -> tuple[float, float]:
    """Return the variance that is due to the text, and its degrees of freedom."""
    waves, degrees = variance_of_waves(own, tokens)
    independent, independent_degrees = variance_of_independent(own, tokens)
    known, weighted = TREEBANK, TREEBANK * RATIO
    overlap = 1 + (len(others) - 1) * ALIKE
    for values in others:
        variance, freedom = variance_of_waves(values, tokens)
        counts = 1 / (1 / freedom + 1 / CONSTRUCTION) / overlap
        known += counts
        weighted += counts * variance / variance_of_independent(values, tokens)[0]
    prior = 1 / (1 / known + 1 / CONSTRUCTION)
    borrowed, measured = prior * weighted / known, degrees * waves / independent
    share = borrowed / (borrowed + measured)
    ratio = (borrowed + measured) / (prior + degrees)
    return ratio * independent, 1 / (1 / (prior + degrees) + share**2 / independent_degrees)


def rest_of(values: list[float], tokens: list[int]) -> list[float]:
    """Return what each sentence adds to the difference, in points, less its expectation."""
    total = sum(tokens)
    mean = sum(values) / total
    return [100 * (value - mean * size) / total for value, size in zip(values, tokens, strict=True)]


def variance_of_waves(values: list[float], tokens: list[int]) -> tuple[float, float]:
    rest, total = rest_of(values, tokens), sum(tokens)
    count = min(max(len(tokens) // 50, 4), 20)
    middles, before = [], 0
    for size in tokens:
        middles.append((before + size / 2) / total)
        before += size
    heights = []
    for number in range(1, count + 1):
        wave = [cos(pi * number * middle) for middle in middles]
        mean = sum(size * height for size, height in zip(tokens, wave, strict=True)) / total
        square = sum(size * (height - mean) ** 2 for size, height in zip(tokens, wave, strict=True)) / total
        heights.append([(height - mean) / sqrt(square) for height in wave])
    sums = [sum(height * each for height, each in zip(wave, rest, strict=True)) for wave in heights]
    correlations = [
        sum(size * a * b for size, a, b in zip(tokens, first, second, strict=True)) / total
        for first in heights
        for second in heights
    ]
    return sum(each**2 for each in sums) / count, count**2 / sum(each**2 for each in correlations)


def variance_of_independent(values: list[float], tokens: list[int]) -> tuple[float, float]:
    squares = [each**2 for each in rest_of(values, tokens)]
    count, mean = len(squares), sum(squares) / len(squares)
    scatter = sum((square - mean) ** 2 for square in squares)
    return sum(squares) * count / (count - 1), min(2 * sum(squares) ** 2 / scatter, count - 1)


def trainings(
    difference: Counts, others: list[Counts], tokens: list[int], trained: int
) -> tuple[float, float]:
    """Return var(seed), and its degrees of freedom."""
    seeds, count, tested = len(difference), len(tokens), sum(tokens)
    ratio = SEED_RATIO * max(1.0, tested / (TEST_SHARE * trained))
    degrees = SEED_DEGREES if ratio == SEED_RATIO else OTHER_DEGREES
    if seeds == 1:
        squares = [each**2 for each in contributions(difference, tokens)[0]]
        return ratio * RESIDUAL_SHARE * sum(squares) / (count - 1) / count, degrees
    excess, residuals, measured = 0.0, 0.0, 0
    for right in others:
        residual, between = parts(right, tokens)
        excess += (seeds - 1) * (between - residual / count)
        residuals += (seeds - 1) * residual / count
        measured += seeds - 1
    known = degrees + measured
    if measured:
        ratio = max(0.0, (degrees * ratio + measured * excess / residuals) / known)
    residual, between = parts(difference, tokens)
    seed = (known * ratio * residual / count + (seeds - 1) * (between - residual / count)) / (
        known + seeds - 1
    )
    return max(0.0, seed), known + seeds - 1


def contributions(counts: Counts, tokens: list[int]) -> list[list[float]]:
    mean = sum(map(sum, counts)) / len(counts) / sum(tokens)
    length = sum(tokens) / len(tokens)
    return [
        [100 * (each - mean * size) / length for each, size in zip(seed, tokens, strict=True)]
        for seed in counts
    ]


def parts(counts: Counts, tokens: list[int]) -> tuple[float, float]:
    """Return var(residual), and the variance between the means of trainings."""
    z = contributions(counts, tokens)
    seeds, count = len(z), len(tokens)
    of_seed = [sum(row) / count for row in z]
    of_sentence = [sum(column) / seeds for column in zip(*z, strict=True)]
    mean = sum(of_seed) / seeds
    squares = sum(
        (z[k][s] - of_sentence[s] - of_seed[k] + mean) ** 2 for k in range(seeds) for s in range(count)
    )
    between = sum((each - mean) ** 2 for each in of_seed) / (seeds - 1)
    return squares / (seeds - 1) / (count - 1), between


if __name__ == "__main__":
    main()

"""Predict a run's result from short trainings: which annotation is easier, and how probably.

A run measures the difference D (UAS of UD minus UAS of the alternative, in points). Parsers trained on a
share of a sample differ by d, with the standard error e over the test sentences. slope * d estimates D with
the variance slope² * spread * e² / k for k samples, plus deviation² * c, because small data differ from large
data; c is the share of the tokens that the alternative moves. Before any training D has mean 0, and the mean
square of all that was measured as its variance, times c: differences grow roughly with the root of c, because
where more tokens are moved, more of them are easy.

For a parser other than that of the short trainings, the difference is slope * D with an additional variance
deviation², because parsers differ.

All terms are assumed to be normal and independent, so they are combined by their precisions (Gelman et al.
2013, Bayesian Data Analysis, section 2.5). docs/answers.md explains where the constants come from.

What runs in other languages found of a transformation is a belief about D, too. It says where an open
difference leans. With short trainings it adds next to nothing, so predictions do without it
(research/predictions).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt
from statistics import NormalDist, fmean

import msgspec

DATA = files("learnability.statistics") / "data"


@dataclass(frozen=True)
class Trial:
    """Hold the difference that a short training measured, and its standard error over the test sentences, in
    points."""

    difference: float
    error: float


@dataclass(frozen=True)
class Belief:
    """Represent a normal distribution of a difference, with mean (points) and variance (squared points)."""

    mean: float
    variance: float

    def and_also(self, mean: float, variance: float) -> Belief:
        """Return the belief combined with an independent estimate of the same difference."""
        precision = 1 / self.variance + 1 / variance
        return Belief((self.mean / self.variance + mean / variance) / precision, 1 / precision)

    def of_another_parser(self, constants: Constants) -> Belief:
        """Return the belief about the difference that another parser shows."""
        other = constants.other_parser
        return Belief(other.slope * self.mean, other.slope**2 * self.variance + other.deviation**2)

    def probability(self, error: float) -> float:
        """Return the probability of a measured difference above 0; `error`: its standard error."""
        return 1 - NormalDist(self.mean, sqrt(self.variance + error**2)).cdf(0)


@dataclass(frozen=True)
class OtherParser:
    """Predict the difference of another parser from that of the short trainings: see the module."""

    slope: float
    deviation: float


@dataclass(frozen=True)
class Constants:
    """Hold the constants of the predictions: see the module.

    Attributes:
        slope: the factor from a difference of short trainings to that of a run.
        deviation: the standard deviation that remains, per root of the share of moved tokens.
        spread: the variance of a short training's difference, as a multiple of that over its test sentences.
        run_error: the standard error of a run of three seeds, as a multiple of that of a short training
            tested on as many tokens.
        other_parser: for parsers other than that of the short trainings.
    """

    slope: float
    deviation: float
    spread: float
    run_error: float
    other_parser: OtherParser

    @classmethod
    @cache
    def load_shipped(cls) -> Constants:
        return msgspec.json.decode((DATA / "prediction.json").read_bytes(), type=cls)


def predict_run(trials: Sequence[Trial], changed: float, constants: Constants) -> Belief:
    """Return the belief about the difference of a run after one or more short trainings, on other samples.

    `changed`: the share of the tokens that the annotation moves, above 0.
    """
    noise = constants.spread * fmean(trial.error**2 for trial in trials) / len(trials)
    variance = constants.slope**2 * noise + constants.deviation**2 * changed
    mean = constants.slope * fmean(trial.difference for trial in trials)
    return in_other_languages("", "", changed).and_also(mean, variance)


@cache
def _pooled_elsewhere() -> Mapping[tuple[str, str], Belief]:
    rows = csv.DictReader((DATA / "elsewhere.csv").read_text(encoding="utf-8").splitlines())
    return {
        (row["transform"], row["language"]): Belief(float(row["mean"]), float(row["variance"]))
        for row in rows
    }


def in_other_languages(transform: str, language: str, changed: float) -> Belief:
    """Return the belief about a transformation's difference from what runs in other languages found.

    Random effects of treebanks, languages and families pooled the measurements that come with the package
    (`research/predictions`). Without measurements of the transformation the mean is 0, and the variance is
    the mean square of all that were measured. What was measured in `language` is left out. `changed`: the
    share of the tokens that the transformation moves.
    """
    pooled = _pooled_elsewhere()
    of_transform = transform if (transform, "") in pooled else ""
    belief = pooled.get((of_transform, language), pooled[of_transform, ""])
    return Belief(belief.mean * sqrt(changed), belief.variance * changed)

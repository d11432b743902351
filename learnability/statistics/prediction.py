"""Predict a run's result from earlier results: which annotation is easier, and how probably.

A run measures the difference D (UAS of UD minus UAS of the alternative, in points). It is predicted from

- the results of the same transformation in other languages. In a treebank in which the transformation moves
  the share c of the tokens, D has mean m * sqrt(c) and variance t * c. m and t are estimated by random
  effects of treebanks, languages and families (`meta_analysis`). Differences grow roughly with the root of
  c, because where more tokens are moved, more of them are easy. For an annotation without measurements m is
  0, and t the mean square of all that were measured;
- short trainings: parsers trained on the share s of a sample differ by d, with the standard error e over the
  test sentences. slope(s) * d estimates D with the variance slope(s)² * spread * e² / k for k samples, plus
  deviation(s)² * c, because small data differ from large data. Only the largest share counts: smaller shares
  mostly have the same errors.

For a parser other than that of the short trainings, the difference is slope * D with an additional variance
deviation², because parsers differ.

All terms are assumed to be normal and independent, so they are combined by their precisions (Gelman et al.
2013, Bayesian Data Analysis, section 2.5). docs/answers.md explains where the constants come from.
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

from learnability.statistics.meta_analysis import difference_elsewhere
from learnability.treebanks.families import origin_of

DATA = files("learnability.statistics") / "data"

FEWEST_LANGUAGES = 3
"""The fewest other languages with measurements of a transformation for a prediction in a further language."""


@dataclass(frozen=True)
class Measured:
    """Hold the difference that a run measured between UD and a transformation.

    Attributes:
        language: the language of the treebank.
        transform: the transformation, as on the command line.
        difference: UD minus the alternative, in points.
        error: its standard error, in points.
        changed: the share of the tokens that the transformation moves, above 0.
    """

    language: str
    transform: str
    difference: float
    error: float
    changed: float


@dataclass(frozen=True)
class Trial:
    """Hold the difference that a short training measured.

    Attributes:
        share: the share of a sample that was trained on.
        error: its standard error over the test sentences, in points.
    """

    share: float
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
    """Hold the constants of the predictions (see the module), some of them by share.

    Attributes:
        slope: by share, the factor from a difference of short trainings to that of a run.
        deviation: by share, the standard deviation that remains, per root of the share of moved tokens.
        spread: the variance of a short training's difference, as a multiple of that over its test sentences.
        run_error: the standard error of a run of three seeds, as a multiple of that of a short training
            tested on as many tokens.
        other_parser: for parsers other than that of the short trainings.
    """

    slope: Mapping[float, float]
    deviation: Mapping[float, float]
    spread: float
    run_error: float
    other_parser: OtherParser

    @classmethod
    @cache
    def load_shipped(cls) -> Constants:
        return msgspec.json.decode((DATA / "prediction.json").read_bytes(), type=cls)


@cache
def _pooled_elsewhere() -> Mapping[tuple[str, str], Belief]:
    """Return `find_prior` where all tokens are moved, by transformation and language."""
    rows = csv.DictReader((DATA / "elsewhere.csv").read_text(encoding="utf-8").splitlines())
    return {
        (row["transform"], row["language"]): Belief(float(row["mean"]), float(row["variance"]))
        for row in rows
    }


def in_other_languages(transform: str, language: str, changed: float) -> Belief:
    """Return `find_prior` by the measurements that come with the package, pooled beforehand."""
    pooled = _pooled_elsewhere()
    of_transform = transform if (transform, "") in pooled else ""
    belief = pooled.get((of_transform, language), pooled[of_transform, ""])
    return Belief(belief.mean * sqrt(changed), belief.variance * changed)


def find_prior(transform: str, language: str, changed: float, known: Sequence[Measured]) -> Belief:
    """Return the belief about a transformation's difference from the results in other languages."""
    elsewhere = [result for result in known if result.language != language]
    same = [result for result in elsewhere if result.transform == transform]
    if len({result.language for result in same}) < FEWEST_LANGUAGES:
        square = fmean(result.difference**2 / result.changed for result in elsewhere) if elsewhere else 1.0
        return Belief(0.0, square * changed)
    mean, deviation = difference_elsewhere(
        [result.difference / sqrt(result.changed) for result in same],
        [result.error / sqrt(result.changed) for result in same],
        [origin_of(result.language) for result in same],
    )
    return Belief(mean * sqrt(changed), deviation**2 * changed)


def after_trials(belief: Belief, trials: Sequence[Trial], changed: float, constants: Constants) -> Belief:
    """Return the belief after one or more short trainings.

    Args:
        belief: the belief before.
        trials: the short trainings.
        changed: the share of the tokens that the annotation moves, above 0.
        constants: how short trainings relate to runs.
    """
    share = max(trial.share for trial in trials)
    largest = [trial for trial in trials if trial.share == share]
    slope = constants.slope[share]
    noise = constants.spread * fmean(trial.error**2 for trial in largest) / len(largest)
    variance = slope**2 * noise + constants.deviation[share] ** 2 * changed
    return belief.and_also(slope * fmean(trial.difference for trial in largest), variance)

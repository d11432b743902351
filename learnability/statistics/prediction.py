"""Which annotation a run would find easier, from what is known before: a prediction with its probability.

The difference D that a run measures (UAS of UD minus UAS of the alternative, in points) is predicted by

- what the same transformation did in other languages: of a treebank in which it moves the share c of the
  tokens, D has mean m * sqrt(c) and variance t * c, with m and t by random effects over the treebanks of
  other languages (`meta_analysis`). Differences grow about with the root of c, because where more tokens are
  moved, more of them are easy. Of an annotation that was not measured before m is 0 and t the mean square of
  all that were;
- short trainings: parsers trained on the share s of a sample differ by d, with the standard error e over the
  sentences tested on. slope(s) * d estimates D with the variance slope(s)² * spread * e² / k of k samples,
  and deviation(s)² * c: small data are not large data. Only the largest share counts: what the smaller
  ones have wrong, it mostly shares.

- of another parser than that of the short trainings the difference is slope * D, with the variance
  deviation²: parsers differ.

All are taken as normal and independent, so that they add up by their precisions (Gelman et al. 2013,
Bayesian Data Analysis, section 2.5). docs/sooner.md says where the constants are from.
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

from learnability.statistics.meta_analysis import random_effects

DATA = files("learnability.statistics") / "data"

FEWEST_LANGUAGES = 3
"""Other languages that a transformation must have been measured in to say anything of one more."""


@dataclass(frozen=True)
class Measured:
    """The difference that a run measured between UD and a transformation (as on the command line): in points,
    with its standard error, where it moves the share `changed` (above 0) of the tokens."""

    language: str
    transform: str
    difference: float
    error: float
    changed: float


@dataclass(frozen=True)
class Trial:
    """The difference (UD minus the other) that a short training on the share `share` of a sample measured, in
    points, and its standard error over the sentences tested on."""

    share: float
    difference: float
    error: float


@dataclass(frozen=True)
class Belief:
    """What is believed of a difference: normal, with mean and variance in points."""

    mean: float
    variance: float

    def and_also(self, mean: float, variance: float) -> Belief:
        """With an independent estimate of the same difference."""
        precision = 1 / self.variance + 1 / variance
        return Belief((self.mean / self.variance + mean / variance) / precision, 1 / precision)

    def of_another_parser(self, constants: Constants) -> Belief:
        """The belief of the difference that another parser shows."""
        other = constants.other_parser
        return Belief(other.slope * self.mean, other.slope**2 * self.variance + other.deviation**2)

    def probability(self, error: float) -> float:
        """That the difference is above 0 when it is measured with this standard error."""
        return 1 - NormalDist(self.mean, sqrt(self.variance + error**2)).cdf(0)


@dataclass(frozen=True)
class OtherParser:
    """How the difference of another parser follows from that of the short trainings."""

    slope: float
    deviation: float


@dataclass(frozen=True)
class Constants:
    """What the predictions rest on (see the module), some by share. `run_error`: the standard error of a run
    of three seeds, as a multiple of that of a short training tested on as many tokens."""

    slope: Mapping[float, float]
    deviation: Mapping[float, float]
    spread: float
    run_error: float
    other_parser: OtherParser

    @classmethod
    @cache
    def shipped(cls) -> Constants:
        """Those of `data/prediction.json`."""
        return msgspec.json.decode((DATA / "prediction.json").read_bytes(), type=cls)


@cache
def measured_before() -> tuple[Measured, ...]:
    """What was measured over the treebanks of UD 1.3: `data/differences.csv`."""
    rows = csv.DictReader((DATA / "differences.csv").read_text(encoding="utf-8").splitlines())
    return msgspec.convert(list(rows), tuple[Measured, ...], strict=False)


def before_training(transform: str, language: str, changed: float, known: Sequence[Measured]) -> Belief:
    """What other languages say of a transformation that moves the share `changed` (above 0) of the tokens."""
    others = [one for one in known if one.language != language]
    own = [one for one in others if one.transform == transform]
    if len({one.language for one in own}) < FEWEST_LANGUAGES:
        square = fmean(one.difference**2 / one.changed for one in others) if others else 1.0
        return Belief(0.0, square * changed)
    roots = [sqrt(one.changed) for one in own]
    pooled = random_effects(
        [one.difference / root for one, root in zip(own, roots, strict=True)],
        [one.error / root for one, root in zip(own, roots, strict=True)],
    )
    variance = (pooled.tau or 0.0) ** 2 + pooled.error**2
    return Belief(pooled.mean * sqrt(changed), variance * changed)


def after_trials(belief: Belief, trials: Sequence[Trial], changed: float, constants: Constants) -> Belief:
    """The belief after one or more short trainings of an annotation that moves the share `changed` (above 0)
    of the tokens."""
    share = max(trial.share for trial in trials)
    own = [trial for trial in trials if trial.share == share]
    slope, noise = constants.slope[share], constants.spread * fmean(t.error**2 for t in own) / len(own)
    variance = slope**2 * noise + constants.deviation[share] ** 2 * changed
    return belief.and_also(slope * fmean(trial.difference for trial in own), variance)

"""Read and write `model.json`: for each construction, what its difference depends on."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import msgspec
import numpy as np

from learnability.statistics.inference import ALPHA, Side
from research.decides.fitting import Floats, PropertyFit, Scale, Variances
from research.decides.properties import NAMES, Properties

DIGITS = 4
"""The significant digits of the numbers in the file."""


@dataclass(frozen=True)
class Expectation:
    """Hold the difference that we expect in a treebank, UD minus the alternative, as a normal distribution.

    Attributes:
        delta: its mean, in points.
        variance: in squared points; errors of measuring come in addition.
    """

    delta: float
    variance: float

    @property
    def error(self) -> float:
        """Return the standard deviation, in points."""
        return sqrt(self.variance)

    @property
    def side(self) -> Side:
        """Return the side that we expect to be easier."""
        return Side.FIRST if self.delta > 0 else Side.SECOND

    @property
    def probability(self) -> float:
        """Return the probability that UD is easier."""
        return NormalDist().cdf(self.delta / self.error)

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the difference, in points."""
        half = NormalDist().inv_cdf(1 - ALPHA / 2) * self.error
        return self.delta - half, self.delta + half


class Expectations(NamedTuple):
    """Hold what we expect of a construction in a treebank, by its properties, and by the mean alone."""

    by_properties: Expectation
    alone: Expectation


class StoredFit(msgspec.Struct, frozen=True):
    """Hold a fit (`fitting.PropertyFit`) as lists of numbers."""

    means: list[float]
    deviations: list[float]
    variances: tuple[float, float, float]
    mean: float
    weights: list[float]
    families: list[str]
    effects: list[float]
    covariance: list[list[float]]
    shared: list[list[float]]
    uncertainty: list[float]

    @classmethod
    def of(cls, fit: PropertyFit) -> StoredFit:
        """Return a fit with rounded numbers."""
        variances = (fit.variances.weights, fit.variances.families, fit.variances.treebanks)
        weights, families, treebanks = map(_round, variances)
        return cls(
            means=list(map(_round, fit.scale.means)),
            deviations=list(map(_round, fit.scale.deviations)),
            variances=(weights, families, treebanks),
            mean=_round(fit.mean),
            weights=list(map(_round, fit.weights)),
            families=list(fit.families),
            effects=list(map(_round, fit.effects)),
            covariance=[list(map(_round, row)) for row in fit.covariance],
            shared=[list(map(_round, row)) for row in fit.shared],
            uncertainty=list(map(_round, fit.uncertainty)),
        )

    def restore(self) -> PropertyFit:
        """Return the fit."""
        width = 1 + len(self.weights)
        return PropertyFit(
            Scale(np.array(self.means), np.array(self.deviations)),
            Variances(*self.variances),
            self.mean,
            np.array(self.weights),
            tuple(self.families),
            np.array(self.effects),
            np.array(self.covariance).reshape(width, width),
            np.array(self.shared).reshape(-1, width),
            np.array(self.uncertainty),
        )


class ConstructionModel(msgspec.Struct, frozen=True):
    """Hold what we expect of a construction.

    Attributes:
        construction: its spelling in records and config.json.
        treebanks: how many it was fitted to.
        families: from how many families they are.
        explained: the share of the error of the mean alone that properties remove in families left out.
        explained_low, explained_high: its 95 % interval.
        by_properties: the fit with properties; they may have no weight.
        alone: the fit of the mean alone.
    """

    construction: str
    treebanks: int
    families: int
    explained: float
    explained_low: float
    explained_high: float
    by_properties: StoredFit
    alone: StoredFit

    def expect(self, properties: Properties, family: str) -> Expectations:
        """Return what we expect in a treebank.

        Args:
            properties: of the construction in the treebank.
            family: the family of its language.
        """
        values = as_floats(properties)
        return Expectations(
            Expectation(*self.by_properties.restore().predict(values, family)),
            Expectation(*self.alone.restore().predict(values, family)),
        )


class ExpectationModel(msgspec.Struct, frozen=True):
    """Hold the fitted model.

    Attributes:
        date: when it was fitted.
        release: the UD release of its treebanks.
        command: the command that fitted it.
        parser: the parser whose differences were fitted.
        properties: the names of the properties, in order.
        treebanks: the names of the treebanks that it was fitted to.
        constructions: a model of each.
    """

    date: str
    release: str
    command: str
    parser: str
    properties: list[str]
    treebanks: list[str]
    constructions: list[ConstructionModel]

    @classmethod
    def from_bytes(cls, data: bytes) -> ExpectationModel:
        """Return the model in a file."""
        model = msgspec.json.decode(data, type=cls)
        assert tuple(model.properties) == NAMES, "the model has other properties; fit it again"
        return model

    def as_bytes(self) -> bytes:
        """Return the content of the file: a construction's numbers in a line."""
        encoded = msgspec.json.encode(self)
        return encoded.replace(b'{"construction"', b'\n{"construction"') + b"\n"


def as_floats(properties: Properties) -> Floats:
    """Return float64[properties], nan where one is not defined."""
    values = (getattr(properties, name) for name in NAMES)
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _round(value: float) -> float:
    """Return a number with as many significant digits as the file has."""
    return float(f"{value:.{DIGITS}g}")

"""Fit what a difference depends on: shrunken weights of properties, and random effects of families.

The difference of a treebank is mean + properties · weights + family + treebank + error of measuring. The
weights have the prior N(0, spread²), families and treebanks N(0, their variance): a ridge regression in which
a treebank counts by its standard error. Both variances are means of their posterior distribution, with the
priors of `statistics.meta_analysis`. The spread is chosen among multiples of the standard deviation between
treebanks: that with the least error on families that are left out, one at a time. 0 leaves the mean alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SPREADS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""The spread of the weights, in multiples of the standard deviation between treebanks."""

EXTREME = 3.0
"""The deviations from the mean beyond which a property counts as being there."""

TAUS, SHARES = 25, 4
"""Points at which the posterior distribution of the variances is evaluated, as in `meta_analysis`."""


@dataclass(frozen=True)
class Measurements:
    """Hold what was measured of a construction in N treebanks.

    Attributes:
        differences: float64[N], UD minus the alternative, in points.
        errors: float64[N], their standard errors, in points, above 0.
        properties: float64[N, properties], nan where one is not defined.
        families: the family of each.
    """

    differences: Floats
    errors: Floats
    properties: Floats
    families: Sequence[str]

    def __len__(self) -> int:
        """Return the number of treebanks."""
        return len(self.differences)

    def select(self, rows: NDArray[np.bool_]) -> Measurements:
        """Return some of the treebanks; `rows`: bool[N]."""
        families = [family for family, is_kept in zip(self.families, rows, strict=True) if is_kept]
        return Measurements(self.differences[rows], self.errors[rows], self.properties[rows], families)

    def of_family(self, family: str) -> NDArray[np.bool_]:
        """Return bool[N], which treebanks are of a family."""
        return np.array([other == family for other in self.families])


@dataclass(frozen=True)
class Scale:
    """Standardise properties by the means and deviations of the treebanks of a fit.

    Attributes:
        means, deviations: float64[properties]; a deviation of 0 leaves the property out.
    """

    means: Floats
    deviations: Floats

    @classmethod
    def of(cls, properties: Floats) -> Scale:
        """Return the scale of properties; one without any value has mean and deviation 0."""
        known = ~np.isnan(properties)
        counts = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, properties, 0.0).sum(axis=0) / counts
        squares = np.where(known, np.square(properties - means), 0.0).sum(axis=0) / counts
        return cls(means, np.where(squares > 1e-12, np.sqrt(squares), 0.0))

    def standardise(self, properties: Floats) -> Floats:
        """Return properties with mean 0 and deviation 1, cut at :data:`EXTREME`; unknown ones are average."""
        used = self.deviations > 0
        values = (properties - self.means) / np.where(used, self.deviations, 1.0)
        return np.clip(np.where(np.isnan(values) | ~used, 0.0, values), -EXTREME, EXTREME)


@dataclass(frozen=True)
class Variances:
    """Hold variances, in squared points: of each weight, between families, and between their treebanks."""

    weights: float
    families: float
    treebanks: float


@dataclass(frozen=True)
class PropertyFit:
    """Hold the posterior distribution of mean, weights and families, which is normal.

    Attributes:
        scale: how properties are standardised.
        variances: those that it follows from.
        mean: of a treebank with average properties, in points.
        weights: float64[properties], points per standard deviation.
        families: the names of the families.
        effects: float64[families], in points.
        covariance: float64[1 + properties, 1 + properties], of mean and weights.
        shared: float64[families, 1 + properties], of each effect with mean and weights.
        uncertainty: float64[families], the variance of each effect.
    """

    scale: Scale
    variances: Variances
    mean: float
    weights: Floats
    families: tuple[str, ...]
    effects: Floats
    covariance: Floats
    shared: Floats
    uncertainty: Floats

    def predict(self, properties: Floats, family: str = "") -> tuple[float, float]:
        """Return mean and variance of the true difference in a treebank, in points and squared points.

        Args:
            properties: float64[properties], nan where one is not defined.
            family: its family; one that the fit does not know has an effect around 0.
        """
        point = np.concatenate(([1.0], self.scale.standardise(properties)))
        expected = float(point @ np.concatenate(([self.mean], self.weights)))
        variance = float(point @ self.covariance @ point) + self.variances.treebanks
        if family not in self.families:
            return expected, variance + self.variances.families
        number = self.families.index(family)
        of_family = 2 * float(point @ self.shared[number]) + float(self.uncertainty[number])
        return expected + float(self.effects[number]), variance + of_family


def fit_model(measured: Measurements, spreads: Sequence[float] = SPREADS) -> PropertyFit:
    """Fit the model to treebanks of two or more families.

    Args:
        measured: three or more treebanks.
        spreads: the spreads of the weights among which to choose, in multiples of the standard deviation
            between treebanks; the first is 0.

    Returns:
        The fit with the spread that has the least error on families left out.
    """
    scale = Scale.of(measured.properties)
    standardised = scale.standardise(measured.properties)
    alone = estimate_variances(measured, standardised, 0.0)
    between = alone.families + alone.treebanks
    importance = 1 / (np.square(measured.errors) + between)
    best, least = alone, _error_left_out(measured, standardised, alone, importance)
    for spread in spreads[1:]:
        variances = estimate_variances(measured, standardised, spread**2 * between)
        error = _error_left_out(measured, standardised, variances, importance)
        if error < least:
            best, least = variances, error
    return find_posterior(measured, scale, standardised, best)


def fit_mean(measured: Measurements) -> PropertyFit:
    """Fit the mean alone, without properties, to three or more treebanks."""
    return fit_model(measured, SPREADS[:1])


def estimate_variances(measured: Measurements, standardised: Floats, of_weights: float) -> Variances:
    """Return the posterior means of the variances between families and treebanks.

    Args:
        measured: the treebanks.
        standardised: float64[N, properties], with mean 0 and deviation 1.
        of_weights: the variance of each weight, in squared points.
    """
    errors = measured.errors
    limit = 4 * (float(measured.differences.std()) + float(errors.max()))
    taus = np.linspace(0.0, 1.0, TAUS) ** 2 * limit
    shares = (np.arange(SHARES) + 0.5) / SHARES
    same = _same_family(measured.families)
    known = np.diag(np.square(errors)) + of_weights * standardised @ standardised.T
    squares = np.repeat(np.square(taus), SHARES)
    of_families = squares * np.tile(shares, TAUS)
    of_treebanks = squares - of_families
    covariances = (
        known + of_families[:, None, None] * same + of_treebanks[:, None, None] * np.eye(len(measured))
    )
    likelihood = _log_likelihoods(covariances, measured.differences)
    density = np.exp(likelihood - likelihood.max()) * np.repeat(np.gradient(taus), SHARES)
    density /= density.sum()
    return Variances(of_weights, float(density @ of_families), float(density @ of_treebanks))


def find_posterior(
    measured: Measurements, scale: Scale, standardised: Floats, variances: Variances
) -> PropertyFit:
    """Return what the treebanks say of mean, weights and families, given the variances."""
    names = tuple(dict.fromkeys(measured.families))
    members = np.array([[family == name for name in names] for family in measured.families], np.float64)
    design = np.hstack([standardised, members])
    count = standardised.shape[1]
    prior = np.concatenate([np.full(count, variances.weights), np.full(len(names), variances.families)])
    inverse = np.linalg.inv(_covariance(measured, standardised, variances))
    ones = np.ones(len(measured))
    of_mean = 1 / float(ones @ inverse @ ones)
    mean = of_mean * float(ones @ inverse @ measured.differences)
    gain = prior[:, None] * (design.T @ inverse)
    effects = gain @ (measured.differences - mean)
    follows = gain @ ones
    within = np.diag(prior) - gain @ design * prior
    covariance = within + of_mean * np.outer(follows, follows)  # of weights and effects
    with_mean = -of_mean * follows
    fixed = np.empty((1 + count, 1 + count))
    fixed[0, 0] = of_mean
    fixed[0, 1:] = fixed[1:, 0] = with_mean[:count]
    fixed[1:, 1:] = covariance[:count, :count]
    shared = np.hstack([with_mean[count:, None], covariance[count:, :count]])
    uncertainty = np.diag(covariance)[count:]
    return PropertyFit(
        scale, variances, mean, effects[:count], names, effects[count:], fixed, shared, uncertainty
    )


def _error_left_out(
    measured: Measurements, standardised: Floats, variances: Variances, importance: Floats
) -> float:
    """Return the weighted squared error on families that are left out, one at a time."""
    covariance = _covariance(measured, standardised, variances)
    shared = variances.weights * standardised @ standardised.T
    total = 0.0
    for family in dict.fromkeys(measured.families):
        out = measured.of_family(family)
        if out.all():
            continue
        inverse = np.linalg.inv(covariance[~out][:, ~out])
        values = measured.differences[~out]
        mean = (inverse.sum(axis=0) @ values) / inverse.sum()
        expected = mean + shared[out][:, ~out] @ inverse @ (values - mean)
        total += float(importance[out] @ np.square(measured.differences[out] - expected))
    return total


def _covariance(measured: Measurements, standardised: Floats, variances: Variances) -> Floats:
    """Return float64[N, N], the covariance of the measured differences around the mean."""
    same = _same_family(measured.families)
    of_treebanks = np.diag(np.square(measured.errors) + variances.treebanks)
    covariance: Floats = of_treebanks + variances.families * same
    return covariance + variances.weights * standardised @ standardised.T


def _same_family(families: Sequence[str]) -> Floats:
    """Return float64[N, N], 1 where two treebanks are of one family."""
    names = np.array(families)
    same: Floats = (names[:, None] == names[None, :]).astype(np.float64)
    return same


def _log_likelihoods(covariances: Floats, values: Floats) -> Floats:
    """Return float64[G], the logarithm of the restricted likelihood, up to a constant.

    Args:
        covariances: float64[G, N, N].
        values: float64[N], with an unknown mean.
    """
    signs, logarithms = np.linalg.slogdet(covariances)
    assert (signs > 0).all()
    sides = np.stack([np.ones(len(values)), values], axis=1)
    solved = np.linalg.solve(covariances, np.broadcast_to(sides, (len(covariances), *sides.shape)))
    products = sides.T @ solved
    of_ones = products[:, 0, 0]
    deviations = products[:, 1, 1] - np.square(products[:, 0, 1]) / of_ones
    found: Floats = -0.5 * (logarithms + np.log(of_ones) + deviations)
    return found

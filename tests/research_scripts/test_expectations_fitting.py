"""The fit of differences on properties, against slow twins and simulated treebanks with known weights."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.stats import multivariate_normal

from research.decides import fitting
from research.decides.fitting import (
    SPREADS,
    Floats,
    Measurements,
    PropertyFit,
    Scale,
    Variances,
    estimate_variances,
    find_posterior,
    fit_model,
)


def simulated(
    random: np.random.Generator,
    treebanks: int = 40,
    families: int = 15,
    weights: tuple[float, ...] = (0.0,) * 5,
    *,
    of_family: float = 0.4,
    of_treebank: float = 0.3,
    error: float = 0.4,
) -> tuple[Measurements, Floats]:
    """Treebanks with a mean of 1, and their true differences; the first property is shared by families."""
    members = np.concatenate([np.arange(families), random.integers(0, families, treebanks - families)])
    properties = random.normal(size=(treebanks, len(weights)))
    properties[:, 0] = random.normal(size=families)[members] + 0.5 * properties[:, 0]
    effects = random.normal(size=families) * of_family
    true = 1 + properties @ np.array(weights) + effects[members]
    true = true + random.normal(size=treebanks) * of_treebank
    errors = error * random.uniform(0.5, 1.5, treebanks)
    measured = true + random.normal(size=treebanks) * errors
    return Measurements(measured, errors, properties, [f"family {number}" for number in members]), true


def joint_distribution(measured: Measurements, variances: Variances) -> tuple[Floats, Floats]:
    """Mean and covariance of (mean, weights, effects) by Bayes' rule with precisions, one at a time.

    The prior of the mean is so wide that it says nothing.
    """
    standardised = Scale.of(measured.properties).standardise(measured.properties)
    names = list(dict.fromkeys(measured.families))
    wide = 1e8
    prior = [wide, *[variances.weights] * standardised.shape[1], *[variances.families] * len(names)]
    precision = np.diag(1 / np.array(prior))
    information = np.zeros(len(prior))
    for row, family in enumerate(measured.families):
        point = np.zeros(len(prior))
        point[0] = 1
        point[1 : 1 + standardised.shape[1]] = standardised[row]
        point[1 + standardised.shape[1] + names.index(family)] = 1
        certainty = 1 / (measured.errors[row] ** 2 + variances.treebanks)
        precision += certainty * np.outer(point, point)
        information += certainty * point * measured.differences[row]
    covariance = np.linalg.inv(precision)
    return covariance @ information, covariance


@pytest.fixture
def measured() -> Measurements:
    found, _ = simulated(np.random.default_rng(6), 14, 5, (0.5, 0.0, 0.0))
    found.properties[2, 1] = np.nan
    return found


def conditioned(measured: Measurements, variances: Variances) -> PropertyFit:
    scale = Scale.of(measured.properties)
    return find_posterior(measured, scale, scale.standardise(measured.properties), variances)


def test_mean_weights_and_effects_follow_from_bayes_rule(measured: Measurements) -> None:
    variances = Variances(0.2, 0.3, 0.1)
    fitted = conditioned(measured, variances)
    means, covariance = joint_distribution(measured, variances)
    width = 1 + len(fitted.weights)
    found = np.concatenate(([fitted.mean], fitted.weights, fitted.effects))
    np.testing.assert_allclose(found, means, atol=1e-6)
    np.testing.assert_allclose(fitted.covariance, covariance[:width, :width], atol=1e-6)
    np.testing.assert_allclose(fitted.shared, covariance[width:, :width], atol=1e-6)
    np.testing.assert_allclose(fitted.uncertainty, np.diag(covariance)[width:], atol=1e-6)


def test_a_prediction_is_a_sum_of_parts_with_their_covariances(measured: Measurements) -> None:
    variances = Variances(0.2, 0.3, 0.1)
    fitted = conditioned(measured, variances)
    means, covariance = joint_distribution(measured, variances)
    properties = np.array([0.7, np.nan, -0.2])
    point = np.zeros(len(means))
    point[0] = 1
    point[1:4] = fitted.scale.standardise(properties)
    mean, variance = fitted.predict(properties)
    assert mean == pytest.approx(point @ means, abs=1e-6)
    assert variance == pytest.approx(point @ covariance @ point + 0.3 + 0.1, abs=1e-6)
    point[4 + fitted.families.index("family 2")] = 1
    mean, variance = fitted.predict(properties, "family 2")
    assert mean == pytest.approx(point @ means, abs=1e-6)
    assert variance == pytest.approx(point @ covariance @ point + 0.1, abs=1e-6)


@pytest.mark.parametrize("of_weights", [0.0, 0.25])
def test_variances_are_means_over_all_points_of_the_grid(measured: Measurements, of_weights: float) -> None:
    """The restricted likelihood is that of all contrasts, which have no unknown mean."""
    standardised = Scale.of(measured.properties).standardise(measured.properties)
    count = len(measured)
    contrasts = null_space(np.ones((1, count)))
    limit = 4 * (measured.differences.std() + measured.errors.max())
    taus = np.linspace(0, 1, fitting.TAUS) ** 2 * limit
    points, densities = [], []
    for (tau, width), share in product(
        zip(taus, np.gradient(taus), strict=True), (np.arange(fitting.SHARES) + 0.5) / fitting.SHARES
    ):
        covariance = np.diag(measured.errors**2 + (1 - share) * tau**2)
        for i, j in product(range(count), repeat=2):
            covariance[i, j] += of_weights * standardised[i] @ standardised[j]
            if measured.families[i] == measured.families[j]:
                covariance[i, j] += share * tau**2
        within = contrasts.T @ covariance @ contrasts
        likelihood = multivariate_normal.pdf(contrasts.T @ measured.differences, cov=within)
        points.append((share * tau**2, (1 - share) * tau**2))
        densities.append(likelihood * width)
    families, treebanks = np.average(points, axis=0, weights=densities)
    found = estimate_variances(measured, standardised, of_weights)
    assert (found.weights, found.families) == (of_weights, pytest.approx(families, rel=1e-6))
    assert found.treebanks == pytest.approx(treebanks, rel=1e-6)


def test_the_spread_is_that_with_the_least_error_on_families_left_out(measured: Measurements) -> None:
    """Each family is predicted by what all others say, with the variances of all."""
    scale = Scale.of(measured.properties)
    standardised = scale.standardise(measured.properties)
    alone = estimate_variances(measured, standardised, 0.0)
    between = alone.families + alone.treebanks
    errors = []
    for spread in SPREADS:
        variances = estimate_variances(measured, standardised, spread**2 * between)
        total = 0.0
        for row, family in enumerate(measured.families):
            others = ~measured.of_family(family)
            fitted = find_posterior(measured.select(others), scale, standardised[others], variances)
            expected, _ = fitted.predict(measured.properties[row])
            importance = 1 / (measured.errors[row] ** 2 + between)
            total += importance * (measured.differences[row] - expected) ** 2
        errors.append(total)
    chosen = SPREADS[int(np.argmin(errors))]
    assert 0 < chosen < 1
    assert fit_model(measured).variances.weights == pytest.approx(chosen**2 * between)


def test_known_weights_are_found_again_and_intervals_hold() -> None:
    random = np.random.default_rng(1)
    weights = (0.8, -0.6, 0.0, 0.0, 0.0)
    estimates, inside = [], []
    for _ in range(25):
        measured, _ = simulated(random, 50, 20, weights)
        fitted = fit_model(measured)
        in_points = fitted.weights / fitted.scale.deviations
        estimates.append(in_points)
        errors = np.sqrt(np.diag(fitted.covariance))[1:] / fitted.scale.deviations
        inside.append(np.abs(in_points - weights) < 1.96 * errors)
    np.testing.assert_allclose(np.mean(estimates, axis=0), weights, atol=0.1)
    assert 0.88 <= np.mean(inside) <= 1


def test_a_property_that_never_varies_or_is_unknown_has_no_weight(measured: Measurements) -> None:
    properties = np.hstack([measured.properties, np.ones((14, 1)), np.full((14, 1), np.nan)])
    fitted = fit_model(replace(measured, properties=properties))
    np.testing.assert_allclose(fitted.weights[3:], 0, atol=1e-12)
    np.testing.assert_allclose(fitted.weights[:3], fit_model(measured).weights, atol=1e-9)


def test_an_extreme_property_counts_as_one_of_three_deviations() -> None:
    scale = Scale(np.array([1.0]), np.array([2.0]))
    assert scale.standardise(np.array([100.0])) == [3.0]
    assert scale.standardise(np.array([-4.0])) == [-2.5]
    assert scale.standardise(np.array([np.nan])) == [0.0]
    never_varied = Scale(np.array([1.0]), np.array([0.0]))
    assert never_varied.standardise(np.array([5.0])) == [0.0]


def test_a_scale_is_of_what_is_known() -> None:
    scale = Scale.of(np.array([[1.0, np.nan], [np.nan, np.nan], [5.0, np.nan]]))
    assert scale.means.tolist() == [3.0, 0.0]
    assert scale.deviations.tolist() == [2.0, 0.0]

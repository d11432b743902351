"""Combine the differences of many treebanks in a random-effects meta-analysis.

Each difference was measured with a standard error, and results also vary between treebanks. The difference
of treebank i is mean + treebank_i + error_i. The variance tau² of the treebanks is estimated by Paule &
Mandel (1982). The mean weights each treebank by 1 / (tau² + error²). Its interval uses Student's t with
k − 1 degrees of freedom for k treebanks (Hartung & Knapp 2001). With Paule and Mandel's tau their factor is
1; where tau is 0 it is not reduced below 1, as Röver, Knapp & Friede (2015) advise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.statistics.significance import ALPHA, Tested
from learnability.support.wording import counted

FEWEST_FOR_PREDICTION = 5
"""Treebanks that a prediction interval needs. With three, Student's t has one degree of freedom, and the
interval is wider than any result ever measured."""


@dataclass(frozen=True)
class RandomEffects(Tested):
    """Hold the mean difference over treebanks, in points, with its interval and p values.

    Attributes:
        treebanks: the number of differences.
        mean: the weighted mean of the differences, in points.
        tau: the standard deviation of the differences between treebanks, measurement error excluded; None for
            a single treebank.
        i2: I², the share of the variance of the differences that is not measurement error (Higgins & Thompson
            2002), 0 to 1; None for a single treebank.
        p_homogeneous: p value of the differences between the treebanks (Cochran's Q); None for a single
            treebank.
        expected_low, expected_high: the 95 % prediction interval of the difference in a further treebank
            (Higgins, Thompson & Spiegelhalter 2009); None for fewer than five.
    """

    treebanks: int
    mean: float
    tau: float | None = None
    i2: float | None = None
    p_homogeneous: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None


def random_effects(differences: Sequence[float], errors: Sequence[float]) -> RandomEffects:
    """Combine the differences of several treebanks by random effects.

    Sources: Paule & Mandel (1982), Hartung & Knapp (2001).

    Args:
        differences: two or more differences, in points.
        errors: their standard errors, in points, above 0.

    Returns:
        The mean with its interval and p values, and how much the treebanks vary.

    Raises:
        InputError: there are fewer than two differences, the numbers of differences and errors differ, a
            value is not finite, or an error is not above 0.
    """
    from scipy.stats import t
    from statsmodels.stats.meta_analysis import combine_effects

    values, variances = np.asarray(differences, float), np.square(_checked(differences, errors))
    count = len(values)
    with np.errstate(divide="ignore"):  # its I² divides by Q, which may be 0
        combined = combine_effects(values, variances, method_re="iterated", use_t=True)
    mean, error, tau2 = (float(v) for v in (combined.mean_effect_re, combined.sd_eff_w_re, combined.tau2))
    half = None
    if count >= FEWEST_FOR_PREDICTION:
        half = float(t.ppf(1 - ALPHA / 2, count - 2)) * sqrt(tau2 + error**2)
    return RandomEffects(
        **vars(Tested.of(mean, error, float(count - 1))),
        treebanks=count,
        mean=mean,
        tau=sqrt(tau2),
        i2=max(0.0, 1 - (count - 1) / float(combined.q)) if combined.q > 0 else 0.0,
        p_homogeneous=float(combined.test_homogeneity().pvalue),
        expected_low=None if half is None else mean - half,
        expected_high=None if half is None else mean + half,
    )


@dataclass(frozen=True)
class Shrunken:
    """Hold the difference of a treebank, estimated from those of all treebanks.

    Attributes:
        delta: the mean of its posterior distribution, in points; between what was measured in the treebank
            and the mean over treebanks.
        low, high: its 95 % interval.
    """

    delta: float
    low: float
    high: float


def shrunken(differences: Sequence[float], errors: Sequence[float]) -> list[Shrunken]:
    """Estimate the difference of each treebank given those of all others.

    The differences of treebanks are normally distributed around their mean, as in :func:`random_effects`. But
    neither the mean nor tau is taken as known: both have uniform priors, and the posterior is integrated over
    a grid of tau (Gelman et al. 2013, ch. 5.4; Gelman 2006; Röver 2020). With tau as estimated, the intervals
    would be too short where it is estimated as 0.

    Args:
        differences: three or more differences, in points.
        errors: their standard errors, in points, above 0.

    Returns:
        An estimate per treebank, in the same order.

    Raises:
        InputError: as for :func:`random_effects`; there are fewer than three treebanks.
    """
    from scipy.special import ndtr

    values, variances = np.asarray(differences, float), np.square(_checked(differences, errors))
    if len(values) < 3:
        raise InputError(f"an estimate needs three treebanks or more, not {len(values)}; pass more")
    largest = 10 * (float(values.std()) + float(np.sqrt(variances).max()))
    tau2 = np.square(np.linspace(0.0, 1.0, 400) ** 2 * largest)[:, None]  # dense where tau is small
    weights = 1 / (variances + tau2)
    precision = weights.sum(axis=1, keepdims=True)
    mean = (weights * values).sum(axis=1, keepdims=True) / precision
    fits = np.log(weights) - weights * np.square(values - mean)
    fit = 0.5 * (fits.sum(axis=1) - np.log(precision[:, 0]))
    density = np.exp(fit - fit.max()) * np.gradient(np.sqrt(tau2[:, 0]))
    density /= density.sum()
    of_own = tau2 * weights  # the weight of what was measured in the treebank itself
    centers = of_own * values + (1 - of_own) * mean
    spreads = np.sqrt(of_own * variances + np.square(1 - of_own) / precision)

    def quantile(probability: float) -> NDArray[np.float64]:
        """Return this quantile of each treebank's mixture of normal distributions, by bisection."""
        low, high = (centers - 9 * spreads).min(axis=0), (centers + 9 * spreads).max(axis=0)
        for _ in range(60):
            center = (low + high) / 2
            below = density @ ndtr((center - centers) / spreads) < probability
            low, high = np.where(below, center, low), np.where(below, high, center)
        middle: NDArray[np.float64] = (low + high) / 2
        return middle

    ends = zip(density @ centers, quantile(ALPHA / 2), quantile(1 - ALPHA / 2), strict=True)
    return [Shrunken(*map(float, each)) for each in ends]


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """Return the smallest false discovery rate at which each test is positive, in the same order.

    Source: Benjamini & Hochberg (1995). It also holds where tests are positively dependent (Benjamini &
    Yekutieli 2001).

    Raises:
        InputError: a value is outside 0..1.
    """
    if any(not 0 <= p <= 1 for p in p_values):
        raise InputError("a p value is outside 0..1; use values from 0 to 1")
    from scipy.stats import false_discovery_control

    return [float(q) for q in false_discovery_control(p_values)] if p_values else []


def p_of_groups(differences: Sequence[float], errors: Sequence[float], groups: Sequence[str]) -> float | None:
    """Return p of no difference between groups of treebanks, by an analysis of variance.

    Treebanks have the same weights as in the mean over all of them.

    Args:
        differences: the differences of the treebanks, in points.
        errors: their standard errors, in points, above 0.
        groups: the group of each treebank.

    Returns:
        p, or None if there is only one group, no group has two treebanks, or the treebanks do not differ.

    Raises:
        InputError: as for :func:`random_effects`.
    """
    from scipy.stats import f

    values, names = np.asarray(differences, float), np.asarray(groups)
    members = [names == name for name in dict.fromkeys(groups)]
    between, within = len(members) - 1, len(values) - len(members)
    if not between or not within:
        return None
    tau = random_effects(differences, errors).tau or 0.0
    weights = 1 / (tau**2 + np.square(_checked(differences, errors)))

    def squares(part: NDArray[np.bool_]) -> float:
        """Return the weighted sum of squared deviations from the mean of these treebanks."""
        mean = np.average(values[part], weights=weights[part])
        return float(weights[part] @ (values[part] - mean) ** 2)

    inside = sum(map(squares, members))
    if inside < 1e-12:
        return None
    explained = squares(np.ones(len(values), bool)) - inside
    return float(f.sf(max(0.0, explained) / between / (inside / within), between, within))


def _checked(differences: Sequence[float], errors: Sequence[float]) -> NDArray[np.float64]:
    """Return the errors as float64; raise InputError as :func:`random_effects` does."""
    checked = np.asarray(errors, np.float64)
    if len(checked) < 2 or len(checked) != len(differences):
        raise InputError(
            f"there are {counted(len(differences), 'difference')} and {counted(len(checked), 'error')}; "
            "pass two or more of each, equally many"
        )
    if not (np.isfinite(checked).all() and np.isfinite(differences).all() and (checked > 0).all()):
        raise InputError(
            "a difference or its standard error is not finite, or an error is not above 0; leave it out"
        )
    return checked

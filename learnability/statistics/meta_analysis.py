"""Combine the differences of many treebanks in a random-effects meta-analysis of families and languages.

Each difference was measured with a standard error. Results also vary: between families of languages, between
the languages of a family, and between the treebanks of a language. The difference of a treebank is mean +
family + language + treebank + error. So treebanks of one language are not independent, and neither are
languages of one family.

Each variance is estimated by the equation of Paule & Mandel (1982), from the treebanks upwards: that of the
treebanks of a language, then that of the languages of a family, then that of families. The mean of a group
weights its members by 1 / (variance between members + variance of the member's mean). The interval of the
mean over all uses Student's t with k − 1 degrees of freedom for k families (Hartung & Knapp 2001). With Paule
and Mandel's variance their factor is 1; where that is 0 it is not reduced below 1, as Röver, Knapp & Friede
(2015) advise.

Fewer than five families do not tell how much families differ. Then languages count as independent, and the
mean is about languages of these families. Where all treebanks have the same language, treebanks count.

What is said of a further treebank is an integral over the posterior distribution of the
variances (Gelman et al. 2013, ch. 5.4; Gelman 2006; Röver 2020). tau, the standard deviation between
treebanks of different families, has a uniform prior, and so have the shares of tau² between families, between
languages, and between treebanks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.statistics.inference import ALPHA, Inference
from learnability.support.nouns import count_noun, say_there_are
from learnability.treebanks.families import Origin

Floats = NDArray[np.float64]

FEWEST_FAMILIES = 5
"""Families from which on they count as a level: fewer do not tell how much families differ."""

TAUS, SHARES = 120, 8
"""The posterior is evaluated at this many values of tau, and at shares of tau² in steps of 1 / `SHARES`."""

NEGLIGIBLE = 1e-6
"""The density below which a point of the posterior is left out, as a share of the largest."""

TREEBANKS, LANGUAGES, FAMILIES = "treebanks", "languages", "families"
"""The names of levels."""


@dataclass(frozen=True)
class Level:
    """Hold the n units of a level, and the groups in which they are.

    Attributes:
        name: what the units are: treebanks, languages or families.
        group: int64[n], the number of the group of each unit.
        members: float64[n, groups], 1 where the unit is in the group.
    """

    name: str
    group: NDArray[np.int64]
    members: Floats

    @classmethod
    def of(cls, name: str, groups: Sequence[str]) -> Level:
        """Return a level; `groups`: the group of each unit."""
        numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        group = np.array([numbers[of_unit] for of_unit in groups])
        return cls(name, group, np.eye(len(numbers))[group])


def _levels(origins: Sequence[Origin]) -> tuple[Level, ...]:
    """Return the levels that differ and can be told apart, from the treebanks on; the last has one group."""
    languages = list(dict.fromkeys(origin.language for origin in origins))
    families = {origin.language: origin.family for origin in origins}
    levels, units, name = [], [f"treebank {number}" for number in range(len(origins))], TREEBANKS
    if len(languages) > 1:
        if len(languages) < len(units):
            levels.append(Level.of(name, [origin.language for origin in origins]))
        units, name = languages, LANGUAGES
        of_languages = [families[language] for language in languages]
        if FEWEST_FAMILIES <= len(set(of_languages)) < len(languages):
            levels.append(Level.of(name, of_languages))
            units, name = list(dict.fromkeys(of_languages)), FAMILIES
    return (*levels, Level.of(name, [""] * len(units)))


@dataclass(frozen=True)
class MeasuredEffects:
    """Hold the differences of N treebanks (float64[N]), and 1 / the squares of their standard errors."""

    values: Floats
    precisions: Floats
    levels: tuple[Level, ...]

    @classmethod
    def of(
        cls, differences: Sequence[float], errors: Sequence[float], origins: Sequence[Origin]
    ) -> MeasuredEffects:
        """Return the differences of treebanks; `RandomEffects.combine` says what is refused."""
        checked = _check_values(differences, errors, origins)
        return cls(np.asarray(differences, np.float64), checked**-2, _levels(origins))

    def variances_between(self) -> list[float]:
        """Return the variance between the units of each level, from the treebanks upwards."""
        found: list[float] = []
        for level in self.levels:

            def too_much(variance: float, level: Level = level) -> float:
                rest = len(level.group) - int(level.members.shape[1])
                return float(fit(self, [*found, variance]).deviations[0]) - rest

            found.append(_zero(too_much))
        return found


@dataclass(frozen=True)
class Fit:
    """Hold what follows from each of G sets of variances.

    Attributes:
        mean, precision: float64[G], the mean over all, and 1 / its variance.
        variance: float64[G], that between treebanks of different families.
        deviations: float64[G], the weighted squared deviations of the last level from the means of groups.
        log_likelihood: float64[G], the logarithm of the restricted likelihood, up to a constant.
    """

    mean: Floats
    precision: Floats
    variance: Floats
    deviations: Floats
    log_likelihood: Floats


def fit(measured: MeasuredEffects, variances: Sequence[float | Floats]) -> Fit:
    """Return what follows from variances, float or float64[G] each, of the first levels."""
    values, precisions = measured.values[None, :], measured.precisions[None, :]
    total, deviations, likelihood = np.zeros(1), np.zeros(1), np.zeros(1)
    for level, variance in zip(measured.levels, variances, strict=False):
        between = np.reshape(np.asarray(variance, np.float64), (-1, 1))
        weights = 1 / (1 / precisions + between)
        of_groups = weights @ level.members
        means = (weights * values) @ level.members / of_groups
        deviations = (weights * np.square(values - means[:, level.group])).sum(axis=1)
        total = total + between[:, 0]
        certainty = np.log(weights).sum(axis=1) - np.log(of_groups).sum(axis=1)
        likelihood = likelihood + 0.5 * (certainty - deviations)
        values, precisions = means, of_groups
    return Fit(values[:, 0], precisions[:, 0], total, deviations, likelihood)


def posterior(measured: MeasuredEffects) -> tuple[Floats, Fit]:
    """Return the posterior density of sets of variances, with sum 1, and what follows from each set."""
    deviations, errors = float(measured.values.std()), measured.precisions**-0.5
    taus = np.linspace(0.0, 1.0, TAUS) ** 2 * 10 * (deviations + float(errors.max()))  # dense near 0
    shares = _shares(len(measured.levels))
    tau2 = np.repeat(taus**2, len(shares))
    variances = [tau2 * np.tile(share, TAUS) for share in shares.T]
    likelihood = fit(measured, variances).log_likelihood
    density = np.exp(likelihood - likelihood.max()) * np.repeat(np.gradient(taus), len(shares))
    kept = density > NEGLIGIBLE * density.max()
    density = density[kept] / density[kept].sum()
    return density, fit(measured, [variance[kept] for variance in variances])


def _shares(parts: int) -> Floats:
    """Return float64[n, parts], points that are evenly spread over all ways to divide 1 into parts."""
    found = []
    for bars in combinations(range(SHARES + parts - 2), parts - 1):  # stars and bars
        counts = np.diff((-1, *bars, SHARES + parts - 2)) - 1
        found.append((counts + 1 / parts) / SHARES)
    return np.array(found)


def quantile(probability: float, density: Floats, centers: Floats, spreads: Floats) -> Floats:
    """Return this quantile of n mixtures of normal distributions, by bisection.

    `density`: float64[G], the weights. `centers`, `spreads`: float64[G, n], means and standard deviations.
    """
    from scipy.special import ndtr

    low, high = (centers - 9 * spreads).min(axis=0), (centers + 9 * spreads).max(axis=0)
    for _ in range(40):
        center = (low + high) / 2
        below = density @ ndtr((center - centers) / spreads) < probability
        low, high = np.where(below, center, low), np.where(below, high, center)
    middle: Floats = (low + high) / 2
    return middle


def squared_deviations(weights: Floats, values: Floats) -> float:
    """Return the weighted sum of squared deviations from the weighted mean."""
    mean = np.average(values, weights=weights)
    return float(weights @ np.square(values - mean))


def _zero(excess: Callable[[float], float]) -> float:
    """Return where a falling function is 0; 0 if it is below at 0 already."""
    from scipy.optimize import brentq

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 4
    return float(brentq(excess, 0.0, high, xtol=1e-12))


def _check_values(
    differences: Sequence[float], errors: Sequence[float], origins: Sequence[Origin]
) -> NDArray[np.float64]:
    checked = np.asarray(errors, np.float64)
    if len(checked) < 2 or not len(checked) == len(differences) == len(origins):
        raise InputError(
            f"{say_there_are(len(differences), 'difference')}, {count_noun(len(checked), 'error')} "
            f"and {count_noun(len(origins), 'origin')}; pass two or more of each, equally many"
        )
    if not (np.isfinite(checked).all() and np.isfinite(differences).all() and (checked > 0).all()):
        raise InputError(
            "a difference or its standard error is not finite, or an error is not above 0; leave it out"
        )
    return checked


FEWEST = 5
"""Languages that a mean over treebanks needs (or treebanks, if all have one language)."""


@dataclass(frozen=True)
class RandomEffects(Inference):
    """Hold the mean difference over treebanks, in points, with its interval and p values.

    Attributes:
        treebanks, languages, families: their numbers.
        mean: the weighted mean of the differences, in points.
        tau: the standard deviation of the differences between treebanks of different languages and families,
            measurement error excluded (with one language: between its treebanks); None for a single treebank.
        tau_language: that between treebanks of one language; None if no language has several.
        tau_family: that between families; None where they do not count as such.
        i2: I², the share of the variance of the differences that is not measurement error (Higgins & Thompson
            2002), 0 to 1; None for a single treebank.
        p_homogeneous: p value of the differences between the treebanks (Cochran's Q); None for a single
            treebank.
        expected_low, expected_high: the 95 % prediction interval of the difference in a treebank of a further
            language (with one language: in a further treebank of it); None for fewer than five languages.
    """

    treebanks: int
    languages: int
    families: int
    mean: float
    tau: float | None = None
    tau_language: float | None = None
    tau_family: float | None = None
    i2: float | None = None
    p_homogeneous: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None

    @classmethod
    def combine(
        cls, differences: Sequence[float], errors: Sequence[float], origins: Sequence[Origin]
    ) -> RandomEffects:
        """Combine the differences of several treebanks, in points, by random effects.

        Sources: Paule & Mandel (1982), Hartung & Knapp (2001).

        Raises:
            InputError: there are fewer than two differences, the numbers of differences, errors and origins
                differ, a value is not finite, or an error is not above 0.
        """
        from scipy.special import chdtrc  # as scipy.stats.chi2 does, whose import takes seconds

        measured = MeasuredEffects.of(differences, errors, origins)
        variances = measured.variances_between()
        *_, top = measured.levels
        fitted = fit(measured, variances)
        mean, error = float(fitted.mean[0]), float(fitted.precision[0] ** -0.5)
        treebanks = len(measured.values)
        q = squared_deviations(measured.precisions, measured.values)
        low, high = None, None
        if can_be_averaged(origins):
            density, known = posterior(measured)
            spreads = np.sqrt(known.variance + 1 / known.precision)[:, None]  # of a further family
            ends = (quantile(p, density, known.mean[:, None], spreads) for p in (ALPHA / 2, 1 - ALPHA / 2))
            low, high = (float(end[0]) for end in ends)
        of_level = dict(zip((level.name for level in measured.levels), map(sqrt, variances), strict=True))
        return cls(
            **vars(Inference.of(mean, error, float(len(top.group) - 1))),
            treebanks=treebanks,
            languages=len({origin.language for origin in origins}),
            families=len({origin.family for origin in origins}),
            mean=mean,
            tau=sqrt(sum(variances)),
            tau_language=of_level.get(TREEBANKS) if len(of_level) > 1 else None,
            tau_family=of_level.get(FAMILIES),
            i2=max(0.0, 1 - (treebanks - 1) / q) if q > 0 else 0.0,
            p_homogeneous=float(chdtrc(treebanks - 1, q)),
            expected_low=low,
            expected_high=high,
        )


def can_be_averaged(origins: Sequence[Origin]) -> bool:
    """Return whether there are five languages or more, or five treebanks of one language."""
    languages = {origin.language for origin in origins}
    return (len(origins) if len(languages) == 1 else len(languages)) >= FEWEST


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """Return the smallest false discovery rate at which each test is positive, in the same order.

    Source: Benjamini & Hochberg (1995). It also holds where tests are positively dependent (Benjamini &
    Yekutieli 2001).
    """
    if any(not 0 <= p <= 1 for p in p_values):
        raise InputError("a p value is outside 0..1; use values from 0 to 1")
    from scipy.stats import false_discovery_control

    return [float(q) for q in false_discovery_control(p_values)] if p_values else []

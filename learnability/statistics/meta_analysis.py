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

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from learnability.errors import InputError
from learnability.statistics.inference import ALPHA, Inference
from learnability.statistics.levels import (
    FAMILIES,
    TREEBANKS,
    MeasuredEffects,
    fit,
    posterior,
    quantile,
    squared_deviations,
)
from learnability.treebanks.families import Origin

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

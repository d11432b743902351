"""What differences of many treebanks say together: a random-effects meta-analysis.

Each difference was measured with a standard error, and treebanks differ by themselves, too: the difference
of treebank i is mean + treebank_i + error_i, with a variance tau² of the treebanks, which is estimated by
Paule & Mandel (1982). The mean weighs each treebank by 1 / (tau² + error²). Its interval is Student's t with
one degree of freedom less than treebanks (Hartung & Knapp 2001; with Paule and Mandel's tau their factor is
1, and where tau is 0 it is not taken to be smaller, as Röver, Knapp & Friede 2015 advise).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.statistics.significance import ALPHA, Tested


@dataclass(frozen=True)
class RandomEffects(Tested):
    """The mean difference over treebanks, in points, with its interval and p values.

    Attributes:
        treebanks: how many differences were given.
        tau: standard deviation of the treebanks' own differences, without errors of measuring; None of one.
        i2: I², the share of the variance between the differences that is not error of measuring
            (Higgins & Thompson 2002), 0 to 1; None of one.
        p_homogeneous: of no difference between the treebanks (Cochran's Q); None of one.
        expected_low, expected_high: the 95 % prediction interval of one more treebank's own difference
            (Higgins, Thompson & Spiegelhalter 2009); None of fewer than three.
    """

    treebanks: int
    mean: float
    tau: float | None = None
    i2: float | None = None
    p_homogeneous: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None


def random_effects(differences: Sequence[float], errors: Sequence[float]) -> RandomEffects:
    """The mean of two or more differences with these standard errors, all in points. InputError for fewer,
    another number of errors, a value that is not finite, an error not above 0."""
    from scipy.stats import t
    from statsmodels.stats.meta_analysis import combine_effects

    values, variances = np.asarray(differences, float), np.square(_checked(differences, errors))
    count = len(values)
    with np.errstate(divide="ignore"):  # of its I², where Q is 0
        combined = combine_effects(values, variances, method_re="iterated", use_t=True)
    mean, error, tau2 = (float(v) for v in (combined.mean_effect_re, combined.sd_eff_w_re, combined.tau2))
    half = float(t.ppf(1 - ALPHA / 2, count - 2)) * sqrt(tau2 + error**2) if count > 2 else None
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


def p_of_groups(differences: Sequence[float], errors: Sequence[float], groups: Sequence[str]) -> float | None:
    """p of no difference between groups of treebanks: an analysis of variance, each treebank weighed as in
    the mean of all.

    None where there is one group, or none with two treebanks, or the treebanks do not differ at all.
    """
    from scipy.stats import f

    values, names = np.asarray(differences, float), np.asarray(groups)
    own = [names == name for name in dict.fromkeys(groups)]
    between, within = len(own) - 1, len(values) - len(own)
    if not between or not within:
        return None
    tau = random_effects(differences, errors).tau or 0.0
    weights = 1 / (tau**2 + np.square(_checked(differences, errors)))

    def squares(part: NDArray[np.bool_]) -> float:
        mean = np.average(values[part], weights=weights[part])
        return float(weights[part] @ (values[part] - mean) ** 2)

    inside = sum(map(squares, own))
    if inside < 1e-12:
        return None
    explained = squares(np.ones(len(values), bool)) - inside
    return float(f.sf(max(0.0, explained) / between / (inside / within), between, within))


def _checked(differences: Sequence[float], errors: Sequence[float]) -> NDArray[np.float64]:
    given = np.asarray(errors, np.float64)
    if len(given) < 2 or len(given) != len(differences):
        raise InputError(f"{len(differences)} differences and {len(given)} errors: give two or more of each")
    if not (np.isfinite(given).all() and np.isfinite(differences).all() and (given > 0).all()):
        raise InputError("a difference or its standard error is not finite, or an error is not above 0")
    return given

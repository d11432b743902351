"""Move a distribution of the heads of a word, or of the relations of a token (see `dual_ascent`)."""

from __future__ import annotations

from math import exp, log

import numpy as np

from learnability.parsing.jit import Scores, njit

NEGLIGIBLE = -20.0
"""The logarithm of a probability that counts as 0."""


@njit
def omega(z: float) -> float:
    """Return the y > 0 with y + log(y) = z: Wright's omega function of real numbers.

    One step of Fritsch, Shafer & Crowley (1973) from a near start, as in Lawrence, Corless & Jeffrey (2012).
    """
    if z < -20.0:
        return exp(z)
    if z < -1.0:
        e = exp(z)
        y = e * (1.0 - e + 1.5 * e * e)
    elif z < 3.0:
        t = z - 1.0
        y = 1.0 + t / 2 + t * t / 16 - t * t * t / 192
    else:
        logarithm = log(z)
        y = z - logarithm + logarithm / z
    for _ in range(2):
        r = z - y - log(y)
        c = (1.0 + y) * (1.0 + y + 2.0 / 3.0 * r)
        y *= 1.0 + r / (1.0 + y) * (c - r / 2) / (c - r)
        if abs(r) < 1e-3:
            break
    return y


@njit
def move_distribution(score: Scores, prob: Scores, skipped: int, stiffness: float, log_prob: Scores) -> float:
    """Write the logarithms of the distribution that raises the dual most; return the gap before.

    It is the highest point of entropy + mean score - stiffness / 2 |new - old|^2: its logarithms are
    score + stiffness * (old - new), up to a constant, which Newton's method finds from below.

    Args:
        score: float32[choices], the scores.
        prob: float32[choices], the old distribution.
        skipped: a choice that does not exist; -1: all exist.
        stiffness: how much a change lowers the dual by the norm of the weights.
        log_prob: float32[choices], the logarithms of the old distribution, then of the new one.
    """
    mean, highest, total, least = 0.0, -np.inf, 0.0, -np.inf
    for h in range(score.shape[0]):
        if h != skipped:
            s, a = float(score[h]), float(prob[h])
            mean += a * (s - float(log_prob[h]))
            highest = max(highest, s)
            least = max(least, s + stiffness * (a - 1.0))
    for h in range(score.shape[0]):
        if h != skipped and float(score[h]) - highest > NEGLIGIBLE:
            total += exp(float(score[h]) - highest)
    log_total, log_stiffness = highest + log(total), log(stiffness)
    constant = max(log_total, least)
    for _ in range(50):
        total, slope = 0.0, 0.0
        for h in range(score.shape[0]):
            if h != skipped:
                target = float(score[h]) + stiffness * float(prob[h]) - constant
                if target < NEGLIGIBLE:
                    log_prob[h] = target
                    continue
                y = omega(target + log_stiffness)
                log_prob[h] = target - y
                total += y / stiffness
                slope += y / stiffness / (1.0 + y)
        if abs(total - 1.0) < 1e-6:
            break
        constant = max(constant + (total - 1.0) / slope, least)
    return max(0.0, log_total - mean)

"""Race several competitors on the same samples, and drop those that cannot win.

After a round all competitors were tested on the same K samples. In sample k, a competitor has r_ks of the
t_ks tokens of sentence s right. The difference of two competitors is the mean over the samples of

    delta_k = 100 * sum over s of (r_ks - r'_ks) / sum over s of t_ks,

in points. Its variance has two terms:

- that of the sentences. A sentence may be tested in several samples, so its contributions to all of them are
  added up to z_s = 1/K * sum over k of 100 * (d_ks - delta_k t_ks / 100) / sum of t_k. Neighbours are alike,
  so the variance follows from slow waves along the text (`statistics.text_variance`);
- that of the samples trained on: spread_k - 1 times the variance of delta_k over the sentences of its sample,
  divided by K² and added up. `spread` is measured (`statistics.prediction.Constants`).

A competitor is dropped when the leader is shown to be better. The test is one-sided by Student's t with the
degrees of freedom of both terms together (`degrees_of_sum`). p is multiplied by the number of all others
that began and by that of the rounds (Bonferroni). The test holds although the same figures chose the leader:
the true best is dropped only if one of the others seems better by that much, and each of them does so with
probability p at most. This is racing (Maron & Moore 1994; Birattari et al. 2002). Of the competitors left,
only a certain share, the best, goes on, so that the cost is bounded: successive halving (Jamieson & Talwalkar
2016). That rule is not a test, and can drop the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.statistics.inference import ALPHA
from learnability.statistics.text_variance import Waves, count_waves, degrees_of_sum

Floats = NDArray[np.float64]

Verdict = Literal["kept", "worse", "beyond the part"]
"""What becomes of a competitor after a round."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """Count what the competitors have right in one sample.

    Attributes:
        sentences: int[S], ascending numbers of the test sentences.
        tokens: int[S], their numbers of tokens.
        right: int[C, S], the numbers of tokens that each competitor has right.
        spread: the variance of a difference, as a multiple of that over the sentences; at least 1.
    """

    sentences: NDArray[np.int64]
    tokens: NDArray[np.int64]
    right: NDArray[np.int64]
    spread: float = 1.0


@dataclass(frozen=True)
class Standing:
    """Tell where a competitor stands after a round.

    Attributes:
        score: percent right, mean over the samples.
        behind: points behind the leader.
        error: the standard error of `behind`.
        p_value: one-sided p that the leader is no better, for all competitors and rounds together; 1 for the
            leader.
        verdict: what becomes of the competitor.
    """

    score: float
    behind: float
    error: float
    p_value: float
    verdict: Verdict


def standings(
    samples: Sequence[Sampled],
    *,
    rounds: int = 1,
    others: int | None = None,
    part: float = 1.0,
    fewest: int = 1,
) -> list[Standing]:
    """Return where each competitor stands after these samples, and which of them go on.

    Of equal scores the competitor that comes first in the samples is ahead.

    Args:
        samples: the results in each sample, with the same competitors in the same order.
        rounds: the number of rounds of the whole race, over which the level of the test is divided.
        others: the number of competitors besides the leader at the start; default: those that are left.
        part: at most this share of the competitors goes on ...
        fewest: ... but this rule leaves no fewer than this number.

    Raises:
        InputError: there is no sample, no competitor or no token.
    """
    if not samples or not samples[0].right.size or any(not sample.tokens.sum() for sample in samples):
        raise InputError("there is no competitor, or no token to compare competitors on; pass both")
    scores = np.mean([100.0 * sample.right.sum(axis=1) / sample.tokens.sum() for sample in samples], axis=0)
    order = np.argsort(-np.round(scores, 9), kind="stable")
    behind, error, degrees = _measure_gaps(samples, int(order[0]))
    p_values = _p_values(behind, error, degrees) * max(others or len(scores) - 1, 1) * rounds
    p_values[order[0]] = 1.0
    most = max(fewest, int(np.ceil(part * len(scores))))
    verdicts: dict[int, Verdict] = {}
    kept = 0
    for i in map(int, order):
        if p_values[i] < ALPHA:
            verdicts[i] = "worse"
        elif kept < most:
            verdicts[i] = "kept"
            kept += 1
        else:
            verdicts[i] = "beyond the part"
    return [
        Standing(
            score=float(scores[i]),
            behind=float(behind[i]),
            error=float(error[i]),
            p_value=min(1.0, float(p_values[i])),
            verdict=verdicts[i],
        )
        for i in range(len(scores))
    ]


def _measure_gaps(samples: Sequence[Sampled], leader: int) -> tuple[Floats, Floats, Floats]:
    """Return how far each competitor is behind the leader, with standard errors and degrees of freedom.

    All arrays are float64[C], the first two in points.
    """
    competitors = len(samples[0].right)
    numbers = np.unique(np.concatenate([sample.sentences for sample in samples]))
    by_sentence, tokens = np.zeros((competitors, len(numbers))), np.zeros(len(numbers), np.int64)
    behind, of_samples = np.zeros(competitors), np.zeros(competitors)
    for sample in samples:
        total = int(sample.tokens.sum())
        difference = (sample.right[leader] - sample.right).astype(np.float64)
        delta = difference.sum(axis=1) / total
        z = 100.0 * (difference - delta[:, None] * sample.tokens) / total / len(samples)
        place = np.searchsorted(numbers, sample.sentences)
        by_sentence[:, place] += z
        tokens[place] = sample.tokens
        behind += 100.0 * delta / len(samples)
        size = len(sample.tokens)
        of_samples += max(sample.spread - 1, 0.0) * (z**2).sum(axis=1) * size / max(size - 1, 1)
    if (tokens > 0).sum() < 2:
        return behind, np.full(competitors, np.inf), np.ones(competitors)
    waves = Waves.of(tokens, count_waves(int(numbers[-1]) + 1))
    of_text = waves.variance(by_sentence)
    variance, degrees = of_text + of_samples, np.full(competitors, waves.degrees)
    differ = variance > 0
    deviations = of_text / sqrt(waves.degrees), of_samples / sqrt(len(numbers) - 1)
    degrees[differ] = degrees_of_sum(variance[differ], *(each[differ] for each in deviations))
    least_error = 100.0 / sum(int(sample.tokens.sum()) for sample in samples)  # that of a single head
    return behind, np.maximum(np.sqrt(variance), least_error), degrees


def _p_values(behind: Floats, error: Floats, degrees: Floats) -> Floats:
    from scipy.special import stdtr

    p_values: Floats = stdtr(degrees, -behind / error)
    return p_values

"""Races: several competitors are tested on the same samples, and those that cannot win are dropped.

After a round every competitor was tested on the same K samples. Per sample k and sentence s it has r_ks of
t_ks tokens right. The difference of two competitors is the mean over the samples of

    delta_k = 100 * sum over s of (r_ks - r'_ks) / sum over s of t_ks,

in points. Its variance has two terms:

- that of the sentences: a sentence may be tested in several samples, so what it contributes to all of them
  counts as one, z_s = 1/K * sum over k of 100 * (d_ks - delta_k t_ks / 100) / sum of t_k, and the variance is
  S / (S - 1) * sum over s of z_s² over the S sentences tested (clusters; Cameron & Miller 2015);
- that of the samples trained on: spread_k - 1 times the variance of delta_k over the sentences of its sample,
  divided by K² and added up. `spread` is measured (`statistics.prediction.Constants`).

A competitor is dropped where the one in the lead is shown to be better: one-sided p by Student's t with S - 1
degrees of freedom, times the number of all others that began and that of the rounds (Bonferroni). That holds
although the leader was chosen by the same figures: for the true best to be dropped, one of the others must
seem better by so much, and each of them does so with the probability p at most. This is racing (Maron & Moore
1994; Birattari et al. 2002). Of those that are left at most a given part goes on, the best ones, so that the
cost is bounded: successive halving (Jamieson & Talwalkar 2016). That rule is no test, and can drop the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.statistics.significance import ALPHA

Verdict = Literal["kept", "worse", "beyond the part"]
"""What becomes of a competitor after a round."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """What the competitors have right in one sample.

    Attributes:
        sentences: int[S], ascending numbers of the sentences tested on.
        tokens: int[S], their tokens.
        right: int[C, S], those that each of the competitors has right.
        spread: the variance of a difference, as a multiple of that over the sentences; at least 1.
    """

    sentences: NDArray[np.int64]
    tokens: NDArray[np.int64]
    right: NDArray[np.int64]
    spread: float = 1.0


@dataclass(frozen=True)
class Standing:
    """Where a competitor stands after a round.

    Attributes:
        score: percent right, mean over the samples.
        behind: points behind the one in the lead; `error`: the standard error of that.
        p_value: one-sided, that the leader is no better, for all competitors and rounds together; 1 of the
            leader itself.
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
    """Where each competitor stands after these samples, and who goes on to the next.

    Args:
        rounds: of the whole race, over which the level of the test is divided.
        others: competitors besides the leader that began the race; without, those that are left.
        part: of the competitors at most this part goes on, but not fewer than `fewest` by this rule.

    Of equal scores the competitor that comes first in the samples is ahead. InputError without a sample, a
    competitor or a token.
    """
    if not samples or not samples[0].right.size or any(not tests.tokens.sum() for tests in samples):
        raise InputError("no competitor, or no token to compare them on")
    scores = np.mean([100.0 * own.right.sum(axis=1) / own.tokens.sum() for own in samples], axis=0)
    order = np.argsort(-np.round(scores, 9), kind="stable")
    behind, error, degrees = _behind(samples, int(order[0]))
    p_values = _p_values(behind, error, degrees) * max(others or len(scores) - 1, 1) * rounds
    p_values[order[0]] = 1.0
    most = max(fewest, int(np.ceil(part * len(scores))))
    verdicts: dict[int, Verdict] = {}
    for i in map(int, order):
        left = sum(verdict == "kept" for verdict in verdicts.values())
        verdicts[i] = "worse" if p_values[i] < ALPHA else "kept" if left < most else "beyond the part"
    values = zip(scores.tolist(), behind.tolist(), error.tolist(), p_values.tolist(), strict=True)
    return [
        Standing(score, points, own, min(1.0, p), verdicts[i])
        for i, (score, points, own, p) in enumerate(values)
    ]


def shown_better(samples: Sequence[Sampled], than: int, *, comparisons: int) -> list[bool]:
    """Which competitors are shown to be better than one of them, by the same test; `comparisons`: by how many
    p is multiplied."""
    behind, error, degrees = _behind(samples, than)
    return [p < ALPHA for p in (_p_values(-behind, error, degrees) * comparisons).tolist()]


def _behind(samples: Sequence[Sampled], leader: int) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """How far each is behind the leader, float64[C], the standard errors, and the degrees of freedom."""
    competitors = len(samples[0].right)
    numbers = np.unique(np.concatenate([own.sentences for own in samples]))
    by_sentence = np.zeros((competitors, len(numbers)))
    behind, of_samples = np.zeros(competitors), np.zeros(competitors)
    for own in samples:
        total = int(own.tokens.sum())
        difference = (own.right[leader] - own.right).astype(np.float64)
        delta = difference.sum(axis=1) / total
        z = 100.0 * (difference - delta[:, None] * own.tokens) / total / len(samples)
        by_sentence[:, np.searchsorted(numbers, own.sentences)] += z
        behind += 100.0 * delta / len(samples)
        size = len(own.tokens)
        of_samples += max(own.spread - 1, 0.0) * (z**2).sum(axis=1) * size / max(size - 1, 1)
    size = len(numbers)
    variance = (by_sentence**2).sum(axis=1) * size / max(size - 1, 1) + of_samples
    one_head = 100.0 / sum(int(own.tokens.sum()) for own in samples)
    return behind, np.maximum(np.sqrt(variance), one_head), max(size - 1, 1)


def _p_values(behind: NDArray[np.float64], error: NDArray[np.float64], degrees: int) -> NDArray[np.float64]:
    from scipy.special import stdtr

    p_values: NDArray[np.float64] = stdtr(degrees, -behind / error)
    return p_values

"""How much data does it take? (`run --learning-curve`; the second learnability of Schwartz et al. 2012)

Each scheme is trained on 1/16, 1/8, 1/4, 1/2 and all of the training data. The smaller parts are contained
in the larger ones, and both schemes see the same sentences; each seed draws its own. Scores are own-reference
UAS on the whole test part, dev decides when to stop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnability.errors import InputError
from learnability.experiments.data import Fold
from learnability.experiments.scheme_training import train_scheme
from learnability.parsing.parser import ParserOptions
from learnability.transforms import Transformation

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""Shares of the training tokens."""


@dataclass(frozen=True)
class Curve:
    """The scores of one scheme.

    Attributes:
        scheme: its name, `ud` for the original.
        uas: per share, per seed, own-reference UAS in percent.
        area: area under the curve of the means over the binary logarithm of the amount of data, divided by
            its width: the mean height, in percent.
        tokens_to_reach_other: training tokens at which the curve of the means first reaches the other
            scheme's final mean, by linear interpolation over the logarithm; None if it does not, or if there
            is no other.
    """

    scheme: str
    uas: tuple[tuple[float, ...], ...]
    area: float
    tokens_to_reach_other: float | None

    @property
    def means(self) -> tuple[float, ...]:
        """Mean UAS per share."""
        return tuple(sum(scores) / len(scores) for scores in self.uas)


@dataclass(frozen=True)
class LearningCurve:
    """UD against a scheme on growing training data.

    Attributes:
        treebank, release, seeds: what was run.
        shares: of the training tokens.
        tokens: per share, training tokens (mean over seeds).
        original, transformed: the curves of UD and of the scheme.
        area_delta: difference of their areas, positive where UD is better.
    """

    treebank: str
    release: str
    seeds: int
    shares: tuple[float, ...]
    tokens: tuple[float, ...]
    original: Curve
    transformed: Curve

    @property
    def area_delta(self) -> float:
        """The area under UD's curve minus that under the scheme's, in points."""
        return self.original.area - self.transformed.area

    def as_json(self) -> dict[str, Any]:
        """Everything, for learning_curve.json."""
        found = asdict(self)
        for name, curve in (("original", self.original), ("transformed", self.transformed)):
            found[name]["means"] = curve.means
        return {**found, "area_delta": self.area_delta}


def learning_curve(
    fold: Fold,
    name: str,
    transformation: Transformation,
    options: ParserOptions,
    *,
    seeds: int = 3,
    shares: Sequence[float] = SHARES,
    notify: Callable[[str], None] = lambda what: None,
) -> LearningCurve:
    """Train UD and the scheme `name` on each share of the data, with the seeds 1, 2, ...

    Raises:
        InputError: fewer than one seed, or shares that do not ascend to 1.
    """
    if seeds < 1:
        raise InputError(f"--seeds {seeds}: give at least 1")
    if not shares or list(shares) != sorted(set(shares)) or shares[0] <= 0 or shares[-1] != 1:
        raise InputError(
            f"shares {', '.join(map(str, shares))}: give ascending shares of which the last is 1"
        )
    amounts: list[list[int]] = [[] for _ in shares]
    scores: list[list[list[float]]] = [[[] for _ in shares] for _ in range(2)]
    for seed in range(1, seeds + 1):
        for i, sentences in enumerate(nested_samples([len(t) for t in fold.train_ready], shares, seed)):
            amounts[i].append(sum(len(fold.train_ready[s]) for s in sentences))
            for scheme, rule in enumerate((None, transformation)):
                notify(f"{name if scheme else 'UD'}, {amounts[i][-1]} tokens, seed {seed}")
                scores[scheme][i].append(train_scheme(fold, rule, options, seed, sentences).uas)
    tokens = [sum(own) / seeds for own in amounts]
    means = [[sum(own) / seeds for own in rows] for rows in scores]
    original, transformed = (
        Curve(
            scheme=name if scheme else "ud",
            uas=tuple(map(tuple, scores[scheme])),
            area=area(tokens, means[scheme]),
            tokens_to_reach_other=reaches(tokens, means[scheme], means[1 - scheme][-1]),
        )
        for scheme in range(2)
    )
    treebank = fold.treebank
    return LearningCurve(
        treebank.name, treebank.release, seeds, tuple(shares), tuple(tokens), original, transformed
    )


def nested_samples(lengths: Sequence[int], shares: Sequence[float], seed: int) -> list[tuple[int, ...]]:
    """Per share, ascending indices of sentences with that share of all tokens, the smaller in the larger.

    A sample is the beginning of one random order of the sentences, up to the number of sentences whose tokens
    come nearest to the share, but at least one sentence.
    """
    order = np.random.default_rng(seed).permutation(len(lengths))
    totals = np.cumsum(np.asarray(lengths)[order])
    samples = []
    for share in shares:
        count = int(np.abs(totals - share * totals[-1]).argmin()) + 1 if share < 1 else len(lengths)
        samples.append(tuple(sorted(int(i) for i in order[:count])))
    return samples


def area(tokens: Sequence[float], scores: Sequence[float]) -> float:
    """The mean height of the curve over log2(tokens), by the trapezoidal rule; of one point, its score."""
    if len(tokens) == 1:
        return scores[0]
    steps = np.diff(np.log2(tokens))
    middles = (np.asarray(scores[1:]) + np.asarray(scores[:-1])) / 2
    return float((steps * middles).sum() / steps.sum())


def reaches(tokens: Sequence[float], scores: Sequence[float], goal: float) -> float | None:
    """The first amount at which the curve, linear over log2(tokens) between its points, is at the goal."""
    if scores[0] >= goal:
        return tokens[0]
    for i in range(1, len(scores)):
        if scores[i] >= goal:
            part = (goal - scores[i - 1]) / (scores[i] - scores[i - 1])
            low, high = math.log2(tokens[i - 1]), math.log2(tokens[i])
            return float(2 ** (low + part * (high - low)))
    return None

"""How much data does it take? (`run --learning-curve`; the second learnability of Schwartz et al. 2012)

Each scheme is trained on 1/16, 1/8, 1/4, 1/2 and all of the training data. The smaller parts are contained
in the larger ones, and both schemes see the same sentences; each seed draws its own. Scores are own-reference
UAS (and LAS, if the parsers are labelled) on the whole test part, dev decides when to stop.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from learnability.experiments.data import SCHEME, Fold, transformation_of
from learnability.experiments.options import ExperimentOptions
from learnability.experiments.plan import CURVE_SHARES, Cell, Plan, label
from learnability.experiments.scheme_training import mean_score, score, train_scheme
from learnability.parsing.parser import ParserOptions
from learnability.treebanks.locate import TreebankFiles

Record = dict[str, Any]
Trainings = Sequence[Sequence[Record]]
"""Records per share, per seed."""

Scores = tuple[tuple[float, ...], ...]
"""Scores in percent per share, per seed."""


@dataclass(frozen=True)
class Curve:
    """The scores of one scheme.

    Attributes:
        scheme: its name, `ud` for the original.
        uas: per share, per seed, own-reference UAS in percent.
        area: area under the curve of the means over the binary logarithm of the amount of data, divided by
            its width: the mean height, in percent.
        tokens_to_reach_other: training tokens at which the curve of the means first reaches the other
            scheme's final mean, by linear interpolation over the logarithm; None if it does not.
        las, las_area, las_tokens_to_reach_other: the same by LAS; None if the parsers are unlabelled.
    """

    scheme: str
    uas: Scores
    area: float
    tokens_to_reach_other: float | None
    las: Scores | None = None
    las_area: float | None = None
    las_tokens_to_reach_other: float | None = None

    @property
    def means(self) -> tuple[float, ...]:
        """Mean UAS per share."""
        return tuple(map(mean, self.uas))

    @property
    def las_means(self) -> tuple[float, ...] | None:
        """Mean LAS per share; None if the parsers are unlabelled."""
        return None if self.las is None else tuple(map(mean, self.las))


@dataclass(frozen=True)
class LearningCurve:
    """UD against a scheme on growing training data.

    Attributes:
        treebank, release, seeds: what was run.
        test_sites: sites of the scheme in the test part; with none the scores say nothing about it.
        shares: of the training tokens.
        tokens: per share, training tokens (mean over seeds).
        original, transformed: the curves of UD and of the scheme.
        area_delta: difference of their areas, positive where UD is better.
    """

    treebank: str
    release: str
    seeds: int
    test_sites: int
    shares: tuple[float, ...]
    tokens: tuple[float, ...]
    original: Curve
    transformed: Curve

    @property
    def area_delta(self) -> float:
        """The area under UD's curve minus that under the scheme's, in points of UAS."""
        return self.original.area - self.transformed.area

    @property
    def area_delta_sd(self) -> float | None:
        """The standard deviation of :attr:`area_delta` over the seeds; None with one."""
        return self._delta_sd(self.original.uas, self.transformed.uas)

    @property
    def las_area_delta(self) -> float | None:
        """:attr:`area_delta` in points of LAS; None if the parsers are unlabelled."""
        if self.original.las_area is None or self.transformed.las_area is None:
            return None
        return self.original.las_area - self.transformed.las_area

    @property
    def las_area_delta_sd(self) -> float | None:
        """The standard deviation of :attr:`las_area_delta` over the seeds; None with one, or unlabelled."""
        if self.original.las is None or self.transformed.las is None:
            return None
        return self._delta_sd(self.original.las, self.transformed.las)

    def _delta_sd(self, original: Scores, transformed: Scores) -> float | None:
        if self.seeds == 1:
            return None
        one, other = (
            [area(self.tokens, [own[seed] for own in scores]) for seed in range(self.seeds)]
            for scores in (original, transformed)
        )
        return statistics.stdev(a - b for a, b in zip(one, other, strict=True))

    def as_json(self) -> dict[str, Any]:
        """Everything, for learning_curve.json."""
        found = asdict(self)
        for name, curve in (("original", self.original), ("transformed", self.transformed)):
            found[name] |= {"means": curve.means, "las_means": curve.las_means}
        deltas = ("area_delta", "area_delta_sd", "las_area_delta", "las_area_delta_sd")
        return {**found, **{name: getattr(self, name) for name in deltas}}


def train_part(
    fold: Fold, options: ExperimentOptions, condition: str, parser: ParserOptions, share: float
) -> Record:
    """Train on a share of the training data, on UD (condition empty) or with every site transformed."""
    rule = transformation_of(condition, fold.treebank.conventions) if condition else None
    if rule is not None and not fold.trains_on(rule):
        return {"sites": 0}
    lengths = [len(tree) for tree in fold.train_ready]
    (sentences,) = nested_samples(lengths, (share,), parser.seed)
    found = train_scheme(fold, rule, parser, parser.seed, sentences, options.labels)
    return {"share": share, **found.record()}


def learning_curves(plan: Plan, records: Mapping[str, Record]) -> list[LearningCurve]:
    """The curves of every condition with sites, for a plan with one treebank.

    `records`: those that succeeded, by key. A curve of which a training failed is left out.
    """
    (files,) = plan.treebanks
    seeds = range(1, plan.options.seeds + 1)

    def trainings(condition: str, share: float) -> list[Record]:
        cells = [
            Cell(label(files), "curve", condition, seed, 0, share)
            if share < 1
            else Cell(label(files), "b" if condition else "a", condition, seed)
            for seed in seeds
        ]
        return [records[cell.key] for cell in cells if "correct" in records.get(cell.key, {})]

    def of(condition: str) -> list[list[Record]] | None:
        found = [trainings(condition, share) for share in CURVE_SHARES]
        return found if all(len(own) == len(seeds) for own in found) else None

    original = of("")
    if original is None:
        return []
    found = [(condition, of(condition)) for condition in plan.options.conditions]
    measures = {c: records.get(Cell(label(files), "measures", c, 0).key) for c in plan.options.conditions}
    return [
        learning_curve(files, condition.removeprefix(SCHEME), original, transformed, measured["test_sites"])
        for condition, transformed in found
        if transformed is not None and (measured := measures[condition]) is not None
    ]


def learning_curve(
    files: TreebankFiles, name: str, original: Trainings, transformed: Trainings, test_sites: int
) -> LearningCurve:
    """The curves of UD and of the scheme `name` from their trainings, per share and seed.

    `test_sites`: of the scheme, in the test part.
    """
    tokens = [mean([r["trained_tokens"] // r["iterations"] for r in own]) for own in original]
    labelled = "las_correct" in original[0][0]
    curves = [
        Curve(
            scheme=scheme,
            **_values(tokens, own, other, "uas"),
            **(_values(tokens, own, other, "las") if labelled else {}),
        )
        for scheme, own, other in (("ud", original, transformed), (name, transformed, original))
    ]
    seeds = len(original[0])
    return LearningCurve(files.name, files.release, seeds, test_sites, CURVE_SHARES, tuple(tokens), *curves)


def _values(
    tokens: Sequence[float], own: Trainings, other: Trainings, name: Literal["uas", "las"]
) -> dict[str, Any]:
    """The fields of a :class:`Curve` that go by UAS or by LAS; `other`: the trainings on the other scheme."""
    prefix, counts = ("", "correct") if name == "uas" else ("las_", "las_correct")
    scores = tuple(tuple(score(record, counts) for record in each) for each in own)
    means = [mean(each) for each in scores]
    return {
        name: scores,
        f"{prefix}area": area(tokens, means),
        f"{prefix}tokens_to_reach_other": reaches(tokens, means, mean_score(other[-1], counts)),
    }


def mean(values: Sequence[float]) -> float:
    """The mean of some numbers."""
    return sum(values) / len(values)


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
    """The mean height of the curve over log2(tokens), by the trapezoidal rule; of one amount, its score."""
    if tokens[0] == tokens[-1]:
        return scores[-1]
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

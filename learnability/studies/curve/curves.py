"""Measure how much data each annotation needs (`learnability run --curve`).

This is the second learnability of Schwartz et al. 2012.

Each annotation is trained on 1/16, 1/8, 1/4, 1/2 and all of the training data. The smaller parts are
contained in the larger ones, and both annotations see the same sentences; each seed draws its own. Scores are
UAS (and LAS, if the parsers are labelled) on the whole test set, each parser tested on its own annotation.
The development set decides when to stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.cells import AlternativeCell, BaseCell, ComparisonCell, OwnCell
from learnability.comparing.pair import pairs_of
from learnability.comparing.plan import RunPlan, id_of_files
from learnability.comparing.results import TrainingResult
from learnability.comparing.run_parsers import seed_ratio_of
from learnability.evidence.grouping import document_numbers, mean, test_places, trainings
from learnability.evidence.score_differences import Difference
from learnability.metrics.scores import ANSWERED, Score, enough
from learnability.running.records import Records
from learnability.statistics.significance import Comparison, compare
from learnability.statistics.spread import scale_seed_ratio
from learnability.support.values import JsonObject

CURVE_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""The shares of the training tokens in a learning curve; of the last, (a) and (b) are the trainings."""

Trainings = Sequence[Sequence[TrainingResult]]
"""Trainings per share, per seed."""


@dataclass(frozen=True)
class Curve:
    """Hold the curve of one annotation by one score.

    Attributes:
        scores: in percent, per share and seed.
        area: the mean height (percent) of the curve of the means, over the binary logarithm of the amount of
            data.
        tokens_to_reach_other: the training tokens at which it first reaches the final mean of the other
            annotation; None if it does not.
    """

    scores: tuple[tuple[float, ...], ...]
    area: float
    tokens_to_reach_other: float | None

    @property
    def means(self) -> tuple[float, ...]:
        return tuple(map(mean, self.scores))


@dataclass(frozen=True)
class LearningCurve:
    """Hold the curves of two annotations of a treebank on growing training data.

    Attributes:
        test_places: places in the test set where the annotations can differ.
        shares: the shares of the training tokens.
        tokens: the training tokens of each share, mean over seeds.
        curves: by score (no LAS if unlabelled) those of the base and of the alternative.
        areas: by score, the areas and their difference, p corrected for all curves of the run; None without
            enough test sentences and places in them (`metrics.scores.enough`).
    """

    treebank: str
    release: str
    seeds: int
    test_places: int
    shares: tuple[float, ...]
    tokens: tuple[float, ...]
    alternative: str
    curves: dict[Score, tuple[Curve, Curve]]
    areas: dict[Score, Difference | None]
    base: str = "UD"

    @property
    def names(self) -> tuple[str, str]:
        return (UD.spelling if self.base == "UD" else self.base), self.alternative

    def as_json(self) -> JsonObject:
        """Return everything, for learning_curve.json; what goes by LAS is null if the parsers are
        unlabelled."""
        facts = ("treebank", "release", "seeds", "test_places", "shares", "tokens")
        values = {name: getattr(self, name) for name in facts}
        base, alternative = (self._side_values(side) for side in (0, 1))
        return {**values, "base": base, "alternative": alternative, **self._area_values()}

    def _side_values(self, side: int) -> JsonObject:
        values: JsonObject = {"scheme": self.names[side]}
        for score in ANSWERED:
            curve = self.curves[score][side] if score in self.curves else None
            values[score.value] = None if curve is None else curve.scores
            values[f"{score.prefix}area"] = None if curve is None else curve.area
            reached = None if curve is None else curve.tokens_to_reach_other
            values[f"{score.prefix}tokens_to_reach_other"] = reached
        for score in ANSWERED:
            means = self.curves[score][side].means if score in self.curves else None
            values[f"{score.prefix}means"] = means
        return values

    def _area_values(self) -> JsonObject:
        values: JsonObject = {}
        for score in ANSWERED:
            curves, area = self.curves.get(score), self.areas.get(score)
            values[f"{score.prefix}area_delta"] = None if curves is None else curves[0].area - curves[1].area
            for name in ("low", "high", "p_value", "p_holm", "p_equal", "better"):
                values[f"{score.prefix}area_{name}"] = None if area is None else getattr(area, name)
        return values


def curve_cell(plan: RunPlan, annotation: Annotation | None, share: float) -> ComparisonCell[TrainingResult]:
    """Return the cell of a point of a curve, of seed 0; with all data that is setting (a) or (b)."""
    treebank, parser = plan.single(), plan.parsers[0]
    if share < 1:
        return OwnCell(treebank=treebank, parser=parser, annotation=annotation, share=share)
    if annotation:
        return AlternativeCell(treebank=treebank, parser=parser, annotation=annotation)
    return BaseCell(treebank=treebank, parser=parser)


def learning_curves(plan: RunPlan, records: Records) -> list[LearningCurve]:
    """Return the curve of every pair with places, for a plan with one treebank.

    A curve is left out if one of its trainings failed.
    """
    (files,) = plan.treebanks
    name, ratio = id_of_files(files), seed_ratio_of(plan.options.parsers[:1])

    def trained(annotation: Annotation | None) -> Trainings | None:
        shares = [
            trainings(records, curve_cell(plan, annotation, share), plan.seeds) for share in CURVE_SHARES
        ]
        return shares if all(shares) else None

    base = trained(None)
    if base is None:
        return []
    tokens = tuple(
        mean([training.trained_tokens // max(training.iterations, 1) for training in seeds]) for seeds in base
    )
    compared = []
    for pair in pairs_of(plan.options):
        alternative = trained(pair.alternative)
        places = test_places(records, name, pair.alternative.spelling)
        if alternative is not None and places is not None:
            compared.append((pair, alternative, places))
    scores = [score for score in map(Score, base[0][0].scores) if score.is_answered]
    sentences = len(base[0][0].tokens)
    areas: dict[Score, list[Difference | None]] = {}
    for score in scores:
        differences: list[Difference | None] = []
        for pair, alternative, places in compared:
            spelling = pair.alternative.spelling
            areas_of_both = _compare_areas(tokens, base, alternative, score, ratio, spelling)
            differences.append(Difference.of(areas_of_both) if enough(sentences, places) else None)
        areas[score] = Difference.correct(differences)
    curves = []
    for i, (pair, alternative, places) in enumerate(compared):
        spelling = pair.alternative.spelling
        both_curves = {
            score: (
                _curve(tokens, base, alternative, score, spelling),
                _curve(tokens, alternative, base, score, spelling),
            )
            for score in scores
        }
        curves.append(
            LearningCurve(
                *(files.name, files.release, plan.options.seeds, places, CURVE_SHARES, tokens),
                alternative=pair.alternative.title,
                curves=both_curves,
                areas={score: areas[score][i] for score in scores},
                base=pair.base.title,
            )
        )
    return curves


def _compare_areas(
    tokens: Sequence[float], a: Trainings, b: Trainings, score: str, seed_ratio: float, alternative: str
) -> Comparison:
    def count_right(side: Trainings) -> list[list[Sequence[int]]]:
        return [[training.scores[score].count_right(alternative) for training in seeds] for seeds in side]

    tested, weights = a[0][0].tokens, area_weights(tokens)
    ratios = [scale_seed_ratio(seed_ratio, sum(tested), amount) for amount in tokens]
    return compare(
        count_right(a),
        count_right(b),
        tested,
        weights,
        seed_ratio=float(np.average(ratios, weights=weights**2)),  # as the variance of a weighted mean
        documents=document_numbers([a[0][:1]]),
    )


def _curve(
    tokens: Sequence[float], these: Trainings, other: Trainings, score: str, alternative: str
) -> Curve:
    scores = tuple(tuple(training.percent(score, alternative) for training in seeds) for seeds in these)
    means = [mean(each) for each in scores]
    goal = mean([training.percent(score, alternative) for training in other[-1]])
    return Curve(scores, area(tokens, means), reaches(tokens, means, goal))


def area(tokens: Sequence[float], scores: Sequence[float]) -> float:
    """Return the mean height of the curve over log2(tokens), by the trapezoidal rule."""
    return float(area_weights(tokens) @ np.asarray(scores))


def area_weights(tokens: Sequence[float]) -> NDArray[np.float64]:
    """Return float64[amounts], adding up to 1: how much each score counts; of equal amounts the last."""
    steps = np.diff(np.log2(np.asarray(tokens, np.float64)))
    weights: NDArray[np.float64] = np.append(steps, 0) + np.append(0, steps)
    if not weights.sum():
        weights[-1] = 1
    weights /= weights.sum()
    return weights


def reaches(tokens: Sequence[float], scores: Sequence[float], goal: float) -> float | None:
    """Return the first amount at which the curve reaches the goal; it is linear over log2(tokens)."""
    if scores[0] >= goal:
        return tokens[0]
    for i in range(1, len(scores)):
        if scores[i] >= goal:
            part = (goal - scores[i - 1]) / (scores[i] - scores[i - 1])
            low, high = math.log2(tokens[i - 1]), math.log2(tokens[i])
            return float(2 ** (low + part * (high - low)))
    return None

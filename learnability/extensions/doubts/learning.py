"""Learn from decisions which doubts come next, without training a parser.

A logistic regression starts from the score of each doubt. Each decision moves the weights of what the
doubt has in common with others, its traits: kinds of correction, from its whole pattern to its relation
alone, and its sentence. So a rejected kind lowers its like, and an accepted one raises it. The idea of such a
loop is that of Rehbein & Ruppenhofer (2018), whose model is another. doubts.js fits the same model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from learnability.extensions.doubts.decisions import ACCEPT, REJECT, Decision

SPREADS: Mapping[str, float] = {
    "pattern": 1.0,
    "sentence": 0.7,
    "tag and relations": 0.7,
    "relations": 0.7,
    "relation": 0.5,
    "proposed relation": 0.5,
    "tag": 0.5,
    "lemma": 0.5,
}
"""How far the weight of a trait may be from zero before anything is decided: the standard deviation of its
prior, by the kind of the trait (chosen in research/doubts)."""

BIAS, SLOPE = 0.5, 0.3
"""The same of the weight that all doubts have in common, and of that of the logit of the score."""

CENTRE = -1.0
"""The logit at which the weight of the logit changes nothing."""

LEAST = 0.0001
"""The lowest score that is told apart from none: doubts.csv has four decimals."""

ROUNDS = 50
"""Rounds over all weights, at most."""

NEGLIGIBLE = 1e-7
"""The fitting ends when no weight has moved farther in a round."""

LONGEST_STEP = 1.0
"""The farthest that a weight moves at a time: where most scores are near 0 or 1, Newton's step is too
long."""

DECIMALS = 5
"""Those of scores, so that the last digits of a float decide about no order."""

_PATTERN = re.compile(r"(.*?) ?(\S+)(?: \((head \w+)\))? -> (\S+)(?: \((.+)\))?", re.DOTALL)


def traits_of(pattern: str, content: str) -> list[tuple[str, str]]:
    """Return what a doubt may have in common with others: the kinds of its traits, and the traits."""
    traits = [("pattern", pattern), ("sentence", content)]
    if found := _PATTERN.fullmatch(pattern):
        name, old, _, new, place = found.groups()
        tag = name.partition(":")[0]
        moves = "moves" if place and place.startswith("another") else ""
        traits += [
            ("tag and relations", f"{tag} {old} {new} {moves}"),
            ("relations", f"{old} {new} {moves}"),
            ("relation", old),
            ("proposed relation", new),
            ("tag", tag),
            ("lemma", name),
        ]
    return traits


class SeenDoubt(NamedTuple):
    """Represent what the model sees of a doubt: the logit of its score, and the numbers of its traits."""

    logit: float
    traits: Sequence[int]


class DecidedExample(NamedTuple):
    """Represent a decided doubt; `is_wrong`: whether the annotation was wrong, so that it was accepted."""

    doubt: SeenDoubt
    is_wrong: bool


@dataclass
class DoubtFeatures:
    """Number traits in the order in which they occur, with the spread of each (`SPREADS`)."""

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    spreads: list[float] = field(default_factory=list)

    def see(self, score: float, pattern: str, content: str) -> SeenDoubt:
        """Return what the model sees of a doubt with these values of the columns of doubts.csv."""
        traits = []
        for trait in traits_of(pattern, content):
            if trait not in self.numbers:
                self.numbers[trait] = len(self.spreads)
                self.spreads.append(SPREADS[trait[0]])
            traits.append(self.numbers[trait])
        return SeenDoubt(logit_of(score), traits)

    def lessons(self, decisions: Iterable[Decision]) -> list[DecidedExample]:
        """Return what the model learns from decisions: those that say the pattern and the score."""
        return [
            DecidedExample(
                self.see(decision.score, decision.pattern, decision.place.content),
                decision.verdict == ACCEPT,
            )
            for decision in decisions
            if decision.verdict in (ACCEPT, REJECT) and decision.pattern and decision.score
        ]


def logit_of(score: float) -> float:
    """Return the logit of a score as it is in doubts.csv."""
    rounded = min(max(round(score, 4), LEAST), 1 - LEAST)
    return math.log(rounded / (1 - rounded))


def describe_model() -> dict[str, float]:
    return {
        "bias": BIAS,
        "slope": SLOPE,
        "centre": CENTRE,
        "least": LEAST,
        "rounds": ROUNDS,
        "negligible": NEGLIGIBLE,
        "longest_step": LONGEST_STEP,
        "decimals": DECIMALS,
    }


def _features(doubt: SeenDoubt) -> Iterator[tuple[int, float]]:
    yield 0, 1.0
    yield 1, doubt.logit - CENTRE
    for trait in doubt.traits:
        yield trait + 2, 1.0


def score_doubt(doubt: SeenDoubt, weights: Mapping[int, float]) -> float:
    """Return the logit by which a doubt is ordered, rounded to `DECIMALS`."""
    total = doubt.logit
    for feature, value in _features(doubt):
        total += weights.get(feature, 0.0) * value
    return round(total, DECIMALS)


def learn(lessons: Iterable[DecidedExample], spreads: Sequence[float]) -> dict[int, float]:
    """Return the weights of the highest posterior probability by the number of the feature (`_features`).

    They are the same for the same lessons in any order. One weight moves at a time, by Newton's method.
    `spreads`: that of each trait by its number.
    """
    precisions = [1 / spread**2 for spread in (BIAS, SLOPE, *spreads)]
    logits: list[float] = []
    wrong: list[bool] = []
    with_feature: dict[int, list[tuple[int, float]]] = {}
    for place, (doubt, is_wrong) in enumerate(lessons):
        logits.append(doubt.logit)
        wrong.append(is_wrong)
        for feature, value in _features(doubt):
            with_feature.setdefault(feature, []).append((place, value))
    weights = dict.fromkeys(sorted(with_feature), 0.0)
    for _ in range(ROUNDS):
        farthest = 0.0
        for feature, weight in weights.items():
            gradient, curvature = -weight * precisions[feature], precisions[feature]
            for place, value in with_feature[feature]:
                probability = 1 / (1 + math.exp(-logits[place]))
                gradient += value * (wrong[place] - probability)
                curvature += value * value * probability * (1 - probability)
            step = min(max(gradient / curvature, -LONGEST_STEP), LONGEST_STEP)
            weights[feature] = weight + step
            for place, value in with_feature[feature]:
                logits[place] += step * value
            farthest = max(farthest, abs(step))
        if farthest < NEGLIGIBLE:
            break
    return weights

"""The weights of a logistic regression, which research/doubts fits, by the names of the features."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class LogisticModel(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of a logistic regression.

    Attributes:
        intercept: the logit where every feature is 0.
        weights: of the features, per unit, by name.
    """

    intercept: float
    weights: dict[str, float]

    def logits(self, features: Mapping[str, Floats]) -> Floats:
        """Return float64[items], the logit of the probability of each item.

        The features are added in the order of the weights, so that the same features give the same bytes.

        Args:
            features: float64[items] by name; features without a weight are ignored.
        """
        first = next(iter(features.values()))
        total = np.full(len(first), self.intercept)
        for name, weight in self.weights.items():
            total += weight * features[name]
        return total

    def rescale(self, slope: float, intercept: float) -> LogisticModel:
        """Return the model whose logits are `slope` times those of this one, plus `intercept`."""
        weights = {name: slope * weight for name, weight in self.weights.items()}
        return LogisticModel(intercept=slope * self.intercept + intercept, weights=weights)

    def probabilities(self, features: Mapping[str, Floats]) -> Floats:
        """Return float64[items], the probability of each item."""
        probabilities: Floats = 1 / (1 + np.exp(-self.logits(features)))
        return probabilities

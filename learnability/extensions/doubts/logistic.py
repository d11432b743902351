"""The weights of logistic regressions, which research/doubts fits, by the names of the features."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.extensions.doubts.columns import UPOS, XPOS

Floats = NDArray[np.float64]

PROPOSAL_WEIGHTS = "proposal_weights.json"

XPOS_SCALE = 0.5508, -1.9543
"""Slope and intercept by which the logits of tags are those of XPOS, which few treebanks could teach."""


class LogisticModel(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of a logistic regression, by the names of the features."""

    intercept: float
    weights: dict[str, float]

    def logits(self, features: Mapping[str, Floats]) -> Floats:
        """Return float64[items], the logit of the probability of each item.

        The features (float64[items] by name) are added in the order of the weights, so that the same features
        give the same bytes; those without a weight are ignored.
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


@cache
def load_all_weights() -> Mapping[str, LogisticModel]:
    """Return the weights that come with the package, by group of columns."""
    data = files("learnability.extensions.doubts") / "weights.json"
    weights = msgspec.json.decode(data.read_bytes(), type=dict[str, LogisticModel])
    return {**weights, XPOS: weights[UPOS].rescale(*XPOS_SCALE)}


@cache
def load_proposal_weights() -> LogisticModel:
    """Return the weights of candidates that come with the package."""
    data = files("learnability.extensions.doubts") / PROPOSAL_WEIGHTS
    return msgspec.json.decode(data.read_bytes(), type=LogisticModel)

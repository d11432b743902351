"""Logistic regression with a penalty, and its weights by the names of the features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_ITERATIONS = 500


class LogisticModel(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of a logistic regression.

    Attributes:
        intercept: the logit where every feature has its mean.
        means: of the features, by name.
        weights: of the features, per unit, by name.
    """

    intercept: float
    means: dict[str, float]
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
            total += weight * (features[name] - self.means[name])
        return total

    def probabilities(self, features: Mapping[str, Floats]) -> Floats:
        """Return float64[items], the probability of each item."""
        probabilities: Floats = 1 / (1 + np.exp(-self.logits(features)))
        return probabilities


def fitted(
    features: Mapping[str, Floats],
    outcomes: NDArray[np.bool_],
    counts: Floats,
    penalties: Mapping[str, float],
) -> LogisticModel:
    """Return the model of the highest penalised likelihood.

    Args:
        features: float64[items] by name.
        outcomes: bool[items].
        counts: float64[items], how often each item counts.
        penalties: by the name of the feature; half of it is multiplied by the squared weight of the
            standardised feature.
    """
    from scipy.optimize import minimize

    names: Sequence[str] = list(features)
    matrix = np.stack([features[name] for name in names], axis=1)
    total = counts.sum()
    means = counts @ matrix / total
    deviations = np.sqrt(counts @ (matrix - means) ** 2 / total)
    deviations[deviations < 1e-9] = np.inf  # what does not vary gets no weight
    standard = ((matrix - means) / deviations).astype(np.float32)  # half the memory, twice as fast
    penalty = np.array([penalties[name] for name in names])
    wanted = outcomes.astype(np.float64)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        logits = parameters[0] + (standard @ parameters[1:].astype(np.float32)).astype(np.float64)
        residuals = counts * (1 / (1 + np.exp(-logits)) - wanted)
        likelihood = counts @ (np.logaddexp(0, logits) - wanted * logits)
        value = likelihood + penalty @ parameters[1:] ** 2 / 2
        gradient = np.concatenate(
            ([residuals.sum()], standard.T @ residuals.astype(np.float32) + penalty * parameters[1:])
        )
        return float(value / total), gradient / total

    start = np.zeros(len(names) + 1)
    share = float(counts @ wanted / total)
    start[0] = np.log(share / (1 - share))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_ITERATIONS})
    weights = found.x[1:] / deviations
    return LogisticModel(
        intercept=float(found.x[0]),
        means=dict(zip(names, means.tolist(), strict=True)),
        weights=dict(zip(names, weights.tolist(), strict=True)),
    )

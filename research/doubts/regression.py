"""Fit the weights of doubts: logistic regression and choices, with a penalty.

`fit_model` says of each item whether it is wrong, `fit_choice` which one of several items is right: the
conditional logit of McFadden (1974).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from learnability.extensions.doubts.logistic import Floats, LogisticModel

MOST_ITERATIONS, MOST_HALVINGS = 50, 20
"""Of Newton's method, and of one of its steps."""

NEGLIGIBLE = 1e-8
"""The fitting ends when an iteration improves the penalised likelihood by no larger share."""


def fit_model(
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
    names: Sequence[str] = list(features)
    matrix = np.stack([np.asarray(features[name], np.float64) for name in names], axis=1)
    total = counts.sum()
    means = counts @ matrix / total
    matrix -= means
    deviations = np.sqrt(counts @ matrix**2 / total)
    varying = deviations > 1e-9  # the others get no weight
    standard = np.ones((len(matrix), 1 + int(varying.sum())), np.float32)  # half the memory, twice as fast
    standard[:, 1:] = matrix[:, varying] / deviations[varying]
    del matrix
    penalty = np.array(
        [0.0, *(penalties[name] for name, varies in zip(names, varying, strict=True) if varies)]
    )
    wanted = outcomes.astype(np.float64)

    def cost(parameters: Floats) -> float:
        logits = logits_of(parameters)
        return float(counts @ (np.logaddexp(0, logits) - wanted * logits) + penalty @ parameters**2 / 2)

    def logits_of(parameters: Floats) -> Floats:
        return (standard @ parameters.astype(np.float32)).astype(np.float64)

    parameters = np.zeros(standard.shape[1])
    share = float(counts @ wanted / total)
    parameters[0] = np.log(share / (1 - share))
    least = cost(parameters)
    for _ in range(MOST_ITERATIONS):  # Newton's method, with shorter steps where the whole one leads upwards
        probabilities = 1 / (1 + np.exp(-logits_of(parameters)))
        residuals = (counts * (probabilities - wanted)).astype(np.float32)
        gradient = (standard.T @ residuals).astype(np.float64) + penalty * parameters
        weighted = (
            standard * np.sqrt(counts * probabilities * (1 - probabilities)).astype(np.float32)[:, None]
        )
        curvature = (weighted.T @ weighted).astype(np.float64) + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        before = least
        for halving in range(MOST_HALVINGS):
            attempt = parameters - step / 2**halving
            if (value := cost(attempt)) < before:
                parameters, least = attempt, value
                break
        if before - least <= NEGLIGIBLE * before:
            break
    weights = np.zeros(len(names))
    weights[varying] = parameters[1:] / deviations[varying]
    return LogisticModel(
        intercept=float(parameters[0] - weights @ means),
        weights=dict(zip(names, weights.tolist(), strict=True)),
    )


def fit_choice(
    features: Mapping[str, Floats],
    right: NDArray[np.bool_],
    groups: NDArray[np.int64],
    counts: Floats,
    penalty: float,
) -> LogisticModel:
    """Return the model of the highest penalised likelihood of a choice; its intercept is 0.

    Args:
        features: float64[items] by name.
        right: bool[items], which items are right: at least one of each group.
        groups: int64[items], the group among whose items one chooses; those of a group stand together.
        counts: float64[groups], how often each group counts, in their order.
        penalty: half of it is multiplied by the squared weight of each standardised feature.
    """
    matrix = np.stack([np.asarray(column, np.float64) for column in features.values()], axis=1)
    means, deviations = matrix.mean(axis=0), matrix.std(axis=0)
    deviations[deviations <= 1e-9] = 1.0
    standard = (matrix - means) / deviations
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    of_item = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(groups)]))

    def cost(weights: Floats) -> tuple[float, Floats]:
        logits = standard @ weights
        sizes = np.exp(logits - np.maximum.reduceat(logits, starts)[of_item])
        total, total_right = np.add.reduceat(sizes, starts), np.add.reduceat(sizes * right, starts)
        surplus = sizes / total[of_item] - sizes * right / total_right[of_item]
        gradient = standard.T @ (surplus * counts[of_item]) + penalty * weights
        return float(counts @ np.log(total / total_right) + penalty * weights @ weights / 2), gradient

    found = minimize(cost, np.zeros(len(means)), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return LogisticModel(
        intercept=0.0,
        weights=dict(zip(features, (found.x / deviations).tolist(), strict=True)),
    )

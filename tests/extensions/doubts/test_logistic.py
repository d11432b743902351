"""Logistic regression: against statsmodels without a penalty, and what the penalty does."""

from __future__ import annotations

import numpy as np
import pytest

from learnability.extensions.doubts.logistic import fit_model


def drawn(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Features and outcomes that depend on them."""
    generator = np.random.default_rng(seed)
    features = {"a": generator.normal(3, 2, 400), "b": generator.normal(0, 1, 400), "same": np.ones(400)}
    logits = features["a"] - 3 - 2 * features["b"]
    return features, generator.random(400) < 1 / (1 + np.exp(-logits))


def test_without_a_penalty_it_is_maximum_likelihood() -> None:
    import statsmodels.api as sm

    features, outcomes = drawn(1)
    counts = np.arange(400) % 3 + 1.0
    model = fit_model(features, outcomes, counts, dict.fromkeys(features, 0.0))
    design = sm.add_constant(np.stack([features["a"], features["b"]], axis=1))
    other = sm.GLM(outcomes.astype(float), design, family=sm.families.Binomial(), freq_weights=counts).fit()
    assert [model.weights["a"], model.weights["b"]] == pytest.approx(other.params[1:], rel=1e-3)
    assert model.probabilities(features) == pytest.approx(other.predict(design), abs=1e-3)


def test_what_does_not_vary_has_no_weight_and_a_penalty_shrinks_the_others() -> None:
    features, outcomes = drawn(2)
    none = dict.fromkeys(features, 0.0)
    free, held = (fit_model(features, outcomes, np.ones(400), none | {"b": cost}) for cost in (0.0, 1000.0))
    assert free.weights["same"] == held.weights["same"] == 0
    assert 0 < abs(held.weights["b"]) < abs(free.weights["b"]) / 2
    assert abs(held.weights["a"]) > abs(free.weights["a"]) / 2
    assert held.probabilities(features).mean() == pytest.approx(outcomes.mean(), abs=1e-3)

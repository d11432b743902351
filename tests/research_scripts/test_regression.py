"""Logistic regression and choices: against statsmodels without a penalty, and what the penalty does."""

from __future__ import annotations

import numpy as np
import pytest

from research.doubts.regression import fit_choice, fit_model


def drawn(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
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


def test_rescaled_logits_are_those_of_a_line() -> None:
    features, outcomes = drawn(5)
    model = fit_model(features, outcomes, np.ones(400), dict.fromkeys(features, 0.0))
    expected = 0.5 * model.logits(features) - 2
    assert model.rescale(0.5, -2.0).logits(features) == pytest.approx(expected, abs=1e-9)


def chosen(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    groups = np.repeat(np.arange(150), 2 + np.arange(150) % 4)
    features = {name: generator.normal(2, 1, len(groups)) for name in "ab"}
    noise = generator.gumbel(size=len(groups))
    value = features["a"] - 2 * features["b"] + noise
    right = np.zeros(len(groups), bool)
    for group in range(150):
        items = np.flatnonzero(groups == group)
        right[items[value[items].argmax()]] = True
    return features, right, groups


def test_a_choice_without_a_penalty_is_the_conditional_logit() -> None:
    from statsmodels.discrete.conditional_models import ConditionalLogit

    features, right, groups = chosen(3)
    model = fit_choice(features, right, groups, np.ones(150), 0.0)
    design = np.stack([features["a"], features["b"]], axis=1)
    other = ConditionalLogit(right.astype(float), design, groups=groups).fit(disp=False)
    assert [model.weights["a"], model.weights["b"]] == pytest.approx(other.params, rel=1e-3)
    assert model.intercept == 0


def test_groups_count_and_a_penalty_shrinks_the_weights_of_a_choice() -> None:
    features, right, groups = chosen(4)
    free, held = (fit_choice(features, right, groups, np.ones(150), cost) for cost in (0.0, 1000.0))
    assert abs(held.weights["b"]) < abs(free.weights["b"]) / 4
    counts = (np.arange(150) % 2).astype(np.float64)
    half = fit_choice(features, right, groups, counts, 0.0)
    odd = groups % 2 == 1
    alone = fit_choice({n: c[odd] for n, c in features.items()}, right[odd], groups[odd], np.ones(75), 0.0)
    assert list(half.weights.values()) == pytest.approx(list(alone.weights.values()), rel=1e-3)
    several = right | (np.arange(len(right)) % 5 == 0)  # where two are right, either may be chosen
    assert fit_choice(features, several, groups, np.ones(150), 0.0).weights != free.weights


def test_no_other_weights_of_a_choice_have_a_higher_penalised_likelihood() -> None:
    features, right, groups = chosen(5)
    model = fit_choice(features, right, groups, np.ones(150), 20.0)

    def likelihood(factors: dict[str, float]) -> float:
        weights = {name: weight * factors.get(name, 1.0) for name, weight in model.weights.items()}
        total = -10.0 * sum((weights[name] * column.std()) ** 2 for name, column in features.items())
        value = sum(weights[name] * column for name, column in features.items())
        for group in range(150):
            of_group = value[groups == group]
            total += of_group[right[groups == group]].sum() - np.log(np.exp(of_group).sum())
        return float(total)

    for name in features:
        for factor in (0.97, 1.03):
            assert likelihood({name: factor}) < likelihood({})

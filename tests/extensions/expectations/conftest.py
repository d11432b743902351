"""A model that expects UD ahead by 1.5 points for `case`, and as far behind for `det`."""

from __future__ import annotations

import numpy as np
import pytest

from learnability.extensions.expectations.fitting import Measurements, fit_mean, fit_model
from learnability.extensions.expectations.model import ConstructionModel, ExpectationModel, StoredFit
from learnability.extensions.expectations.properties import NAMES


def construction_model(construction: str, mean: float, seed: int) -> ConstructionModel:
    """A model of a construction, fitted to twenty treebanks of ten families."""
    random = np.random.default_rng(seed)
    properties = random.normal(size=(20, len(NAMES)))
    differences = mean + 0.3 * random.normal(size=20) + 0.5 * properties[:, 1]
    families = [f"family {number % 10}" for number in range(20)]
    measured = Measurements(differences, np.full(20, 0.2), properties, families)
    return ConstructionModel(
        construction=construction,
        treebanks=20,
        families=10,
        explained=0.5,
        explained_low=0.2 if mean > 0 else -0.2,
        explained_high=0.7,
        by_properties=StoredFit.of(fit_model(measured)),
        alone=StoredFit.of(fit_mean(measured)),
    )


@pytest.fixture(scope="session")
def made_model() -> ExpectationModel:
    return ExpectationModel(
        date="2026-01-02",
        release="2.16",
        command="python fit",
        parser="arc-eager",
        properties=list(NAMES),
        treebanks=["UD_Known"],
        constructions=[construction_model("case", 1.5, 1), construction_model("det", -1.5, 2)],
    )


@pytest.fixture
def model(made_model: ExpectationModel, monkeypatch: pytest.MonkeyPatch) -> ExpectationModel:
    """The model in place of the one that comes with the package."""
    monkeypatch.setattr(ExpectationModel, "load_shipped", lambda: made_model)
    return made_model

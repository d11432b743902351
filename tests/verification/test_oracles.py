"""Oracles against exhaustive search over all continuations of every configuration."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force import SYSTEMS as TWINS
from brute_force import Search, all_trees, configurations, projective_trees
from kernels import costs_after
from tally import Tally

from learnability.parsing.systems import SYSTEMS

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]


def trees_of_class(name: str, n: int) -> tuple[tuple[int, ...], ...]:
    return projective_trees(n) if SYSTEMS[name].projective else all_trees(n)


@pytest.mark.parametrize("name", WITH_COSTS)
def test_costs(name: str, tally: Tally) -> None:
    """Costs, all trees of up to 5 words, every configuration.

    The least number of wrong heads that is left after the transition, less that before it.
    """
    system, search = TWINS[name], Search(TWINS[name])
    for n in range(1, 6):
        golds = np.array(trees_of_class(name, n))
        for state, path in configurations(system, n):
            before = search.losses(state, golds)
            _, found, _ = costs_after(name, n, path, golds)
            for transition, follower in system.successors(state).items():
                wrong = found[:, transition] != search.losses(follower, golds) - before
                tally.count(len(golds), int(wrong.sum()), state, transition, golds[wrong][:1])

"""The interval that stands beside a difference is the one from which its answer follows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from learnability.evidence.differences import Difference, corrected
from learnability.statistics.significance import ALPHA, EFFECT, Side, compare, winner


def drawn_family(chance: random.Random, size: int) -> list[Difference | None]:
    """Differences between random parses of 40 sentences by 2 seeds, some of them not tested."""
    family: list[Difference | None] = []
    for _ in range(size):
        numbers = np.random.default_rng(chance.randrange(10**9))
        tokens = numbers.integers(100, 200, 40)
        shift = chance.choice([0.0, 0.004, 0.02, 0.08])
        a, b = (numbers.binomial(tokens, 0.8 - side * shift, (2, 40)) for side in (0, 1))
        if chance.random() < 0.3:  # nearly the same parses: small errors
            b = a - (numbers.random((2, 40)) < 0.05)
        difference = Difference.of(compare(a, b, tokens, documents=range(40)))
        family.append(chance.choice([difference, difference, difference.untested(), None]))
    return family


@pytest.mark.parametrize("seed", range(60))
def test_the_interval_says_what_the_answer_says(seed: int) -> None:
    chance = random.Random(seed)
    family = drawn_family(chance, chance.choice([1, 2, 7, 20]))
    for before, after in zip(family, corrected(family), strict=True):
        if before is None or before.p_value is None:
            assert after == before
            continue
        assert after is not None
        assert after.low is not None
        assert after.high is not None
        assert after.p_holm is not None
        excludes_zero = after.low > 0 or after.high < 0
        assert excludes_zero == (after.p_holm < ALPHA) == (after.better in (Side.UD, Side.ALTERNATIVE))
        if excludes_zero:
            assert after.better == winner(after.delta)
        inside = after.low > -EFFECT and after.high < EFFECT
        assert (after.better is Side.EQUAL) == (inside and not excludes_zero)
        # alone it is never wider than in its family, and it stays as it was
        assert (after.uncorrected_low, after.uncorrected_high) == (before.low, before.high)
        if after.better is not Side.EQUAL:
            assert after.high - after.low >= (before.high or 0) - (before.low or 0) - 1e-9


def test_all_answers_were_among_the_drawn() -> None:
    """Otherwise the test above would hold of anything."""
    found = {
        difference.better
        for seed in range(60)
        for chance in [random.Random(seed)]
        for difference in corrected(drawn_family(chance, chance.choice([1, 2, 7, 20])))
        if difference is not None
    }
    assert found == {*Side, None}


def test_correcting_twice_is_correcting_once() -> None:
    family = drawn_family(random.Random(5), 7)
    once = corrected(family)
    assert corrected(once) == once
    assert corrected(once[:1]) == corrected(family[:1])


def test_one_difference_alone_keeps_its_interval() -> None:
    difference = Difference.of(compare([[90] * 20], [[80] * 10 + [85] * 10], [100] * 20))
    (alone,) = corrected([difference])
    assert alone is not None
    assert (alone.low, alone.high) == (difference.low, difference.high)

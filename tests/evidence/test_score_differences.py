"""The interval that stands beside a difference is the one from which its answer follows."""

from __future__ import annotations

import random
from statistics import NormalDist

import numpy as np
import pytest

from learnability.evidence.score_differences import Difference
from learnability.statistics.holm import holm
from learnability.statistics.inference import ALPHA, EFFECT, Inference, Side, winner
from learnability.statistics.significance import compare


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
        family.append(chance.choice([difference, difference, difference.drop_test(), None]))
    return family


@pytest.mark.parametrize("seed", range(60))
def test_the_interval_says_what_the_answer_says(seed: int) -> None:
    chance = random.Random(seed)
    family = drawn_family(chance, chance.choice([1, 2, 7, 20]))
    for before, after in zip(family, Difference.correct(family), strict=True):
        if before is None or before.p_value is None:
            assert after == before
            continue
        assert after is not None
        assert after.low is not None
        assert after.high is not None
        assert after.p_holm is not None
        excludes_zero = after.low > 0 or after.high < 0
        assert excludes_zero == (after.p_holm < ALPHA) == (after.better in (Side.FIRST, Side.SECOND))
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
        for difference in Difference.correct(drawn_family(chance, chance.choice([1, 2, 7, 20])))
        if difference is not None
    }
    assert found == {*Side, None}


def test_correcting_twice_is_correcting_once() -> None:
    family = drawn_family(random.Random(5), 7)
    once = Difference.correct(family)
    assert Difference.correct(once) == once
    assert Difference.correct(once[:1]) == Difference.correct(family[:1])


def test_one_difference_alone_keeps_its_interval() -> None:
    difference = Difference.of(compare([[90] * 20], [[80] * 10 + [85] * 10], [100] * 20))
    (alone,) = Difference.correct([difference])
    assert alone is not None
    assert (alone.low, alone.high) == (difference.low, difference.high)


def of_p(p_value: float, p_equal: float = 0.5, share: float = 1.0, better: Side | None = None) -> Difference:
    """A difference with these p values, which is about as far from 0 as they say."""
    delta = -NormalDist().inv_cdf(p_value / 2)
    return Difference(
        80.0, 80.0 - delta, delta, 1.0, 1e9, p_value=p_value, p_equal=p_equal, share=share, better=better
    )


def test_a_test_with_half_of_the_level_has_twice_the_p_value() -> None:
    whole, half = (Difference.correct([of_p(0.03, 0.02, share)])[0] for share in (1.0, 0.5))
    assert whole is not None
    assert half is not None
    assert (whole.p_holm, whole.better) == (0.03, Side.FIRST)
    assert (half.p_holm, half.p_equal_holm, half.better) == (0.06, 0.04, Side.EQUAL)
    below, above = (Difference.correct([of_p(p, share=0.5)])[0] for p in (0.0249, 0.0251))
    assert below is not None
    assert above is not None
    assert below.low is not None
    assert above.low is not None
    assert above.low < 0 < below.low


def test_both_questions_are_corrected_over_all_differences() -> None:
    p_values, p_equal = [0.001, 0.02, 0.3, 0.9], [1.0, 0.9, 0.02, 0.01]
    found = Difference.correct([*map(of_p, p_values, p_equal), None])
    assert found[-1] is None
    for values, name in ((p_values, "p_holm"), (p_equal, "p_equal_holm")):
        assert [getattr(each, name) for each in found[:-1]] == pytest.approx(holm(values))
    # 0.02 times 3, and 0.01 times 4
    assert [each and each.better for each in found] == [Side.FIRST, Side.NONE, Side.NONE, Side.EQUAL, None]


def test_what_was_answered_before_does_not_count_for_its_question() -> None:
    """Holm's procedure goes on after what it has rejected, and counts everything else."""
    before = [
        of_p(0.001, 1.0, better=Side.FIRST), of_p(0.001, 1.0, better=Side.SECOND),
        of_p(0.9, 0.001, better=Side.EQUAL), of_p(0.4, 0.6, better=Side.NONE),
        Difference(80.0, 80.0, 0.0),  # not tested
    ]  # fmt: skip
    first, second = Difference.correct([of_p(0.01, 0.2), of_p(0.02, 0.01)], before)
    assert first is not None
    assert second is not None
    # for a side these two and the last two count; for equality these two, both sides and the last one
    assert (first.p_holm, second.p_holm) == (pytest.approx(0.04), pytest.approx(0.06))
    assert (first.p_equal_holm, second.p_equal_holm) == (pytest.approx(0.8), pytest.approx(0.05))
    assert (first.better, second.better) == (Side.FIRST, Side.NONE)


@pytest.mark.slow
def test_a_run_and_its_settling_are_wrong_together_as_often_as_one_test() -> None:
    """By simulation of normal estimates: three constructions, of which some differ far more than others."""
    draw, trials = np.random.default_rng(4), 4000
    for truths in ((0.0, 0.0, 0.0), (0.0, 5.0, 5.0), (0.5, 0.5, 0.5), (0.0, 0.5, 5.0)):
        wrong = {"side": 0, "equal": 0}
        for _ in range(trials):
            of_run = [normal(draw, truth, 0.3) for truth in truths]
            found = [each for each in Difference.correct(of_run) if each is not None]
            left = [i for i, each in enumerate(found) if each.better is Side.NONE]
            before = [each for each in found if each.better is not Side.NONE]
            again = Difference.correct([normal(draw, truths[i], 0.14) for i in left], before)
            for i, difference in zip(left, again, strict=True):
                assert difference is not None
                found[i] = difference
            pairs = list(zip(truths, found, strict=True))
            wrong["side"] += any(
                not truth and one.better in (Side.FIRST, Side.SECOND) for truth, one in pairs
            )
            wrong["equal"] += any(truth >= 0.5 and one.better is Side.EQUAL for truth, one in pairs)
        assert wrong["side"] / trials <= 0.06, truths
        assert wrong["equal"] / trials <= 0.06, truths


def normal(draw: np.random.Generator, truth: float, error: float) -> Difference:
    """An estimate of a difference with half of the level, as a run or its settling has it."""
    delta = float(draw.normal(truth, error))
    found = Inference.of(delta, error, 1e9)
    return Difference(**vars(found), base=80.0, alternative=80.0 - delta, delta=delta, share=0.5)

"""Several looks at a difference: published boundaries, and simulations as the slow twin."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from learnability.errors import InputError
from learnability.statistics.boundaries import find_looks
from learnability.statistics.inference import ALPHA, EFFECT, ONE_LOOK
from learnability.statistics.sequential import Looks
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_DEGREES, SEED_RATIO, Spread, TrainingNoise

FIRST, MOST = 2, 10


def spread(sentence: float, residual: float, seed: float, tested: int = MOST, size: int = 100) -> Spread:
    """The variance of a difference of which one training per seed adds `residual` and `seed`, in its size."""
    return Spread(
        size=size,
        tested=tested,
        sentences=size * (sentence + residual / tested),
        sentence_degrees=size - 1,
        residual=size * residual,
        seed=seed,
        seed_degrees=50,
    )


def boundaries(information: list[float], level: float, shares: list[float]) -> list[float]:
    return [look.boundary for look in find_looks(information, level, shares)]


def test_boundaries_that_are_published() -> None:
    # Lan & DeMets' spending functions like O'Brien & Fleming's and Pocock's, five looks, two-sided 0.05
    # (Jennison & Turnbull 2000, ch. 7; the values of gsDesign)
    times = np.arange(1, 6) / 5
    like_obrien = 4 * (1 - norm.cdf(norm.ppf(1 - 0.05 / 4) / np.sqrt(times))) / 0.05
    assert boundaries(list(times), 0.05, list(like_obrien)) == pytest.approx(
        [4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4
    )
    like_pocock = np.log(1 + (np.e - 1) * times)
    assert boundaries(list(times), 0.05, list(like_pocock)) == pytest.approx(
        [2.4380, 2.4268, 2.4101, 2.3966, 2.3859], abs=2e-4
    )


def test_one_look_is_a_single_test() -> None:
    assert boundaries([3.0], 0.05, [1.0]) == pytest.approx([1.959964], abs=1e-5)
    alone = Looks(spread(1, 1, 1, tested=FIRST), FIRST, FIRST)
    assert alone.quantile(0.05) == pytest.approx(ONE_LOOK.quantile(0.05), abs=1e-6)
    assert alone.p_value(0.02) == pytest.approx(ONE_LOOK.p_value(0.02), rel=1e-4)


def paths(
    sentence: float, residual: float, trials: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Estimates after 1 to MOST seeds without any difference: float64[MOST, trials]."""
    of_sentences = generator.normal(size=trials) * sqrt(sentence)
    of_seeds = np.cumsum(generator.normal(size=(MOST, trials)), axis=0) * sqrt(residual)
    return np.asarray(of_sentences + of_seeds / np.arange(1, MOST + 1)[:, None])


@pytest.mark.parametrize(("sentence", "residual"), [(1.0, 1.0), (0.0, 1.0), (1.0, 0.1), (1.0, 6.0)])
def test_the_level_of_all_looks_together_by_simulation(sentence: float, residual: float) -> None:
    trials = 40_000
    estimates = paths(sentence, residual, trials, np.random.default_rng(7))
    crossed = np.zeros(trials, bool)
    for seeds in range(FIRST, MOST + 1):
        known = spread(sentence, residual, 0.0, tested=seeds)
        boundary = Looks(known, FIRST, MOST).boundary(ALPHA)
        crossed |= np.abs(estimates[seeds - 1]) > boundary * sqrt(known.variance())
    assert 0.9 * ALPHA - 0.003 < crossed.mean() < ALPHA + 0.003


def test_p_is_below_a_level_exactly_where_the_interval_at_it_excludes_0() -> None:
    looks = Looks(spread(1.0, 3.0, 0.5, tested=5), FIRST, MOST)
    for tail in (0.3, 0.02, 0.003, 1e-6):
        p = looks.p_value(tail)
        assert p >= 2 * tail
        if p < 1:
            assert looks.quantile(p) == pytest.approx(1 - tail, abs=1e-6)
    assert looks.p_value(0.5) == 1


def test_more_seeds_never_add_variance() -> None:
    """Also where the residual was estimated as larger than all variance of the sentences' means."""
    odd = Spread(
        size=100, tested=3, sentences=2.0, sentence_degrees=99, residual=9.0, seed=0.0, seed_degrees=26
    )
    variances = [odd.variance(seeds) for seeds in range(1, 11)]
    assert variances == sorted(variances, reverse=True)
    assert odd.variance(3) == odd.variance() == pytest.approx(0.02)
    assert Looks(odd, FIRST, MOST).boundary(ALPHA) > 1.9


def test_information_must_grow() -> None:
    with pytest.raises(InputError, match="ascending"):
        boundaries([2.0, 1.0], 0.05, [0.5, 1.0])


def test_a_single_sentence_has_no_information() -> None:
    nothing = Looks(Spread(1, 2, inf, 1.0, 0.0, 0.0, 7), FIRST, MOST)
    assert nothing.chance_of_answer(3.0, ALPHA) == 0
    assert nothing.quantile(0.05) == pytest.approx(0.975)


@pytest.mark.parametrize("delta", [0.0, 0.3, 0.8])
def test_the_chance_of_an_answer_by_simulation(delta: float) -> None:
    known = spread(0.02, 0.2, 0.05, tested=3)
    looks = Looks(known, FIRST, MOST)
    last = known.variance(MOST)
    change = np.random.default_rng(3).normal(size=200_000) * sqrt(known.variance() - last)
    half = looks.boundary(ALPHA / 4, MOST) * sqrt(last)
    equal_half = looks.boundary(ALPHA, MOST) * sqrt(last)
    final = np.abs(delta + change)
    expected = ((final > half) | (final < EFFECT - equal_half)).mean()
    assert looks.chance_of_answer(delta, ALPHA / 4) == pytest.approx(expected, abs=0.005)
    assert Looks(spread(1, 1, 1), FIRST, MOST).chance_of_answer(delta, ALPHA) == 0  # no look is left


class QuickLooks(Looks):
    """The same answers, without the p values that one look alone leaves above the level."""

    def p_value(self, tail: float) -> float:
        return 1.0 if 2 * tail > ALPHA else super().p_value(tail)


@pytest.mark.slow
def test_false_alarms_where_variances_are_estimated_too() -> None:
    """Ten folds, each with trainings of its own; nobody is better; it is looked at after every pass."""
    generator = np.random.default_rng(11)
    trials, folds, per_fold = 400, 10, 30
    fold = np.repeat(np.arange(folds), per_fold)
    tokens = np.full(folds * per_fold, 20)
    alarms = 0
    for _ in range(trials):
        sentence = generator.binomial(20, 0.8, size=(folds * per_fold))
        right = []
        for _side in "ab":
            effect = generator.normal(scale=0.004, size=(MOST, folds))[:, fold]
            share = np.clip(sentence / 20 + effect, 0, 1)
            right.append(generator.binomial(20, share))
        for passes in range(FIRST, MOST + 1):
            found = compare(
                right[0][:passes],
                right[1][:passes],
                tokens,
                folds=fold,
                testing=lambda s: QuickLooks(s, FIRST, MOST),
            )
            if found.p_value < ALPHA:
                alarms += 1
                break
    assert 0.02 <= alarms / trials <= 0.08  # 0.05, and three standard errors


def test_folds_have_trainings_of_their_own() -> None:
    """Where each fold has its own luck with a seed, the luck of all folds averages out."""
    generator = np.random.default_rng(5)
    fold = np.repeat(np.arange(10), 40)
    tokens = np.full(400, 20)
    luck = generator.normal(scale=3.0, size=(4, 10))[:, fold]
    difference = np.round(luck + generator.normal(scale=2.0, size=(4, 400)))
    apart = Spread.of(difference, tokens, folds=fold)
    z = 100 * (difference - difference.mean()) / 20
    by_fold = z.reshape(4, 10, 40).mean(axis=2)
    residual = (
        z.reshape(4, 10, 40) - z.reshape(4, 10, 40).mean(0) - by_fold[:, :, None] + by_fold.mean(0)[:, None]
    )
    variance = (residual**2).sum() / (3 * 390)
    excess = by_fold.var(axis=0, ddof=1).mean() / 10 - variance / 400
    assert apart.residual == pytest.approx(variance)
    assert apart.seed_degrees == SEED_DEGREES + 30
    assert apart.seed == pytest.approx(
        (SEED_DEGREES * SEED_RATIO * variance / 400 + 30 * excess) / (SEED_DEGREES + 30)
    )
    assert apart.variance(8) == pytest.approx(
        (apart.sentences - apart.residual / 4 + apart.residual / 8) / 400 + apart.seed / 8
    )
    assert Spread.of(difference, tokens).seed != pytest.approx(apart.seed, rel=0.01)


def test_training_noise_is_measured_in_other_annotations_too() -> None:
    generator = np.random.default_rng(6)
    fold, tokens = np.repeat(np.arange(5), 30), np.full(150, 20)
    known = TrainingNoise.known_elsewhere()
    degrees = known.degrees
    trainings = []
    for seeds in (2, 4):
        luck = generator.normal(scale=1.0, size=(seeds, 5))[:, fold]
        right = np.round(12 + luck + generator.normal(scale=2.0, size=(seeds, 150)))
        trainings.append(right)
    scale = 0.0
    between = 0.0
    for right in trainings:
        alone = Spread.of(right, tokens, folds=fold)
        own = 5 * (len(right) - 1)
        between += own * (alone.between - alone.residual / 150)
        scale += own * alone.residual / 150
        degrees += own
    together = known.after(trainings, tokens, fold)
    assert together.degrees == degrees == SEED_DEGREES + 5 + 15
    assert together.ratio == pytest.approx((SEED_DEGREES * SEED_RATIO + 20 * between / scale) / degrees)
    assert together.ratio > known.ratio  # 1 against 4 / 30: trainings differ far more than sentences tell
    # one training tells nothing of how they differ
    assert known.after([right[:1] for right in trainings], tokens, fold) == known
    first, second = trainings[1].astype(np.int64), trainings[1][::-1].astype(np.int64)
    alone_error = compare(first, second, tokens, folds=fold).error
    beside = compare(first, second, tokens, folds=fold, beside=trainings)
    assert beside.error > alone_error
    assert beside.delta == 0
    tested_together = known.after(trainings, tokens, None)
    assert (
        tested_together.degrees == SEED_DEGREES + 1 + 3
    )  # a degree of freedom for each training but the first


@pytest.mark.parametrize("true", [0.5, 1.5, 3.0, 5.0])
def test_conditional_estimates_are_too_large_in_at_most_half_of_the_named_cases(true: float) -> None:
    """Differences in standard errors of the last look, of which 7 to 100 % are named."""
    generator = np.random.default_rng(8)
    trials = 60_000
    estimates = true + paths(0.5, 5.0, trials, generator)
    named: list[float] = []
    conditional: list[float] = []
    crossed = np.zeros(trials, bool)
    for seeds in range(FIRST, MOST + 1):
        variance = spread(0.5, 5.0, 0.0, tested=seeds)
        looks = Looks(variance, FIRST, MOST)
        statistics = estimates[seeds - 1] / sqrt(variance.variance())
        boundary = looks.boundary(ALPHA)
        now = (np.abs(statistics) > boundary) & ~crossed
        crossed |= now
        # a straight line between the estimates at some statistics stands for that at each
        grid = boundary + np.concatenate([np.linspace(1e-9, 1, 60), np.linspace(1.1, 6, 20)])
        of_grid = [value * looks.conditional_ratio(value, ALPHA) for value in grid.tolist()]
        assert all(0 <= value <= statistic for value, statistic in zip(of_grid, grid, strict=True))
        named += estimates[seeds - 1][now].tolist()
        size = np.interp(np.abs(statistics[now]), grid, of_grid) * sqrt(variance.variance())
        conditional += (np.sign(statistics[now]) * size).tolist()
    too_large = np.mean(np.array(conditional) > true)
    # exactly half, but for late looks, whose estimates end at what was found
    assert (0.47 if true < 2 else 0.33) < too_large < 0.53
    assert np.mean(np.array(named) > true) > too_large + 0.1


def test_the_conditional_estimate_of_one_look_by_numerical_integration() -> None:
    boundary = norm.ppf(0.975)
    z = np.linspace(-12, 14, 200_001)
    beyond = np.abs(z) > boundary
    for statistic in (2.0, 2.5, 4.0):
        drift = statistic * ONE_LOOK.conditional_ratio(statistic, ALPHA)
        density = norm.pdf(z, loc=drift) * beyond
        assert density[z > statistic].sum() / density.sum() == pytest.approx(0.5, abs=1e-3)
    assert ONE_LOOK.conditional_ratio(9.0, ALPHA) == 1
    assert ONE_LOOK.conditional_ratio(1.5, ALPHA) == 1  # it is not clear

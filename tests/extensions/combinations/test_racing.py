"""Races: the test against a slow twin, what it drops by mistake, and the part that goes on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from support.clusters import waves_of_twin

from learnability.errors import InputError
from learnability.statistics.inference import ALPHA
from learnability.statistics.significance import compare
from learnability.statistics.text_variance import FEWEST_WAVES, SENTENCES_OF_WAVE
from learnability.studies.combinations.racing import Sampled, standings


def drawn(
    rng: np.random.Generator, rates: Sequence[float], samples: int = 3, sentences: int = 300
) -> list[Sampled]:
    """Competitors that have tokens right with these probabilities, tested on parts of the sentences. Those
    with an equal rate make the same mistakes in most places, as parsers do."""
    lengths = rng.integers(3, 25, sentences)
    tests = []
    for _ in range(samples):
        chosen = np.sort(rng.permutation(sentences)[: sentences * 3 // 4])
        tokens = lengths[chosen]
        shape = len(rates), int(tokens.sum())
        alike = np.repeat(rng.random((len(rates), len(tokens))) < 0.5, tokens, axis=1)
        correct = np.where(alike, rng.random(shape[1]), rng.random(shape)) < np.array(rates)[:, None]
        right = np.add.reduceat(correct.astype(int), np.cumsum(tokens) - tokens, axis=1)
        tests.append(Sampled(chosen, tokens, right))
    return tests


def difference_of_twin(samples: Sequence[Sampled], one: int, other: int) -> tuple[float, float, float]:
    """The points by which one is ahead of another, the standard error and the degrees of freedom, from the
    definition, number by number."""
    contributions: dict[int, float] = {}
    tokens: dict[int, int] = {}
    delta, of_samples = 0.0, 0.0
    for own in samples:
        total = sum(own.tokens.tolist())
        d = [int(a) - int(b) for a, b in zip(own.right[one], own.right[other], strict=True)]
        delta_k = 100 * sum(d) / total
        delta += delta_k / len(samples)
        z = [100 * (n - delta_k / 100 * t) / total for n, t in zip(d, own.tokens.tolist(), strict=True)]
        for sentence, value in zip(own.sentences.tolist(), z, strict=True):
            contributions[sentence] = contributions.get(sentence, 0.0) + value / len(samples)
        tokens |= dict(zip(own.sentences.tolist(), own.tokens.tolist(), strict=True))
        of_delta = len(z) / (len(z) - 1) * sum(value**2 for value in z)
        of_samples += (own.spread - 1) * of_delta / len(samples) ** 2
    order = sorted(contributions)
    sizes = [tokens[number] for number in order]
    waves = waves_of_twin(sizes, max(FEWEST_WAVES, (order[-1] + 1) // SENTENCES_OF_WAVE))
    sums = [sum(height * contributions[i] for height, i in zip(wave, order, strict=True)) for wave in waves]
    of_text = sum(value**2 for value in sums) / len(sums)
    covariances = [
        sum(a * b * size for a, b, size in zip(wave, other, sizes, strict=True)) / sum(sizes)
        for wave in waves
        for other in waves
    ]
    of_waves = len(waves) ** 2 / sum(value**2 for value in covariances)
    variance = of_text + of_samples
    degrees = of_waves
    if variance:
        deviation = of_text / math.sqrt(of_waves) + of_samples / math.sqrt(len(order) - 1)
        degrees = (variance / deviation) ** 2
    one_head = 100 / sum(sum(own.tokens.tolist()) for own in samples)
    return delta, max(math.sqrt(variance), one_head), degrees


@pytest.mark.parametrize("spread", [1.0, 1.75])
def test_standings_are_those_of_the_slow_twin(spread: float) -> None:
    rng = np.random.default_rng(1)
    samples = [Sampled(t.sentences, t.tokens, t.right, spread) for t in drawn(rng, (0.6, 0.65, 0.5, 0.64))]
    found = standings(samples, rounds=5)
    scores = [
        sum(100 * sum(own.right[i].tolist()) / sum(own.tokens.tolist()) for own in samples) / len(samples)
        for i in range(4)
    ]
    leader = max(range(4), key=lambda i: scores[i])
    for i, own in enumerate(found):
        assert own.score == pytest.approx(scores[i])
        delta, error, degrees = difference_of_twin(samples, leader, i)
        assert (own.behind, own.error) == (pytest.approx(delta, abs=1e-9), pytest.approx(error))
        p = min(1.0, 5 * 3 * float(stats.t.sf(delta / error, degrees))) if i != leader else 1.0
        assert own.p_value == pytest.approx(p)
        assert own.verdict == ("worse" if p < ALPHA else "kept")
    assert {own.verdict for own in found} == {"worse", "kept"}


def test_one_sample_is_tested_as_a_run_tests_one_seed() -> None:
    (own,) = drawn(np.random.default_rng(2), (0.6, 0.63), samples=1)
    ahead, behind = (0, 1) if own.right[0].sum() > own.right[1].sum() else (1, 0)
    own = Sampled(np.arange(len(own.tokens)), own.tokens, own.right)
    known = compare(own.right[ahead], own.right[behind], own.tokens, seed_ratio=0)
    found = standings([own])[behind]
    assert (found.behind, found.error) == (pytest.approx(known.delta), pytest.approx(known.error, rel=0.01))
    assert found.p_value == pytest.approx(known.p_value / 2, rel=0.05)  # one side


def test_of_equal_scores_the_first_is_ahead_and_nobody_is_dropped() -> None:
    (own,) = drawn(np.random.default_rng(3), (0.6,), samples=1)
    copies = Sampled(own.sentences, own.tokens, np.repeat(own.right, 3, axis=0))
    found = standings([copies], part=0.5)
    assert [one.verdict for one in found] == ["kept", "kept", "beyond the part"]
    assert [one.behind for one in found] == [0, 0, 0]


def test_all_who_began_count() -> None:
    samples = drawn(np.random.default_rng(7), [0.6, 0.55, 0.5], 2)
    left = standings(samples, rounds=1)
    began = standings(samples, rounds=1, others=20)
    for one, other in zip(left, began, strict=True):
        if one.p_value < 1:
            assert other.p_value == pytest.approx(min(1.0, one.p_value / 2 * 20))
    assert sum(one.p_value < 0.05 for one in left) > 0


@pytest.mark.parametrize(("part", "fewest", "left"), [(0.5, 1, 3), (0.5, 4, 4), (1.0, 1, 5), (0.1, 1, 1)])
def test_the_best_part_goes_on(part: float, fewest: int, left: int) -> None:
    samples = drawn(np.random.default_rng(3), (0.6,) * 5)
    found = standings(samples, part=part, fewest=fewest)
    assert "worse" not in {one.verdict for one in found}
    kept = [one.score for one in found if one.verdict == "kept"]
    assert len(kept) == left
    assert min(kept) >= max([one.score for one in found if one.verdict != "kept"], default=0)


def test_sentences_tested_again_are_not_new_evidence() -> None:
    """The same test three times has the error of one test; of three apart it has that of a third of it."""
    samples = drawn(np.random.default_rng(5), (0.6, 0.5), sentences=3000)
    once, again = (max(s.error for s in standings(tests)) for tests in (samples[:1], samples[:1] * 3))
    assert again == pytest.approx(once)
    apart = [Sampled(t.sentences + 3000 * i, t.tokens, t.right) for i, t in enumerate(samples)]
    new = max(s.error for s in standings(apart))
    assert new == pytest.approx(once / math.sqrt(3), rel=0.25)


@pytest.mark.parametrize(
    "samples", [[], [Sampled(np.zeros(0, int), np.zeros(0, int), np.zeros((2, 0), int))]]
)
def test_nothing_to_compare_is_refused(samples: list[Sampled]) -> None:
    with pytest.raises(InputError, match="no competitor, or no token to compare"):
        standings(samples)


TIMES = 400


def test_how_often_the_best_is_dropped_by_the_test() -> None:
    """Of 20 that are all as good every one is a best one: it is dropped in at most 5 % of the races, and some
    are: the test is not idle."""
    rng = np.random.default_rng(6)
    dropped = some = 0
    for _ in range(TIMES):
        verdicts = [one.verdict for one in standings(drawn(rng, (0.6,) * 20))]
        dropped += verdicts[7] == "worse"  # any given one is "the true best"
        some += "worse" in verdicts
    assert dropped <= stats.binom.ppf(0.999, TIMES, ALPHA)
    assert some > 0


def test_neighbours_that_err_alike_do_not_drop_the_best() -> None:
    """Of six that are all as good; sentences of a document of 30 share a quarter of the variance."""
    rng = np.random.default_rng(8)
    document = np.arange(600) // 30
    dropped = 0
    for _ in range(TIMES):
        shared = np.sqrt(0.25) * rng.standard_normal((6, 600))[:, document]
        effects = 4 * (shared + np.sqrt(0.75) * rng.standard_normal((6, 600)))
        right = 20 + np.clip(np.rint(effects), -20, 20).astype(int)
        dropped += standings([Sampled(np.arange(600), np.full(600, 40), right)])[3].verdict == "worse"
    assert dropped <= stats.binom.ppf(0.999, TIMES, ALPHA)


def test_how_often_one_that_is_worse_is_dropped() -> None:
    """The test is of use: ten points behind on 45 sentences is seen nearly always."""
    rng = np.random.default_rng(7)
    seen = [standings(drawn(rng, (0.65, *(0.55,) * 5)))[1:] for _ in range(50)]
    assert np.mean([one.verdict == "worse" for own in seen for one in own]) > 0.9

"""Races: the test against a slow twin, what it drops by mistake, and the part that goes on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from learnability.errors import InputError
from learnability.extensions.combinations.racing import Sampled, standings
from learnability.statistics.significance import ALPHA, compare


def drawn(
    rng: np.random.Generator, rates: Sequence[float], samples: int = 3, sentences: int = 60
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


def difference_of_twin(samples: Sequence[Sampled], one: int, other: int) -> tuple[float, float, int]:
    """The points by which one is ahead of another, the standard error and the degrees of freedom, from the
    definition, number by number."""
    contributions: dict[int, float] = {}
    delta, of_samples = 0.0, 0.0
    for own in samples:
        total = sum(own.tokens.tolist())
        d = [int(a) - int(b) for a, b in zip(own.right[one], own.right[other], strict=True)]
        delta_k = 100 * sum(d) / total
        delta += delta_k / len(samples)
        z = [100 * (n - delta_k / 100 * t) / total for n, t in zip(d, own.tokens.tolist(), strict=True)]
        for sentence, value in zip(own.sentences.tolist(), z, strict=True):
            contributions[sentence] = contributions.get(sentence, 0.0) + value / len(samples)
        of_delta = len(z) / (len(z) - 1) * sum(value**2 for value in z)
        of_samples += (own.spread - 1) * of_delta / len(samples) ** 2
    n = len(contributions)
    variance = n / (n - 1) * sum(value**2 for value in contributions.values()) + of_samples
    one_head = 100 / sum(sum(own.tokens.tolist()) for own in samples)
    return delta, max(math.sqrt(variance), one_head), n - 1


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
    known = compare(
        own.right[ahead], own.right[behind], own.tokens, seed_ratio=0, documents=range(len(own.tokens))
    )
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
    samples = drawn(np.random.default_rng(4), (0.6,) * 5)
    found = standings(samples, part=part, fewest=fewest)
    assert "worse" not in {one.verdict for one in found}
    kept = [one.score for one in found if one.verdict == "kept"]
    assert len(kept) == left
    assert min(kept) >= max([one.score for one in found if one.verdict != "kept"], default=0)


def test_sentences_tested_again_are_not_new_evidence() -> None:
    """The same test three times has the error of one test; of three apart it has that of a third of it."""
    (own,) = drawn(np.random.default_rng(5), (0.6, 0.5), samples=1)
    apart = [Sampled(own.sentences + 1000 * i, own.tokens, own.right) for i in range(3)]
    once, again, new = (max(s.error for s in standings(tests)) for tests in ([own], [own] * 3, apart))
    assert again == pytest.approx(once)
    assert new == pytest.approx(once / math.sqrt(3), rel=0.05)


@pytest.mark.parametrize(
    "samples", [[], [Sampled(np.zeros(0, int), np.zeros(0, int), np.zeros((2, 0), int))]]
)
def test_nothing_to_compare_is_refused(samples: list[Sampled]) -> None:
    with pytest.raises(InputError, match="no competitor, or no token to compare"):
        standings(samples)


TIMES = 400


def test_how_often_the_best_is_dropped_by_the_test() -> None:
    """Of 20 that are all as good every one is a best one: some is dropped in at most 5 % of the races (and
    more than never: the test is not idle)."""
    rng = np.random.default_rng(6)
    dropped = 0
    for _ in range(TIMES):
        samples = drawn(rng, (0.6,) * 20)
        # any given one is "the true best"
        dropped += standings(samples)[7].verdict == "worse"
    assert 0 < dropped <= stats.binom.ppf(0.999, TIMES, ALPHA)


def test_how_often_one_that_is_worse_is_dropped() -> None:
    """The test is of use: ten points behind on 45 sentences is seen nearly always."""
    rng = np.random.default_rng(7)
    seen = [standings(drawn(rng, (0.65, *(0.55,) * 5)))[1:] for _ in range(50)]
    assert np.mean([one.verdict == "worse" for own in seen for one in own]) > 0.9

"""How much a text varies, by what other treebanks and constructions say, too: by loops and by draws."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.clusters import text_variance_of_twin

from learnability.statistics.significance import compare
from learnability.statistics.text_variance import (
    ALIKE,
    PRIOR_OF_FOLDS,
    PRIOR_OF_TEST_SET,
    TextNoise,
    TextPrior,
    TextVariance,
)

PRIOR = TextPrior(ratio=1.5, treebank_degrees=30.0, construction_degrees=20.0)


def moderated_by_twin(values: list[list[float]], sizes: list[int], prior: TextPrior) -> tuple[float, float]:
    """The moderated variance of the first of several differences, and its degrees, by loops."""
    ratios, degrees = [], []
    for of_difference in values:
        variance, freedom = text_variance_of_twin(of_difference, sizes)
        mean = sum(of_difference) / sum(sizes)
        squares = [
            (100 * (v - mean * t) / sum(sizes)) ** 2 for v, t in zip(of_difference, sizes, strict=True)
        ]
        independent = sum(squares) * len(sizes) / (len(sizes) - 1)
        if of_difference is values[0]:
            own = independent
            mean_square = sum(squares) / len(squares)
            scatter = sum((square - mean_square) ** 2 for square in squares)
            own_degrees = min(2 * sum(squares) ** 2 / scatter if scatter else inf, len(sizes) - 1)
        ratios.append(variance / independent)
        degrees.append(freedom)
    of_treebank, weighted = prior.treebank_degrees, prior.treebank_degrees * prior.ratio
    others = len(values) - 1
    for ratio, freedom in zip(ratios[1:], degrees[1:], strict=True):
        counts = 1 / (1 / freedom + 1 / prior.construction_degrees) / (1 + (others - 1) * ALIKE)
        of_treebank += counts
        weighted += counts * ratio
    known = 1 / (1 / of_treebank + 1 / prior.construction_degrees)
    together = known + degrees[0]
    borrowed, measured = known * weighted / of_treebank / together, degrees[0] * ratios[0] / together
    ratio = borrowed + measured
    return ratio * own, 1 / (1 / together + (borrowed / ratio) ** 2 / own_degrees)


@given(some.integers(8, 60), some.integers(1, 4), some.integers(0, 2**32 - 1))
def test_moderated_variances_are_those_of_the_twin(sentences: int, differences: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    sizes = chance.integers(1, 30, sentences)
    values = chance.normal(0, 1, (differences, sentences)) * sizes
    nowhere = np.zeros(sentences, np.int64)
    own, *others = (TextVariance.of(100.0 * each, sizes, nowhere) for each in values)
    found = TextNoise.after(others, PRIOR).moderate(own)
    twin = moderated_by_twin(values.tolist(), sizes.tolist(), PRIOR)
    assert (found.variance, found.degrees) == pytest.approx(twin)


def test_what_nothing_is_known_of_stays_as_it_is() -> None:
    one_sentence = TextVariance.of(np.array([1.0, 0.0]), np.array([3, 0]), np.zeros(2, np.int64))
    assert one_sentence.variance == inf
    assert TextNoise.after([one_sentence]).moderate(one_sentence) == one_sentence
    no_difference = TextVariance.of(np.zeros(9), np.full(9, 4), np.zeros(9, np.int64))
    assert TextNoise.after([]).moderate(no_difference) == no_difference


def test_a_few_sentences_with_all_of_the_difference_tell_it_less_surely() -> None:
    sizes, nowhere = np.full(400, 20), np.zeros(400, np.int64)
    everywhere = np.where(np.arange(400) % 2, 1.0, -1.0)
    in_four = np.where(np.arange(400) % 100 == 50, everywhere.cumsum() + 5, 0.0)
    sure, unsure = (
        TextNoise.after([]).moderate(TextVariance.of(values, sizes, nowhere))
        for values in (everywhere, in_four)
    )
    assert unsure.degrees < sure.degrees / 2


@pytest.mark.parametrize(("prior", "folds"), [(PRIOR_OF_TEST_SET, False), (PRIOR_OF_FOLDS, True)])
def test_a_treebank_that_is_really_dependent_is_not_drowned(prior: TextPrior, folds: bool) -> None:
    """Where sentences come in documents that share much, several constructions say so together."""
    chance = np.random.default_rng(7)
    sizes, nowhere = np.full(1000, 20), np.zeros(1000, np.int64)
    of_document = np.arange(1000) // 30
    shared = [chance.normal(0, 1, 34)[of_document] for _ in range(7)]
    drawn = [4 * (part * 0.1**0.5 + chance.normal(0, 0.9**0.5, 1000)) for part in shared]
    fold = np.arange(1000) // 200 if folds else np.zeros(1000, np.int64)
    found = [TextVariance.of(each, sizes, nowhere, fold) for each in drawn]
    measured = np.mean([each.ratio for each in found])
    assert measured > prior.ratio + 1
    moderated = [
        TextNoise.after([other for other in found if other is not own], prior).moderate(own).ratio
        for own in found
    ]
    assert np.mean(moderated) > prior.ratio + 0.6 * (measured - prior.ratio)


def test_moderated_intervals_are_narrower_where_sentences_are_few() -> None:
    chance = np.random.default_rng(3)
    tokens = np.full(200, 20)
    ud = chance.binomial(20, 0.8, (3, 200))
    others = [chance.binomial(20, 0.8, (3, 200)) for _ in range(6)]
    plain, moderated = (
        [compare(ud, other, tokens, beside=others, moderated=each) for other in others]
        for each in (False, True)
    )
    assert np.mean([each.degrees for each in plain]) < 12
    assert np.mean([each.degrees for each in moderated]) > 20

"""Learning curves: samples, areas, crossings by hand; a whole curve on the bundled treebank."""

from __future__ import annotations

import json

import pytest

from learnability.errors import InputError
from learnability.experiments.data import prepare
from learnability.experiments.learning_curve import area, learning_curve, nested_samples, reaches
from learnability.experiments.plan import DataOptions
from learnability.experiments.scheme_training import train_scheme
from learnability.parsing.parser import ParserOptions
from learnability.transforms import get_transformation
from learnability.treebanks import locate_treebank

OPTIONS = ParserOptions(iterations=2)


@pytest.fixture(scope="module")
def demo():
    return prepare(locate_treebank("demo"), DataOptions(), 0, "arc-eager", "lift", "gold")


def test_samples_are_nested_and_near_their_share() -> None:
    lengths = [3, 9, 1, 4, 7, 2, 8, 5, 6, 5]
    samples = nested_samples(lengths, (1 / 4, 1 / 2, 1.0), seed=5)
    tokens = [sum(lengths[i] for i in sample) for sample in samples]
    assert set(samples[0]) < set(samples[1]) < set(samples[2]) == set(range(10))
    assert abs(tokens[0] - 12.5) <= 4.5
    assert abs(tokens[1] - 25) <= 4.5
    assert samples == nested_samples(lengths, (1 / 4, 1 / 2, 1.0), seed=5)
    assert samples != nested_samples(lengths, (1 / 4, 1 / 2, 1.0), seed=6)
    assert nested_samples([100, 100], (1 / 16,), seed=1)[0] in ((0,), (1,))


def test_area_is_the_mean_height_over_the_logarithm() -> None:
    assert area([100, 200, 400], [60, 70, 80]) == pytest.approx(70)
    # a long flat step counts more than a short steep one
    assert area([100, 200, 1600], [50, 70, 70]) == pytest.approx((60 + 3 * 70) / 4)
    assert area([100], [42]) == 42


def test_reaching_a_score() -> None:
    tokens, scores = [100, 200, 400], [60.0, 70.0, 74.0]
    assert reaches(tokens, scores, 70) == pytest.approx(200)
    assert reaches(tokens, scores, 65) == pytest.approx(100 * 2**0.5)
    assert reaches(tokens, scores, 72) == pytest.approx(200 * 2**0.5)
    assert reaches(tokens, scores, 50) == 100
    assert reaches(tokens, scores, 75) is None
    assert reaches(tokens, [60.0, 59.0, 74.0], 60.5) == pytest.approx(2 ** (7.643856 + 1.5 / 15), rel=1e-4)


def test_curve_of_the_demo(demo) -> None:
    rule = get_transformation("case", demo.treebank.conventions)
    found = learning_curve(demo, "case", rule, OPTIONS, seeds=2, shares=(1 / 8, 1.0))
    assert found.tokens[1] == sum(map(len, demo.train_ready))
    assert found.tokens[0] == pytest.approx(found.tokens[1] / 8, rel=0.05)
    for curve, scheme in ((found.original, None), (found.transformed, rule)):
        assert curve.uas[1] == tuple(train_scheme(demo, scheme, OPTIONS, seed).uas for seed in (1, 2))
        assert curve.means[0] < curve.means[1]
        assert curve.area == pytest.approx(sum(curve.means) / 2)
    reached = [found.original.tokens_to_reach_other, found.transformed.tokens_to_reach_other]
    assert sum(tokens is None for tokens in reached) <= 1
    written = json.loads(json.dumps(found.as_json()))
    assert written["original"]["means"] == list(found.original.means)
    assert written["area_delta"] == found.original.area - found.transformed.area


def test_wrong_shares_are_refused(demo) -> None:
    rule = get_transformation("case", demo.treebank.conventions)
    for shares in ((), (0.5,), (1.0, 0.5), (0.0, 1.0)):
        with pytest.raises(InputError, match="ascending"):
            learning_curve(demo, "case", rule, OPTIONS, shares=shares)
    with pytest.raises(InputError, match="at least 1"):
        learning_curve(demo, "case", rule, OPTIONS, seeds=0)

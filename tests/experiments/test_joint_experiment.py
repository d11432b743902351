"""The joint training as an experiment: what it reports, and the check of its advice."""

from __future__ import annotations

import json

import pytest

from learnability.experiments.data import prepare
from learnability.experiments.joint import run_joint
from learnability.experiments.plan import DataOptions
from learnability.experiments.scheme_training import train_scheme
from learnability.parsing.parser import ParserOptions
from learnability.transforms import JointTransformation, get_transformation
from learnability.treebanks import locate_treebank

NAMES = ("case", "det", "cc")


@pytest.fixture(scope="module")
def demo():
    return prepare(locate_treebank("demo"), DataOptions(), 0, "arc-eager", "lift", "gold")


@pytest.fixture(scope="module")
def report(demo):
    parts = [get_transformation(name, demo.treebank.conventions) for name in NAMES]
    return run_joint(demo, parts, ParserOptions(), seeds=2, verify=5)


def test_report(demo, report) -> None:
    assert report.transforms == NAMES
    assert report.sentences == len(demo.train_ready)
    rules = {name: get_transformation(name, demo.treebank.conventions) for name in NAMES}
    for entry in report.survival.survival:
        assert entry.sites == sum(len(rules[entry.transform].sites(tree)) for tree in demo.train_ready)
        assert 0 <= entry.transformed_share <= 1
    ud = [train_scheme(demo, None, ParserOptions(), seed) for seed in (1, 2)]
    assert report.iterations == tuple(one.iterations for one in ud)
    assert report.uas_ud == pytest.approx(sum(one.uas for one in ud) / 2)
    assert (report.factors_cut, len(report.survival.schemes)) == (0, 8)


def test_verification_ranks_by_own_reference_uas(demo, report) -> None:
    by_name = {scheme.transforms: scheme for scheme in report.verified}
    assert {(), ("case",), ("det",), ("cc",)} <= by_name.keys()
    assert {s.transforms for s in report.survival.schemes[:5]} <= by_name.keys()
    assert by_name[report.survival.advised.transforms].why == "advised"
    rules = [get_transformation(name, demo.treebank.conventions) for name in NAMES]
    for transforms, scheme in by_name.items():
        rule = JointTransformation([r for r in rules if r.name in transforms]) if transforms else None
        scores = [train_scheme(demo, rule, ParserOptions(), seed) for seed in (1, 2)]
        assert scheme.uas == pytest.approx(sum(one.uas for one in scores) / 2)
        assert (scheme.nucleus_uas is None) == ("cc" in transforms)
        assert scheme.rank == 1 + sum(other.uas > scheme.uas for other in report.verified)
    assert [s.uas for s in report.verified] == sorted((s.uas for s in report.verified), reverse=True)


def test_json_is_deterministic_and_without_times(demo, report) -> None:
    parts = [get_transformation(name, demo.treebank.conventions) for name in NAMES]
    again = run_joint(demo, parts, ParserOptions(), seeds=2, verify=5)
    text = json.dumps(report.as_json(), indent=1)
    assert text == json.dumps(again.as_json(), indent=1)
    assert "seconds" not in text
    assert json.loads(text)["advised"]["transforms"] == list(report.survival.advised.transforms)

"""What survived a joint training: shares, interactions and agreements, recounted place by place."""

from __future__ import annotations

import itertools
import random
from statistics import fmean

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from reference_trees import transformation
from trees import random_tree

from learnability.multiref.arrays import encode_references
from learnability.multiref.references import ReferenceSet, reference_set
from learnability.parsing.encoding import encode_tokens
from learnability.studies.combinations.joint_preferences import (
    JointSurvival,
    SchemeAgreement,
    Survivors,
    joint_survival,
    mean_survival,
    survivors,
)
from learnability.treebanks.sentence import Tree

SPEC = "case+cop+cc+det+mark+mwe+name"


def hand_made() -> Survivors:
    """Two sentences; factors: case 1, det 1; case 0; and case 1, det 0, det 1; det 0."""
    none, case, det, both = (frozenset(names.split()) for names in ("", "case", "det", "case det"))
    return Survivors(
        names=("case", "det"),
        transform=np.array(["case", "det", "case", "case", "det", "det", "det"]),
        factor=np.array([0, 0, 1, 2, 2, 2, 3]),
        sentence=np.array([0, 0, 0, 1, 1, 1, 1]),
        transformed=np.array([1.0, 1, 0, 1, 0, 1, 0]),
        # of 8 tokens: 5 where both occur, by scheme (UD, case, det, both), and 3 where only case or det does
        equal_heads={
            (both, none): 3,
            (both, case): 2,
            (both, det): 4,
            (both, both): 1,
            (case, none): 1,
            (case, case): 0,
            (det, none): 2,
            (det, det): 0,
        },
        tokens=8,
    )


def test_shares_and_agreements_by_hand() -> None:
    found = joint_survival(hand_made())
    assert [(s.transform, s.places, s.alternative_share, s.share_sd) for s in found.survival] == [
        ("case", 3, 2 / 3, None),
        ("det", 4, 0.5, None),
    ]
    # UD: factors 1 and 3 agree wholly, and the places 0, 0, 0
    # case: factor 3; places of case 1, 1 and of det 0, 0
    assert {s.transforms: (s.factor_agreement, s.place_agreement) for s in found.schemes} == {
        (): (0.5, 3 / 7 + 0 / 7),
        ("case",): (0.25, 4 / 7),
        ("det",): (0.25, 3 / 7),
        ("case", "det"): (0.25, 4 / 7),
    }
    assert found.advised == SchemeAgreement((), 0.5, 3 / 7, 6 / 8)
    heads = {s.transforms: s.head_agreement for s in found.schemes}
    assert heads == {(): 6 / 8, ("case",): 4 / 8, ("det",): 5 / 8, ("case", "det"): 1 / 8}
    assert [s.transforms for s in found.schemes] == [(), ("det",), ("case",), ("case", "det")]


def test_interactions_by_hand() -> None:
    found = {(i.of, i.given, i.within): i for i in joint_survival(hand_made()).interactions}
    assert len(found) == 4
    case = found["case", "det", "factor"]  # factor 2 is a tie of det, factor 1 has none
    assert (case.places_transformed, case.share_transformed) == (1, 1.0)
    assert (case.places_original, case.share_original, case.difference) == (0, None, None)
    case = found["case", "det", "sentence"]  # sentence 0: det transformed; sentence 1: one of three
    assert (case.places_transformed, case.share_transformed) == (2, 0.5)
    assert (case.places_original, case.share_original, case.difference) == (1, 1.0, -0.5)
    det = found["det", "case", "sentence"]  # sentence 0: case is tied
    assert (det.places_transformed, det.share_transformed, det.places_original) == (3, 1 / 3, 0)


def test_everything_recounted_place_by_place() -> None:
    rule = transformation(SPEC)
    drawn = [tree for tree in (random_tree(seed, 10) for seed in range(100)) if rule.places(tree)]
    pairs = [(tree, reference_set(tree, rule, max_options=32)) for tree in drawn]
    pairs = [(tree, own) for tree, own in pairs if not any(factor.cut for factor in own.factors)][-30:]
    assert any(len(factor.parts) > 1 for _, own in pairs for factor in own.factors)
    trees, sets = [tree for tree, _ in pairs], [own for _, own in pairs]
    _, table = encode_references(encode_tokens(trees), sets)
    draw = random.Random(2)
    states = [np.array([float(draw.random() < 0.4) for _ in table.transform]) for _ in range(3)]
    each = [joint_survival(survivors(sets, SPEC.split("+"), state)) for state in states]
    found = mean_survival(each)
    assert found.seeds == 3
    assert found == mean_survival([_through_json(one) for one in each])
    # every place with its state, in the nested order of sentences and factors
    flat = iter(range(len(table.transform)))
    nested = [[[(place.transform, next(flat)) for place in f.places] for f in s.factors] for s in sets]
    for entry in found.survival:
        own = [i for s in nested for f in s for name, i in f if name == entry.transform]
        shares = [fmean(state[i] for i in own) for state in states]
        assert entry.places == len(own)
        assert entry.alternative_share == pytest.approx(fmean(shares))
        assert entry.share_sd == pytest.approx(np.std(shares, ddof=1))
    for scheme in found.schemes:
        factors, places = [], []
        for state, s in itertools.product(states, nested):
            for f in s:
                agree = [state[i] == (name in scheme.transforms) for name, i in f]
                factors.append(all(agree))
                places += agree
        assert scheme.factor_agreement == pytest.approx(fmean(factors))
        assert scheme.place_agreement == pytest.approx(fmean(places))
        assert scheme.head_agreement == pytest.approx(_head_agreement(trees, sets, states, scheme.transforms))
    assert len(found.schemes) == 2 ** len(found.survival)
    for entry in found.interactions:
        units = [f for s in nested for f in s]
        if entry.within == "sentence":
            units = [[place for f in s for place in f] for s in nested]
        after: dict[bool, list[float]] = {True: [], False: []}
        for state, unit in itertools.product(states, units):
            given = [state[i] for name, i in unit if name == entry.given]
            if given and sum(given) * 2 != len(given):
                after[sum(given) * 2 > len(given)] += [state[i] for name, i in unit if name == entry.of]
        assert entry.places_transformed == pytest.approx(len(after[True]) / 3)
        assert entry.places_original == pytest.approx(len(after[False]) / 3)
        if after[True] and after[False]:
            assert entry.difference == pytest.approx(fmean(after[True]) - fmean(after[False]))


def _head_agreement(
    trees: list[Tree],
    sets: list[ReferenceSet],
    states: list[NDArray[np.float64]],
    transforms: tuple[str, ...],
) -> float:
    """Whole trees compared, at the tokens of their factors."""
    rule = transformation(SPEC)
    equal, flat = [], itertools.chain(*states)
    for _ in states:
        for tree, references in zip(trees, sets, strict=True):
            kept = [place.token for factor in references.factors for place in factor.places if next(flat)]
            plan = rule.plan(tree)
            wanted = [place.token for place in plan.places if place.transform in transforms]
            survived, own = plan.heads(sorted(kept)), plan.heads(wanted)
            equal += [survived[t - 1] == own[t - 1] for factor in references.factors for t in factor.tokens]
    return fmean(equal)


def _through_json(found: JointSurvival) -> JointSurvival:
    return msgspec.json.decode(msgspec.json.encode(found), type=JointSurvival)


def test_the_mean_of_one_training_is_that_training() -> None:
    found = joint_survival(hand_made())
    assert mean_survival([found]) == found


def test_equal_agreement_in_heads_is_decided_by_factors_and_then_by_size() -> None:
    schemes = (
        SchemeAgreement(("case", "det"), 0.4, 0.9, 0.7),
        SchemeAgreement(("case",), 0.4, 0.1, 0.7),
        SchemeAgreement((), 0.5, 0.1, 0.7),
        SchemeAgreement(("det",), 0.1, 0.1, 0.8),
    )
    found = mean_survival([JointSurvival(1, (), (), schemes)])
    assert [scheme.transforms for scheme in found.schemes] == [("det",), (), ("case",), ("case", "det")]
    assert found.advised.transforms == ("det",)


def test_rounding_errors_of_the_mean_break_no_tie() -> None:
    # one seed keeps the single place of `mark` as in UD, the other transforms it: the means are equal
    cop, both = (("cop",), ("cop", "mark"))
    seeds = [
        (SchemeAgreement(cop, a / 1174, 0.5, a / 1174), SchemeAgreement(both, b / 1174, 0.5, b / 1174))
        for a, b in ((701, 702), (703, 702))
    ]
    heads = [sum(x) / 2 for x in zip(*([s.head_agreement for s in seed] for seed in seeds), strict=True)]
    assert heads[1] > heads[0]
    found = mean_survival([JointSurvival(1, (), (), schemes) for schemes in seeds])
    assert found.advised.transforms == cop


def test_no_places_advise_ud() -> None:
    found = joint_survival(survivors([], ("case",), np.zeros(0)))
    assert mean_survival([found]) == found
    assert mean_survival([found, found]).advised == found.advised
    assert found.survival == found.interactions == ()
    assert found.advised.transforms == ()

"""What a search chooses between, against enumerations that are obviously right."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from typing import Any

import pytest

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST
from learnability.studies.combinations.space import Choice, LeftOut, Space, SpaceCell, check_places
from learnability.transforms.registry import TRANSFORMATIONS, every_variant
from learnability.treebanks.locate import TreebankFiles

OPTIONS = ExperimentOptions.spell_annotations(every_variant())


@pytest.fixture
def fold(small_files: TreebankFiles) -> Fold:
    return fold_of(small_files, OPTIONS, 0)


def space(*specs: str) -> Space:
    """A space of these variants with 100 places each."""
    return Space(tuple(Choice(spec, 100) for spec in specs), ())


def space_of(fold: Fold) -> Space:
    return SpaceCell(treebank="UD_Small").compute(fold)


def specs_of(annotation: Annotation) -> list[str]:
    return [rule.spec for rule in annotation.rules]


@pytest.mark.parametrize(
    "specs",
    [
        ("case",),
        ("case", "det", "mark"),
        ("case", "cop", "cop:reattach=clause", "cc", "cc:head=first", "cc:style=moscow"),
        ("name", "case:lemma=in", "case:lemma=of", "det"),
    ],
)
def test_candidates_are_all_sets_without_two_variants_of_one_transformation(specs: tuple[str, ...]) -> None:
    sets = chain.from_iterable(combinations(specs, n) for n in range(len(specs) + 1))
    wanted = {frozenset(own) for own in sets if len({s.partition(":")[0] for s in own}) == len(own)}
    found = space(*specs).candidates
    assert {frozenset(specs_of(one)) for one in found} == wanted
    assert len(found) == len(set(found)) == len(wanted)
    assert found[0].is_ud
    assert [one.spelling for one in found[1 : len(specs) + 1]] == list(specs)
    assert all(one == annotation_spelled(one.spelling) for one in found[1:])


def test_every_variant_has_each_value_of_each_option_once() -> None:
    variants = every_variant()
    assert len(variants) == len(set(variants)) == 14
    assert variants[:4] == ("case", "case:reattach=sud", "cop", "cop:reattach=clause")
    for name in ("case", "cop", "cc", "det", "mark", "mwe", "name"):
        own = [annotation_spelled(spec).rules[0] for spec in variants if spec.partition(":")[0] == name]
        for option, values in TRANSFORMATIONS[name].options.items():
            counts = Counter(rule.option[option] for rule in own)
            assert counts == dict.fromkeys(values, len(own) // len(values))


def test_choices_have_enough_places_and_trees_of_their_own(fold: Fold) -> None:
    found = space_of(fold)
    reasons = {variant.spec: variant.reason for variant in found.left_out}
    assert [*(c.spec for c in found.choices), *reasons] != []
    assert {*(c.spec for c in found.choices), *reasons} == {*every_variant()}
    trees = fold.ud.train
    heads: dict[str, list[Any]] = {}
    for spec in every_variant():
        rule = fold.rule(annotation_spelled(spec))
        places = sum(len(rule.places(tree)) for tree in trees)
        heads[spec] = [rule.apply(tree).heads for tree in trees]
        earlier = [
            other for other in heads if other.partition(":")[0] == spec.partition(":")[0] and other != spec
        ]
        same = next((other for other in earlier if heads[other] == heads[spec]), None)
        if places < FEWEST.places:
            assert reasons[spec] == f"fewer than 10 places: {places}"
        elif same:
            assert reasons[spec] == f"gives the same trees as {same}"
        else:
            assert next(c for c in found.choices if c.spec == spec).places == places
    assert {why.split(" ")[0] for why in reasons.values()} == {"gives", "fewer"}


def test_a_restricted_variant_that_gives_the_same_trees_is_left_out(small_files: TreebankFiles) -> None:
    options = ExperimentOptions.spell_annotations(("det", "det:side=left,upos=DET"))
    found = space_of(fold_of(small_files, options, 0))
    assert [choice.spec for choice in found.choices] == ["det"]
    assert found.left_out == (LeftOut("det:upos=DET,side=left", "gives the same trees as det"),)
    only = ExperimentOptions(options.alternatives[1:])
    (restricted,) = space_of(fold_of(small_files, only, 0)).choices
    assert restricted.places == found.choices[0].places


def test_nothing_to_choose_is_refused(small_files: TreebankFiles) -> None:
    fold = fold_of(small_files, ExperimentOptions.spell_annotations(("mwe",)), 0)
    with pytest.raises(InputError, match=r"none of mwe has 10 places"):
        check_places(fold)

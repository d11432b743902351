"""What a search chooses between, against enumerations that are obviously right."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import pytest

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST_SITES
from learnability.studies.search.space import (
    MOST_LEMMAS,
    Choice,
    Space,
    Variation,
    space_of,
    specs_of,
    together,
    variations,
    varied,
)
from learnability.transforms.registry import TRANSFORMATIONS, every_variant
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Treebank

OPTIONS = ExperimentOptions.spelled(every_variant(), search=True)


@pytest.fixture
def fold(small_files: TreebankFiles) -> Fold:
    return fold_of(small_files, OPTIONS, 0)


def space(*specs: str, **lemmas: dict[str, int]) -> Space:
    """A space of these variants with 100 sites each."""
    return Space(
        tuple(Choice(spec, 100, tuple(lemmas.get(spec, {}).items())) for spec in specs),
        (),
        40,
    )


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
    assert len(variants) == len(set(variants)) == 15
    assert variants[:3] == ("case", "cop", "cop:passive=guess")
    for name in ("case", "cop", "cc", "det", "mark", "mwe", "name"):
        own = [annotation_spelled(spec).parts[0] for spec in variants if spec.partition(":")[0] == name]
        for option, values in TRANSFORMATIONS[name].options.items():
            counts = Counter(rule.option[option] for rule in own)
            assert counts == dict.fromkeys(values, len(own) // len(values))


def test_choices_have_enough_sites_and_trees_of_their_own(fold: Fold) -> None:
    found = space_of(fold)
    reasons = dict(found.left_out)
    assert [*(c.spec for c in found.choices), *reasons] != []
    assert {*(c.spec for c in found.choices), *reasons} == {*every_variant()}
    trees = fold.ud.train
    heads: dict[str, list[Any]] = {}
    for spec in every_variant():
        rule = fold.rule(annotation_spelled(spec))
        sites = sum(len(rule.sites(tree)) for tree in trees)
        heads[spec] = [rule.apply(tree).heads for tree in trees]
        earlier = [
            other for other in heads if other.partition(":")[0] == spec.partition(":")[0] and other != spec
        ]
        same = next((other for other in earlier if heads[other] == heads[spec]), None)
        if sites < FEWEST_SITES:
            assert reasons[spec] == f"fewer than 10 sites: {sites}"
        elif same:
            assert reasons[spec] == f"gives the same trees as {same}"
        else:
            assert next(c for c in found.choices if c.spec == spec).sites == sites
    assert {why.split(" ")[0] for why in reasons.values()} == {"gives", "fewer"}
    assert found.sentences == len(trees)


def test_lemmas_are_those_of_the_sites(fold: Fold) -> None:
    for choice in space_of(fold).choices:
        rule = fold.rule(annotation_spelled(choice.spec))
        counts: Counter[str] = Counter()
        for tree in fold.ud.train:
            counts.update(tree.lemmas[site.token - 1].lower() for site in rule.sites(tree))
        assert dict(choice.lemmas) == {lemma: n for lemma, n in counts.items() if n >= FEWEST_SITES}
        assert [n for _, n in choice.lemmas] == sorted((n for _, n in choice.lemmas), reverse=True)
    assert any(choice.lemmas for choice in space_of(fold).choices)


def with_lemmas(fold: Fold, change: Any) -> Fold:
    """The fold with other lemmas in its training part."""

    def changed(sentence: Sentence) -> Sentence:
        return replace(sentence, tree=replace(sentence.tree, lemmas=change(sentence.tree.lemmas)))

    treebank: Treebank = replace(fold.treebank, train=tuple(map(changed, fold.treebank.train)))
    return Fold(treebank, fold.options, cross_validated=False)


@pytest.mark.parametrize("lemma", ["a,b", "a|b", " a", "a\tb", "x+cop", "_"])
def test_lemmas_that_a_restriction_cannot_hold_are_left_out(fold: Fold, lemma: str) -> None:
    found = space_of(with_lemmas(fold, lambda lemmas: (lemma,) * len(lemmas)))
    assert [choice.lemmas for choice in found.choices] == [()] * len(found.choices)


@pytest.mark.parametrize("lemma", ["a=b", "a:b", "+", "c++", "lemma!=x", "det"])
def test_other_signs_do_no_harm(fold: Fold, lemma: str) -> None:
    for choice in space_of(with_lemmas(fold, lambda lemmas: (lemma,) * len(lemmas))).choices:
        assert choice.lemmas == ((lemma, choice.sites),)
        for excluded in (False, True):
            (one,) = specs_of(together([str(Variation(choice, lemma, excluded))]))
            name = "lemma!" if excluded else "lemma"
            rule = annotation_spelled(one).parts[0]
            assert rule.restriction is not None
            assert rule.restriction.wanted == ((name, (lemma,)),)


def test_without_lemmas(fold: Fold) -> None:
    found = space_of(with_lemmas(fold, lambda _: ()))
    assert not found.has_lemmas
    assert space_of(fold).has_lemmas
    assert list(variations(found, ["case"])) == []


def test_what_is_restricted_already_is_not_varied(small_files: TreebankFiles) -> None:
    options = ExperimentOptions.spelled(("det", "det:side=left,upos=DET"), search=True)
    found = space_of(fold_of(small_files, options, 0))
    assert [choice.spec for choice in found.choices] == ["det"]
    assert found.left_out == (("det:upos=DET,side=left", "gives the same trees as det"),)
    only = ExperimentOptions(options.conditions[1:], search=True)
    (restricted,), (free,) = space_of(fold_of(small_files, only, 0)).choices, found.choices
    assert (restricted.sites, restricted.lemmas) == (free.sites, ())
    assert free.lemmas != ()


def test_variations_of_a_scheme() -> None:
    found = space("case", "det", "det:side=left", case={"in": 60, "of": 91}, det={"the": 80, "a": 10})
    assert list(map(str, variations(found, ["case"]))) == ["case:lemma!=in", "det:lemma=the", "det:lemma=a"]
    both = list(map(str, variations(found, ["case", "det:side=left"])))
    assert both == ["case:lemma!=in"]  # the lemmas of this variant are not known
    many = space("case", case={f"l{i}": 10 for i in range(30)})
    assert len(list(variations(many, []))) == MOST_LEMMAS


def test_a_varied_scheme() -> None:
    case, det = Choice("case", 100), Choice("det", 100)
    cop = Choice("cop:reattach=clause", 100)
    chosen = [Variation(case, lemma, True) for lemma in ("of", "in")] + [Variation(det, "the", False)]
    found = varied(["case", "cop:reattach=clause"], [*chosen, Variation(cop, "be", True)])
    assert specs_of(found) == ("case:lemma!=in|of", "cop:reattach=clause,lemma!=be", "det:lemma=the")
    assert varied([], [Variation(det, "the", False)]).spelling == "det:lemma=the"
    assert varied(["case"], []).spelling == "case"


def test_nothing_to_choose_is_refused(small_files: TreebankFiles) -> None:
    fold = fold_of(small_files, ExperimentOptions.spelled(("mwe:style=last-head",), search=True), 0)
    with pytest.raises(InputError, match=r"no transformation with 10 sites .*\(mwe:style=last-head\)"):
        space_of(fold)

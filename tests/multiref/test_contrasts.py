"""What two schemes differ in, and the references between them, against brute force over selections."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from reference_trees import real_trees, transformation
from trees import is_tree, random_tree

from learnability.multiref.contrasts import RuleContrast, SchemeContrast, same_scheme
from learnability.multiref.references import MAX_OPTIONS, reference_set
from learnability.schemes import get_scheme
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.transforms.restricted_rules import restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.treebanks.sentence import Conventions, Tree

PAIRS = (
    ("case", "det"),
    ("case+det+mark", "case+cop"),
    ("cc+name", "mwe+case"),
    ("case+cop+cc+det+mark+mwe+name", "case"),
    ("cop", "aux+det"),
)
CONVENTIONS = Conventions(version=2, flat_name=True)
PRAGUE, MOSCOW = (get_transformation(f"cc:style={style}", CONVENTIONS) for style in ("prague", "moscow"))

Heads = tuple[int, ...]


def random_trees(most: int = 9) -> list[Tree]:
    return [random_tree(seed, 4 + seed % most) for seed in range(500)]


def by_definition(tree: Tree, first: Transformation, second: Transformation) -> set[Heads]:
    """The references: per factor of the union all the places of one scheme or all those of the other."""
    names = {rule.name: rule for rule in (*first.rules, *second.rules)}
    union = JointTransformation(list(names.values()))
    own = [{place.token for place in side.places(tree)} for side in (first, second)]
    chosen = [
        [[place for place in factor.places if place.token in tokens] for tokens in own]
        for factor in reference_set(tree, union, max_options=1 << 30).factors
    ]
    return {union.apply(tree, list(itertools.chain(*choice))).heads for choice in itertools.product(*chosen)}


def enumerated(tree: Tree, contrast: SchemeContrast) -> dict[tuple[int, ...], Heads]:
    """Heads by the tokens of the places that are as in the second scheme."""
    references = contrast.references(tree, MAX_OPTIONS, None)
    found = {tuple(s.token for s in chosen): result.heads for chosen, result in references.enumerate()}
    assert len(found) == len(references)
    assert references.places == len(contrast.places(tree))
    return found


def check(tree: Tree, first: Transformation, second: Transformation) -> bool:
    """Whether the union gives the trees of both; else the sentence has to be one factor."""
    contrast = SchemeContrast(first, second)
    found = enumerated(tree, contrast)
    one, other = (side.apply(tree).heads for side in (first, second))
    every = tuple(place.token for place in contrast.places(tree))
    assert (found[()], found[every]) == (one, other)
    assert len(set(found.values())) == len(found)
    assert all(map(is_tree, found.values()))
    assert bool(every) == (one != other)
    expected = by_definition(tree, first, second)
    whole = not {one, other} <= expected
    assert set(found.values()) == ({one, other} if whole else expected)
    swapped = enumerated(tree, SchemeContrast(second, first))
    mirror = {tuple(sorted({*every} - {*chosen})): heads for chosen, heads in found.items()}
    assert swapped == mirror
    return not whole


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_references_between_schemes_are_a_product_over_factors_of_the_union(first: str, second: str) -> None:
    one, other = transformation(first), transformation(second)
    trees = [tree for tree in random_trees()[:200] if len(one.places(tree)) + len(other.places(tree)) <= 12]
    exact = [check(tree, one, other) for tree in trees]
    assert exact.count(True) > 120
    assert sum(one.apply(tree).heads != other.apply(tree).heads for tree in trees) > 20


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_same_on_real_sentences(first: str, second: str, test_files: list[Path]) -> None:
    one, other = transformation(first), transformation(second)
    trees = real_trees(test_files, 8, "case+cop+cc+det+mark+mwe+name", per_file=5)
    assert len(trees) > 10
    exact = [check(tree, one, other) for tree in trees]
    assert any(exact)


def test_a_sentence_in_which_the_union_drops_a_place_has_two_references() -> None:
    """A name whose member is a conjunct: chained by `name`, left alone where `cc` needs the conjunct."""
    one, other = transformation("name"), transformation("cc")
    whole = [tree for tree in random_trees(12) if not check(tree, one, other)]
    assert whole
    for tree in whole:
        (factor,) = SchemeContrast(one, other).references(tree, MAX_OPTIONS, None).factors
        assert len(factor) == 2


def test_variants_of_one_transformation_are_two_references_where_they_differ() -> None:
    contrast = SchemeContrast(PRAGUE, MOSCOW)
    differ = 0
    for tree in random_trees():
        one, other = (rule.apply(tree).heads for rule in (PRAGUE, MOSCOW))
        assert set(enumerated(tree, contrast).values()) == {one, other}
        assert bool(contrast.places(tree)) == (one != other)
        differ += one != other
    assert differ > 20


def test_places_of_equal_variants_do_not_join_the_factors() -> None:
    """`case` differs in every sentence, the style of a coordination in those that have one."""
    styled = JointTransformation([MOSCOW, transformation("case")])
    plain = [tree for tree in random_trees() if not PRAGUE.places(tree)]
    assert any(
        len(SchemeContrast(PRAGUE, styled).references(tree, MAX_OPTIONS, None).factors) > 1 for tree in plain
    )
    for tree in plain:
        found = set(enumerated(tree, SchemeContrast(PRAGUE, styled)).values())
        cases = SchemeContrast(JointTransformation([]), transformation("case"))
        assert found == set(enumerated(tree, cases).values())
        assert SchemeContrast(PRAGUE, styled).places(tree) == transformation("case").places(tree)


def test_a_restricted_transformation_differs_at_the_other_places() -> None:
    case = get_transformation("case", CONVENTIONS)
    some = restrict_rule(case, Restriction(form=("w1", "w2")))
    contrast = SchemeContrast(some, case)
    differ = 0
    for tree in random_trees():
        expected = tuple(place for place in case.places(tree) if place not in some.places(tree))
        assert contrast.places(tree) == expected
        for chosen, heads in enumerated(tree, contrast).items():
            selected = [
                place for place in case.places(tree) if place in some.places(tree) or place.token in chosen
            ]
            assert heads == case.apply(tree, selected).heads
        differ += bool(expected)
    assert differ > 50


@pytest.mark.parametrize("second", [Restriction(), Restriction(form=("w3", "w4"))])
def test_restrictions_keep_the_factors_of_the_places_that_either_has(second: Restriction) -> None:
    case = get_transformation("case", CONVENTIONS)
    one, other = restrict_rule(case, Restriction(form=("w1", "w2"))), restrict_rule(case, second)
    either = restrict_rule(case, Restriction(form=("w1", "w2", "w3", "w4"))) if second else case
    several = 0
    for tree in random_trees(20):
        own = [side.places(tree) for side in (one, other)]
        chosen = [
            [[place for place in factor.places if place in places] for places in own]
            for factor in reference_set(tree, either).factors
        ]
        expected = {
            either.apply(tree, [place for part in choice for place in part]).heads
            for choice in itertools.product(*chosen)
        }
        assert set(enumerated(tree, SchemeContrast(one, other)).values()) == expected
        several += len(expected) > 2
    assert several > 10


def test_variants_that_give_one_tree_are_no_places() -> None:
    """With one coordinator the last is the first; what else differs may touch the same words."""
    first = get_transformation("cc:head=first", CONVENTIONS)
    styled = JointTransformation([first, transformation("case"), transformation("det")])
    equal = 0
    for tree in random_trees():
        if PRAGUE.places(tree) and PRAGUE.apply(tree).heads == first.apply(tree).heads:
            places = SchemeContrast(PRAGUE, styled).places(tree)
            assert all(place.transform != "cc" for place in places)
            equal += bool(places)
    assert equal > 20


def test_against_ud_everything_is_that_of_the_transformation() -> None:
    rule = transformation("case+cc+det")
    contrast = RuleContrast(rule)
    for tree in random_trees()[:100]:
        sides = contrast.sides(tree)
        assert (sides.base, sides.alternative) == (tree.heads, rule.apply(tree).heads)
        assert sides.places == contrast.places(tree) == rule.places(tree)
        assert sides.skipped == rule.count_skipped(tree)
        assert contrast.references(tree, 2, None) == reference_set(tree, rule, max_options=2)


def test_same_scheme_whatever_the_order_and_the_name() -> None:
    one = JointTransformation([PRAGUE, transformation("case")], "mine")
    assert same_scheme(one, transformation("case+cc"))
    assert not same_scheme(one, transformation("case"))
    assert not same_scheme(PRAGUE, MOSCOW)
    assert not same_scheme(PRAGUE, restrict_rule(PRAGUE, Restriction(form=("and",))))


def test_schemes_with_other_relations_are_not_the_same() -> None:
    """SUD is more than its heads; both may be compared with UD in one run."""
    sud = get_scheme("sud", CONVENTIONS)
    assert same_scheme(sud, get_scheme("sud", CONVENTIONS))
    assert not same_scheme(sud, JointTransformation(sud.rules))

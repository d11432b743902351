"""What two schemes differ in, and the references between them, against brute force over selections."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from reference_trees import real_trees, transformation
from trees import is_tree, random_tree

from learnability.multiref.contrasts import RuleContrast, SchemeContrast, count_unmixed, same_scheme
from learnability.multiref.references import MAX_OPTIONS, LabelOption, reference_set
from learnability.schemes import get_scheme
from learnability.transforms.base import Family, Rule, Transformation
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.registry import get_transformation
from learnability.transforms.restricted_rules import restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.treebanks.sentence import Conventions, Tree

SEVEN = "case+cop+cc+det+mark+mwe+name"
LABELS: tuple[LabelOption, ...] = ("keep", "external")
PAIRS = (("case+det+mark", "case+cop"), ("cc+name", "mwe+case"), (SEVEN, "case"))
BETWEEN = pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        *((*pair, None) for pair in (*PAIRS, ("case", "det"), ("cop", "aux+det"))),
        *((*pair, labels) for pair in (*PAIRS, ("cop", "cop+mark")) for labels in LABELS),
    ],
)
CONVENTIONS = Conventions(version=2, flat_name=True)
PRAGUE, MOSCOW = (get_transformation(f"cc:style={style}", CONVENTIONS) for style in ("prague", "moscow"))

Arcs = tuple[tuple[int, str], ...]


def random_trees(most: int = 9, count: int = 500) -> list[Tree]:
    return [random_tree(seed, 4 + seed % most) for seed in range(count)]


def arcs(tree: Tree, labels: LabelOption | None) -> Arcs:
    return tuple(zip(tree.heads, tree.deprels if labels else ("",) * len(tree), strict=True))


def transformed(rule: Transformation, tree: Tree, labels: LabelOption | None) -> Arcs:
    return arcs(rule.apply(tree, labels=labels or "keep"), labels)


def by_definition(
    tree: Tree, first: Transformation, second: Transformation, labels: LabelOption | None
) -> set[Arcs]:
    """The references: per factor of the union all the places of one scheme or all those of the other."""
    names = {rule.name: rule for rule in (*first.rules, *second.rules)}
    union = JointTransformation(list(names.values()))
    own = [{place.token for place in side.places(tree)} for side in (first, second)]
    chosen = [
        [[place for place in factor.places if place.token in tokens] for tokens in own]
        for factor in reference_set(tree, union, max_options=1 << 30, labels=labels).factors
    ]
    return {
        arcs(union.apply(tree, list(itertools.chain(*choice)), labels=labels or "keep"), labels)
        for choice in itertools.product(*chosen)
    }


def check(tree: Tree, first: Transformation, second: Transformation, labels: LabelOption | None) -> bool:
    """Whether the union gives the trees of both; else the sentence has to be one factor."""
    contrast = SchemeContrast(first, second)
    references = contrast.references(tree, MAX_OPTIONS, labels)
    one, other = (transformed(side, tree, labels) for side in (first, second))
    found = [(chosen, arcs(result, labels)) for chosen, result in references.enumerate()]
    mixed = {mixture for _, mixture in found}
    assert arcs(references.tree, labels) == one
    assert (found[0], found[-1]) == (((), one), (contrast.places(tree), other))
    assert len(mixed) == len(found) == len(references)
    for mixture in mixed:
        assert is_tree([head for head, _ in mixture])
        assert all(arc in sides for arc, *sides in zip(mixture, one, other, strict=True))
    differ = [t for t, (a, b) in enumerate(zip(one, other, strict=True), start=1) if a != b]
    assert sorted(token for factor in references.factors for token in factor.tokens) == differ
    expected = by_definition(tree, first, second, labels)
    whole = not {one, other} <= expected
    assert mixed == ({one, other} if whole else expected)
    assert count_unmixed([references]) == (whole and bool(differ))
    swapped = SchemeContrast(second, first).references(tree, MAX_OPTIONS, labels).enumerate()
    every = {*contrast.places(tree)}
    assert {(frozenset(every - {*chosen}), mixture) for chosen, mixture in found} == {
        (frozenset(chosen), arcs(result, labels)) for chosen, result in swapped
    }
    return not whole


@BETWEEN
def test_references_between_schemes_are_a_product_over_factors_of_the_union(
    first: str, second: str, labels: LabelOption | None
) -> None:
    one, other = transformation(first), transformation(second)
    trees = random_trees(count=200)
    exact = [check(tree, one, other, labels) for tree in trees]
    assert exact.count(True) > 120
    assert sum(transformed(one, t, labels) != transformed(other, t, labels) for t in trees) > 20


@BETWEEN
def test_the_same_on_real_sentences(
    first: str, second: str, labels: LabelOption | None, test_files: list[Path]
) -> None:
    trees = real_trees(test_files, 8, SEVEN, per_file=3)
    assert len(trees) > 10
    assert any(check(tree, transformation(first), transformation(second), labels) for tree in trees)


def enumerated(tree: Tree, contrast: SchemeContrast) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Heads by the tokens of the places that are as in the second scheme."""
    references = contrast.references(tree, MAX_OPTIONS, None)
    return {tuple(s.token for s in chosen): result.heads for chosen, result in references.enumerate()}


def test_a_sentence_in_which_the_union_drops_a_place_has_two_references() -> None:
    """A name whose member is a conjunct: chained by `name`, left alone where `cc` needs the conjunct."""
    one, other = transformation("name"), transformation("cc")
    whole = [tree for tree in random_trees(12) if not check(tree, one, other, None)]
    assert whole
    for tree in whole:
        (factor,) = SchemeContrast(one, other).references(tree, MAX_OPTIONS, None).factors
        assert len(factor) == 2


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
        assert sides.skipped == rule.plan(tree).skipped
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


def kept_heads(tree: Tree, contrast: SchemeContrast, labels: LabelOption) -> int:
    """How many tokens have another deprel in the two schemes, but the same head."""
    return sum(
        one == other
        for factor in contrast.references(tree, MAX_OPTIONS, labels).factors
        for one, other in zip(*factor.parts[0].options, strict=True)
    )


def test_a_label_may_differ_where_no_head_does() -> None:
    """*that is big*: under `cop` and under `cop+mark` *big* hangs on *is*, but has swapped with the root."""
    forms, heads, deprels = ("that", "is", "big"), (3, 3, 0), ("mark", "cop", "root")
    tree = Tree(forms=forms, upos=("SCONJ", "AUX", "ADJ"), heads=heads, deprels=deprels)
    contrast = SchemeContrast(transformation("cop"), transformation("cop+mark"))
    (factor,) = contrast.references(tree, MAX_OPTIONS, "keep").factors
    assert factor.tokens == (1, 2, 3)
    assert factor.parts[0].options == ((2, 0, 2), (0, 1, 2))
    assert factor.parts[0].labels == (("mark", "root", "cop"), ("root", "cop", "mark"))
    (unlabelled,) = contrast.references(tree, MAX_OPTIONS, None).factors
    assert unlabelled.tokens == (1, 2)
    (external,) = contrast.references(tree, MAX_OPTIONS, "external").factors
    assert external.parts[0].labels == (("mark", "root"), ("root", "comp:mark"))
    for labels in LABELS:
        contrast = SchemeContrast(transformation("case"), transformation(SEVEN))
        assert sum(kept_heads(random_tree(seed, 9), contrast, labels) for seed in range(100)) > 0


@pytest.mark.parametrize("labels", [None, *LABELS])
def test_variants_of_one_transformation_are_two_references_where_they_differ(
    labels: LabelOption | None,
) -> None:
    contrast, differ = SchemeContrast(PRAGUE, MOSCOW), 0
    for tree in random_trees(count=300):
        references = contrast.references(tree, MAX_OPTIONS, labels)
        found = [arcs(result, labels) for _, result in references.enumerate()]
        one, other = (transformed(rule, tree, labels) for rule in (PRAGUE, MOSCOW))
        assert found == [one, other][: len(found)]
        assert count_unmixed([references]) == (one != other) == len(found) - 1
        assert labels or bool(contrast.places(tree)) == (one != other)
        differ += len(found) == 2
    assert differ > 20


class Lowering(Layer):
    """Hangs every selected determiner on the last word, and renames all of them once all are selected."""

    def __init__(self, places: Sequence[int], target: int, label: str) -> None:
        self.region, self.target, self.label = tuple(places), target, label

    def head(self, token: int, selected: Selected, base: Heads) -> int:
        return self.target if selected(token) else base(token)

    def relation(self, token: int, selected: Selected, base: Heads, below: Callable[[int], str]) -> str:
        return self.label if all(map(selected, self.region)) else below(token)


class LoweringFamily(Family[Rule]):
    rank = 50

    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        (member,) = self.rules
        places = [t for t, deprel in enumerate(plan.tree.deprels, start=1) if member.matches(deprel)]
        layer = Lowering(places, len(plan.tree), member.option["as"])
        plan.add(layer, [Place(token, member.name) for token in places])

    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        raise NotImplementedError


class LoweredDeterminers(Rule):
    """One like another package may bring along: its labels depend on more than its heads do."""

    name = "lower"
    description = place_labels = ""
    options: ClassVar = {"as": ("low", "down")}
    labels = ("det",)
    family = LoweringFamily


DOG = Tree(
    forms=("a", "the", "dog", "barks"), upos=("DET", "DET", "NOUN", "VERB"), heads=(3, 3, 4, 0),
    deprels=("det", "det", "nsubj", "root"),
)  # fmt: skip


def test_a_factor_is_what_heads_or_labels_depend_on() -> None:
    """Two heads of two places, but two labels that both places decide together."""
    contrast = SchemeContrast(JointTransformation([]), LoweredDeterminers(CONVENTIONS))
    assert len(contrast.references(DOG, MAX_OPTIONS, None)) == 4
    (factor,) = contrast.references(DOG, MAX_OPTIONS, "external").factors
    assert factor.parts[0].labels == (("det", "det"), ("low", "low"))
    assert factor.parts[0].options == ((3, 3), (4, 4))
    assert [place.token for place in factor.places] == [1, 2]


def test_schemes_that_differ_in_labels_alone() -> None:
    """The union can give the heads of both, but not their labels: two whole trees, without a place."""
    contrast = SchemeContrast(
        LoweredDeterminers(CONVENTIONS), LoweredDeterminers(CONVENTIONS, **{"as": "down"})
    )
    assert contrast.references(DOG, MAX_OPTIONS, None).factors == contrast.places(DOG) == ()
    references = contrast.references(DOG, MAX_OPTIONS, "external")
    (factor,) = references.factors
    assert factor.places == ()
    assert factor.parts[0].options == ((4, 4), (4, 4))
    assert factor.parts[0].labels == (("low", "low"), ("down", "down"))
    kept = [contrast.references(DOG, MAX_OPTIONS, None), contrast.references(DOG, MAX_OPTIONS, "keep")]
    assert (count_unmixed(kept), count_unmixed([references, *kept])) == (0, 1)

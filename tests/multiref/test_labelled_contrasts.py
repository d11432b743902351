"""Labelled references between two schemes, against brute force over selections."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from reference_trees import real_trees, transformation
from trees import is_tree, random_tree

from learnability.multiref.contrasts import SchemeContrast, count_unmixed
from learnability.multiref.references import MAX_OPTIONS, LabelOption, reference_set
from learnability.transforms.base import Family, Rule, Transformation
from learnability.transforms.draft_tree import DraftTree
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Heads, Layer, Place, Plan, Selected
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Conventions, Tree

SEVEN = "case+cop+cc+det+mark+mwe+name"
PAIRS = (("case+det+mark", "case+cop"), ("cop", "cop+mark"), ("cc+name", "mwe+case"), (SEVEN, "case"))
LABELS: tuple[LabelOption, ...] = ("keep", "external")
CONVENTIONS = Conventions(version=2, flat_name=True)

Arcs = tuple[tuple[int, str], ...]


def arcs(tree: Tree) -> Arcs:
    return tuple(zip(tree.heads, tree.deprels, strict=True))


def by_definition(tree: Tree, first: Transformation, second: Transformation, labels: str) -> set[Arcs]:
    """Per factor of the labelled union all the places of one scheme or all those of the other."""
    names = {rule.name: rule for rule in (*first.rules, *second.rules)}
    union = JointTransformation(list(names.values()))
    own = [{place.token for place in side.places(tree)} for side in (first, second)]
    chosen = [
        [[place for place in factor.places if place.token in tokens] for tokens in own]
        for factor in reference_set(tree, union, max_options=1 << 30, labels=labels).factors
    ]
    return {
        arcs(union.apply(tree, list(itertools.chain(*choice)), labels=labels))
        for choice in itertools.product(*chosen)
    }


def check(tree: Tree, first: Transformation, second: Transformation, labels: LabelOption) -> bool:
    """Whether the union gives the labelled trees of both; else the sentence has to be one factor."""
    contrast = SchemeContrast(first, second)
    references = contrast.references(tree, MAX_OPTIONS, labels)
    one, other = (side.apply(tree, labels=labels) for side in (first, second))
    found = [(chosen, arcs(result)) for chosen, result in references.enumerate()]
    assert references.tree == one
    assert (found[0][1], found[-1][1]) == (arcs(one), arcs(other))
    assert (found[0][0], found[-1][0]) == ((), contrast.places(tree))
    assert all(is_tree([head for head, _ in mixture]) for _, mixture in found)
    for _, mixture in found:
        assert all(arc in sides for arc, *sides in zip(mixture, arcs(one), arcs(other), strict=True))
    differ = [t for t, (a, b) in enumerate(zip(arcs(one), arcs(other), strict=True), start=1) if a != b]
    assert sorted(token for factor in references.factors for token in factor.tokens) == differ
    expected = by_definition(tree, first, second, labels)
    whole = not {arcs(one), arcs(other)} <= expected
    assert {mixture for _, mixture in found} == ({arcs(one), arcs(other)} if whole else expected)
    assert len({mixture for _, mixture in found}) == len(found)
    assert count_unmixed([references]) == (whole and bool(differ))
    swapped = SchemeContrast(second, first).references(tree, MAX_OPTIONS, labels)
    assert {arcs(result) for _, result in swapped.enumerate()} == {mixture for _, mixture in found}
    return not whole


def kept_heads(tree: Tree, contrast: SchemeContrast, labels: LabelOption) -> int:
    """How many tokens have another deprel in the two schemes, but the same head."""
    return sum(
        one == other
        for factor in contrast.references(tree, MAX_OPTIONS, labels).factors
        for one, other in zip(*factor.parts[0].options, strict=True)
    )


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_labelled_references_are_a_product_over_factors_of_the_union(
    first: str, second: str, labels: LabelOption
) -> None:
    one, other = transformation(first), transformation(second)
    trees = [random_tree(seed, 4 + seed % 9) for seed in range(200)]
    exact = [check(tree, one, other, labels) for tree in trees]
    assert exact.count(True) > 120
    assert sum(arcs(one.apply(t, labels=labels)) != arcs(other.apply(t, labels=labels)) for t in trees) > 50


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_same_with_labels_on_real_sentences(
    first: str, second: str, labels: LabelOption, test_files: list[Path]
) -> None:
    trees = real_trees(test_files, 8, SEVEN, per_file=3)
    assert len(trees) > 10
    exact = [check(tree, transformation(first), transformation(second), labels) for tree in trees]
    assert any(exact)


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


def test_styles_of_coordination_are_two_labelled_trees() -> None:
    one, other = (get_transformation(f"cc:style={style}", CONVENTIONS) for style in ("prague", "moscow"))
    contrast, differ = SchemeContrast(one, other), 0
    for seed in range(200):
        tree = random_tree(seed, 4 + seed % 9)
        for labels in LABELS:
            references = contrast.references(tree, MAX_OPTIONS, labels)
            found = [result for _, result in references.enumerate()]
            trees = [rule.apply(tree, labels=labels) for rule in (one, other)]
            assert found == trees[: len(found)]
            assert count_unmixed([references]) == (trees[0] != trees[1]) == len(found) - 1
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

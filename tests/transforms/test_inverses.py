"""The inverses on single trees: what rule 2.7 says, root labels, chosen sites."""

from __future__ import annotations

import pytest
from test_worked_examples import (
    CAFE,
    CHAIR,
    DOGS_V1,
    DOGS_V2,
    FRUIT_V1,
    FRUIT_V2,
    HILLARY_V2,
    IVAN,
    KISSED_V1,
    KISSED_V2,
    LIVES,
    MIDNIGHT,
    NESTED,
    SAYS,
    SPITE_V2,
    SUE,
    UM_HERUM,
    transformation,
)
from transform_trees import tree

from learnability.transforms import invert_all, learn_side_preferences

ROUND_TRIPS = [
    ("case", 2, LIVES),
    ("case", 2, CAFE),
    ("case", 2, CHAIR),
    ("case", 2, MIDNIGHT),
    ("case", 2, UM_HERUM),
    ("det", 2, LIVES),
    ("mark", 2, SAYS),
    ("cop", 2, IVAN),
    ("cop", 2, SUE),
    ("mark+cop+case", 2, SUE),
    ("mwe", 2, SPITE_V2),
    ("name", 2, HILLARY_V2),
    ("name:style=last-head", 2, HILLARY_V2),
    ("cc", 1, FRUIT_V1),
    ("cc", 2, FRUIT_V2),
    ("cc", 1, KISSED_V1),
    ("cc", 2, KISSED_V2),
    ("cc", 1, DOGS_V1),
    ("cc", 2, DOGS_V2),
    ("cc", 1, NESTED),
    ("cc:style=moscow", 1, FRUIT_V1),
    ("cc:style=moscow", 2, FRUIT_V2),
]


@pytest.mark.parametrize(("spec", "version", "before"), ROUND_TRIPS)
def test_there_and_back(spec, version, before):
    # What a whole treebank tells is told by the worked examples here.
    there = transformation(spec, version)
    known = learn_side_preferences([LIVES, CAFE, CHAIR, MIDNIGHT, SAYS, IVAN, SUE, before], there)
    after = there.apply(before)
    assert after.heads != before.heads
    back = there.invert(after, side_preferences=known)
    assert (back.heads, back.deprels) == (before.heads, before.deprels)


def test_a_tree_without_sites_is_its_own_inverse():
    plain = tree("dogs bark", "2 0", "nsubj root")
    for spec in ("case", "cop", "cc", "mwe", "name", "cc:style=moscow", "mwe:style=last-head"):
        assert transformation(spec).invert(plain) == plain


def test_only_the_chosen_sites_are_inverted():
    two = tree("in Paris from here", "2 0 4 2", "case root case nmod")
    case = transformation("case")
    first, second = case.sites(two)
    known = learn_side_preferences([two], case)
    everything = case.apply(two)
    assert case.invert(everything, [second], known).heads == case.apply(two, [first]).heads
    assert case.invert(everything, [first, second], known) == two
    assert case.invert(everything, [], known) == everything


def test_the_core_is_told_by_the_relation_where_both_sides_have_children():
    copula = transformation("cop")
    known = learn_side_preferences([IVAN] * 5, copula)
    reversed_order = tree("best is Ivan", "0 1 1", "root cop nsubj")
    after = copula.apply(reversed_order)
    assert after.heads == (2, 0, 2)
    assert copula.invert(after, side_preferences=known) == reversed_order


def test_trees_of_one_file_inform_each_other():
    # Alone, nothing tells whether `to` or `home` is the content word of the root; the file does.
    case = transformation("case")
    file = [
        tree("go to town", "0 3 1", "root case obl"),
        tree("go to school now", "0 3 1 1", "root case obl advmod"),
        tree("just to town", "3 3 0", "advmod case root"),
    ] * 3
    assert invert_all(case, [case.apply(one) for one in file]) == file


def test_where_conjuncts_stand_left_is_learned_from_the_whole_file():
    # Of itself, the coordination of the first sentence could be headed by the adjective or by `armut`.
    coordination = transformation("cc", 1)
    file = [
        tree("taze elma ve armut geldi", "4 4 4 5 0", "amod conj cc nsubj root"),
        *[tree("elma ve armut geldi", "3 3 4 0", "conj cc nsubj root")] * 2,
    ]
    assert invert_all(coordination, [coordination.apply(one) for one in file]) == file

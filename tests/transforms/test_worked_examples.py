"""Worked examples of the rules: heads before and after each construction."""

from __future__ import annotations

import pytest
from naive_rules import Naive
from transform_trees import decisions, transformation, tree
from worked_examples import (
    AND_OR,
    ANN,
    ASYNDETIC,
    BOOKS,
    BROTHER,
    CAFE,
    CHAIR,
    DOGS_V1,
    DOGS_V2,
    DWAYNE,
    EITHER_SIDE,
    FRUIT_V1,
    FRUIT_V2,
    GO,
    HILLARY_V1,
    HILLARY_V2,
    INJURED_V1,
    INJURED_V2,
    IVAN,
    JOHN,
    KISSED_V1,
    KISSED_V2,
    LIVES,
    MIDNIGHT,
    MIRRORED,
    MIRRORED_CLAUSES,
    MIRRORED_THREE,
    NESTED,
    NICE,
    RAINED,
    SAYS,
    SPITE_V1,
    SPITE_V2,
    SUE,
    UM_HERUM,
)

from learnability.treebanks.sentence import Conventions

EXAMPLES = [
    ("case", LIVES, "2 0 2 6 6 3 2"),
    ("det", LIVES, "2 0 4 2 6 4 2"),
    ("case", CAFE, "2 0 2 3 6 4"),
    ("case", CHAIR, "2 3 4 0"),
    ("case", MIDNIGHT, "2 0 4 2 4 2"),
    ("case", UM_HERUM, "5 3 4 1 0 5"),
    ("mark", SAYS, "2 0 2 5 3 5 6"),
    ("mark", RAINED, "2 0 4 2 6 4 2"),
    ("det", BOOKS, "5 1 4 2 0"),
    ("det", JOHN, "5 1 4 2 0"),
    ("cop", IVAN, "2 0 5 5 2"),
    ("cop", NICE, "0 3 1 3"),
    ("cop:reattach=clause", NICE, "0 1 1 1"),
    ("cop", INJURED_V1, "4 4 4 0 4"),
    ("cop", INJURED_V2, "4 4 4 0 4"),
    ("aux", INJURED_V1, "2 0 2 3 4"),
    ("aux", INJURED_V2, "2 0 2 3 4"),
    ("cop", SUE, "2 0 5 5 2 7 5 7"),
    ("mark+cop+case", SUE, "2 0 2 5 3 5 6 7"),
    ("mwe", SPITE_V1, "2 0 7 3 4 7 2"),
    ("mwe", SPITE_V2, "2 0 7 3 4 7 2"),
    ("name", HILLARY_V1, "4 1 2 0"),
    ("name", HILLARY_V2, "4 1 2 0"),
    ("name", DWAYNE, "7 4 4 1 4 4 0"),
    ("cc", FRUIT_V1, "2 0 9 3 9 9 9 9 2 9 2"),
    ("cc", FRUIT_V2, "2 0 9 5 9 7 9 9 2 9 2"),
    ("cc:style=moscow", FRUIT_V1, "2 0 2 3 3 5 5 7 7 9 2"),
    ("cc:style=moscow", FRUIT_V2, "2 0 2 5 3 7 5 7 7 9 2"),
    ("cc", KISSED_V1, "2 4 2 0 4 5 4 4"),
    ("cc", KISSED_V2, "2 4 2 0 4 5 4 4"),
    ("cc:style=moscow", KISSED_V1, "2 0 2 2 4 5 2 2"),
    ("cc:style=moscow", KISSED_V2, "2 0 2 2 4 5 2 2"),
    ("cc", DOGS_V2, "4 3 4 6 4 0"),
    ("cc:head=first", DOGS_V2, "2 6 2 5 2 0"),
    ("cc", DOGS_V1, "4 1 4 6 4 0"),
    ("cc", NESTED, "2 0 4 2 4"),
    ("cc", MIRRORED, "2 0 2"),
    ("cc", MIRRORED_THREE, "2 0 2 5 2"),
    ("cc:head=first", MIRRORED_THREE, "4 4 4 0 4"),
    ("cc", EITHER_SIDE, "3 3 0 3"),  # the coordinator of two coordinations goes to the outer one
    ("cc:style=moscow", AND_OR, "0 1 1 3"),
    ("conj", FRUIT_V1, "2 0 10 10 10 10 10 10 10 2 2"),
    ("conj", FRUIT_V2, "2 0 10 5 10 7 10 10 10 2 2"),
    ("conj", KISSED_V1, "2 5 2 5 0 5 5 5"),
    ("conj", KISSED_V2, "2 5 2 5 0 5 5 5"),
    ("conj", DOGS_V1, "5 5 5 5 6 0"),
    ("conj", DOGS_V2, "5 3 5 5 6 0"),
    ("conj", NESTED, "5 5 5 5 0"),
    ("conj", ASYNDETIC, "5 3 5 5 0 5"),
    ("conj:direction=left", MIRRORED, "0 1 1"),
    ("conj:direction=left", MIRRORED_THREE, "0 1 1 1 1"),
    ("conj:direction=left", MIRRORED_CLAUSES, "2 0 2 2 4"),
    ("punct", BROTHER, "2 6 2 2 6 0 6"),
    ("punct:head=neighbour", BROTHER, "2 6 2 2 4 0 6"),
    ("punct:head=root", ANN, "6 1 4 1 6 0 6"),
    ("punct", ANN, "6 4 4 1 4 0 6"),
    ("punct", FRUIT_V2, "2 0 2 3 3 3 3 3 10 3 2"),
    ("punct:head=root", GO, "6 6 2 6 6 0 6"),  # the arc of one mark keeps another below it
]


@pytest.mark.parametrize(("spec", "before", "after"), EXAMPLES)
def test_the_heads_are_those_of_the_rules(spec, before, after):
    changed = transformation(spec).apply(before)
    assert " ".join(map(str, changed.heads)) == after
    assert changed.forms == before.forms


def test_a_combined_pass_makes_one_chain_of_all_function_words():
    heads = transformation("mark+cop+case").apply(SUE).heads
    assert [heads[token - 1] for token in (7, 6, 5, 3)] == [6, 5, 3, 2]  # shape <- in <- is <- that <- think


def test_a_coordination_of_prepositional_phrases():
    paris = tree("in Paris and in London", "2 0 5 5 2", "case root cc case conj")
    assert transformation("cc+case").apply(paris).heads == (3, 1, 0, 3, 4)


def test_a_coordinated_function_word_is_inverted_as_a_whole():
    work = tree("to and from work", "4 3 1 0", "case cc conj root")
    assert transformation("cc+case").apply(work).heads == (2, 0, 2, 2)


def test_a_dependent_of_the_last_conjunct_stays_on_it_left_of_the_first():
    before = tree("d a b c", "3 0 2 3", "obj root conj conj")  # b heads a coordination, too
    assert transformation("conj").apply(before).heads == (3, 4, 4, 0)
    naive = Naive(before, "conj", Conventions(2))
    assert naive.apply({"conj": naive.places("conj")})[0] == (3, 4, 4, 0)


def test_a_mark_between_words_of_an_expression_may_have_gone_elsewhere():
    before = tree("a b x , c", "0 1 2 1 1", "root fixed obj punct fixed")
    assert transformation("mwe").apply(before).heads == (0, 1, 2, 2, 2)
    assert transformation("mwe+punct:head=neighbour").apply(before).heads == (0, 1, 2, 3, 2)


def test_old_and_new_root_swap_labels_and_nothing_else_does():
    assert transformation("cop").apply(IVAN).deprels == ("nsubj", "root", "det", "amod", "cop")
    assert transformation("case").apply(LIVES).deprels == LIVES.deprels
    both = transformation("cop").apply(SUE)
    assert both.deprels == SUE.deprels
    two = tree("up beside lookout", "3 3 0", "case case root")
    assert transformation("case").apply(two).deprels == ("root", "case", "case")


def test_external_labels_follow_the_phrase():
    external = transformation("case").apply(LIVES, labels="external")
    assert external.deprels == ("nsubj", "root", "obl", "det", "amod", "comp:case", "punct")
    root = transformation("cop").apply(IVAN, labels="external")
    assert root.deprels == ("nsubj", "root", "det", "amod", "comp:cop")
    chain = transformation("mark+cop+case").apply(SUE, labels="external").deprels
    assert chain == ("nsubj", "root", "ccomp", "nsubj", "comp:mark", "comp:cop", "comp:case", "obl")
    coordinated = transformation("cc").apply(KISSED_V2, labels="external").deprels
    assert coordinated == ("nsubj", "comp:cc", "obj", "root", "conj", "obj", "obl:tmod", "punct")


def test_distant_tokens_have_one_leaf_and_places_are_asked_for_lazily():
    leaves = dict(decisions(transformation("case"), LIVES))
    assert leaves[1] == [((), 2)]
    assert leaves[6] == [(((3, False),), 2), (((3, True),), 3)]
    assert leaves[3] == [(((3, False),), 6), (((3, True),), 2)]


def test_whether_the_root_moves_is_asked_for_the_deprels_of_roots_only():
    plan = transformation("cop+det").plan(IVAN)
    assert plan.leaves(4, "keep") == (((), (5, "amod")),)
    assert dict(plan.leaves(5, "keep"))[(3, False), (2, True)] == (2, "cop")

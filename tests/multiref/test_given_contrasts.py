"""Annotations that are given: what differs falls into groups of which any mixture is a tree."""

from __future__ import annotations

import itertools
from random import Random

import pytest
import trees
from trees import all_trees, is_tree, random_heads

from learnability.multiref.contrasts import (
    TreeContrast,
    independent_changes,
    kinds_of_change,
    linked_changes,
)
from learnability.treebanks.alignment import ReannotatedTree, add_annotation, annotation
from learnability.treebanks.sentence import Tree

Heads = tuple[int, ...]


def arcs(heads: Heads) -> tuple[tuple[int, str], ...]:
    return tuple((head, "") for head in heads)


def mixtures(one: Heads, other: Heads, groups: list[tuple[int, ...]]) -> list[Heads]:
    """The trees that take each group from one of the two."""
    made = []
    for chosen in itertools.product((False, True), repeat=len(groups)):
        heads = list(one)
        for group, taken in zip(groups, chosen, strict=True):
            for token in group if taken else ():
                heads[token - 1] = other[token - 1]
        made.append(tuple(heads))
    return made


def check(one: Heads, other: Heads) -> int:
    groups = independent_changes(arcs(one), arcs(other))
    assert sorted(token for group in groups for token in group) == [
        token for token, (a, b) in enumerate(zip(one, other, strict=True), start=1) if a != b
    ]
    assert groups == sorted(groups)
    projective = trees.is_projective(one) and trees.is_projective(other)
    found = mixtures(one, other, groups)
    assert {one, other} <= set(found)
    for heads in found:
        assert is_tree(heads)
        assert trees.is_projective(heads) or not projective
    return len(groups)


def test_any_mixture_of_all_trees_of_four_words_is_a_tree() -> None:
    """Every pair of trees with one root, projective or not."""
    every = list(all_trees(4))
    sizes = [check(one, other) for one, other in itertools.product(every, repeat=2)]
    assert set(sizes) == {0, 1, 2, 3}


@pytest.mark.parametrize("projective", [True, False])
def test_any_mixture_of_random_trees_is_a_tree(projective: bool) -> None:
    draw = Random(5)
    sizes = []
    for _ in range(200):
        n = draw.randint(5, 9)
        one = random_heads(draw, n, projective=projective)
        other = list(random_heads(draw, n, projective=projective))
        near = tuple(h if draw.random() < 0.7 else o for h, o in zip(one, other, strict=True))
        fits = is_tree(near) and (not projective or trees.is_projective(near))
        sizes.append(check(one, near if fits else tuple(other)))
    assert max(sizes) >= 3


def test_changes_in_different_phrases_are_independent() -> None:
    """lives -> {city -> in, May -> in}: each adposition by itself."""
    ud, sud = (0, 3, 1, 5, 1), (0, 1, 2, 1, 4)
    assert independent_changes(arcs(ud), arcs(sud)) == [(2, 3), (4, 5)]


def test_a_relation_that_alone_differs_is_a_change_of_its_own() -> None:
    one, other = ((2, "a"), (0, "root")), ((2, "b"), (0, "root"))
    assert independent_changes(one, other) == [(1,)]


def pair() -> ReannotatedTree:
    words = ("lives", "in", "cities", "in", "May")
    tags = ("VERB", "ADP", "NOUN", "ADP", "PROPN")
    ud = Tree(words, tags, (0, 3, 1, 5, 1), ("root", "case", "nmod", "case", "nmod"))
    sud = ud.with_heads((0, 1, 2, 1, 4), ("root", "mod", "comp:obj", "mod", "comp:obj"))
    return add_annotation(add_annotation(ud, "UD", ud), "SUD", sud)


def contrast(*, labelled: bool) -> TreeContrast:
    def other(name: str):  # type: ignore[no-untyped-def]
        return lambda tree: annotation(tree, name)

    return TreeContrast(other("UD"), other("SUD"), labelled=labelled)


@pytest.mark.parametrize("labels", [None, "keep"])
def test_references_are_the_mixtures(labels: str | None) -> None:
    given = contrast(labelled=labels is not None)
    tree = pair()
    sides = given.sides(tree)
    assert (sides.base, sides.alternative) == ((0, 3, 1, 5, 1), (0, 1, 2, 1, 4))
    assert [place.token for place in sides.places] == [2, 4]
    references = given.references(tree, 4096, labels)  # type: ignore[arg-type]
    assert len(references) == 4
    drawn = {(reference.heads, reference.deprels) for _, reference in references.enumerate()}
    mixed = ("root", "mod", "comp:obj", "case", "nmod") if labels else tree.deprels
    assert ((0, 1, 2, 5, 1), mixed) in drawn


def test_kinds_of_change() -> None:
    tree = pair()
    one, two = annotation(tree, "UD"), annotation(tree, "SUD")
    kinds = ["unchanged", "case > mod", "nmod > comp:obj", "case > mod", "nmod > comp:obj"]
    assert kinds_of_change(one, two, labelled=False) == kinds
    relabelled = one.with_heads(one.heads, ("root", "case", "obl", "case", "nmod:tmod"))
    assert kinds_of_change(one, relabelled, labelled=True)[1:] == [
        "unchanged",
        "nmod > obl",
        *["unchanged"] * 2,
    ]
    assert kinds_of_change(one, relabelled, labelled=False) == ["unchanged"] * 5


def linked(one: Heads, other: Heads) -> list[tuple[int, ...]]:
    return linked_changes(arcs(one), arcs(other))


def test_dependents_follow_the_word_that_takes_the_place_of_their_head() -> None:
    """The subject and the adverb of a predicate (2) follow when its copula (3) heads the clause.

    Crossing arcs (5-7 and 6-8) exclude that they are linked because mixtures would not be projective.
    """
    ud, with_copula = (2, 0, 2, 2, 7, 8, 4, 7), (3, 3, 0, 3, 7, 8, 4, 7)
    assert independent_changes(arcs(ud), arcs(with_copula)) == [(1,), (2, 3), (4,)]
    assert linked(ud, with_copula) == [(1, 2, 3, 4)]


def test_words_that_move_between_groups_stay_by_themselves() -> None:
    """Phrases within phrases: of -> king is a change within the phrase of the changed word house."""
    ud, sud = (3, 3, 0, 5, 3), (0, 3, 1, 3, 4)
    assert linked(ud, sud) == independent_changes(arcs(ud), arcs(sud)) == [(1, 3), (4, 5)]


def test_any_mixture_of_linked_changes_is_a_tree() -> None:
    draw, merged = Random(7), 0
    for _ in range(300):
        n = draw.randint(3, 8)
        one, other = random_heads(draw, n), random_heads(draw, n)
        near = tuple(h if draw.random() < 0.5 else o for h, o in zip(one, other, strict=True))
        other = near if is_tree(near) else other
        groups, finest = linked(one, other), independent_changes(arcs(one), arcs(other))
        assert groups == sorted(groups)
        assert sorted(t for group in groups for t in group) == sorted(t for group in finest for t in group)
        assert all(any(set(fine) <= set(group) for group in groups) for fine in finest)
        assert all(map(is_tree, mixtures(one, other, groups)))
        merged += len(groups) < len(finest)
    assert merged

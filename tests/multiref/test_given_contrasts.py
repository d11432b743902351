"""Annotations that are given: what differs falls into groups of which any mixture is a tree."""

from __future__ import annotations

import itertools
from random import Random

import pytest
import trees
from mixtures import arcs, mixtures
from trees import all_trees, is_tree, random_heads

from learnability.multiref.contrasts import TreeContrast, independent_changes, kinds_of_change
from learnability.treebanks.alignment import ReannotatedTree, add_annotation, annotation
from learnability.treebanks.sentence import Tree

Heads = tuple[int, ...]


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

"""Reference sets as factors against brute force: every selection applied."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from types import ModuleType

import networkx
import numpy as np
import pytest
from reference_trees import SPECS, first_trees, real_trees, transformation
from trees import random_tree

from learnability.errors import InputError
from learnability.multiref import references as reference_sets
from learnability.multiref.arrays import encode_references
from learnability.multiref.references import LabelOption, components, reference_set
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.oracle import UNKNOWN
from learnability.transforms import plan
from learnability.transforms.base import Transformation
from learnability.treebanks.sentence import Tree


def every_tree(tree: Tree, rule: Transformation) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Heads of the tree of every selection, by the tokens of the selected places."""
    places = rule.places(tree)
    return {
        tuple(place.token for place in selection): rule.apply(tree, selection).heads
        for size in range(len(places) + 1)
        for selection in itertools.combinations(places, size)
    }


def brute_force_groups(tree: Tree, rule: Transformation) -> set[frozenset[int]]:
    """The factors by definition: places that can change the same head, found by flipping every place."""
    trees = every_tree(tree, rule)
    places = [place.token for place in rule.places(tree)]
    graph = networkx.Graph()
    graph.add_nodes_from(places)
    for position in range(len(tree)):
        together = [
            place
            for place in places
            if any(
                heads[position] != trees[tuple(sorted({*selection, place}))][position]
                for selection, heads in trees.items()
            )
        ]
        graph.add_edges_from(itertools.pairwise(together))
    return {frozenset(group) for group in networkx.connected_components(graph)}


def test_components_are_those_of_the_graph() -> None:
    draw = random.Random(1)
    for _ in range(500):
        places = sorted(draw.sample(range(50), draw.randint(1, 12)))
        groups = [frozenset(draw.choices(places, k=draw.randint(0, 3))) for _ in range(draw.randint(0, 8))]
        graph = networkx.Graph()
        graph.add_nodes_from(places)
        for group in groups:
            networkx.add_path(graph, sorted(group))
        expected = {place: min(own) for own in networkx.connected_components(graph) for place in own}
        assert list(components(places, groups).items()) == [(place, expected[place]) for place in places]


def check(tree: Tree, rule: Transformation) -> None:
    references = reference_set(tree, rule)
    expected = every_tree(tree, rule)
    found = {
        tuple(place.token for place in selection): result.heads
        for selection, result in references.enumerate()
    }
    assert found == expected
    assert len(references) == 2**references.places == len(set(expected.values()))
    groups = {frozenset(place.token for place in factor.places) for factor in references.factors}
    assert groups == brute_force_groups(tree, rule)


SIZES = pytest.mark.parametrize(
    ("spec", "fewest_places", "most_places"),
    [*((spec, 1, 6) for spec in SPECS), pytest.param(SPECS[-1], 7, 8, marks=pytest.mark.slow)],
)
"""Few sentences have more places of a single rule."""


@SIZES
def test_product_of_factors_is_the_set_of_all_selections_on_random_trees(
    spec: str, fewest_places: int, most_places: int
) -> None:
    rule = transformation(spec)
    trees = [random_tree(seed, 4 + seed % 9) for seed in range(900)]
    with_places = [tree for tree in trees if fewest_places <= len(rule.places(tree)) <= most_places]
    assert len(with_places) > 20
    for tree in with_places[:80]:
        check(tree, rule)


@SIZES
def test_product_of_factors_is_the_set_of_all_selections_on_real_sentences(
    spec: str, fewest_places: int, most_places: int, test_files: list[Path]
) -> None:
    rule = transformation(spec)
    trees = real_trees(test_files, most_places, spec, 4, fewest_places)
    assert len(trees) > 10
    for tree in trees:
        check(tree, rule)


@pytest.mark.parametrize("max_options", [8, 1 << 14])
@pytest.mark.parametrize("spec", SPECS)
def test_random_selections_compose_factor_by_factor(
    spec: str, max_options: int, test_files: list[Path]
) -> None:
    """Also where 2^m is out of reach: dozens of places in a sentence, factors listed or in parts."""
    rule = transformation(spec)
    draw = random.Random(1)
    most = split = cut = 0
    for path in test_files[::3]:
        for tree in first_trees(path)[:80]:
            references = reference_set(tree, rule, max_options=max_options)
            most = max(most, references.places)
            heads = list(tree.heads)
            selected = []
            for factor in references.factors:
                chosen = factor.option(draw.randrange(len(factor)))
                for token, head in zip(factor.tokens, chosen.heads, strict=True):
                    heads[token - 1] = head
                selected += [place for i, place in enumerate(factor.places) if chosen.selection >> i & 1]
            assert tuple(heads) == rule.apply(tree, selected).heads
            split += sum(len(factor.parts) > 1 for factor in references.factors)
            cut += sum(factor.cut for factor in references.factors)
    assert most > (12 if "+" in spec else 0)
    if "name" in spec and "+" in spec:
        assert (split > 20, cut > 0) == ((True, True) if max_options == 8 else (False, False)), (split, cut)


def two_places() -> Tree:
    """lives in Rome by the sea: case places on 2 and 4, independent of each other."""
    return Tree(
        forms=("lives", "in", "Rome", "by", "the", "sea"),
        upos=("VERB", "ADP", "PROPN", "ADP", "DET", "NOUN"),
        heads=(0, 3, 1, 6, 6, 1),
        deprels=("root", "case", "obl", "case", "det", "obl"),
    )


def test_independent_places_are_factors_of_their_own() -> None:
    references = reference_set(two_places(), transformation("case"))
    assert [[place.token for place in factor.places] for factor in references.factors] == [[2], [4]]
    assert [factor.tokens for factor in references.factors] == [(2, 3), (4, 6)]
    assert [factor.parts[0].options for factor in references.factors] == [((3, 1), (1, 2)), ((6, 1), (1, 4))]
    assert len(references) == 4


def test_enumeration_stops_at_the_limit_and_begins_with_the_original() -> None:
    found = list(reference_set(two_places(), transformation("case")).enumerate(3))
    assert len(found) == 3
    assert found[0] == ((), two_places())


def test_a_large_factor_keeps_its_two_extremes_and_is_counted() -> None:
    # three determiners of one noun: one factor of 2^3 options
    tree = Tree(
        forms=("all", "these", "the", "books"),
        upos=("DET", "DET", "DET", "NOUN"),
        heads=(4, 4, 4, 0),
        deprels=("det", "det", "det", "root"),
    )
    rule = transformation("det")
    cut = reference_set(tree, rule, max_options=7)
    assert len(reference_set(tree, rule, max_options=8)) == 8
    assert [result.heads for _, result in cut.enumerate()] == [tree.heads, rule.apply(tree).heads]
    corpus = encode_tokens([tree, tree])
    _, table = encode_references(corpus, [cut, cut])
    assert table.factors_cut == 2
    with pytest.raises(InputError, match="encode them first"):
        encode_references([tree, tree], [cut, cut])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="1 set for 2 sentences"):
        encode_references(corpus, [cut])


def test_arrays_say_what_the_sets_say() -> None:
    rule = transformation("case+det")
    trees = [tree for tree in (random_tree(seed, 8) for seed in range(60)) if rule.places(tree)]
    corpus = encode_tokens(trees)
    sets = [reference_set(tree, rule) for tree in trees]
    arrays, table = encode_references(corpus, sets)
    for i, (references, start) in enumerate(zip(sets, corpus.start, strict=True)):
        own = range(arrays.factor_start[i], arrays.factor_start[i + 1])
        assert len(own) == len(references.factors)
        decided = {token for factor in references.factors for token in factor.tokens}
        for token, head in enumerate(references.tree.heads, start=1):
            assert arrays.fixed[start + token] == (UNKNOWN if token in decided else head)
            touching = {
                number
                for number, factor in zip(own, references.factors, strict=True)
                if token in factor.tokens or any(token in option for option in factor.parts[0].options)
            }
            row = start + token
            assert set(arrays.touch[arrays.touch_start[row] : arrays.touch_start[row + 1]]) == touching
        for number, factor in zip(own, references.factors, strict=True):
            tokens = arrays.token[arrays.token_start[number] : arrays.token_start[number + 1]]
            assert tuple(tokens) == factor.tokens
            heads = arrays.head[arrays.head_start[number] : arrays.head_start[number + 1]]
            assert [tuple(h) for h in heads.reshape(-1, len(tokens))] == list(factor.parts[0].options)
    assert table.sentence.tolist() == [i for i, own in enumerate(sets) for _ in range(own.places)]


def test_shares_of_surviving_options() -> None:
    references = reference_set(two_places(), transformation("case"))
    corpus = encode_tokens([two_places()])
    arrays, table = encode_references(corpus, [references])
    alive = np.array([1, 0, 0, 1], np.uint8)  # first place original, second transformed
    assert table.alternative_share(alive).tolist() == [0.0, 1.0]
    assert table.alternative_share(np.ones_like(arrays.alive)).tolist() == [0.5, 0.5]


def test_parts_cover_every_head_and_neighbours_agree(test_files: list[Path]) -> None:
    """A junction tree: each head in one part, the parts of a place connected, parents after children."""
    rule = transformation("case+cop+cc+det+mark+mwe+name")
    seen = 0
    for tree in real_trees(test_files, 40, "case+cop+cc+det+mark+mwe+name", per_file=60):
        for factor in reference_set(tree, rule, max_options=16).factors:
            parts = factor.parts
            if len(parts) == 1:
                continue
            seen += 1
            assert sorted(token for part in parts for token in part.tokens) == list(factor.tokens)
            assert [part.parent > i for i, part in enumerate(parts)] == [True] * (len(parts) - 1) + [False]
            assert parts[-1].parent == -1
            for place in range(len(factor.places)):
                tops = [
                    p
                    for p in parts
                    if (place in p.places and place not in parts[p.parent].places) or p is parts[-1]
                ]
                assert sum(place in part.places for part in tops) == 1
            assert len(factor) == 2 ** len(factor.places)
    assert seen > 30


@pytest.mark.parametrize("labels", [None, "keep", "external"])
@pytest.mark.parametrize(("module", "bound"), [(plan, "MAX_LEAVES"), (reference_sets, "MAX_ANSWERS")])
def test_a_sentence_too_entangled_to_follow_keeps_its_two_ends(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, bound: str, labels: LabelOption | None
) -> None:
    rule, cut = transformation(SPECS[-1]), 0
    trees = [random_tree(seed, 9) for seed in range(50)]
    ends = [[((), tree), (rule.places(tree), rule.apply(tree, labels=labels or "keep"))] for tree in trees]
    monkeypatch.setattr(module, bound, 0)
    for tree, expected in zip(trees, ends, strict=True):
        found = reference_set(tree, rule, labels=labels)
        if any(factor.cut for factor in found.factors):
            cut += 1
            wanted = [(chosen, end if labels else tree.with_heads(end.heads)) for chosen, end in expected]
            assert list(found.enumerate()) == wanted
    assert cut > 10

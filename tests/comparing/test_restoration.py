"""A learned way back restores what an annotation says, and not what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import pytest
from trees import random_tree

import learnability
from learnability.comparing import head_choice
from learnability.comparing.annotation import Columns
from learnability.comparing.head_choice import FARTHEST, SeenTree, choose_heads, train_head_choice
from learnability.comparing.restoration import find_restored
from learnability.treebanks.sentence import Tree

DEMO = learnability.load_treebank("demo")
TRAIN = [sentence.tree for sentence in DEMO.train][:60]
TEST = [sentence.tree for sentence in DEMO.test][:20]


def neighbour_heads(tree: Tree) -> Tree:
    """Half of the words by tag hang on the next word, where that is possible."""
    heads = list(tree.heads)
    for token, tag in enumerate(tree.upos, start=1):
        if tag in ("ADJ", "ADV", "DET", "NOUN", "PRON") and token < len(tree) and heads[token - 1]:
            ancestor = token + 1
            while ancestor not in (0, token):
                ancestor = heads[ancestor - 1]
            if not ancestor:
                heads[token - 1] = token + 1
    return tree.with_heads(heads, tree.deprels)


def flat_heads(tree: Tree) -> Tree:
    """All words hang on the root word."""
    root = tree.heads.index(0) + 1
    return tree.with_heads([0 if token == root else root for token in range(1, len(tree) + 1)], tree.deprels)


def merged_relations(tree: Tree) -> Tree:
    """Arguments have one relation."""
    arguments = ("nsubj", "obj", "iobj", "obl", "nmod", "dobj", "ccomp", "xcomp", "advcl")
    return tree.with_heads(tree.heads, ["dep" if name in arguments else name for name in tree.deprels])


def merged_tags(tree: Tree) -> Tree:
    """Open classes have one tag."""
    return replace(tree, upos=tuple("X" if t in ("NOUN", "VERB", "ADJ", "ADV") else t for t in tree.upos))


def share_restored(change: Callable[[Tree], Tree], columns: Columns) -> float:
    train, test = ([(tree, change(tree)) for tree in trees] for trees in (TRAIN, TEST))
    return float(np.logical_and.reduce(list(find_restored(train, test, columns).values())).mean())


@pytest.mark.parametrize(
    ("simplify", "columns", "most"),
    [
        (neighbour_heads, Columns.HEADS, 0.95),
        (flat_heads, Columns.HEADS, 0.8),
        (merged_relations, Columns.RELATIONS, 0.99),
        (merged_tags, Columns.UPOS, 0.99),
    ],
)
def test_what_a_simpler_annotation_leaves_out_is_lost(
    simplify: Callable[[Tree], Tree], columns: Columns, most: float
) -> None:
    assert share_restored(simplify, columns) < most


@pytest.mark.parametrize("spec", ["case", "mark"])
def test_what_is_only_drawn_otherwise_comes_back(spec: str) -> None:
    assert share_restored(learnability.get_transformation(spec).apply, Columns.HEADS) > 0.97


def test_the_same_annotation_comes_back_whole() -> None:
    assert share_restored(lambda tree: tree, Columns.HEADS | Columns.RELATIONS | Columns.UPOS) == 1


def steps_between(tree: Tree, token: int, goal: int) -> int:
    """The length of the way in the tree, by search."""
    neighbours: dict[int, set[int]] = {word: set() for word in range(len(tree) + 1)}
    for dependent, head in enumerate(tree.heads, start=1):
        neighbours[dependent].add(head)
        neighbours[head].add(dependent)
    reached, steps = {token}, 0
    while goal not in reached:
        reached |= {other for word in reached for other in neighbours[word]}
        steps += 1
    return steps


@pytest.mark.parametrize("seed", range(20))
def test_candidates_are_the_words_nearby_and_the_root(seed: int) -> None:
    tree = random_tree(seed, 2 + seed)
    for token in range(1, len(tree) + 1):
        words = [candidate.word for candidate in SeenTree(tree).candidates(token)]
        near = {word for word in range(len(tree) + 1) if steps_between(tree, token, word) <= FARTHEST}
        assert set(words) == (near | {0}) - {token}
        assert len(words) == len(set(words))


def test_probabilities_are_those_of_each_token_by_itself() -> None:
    scores, starts = np.array([1.0, 2.0, -700.0, 0.5, 900.0, 899.0]), np.array([0, 2, 4])
    found = head_choice._probabilities(scores, starts, np.array([2, 2, 2]))
    for start in starts.tolist():
        pair = np.exp(scores[start : start + 2] - scores[start : start + 2].max())
        assert np.allclose(found[start : start + 2], pair / pair.sum())


def test_the_choice_is_the_candidate_with_the_highest_score() -> None:
    change = learnability.get_transformation("case").apply
    model = train_head_choice([(tree, change(tree)) for tree in TRAIN[:15]])
    trees = [change(tree) for tree in TEST[:4]]
    found = iter(choose_heads(model, trees))
    for tree in trees:
        seen = SeenTree(tree)
        for token in range(1, len(tree) + 1):
            scores = {}
            for candidate in seen.candidates(token):
                features = [model.numbers.get(each) for each in seen.features(token, candidate)]
                scores[candidate.word] = sum(model.weights[n] for n in features if n is not None)
            best = next(found)
            assert scores[best] == pytest.approx(max(scores.values()))


def test_one_tag_for_many_loses_what_a_new_name_does_not() -> None:
    def rename(tags: Collection[str]) -> Callable[[Tree], Tree]:
        return lambda tree: replace(tree, upos=tuple("Z" if tag in tags else tag for tag in tree.upos))

    merged = rename(("NOUN", "VERB", "ADJ", "PRON", "DET"))
    assert share_restored(rename(("NOUN",)), Columns.UPOS) == 1
    assert share_restored(merged, Columns.UPOS) < 1

"""Heads are chosen by the features of candidates, all of them written out here, and by the exact gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.sparse import csr_array
from small_treebanks import demo_treebank
from trees import random_tree

import learnability
from learnability.comparing.head_choice import (
    FARTHEST,
    FEWEST,
    PENALTY,
    TEMPLATES,
    Objective,
    SeenTree,
    choose_heads,
    find_features,
    list_choices,
    train_head_choice,
)
from learnability.treebanks.sentence import Tree

DEMO = demo_treebank()
CHANGE = learnability.get_transformation("case").apply
TRAIN = [sentence.tree for sentence in DEMO.train][:15]
SEEN = [CHANGE(tree) for tree in TRAIN]
UNSEEN = [CHANGE(sentence.tree) for sentence in DEMO.test[:4]]
MODEL = train_head_choice(list(zip(TRAIN, SEEN, strict=True)))


def steps_between(tree: Tree, token: int, goal: int) -> int:
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
        words = [word for word, _ in SeenTree(tree).candidates(token)]
        near = {word for word in range(len(tree) + 1) if steps_between(tree, token, word) <= FARTHEST}
        assert set(words) == (near | {0}) - {token}
        assert len(words) == len(set(words))


def features_of(tree: Tree, token: int, word: int, path: str) -> Iterator[tuple[str, ...]]:
    """The features of a candidate in words, in the order of the templates."""

    def tag(number: int) -> str:
        return tree.upos[number - 1] if number else ""

    def form(number: int) -> str:
        return tree.forms[number - 1] if number else ""

    def relation(number: int) -> str:
        return tree.deprels[number - 1] if number else ""

    def below(number: int) -> str:
        dependents = [other for other, head in enumerate(tree.heads, start=1) if head == number]
        return " ".join(sorted({relation(other) for other in dependents}))

    head = tree.heads[token - 1]
    between = range(min(token, word) + 1, max(token, word))
    nearest = str(all(tree.heads[other - 1] != head for other in between))
    side, own = "left" if word < token else "right", relation(token)
    yield (path,)
    yield path, own
    yield path, own, tag(token)
    yield path, tag(word), tag(token)
    yield path, relation(word), own
    yield path, below(word), own
    yield path, below(token), own
    yield path, below(head), own
    yield path, side, nearest, own
    yield path, form(token)
    yield path, form(word)
    yield own, tag(token), relation(word), below(word), side
    yield path, tag(head), tag(word), own
    yield path, form(head)


def rows_of(trees: list[Tree]) -> list[list[tuple[object, ...]]]:
    return [
        list(enumerate(features_of(tree, token, word, path)))
        for tree in trees
        for token in range(1, len(tree) + 1)
        for word, path in SeenTree(tree).candidates(token)
    ]


@pytest.mark.parametrize("trees", [SEEN, UNSEEN], ids=["trained on", "new"])
def test_features_are_those_in_words(trees: list[Tree]) -> None:
    """One column for each feature of the training trees that occurs often enough, and for no other."""
    counts = Counter(feature for row in rows_of(SEEN) for feature in row)
    often = {feature for feature, count in counts.items() if count >= FEWEST}
    found = find_features(list_choices(trees, MODEL.numbers), MODEL.keys, MODEL.numbers)
    assert found.shape[1] == len(often)
    column_of: dict[object, int] = {}
    for row, features in enumerate(rows_of(trees)):
        columns = found.indices[found.indptr[row] : found.indptr[row + 1]].tolist()
        known = [feature for feature in features if feature in often]
        assert len(columns) == len(known)
        for feature, column in zip(known, columns, strict=True):
            assert column_of.setdefault(feature, column) == column
    assert len(set(column_of.values())) == len(column_of)
    assert len(TEMPLATES) == len(rows_of(trees)[0])


def test_the_choice_is_the_candidate_with_the_highest_score() -> None:
    found = iter(choose_heads(MODEL, UNSEEN))
    features = find_features(list_choices(UNSEEN, MODEL.numbers), MODEL.keys, MODEL.numbers).toarray()
    rows = iter(features @ MODEL.weights)
    for tree in UNSEEN:
        for token in range(1, len(tree) + 1):
            scores = {word: next(rows) for word, _ in SeenTree(tree).candidates(token)}
            assert scores[next(found)] == pytest.approx(max(scores.values()))


def objective_of(seed: int) -> Objective:
    """Five tokens with a few candidates each, of which the last one lacks its head."""
    chance = np.random.default_rng(seed)
    lengths = np.array([2, 3, 1, 4, 2])
    starts = np.cumsum(lengths) - lengths
    features = csr_array((chance.random((12, 6)) < 0.4).astype(float))
    is_gold = np.zeros(12, bool)
    is_gold[starts[:4]] = True
    return Objective(starts, lengths, features, is_gold, np.arange(12) < 10)


def minus_log_likelihood(objective: Objective, weights: list[float]) -> float:
    scores = [sum(w * f for w, f in zip(weights, row, strict=True)) for row in objective.features.toarray()]
    total = 0.5 * PENALTY * sum(weight**2 for weight in weights)
    for start, length in zip(objective.starts, objective.lengths, strict=True):
        candidates = range(start, start + length)
        gold = [scores[number] for number in candidates if objective.is_gold[number]]
        if gold:
            total += float(np.log(sum(np.exp(scores[number]) for number in candidates))) - gold[0]
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_is_that_of_finite_differences(seed: int) -> None:
    objective = objective_of(seed)
    weights = np.random.default_rng(seed + 100).normal(size=6).tolist()
    gradient = objective.make_gradient()(np.array(weights))
    for number in range(6):
        step = [0.0] * 6
        step[number] = 1e-5
        more, less = (
            minus_log_likelihood(objective, [w + sign * s for w, s in zip(weights, step, strict=True)])
            for sign in (1, -1)
        )
        assert gradient[number] == pytest.approx((more - less) / 2e-5, abs=1e-6)


def test_probabilities_are_those_of_each_token_by_itself() -> None:
    """Also where scores are so large or so small that their exponentials are not numbers."""
    scores, starts = np.array([1.0, 2.0, -700.0, 0.5, 900.0, 899.0]), np.array([0, 2, 4])
    features = csr_array(scores[:, None])
    everything = np.ones(6, bool)
    found = Objective(starts, np.array([2, 2, 2]), features, everything, everything).probabilities(np.ones(1))
    for start in starts.tolist():
        pair = np.exp(scores[start : start + 2] - scores[start : start + 2].max())
        assert np.allclose(found[start : start + 2], pair / pair.sum())

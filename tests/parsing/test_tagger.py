"""The tagger against a slow twin, and what it may not see."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from small_treebanks import demo_treebank

from learnability.parsing.tagger import FOLDS, NO_TAG, PASSES, Tags, predict_tags
from learnability.treebanks.sentence import Tree


@pytest.fixture(scope="module")
def demo() -> tuple[list[Tree], list[Tree]]:
    """Training and test trees of the bundled treebank."""
    treebank = demo_treebank()
    return [s.tree for s in treebank.train], [s.tree for s in treebank.test]


class NaiveTagger:
    """The tagger with features as tuples, weights in dictionaries, and averages from every step's sum."""

    def __init__(self, train: Sequence[Tree], order: np.random.Generator, indices: Sequence[int]) -> None:
        self.known = sorted({tag for i in indices for tag in train[i].upos})
        self.weight: dict[tuple[object, ...], dict[str, int]] = {}
        late: dict[tuple[object, ...], dict[str, int]] = {}
        self.steps = 0
        for _ in range(PASSES):
            for i in order.permutation(np.array(indices)):
                before: list[str] = []
                for word, gold in enumerate(train[i].upos):
                    features = naive_features(train[i].forms, word, before)
                    tag = self.best(features, self.weight)
                    self.steps += 1
                    if tag != gold:
                        for feature in features:
                            for changed, amount in ((gold, 1), (tag, -1)):
                                for table, value in ((self.weight, amount), (late, amount * self.steps)):
                                    table.setdefault(feature, defaultdict(int))[changed] += value
                    before.append(tag)
        self.averaged = {
            feature: {tag: np.float32(w - late[feature][tag] / self.steps) for tag, w in weights.items()}
            for feature, weights in self.weight.items()
        }

    def best(self, features: Sequence[tuple[object, ...]], table: object) -> str:
        scores = dict.fromkeys(self.known, np.float32(0))
        for feature in features:
            for tag, weight in table.get(feature, {}).items():  # type: ignore[attr-defined]
                scores[tag] = np.float32(scores[tag] + np.float32(weight))
        return max(self.known, key=lambda tag: (scores[tag], -self.known.index(tag)))

    def tags(self, forms: Sequence[str]) -> Tags:
        tags: list[str] = []
        for word in range(len(forms)):
            tags.append(self.best(naive_features(forms, word, tags), self.averaged))
        return tuple(tags)


def naive_features(forms: Sequence[str], i: int, tags: Sequence[str]) -> list[tuple[object, ...]]:
    """The features of word i as the documentation has them, in their order."""
    words = {n: forms[i + n] if 0 <= i + n < len(forms) else None for n in range(-2, 3)}

    def low(n: int) -> object:
        word = words[n]
        return None if word is None else word.lower()

    def suffix(n: int, length: int) -> object:
        word = words[n]
        return None if word is None else word.lower()[-length:]

    def shape(n: int) -> object:
        w = words[n]
        if w is None:
            return None
        kinds = (w.islower(), w.istitle(), w.isupper(), w.isalpha(), w.isdigit(), w.isalnum())
        return (*kinds, w[:1].isdigit(), "-" in w)

    last, second = (tags[-n] if len(tags) >= n else None for n in (1, 2))
    features: list[tuple[object, ...]] = [
        (low(0),), (words[0],), *((suffix(0, n),) for n in (1, 2, 3, 4)),
        *((str(low(0))[:n],) for n in (1, 2, 3)), (shape(0),),
        (low(-1),), (low(1),), (low(-2),), (low(2),), (suffix(-1, 3),), (suffix(1, 3),),
        (low(-1), low(0)), (low(0), low(1)), (shape(-1), shape(0)), (suffix(0, 2), suffix(1, 2)),
        (last,), (last, second), (low(0), last), (suffix(0, 3), last), (low(1), last),
    ]  # fmt: skip
    return [(number, *feature) for number, feature in enumerate(features)]


def naive_tags(train: Sequence[Tree], others: Sequence[Tree], seed: int) -> tuple[list[Tags], list[Tags]]:
    parts = np.random.default_rng(seed).permutation(np.arange(len(train)) % FOLDS).tolist()
    jackknifed: list[Tags] = [()] * len(train)
    for fold in range(FOLDS):
        indices = [i for i, part in enumerate(parts) if part != fold]
        tagger = NaiveTagger(train, np.random.default_rng((seed, fold)), indices)
        for i, part in enumerate(parts):
            if part == fold:
                jackknifed[i] = tagger.tags(train[i].forms)
    tagger = NaiveTagger(train, np.random.default_rng((seed, FOLDS)), range(len(train)))
    return jackknifed, [tagger.tags(tree.forms) for tree in others]


def accuracy(trees: Sequence[Tree], tags: Sequence[Tags]) -> float:
    pairs = [
        pair for tree, upos in zip(trees, tags, strict=True) for pair in zip(tree.upos, upos, strict=True)
    ]
    return sum(gold == tag for gold, tag in pairs) / len(pairs)


def noisy(trees: Sequence[Tree], seed: int) -> list[Tree]:
    """The trees with some tags and some forms exchanged, so that there is something to get wrong."""
    chance = random.Random(seed)

    def changed(column: tuple[str, ...], share: float, values: Sequence[str]) -> tuple[str, ...]:
        return tuple(chance.choice(values) if chance.random() < share else value for value in column)

    return [
        replace(
            tree,
            upos=changed(tree.upos, 0.1, ("NOUN", "VERB", "X")),
            forms=changed(tree.forms, 0.2, ("A-1", "3rd", "UN", "ist", "é")),
        )
        for tree in trees
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_its_tags_are_those_of_its_twin(demo: tuple[list[Tree], list[Tree]], seed: int) -> None:
    train, test = noisy(demo[0][:12], seed), noisy(demo[1][:12], seed)
    found, expected = predict_tags(train, test, seed), naive_tags(train, test, seed)
    assert found == expected
    assert 0.3 < accuracy(train, found[0]) < 1
    assert 0.3 < accuracy(test, found[1]) < 1


@pytest.mark.parametrize(("sentences", "tag"), [(30, "ZZZ"), (30, "AAA"), (5, "AAA")])
def test_a_sentence_is_never_tagged_by_its_own_tags(
    demo: tuple[list[Tree], list[Tree]], sentences: int, tag: str
) -> None:
    """Other tags of a sentence never change its predicted tags, but those of other sentences."""
    train = demo[0][:sentences]
    before, _ = predict_tags(train, [], 3)
    for changed, tree in enumerate(train[:5]):
        planted = [*train[:changed], replace(tree, upos=(tag,) * len(tree)), *train[changed + 1 :]]
        after, _ = predict_tags(planted, [], 3)
        assert after[changed] == before[changed]
        assert after != before


def test_of_other_sentences_it_sees_the_forms_alone(demo: tuple[list[Tree], list[Tree]]) -> None:
    train, test = demo[0][:40], demo[1][:20]
    blind = [Tree(tree.forms, ("X",) * len(tree)) for tree in test]
    bare = [Tree(tree.forms, tree.upos) for tree in train]
    assert predict_tags(bare, blind, 1) == predict_tags(train, test, 1)
    assert predict_tags(train, test[5:9], 1)[1] == predict_tags(train, test, 1)[1][5:9]


@pytest.mark.parametrize("sentences", [1, 2, 3])
def test_tiny_treebanks(demo: tuple[list[Tree], list[Tree]], sentences: int) -> None:
    train, test = demo[0][:sentences], demo[1][:4]
    jackknifed, tags = predict_tags(train, test, 1)
    assert [len(tree) for tree in (*train, *test)] == [len(upos) for upos in (*jackknifed, *tags)]
    known = {tag for tree in train for tag in tree.upos}
    assert {tag for upos in tags for tag in upos} <= known
    if sentences == 1:
        assert jackknifed == [(NO_TAG,) * len(train[0])]
    else:
        assert NO_TAG not in {tag for upos in jackknifed for tag in upos}

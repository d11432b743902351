"""The token classifier: its features looked up one by one, its training as a plain averaged perceptron."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from small_treebanks import demo_treebank

from learnability.parsing import token_classifier
from learnability.parsing.encoding import encode_heads, encode_tokens
from learnability.parsing.token_classifier import (
    COLUMNS_WITH_ENDINGS,
    ENDING_TEMPLATES,
    TEMPLATES,
    class_margins,
    classify,
    feature_keys,
    number_keys,
    slot_of,
    train_classifier,
)
from learnability.treebanks.sentence import Tree


@pytest.fixture(scope="module")
def trees() -> list[Tree]:
    """Training trees of the bundled treebank."""
    return [sentence.tree for sentence in demo_treebank().train]


def small_tree() -> Tree:
    """It was in the old house here ."""
    return Tree(
        ("It", "was", "in", "the", "old", "house", "here", "."),
        ("PRON", "AUX", "ADP", "DET", "ADJ", "NOUN", "ADV", "PUNCT"),
        (6, 6, 6, 6, 6, 0, 6, 6),
        ("nsubj", "cop", "case", "det", "amod", "root", "advmod", "punct"),
    )


def atoms_of(tree: Tree, token: int) -> dict[str, object]:
    """The atoms of the features of a token, looked up one by one."""

    def word(i: int | None) -> dict[str, str]:
        if i is None or i > len(tree):
            return dict.fromkeys("wt23", "ABSENT")
        if i == 0:
            return dict.fromkeys("wt23", "ROOT")
        form = tree.forms[i - 1]
        return {"w": form, "t": tree.upos[i - 1], "2": form[-2:], "3": form[-3:]}

    head = tree.heads[token - 1]
    left = [d for d in range(1, token) if tree.heads[d - 1] == token]
    right = [d for d in range(token + 1, len(tree) + 1) if tree.heads[d - 1] == token]
    at = {
        "i": token,
        "h": head,
        "g": tree.heads[head - 1] if head else None,
        "b": token - 1,
        "a": token + 1,
        "l": left[-1] if left else None,
        "r": right[0] if right else None,
        "e": left[0] if left else None,
        "f": right[-1] if right else None,
    }
    found: dict[str, object] = {}
    for name, i in at.items():
        for letter, value in word(i).items():
            found[f"{letter}{name}"] = value
    found["#side"] = "root" if head == 0 else head > token
    found["#distance"] = min(abs(head - token), 5), head > token
    found["#left"], found["#right"] = min(len(left), 2), min(len(right), 2)
    return found


@pytest.mark.parametrize("templates", [TEMPLATES, ENDING_TEMPLATES], ids=["words", "endings"])
def test_features_are_what_the_templates_say(trees: list[Tree], templates: Sequence[str]) -> None:
    """Two tokens share a feature's key exactly if they agree on all its atoms."""
    trees = [small_tree(), *trees[:60]]
    corpus = encode_tokens(trees, columns=COLUMNS_WITH_ENDINGS)
    keys = feature_keys(corpus, encode_heads(corpus, [tree.heads for tree in trees]), templates)
    atoms = [atoms_of(tree, token) for tree in trees for token in range(1, len(tree) + 1)]
    assert keys.shape == (len(atoms), len(templates))
    values: dict[tuple[int, object], set[int]] = defaultdict(set)
    for own, row in zip(atoms, keys.tolist(), strict=True):
        for number, template in enumerate(templates):
            values[number, tuple(own[atom] for atom in template.split())].add(row[number])
    assert all(len(found) == 1 for found in values.values())
    assert len({key for found in values.values() for key in found}) == len(values)


def slow_perceptron(
    keys: np.ndarray, gold: list[int], classes: int, seed: int
) -> dict[tuple[int, int], float]:
    """Averaged weights by (key, class), summed up after every step."""
    weights: dict[tuple[int, int], float] = defaultdict(float)
    total: dict[tuple[int, int], float] = defaultdict(float)
    generator = np.random.default_rng(seed)
    steps = 0
    for _ in range(token_classifier.ITERATIONS):
        for token in generator.permutation(len(keys)):
            steps += 1
            own = keys[token].tolist()
            scores = [sum(weights.get((key, k), 0.0) for key in own) for k in range(classes)]
            best = scores.index(max(scores))
            if best != gold[token]:
                for key in own:
                    for k, amount in ((gold[token], 1.0), (best, -1.0)):
                        weights[key, k] += amount
                        total[key, k] += amount * steps
    return {at: weights[at] - total[at] / steps for at in weights}


def test_training_is_the_averaged_perceptron(trees: list[Tree], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_classifier, "ITERATIONS", 2)
    corpus = encode_tokens(trees[:8])
    heads = encode_heads(corpus, [tree.heads for tree in trees[:8]])
    names = sorted({name for tree in trees[:8] for name in tree.deprels})
    gold = [names.index(name) for tree in trees[:8] for name in tree.deprels]
    weights = train_classifier(corpus, heads, np.array(gold, np.int32), len(names), 4)
    keys = feature_keys(corpus, heads)
    expected = slow_perceptron(keys, gold, len(names), 4)
    updated = {key for key, _ in expected}
    for key in {*keys.ravel().tolist(), 1 << 40}:
        entry = int(weights.slots[slot_of(weights.slots, np.uint64(key))])
        assert (entry != 0) == (key in updated)
        if entry:
            own = [expected.get((key, k), 0.0) for k in range(len(names))]
            row = weights.weight[entry & 0xFFFFFFFF, : len(names)]
            assert row.tolist() == np.array(own, np.float32).tolist()
    assert len(weights.weight) < len(updated) / 2  # features of the same tokens have one row
    found = classify(weights, corpus, heads).tolist()
    for own_keys, chosen in zip(keys.tolist(), found, strict=True):
        scores = [sum(expected.get((key, k), 0.0) for key in own_keys) for k in range(len(names))]
        assert max(scores) - scores[chosen] < 1e-3
    assert len(set(found)) > 5


def test_a_table_that_is_nearly_full() -> None:
    """Keys whose slots are the same, and a key that is not among them."""
    keys = np.arange(1, 8, dtype=np.uint64)[:, None]
    slots, number, known = np.zeros(8, np.uint64), np.zeros((7, 1), np.int32), np.zeros(7, np.uint64)
    assert number_keys(np.concatenate((keys, keys[::-1])), slots, np.zeros((14, 1), np.int32), known) == 7
    assert known.tolist() == keys[:, 0].tolist()
    assert slots[slot_of(slots, np.uint64(99))] == 0
    assert number_keys(keys[::-1].copy(), np.zeros(8, np.uint64), number, known) == 7
    assert number[:, 0].tolist() == list(range(7))


def test_margins_of_classes_compare_with_the_best_other_class(trees: list[Tree]) -> None:
    sample = trees[:40]
    corpus = encode_tokens(sample)
    heads = encode_heads(corpus, [tree.heads for tree in sample])
    names = sorted({deprel for tree in sample for deprel in tree.deprels})
    gold = np.array([names.index(deprel) for tree in sample for deprel in tree.deprels], np.int32)
    weights = train_classifier(corpus, heads, gold, len(names))
    keys, rows = feature_keys(corpus, heads), []
    for token in keys:
        numbers = [int(weights.slots[slot_of(weights.slots, key)] & np.uint64(0xFFFFFFFF)) for key in token]
        rows.append(sum(weights.weight[number, : len(names)].astype(float) for number in numbers))
    scores = np.array(rows)
    asked = gold.copy()
    asked[::7] = (asked[::7] + 1) % len(names)
    asked[::11] = -1
    found = class_margins(weights, feature_keys(corpus, heads), asked)
    for token, number in enumerate(asked):
        others = [scores[token, k] for k in range(len(names)) if k != number]
        mine = scores[token, number] if number >= 0 else 0.0
        assert found.margin[token] == pytest.approx(mine - max(others), abs=1e-3)
        assert scores[token, found.rival[token]] == pytest.approx(max(others), abs=1e-3)
        assert found.rival[token] != number


def test_a_single_class_has_no_rival() -> None:
    tree = small_tree()
    corpus = encode_tokens([tree])
    heads = encode_heads(corpus, [tree.heads])
    gold = np.zeros(len(tree), np.int32)
    found = class_margins(train_classifier(corpus, heads, gold, 1), feature_keys(corpus, heads), gold)
    assert np.isinf(found.margin).all()
    assert (found.rival == 0).all()


def test_a_head_that_is_asked_about_is_seen_in_place_of_the_annotated_one(trees: list[Tree]) -> None:
    corpus = encode_tokens(trees[:20])
    heads = encode_heads(corpus, [tree.heads for tree in trees[:20]])
    of_heads = ("wh", "tg", "ti th #side", "#distance wi")
    of_others = ("wl wr", "te tf", "#left #right", "tb ta")
    tokens, draw = corpus.rows_of_tokens(), np.random.default_rng(1)
    own = heads[tokens]
    assert (feature_keys(corpus, heads, TEMPLATES, own) == feature_keys(corpus, heads)).all()
    lengths = np.repeat(corpus.length, corpus.length)
    above = (draw.random(len(own)) * (lengths + 1)).astype(np.int32)
    asked = feature_keys(corpus, heads, of_heads, above)
    same = feature_keys(corpus, heads, of_others, above)
    assert (same == feature_keys(corpus, heads, of_others)).all()
    assert (asked != feature_keys(corpus, heads, of_heads)).any(axis=1).sum() > len(own) / 2
    for token in draw.choice(len(own), 50, replace=False).tolist():
        changed = heads.copy()
        changed[tokens[token]] = above[token]
        if above[token] != tokens[token] - np.repeat(corpus.start, corpus.length)[token]:  # its own head
            assert (feature_keys(corpus, changed, of_heads)[token] == asked[token]).all()

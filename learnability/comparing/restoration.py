"""Learn a way back from an annotation to another one, and count what it does not restore.

An annotation that is simpler is easier to learn. A restorer sees gold trees of the alternative, words and
tags included, and predicts heads, relations and tags of the base. It learns from training trees of both. What
it gets wrong is what the alternative does not say, as far as a simple model can tell. It is the way back of
pairs that no rule converts; those of rules have one of their own (:mod:`learnability.comparing.conversion`).

Heads are chosen by a log-linear model among the words around a token in the alternative tree
(:mod:`learnability.comparing.head_choice`), relations (without subtypes) and tags by a classifier of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.annotation import Columns
from learnability.comparing.head_choice import choose_heads, train_head_choice
from learnability.metrics.flat import BoolArray
from learnability.parsing.encoding import Corpus, encode_heads
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.token_classifier import classify, train_classifier
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

MOST_TRAINED = 1_500
"""The most sentences that a restorer learns from: the first ones."""

BothTrees = tuple[Tree, Tree]
"""The trees of a sentence in the base and in the alternative."""


def find_restored(
    train: Sequence[BothTrees], test: Sequence[BothTrees], columns: Columns
) -> dict[Columns, BoolArray]:
    """Return for each of the columns which words of a test set a restorer gives back.

    The same trees give the same words.
    """
    train = train[:MOST_TRAINED]
    restored = {}
    if Columns.HEADS in columns:
        found = choose_heads(train_head_choice(train), [alternative for _, alternative in test])
        gold = [head for base, _ in test for head in base.heads]
        restored[Columns.HEADS] = np.array(found, np.int32) == np.array(gold, np.int32)
    for column, values_of in _VALUES.items():
        if column in columns:
            restored[column] = _find_restored_values(train, test, values_of)
    return restored


Values = Callable[[Tree], Sequence[str]]

_VALUES: dict[Columns, Values] = {
    Columns.RELATIONS: lambda tree: tuple(map(universal, tree.deprels)),
    Columns.UPOS: lambda tree: tree.upos,
    Columns.XPOS: lambda tree: tree.xpos,
    Columns.FEATS: lambda tree: tree.feats,
}
"""The columns whose values are predicted."""


def _find_restored_values(
    train: Sequence[BothTrees], test: Sequence[BothTrees], values_of: Values
) -> BoolArray:
    learned = [value for base, _ in train for value in values_of(base)]
    names = sorted(set(learned))
    number = {name: place for place, name in enumerate(names)}
    gold = [number.get(value, -1) for base, _ in test for value in values_of(base)]
    corpus, heads = _encode_alternatives(train)
    weights = train_classifier(
        corpus, heads, np.array([number[name] for name in learned], np.int32), len(names)
    )
    found = classify(weights, *_encode_alternatives(test))
    meanings = _single_meanings(train, values_of)
    for place, value in enumerate(value for _, tree in test for value in values_of(tree)):
        if value in meanings:
            found[place] = number[meanings[value]]
    right: BoolArray = found == np.array(gold, np.int32)
    return right


def _single_meanings(train: Sequence[BothTrees], values_of: Values) -> dict[str, str]:
    meanings: dict[str, set[str]] = {}
    for base, alternative in train:
        for value, meaning in zip(values_of(alternative), values_of(base), strict=True):
            meanings.setdefault(value, set()).add(meaning)
    return {value: found.pop() for value, found in meanings.items() if len(found) == 1}


def _encode_alternatives(pairs: Sequence[BothTrees]) -> tuple[Corpus, NDArray[np.int32]]:
    """Encode sentences with the heads of the alternative; tags name the relations, too, which the classifier
    does not read."""
    trees = [replace(tree, upos=tuple(map(_join, tree.upos, tree.deprels))) for _, tree in pairs]
    corpus = ParserOptions().encode(trees)
    return corpus, encode_heads(corpus, [tree.heads for tree in trees])


@cache
def _join(tag: str, relation: str) -> str:
    """Return a tag with a relation; the same text each time, because it is encoded faster."""
    return f"{tag} {relation}"

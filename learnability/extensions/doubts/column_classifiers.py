"""Classifiers of tags, features, lemmas and subtypes, which are trained on the other folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnability.extending import ClassifiedWords, Tree
from learnability.extensions.doubts.columns import (
    LEMMA,
    are_alternatives,
    doubted_words,
    values_in,
)
from learnability.extensions.doubts.results import ColumnScores, finite


def score_columns(
    train: Sequence[Tree], test: Sequence[Tree], columns: Sequence[str], seed: int
) -> list[ColumnScores]:
    """Train a classifier for each column, and return how it sees the values of the test sentences."""
    words = ClassifiedWords([*train, *test], len(train))
    return [score_column(words, column, seed) for column in columns]


def score_column(words: ClassifiedWords, column: str, seed: int) -> ColumnScores:
    """Train the classifier of a column, and return how it sees the values of the test sentences."""
    values = [value for tree in words.trees for value in values_in(tree, column)]
    doubted = np.flatnonzero(doubted_words(words.trees, column))
    before = int(np.searchsorted(doubted, words.in_training))
    tested = doubted[before:]
    scored = words.score_values(column, values, doubted[:before], tested, seed)
    could_stand = are_alternatives(column)
    order = np.argsort(-scored.scores, axis=1, kind="stable")
    rivals: dict[str, int] = {}
    margins: list[float] = []
    chosen: list[int] = []
    for i, word in enumerate(tested.tolist()):
        annotated, rival, best = values[word], None, 0.0
        for k in order[i].tolist():
            value = scored.value(i, k)
            if could_stand(value, annotated) and (value or column != LEMMA):
                rival, best = value, float(scored.scores[i, k])
                break
        number = scored.annotated[i]
        own = float(scored.scores[i, number]) if number >= 0 else 0.0
        if rival is None:
            margins.append(np.inf)
            chosen.append(rivals.setdefault(annotated, len(rivals)))
        else:
            margins.append(own - best)
            chosen.append(rivals.setdefault(rival, len(rivals)))
    return ColumnScores(column=column, margins=finite(np.array(margins)), rivals=chosen, names=list(rivals))

"""What records keep of test sentences so that a report can draw them: words, gold heads, and parses.

Only sentences that fit on a page and have a site are kept, at most `KEPT` of a treebank, evenly spread; only
those of the first seed and, in cross-validation, of the first fold. So a report needs no treebank, and the
records stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.data import Fold, contrast_of, transformation_of
from learnability.experiments.options import UD, ExperimentOptions
from learnability.treebanks.sentence import Tree

LENGTHS = range(4, 23)
"""Tokens of a sentence that can be drawn readably."""

KEPT = 300
"""Sentences kept of a treebank."""

Record = dict[str, Any]


def original_sentences(fold: Fold, options: ExperimentOptions, predicted: NDArray[np.int32]) -> list[Record]:
    """The sentences with their gold trees and the heads predicted by the parser of (a).

    `predicted`: int32[rows of the test corpus].
    """
    parses = _parses(fold, predicted)
    return [
        {
            "index": index,
            "sent_id": fold.treebank.test[index].sent_id,
            "forms": list((tree := _side(fold, options, options.against, index)).forms),
            "upos": list(tree.upos),
            "heads": list(tree.heads),
            "deprels": list(tree.deprels),
            "predicted": parses[index],
        }
        for index in kept_sentences(fold, options.conditions, options.against)
    ]


def transformed_sentences(
    fold: Fold,
    options: ExperimentOptions,
    condition: str,
    heads: Sequence[Sequence[int]],
    predicted: NDArray[np.int32],
) -> list[Record]:
    """Of the same sentences those that differ from (a): gold heads and those of the parser of (b).

    `heads`: the transformed heads of every test sentence; `predicted`: int32[rows of the test corpus]. The
    relations are kept, too, where they do not follow from those of UD.
    """
    parses = _parses(fold, predicted)
    found: list[Record] = []
    for index in kept_sentences(fold, options.conditions, options.against):
        if tuple(heads[index]) == tuple(_side(fold, options, options.against, index).heads):
            continue
        found.append({"index": index, "heads": list(heads[index]), "predicted": parses[index]})
        if options.against != UD or options.labels == "external":
            found[-1]["deprels"] = list(_side(fold, options, condition, index).deprels)
    return found


def _side(fold: Fold, options: ExperimentOptions, side: str, index: int) -> Tree:
    """A test sentence under UD or another scheme, labelled as the parsers are trained."""
    tree = fold.test[index]
    if side == UD:
        return tree
    rule = transformation_of(side, fold.treebank.conventions)
    return rule.apply(tree, labels=options.labels or "keep")


@lru_cache(maxsize=2)
def kept_sentences(fold: Fold, conditions: tuple[str, ...], against: str = UD) -> tuple[int, ...]:
    """The test sentences that are kept, by index."""
    rules = [contrast_of(against, condition, fold.treebank.conventions) for condition in conditions]
    found = [
        index
        for index, tree in enumerate(fold.test)
        if len(tree) in LENGTHS and any(rule.sites(tree) for rule in rules)
    ]
    if len(found) <= KEPT:
        return tuple(found)
    return tuple(found[i * len(found) // KEPT] for i in range(KEPT))


def _parses(fold: Fold, predicted: NDArray[np.int32]) -> list[list[int]]:
    """The predicted heads of every test sentence."""
    corpus = fold.test_corpus
    bounds = np.cumsum(corpus.length)[:-1]
    return [part.tolist() for part in np.split(predicted[corpus.rows_of_tokens()], bounds)]

"""Closest-reference scores: a parse against that of a sentence's references which it resembles most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learnability.metrics.scores import Score
from learnability.multiref.references import ReferenceSet
from learnability.treebanks.sentence import Tree


def closest_correct(sets: Sequence[ReferenceSet], parsed: Sequence[Tree], score: Score) -> NDArray[np.int64]:
    """int64[sentences]: right tokens against the closest reference (docs/rules.md, Scores and uncertainty).

    That is, the best option of each factor plus the tokens outside. For LAS the sets must be labelled.
    """
    pairs = zip(sets, parsed, strict=True)
    return np.array([_most(references, score.of_tree(tree), score) for references, tree in pairs], np.int64)


def _most(references: ReferenceSet, guess: Sequence[object], score: Score) -> int:
    """The right tokens of one parse, whose arcs are `guess`."""
    right = [a == b for a, b in zip(guess, score.of_tree(references.tree), strict=True)]

    def count(tokens: Sequence[int], heads: Sequence[int], labels: Sequence[str]) -> int:
        wanted = zip(tokens, score.arcs(heads, labels), strict=True)
        return sum(guess[token - 1] == arc for token, arc in wanted)

    return sum(right) + sum(
        factor.most(count) - sum(right[token - 1] for token in factor.tokens) for factor in references.factors
    )

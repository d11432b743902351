"""Nucleus attachment: scores on common ground for schemes that move heads inside a nucleus.

A nucleus is a content word with its function words (docs/rules.md, Scores and uncertainty): the
closure of the dependents labelled case, det, mark, cop, aux (v1 also auxpass) and of the parts of flat,
name, fixed, mwe and goeswith expressions, in gold UD. Which of a nucleus' words is its head is what schemes
disagree on; which nucleus hangs on which they share. So the arcs between nuclei can be scored
alike whatever the scheme of the parser's output: for gold UD trees and for gold transformed trees they
are the same. Not for `cc`, `conj` and `punct`, which move heads across nuclei: not defined there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnability.errors import InputError
from learnability.metrics.flat import (
    FlatTrees,
    IntArray,
    climb,
    flatten,
    flatten_trees,
    from_arrays,
    sentence_sums,
)
from learnability.treebanks.labels import FLAT_EXPRESSIONS, FUNCTION_WORDS, universal
from learnability.treebanks.sentence import AnyTrees, Sentence, Tree, trees_of

NUCLEUS_LABELS = FUNCTION_WORDS | FLAT_EXPRESSIONS
"""Universal parts of the deprels (v1 and v2) with which a token belongs to the nucleus of its head."""


Parses = Sequence[Tree | Sentence | Sequence[int]] | IntArray


@dataclass(frozen=True, eq=False)
class Nuclei:
    """The nuclei of a corpus and the gold arcs between them.

    Attributes:
        trees: the gold UD trees.
        nucleus: int64[N], for every token the flat index of its nucleus' content word.
        heads: int64[M], for every nucleus (in the order of `content`) the content word of the nucleus
            it hangs on, -1 for the root.
        content: int64[M], the content words, ascending.
    """

    trees: FlatTrees
    nucleus: IntArray
    heads: IntArray
    content: IntArray


@dataclass(frozen=True, eq=False)
class NucleusScores:
    """Per sentence, the nuclei attached to the right nucleus and all nuclei: int64[S] each."""

    correct: IntArray
    total: IntArray

    @property
    def uas(self) -> float:
        """Nucleus UAS in percent, punctuation included; nan without nuclei."""
        total = int(self.total.sum())
        return 100.0 * int(self.correct.sum()) / total if total else float("nan")


def find_nuclei(gold: AnyTrees) -> Nuclei:
    """The nuclei of gold UD trees (not of transformed ones).

    A token with one of NUCLEUS_LABELS belongs to the nucleus of its head, transitively; any other
    token, and a root word whatever its label, is the content word of a nucleus of its own.
    Raises InputError on a cycle or a head outside its sentence.
    """
    gold = trees_of(gold)
    trees = flatten_trees(gold)
    labels = (universal(deprel) in NUCLEUS_LABELS for tree in gold for deprel in tree.deprels)
    inside = np.fromiter(labels, np.bool_, trees.tokens) & (trees.parent >= 0)
    nucleus, _ = climb(trees, np.arange(trees.tokens, dtype=np.int64), lambda at: inside[at])
    content = np.flatnonzero(~inside)
    return Nuclei(trees, nucleus, _heads_of_nuclei(trees, nucleus, content), content)


def nucleus_heads(nuclei: Nuclei, predicted: Parses) -> IntArray:
    """int64[M]: the content word of the nucleus on which `predicted` hangs each nucleus, -1 = root.

    The head of a nucleus is the nucleus of the first word outside it that is met when the
    predicted heads are followed from its content word. `predicted` is a tree or a head vector per sentence,
    or int[N]. Raises InputError if the tokens are not those of `nuclei`, or on a cycle.
    """
    if isinstance(predicted, np.ndarray):
        trees = from_arrays(predicted, nuclei.trees.offsets)
    else:
        trees = flatten(
            [trees_of(one)[0].heads if isinstance(one, Tree | Sentence) else one for one in predicted]
        )
        if not np.array_equal(trees.offsets, nuclei.trees.offsets):
            raise InputError(
                "predicted and gold sentences differ in length: compare parses of the same tokens"
            )
    return _heads_of_nuclei(trees, nuclei.nucleus, nuclei.content)


def nucleus_scores(gold: Nuclei | AnyTrees, predicted: Parses) -> NucleusScores:
    """The score of `predicted` (see `nucleus_heads`) against gold UD, or its nuclei, per sentence.

    `predicted` may follow UD or any scheme that only moves heads within nuclei.
    """
    nuclei = gold if isinstance(gold, Nuclei) else find_nuclei(gold)
    is_content = np.isin(np.arange(nuclei.trees.tokens), nuclei.content)
    right = is_content.copy()
    right[nuclei.content] = nucleus_heads(nuclei, predicted) == nuclei.heads
    offsets = nuclei.trees.offsets
    return NucleusScores(sentence_sums(right, offsets), sentence_sums(is_content, offsets))


def _heads_of_nuclei(trees: FlatTrees, nucleus: IntArray, content: IntArray) -> IntArray:
    head, _ = climb(trees, trees.parent[content], lambda at: (at >= 0) & (nucleus[at] == content))
    return np.where(head >= 0, nucleus[head], -1)

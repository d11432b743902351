"""UAS and LAS as values of one type: what counts as right for a token, and how often a parse has it.

Both are the official scorer's, punctuation included: UAS asks for the head, LAS for the head and the relation
without its subtype. In transformed trees with external labels a complement has the deprel ``comp:<label>``;
there the subtypes of <label> are left out (``comp:aux:pass`` counts as ``comp:aux``), so that such a tree has
no fewer relations than UD to get right.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import StrEnum
from functools import cache

import numpy as np

from learnability.metrics.flat import BoolArray, IntArray, sentence_sums
from learnability.treebanks.labels import COMPLEMENT, PUNCT, complement_of, universal
from learnability.treebanks.sentence import Tree

FEWEST_SENTENCES, FEWEST_SITES = 6, 10
"""Test sentences, and sites (or tokens of a group) in them, below which no difference is tested."""


class Score(StrEnum):
    """What a parse is scored by."""

    UAS = "uas"
    LAS = "las"

    def arcs(self, heads: Sequence[int], deprels: Sequence[str]) -> Sequence[Hashable]:
        """Per token what has to be right: its head, or its head and scored label."""
        if self is Score.UAS:
            return heads
        return list(zip(heads, map(scored_label, deprels), strict=True))

    def of_tree(self, tree: Tree) -> Sequence[Hashable]:
        """:meth:`arcs` of a tree."""
        return self.arcs(tree.heads, tree.deprels)


def scores_of(*, labelled: bool) -> tuple[Score, ...]:
    """The scores that parsers have: LAS only if they are labelled."""
    return (Score.UAS, Score.LAS) if labelled else (Score.UAS,)


@cache
def scored_label(deprel: str) -> str:
    """The part of a deprel that LAS looks at."""
    complement = complement_of(deprel)
    return COMPLEMENT + universal(complement) if complement else universal(deprel)


def right_tokens(gold: Sequence[Tree], parsed: Sequence[Tree], score: Score) -> BoolArray:
    """bool[tokens]: which tokens of the parses are right, sentence after sentence."""
    return np.array(
        [
            a == b
            for tree, parse in zip(gold, parsed, strict=True)
            for a, b in zip(score.of_tree(tree), score.of_tree(parse), strict=True)
        ],
        np.bool_,
    )


def are_words(gold: Sequence[Tree]) -> BoolArray:
    """bool[tokens]: which tokens are not labelled as punctuation, sentence after sentence."""
    return np.array([universal(label) not in PUNCT for tree in gold for label in tree.deprels], np.bool_)


def per_sentence(right: BoolArray, trees: Sequence[Tree]) -> IntArray:
    """int64[sentences]: how many tokens of each tree are right; `right`: bool[tokens]."""
    return sentence_sums(right, np.cumsum([0, *map(len, trees)]))


def correct_tokens(gold: Sequence[Tree], parsed: Sequence[Tree], score: Score) -> IntArray:
    """int64[sentences]: the right tokens of each parse."""
    return per_sentence(right_tokens(gold, parsed, score), gold)


def enough(sentences: int, sites: int) -> bool:
    """Whether a test part can tell anything: enough sentences, and sites (or tokens) to get wrong."""
    return sentences >= FEWEST_SENTENCES and sites >= FEWEST_SITES

"""Define the scores of a parse as values of one type, with all that distinguishes them.

A score says what makes a token right, which tokens count, whether it needs labels, and how it is called.
Nothing outside asks which score it is.

UAS and LAS follow the official scorer and include punctuation: UAS requires the right head, LAS the right
head and relation without subtype. In transformed trees with external labels a complement has the deprel
``comp:<label>``. There the subtypes of <label> are ignored (``comp:aux:pass`` counts as ``comp:aux``), so
that such a tree has no fewer relations than UD to get right.

CLAS (Zeman et al. 2018) is LAS of content words alone: what counts are the words that have a content
relation in the gold tree, and those that have one in the parse. The official scorer knows v2 labels only, so
on v1 data it silently drops `dobj`, `neg`, `nsubjpass`, ... Here CLAS first maps v1 labels to their v2
successors. As in the official scorer, labels that neither version knows are not content labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from operator import eq
from typing import NamedTuple

import numpy as np

from learnability.metrics.flat import BoolArray, IntArray, sentence_sums
from learnability.treebanks.labels import CLAS_CONTENT, COMPLEMENT, PUNCT, complement_of, to_v2, universal
from learnability.treebanks.sentence import Tree


class Fewest(NamedTuple):
    """Count test sentences, and places (or tokens of a group) in them."""

    sentences: int
    places: int


FEWEST = Fewest(sentences=6, places=10)
"""The fewest with which a difference is tested."""


class Score(StrEnum):
    """Hold a score of a parse."""

    UAS = "uas"
    LAS = "las"
    CLAS = "clas"

    @property
    def needs_labels(self) -> bool:
        """Return whether relations have to be right, too, so that parsers without labels do not have it."""
        return self is not Score.UAS

    @property
    def is_answered(self) -> bool:
        """Return whether runs give an answer by it; the others are shown beside."""
        return self is not Score.CLAS

    @property
    def counts_every_token(self) -> bool:
        """Return whether each token counts once; if not, parses differ in what counts (`sentence_counts`)."""
        return self is not Score.CLAS

    @property
    def correct(self) -> str:
        return "head and relation" if self.needs_labels else "head"

    @property
    def qualification(self) -> str:
        """Return what sentences add where a labelled run is about this score; empty for the first score."""
        return f"with relations ({self.upper()})" if self.needs_labels else ""

    def name_figure(self, name: str, title: str) -> tuple[str, str]:
        """Return the name and the title of a figure of the score."""
        return f"{self.prefix}{name}", f"{title}, {self.upper()}" if self.needs_labels else title

    @property
    def prefix(self) -> str:
        """Return the prefix of names that the first score does not have: `las_`."""
        return f"{self}_" if self.needs_labels else ""

    @classmethod
    def answered(cls, *, labelled: bool) -> tuple[Score, ...]:
        """Return the scores of parsers by which runs give answers, the first one first."""
        return tuple(score for score in scores_of(labelled=labelled) if score.is_answered)

    @staticmethod
    @cache
    def label(deprel: str) -> str:
        """Return the part of a deprel that LAS compares."""
        complement = complement_of(deprel)
        return COMPLEMENT + universal(complement) if complement else universal(deprel)

    def count_token(
        self, gold: str, parsed: str, upos: str, right_head: bool, label: Callable[[str], str] | None = None
    ) -> tuple[int, int]:
        """Return what a token adds to what is right, and to what counts.

        Of CLAS, a word counts once in the gold tree and once in the parse, so the ratio of the sums is F1.

        Args:
            gold: its deprel in the gold tree.
            parsed: its deprel in the parse.
            upos: its gold UPOS.
            right_head: whether the parse has the gold head.
            label: the part of a relation that counts; default: that of the score.
        """
        if self.counts_every_token:
            label = label or self.label
            return right_head and (not self.needs_labels or label(gold) == label(parsed)), 1
        first, second = (
            content_label(tuple(label(deprel).split("/")) if label else (deprel,), upos)
            for deprel in (gold, parsed)
        )
        is_right = right_head and first != "" and first == second
        return 2 * is_right, (first != "") + (second != "")


FIRST_SCORE = Score.UAS
"""The score that every parser has."""

ANSWERED = tuple(score for score in Score if score.is_answered)
"""The scores by which runs give answers, the first one first."""


def scores_of(*, labelled: bool) -> tuple[Score, ...]:
    """Return the scores that apply to parsers: those that need labels only if they are labelled."""
    return tuple(score for score in Score if labelled or not score.needs_labels)


def right_tokens(
    gold: Sequence[Tree], parsed: Sequence[Tree], score: Score, label: Callable[[str], str] | None = None
) -> BoolArray:
    """Return bool[tokens], whether each is right by a score; `label`: the part of a relation that counts."""
    return _count_tokens(gold, parsed, score, label)[:, 0].astype(np.bool_)


def _count_tokens(
    gold: Sequence[Tree], parsed: Sequence[Tree], score: Score, label: Callable[[str], str] | None
) -> IntArray:
    if not score.needs_labels:  # as below, without a call per token
        right: list[bool] = []
        for tree, parse in zip(gold, parsed, strict=True):
            right += [head == found for head, found in zip(tree.heads, parse.heads, strict=True)]
        return np.stack([np.array(right, np.int64), np.ones(len(right), np.int64)], axis=1)
    counts: list[tuple[int, int]] = []
    for tree, parse in zip(gold, parsed, strict=True):
        right_heads = map(eq, tree.heads, parse.heads)
        tokens = zip(tree.deprels, parse.deprels, tree.upos, right_heads, strict=True)
        counts += [score.count_token(*token, label) for token in tokens]
    return np.array(counts, np.int64).reshape(-1, 2)


class ScoredSentences(NamedTuple):
    """Hold what a parse has right, out of what counts, in each sentence.

    Attributes:
        right: int64[sentences], the right tokens; of CLAS, each in the gold tree and in the parse, so twice.
        counted: int64[sentences], those that count; None where each token counts once. Of CLAS, the content
            words of the gold tree plus those of the parse: the ratio of the sums is F1.
    """

    right: IntArray
    counted: IntArray | None = None


def sentence_counts(
    gold: Sequence[Tree], parsed: Sequence[Tree], score: Score, label: Callable[[str], str] | None = None
) -> ScoredSentences:
    """Return what a score counts in each sentence; for `label` see :func:`right_tokens`."""
    counts, offsets = _count_tokens(gold, parsed, score, label), np.cumsum([0, *map(len, gold)])
    right, counted = (sentence_sums(column, offsets) for column in counts.T)
    return ScoredSentences(right, None if score.counts_every_token else counted)


@cache
def content_label(deprels: tuple[str, ...], upos: str) -> str:
    """Return what CLAS compares of a word; empty if it is no content word.

    `deprels`: all that a merged relation stands for (`common_label`); it is one of content words if one of
    them is. The gold UPOS tells what v1 labels are in v2.
    """
    names = [universal(to_v2(deprel, upos)) for deprel in deprels]
    return "/".join(names) if CLAS_CONTENT.intersection(names) else ""


def common_label(deprel: str, classes: Mapping[str, str]) -> str:
    """Return the label that two annotations have in common, by their labels as LAS reads them."""
    label = Score.label(deprel)
    complement = complement_of(label)
    return COMPLEMENT + classes.get(complement, complement) if complement else classes.get(label, label)


def are_words(gold: Sequence[Tree]) -> BoolArray:
    return np.array([universal(label) not in PUNCT for tree in gold for label in tree.deprels], np.bool_)


def per_sentence(right: BoolArray, trees: Sequence[Tree]) -> IntArray:
    """Return int64[sentences], the number of right tokens in each tree; `right`: bool[tokens]."""
    return sentence_sums(right, np.cumsum([0, *map(len, trees)]))


def correct_tokens(gold: Sequence[Tree], parsed: Sequence[Tree], score: Score) -> IntArray:
    """Return int64[sentences], the number of right tokens in each parse."""
    return per_sentence(right_tokens(gold, parsed, score), gold)


def enough(sentences: int, places: int) -> bool:
    return sentences >= FEWEST.sentences and places >= FEWEST.places

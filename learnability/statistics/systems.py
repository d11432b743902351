"""Compare two parses of the same sentences: overall, by relation, UPOS and sentence length.

Differences, intervals and p values follow `learnability.statistics.significance`; each parse counts as the
result of one training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from learnability.metrics.attachment import pair_sentences
from learnability.metrics.flat import BoolArray, IntArray, sentence_sums
from learnability.metrics.scores import ANSWERED, Score, are_words, enough, right_tokens
from learnability.statistics.holm import holm
from learnability.statistics.inference import Side, side, winner
from learnability.statistics.significance import compare
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import AnyTrees, Sentence

LENGTHS = (10, 20, 30, 40)
"""The largest number of tokens in each class of sentence lengths; the last class is open."""


BETTER: dict[str, str] = {Side.FIRST: "first", Side.SECOND: "second"}
"""The names of the sides of `inference.side`, for two parses."""

Kind = Literal["all", "relation", "upos", "length"]


@dataclass(frozen=True)
class GroupComparison:
    """Count how many tokens of a group two parses get right.

    Attributes:
        by: the grouping: all, relation, upos or length (of the token's sentence).
        group: the universal relation or the tag in the gold tree, ``11-20``, ``all tokens`` or ``without
            punctuation``.
        score: uas or las.
        sentences, tokens: the number of sentences with tokens of the group, and of these tokens.
        first, second: the scores in percent.
        delta: first - second, in points.
        low, high: the 95 % interval of `delta`; None, as are all fields below, with fewer than 10 tokens or 6
            sentences.
        p_value: p of delta = 0.
        p_holm: p after Holm's correction for the groups of the same kind and score.
        p_equal: p of a difference of half a point or more, corrected in the same way; at half the level, so
            that the 95 % interval lies within half a point on both sides of 0 where it is below 0.05.
        better: first or second where p_holm is below 0.05, else equal where p_equal is, or none
            (`inference.side`); empty if not tested.
    """

    by: Kind
    group: str
    score: Score
    sentences: int
    tokens: int
    first: float
    second: float
    delta: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    p_equal: float | None = None
    better: str = ""


def compare_parses(gold: AnyTrees, first: AnyTrees, second: AnyTrees) -> list[GroupComparison]:
    """Compare two parses of the same sentences, overall and by group.

    Args:
        gold: the gold trees: trees or sentences.
        first: a parse of each of them.
        second: another parse of each of them.

    Returns:
        A row per group and score: UAS and then LAS, in percent, with the difference in points.

    Raises:
        InputError: the sentences or their tokens differ, or there is no sentence.
    """
    sentences = list(gold) if isinstance(gold, Iterable) else [gold]
    trees, first_parses = pair_sentences(sentences, first)
    _, second_parses = pair_sentences(trees, second)
    words = ["without punctuation" if word else "" for word in are_words(trees)]
    groups: list[tuple[Kind, Sequence[str]]] = [
        ("all", ["all tokens"] * len(words)),
        ("all", words),
        ("relation", [universal(deprel) for tree in trees for deprel in tree.deprels]),
        ("upos", [tag for tree in trees for tag in tree.upos]),
        ("length", [_length(len(tree)) for tree in trees for _ in tree.forms]),
    ]
    offsets = np.cumsum([0, *map(len, trees)])
    starts = [isinstance(sentence, Sentence) and sentence.starts_document for sentence in sentences]
    documents = np.cumsum(starts)
    rows: list[GroupComparison] = []
    for score in ANSWERED:
        right = [right_tokens(trees, parses, score) for parses in (first_parses, second_parses)]
        for by, names in groups:
            rows += _correct_groups(_compare_groups(by, np.array(names), score, right, offsets, documents))
    return rows


def _compare_groups(
    by: Kind,
    names: NDArray[np.str_],
    score: Score,
    right: Sequence[BoolArray],
    offsets: IntArray,
    documents: IntArray,
) -> Iterator[GroupComparison]:
    """Compare two parses (`right`: bool[tokens] each) in each group; an empty name is no group.

    `offsets`: int64[sentences + 1], where sentences begin. `documents`: int64[sentences].
    """
    for name in sorted(filter(None, set(names.tolist()))):
        in_group = names == name
        total = sentence_sums(in_group, offsets)
        present = total > 0
        a, b = (sentence_sums(correct & in_group, offsets)[present] for correct in right)
        test = compare(a, b, total[present], documents=documents[present])
        tokens = int(in_group.sum())
        row = GroupComparison(by, name, score, test.sentences, tokens, test.score_a, test.score_b, test.delta)
        if enough(test.sentences, tokens):
            row = replace(row, low=test.low, high=test.high, p_value=test.p_value)
            row = replace(row, p_equal=min(1.0, 2 * test.p_equal))
        yield row


def _correct_groups(groups: Iterable[GroupComparison]) -> Iterator[GroupComparison]:
    rows = list(groups)
    corrected = (holm([row.p_value for row in rows]), holm([row.p_equal for row in rows]))
    for row, p_holm, p_equal in zip(rows, *corrected, strict=True):
        shown = side(winner(row.delta), p_holm, p_equal) if p_holm is not None else ""
        yield replace(row, p_holm=p_holm, p_equal=p_equal, better=BETTER.get(shown, shown))


def _length(tokens: int) -> str:
    for below, most in pairwise((0, *LENGTHS)):
        if tokens <= most:
            return f"{below + 1}-{most}"
    return f"over {LENGTHS[-1]}"

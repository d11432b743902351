"""Two parses of the same sentences held against each other: in all, by relation, UPOS and sentence length.

Differences, intervals and p values follow the one rule of `learnability.statistics.significance`, with each
parse as what one training gave.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from learnability.metrics.attachment import paired
from learnability.metrics.flat import BoolArray, IntArray, sentence_sums
from learnability.metrics.scores import Score, are_words, enough, right_tokens
from learnability.statistics.significance import Side, compare, holm, side, winner
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import AnyTrees

LENGTHS = (10, 20, 30, 40)
"""The most tokens that the sentences of each class of length have, but of the last."""


BETTER: dict[str, str] = {Side.UD: "first", Side.ALTERNATIVE: "second"}
"""What `significance.side` says, of two parses."""

Kind = Literal["all", "relation", "upos", "length"]


@dataclass(frozen=True)
class GroupComparison:
    """How many tokens of a group two parses get right.

    Attributes:
        by: what the tokens are grouped by: all, relation, upos or length (that of their sentence).
        group: the universal relation or the tag in the reference, ``11-20``, ``all tokens`` or ``without
            punctuation``.
        score: uas or las.
        sentences, tokens: those that have tokens of the group, and these.
        first, second: the scores in percent.
        delta: first - second, in points; `low` and `high` are its 95 % interval.
        p_value: of delta = 0; None, as is all that follows, with fewer than 10 tokens or 6 sentences.
        p_holm: p after Holm's correction for the groups of the same kind and score.
        p_equal: of a difference of half a point or more.
        better: first or second where p_holm is below 0.05, else equal or none (`significance.side`).
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
    """Two parses of the sentences of `gold`: trees or sentences.

    Raises:
        InputError: the sentences or their tokens differ, or there are none.
    """
    trees, one = paired(gold, first)
    _, other = paired(trees, second)
    words = ["without punctuation" if word else "" for word in are_words(trees)]
    groups: list[tuple[Kind, Sequence[str]]] = [
        ("all", ["all tokens"] * len(words)),
        ("all", words),
        ("relation", [universal(deprel) for tree in trees for deprel in tree.deprels]),
        ("upos", [tag for tree in trees for tag in tree.upos]),
        ("length", [_length(len(tree)) for tree in trees for _ in tree.forms]),
    ]
    offsets = np.cumsum([0, *map(len, trees)])
    rows: list[GroupComparison] = []
    for score in Score:
        right = [right_tokens(trees, parse, score) for parse in (one, other)]
        for by, names in groups:
            rows += _corrected(_compared(by, np.array(names), score, right, offsets))
    return rows


def _compared(
    by: Kind, names: NDArray[np.str_], score: Score, right: Sequence[BoolArray], offsets: IntArray
) -> Iterator[GroupComparison]:
    """The groups of the tokens, bool[tokens] of which are right in each parse; without a name: in none."""
    for name in sorted(filter(None, set(names.tolist()))):
        own = names == name
        total = sentence_sums(own, offsets)
        there = total > 0
        a, b = (sentence_sums(correct & own, offsets)[there] for correct in right)
        test = compare(a, b, total[there])
        tokens = int(own.sum())
        row = GroupComparison(by, name, score, test.sentences, tokens, test.score_a, test.score_b, test.delta)
        if enough(test.sentences, tokens):
            row = replace(row, low=test.low, high=test.high, p_value=test.p_value, p_equal=test.p_equal)
        yield row


def _corrected(groups: Iterable[GroupComparison]) -> Iterator[GroupComparison]:
    """The groups with p after the correction for all of them, and what that shows."""
    rows = list(groups)
    for row, p_holm in zip(rows, holm([row.p_value for row in rows]), strict=True):
        shown = side(winner(row.delta), p_holm, row.p_equal) if p_holm is not None else ""
        yield replace(row, p_holm=p_holm, better=BETTER.get(shown, shown))


def _length(tokens: int) -> str:
    """The class of length of a sentence: ``11-20``."""
    for below, most in pairwise((0, *LENGTHS)):
        if tokens <= most:
            return f"{below + 1}-{most}"
    return f"over {LENGTHS[-1]}"

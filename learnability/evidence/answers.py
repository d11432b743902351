"""Derive the answer for a construction from all comparisons of two annotations together.

One comparison can contradict another: an annotation may be easier to learn and yet give worse UD trees to
users who convert its parses back. So the answer looks at which side each comparison shows to be ahead
(`Difference.better`): each parser tested on its own annotation, without punctuation, between phrases, and
converted back to UD. :data:`CASES` is the whole table; the first case that fits is the answer
(docs/decisions.md lists the answers with what to conclude from each).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from learnability.evidence.differences import ComparisonKind, without_side
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import FEWEST_PLACES, FIRST_SCORE, Score
from learnability.statistics.inference import Side

TOO_FEW_EXAMPLES = "too few examples"
PUNCTUATION_ONLY = "punctuation only"
TREEBANKS_DISAGREE = "treebanks disagree"
TOO_FEW_TREEBANKS = "too few treebanks"
ALTERNATIVE_EASIER = "alternative easier"
NO_MEANINGFUL_DIFFERENCE = "no meaningful difference"
OPEN = "open"

UNDEFINED = "undefined"
"""What a comparison shows that cannot be made: no rule converts imported annotations back to UD."""

AHEAD = (Side.FIRST, Side.SECOND)
"""What a difference shows where a side is ahead."""


@dataclass(frozen=True)
class AnswerCase:
    """Represent an answer, and what each comparison has to show for it; a comparison without a name may show
    anything.

    `{base}` stands for UD, or for the scheme of `--against`.
    """

    answer: str
    shown: Mapping[ComparisonKind, Sequence[str]]


_OWN, _PHRASES, _BACK = (
    ComparisonKind.ANNOTATION,
    ComparisonKind.PHRASES,
    ComparisonKind.CONVERTED,
)

CASES = (
    AnswerCase("{base} easier, alternative output better", {_OWN: [Side.FIRST], _BACK: [Side.SECOND]}),
    AnswerCase("keep {base}", {_OWN: [Side.FIRST]}),
    AnswerCase("alternative easier, UD output worse", {_OWN: [Side.SECOND], _BACK: [Side.FIRST]}),
    AnswerCase("alternative easier inside phrases only", {_OWN: [Side.SECOND], _PHRASES: [Side.FIRST]}),
    AnswerCase(
        "alternative better",
        {_OWN: [Side.SECOND], _PHRASES: [Side.SECOND, UNDEFINED], _BACK: [Side.SECOND]},
    ),
    AnswerCase(ALTERNATIVE_EASIER, {_OWN: [Side.SECOND]}),
    AnswerCase("equally easy, keep {base}", {_OWN: [Side.EQUAL], _BACK: [Side.FIRST]}),
    AnswerCase("equally easy, alternative output better", {_OWN: [Side.EQUAL], _BACK: [Side.SECOND]}),
    AnswerCase(NO_MEANINGFUL_DIFFERENCE, {_OWN: [Side.EQUAL]}),
    AnswerCase("open, {base} output better", {_BACK: [Side.FIRST]}),
    AnswerCase("open, alternative output better", {_BACK: [Side.SECOND]}),
    AnswerCase(OPEN, {}),
)
"""The answers; the first that fits is taken. A side that is ahead is ahead without punctuation, too."""


def is_open(answer: str) -> bool:
    """Return whether an answer leaves open which annotation is easier, so that more data may answer it."""
    return answer.startswith(OPEN) or answer == TOO_FEW_EXAMPLES


def is_left_open(row: ComparisonRow) -> bool:
    """Return whether more data may answer what is open by a score: the treebank has places enough."""
    places = (row.places or 0) + (row.test_places or 0)
    return places >= FEWEST_PLACES and any(is_open(row.answer(score)) for score in row.scores)


def own_side(row: ComparisonRow, score: Score = FIRST_SCORE) -> Side | None:
    """Return what the comparison on each parser's own annotation shows; None if nothing was tested.

    A side that is ahead only with punctuation is not ahead (:func:`add_answer`).
    """
    difference = row.difference(score)
    return difference.better if difference else None


def add_answer(row: ComparisonRow, score: Score = FIRST_SCORE) -> ComparisonRow:
    """Return a row with its answer by this score.

    On each parser's own annotation, a side is ahead if it is so with and without punctuation. Where it is
    ahead only with punctuation, the difference does not count as clear: its interval is extended to 0, and
    its corrected p value is that without punctuation. So stars, intervals and p values agree with the answer.
    (It may still be under half a point.)
    """
    difference, words = row.difference(score), row.difference(score, ComparisonKind.WORDS)
    if difference is not None and difference.better in AHEAD and words and words.better != difference.better:
        same_side = words.winner == difference.better and words.p_holm is not None
        shown = without_side(difference, words.p_holm if same_side and words.p_holm else 1.0)
        row = replace(row, differences={**row.differences, (score, ComparisonKind.ANNOTATION): shown})
        if shown.better is Side.NONE:
            row = replace(row, only_with_punctuation=row.only_with_punctuation | {score})
    return replace(row, answers={**row.answers, score: _answer(row, score)})


def _answer(row: ComparisonRow, score: Score) -> str:
    """Return the answer for a pair by this score; empty if nothing was computed."""
    difference = row.difference(score)
    if difference is None:
        return TOO_FEW_EXAMPLES if row.places == 0 else ""
    if difference.p_value is None:
        return TOO_FEW_EXAMPLES
    shown: dict[ComparisonKind, str | None] = {
        comparison: difference.better for comparison, difference in row.by_comparison(score).items()
    }
    if score in row.only_with_punctuation and shown[ComparisonKind.WORDS] != Side.NONE:
        return PUNCTUATION_ONLY
    for case in CASES:
        if all(shown.get(comparison, UNDEFINED) in sides for comparison, sides in case.shown.items()):
            return case.answer.format(base=row.base)
    raise AssertionError("the last case fits everything")

"""Answer two questions about two annotations, from all comparisons of their parsers together.

*Which is easier to learn?* follows from the comparison on each parser's own annotation: a side has to be
ahead with and without punctuation. *If you need UD trees, which should you train on?* follows from the
comparison after the parses are converted back to UD. Both have the same answers (:class:`Answer`), and a
reason where the answer alone could mislead (docs/decisions.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from learnability.evidence.differences import ComparisonKind, without_side
from learnability.metrics.scores import FEWEST_PLACES, FIRST_SCORE, Score
from learnability.statistics.inference import Side

if TYPE_CHECKING:
    from learnability.evidence.differences import Difference
    from learnability.evidence.rows import ComparisonRow


class Question(StrEnum):
    """Name what is asked about two annotations, as the columns of files do."""

    EASIER = "easier"
    TRAIN_ON = "train_on"

    @property
    def comparison(self) -> ComparisonKind:
        """Return the comparison that answers the question."""
        return ComparisonKind.ANNOTATION if self is Question.EASIER else ComparisonKind.CONVERTED

    def column(self, score: Score) -> str:
        """Return the name of its column: `easier` by UAS, `las_easier` by LAS."""
        return str(self) if score is FIRST_SCORE else f"{score}_{self}"


class Answer(StrEnum):
    """Name the answers to both questions; `NONE` where nothing was computed, or the question has no answer.

    `BASE` is called UD, or what `--against` names (:meth:`named`).
    """

    BASE = "base"
    ALTERNATIVE = "alternative"
    SAME = "no difference that matters"
    OPEN = "open"
    TOO_FEW_EXAMPLES = "too few examples"
    TOO_FEW_TREEBANKS = "too few treebanks"
    NONE = ""

    @classmethod
    def of_side(cls, side: Side) -> Answer:
        """Return the answer that follows from what a single difference shows."""
        return next(answer for answer, shown in _SIDES.items() if shown is side)

    @property
    def side(self) -> Side | None:
        """Return the side that the answer names, `equal`, or `none` if it is open; None without a test."""
        return _SIDES.get(self)

    def named(self, base: str) -> str:
        """Return the answer as tables and files call it; `base`: the name of the base."""
        return base if self is Answer.BASE else str(self)


_SIDES = {
    Answer.BASE: Side.FIRST,
    Answer.ALTERNATIVE: Side.SECOND,
    Answer.SAME: Side.EQUAL,
    Answer.OPEN: Side.NONE,
}


class Reason(StrEnum):
    """Name why an answer is open, or what an answer alone does not tell."""

    UNCLEAR = "the interval includes 0"
    ONLY_PUNCTUATION = "only punctuation"
    AHEAD_WITH_PUNCTUATION = "ahead only with punctuation"
    REVERSED_WITHOUT_PUNCTUATION = "without punctuation the other side is ahead"
    INSIDE_PHRASES = "only inside phrases"
    TREEBANKS_DISAGREE = "treebanks disagree"
    NO_CONVERSION = "no rule converts parses back to UD"


PUNCTUATION = (
    Reason.ONLY_PUNCTUATION,
    Reason.AHEAD_WITH_PUNCTUATION,
    Reason.REVERSED_WITHOUT_PUNCTUATION,
)
"""The reasons for which a side that is ahead with punctuation is not the answer."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """Hold an answer and its reason.

    Attributes:
        answer: one of the four, or that there are too few examples or treebanks.
        reason: one of :class:`Reason`, or why the question has no answer; empty if the answer says all. An
            open answer has one.
    """

    answer: Answer = Answer.NONE
    reason: str = ""

    @property
    def side(self) -> Side | None:
        """Return the side of the answer (`Answer.side`)."""
        return self.answer.side

    @property
    def needs_data(self) -> bool:
        """Return whether more data may answer it: it is open, or there are too few examples.

        Where both sides are clearly ahead, with and without punctuation, more data would not help.
        """
        is_open = self.answer in (Answer.OPEN, Answer.TOO_FEW_EXAMPLES)
        return is_open and self.reason != Reason.REVERSED_WITHOUT_PUNCTUATION


def is_left_open(row: ComparisonRow) -> bool:
    """Return whether more data may answer by a score which is easier: the treebank has places enough."""
    places = (row.places or 0) + (row.test_places or 0)
    return places >= FEWEST_PLACES and any(row.easier(score).needs_data for score in row.scores)


def add_answers(row: ComparisonRow, score: Score = FIRST_SCORE) -> ComparisonRow:
    """Return a corrected row with its answers by this score.

    On each parser's own annotation, a side is ahead if it is so with and without punctuation. Where it is
    ahead only with punctuation, the difference does not count as clear: its interval is extended to 0, and
    its corrected p value is that without punctuation. So stars, intervals and p values agree with the answer.
    """
    easier, difference = _answer_easier(row, score), row.difference(score)
    words = row.difference(score, ComparisonKind.WORDS)
    if (
        difference is not None
        and words is not None
        and difference.is_clear
        and easier.side != difference.better
    ):
        same_side = words.winner == difference.better and words.p_holm is not None
        shown = without_side(difference, words.p_holm if same_side and words.p_holm else 1.0)
        row = replace(row, differences={**row.differences, (score, ComparisonKind.ANNOTATION): shown})
    return with_answers(row, score, easier, _answer_train_on(row, score))


def with_answers(
    row: ComparisonRow, score: Score, easier: AnsweredQuestion, train_on: AnsweredQuestion
) -> ComparisonRow:
    """Return a row with these answers by a score."""
    answers = {(score, Question.EASIER): easier, (score, Question.TRAIN_ON): train_on}
    return replace(row, answers={**row.answers, **answers})


def _answer_easier(row: ComparisonRow, score: Score) -> AnsweredQuestion:
    """Return which annotation is easier to learn, from a corrected row."""
    difference = row.difference(score)
    if difference is None:
        return AnsweredQuestion(Answer.TOO_FEW_EXAMPLES if row.places == 0 else Answer.NONE)
    answered = _answer_alone(difference)
    if not difference.is_clear:
        return answered
    words, phrases = (row.difference(score, kind) for kind in (ComparisonKind.WORDS, ComparisonKind.PHRASES))
    if words is not None and words.better != difference.better:
        return _answer_punctuation(difference, words)
    if answered.answer is Answer.ALTERNATIVE and phrases is not None and phrases.better is Side.FIRST:
        return replace(answered, reason=Reason.INSIDE_PHRASES)
    return answered


def _answer_punctuation(difference: Difference, words: Difference) -> AnsweredQuestion:
    """Return which is easier where a side is ahead with punctuation, and not without."""
    if words.better is Side.EQUAL:
        return AnsweredQuestion(Answer.SAME, Reason.ONLY_PUNCTUATION)
    if without_side(difference, 1.0).better is Side.EQUAL:  # clear, and clearly under half a point
        return AnsweredQuestion(Answer.SAME)
    if words.is_clear:
        return AnsweredQuestion(Answer.OPEN, Reason.REVERSED_WITHOUT_PUNCTUATION)
    return AnsweredQuestion(Answer.OPEN, Reason.AHEAD_WITH_PUNCTUATION)


def _answer_train_on(row: ComparisonRow, score: Score) -> AnsweredQuestion:
    """Return which annotation to train on if UD trees are needed, from a corrected row."""
    difference = row.difference(score, ComparisonKind.CONVERTED)
    if difference is None:
        if not row.pair.has_conversion_back:
            return AnsweredQuestion(reason=row.undefined.get(ComparisonKind.CONVERTED, Reason.NO_CONVERSION))
        return AnsweredQuestion(Answer.TOO_FEW_EXAMPLES if row.places == 0 else Answer.NONE)
    return _answer_alone(difference)


def _answer_alone(difference: Difference) -> AnsweredQuestion:
    """Return the answer that follows from one difference."""
    if difference.better is None:
        return AnsweredQuestion(Answer.TOO_FEW_EXAMPLES)
    reason = Reason.UNCLEAR if difference.better is Side.NONE else ""
    return AnsweredQuestion(Answer.of_side(difference.better), reason)

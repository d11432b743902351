"""Name the two questions about two annotations, their answers, and the reasons beside these.

*Which is easier to learn?* and *if you need UD trees, which should you train on?* have the same answers
(docs/answers.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import FIRST_SCORE, Score
from learnability.statistics.inference import Side


class Question(StrEnum):
    """Name what is asked about two annotations, as the columns of files do."""

    EASIER = "easier"
    TRAIN_ON = "train_on"

    @property
    def basis(self) -> ScoringBasis:
        return ScoringBasis.ANNOTATION if self is Question.EASIER else ScoringBasis.CONVERTED

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
        return next(answer for answer, shown in _SIDES.items() if shown is side)

    @property
    def side(self) -> Side | None:
        """Return the side that the answer names, `equal`, or `none` if it is open; None without a test."""
        return _SIDES.get(self)

    def named(self, base: str) -> str:
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
    HOLDS_LESS = "may hold less"
    TREEBANKS_DISAGREE = "treebanks disagree"
    NO_CONVERSION = "no rule converts parses back to UD"


PUNCTUATION = (Reason.ONLY_PUNCTUATION, Reason.AHEAD_WITH_PUNCTUATION, Reason.REVERSED_WITHOUT_PUNCTUATION)
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
        return self.answer.side

    @property
    def needs_data(self) -> bool:
        """Return whether more data may answer it: it is open, or there are too few examples.

        Where both sides are clearly ahead, with and without punctuation, more data would not help.
        """
        is_open = self.answer in (Answer.OPEN, Answer.TOO_FEW_EXAMPLES)
        return is_open and self.reason != Reason.REVERSED_WITHOUT_PUNCTUATION

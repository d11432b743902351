"""Answer two questions about two annotations, from all comparisons of their parsers together.

*Which is easier to learn?* follows from the comparison on each parser's own annotation: a side has to be
ahead with and without punctuation. *If you need UD trees, which should you train on?* follows from the
comparison after the parses are converted back to UD. Both have the same answers (:class:`Answer`), and a
reason where the answer alone could mislead (docs/answers.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnability.evidence.questions import Answer, AnsweredQuestion, Question, Reason
from learnability.evidence.score_differences import ScoringBasis, without_side
from learnability.metrics.scores import FEWEST, FIRST_SCORE, Score
from learnability.statistics.inference import Side

if TYPE_CHECKING:
    from learnability.evidence.rows import ComparisonRow
    from learnability.evidence.score_differences import Difference


def is_left_open(row: ComparisonRow) -> bool:
    """Return whether more data may answer by a score which is easier: the treebank has places enough."""
    places = (row.places or 0) + (row.test_places or 0)
    return places >= FEWEST.places and any(row.easier(score).needs_data for score in row.scores)


def add_answers(row: ComparisonRow, score: Score = FIRST_SCORE) -> ComparisonRow:
    """Return a corrected row with its answers by this score.

    On each parser's own annotation, a side is ahead if it is so with and without punctuation. Where it is
    ahead only with punctuation, the difference does not count as clear: its interval is extended to 0, and
    its corrected p value is that without punctuation. So stars, intervals and p values agree with the answer.
    """
    easier, difference = _answer_easier(row, score), row.difference(score)
    words = row.difference(score, ScoringBasis.WORDS)
    if (
        difference is not None
        and words is not None
        and difference.is_clear
        and easier.side != difference.better
    ):
        same_side = words.winner == difference.better and words.p_holm is not None
        shown = without_side(difference, words.p_holm if same_side and words.p_holm else 1.0)
        row = replace(row, differences={**row.differences, (score, ScoringBasis.ANNOTATION): shown})
    return with_answers(row, score, easier, _answer_train_on(row, score))


def with_answers(
    row: ComparisonRow, score: Score, easier: AnsweredQuestion, train_on: AnsweredQuestion
) -> ComparisonRow:
    """Return a row with these answers by a score."""
    answers = {(score, Question.EASIER): easier, (score, Question.TRAIN_ON): train_on}
    return replace(row, answers={**row.answers, **answers})


def _answer_easier(row: ComparisonRow, score: Score) -> AnsweredQuestion:
    difference = row.difference(score)
    if difference is None:
        return AnsweredQuestion(Answer.TOO_FEW_EXAMPLES if row.places == 0 else Answer.NONE)
    answered = _answer_alone(difference)
    if not difference.is_clear:
        return answered
    words, phrases = (row.difference(score, kind) for kind in (ScoringBasis.WORDS, ScoringBasis.PHRASES))
    if words is not None and words.better != difference.better:
        return _answer_punctuation(difference, words)
    lost = row.lost_points(score)
    if answered.answer is Answer.ALTERNATIVE and lost is not None and lost > abs(difference.delta):
        return replace(answered, reason=Reason.HOLDS_LESS)
    if answered.answer is Answer.ALTERNATIVE and phrases is not None and phrases.better is Side.FIRST:
        return replace(answered, reason=Reason.INSIDE_PHRASES)
    return answered


def _answer_punctuation(difference: Difference, words: Difference) -> AnsweredQuestion:
    if words.better is Side.EQUAL:
        return AnsweredQuestion(Answer.SAME, Reason.ONLY_PUNCTUATION)
    if without_side(difference, 1.0).better is Side.EQUAL:  # clear, and clearly under half a point
        return AnsweredQuestion(Answer.SAME)
    if words.is_clear:
        return AnsweredQuestion(Answer.OPEN, Reason.REVERSED_WITHOUT_PUNCTUATION)
    return AnsweredQuestion(Answer.OPEN, Reason.AHEAD_WITH_PUNCTUATION)


def _answer_train_on(row: ComparisonRow, score: Score) -> AnsweredQuestion:
    difference = row.difference(score, ScoringBasis.CONVERTED)
    if difference is None:
        if not row.pair.has_conversion_back:
            return AnsweredQuestion(reason=row.undefined.get(ScoringBasis.CONVERTED, Reason.NO_CONVERSION))
        return AnsweredQuestion(Answer.TOO_FEW_EXAMPLES if row.places == 0 else Answer.NONE)
    return _answer_alone(difference)


def _answer_alone(difference: Difference) -> AnsweredQuestion:
    if difference.better is None:
        return AnsweredQuestion(Answer.TOO_FEW_EXAMPLES)
    reason = Reason.UNCLEAR if difference.better is Side.NONE else ""
    return AnsweredQuestion(Answer.of_side(difference.better), reason)

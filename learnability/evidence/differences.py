"""The difference between two annotations by one score, in one comparison, and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from learnability.comparing.results import ScoreCounts, TrainingResult
from learnability.metrics.scores import Score, enough
from learnability.statistics.significance import Comparison, Side, compare, holm, side, winner
from learnability.support.options import shared


class ComparisonKind(StrEnum):
    """What the parses of both parsers are compared with.

    Each parser's own annotation, the same without punctuation, the arcs between phrases, UD's trees after
    converting the parses back, or the mixture of both annotations to which a parse is closest.
    """

    ANNOTATION = "own_annotation"
    WORDS = "without_punctuation"
    PHRASES = "between_phrases"
    CONVERTED = "converted_back"
    MIXTURE = "best_of_both"

    @classmethod
    def of(cls, score: Score) -> list[ComparisonKind]:
        """Return the comparisons for which the score is defined."""
        return [comparison for comparison in cls if score is Score.UAS or comparison is not cls.PHRASES]


@dataclass(frozen=True)
class Difference:
    """The scores of UD (a) and the alternative (b) in one comparison, percent, and their difference, points.

    See `significance.Comparison`; `p_holm` and `better` are after Holm's correction over the run. Without
    enough data there is no error, interval or p. A mean over treebanks has no scores.
    """

    ud: float | None
    alternative: float | None
    delta: float
    error: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    p_equal: float | None
    better: Side | None

    @property
    def winner(self) -> Side | None:
        """The side with the higher score; None where nothing was tested."""
        return None if self.p_value is None else winner(self.delta)

    @classmethod
    def of(
        cls, comparison: Comparison, p_holm: float | None = None, better: Side | None = None
    ) -> Difference:
        """Return a tested difference."""
        return cls(
            **shared(Difference, comparison),
            ud=comparison.score_a,
            alternative=comparison.score_b,
            p_holm=p_holm,
            better=better,
        )


def right_tokens(counts: ScoreCounts, comparison: ComparisonKind, condition: str = "") -> list[int]:
    """Return the right tokens per sentence in a comparison.

    What is UD already needs no conversion to UD. `condition` says whose references count where the closest
    do. Empty where they were not recorded.
    """
    match comparison:
        case ComparisonKind.ANNOTATION:
            return counts.correct
        case ComparisonKind.WORDS:
            return counts.words
        case ComparisonKind.PHRASES:
            return counts.nuclei
        case ComparisonKind.CONVERTED:
            return counts.back or counts.correct
        case ComparisonKind.MIXTURE:
            return counts.closest.get(condition, [])


def compared(
    a: Sequence[TrainingResult], b: Sequence[TrainingResult], score: str, sites: int, comparisons: int = 1
) -> Comparison | None:
    """Compare the trainings on two annotations by a score on their own references, one per seed.

    Returns None where the test part is too small, or has too few sites. `comparisons`: see
    `significance.compare`.
    """
    if not enough(len(a[0].tokens), sites):
        return None
    first, second = ([training.scores[score].correct for training in trainings] for trainings in (a, b))
    return compare(first, second, a[0].tokens, comparisons=comparisons)


def corrected(comparisons: Sequence[Comparison | None]) -> list[Difference | None]:
    """Return what each comparison shows after Holm's correction for all; None (not tested) stays None."""
    p_values = holm([None if comparison is None else comparison.p_value for comparison in comparisons])
    return [
        None
        if comparison is None
        else Difference.of(comparison, p_holm, side(comparison.winner, p_holm, comparison.p_equal))
        for comparison, p_holm in zip(comparisons, p_values, strict=True)
    ]

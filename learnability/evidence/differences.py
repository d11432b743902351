"""The difference between two annotations by one score, on one basis, and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from learnability.comparing.results import ScoreCounts, TrainingResult
from learnability.metrics.scores import Score, enough
from learnability.statistics.significance import Comparison, Winner, compare, holm, side, winner
from learnability.support.options import shared


class Basis(StrEnum):
    """What the heads of both parsers are held against.

    Their own references, these without punctuation, the arcs between nuclei, UD after conversion, or of
    all mixtures of both annotations the closest.
    """

    OWN = "own"
    WORDS = "words"
    NUCLEI = "nuclei"
    BACK = "back"
    CLOSEST = "closest"

    @classmethod
    def of(cls, score: Score) -> list[Basis]:
        """Return the bases on which the score is defined."""
        return [basis for basis in cls if score is Score.UAS or basis is not cls.NUCLEI]


@dataclass(frozen=True)
class Difference:
    """The scores of (a) and (b) on one basis, percent, and their difference, points.

    See `significance.Comparison`; `p_holm` and `better` are after Holm's correction over the run. Without
    enough data there is no error, interval or p. A mean over treebanks has no scores.
    """

    original: float | None
    transformed: float | None
    delta: float
    error: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    p_equal: float | None
    better: str | None

    @property
    def winner(self) -> Winner | None:
        """The side with the higher score; None where nothing was tested."""
        return None if self.p_value is None else winner(self.delta)

    @classmethod
    def of(cls, comparison: Comparison, p_holm: float | None = None, better: str | None = None) -> Difference:
        """Return a tested difference."""
        return cls(
            **shared(Difference, comparison),
            original=comparison.score_a,
            transformed=comparison.score_b,
            p_holm=p_holm,
            better=better,
        )


def right_tokens(counts: ScoreCounts, basis: Basis, condition: str = "") -> list[int]:
    """Return the right tokens per sentence on a basis.

    What is UD already needs no conversion to UD. `condition` says whose references count where the closest
    do. Empty where they were not recorded.
    """
    match basis:
        case Basis.OWN:
            return counts.correct
        case Basis.WORDS:
            return counts.words
        case Basis.NUCLEI:
            return counts.nuclei
        case Basis.BACK:
            return counts.back or counts.correct
        case Basis.CLOSEST:
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

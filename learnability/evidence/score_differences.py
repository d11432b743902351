"""Describe the difference between two annotations by one score, in one comparison, and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnability.comparing.results import ScoreCounts, TrainingResult
from learnability.evidence.grouping import document_numbers, fold_numbers
from learnability.metrics.scores import Score
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import (
    AHEAD,
    ALPHA,
    ONE_LOOK,
    Side,
    Testing,
    answering_interval,
    conditional_estimate,
    side,
    winner,
)
from learnability.statistics.meta_analysis import RandomEffects, can_be_averaged
from learnability.statistics.significance import Comparison, compare
from learnability.support.options import shared
from learnability.support.values import JsonObject
from learnability.treebanks.families import Origin

FIRST_OR_SECOND = 0.5
"""The share of the level that a test has where a question may be tested twice: on the test set, and
on all sentences."""


class ScoringBasis(StrEnum):
    """Name what the parses of both parsers are compared with.

    Each parser's own annotation, the same without punctuation, the arcs between phrases, or UD's trees after
    converting the parses back. Where a scheme merges or splits relations, LAS in the first two counts the
    coarsest labels that both have, and in the last one the whole labels of each.
    """

    ANNOTATION = "own_annotation"
    WORDS = "without_punctuation"
    PHRASES = "between_phrases"
    CONVERTED = "converted_back"
    LABELS = "own_labels"

    @classmethod
    def of(cls, score: Score) -> list[ScoringBasis]:
        """Return the comparisons for which the score is defined."""
        if not score.counts_every_token:
            return [cls.ANNOTATION, cls.CONVERTED]
        undefined = cls.PHRASES if score.needs_labels else cls.LABELS
        return [basis for basis in cls if basis is not undefined]


@dataclass(frozen=True)
class Difference:
    """Hold the scores of UD (a) and the alternative (b) in one comparison, percent, and their difference,
    points.

    Without enough data there is no error, interval or p. A mean over treebanks has no scores.

    Attributes:
        error, degrees: the standard error of `delta`, and its degrees of freedom.
        low, high: the interval from which `better` follows (`inference.answering_interval`): it excludes 0
            exactly where `better` names a side.
        uncorrected_low, uncorrected_high: the 95 % interval of this comparison taken alone.
        p_value, p_holm: of no difference; corrected for all constructions of the treebank, and for a second
            test (:meth:`correct`).
        p_equal, p_equal_holm: of a difference of `EFFECT` points or more; corrected in the same way.
        better: what the difference shows.
        conditional: what the difference is estimated to be, given that it is clear; None if it is not clear.
        testing: how often the difference was looked at.
        share: the share of the level that this test has; the rest is that of the other test of the question.
    """

    base: float | None
    alternative: float | None
    delta: float
    error: float | None = None
    degrees: float | None = None
    low: float | None = None
    high: float | None = None
    uncorrected_low: float | None = None
    uncorrected_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    p_equal: float | None = None
    p_equal_holm: float | None = None
    better: Side | None = None
    conditional: float | None = None
    testing: Testing = ONE_LOOK
    share: float = 1.0

    @property
    def shown(self) -> float | None:
        """Return the difference for readers; None without an interval, because nothing was tested."""
        return None if self.low is None else self.delta

    @property
    def is_significant(self) -> bool:
        return self.p_value is not None and self.p_value < ALPHA

    @property
    def is_clear(self) -> bool:
        return self.better in AHEAD

    @property
    def winner(self) -> Side | None:
        return None if self.p_value is None else winner(self.delta)

    @property
    def p_of_two_tests(self) -> float:
        """Return p of no difference, corrected only for a second test of the question; 1 if not tested."""
        return 1.0 if self.p_value is None else min(1.0, self.p_value / self.share)

    @classmethod
    def of(cls, comparison: Comparison, share: float = 1.0) -> Difference:
        """Return a tested difference that is not corrected yet; `share`: of the level."""
        return cls(
            **shared(Difference, comparison),
            base=comparison.score_a,
            alternative=comparison.score_b,
            uncorrected_low=comparison.low,
            uncorrected_high=comparison.high,
            share=share,
        )

    @classmethod
    def of_mean(cls, mean: RandomEffects) -> Difference:
        return cls(
            **shared(Difference, mean),
            base=None,
            alternative=None,
            delta=mean.mean,
            uncorrected_low=mean.low,
            uncorrected_high=mean.high,
        )

    @classmethod
    def average(cls, differences: Sequence[Difference], origins: Sequence[Origin]) -> Difference | None:
        """Return the mean over treebanks by random effects, not corrected yet; None where they are too few.

        The errors of the differences must be independent. Where parsers of all treebanks learned from the
        same sources, they are, for these sources, if each drew its own sentences (research/transfer).
        """
        if not can_be_averaged(origins):
            return None
        values, errors = ([getattr(each, name) for each in differences] for name in ("delta", "error"))
        return cls.of_mean(RandomEffects.combine(values, errors, origins))

    @classmethod
    def of_sums(
        cls,
        added: Sequence[ArrayLike],
        subtracted: Sequence[ArrayLike],
        results: Sequence[Sequence[TrainingResult]],
        *,
        seed_ratio: float,
        words: bool = False,
        beside: Sequence[ArrayLike] = (),
    ) -> Difference:
        """Return the difference of two sums of scores on the same sentences.

        Args:
            added: int[seeds, sentences] each, the right tokens of the scores that are added.
            subtracted: those of the scores that are subtracted.
            results: per seed and fold, trainings that were tested on these sentences.
            seed_ratio: how much scores of the parser change with the seed (`ParserKind.seed_ratio`).
            words: whether the scores are without punctuation.
            beside: right tokens of other trainings, in which training noise is measured, too.
        """
        tokens = [count for fold in results[0] for count in (fold.words if words else fold.tokens)]
        comparison = compare(
            np.array(added),
            np.array(subtracted),
            tokens,
            np.ones(len(added)),
            seed_ratio=seed_ratio,
            folds=fold_numbers(results) if len(results[0]) > 1 else None,
            documents=document_numbers(results),
            beside=beside,
            between_folds=True,
        )
        return cls.of(comparison)

    @staticmethod
    def correct(
        differences: Sequence[Difference | None], tested_before: Sequence[Difference] = ()
    ) -> list[Difference | None]:
        """Return what each difference shows after Holm's correction for all, with the interval of that.

        Whether a side is ahead, and whether there is no difference that matters, are corrected each over all
        differences. A difference that was not tested, or is None, stays as it is.

        Args:
            differences: those of the constructions of a treebank.
            tested_before: those of other constructions of the treebank, which are not tested again. Each
                counts, except where it has its answer already: where a side is ahead it no longer counts for
                that, and where it is `equal` no longer for that (Holm's procedure goes on after what it has
                rejected).
        """
        tested = [difference for difference in differences if difference and difference.p_value is not None]
        before = [difference.better for difference in tested_before if difference.p_value is not None]
        without_side = sum(shown not in AHEAD for shown in before)
        not_equal = sum(shown is not Side.EQUAL for shown in before)
        of_sides = _Corrected.of([d.p_of_two_tests for d in tested], without_side)
        of_equal = _Corrected.of([min(1.0, (d.p_equal or 0.0) / d.share) for d in tested], not_equal)
        found = iter(_show_corrected(*each) for each in zip(tested, of_sides, of_equal, strict=True))
        return [next(found) if d is not None and d.p_value is not None else d for d in differences]

    def drop_test(self) -> Difference:
        return Difference(self.base, self.alternative, self.delta)


def values_of(result: Any) -> JsonObject:
    """Return a dataclass as JSON values: numbers and names, also of the differences that it holds."""

    def without_testing(items: list[tuple[str, Any]]) -> JsonObject:
        return {name: value for name, value in items if name not in ("testing", "share")}

    return asdict(result, dict_factory=without_testing)


def right_tokens(counts: ScoreCounts, basis: ScoringBasis, alternative: str = "") -> list[int]:
    """Return the right tokens per sentence in a comparison; empty where they were not recorded.

    What is UD already needs no conversion to UD. `alternative` says whose references and labels count.
    """
    match basis:
        case ScoringBasis.ANNOTATION:
            return counts.count_right(alternative)
        case ScoringBasis.WORDS:
            return counts.right_words(alternative)
        case ScoringBasis.PHRASES:
            return counts.phrases
        case ScoringBasis.CONVERTED:
            return counts.back or counts.correct
        case ScoringBasis.LABELS:
            return counts.whole_labels


def counted_tokens(counts: ScoreCounts, basis: ScoringBasis, alternative: str = "") -> list[int]:
    """Return the tokens that count, as :func:`right_tokens`; empty for scores that count each token once."""
    if basis is ScoringBasis.CONVERTED:
        return counts.back_counted or counts.counted
    return counts.out_of(alternative)


@dataclass(frozen=True)
class _Corrected:
    """Hold a corrected p value, and the factor by which it was multiplied."""

    p_value: float
    factor: float

    @classmethod
    def of(cls, p_values: Sequence[float], others: int) -> list[_Corrected]:
        """Return p values corrected for each other and for `others` that cannot be tested again."""
        every = [*p_values, *[1.0] * others]
        both = zip(holm(every), holm_factors(every), strict=True)
        return [cls(p or 0.0, factor or 1.0) for p, factor in both][: len(p_values)]


def _show_corrected(difference: Difference, of_side: _Corrected, of_equal: _Corrected) -> Difference:
    better = side(winner(difference.delta), of_side.p_value, of_equal.p_value)
    factors = of_side.factor / difference.share, of_equal.factor / difference.share
    low, high = _interval(difference, better, *factors)
    conditional = None
    if better in AHEAD:
        assert difference.error is not None
        assert difference.degrees is not None
        conditional = conditional_estimate(
            difference.delta, difference.error, difference.degrees, factors[0], difference.testing
        )
    return replace(
        difference,
        p_holm=of_side.p_value,
        p_equal_holm=of_equal.p_value,
        better=better,
        low=low,
        high=high,
        conditional=conditional,
    )


def _interval(difference: Difference, better: Side, of_side: float, of_equal: float) -> tuple[float, float]:
    """Return the interval from which `better` follows, by the factors of both p values.

    If nothing is clear, it has the higher of both levels: it contains 0, and reaches beyond half a point.
    """
    factor = of_side
    if better is Side.EQUAL:
        factor = of_equal
    elif better is Side.NONE:
        factor = max(of_side, of_equal / 2)
    assert difference.error is not None
    assert difference.degrees is not None
    return answering_interval(
        difference.delta, difference.error, difference.degrees, factor, better, difference.testing
    )


def without_side(difference: Difference, p_holm: float) -> Difference:
    """Return what a corrected difference shows if the side that is ahead does not count, with this corrected
    p value: its interval is extended to 0."""
    p_equal = difference.p_equal_holm
    better = Side.EQUAL if p_equal is not None and p_equal < ALPHA else Side.NONE
    of_side = (difference.p_holm or 0.0) / difference.p_value if difference.p_value else 1 / difference.share
    of_equal = 1 / difference.share
    if difference.p_equal and p_equal:
        of_equal = p_equal / difference.p_equal
    low, high = _interval(difference, better, of_side, of_equal)
    return replace(difference, p_holm=p_holm, better=better, low=min(0.0, low), high=max(0.0, high))
